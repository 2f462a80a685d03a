"""Borders between regions made short and drawn through hollows.

Where two regions meet, the faces within a narrow band are divided anew: the cut between what lies on either side of the
band with the least length, where a length counts less the more hollow the surface is there (people divide shapes in
hollows), more on a ridge, and less again along an edge so sharp that it was made (a plate ends there).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import breadth_first_order, connected_components, dijkstra, maximum_flow

from meshtide.arrays import FloatArray, IntArray
from meshtide.inference.regions.cues import bends
from meshtide.inference.regions.surface import Surface
from meshtide.mesh.winding import neighbours

BAND = 0.03  # how far from the old border the new one may run, on a surface of area 1
SHARP = 0.35  # an angle in radians at which a hollow makes a border much cheaper
RIDGE = 1.5  # what a ridge adds to the price, were it to turn by 180 degrees
FLOOR = 0.08
EDGE = 0.7  # an angle in radians, about 40 degrees, from which a ridge is the edge of something made
AT_EDGE = 0.25  # the price of a border along such an edge, where a part may well end
WHOLE = 2**20  # capacities are whole numbers


def straighten(surface: Surface, regions: IntArray) -> IntArray:
    """The regions (f,) with better borders; none vanishes, and faces of one piece stay together."""
    pairs, ends, _ = neighbours(surface.faces, len(surface.vertices))
    lengths = np.linalg.norm(surface.vertices[ends[:, 0]] - surface.vertices[ends[:, 1]], axis=1)
    prices = lengths * price_of(bends(surface.centres, surface.normals, pairs))
    steps = np.linalg.norm(surface.centres[pairs[:, 0]] - surface.centres[pairs[:, 1]], axis=1)
    apart = regions[pairs[:, 0]] != regions[pairs[:, 1]]
    # Faces of one original face cannot be cut from each other.
    prices = np.where(surface.pieces[pairs[:, 0]] == surface.pieces[pairs[:, 1]], 10.0, prices)
    if not apart.any():
        return regions
    near = _distance(pairs, steps, apart, len(regions)) < BAND
    result = regions.copy()
    codes = np.unique(np.sort(regions[pairs[apart]], axis=1), axis=0)
    for one, other in codes:
        result = _recut(result, int(one), int(other), near, pairs, prices)
    return result


def price_of(angles: FloatArray) -> FloatArray:
    """What a border of length one costs where the surface bends by an angle, (E,): on a ridge it is above 0."""
    hollow = FLOOR + (1 - FLOOR) * np.exp(np.minimum(angles, 0) / SHARP)
    return np.asarray(np.where(angles > EDGE, AT_EDGE, hollow + RIDGE * np.maximum(angles, 0) / np.pi))


def _distance(pairs: IntArray, steps: FloatArray, apart: NDArray[np.bool_], count: int) -> FloatArray:
    """How far every face is from the nearest border, walking over faces, (f,)."""
    border = np.unique(pairs[apart])
    graph = coo_array((np.maximum(steps, 1e-9), (pairs[:, 0], pairs[:, 1])), shape=(count, count)).tocsr()
    found = dijkstra(graph, directed=False, indices=border, min_only=True, limit=2 * BAND)
    return np.asarray(found)


def _recut(
    regions: IntArray, one: int, other: int, near: NDArray[np.bool_], pairs: IntArray, prices: FloatArray
) -> IntArray:
    """The border between two regions as a minimum cut through the band around it."""
    mine = (regions == one) | (regions == other)
    inner = mine[pairs[:, 0]] & mine[pairs[:, 1]] & (near[pairs[:, 0]] | near[pairs[:, 1]])
    if not (regions[pairs[inner, 0]] != regions[pairs[inner, 1]]).any():
        return regions
    for name in (one, other):  # thin regions lie in the band altogether: they stay as they are
        if not (~near[regions == name]).any():
            return regions
    free = np.flatnonzero(mine & near)
    number = np.full(len(regions), -1, dtype=np.int64)
    number[free] = np.arange(len(free))
    source, sink = len(free), len(free) + 1
    fixed = np.where(regions == one, source, sink)
    a, b = pairs[inner].T
    a, b = np.where(near[a], number[a], fixed[a]), np.where(near[b], number[b], fixed[b])
    cost = np.maximum(np.rint(prices[inner] / 10.0 * WHOLE), 1)
    keep = a != b
    rows, columns = np.concatenate([a[keep], b[keep]]), np.concatenate([b[keep], a[keep]])
    size = len(free) + 2
    graph = coo_array((np.tile(cost[keep], 2), (rows, columns)), shape=(size, size)).tocsr().astype(np.int32)
    flow = maximum_flow(graph, source, sink)
    rest = graph - flow.flow
    rest.data = np.maximum(rest.data, 0)
    rest.eliminate_zeros()
    reached = np.zeros(size, dtype=bool)
    reached[breadth_first_order(rest, source, return_predecessors=False)] = True
    # What is joined to neither side, as an island between other regions, stays as it is.
    _, piece = connected_components(graph, directed=False)
    joined = (piece == piece[source]) | (piece == piece[sink])
    changed = regions.copy()
    changed[free] = np.where(joined[:-2], np.where(reached[:-2], one, other), regions[free])
    return changed
