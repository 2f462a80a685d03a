"""Cards of graphs: TOML files that say where a graph's files are, what it should be and how its nodes are split."""

from __future__ import annotations

import importlib.resources
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from meshtide.data.card import Numbers
from meshtide.data.nodes.drawing import PerClass, Rule, Shares
from meshtide.data.nodes.task import OWN, NodeTask
from meshtide.data.toml import MOST_BYTES, parse_toml
from meshtide.errors import InputError
from meshtide.files import read_regular
from meshtide.spectral.node_recipe import FEATURES
from meshtide.words import known, listed, shown

COMPONENTS = ("all", "largest")
FOLDER = "graphs"  # of the cards that come with meshtide, in `datasets/`
_MOST_SEEDS = 1000
_LARGEST_NUMBER = 10**12
_TEXTS = ("name", "title", "source", "licence", "obtain")
_KEYS: dict[str, dict[str, type]] = {
    "": dict.fromkeys(_TEXTS, str) | {"graph": dict, "splits": dict},
    "graph": {
        "places": list, "members": list, "classes": list, "component": str, "features": str, "split": str,
        "nodes": int, "edges": int, "channels": int,
    },
    "splits": {
        "per_class": int, "development": int, "replacement": bool, "train": float, "validation": float, "seeds": str,
    },
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class NodeCard:
    """What a card says of a graph; places are relative to the data folder and stay inside it."""

    name: str
    places: tuple[str, ...]  # where the graph may be, the first that is there counts; "{member}" is a member's name
    title: str = ""
    source: str = ""
    licence: str = ""
    obtain: str = ""
    members: tuple[str, ...] = ()  # of a card of several graphs
    classes: tuple[str, ...] = ()  # their names, in the order of their numbers
    component: str = "all"  # which nodes are usually taken
    features: str | None = None  # how features are usually prepared
    split: str = ""  # the usual one
    nodes: int | None = None  # counts of what is usually taken
    edges: int | None = None
    channels: int | None = None
    rules: Mapping[str, Rule] = field(default_factory=dict)

    def completed(self, task: NodeTask) -> NodeTask:
        """A graph as it was read, with what the card says besides."""
        rules = dict(task.rules) | dict(self.rules)
        usual = self.split or task.usual_split
        kind = usual.partition(":")[0]
        if kind not in rules and not (kind == OWN and task.splits):
            raise InputError(f"{task.name}: the usual split is '{usual}', which its files lack; choose another `split`")
        classes = self.classes or task.classes
        if len(classes) != len(task.classes):
            raise InputError(
                f"{task.name}: has {len(task.classes):,} classes; its card names {len(classes):,}; is it another one?"
            )
        return replace(task, classes=classes, rules=rules, usual_split=usual, usual_features=self.features)

    def check(self, task: NodeTask) -> None:
        """Raise InputError where the nodes that are usually taken are not as many as the card says."""
        found = {"nodes": task.count, "edges": len(task.edges), "features": int(task.features.shape[1])}
        wanted = {"nodes": self.nodes, "edges": self.edges, "features": self.channels}
        for noun, count in wanted.items():
            if count not in (None, found[noun]):
                raise InputError(
                    f"{task.name}: has {found[noun]:,} {noun} and its card says {count:,}; is it another version? "
                    "A path instead of the card's name reads it as it is"
                )


def known_node_cards() -> dict[str, Any]:
    """The cards of graphs that come with meshtide, by name: in the package, or beside it in a checkout."""
    inside = importlib.resources.files("meshtide") / "cards" / FOLDER
    places = inside.iterdir() if inside.is_dir() else (Path(__file__).parents[3] / "datasets" / FOLDER).glob("*.toml")
    return dict(sorted((place.name.removesuffix(".toml"), place) for place in places if place.name.endswith(".toml")))


def load_node_card(source: str | Path) -> NodeCard:
    """The card of a name such as "cora", or the one in a .toml file."""
    place = known_node_cards().get(str(source)) if isinstance(source, str) else None
    said = parse_toml(place.read_bytes() if place is not None else read_regular(Path(source), MOST_BYTES), str(source))
    try:
        return _card(said)
    except InputError as error:
        raise InputError(f"{source}: {error}") from None


def is_node_card(path: Path) -> bool:
    """Whether a .toml file is the card of a graph rather than of meshes."""
    try:
        return "graph" in parse_toml(read_regular(path, MOST_BYTES), str(path))
    except InputError:
        return False  # whoever reads it as a card of meshes says what is wrong with it


def _card(said: dict[str, Any]) -> NodeCard:
    _check("", said, ("name", "graph"))
    graph = dict(said["graph"])
    _check("graph", graph, ("places",))
    lists: dict[str, Any] = {
        key: _texts(f"graph.{key}", graph.pop(key, [])) for key in ("places", "members", "classes")
    }
    if not lists["places"]:
        raise InputError("graph.places names none; wanted a file or folder in the data folder")
    _check_paths(lists["places"], lists["members"])
    known(graph.get("component", "all"), COMPONENTS, "graph.component")
    if "features" in graph:
        known(graph["features"], FEATURES, "graph.features")
    texts: dict[str, Any] = {key: " ".join(said[key].split()) for key in _TEXTS if key in said}
    rules = {name: _rule(name, table) for name, table in said.get("splits", {}).items()}
    return NodeCard(**texts, **lists, **graph, rules=rules)


def _check(table: str, said: dict[str, Any], required: tuple[str, ...] = ()) -> None:
    keys = _KEYS[table]
    unknown = [key for key in said if key not in keys]
    if unknown:
        raise InputError(f"unknown keys {listed(unknown)} in [{table or 'the card'}]; known are {', '.join(keys)}")
    missing = [key for key in required if key not in said]
    if missing:
        raise InputError(f"the keys {listed(missing)} are missing in [{table or 'the card'}]")
    for key, value in said.items():
        wanted = keys[key]
        if type(value) is int and not 0 <= value <= _LARGEST_NUMBER:
            raise InputError(f"{key} is {shown(str(value), 20)}; wanted a number from 0 to {_LARGEST_NUMBER:,}")
        if type(value) is not wanted and not (wanted is float and type(value) is int):
            raise InputError(f"{key} is a {type(value).__name__}; wanted a {wanted.__name__}")


def _texts(key: str, value: list[Any]) -> tuple[str, ...]:
    if not all(isinstance(word, str) for word in value):
        raise InputError(f"{key} is {shown(repr(value))}; wanted a list of texts")
    return tuple(value)


def _check_paths(places: tuple[str, ...], members: tuple[str, ...]) -> None:
    """A card comes from someone else: it may name nothing outside the data folder."""
    for path in (*places, *members):
        absolute = path[:1] in ("", "/", "\\", "~") or ":" in path or "\0" in path
        if absolute or ".." in re.split(r"[/\\]", path):
            raise InputError(f"'{shown(path)}' leads outside the data folder; wanted a path inside it")
    if bool(members) != any("{member}" in place for place in places):
        raise InputError('graph.places have "{member}" if, and only if, there are members')


def _rule(name: str, said: Any) -> Rule:
    if name == OWN or ":" in name or not isinstance(said, dict):
        raise InputError(f"splits.{shown(name)}: wanted a table of a name other than '{OWN}' and without a colon")
    _check("splits", said)
    numbers = dict(said)
    if "seeds" in numbers:
        numbers["seeds"] = _seeds(name, numbers["seeds"])
    try:
        return PerClass(**numbers) if "per_class" in numbers else Shares(**numbers)
    except TypeError:
        raise InputError(
            f"splits.{shown(name)}: wanted per_class, development, replacement and seeds; or train, validation "
            "and seeds"
        ) from None


def _seeds(name: str, text: str) -> tuple[int, ...]:
    try:
        numbers = Numbers.parse(text)
    except ValueError:
        raise InputError(f'splits.{shown(name)}.seeds is "{shown(text)}"; wanted numbers like "0-9"') from None
    if len(numbers) > _MOST_SEEDS:
        raise InputError(f"splits.{shown(name)}.seeds names {len(numbers):,} splits; {_MOST_SEEDS:,} are the most")
    return tuple(number for low, high in numbers.ranges for number in range(low, high + 1))
