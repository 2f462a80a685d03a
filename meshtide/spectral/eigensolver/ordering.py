"""Nested dissection: an order of elimination that keeps the factors of a large smooth mesh sparse.

A breadth-first search from the rim of a piece gives level sets; a small level near the middle separates the piece into
two that do not touch. Eliminating both before the separator, and so on inside them, fills in little. All pieces of one
depth are cut together, so the work is array work. (George & Liu 1978.)
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import scipy.sparse as sparse
from scipy.sparse.csgraph import breadth_first_order, connected_components

Integers: TypeAlias = npt.NDArray[np.int64]

PAYS_FROM = 30_000  # vertices
LEAF = 24  # pieces up to this size are not cut further
ROUNDS = 60  # a mesh needs about twenty; only a graph that cannot be cut well, such as a clique, would need more
BALANCE = 0.35  # a separator lies between this share of its piece and the rest


def pays(matrix: sparse.csc_array) -> bool:
    """Whether dissection beats minimum degree on this connected graph: if it is large, regular and round.

    Minimum degree does badly where all degrees are the same (a subdivided mesh), and well on irregular meshes and on
    long limbs, whose short separators it finds by itself.
    """
    size = matrix.shape[0]
    degrees = np.diff(matrix.indptr)
    if size < PAYS_FROM or np.bincount(degrees).max() < 0.85 * size:
        return False
    depth, _ = _depths(sparse.csr_array(matrix), 1, np.zeros(size, dtype=np.int32))
    return bool(size / (depth.max() + 1) > np.sqrt(size))  # the mean width of a level


def nested_dissection(matrix: sparse.csc_array) -> Integers:
    """The rows of a symmetric matrix in an order to eliminate them."""
    size = matrix.shape[0]
    graph = sparse.csr_array((np.ones(matrix.nnz, dtype=np.int8), matrix.indices, matrix.indptr), shape=matrix.shape)
    position = np.empty(size, dtype=np.int64)
    vertices = np.arange(size)
    begin = np.zeros(size, dtype=np.int64)  # of the interval of positions that a vertex's piece owns
    for remaining in reversed(range(ROUNDS)):
        number, piece = connected_components(graph, directed=False)
        begin = _share_intervals(number, piece, begin)
        depth, order = _depths(graph, number, piece)
        sizes = np.bincount(piece)
        leaf = (sizes <= (LEAF if remaining else size))[piece]
        ended = order[leaf[order]][::-1]
        position[vertices[ended]] = begin[ended] + _rank_in_piece(piece[ended])
        side = _cut(graph, number, piece, depth, leaf)
        low = np.bincount(piece[side < 0], minlength=number)
        separator = np.flatnonzero((side == 0) & ~leaf)
        high = sizes - low - np.bincount(piece[separator], minlength=number)
        after = begin[separator] + (low + high)[piece[separator]]
        position[vertices[separator]] = after + _rank_in_piece(piece[separator])
        begin = begin + np.where(side > 0, low[piece], 0)
        rest = np.flatnonzero((side != 0) & ~leaf)
        if not len(rest):
            break
        graph, vertices, begin = sparse.csr_array(graph[rest][:, rest]), vertices[rest], begin[rest]
    return np.argsort(position)


def _share_intervals(number: int, piece: npt.NDArray[np.int32], begin: Integers) -> Integers:
    """Where each piece's own interval begins: pieces that came from one parent stand in it one after the other."""
    first = np.empty(number, dtype=np.int64)
    first[piece[::-1]] = begin[::-1]
    order = np.argsort(first, kind="stable")
    ends = np.cumsum(np.bincount(piece)[order])
    starts = np.concatenate([[0], ends[:-1]])
    new_parent = np.concatenate([[True], np.diff(first[order]) > 0])
    offset = starts - np.maximum.accumulate(np.where(new_parent, starts, 0))
    first[order] += offset
    return first[piece]


def _depths(graph: sparse.csr_array, number: int, piece: npt.NDArray[np.int32]) -> tuple[Integers, Integers]:
    """Each vertex's level in a breadth-first search from the rim of its piece, and the order of the search."""
    seeds = np.empty(number, dtype=np.int64)
    seeds[piece] = np.arange(len(piece))
    # The last vertex that a search from anywhere reaches lies on the rim.
    order = _search(graph, seeds)[1]
    seeds[piece[order]] = order
    return _search(graph, seeds)


def _search(graph: sparse.csr_array, seeds: Integers) -> tuple[Integers, Integers]:
    """One breadth-first search in all pieces at once, from an added vertex joined to the seeds."""
    size = graph.shape[0]
    indptr = np.append(graph.indptr, graph.indptr[-1] + len(seeds)).astype(np.int32)
    indices = np.append(graph.indices, seeds).astype(np.int32)
    joined = sparse.csr_array((np.ones(len(indices)), indices, indptr), shape=(size + 1, size + 1))
    order, parent = breadth_first_order(joined, size)
    place = np.empty(size + 1, dtype=np.int64)
    place[order] = np.arange(size + 1)
    parents = place[parent[order[1:]]]  # ascending, so a level ends where the parents leave the level before
    bounds = [0, 1]
    while bounds[-1] <= size:
        bounds.append(1 + int(np.searchsorted(parents, bounds[-1])))
    depth = np.empty(size + 1, dtype=np.int64)
    depth[order] = np.repeat(np.arange(len(bounds) - 1), np.diff(bounds))
    return depth[:size] - 1, order[1:].astype(np.int64)


def _cut(
    graph: sparse.csr_array, number: int, piece: npt.NDArray[np.int32], depth: Integers, leaf: npt.NDArray[np.bool_]
) -> Integers:
    """-1, 0 or 1 for each vertex: before, on or behind the smallest level near the middle of its piece."""
    levels = int(depth[~leaf].max(initial=0)) + 1
    cut = np.full(number, -1)
    large = np.unique(piece[~leaf])
    slot = np.searchsorted(large, piece[~leaf])
    counts = np.bincount(slot * levels + depth[~leaf], minlength=len(large) * levels).reshape(len(large), levels)
    upto = np.cumsum(counts, axis=1) / counts.sum(axis=1, keepdims=True)
    before = upto - counts / counts.sum(axis=1, keepdims=True)
    cost = counts * (1 + (upto + before - 1) ** 2)
    cost[(upto < BALANCE) | (before > 1 - BALANCE)] += graph.shape[0]  # off centre: only if there is no other
    cost[(counts == 0) | (upto > 1 - 1e-12)] = np.inf  # nothing lies behind it
    cut[large] = cost.argmin(axis=1)
    side: Integers = np.sign(depth - cut[piece])
    # Only those with a neighbour behind the level are needed to separate.
    rows = np.repeat(np.arange(graph.shape[0]), np.diff(graph.indptr))
    needed = np.zeros(graph.shape[0], dtype=bool)
    needed[rows[(side[rows] == 0) & (side[graph.indices] > 0)]] = True
    side[(side == 0) & ~needed] = -1
    return side


def _rank_in_piece(piece: npt.NDArray[np.int32]) -> Integers:
    """0, 1, 2, … for the members of each piece, in the order given."""
    order = np.argsort(piece, kind="stable")
    ordered = piece[order]
    count = np.arange(len(piece))
    new = np.concatenate([[True], np.diff(ordered) > 0])[: len(piece)]
    rank = np.empty(len(piece), dtype=np.int64)
    rank[order] = count - np.maximum.accumulate(np.where(new, count, 0))
    return rank
