"""Bridges between the shells of a surface: pieces that touch, or nearly, may be one part.

A web model of a car has hundreds of shells that no edge joins. Bridges lead from shell to shell where they are near
each other, and from every loose shell to the one that is nearest, so that there is a way from everywhere to everywhere.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components, minimum_spanning_tree

from meshtide.arrays import FloatArray, IntArray
from meshtide.inference.regions.surface import Surface

REACH = 0.04  # shells nearer than this are bridged all along, on a surface of area 1
TOUCH = 0.015  # within about the length of an edge shells touch, as far as their vertices can say
SAMPLES = 6  # points of a loose shell that are compared with those of others
MOST_SHELLS = 1500  # beyond, only the largest are compared point by point


@dataclass(frozen=True, eq=False)
class Links:
    """Pairs of faces on different shells, (L, 2), and the gaps between them, (L,)."""

    faces: IntArray
    gaps: FloatArray

    def stiffness(self, surface: Surface) -> sparse.csc_array[np.float64]:
        """What the bridges add to the surface's Laplacian, (v, v): springs that weaken with the gap."""
        count = len(surface.vertices)
        one, other = surface.faces[self.faces[:, 0], 0], surface.faces[self.faces[:, 1], 0]
        springs = 0.02 + np.exp(-((self.gaps / TOUCH) ** 2))
        rows = np.concatenate([one, other, one, other])
        columns = np.concatenate([other, one, one, other])
        values = np.concatenate([-springs, -springs, springs, springs])
        return sparse.csc_array(sparse.coo_array((values, (rows, columns)), shape=(count, count)))


def find_links(surface: Surface) -> Links:
    """The bridges between the shells of a surface; none if it has but one."""
    shells = surface.shells
    count = int(shells.max()) + 1
    if count == 1:
        return Links(np.zeros((0, 2), dtype=np.int64), np.zeros(0))
    near = _near(surface.centres, shells)
    linked = shells[near]
    graph = sparse.coo_array((np.ones(len(near)), (linked[:, 0], linked[:, 1])), shape=(count, count))
    groups, group_of = connected_components(graph, directed=False)
    pairs = near
    if groups > 1:
        pairs = np.concatenate([near, _far(surface, group_of[shells].astype(np.int64), groups)])
    gaps = np.linalg.norm(surface.centres[pairs[:, 0]] - surface.centres[pairs[:, 1]], axis=1)
    return Links(pairs, gaps)


def _near(points: FloatArray, shells: IntArray) -> IntArray:
    """For every point the nearest one on another shell, if it is within reach, as pairs in order, (N, 2)."""
    from scipy.spatial import cKDTree

    tree = cKDTree(points)
    wanted = min(12, len(points))
    distances, found = tree.query(points, k=wanted, distance_upper_bound=REACH)
    found = np.where(np.isfinite(distances), found, len(points))
    other = np.append(shells, -1)[found] != shells[:, None]
    other &= found < len(points)
    has = np.flatnonzero(other.any(axis=1))
    nearest = found[has, other[has].argmax(axis=1)]
    pairs = np.sort(np.stack([has, nearest], axis=1), axis=1)
    return np.unique(pairs, axis=0).reshape(-1, 2)


def _far(surface: Surface, groups: IntArray, count: int) -> IntArray:
    """Bridges that join all groups of shells with the least total length, as far as some points of each tell."""
    from scipy.spatial.distance import cdist

    order = np.argsort(groups, kind="stable")
    sizes = np.bincount(groups, minlength=count)
    start = np.cumsum(sizes) - sizes
    samples = SAMPLES if count <= MOST_SHELLS else 1
    # Evenly spaced in the order of the faces, which follows the surface more often than not.
    share = (np.arange(samples) + 0.5) / samples
    chosen = order[start[:, None] + (share * sizes[:, None]).astype(np.int64)]  # (groups, samples)
    if count > MOST_SHELLS:
        return _chained(surface.centres[chosen[:, 0]], chosen[:, 0])
    flat = chosen.ravel()
    apart = cdist(surface.centres[flat], surface.centres[flat])
    blocks = apart.reshape(count, samples, count, samples).transpose(0, 2, 1, 3).reshape(count, count, -1)
    tree = minimum_spanning_tree(sparse.csr_array(np.triu(blocks.min(axis=2) + 1e-9, 1))).tocoo()
    which = blocks[tree.row, tree.col].argmin(axis=1)
    return np.stack([chosen[tree.row, which // samples], chosen[tree.col, which % samples]], axis=1)


def _chained(points: FloatArray, faces: IntArray) -> IntArray:
    """Bridges between so many groups that pairs of them cannot be compared: along a few sweeps through space."""
    rank = np.lexsort(np.round(points / 0.05).T)
    return np.stack([faces[rank[:-1]], faces[rank[1:]]], axis=1)
