"""Which reader a graph's file or folder is for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from meshtide.data.nodes.files.geom_gcn import is_geom_gcn, read_geom_gcn
from meshtide.data.nodes.files.linkx import is_mat, is_twitch, read_mat, read_twitch
from meshtide.data.nodes.files.lists import is_edge_list, read_edge_list
from meshtide.data.nodes.files.npz import read_npz_graph
from meshtide.data.nodes.files.ogb import is_ogb, read_ogb
from meshtide.data.nodes.files.planetoid import is_planetoid, read_planetoid
from meshtide.data.nodes.task import NodeTask
from meshtide.errors import InputError


@dataclass(frozen=True)
class GraphFormat:
    """A form that graphs are kept in."""

    name: str
    matches: Callable[[Path], bool]  # by the names of files alone
    read: Callable[[Path], NodeTask]


FORMATS = (
    GraphFormat("an .npz file", lambda path: path.suffix.lower() == ".npz", read_npz_graph),
    GraphFormat("Planetoid's ind.NAME.graph and the files beside it", is_planetoid, read_planetoid),
    GraphFormat("a folder of Geom-GCN", is_geom_gcn, read_geom_gcn),
    GraphFormat("a folder of the Open Graph Benchmark", is_ogb, read_ogb),
    GraphFormat("LINKX's .mat file", is_mat, read_mat),
    GraphFormat("LINKX's folder of Twitch gamers", is_twitch, read_twitch),
    GraphFormat("a table of edges, or a folder with edges.csv", is_edge_list, read_edge_list),
)


def is_graph(path: Path) -> bool:
    """Whether a path is of a form that graphs are kept in, as far as names tell it."""
    return any(form.matches(path) for form in FORMATS)


def read_graph(path: Path) -> NodeTask:
    """The graph in a file or folder."""
    if not path.exists():
        raise InputError(f"{path}: no such file")
    for form in FORMATS:
        if form.matches(path):
            return _read(form, path)
    raise InputError(f"{path}: is no graph that can be read; wanted {', '.join(form.name for form in FORMATS)}")


def _read(form: GraphFormat, path: Path) -> NodeTask:
    """A graph, or a sentence that names its file: what is wrong with a graph is said by the graph's name."""
    try:
        return form.read(path)
    except InputError as error:
        said = str(error)
        raise error if path.name in said else InputError(f"{path}: {said.removeprefix(f'{path.stem}: ')}") from error
