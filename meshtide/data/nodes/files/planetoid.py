"""Planetoid's files of a citation graph: pickles of arrays, read as data (see `unpickled`)."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from meshtide.arrays import IntArray
from meshtide.data.nodes.files.npz import matrix_by_rows
from meshtide.data.nodes.files.unpickled import Made, unpickled
from meshtide.data.nodes.task import NodeTask
from meshtide.errors import InputError
from meshtide.files import read_regular

MOST_BYTES = 2**28
ENDS_AT_LEAST = 1_000_000  # of edges, or one for each byte: lists may be named again and again without taking room
_NAME = re.compile(r"ind\.(.+)\.(x|y|tx|ty|allx|ally|graph|test\.index)$")


def is_planetoid(path: Path) -> bool:
    """Whether a path is one of the files, or a folder of those of one graph."""
    if _NAME.match(path.name):
        return True
    return path.is_dir() and len({found for found in map(_name_of, path.glob("ind.*")) if found}) == 1


def read_planetoid(path: Path) -> NodeTask:
    """A citation graph with the usual split of 20 nodes a class, 500 to validate and 1,000 to test on."""
    folder = path if path.is_dir() else path.parent
    name = _name_of(path) or next(found for found in map(_name_of, sorted(folder.glob("ind.*"))) if found)

    def file(kind: str) -> Path:
        return folder / f"ind.{name}.{kind}"

    test = _whole_numbers(file("test.index"))
    train, most, tested = (_matrix(file(kind)) for kind in ("x", "allx", "tx"))
    labels_most, labels_tested = _classes(file("ally")), _classes(file("ty"))
    if len(labels_most) != most.shape[0] or len(labels_tested) != tested.shape[0] or len(test) != tested.shape[0]:
        raise InputError(f"{file('allx')}: has other numbers of nodes than the files beside it; are they one version?")
    if tested.shape[1] != most.shape[1] or not len(test) or train.shape[0] > most.shape[0]:
        raise InputError(f"{file('tx')}: has other features than {file('allx').name}; are they one version?")
    # Some nodes to test on stand in no file; they have neither features nor a class.
    count = max(most.shape[0], int(test.max()) + 1)
    if test.min() < 0 or count > most.shape[0] + 100 * len(test):
        raise InputError(
            f"{file('test.index')}: names node {int(test.max()):,}; the files have {most.shape[0]:,} others"
        )
    labels = np.full(count, -1)
    labels[: len(labels_most)] = labels_most
    labels[test] = labels_tested
    features = sparse.vstack([most, sparse.csr_array((count - most.shape[0], most.shape[1]))], format="lil")
    features[test] = tested.tolil()
    first = train.shape[0]
    split: Any = (np.arange(first), np.arange(first, min(first + 500, most.shape[0])), np.unique(test))
    return NodeTask(name, _edges(file("graph"), count), features.tocsr(), labels, splits=(split,))


def _name_of(path: Path) -> str:
    found = _NAME.match(path.name)
    return found[1] if found else ""


def _read(path: Path) -> Any:
    try:
        return unpickled(read_regular(path, MOST_BYTES))
    except InputError as error:
        raise InputError(str(error) if str(error).startswith(str(path)) else f"{path}: {error}") from None


def _matrix(path: Path) -> sparse.csr_array[Any]:
    found = _read(path)
    if isinstance(found, Made) and found.kind == "array" and getattr(found.array, "ndim", 0) == 2:
        return sparse.csr_array(found.array)
    if not (isinstance(found, Made) and found.kind == "matrix"):
        raise InputError(f"{path}: holds no matrix")
    parts = [found.state.get(key) for key in ("data", "indices", "indptr")]
    arrays = [part.array if isinstance(part, Made) else None for part in parts]
    shape = found.state.get("_shape", found.state.get("shape"))
    if any(not isinstance(part, np.ndarray) for part in arrays) or not isinstance(shape, tuple) or len(shape) != 2:
        raise InputError(f"{path}: holds a matrix without its data, indices, starts or shape")
    data, indices, starts = (np.asarray(part) for part in arrays)
    return matrix_by_rows(data, indices, starts, np.array(shape), place=str(path))


def _classes(path: Path) -> IntArray:
    """The class of every node from a row with a single 1; -1 for a row of zeros."""
    found = _read(path)
    rows: NDArray[Any] | None = found.array if isinstance(found, Made) else None
    if not isinstance(rows, np.ndarray) or rows.ndim != 2 or 0 in rows.shape:
        raise InputError(f"{path}: holds no table of classes")
    return np.where(rows.any(axis=1), rows.argmax(axis=1), -1).astype(np.int64)


def _whole_numbers(path: Path) -> IntArray:
    words = read_regular(path, MOST_BYTES).split()
    if not all(word.isdigit() and len(word) < 10 for word in words):
        raise InputError(f"{path}: wanted the number of a node on every line")
    return np.array([int(word) for word in words], dtype=np.int64)


def _edges(path: Path, count: int) -> IntArray:
    """The edges from a dictionary of every node's neighbours."""
    found = _read(path)
    if not isinstance(found, dict) or not all(isinstance(ends, list) for ends in found.values()):
        raise InputError(f"{path}: holds no dictionary of neighbours")
    lengths = [len(ends) for ends in found.values()]
    most = max(ENDS_AT_LEAST, path.stat().st_size)
    if sum(lengths) > most:
        raise InputError(f"{path}: names {sum(lengths):,} neighbours; {most:,} are the most for a file of its size")
    every = [end for ends in found.values() for end in ends]
    if not all(type(node) is int and 0 <= node < count for node in (*found, *every)):
        raise InputError(f"{path}: names neighbours that are none of the {count:,} nodes")
    starts = np.repeat(np.array(list(found), dtype=np.int64), lengths)
    return np.stack([starts, np.array(every, dtype=np.int64)], axis=1)
