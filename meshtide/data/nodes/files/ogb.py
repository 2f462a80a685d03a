"""Graphs as the Open Graph Benchmark keeps them: tables of numbers, mostly packed, in folders."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from meshtide.arrays import IntArray
from meshtide.data.nodes.files.tables import read_numbers
from meshtide.data.nodes.task import NodeTask
from meshtide.errors import InputError

_ENDINGS = (".csv.gz", ".csv")


def is_ogb(path: Path) -> bool:
    """Whether a folder is a node property data set of the benchmark, or its folder `raw`."""
    raw = _raw(path)
    return all(_found(raw, name) is not None for name in ("edge", "node-feat", "node-label"))


def read_ogb(folder: Path) -> NodeTask:
    """A graph with its features, labels and, of the first kind in the folder `split`, the split."""
    raw = _raw(folder)
    edges = _whole(_wanted(raw, "edge"))
    if edges.shape[1] != 2:
        raise InputError(f"{_wanted(raw, 'edge')}: has {edges.shape[1]} columns; wanted two nodes on every line")
    features = read_numbers(_wanted(raw, "node-feat")).astype(np.float32)
    place = _wanted(raw, "node-label")
    labels = read_numbers(place)
    if labels.shape[1] != 1:
        raise InputError(f"{place}: has {labels.shape[1]} labels a node; networks here learn one class a node")
    return NodeTask(
        folder.resolve().name, edges, features, np.where(np.isnan(labels[:, 0]), -1, labels[:, 0]),
        splits=_splits(raw.parent if raw.name == "raw" else raw),
    )  # fmt: skip


def _raw(folder: Path) -> Path:
    return folder / "raw" if (folder / "raw").is_dir() else folder


def _found(folder: Path, name: str) -> Path | None:
    return next((path for ending in _ENDINGS if (path := folder / f"{name}{ending}").is_file()), None)


def _wanted(folder: Path, name: str) -> Path:
    found = _found(folder, name)
    if found is None:
        raise InputError(f"{folder / name}.csv.gz: no such file; was the data set unpacked whole?")
    return found


def _whole(path: Path) -> IntArray:
    values = read_numbers(path)
    if not (np.isfinite(values).all() and (values == np.rint(values)).all()):
        raise InputError(f"{path}: has numbers that are not whole; wanted those of nodes")
    return values.astype(np.int64)


def _splits(folder: Path) -> tuple[Any, ...]:
    """The split in split/KIND/{train,valid,test}.csv.gz, of the first kind there is."""
    kinds = sorted(path for path in folder.glob("split/*") if path.is_dir())
    if not kinds:
        return ()
    return (tuple(_whole(_wanted(kinds[0], name))[:, 0] for name in ("train", "valid", "test")),)
