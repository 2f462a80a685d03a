"""Edges of graphs that are no meshes, brought to the one form that operators are built from."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from meshtide.arrays import IntArray
from meshtide.errors import InputError


def undirected(edges: ArrayLike, count: int, name: str = "graph") -> IntArray:
    """Every undirected edge once, smaller node first and in order, without loops; (E, 2).

    >>> undirected([[1, 0], [0, 1], [2, 2], [1, 2]], 3).tolist()
    [[0, 1], [1, 2]]
    """
    pairs = np.asarray(edges)
    if pairs.ndim != 2 or pairs.shape[1] != 2 or (pairs.size and pairs.dtype.kind not in "iu"):
        raise InputError(f"{name}: edges {pairs.dtype} of shape {pairs.shape}; wanted whole numbers, two for each edge")
    pairs = np.sort(pairs.astype(np.int64).reshape(-1, 2), axis=1)
    if pairs.size and not (pairs.min() >= 0 and pairs.max() < count):
        outside = pairs.min() if pairs.min() < 0 else pairs.max()
        raise InputError(f"{name}: an edge names node {outside:,}; there are {count:,} nodes, counted from 0")
    keys = np.unique(pairs[pairs[:, 0] < pairs[:, 1]] @ np.array([count, 1], dtype=np.int64))
    return np.stack([keys // count, keys % count], axis=1)


def largest_component(edges: IntArray, count: int) -> IntArray:
    """The nodes of the largest connected component, ascending; of two equal ones that with the smallest node.

    >>> largest_component(np.array([[0, 1], [2, 3], [3, 4]]), 6).tolist()
    [2, 3, 4]
    """
    ones = np.ones(len(edges), dtype=np.int8)
    graph = sparse.coo_array((ones, (edges[:, 0], edges[:, 1])), shape=(count, count))
    _, component = connected_components(graph, directed=False)
    return np.flatnonzero(component == np.bincount(component).argmax())
