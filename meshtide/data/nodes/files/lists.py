"""Anybody's graph: a table of edges, and tables of what is known of the nodes beside it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from meshtide.arrays import IntArray
from meshtide.data.nodes.files.arrays import read_npy
from meshtide.data.nodes.files.npz import read_npz_matrix
from meshtide.data.nodes.files.tables import Table, is_number, read_table
from meshtide.data.nodes.task import NodeTask
from meshtide.errors import InputError
from meshtide.words import listed, shown

TABLES = (".csv", ".tsv", ".txt", ".edges", ".edgelist", ".csv.gz", ".tsv.gz", ".txt.gz")
_ARRAYS = (".npy", ".npz")
MOST_NODES = 50_000_000
_IDS = ("id", "node", "name", "node_id", "numeric_id")
_LABELS = ("label", "class", "y")
_ENDS = ("from", "to", "source", "target", "src", "dst", "start", "end", "node1", "node2", "node_1", "node_2")
_PURPOSES = {"train": 0, "training": 0, "val": 1, "valid": 1, "validation": 1, "test": 2}


@dataclass
class _Known:
    """What the tables beside the edges say of the nodes, which are in the order of the first that names them."""

    ids: list[str] | None = None
    labels: list[str] | None = None
    features: Any = None
    purposes: list[str] | None = None


def is_edge_list(path: Path) -> bool:
    """Whether a path is a table of edges by its ending, or a folder with one."""
    if path.is_dir():
        return _beside(path, "edges", TABLES) is not None
    return path.name.lower().endswith(TABLES)


def read_edge_list(path: Path) -> NodeTask:
    """A graph from a table of edges and, beside it, tables of its nodes, or of their features and labels."""
    place = _beside(path, "edges", TABLES) if path.is_dir() else path
    if place is None:
        raise InputError(f"{path}: has no table of edges; wanted edges.csv")
    known = _of_nodes(path)
    table = read_table(place, _ENDS)
    if table.width < 2:
        raise InputError(f"{place}: has {table.width} column; wanted two nodes on every line")
    edges, names = _edges(table, known)
    count = _count(known, names, edges)
    features: Any = known.features if known.features is not None else sparse.eye_array(count, format="csr")
    labels: Any = np.full(count, -1) if known.labels is None else _labels(known.labels)
    return NodeTask(_stem(path), edges, features, labels, splits=_splits(known), node_names=names)


def _stem(path: Path) -> str:
    if path.is_dir():
        return path.resolve().name
    ending = next((word for word in sorted(TABLES, key=len, reverse=True) if path.name.lower().endswith(word)), "")
    return (path.name[: -len(ending)] if ending else path.name).removesuffix(".edges").removesuffix(
        "_edges"
    ) or path.name


def _beside(path: Path, kind: str, endings: tuple[str, ...]) -> Path | None:
    """The file of a kind in a folder, or beside a file of edges."""
    starts = [path / kind] if path.is_dir() else [path.parent / f"{_stem(path)}{mark}{kind}" for mark in "._-"]
    found = [file for start in starts for ending in endings if (file := start.with_name(start.name + ending)).is_file()]
    if len(found) > 1:
        raise InputError(f"{found[0]}: there is {found[1].name} too; keep one of them")
    return found[0] if found else None


def _of_nodes(path: Path) -> _Known:
    """Everything that files beside the edges say."""
    known = _Known()
    if (place := _beside(path, "nodes", TABLES)) is not None:
        _take_nodes(known, read_table(place, (*_IDS, *_LABELS, "split")))
    if (place := _beside(path, "labels", (*TABLES, ".npy"))) is not None:
        _take_labels(known, place)
    if (place := _beside(path, "features", (*TABLES, *_ARRAYS))) is not None:
        _take_features(known, place)
    return known


def _take_nodes(known: _Known, table: Table) -> None:
    """A table with a line a node: what it is called, its class, perhaps what it is for, and its features."""
    if not table.names:
        raise InputError(f"{table.path}: has no first line that names its columns; wanted id, label and features")
    special = {"ids": _find(table, _IDS), "labels": _find(table, _LABELS), "purposes": _find(table, ("split",))}
    for key, column in special.items():
        if column is not None:
            setattr(known, key, table.column(column))
    if known.ids is not None:
        _check_ids(known.ids, table.path)
    others = [column for column in range(table.width) if column not in special.values()]
    if others:
        known.features = table.numbers(others)


def _find(table: Table, words: tuple[str, ...]) -> int | None:
    return next((table.names.index(word) for word in words if word in table.names), None)


def _check_ids(ids: list[str], path: Path) -> None:
    if len(set(ids)) < len(ids):
        twice = Counter(ids).most_common(1)[0][0]
        raise InputError(f"{path}: names node '{shown(twice)}' twice; wanted a line a node")


def _take_labels(known: _Known, place: Path) -> None:
    """A label a line in the order of the nodes, or a node and its label."""
    if known.labels is not None:
        raise InputError(f"{place}: the table of nodes has labels too; keep one of them")
    if place.suffix == ".npy":
        known.labels = [str(value) for value in read_npy(place).ravel().tolist()]
        return
    table = read_table(place, (*_IDS, *_LABELS))
    if table.width > 2:
        raise InputError(f"{place}: has {table.width} columns; wanted a label on every line, or a node and its label")
    if table.width == 1:
        known.labels = table.column(0)
        return
    column = _find(table, _LABELS)
    at = 1 if column is None else column
    ids, labels = table.column(1 - at), table.column(at)
    _check_ids(ids, place)
    if known.ids is None:
        known.ids, known.labels = ids, labels
        return
    said = dict(zip(ids, labels, strict=True))
    unknown = sorted(set(ids) - set(known.ids))
    if unknown:
        raise InputError(f"{place}: has labels of {listed(unknown, 3)}, which are no nodes")
    known.labels = [said.get(word, "") for word in known.ids]


def _take_features(known: _Known, place: Path) -> None:
    """A row a node in their order, or with a column that says which node it is."""
    if known.features is not None:
        raise InputError(f"{place}: the table of nodes has features too; keep one of them")
    if place.suffix == ".npy":
        known.features = read_npy(place)
        return
    if place.suffix == ".npz":
        known.features = read_npz_matrix(place)
        return
    table = read_table(place)
    column = _find(table, _IDS)
    values = table.numbers([number for number in range(table.width) if number != column])
    if column is None:
        known.features = values
        return
    ids = table.column(column)
    _check_ids(ids, place)
    if known.ids is None:
        known.ids, known.features = ids, values
        if known.labels is not None and len(known.labels) != len(ids):
            raise InputError(f"{place}: has {len(ids):,} nodes, and there are {len(known.labels):,} labels")
        return
    row = {word: number for number, word in enumerate(ids)}
    missing = [word for word in known.ids if word not in row]
    if missing:
        raise InputError(f"{place}: has no features of the nodes {listed(missing, 3)}")
    known.features = values[[row[word] for word in known.ids]]


def _edges(table: Table, known: _Known) -> tuple[IntArray, tuple[str, ...]]:
    """The edges as numbers, and what the nodes are called where they are not called by their numbers."""
    starts, ends = table.column(0), table.column(1)
    if known.ids is not None:
        place = {word: number for number, word in enumerate(known.ids)}
        first = {starts[0], ends[0]}
        if not table.names and len(starts) > 1 and not first & place.keys() and not any(map(is_number, first)):
            starts, ends = starts[1:], ends[1:]  # where nodes have names, a line of two other words names the columns
        unknown = sorted({word for word in (*starts, *ends) if word not in place})
        if unknown:
            raise InputError(
                f"{table.path}: has edges to {listed(unknown, 3)}, of which nothing is known; {len(place):,} nodes are"
            )
        return _pairs([[place[word] for word in column] for column in (starts, ends)]), tuple(known.ids)
    try:
        return _pairs([[int(word) for word in column] for column in (starts, ends)]), ()
    except (ValueError, OverflowError):
        if known.labels is not None or known.features is not None:
            raise InputError(
                f"{table.path}: calls nodes by names, and the files beside it do not say whose labels and features "
                "they have; give these a column 'id'"
            ) from None
    names = tuple(dict.fromkeys([*starts, *ends]))
    place = {word: number for number, word in enumerate(names)}
    return _pairs([[place[word] for word in column] for column in (starts, ends)]), names


def _pairs(columns: list[list[int]]) -> IntArray:
    return np.array(columns, dtype=np.int64).T


def _count(known: _Known, names: tuple[str, ...], edges: IntArray) -> int:
    """How many nodes there are: as many as have a row, else as the edges name."""
    for rows in (known.ids, known.labels):
        if rows is not None:
            return len(rows)
    if known.features is not None:
        return int(known.features.shape[0])
    count = len(names) or int(edges.max(initial=-1)) + 1
    if count > MOST_NODES:
        raise InputError(f"an edge names node {count - 1:,}; {MOST_NODES:,} nodes are the most")
    return count


def _labels(words: list[str]) -> NDArray[Any]:
    """Whole numbers where all are, -1 for none; names otherwise."""
    try:
        return np.array([int(word) if word else -1 for word in words], dtype=np.int64)
    except (ValueError, OverflowError):
        return np.array(words)


def _splits(known: _Known) -> tuple[Any, ...]:
    """The split in the column of that name; a node without a word there is for nothing."""
    if known.purposes is None:
        return ()
    unknown = sorted({word for word in known.purposes if word and word.lower() not in _PURPOSES})
    if unknown:
        raise InputError(f"the column 'split' has {listed(unknown, 3)}; wanted train, validation or test")
    values = np.array([_PURPOSES.get(word.lower(), -1) for word in known.purposes])
    return (tuple(np.flatnonzero(values == purpose) for purpose in range(3)),)
