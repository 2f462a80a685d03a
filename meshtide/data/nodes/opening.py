"""Finding a graph with its labels: by a card's name, a card's path, or the file or folder that it is in."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from meshtide.data.finding import data_folder, visible_files
from meshtide.data.nodes.card import COMPONENTS, NodeCard, is_node_card, known_node_cards, load_node_card
from meshtide.data.nodes.files.reading import is_graph, read_graph
from meshtide.data.nodes.task import NodeTask
from meshtide.errors import InputError
from meshtide.mesh.files import READABLE
from meshtide.words import known

GraphSource = str | Path | NodeTask


def is_node_source(source: GraphSource) -> bool:
    """Whether a source is a graph that is no mesh, rather than a collection of meshes; looks at names only.

    >>> is_node_source("cora"), is_node_source("faust")
    (True, False)
    """
    if isinstance(source, NodeTask) or _card_name(source) is not None:
        return True
    path = _card_path(source)[0]
    if path.suffix.lower() == ".toml":
        return is_node_card(path)
    if path.is_dir() and any(file.suffix.lower() in READABLE for file in visible_files(path)):
        return False
    return is_graph(path)


def open_node_task(
    source: GraphSource, *, data: str | Path | None = None, component: str | None = None, splits: str | None = None
) -> NodeTask:
    """Open a graph by its card's name ("cora", "mixhop:3"), a card's path, or the file or folder that it is in.

    A card's places start at `data`, else at the environment's MESHTIDE_DATA, else beside a card that is given by path.
    `component="largest"` takes the largest connected component alone, "all" every node; without it the card decides.
    `splits` names those that are usually taken, such as "random" or "own:3".

    >>> import meshtide as mt, numpy as np
    >>> np.savez("path.npz", edges=[[0, 1], [1, 2], [2, 3]], features=np.eye(4), labels=[0, 0, 1, 1])
    >>> mt.open_node_task("path.npz")
    NodeTask('path': 4 nodes, 3 edges, 4 features, 2 classes, 4 labelled; splits random)
    """
    if component is not None:
        known(component, COMPONENTS, "component")
    if isinstance(source, NodeTask):
        task = source.largest_component() if component == "largest" else source
    elif (name := _card_name(source)) is not None:
        member = str(source).partition(":")[2]
        task = _from_card(load_node_card(name), member, data_folder(data, None), component)
    else:
        path, member = _card_path(source)
        if path.suffix.lower() == ".toml":
            task = _from_card(load_node_card(path), member, data_folder(data, path.parent), component)
        else:
            task = read_graph(path)
            task = task.largest_component() if component == "largest" else task
    if splits is None:
        return task
    task.split_count(splits)  # raises where there is none of that name
    return replace(task, usual_split=splits)


def _card_name(source: str | Path) -> str | None:
    """The name of the card that is meant, if it is one; a Path is none."""
    name = str(source).partition(":")[0]
    return name if isinstance(source, str) and name in known_node_cards() else None


def _card_path(source: str | Path) -> tuple[Path, str]:
    """A path, and what follows it after a colon where it is that of a card."""
    whole, mark, member = str(source).rpartition(".toml:")
    return (Path(f"{whole}.toml"), member) if mark else (Path(source), "")


def _from_card(card: NodeCard, member: str, data: Path | None, component: str | None) -> NodeTask:
    if member not in (card.members or ("",)):
        there = f"it has {', '.join(card.members)}" if card.members else f"write '{card.name}' alone"
        raise InputError(f"{card.name}: has no graph '{member}'; {there}")
    if data is None:
        hint = f"; get the files: {card.obtain}" if card.obtain else ""
        raise InputError(f"{card.name}: where is the data? pass `data` or set MESHTIDE_DATA{hint}")
    places = [data / place.replace("{member}", member) for place in card.places]
    found = next((place for place in places if place.exists()), None)
    if found is None:
        listed = " or ".join(str(place) for place in places)
        raise InputError(f"{listed}: no such file; {card.obtain or 'the card names it for the graph'}")
    task = card.completed(replace(read_graph(found), name=f"{card.name}:{member}" if member else card.name))
    usual = task.largest_component() if card.component == "largest" else task
    card.check(usual)
    if component in (None, card.component):
        return usual
    return task if component == "all" else task.largest_component()
