"""Faces gathered into patches: Ward's clustering along the edges of a graph.

Ward merges, step by step, the two neighbours whose merging adds least to the spread within clusters,
m_a m_b / (m_a + m_b) · |c_a - c_b|². Pairs that are each other's best neighbour can be merged at once without changing
the tree, so that a few dozen rounds over all edges do what thousands of single steps would.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from meshtide.arrays import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Tree:
    """Merges of clusters, in an order in which heights never fall: one element of each side, (M, 2), and heights."""

    merges: IntArray
    heights: FloatArray
    count: int  # of elements

    def cut(self, clusters: int) -> IntArray:
        """The cluster of every element, (count,), when so many are left, or as many as the graph has pieces."""
        done = self.merges[: max(0, self.count - clusters)]
        graph = coo_array((np.ones(len(done), dtype=np.int8), (done[:, 0], done[:, 1])), shape=(self.count,) * 2)
        return np.asarray(connected_components(graph, directed=False)[1], dtype=np.int64)


def ward(points: FloatArray, masses: FloatArray, edges: IntArray) -> Tree:
    """The whole tree of merges of points (N, D) with masses (N,), only ever along edges (E, 2)."""
    count = len(points)
    total, centre = masses.astype(np.float64), points.astype(np.float64)
    one = np.arange(count)  # an element of each cluster
    floor = np.zeros(count)  # the height of each cluster: none above may be lower
    edges = _once(edges, count)
    merges, heights = [np.zeros((0, 2), dtype=np.int64)], [np.zeros(0)]
    while len(edges):
        a, b = edges.T
        gap = centre[a] - centre[b]
        cost = total[a] * total[b] / (total[a] + total[b]) * np.einsum("ed,ed->e", gap, gap)
        chosen = _mutual(cost, edges, len(total))
        a, b = a[chosen], b[chosen]
        height = np.maximum(cost[chosen], np.maximum(floor[a], floor[b]))
        merges.append(np.stack([one[a], one[b]], axis=1))
        heights.append(height)
        both = total[a] + total[b]
        centre[a] = (total[a, None] * centre[a] + total[b, None] * centre[b]) / both[:, None]
        total[a], floor[a] = both, height
        into = np.arange(len(total))
        into[b] = a
        stays = np.ones(len(total), dtype=bool)
        stays[b] = False
        number = (np.cumsum(stays) - 1)[into]
        total, centre, one, floor = total[stays], centre[stays], one[stays], floor[stays]
        edges = _once(number[edges], len(total))
    tops = np.concatenate(heights)
    order = np.argsort(tops, kind="stable")  # stable: what was merged earlier stays below
    return Tree(np.concatenate(merges)[order], tops[order], count)


def _mutual(cost: FloatArray, edges: IntArray, count: int) -> IntArray:
    """The edges that are the cheapest for both of their ends; of equal ones the first is cheapest for both."""
    order = np.argsort(cost, kind="stable")
    best = np.full(count, len(cost))
    backwards = order[::-1]
    rank = np.empty(len(cost), dtype=np.int64)
    rank[order] = np.arange(len(cost))
    for side in range(2):
        nearest = np.full(count, len(cost))
        nearest[edges[backwards, side]] = rank[backwards]  # the last one written is the cheapest
        best = np.minimum(best, nearest)
    return np.flatnonzero((best[edges[:, 0]] == rank) & (best[edges[:, 1]] == rank))


def _once(edges: IntArray, count: int) -> IntArray:
    """Every undirected edge once, without loops."""
    low, high = edges.min(axis=1), edges.max(axis=1)
    codes = np.unique((low * count + high)[low != high])
    return np.stack(np.divmod(codes, max(count, 1)), axis=1)
