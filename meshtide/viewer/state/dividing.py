"""One side of a piece that a line was drawn across.

The line is on the side of the shape that is seen, and the cut has to go around. So the triangles to the left of the
line are kept apart from those to the right by the shortest cut (a minimum cut of the graph of triangles). To cut where
the line's own plane cuts the surface costs little, which leads around a limb and not back along the line.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import breadth_first_order, connected_components, maximum_flow

from meshtide.arrays import BoolArray, FloatArray, IntArray
from meshtide.errors import InputError
from meshtide.mesh.measure import face_normals, smooth_normals, unit, unit_box
from meshtide.mesh.mesh import Mesh
from meshtide.mesh.winding import neighbours

MOST_POINTS = 64  # of the line
REACH = 2.5  # sides of triangles on either side of the line that belong to that side
IN_PLANE = 0.05  # what a cut costs where the line's plane runs
BEYOND = 1.5  # lengths of the line around its middle in which that plane counts
FINEST = 1e6  # of the whole length, as the flow wants whole numbers
SMALLEST = 0.005  # share of the piece that is worth a cut


def one_side(mesh: Mesh, own: BoolArray, line: Sequence[int], name: str = "the piece") -> BoolArray:
    """The triangles of a piece (F,) that lie to one side of a line through some vertices."""
    points = unit_box(mesh.vertices, mesh.faces)
    path = _thinned(points, line)
    if len(path) < 2:
        raise InputError(f"a line is needed to split '{name}'; press the button and draw across it")
    faces = np.flatnonzero(own)
    corners = points[mesh.faces[faces]]
    middles, normals = corners.mean(axis=1), unit(face_normals(points, mesh.faces[faces]))
    upright = smooth_normals(points, mesh.faces)[path]
    step = float(np.linalg.norm(corners - corners[:, [1, 2, 0]], axis=2).mean())
    side, near = _beside(points[path], upright, middles, normals, REACH * step)
    left, right = np.flatnonzero(near & (side > 0)), np.flatnonzero(near & (side < 0))
    if len(left) == 0 or len(right) == 0:
        raise InputError(f"the line does not lead through '{name}'; draw it across that piece")
    links, lengths = _links(mesh, points, faces)
    lengths = lengths * _prices(points[path], upright, middles, links)
    chosen = _source_side(len(faces), links, lengths, left, right)
    areas = mesh.face_areas[faces]
    share = areas[chosen].sum() / max(areas.sum(), 1e-300)
    if not SMALLEST < share < 1 - SMALLEST:
        raise InputError(f"the line does not cut '{name}' in two; draw it from border to border, or around")
    result = np.zeros(len(own), dtype=bool)
    result[faces[chosen]] = True
    return result


def _thinned(points: FloatArray, line: Sequence[int]) -> IntArray:
    """The vertices of a line, each once in a row, and not too many."""
    path = np.array([vertex for at, vertex in enumerate(line) if at == 0 or vertex != line[at - 1]], dtype=np.int64)
    if len(path) > MOST_POINTS:
        path = path[np.linspace(0, len(path) - 1, MOST_POINTS).round().astype(np.int64)]
    return path if len(path) > 1 and np.ptp(points[path], axis=0).any() else path[:1]


def _beside(
    path: FloatArray, upright: FloatArray, middles: FloatArray, normals: FloatArray, reach: float
) -> tuple[FloatArray, BoolArray]:
    """On which side of the line each triangle lies, (F,), and whether it is near: not beyond its ends, nor behind."""
    best = np.full(len(middles), np.inf)
    side, faces_us = np.zeros(len(middles)), np.zeros(len(middles), dtype=bool)
    for start, end, up in zip(path[:-1], path[1:], upright[:-1] + upright[1:], strict=True):
        along = end - start
        share = (middles - start) @ along / max(float(along @ along), 1e-300)
        away = middles - start - share.clip(0, 1)[:, None] * along
        distance = np.linalg.norm(away, axis=1)
        nearer = distance < best
        best = np.where(nearer, distance, best)
        side = np.where(nearer, away @ np.cross(up, along), side)
        inside = (share > -0.01) & (share < 1.01) if len(path) == 2 else np.ones(len(share), dtype=bool)
        faces_us = np.where(nearer, (normals @ up > 0) & inside, faces_us)
    return side, (best < reach) & faces_us


def _prices(path: FloatArray, upright: FloatArray, middles: FloatArray, links: IntArray) -> FloatArray:
    """What a cut costs at each link for its length: little in the plane of the line, around its middle."""
    along = path[-1] - path[0]
    across = unit(np.cross(upright.mean(axis=0), along)[None])[0]
    centre = path.mean(axis=0)
    length = float(np.linalg.norm(np.diff(path, axis=0), axis=1).sum())
    ahead = (middles - centre) @ across > 0
    near = np.linalg.norm(middles - centre, axis=1) < BEYOND * length
    one, other = links.T
    return np.where((ahead[one] != ahead[other]) & near[one] & near[other], IN_PLANE, 1.0)


def _links(mesh: Mesh, points: FloatArray, faces: IntArray) -> tuple[IntArray, FloatArray]:
    """Pairs of these triangles that share a side, (L, 2), and its length."""
    pairs, ends, _ = neighbours(mesh.faces[faces], len(mesh.vertices))
    return pairs, np.linalg.norm(points[ends[:, 0]] - points[ends[:, 1]], axis=1)


def _source_side(count: int, links: IntArray, lengths: FloatArray, left: IntArray, right: IntArray) -> IntArray:
    """The triangles that the cheapest cut leaves with the left ones."""
    capacities = np.maximum(1, (lengths / max(float(lengths.sum()), 1e-300) * FINEST).round()).astype(np.int32)
    whole = np.int32(min(int(capacities.sum()) + 1, 2**30))
    source, sink = count, count + 1
    starts = np.concatenate([links[:, 0], links[:, 1], np.full(len(left), source), right])
    ends = np.concatenate([links[:, 1], links[:, 0], left, np.full(len(right), sink)])
    amounts = np.concatenate([capacities, capacities, np.full(len(left) + len(right), whole, dtype=np.int32)])
    network = coo_array((amounts, (starts, ends)), shape=(count + 2, count + 2)).tocsr()
    rest = network - maximum_flow(network, source, sink).flow
    rest.eliminate_zeros()
    reached = breadth_first_order(rest, source, return_predecessors=False)
    side = np.zeros(count + 2, dtype=bool)
    side[reached] = True
    return np.flatnonzero(_whole(side[:count], links, count))


def _whole(side: BoolArray, links: IntArray, count: int) -> BoolArray:
    """Of each side the largest connected place; the others of the left one go over."""
    kept = links[side[links[:, 0]] & side[links[:, 1]]]
    graph = coo_array((np.ones(len(kept), dtype=np.int8), (kept[:, 0], kept[:, 1])), shape=(count, count))
    piece = connected_components(graph, directed=False)[1]
    sizes = np.bincount(piece[side], minlength=1) if side.any() else np.zeros(1)
    return np.asarray(side & (piece == sizes.argmax()))
