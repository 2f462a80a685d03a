"""Graphs as Geom-GCN keeps them: two text files, and ten splits as .npz files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from meshtide.arrays import IntArray
from meshtide.data.nodes.files.arrays import open_npz
from meshtide.data.nodes.files.tables import open_text, read_numbers
from meshtide.data.nodes.task import NodeTask
from meshtide.errors import InputError

NODES, EDGES = "out1_node_feature_label.txt", "out1_graph_edges.txt"
MOST_FEATURES = 1_000_000
_MOST_SPLITS = 100


def is_geom_gcn(path: Path) -> bool:
    """Whether a folder has the two files."""
    return all((path / name).is_file() for name in (NODES, EDGES))


def read_geom_gcn(folder: Path) -> NodeTask:
    """A graph with its features and labels, and those splits that lie beside it."""
    place = folder / NODES
    numbers, words, labels = _nodes(place)
    order = np.argsort(numbers, kind="stable")
    if (numbers[order] != np.arange(len(numbers))).any():
        raise InputError(f"{place}: numbers its nodes otherwise than from 0 to {len(numbers) - 1:,}, each once")
    features = _features([words[row] for row in order.tolist()], place)
    ends = read_numbers(folder / EDGES, header=True)
    if ends.shape[1] != 2 or not (ends == np.rint(ends)).all():
        raise InputError(f"{folder / EDGES}: wanted the numbers of two nodes on every line")
    edges = ends.astype(np.int64)
    return NodeTask(folder.resolve().name, edges, features, labels[order], splits=_splits(folder, len(labels)))


def _nodes(path: Path) -> tuple[IntArray, list[IntArray], IntArray]:
    """The number, the features as they are written, and the class of every node."""
    numbers, words, labels = [], [], []
    with open_text(path) as lines:
        for count, line in enumerate(lines):
            parts = line.strip().split(b"\t")
            if count == 0 or parts == [b""]:
                continue
            try:
                number, features, label = parts
                numbers.append(int(number))
                words.append(np.array(features.split(b",") if features else [], dtype=np.float64).astype(np.int64))
                labels.append(int(label))
            except (ValueError, OverflowError):
                raise InputError(
                    f"{path}: line {count + 1:,} is no node; wanted its number, its features with commas and its "
                    "class, with tabs between the three"
                ) from None
    if not numbers:
        raise InputError(f"{path}: names no node")
    return np.array(numbers), words, np.array(labels)


def _features(words: list[IntArray], path: Path) -> sparse.csr_array[Any]:
    """Features that are written out, a number for each; or, where rows differ in length, those that a node has."""
    lengths = np.array([len(row) for row in words])
    values = np.concatenate(words)
    if (lengths == lengths[0]).all() and lengths[0]:
        return sparse.csr_array(values.reshape(len(words), -1))
    if len(values) and not (values.min() >= 0 and values.max() < MOST_FEATURES):
        raise InputError(f"{path}: names a feature that is not from 0 to {MOST_FEATURES - 1:,}")
    columns = int(values.max(initial=0)) + 1
    rows = np.repeat(np.arange(len(words)), lengths)
    found = sparse.csr_array((np.ones(len(values)), (rows, values)), shape=(len(words), columns))
    found.data[:] = 1  # one that is named twice
    return found


def _splits(folder: Path, count: int) -> tuple[Any, ...]:
    """The masks of the files NAME_split_….npz in the folder, or in a folder `splits` beside it or above."""
    name = folder.resolve().name
    places = (folder, folder / "splits", folder.parent / "splits", folder.parent.parent / "splits")
    found = next((files for place in places if (files := sorted(place.glob(f"{name}_split_*.npz")))), [])
    splits = []
    for path in found[:_MOST_SPLITS]:
        with open_npz(path) as arrays:
            masks = [arrays.wanted(f"{kind}_mask").astype(bool) for kind in ("train", "val", "test")]
        if any(mask.shape != (count,) for mask in masks):
            raise InputError(f"{path}: its masks are for {masks[0].shape} nodes; there are {count:,}")
        splits.append(tuple(masks))
    return tuple(splits)
