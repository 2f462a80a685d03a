"""A segmentation as it is looked at: borders are lines across triangles, smooth at any resolution.

Files that promise a mesh as given have one part for each of its faces, and borders along their sides. What is drawn is
cut where two parts are equally probable. Where some vertices have other parts than the most probable ones (borders were
refined) or no probabilities (parts without names), it is where two parts have equal shares of the places around. Parts
without names keep the border that they have where a line would be no shorter, and in creases.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from meshtide.arrays import FloatArray, IntArray
from meshtide.inference.straight import straight_as_given
from meshtide.mesh.cutting import Crossings, Cut, crossings, cut
from meshtide.mesh.measure import face_normals, relative_areas, triangle_areas, unit, unit_box
from meshtide.mesh.mesh import Mesh
from meshtide.mesh.topology import used_vertices
from meshtide.mesh.winding import neighbours
from meshtide.stages import doing

if TYPE_CHECKING:
    from meshtide.inference.segmentation import Segmentation
    from meshtide.inference.smoothing import Shares

# How far the shares of parts are gathered, as a deviation: so many sides of triangles, and on a surface of area 1.
SIDES = 2.0
REACH = 0.008
REACH_OF_REGIONS = 0.02  # whose borders may come from a simplified mesh
FLOWS = (0.05, 20.0)  # least and most that a side of a triangle conducts
MOST_STEPS = 500  # of the walk that gathers
SHARP = 40.0  # degrees; a border between regions in a sharper crease stays in it
LOST = 0.5  # a piece of which less than this would be left is drawn as it is

Level = Callable[[IntArray, IntArray], FloatArray]  # how much of a label there is at a vertex, (N,)


@dataclass(frozen=True, eq=False)
class Outlined:
    """A mesh whose triangles each lie in one piece of one part, and what is known of its elements."""

    mesh: Mesh
    cut: Cut  # how it came from the mesh that was cut
    face_instances: IntArray  # (f,) the segmentation's instance of each triangle, -1 for none
    confidence: NDArray[np.float32]  # (v,)


def outline(segmentation: Segmentation) -> Outlined:
    """Cut the mesh of a segmentation along the borders of its instances.

    >>> import meshtide as mt
    >>> bird = mt.segment(mt.make_figure("bird", 4, "held-out", defects=False)[0])
    >>> drawn = outline(bird)
    >>> len(drawn.mesh.faces) > len(bird.mesh.faces), abs(drawn.mesh.area / bird.mesh.area - 1) < 1e-9
    (True, True)
    """
    doing("drawing borders as lines")
    mesh, given, sure = segmentation.mesh, segmentation.mesh_face_instances, segmentation.mesh_confidence
    if segmentation.mesh_regions is not None:
        shares = _shares_of_faces(mesh, given)
        return _outlined(mesh, shares.labels, shares.level, given, sure, shorter=True)
    own = _own_instances(segmentation)
    level = _probability(segmentation)
    if level is not None:
        return _outlined(mesh, own, level, given, sure)
    shares = _shares_of_vertices(mesh, own)
    return _outlined(mesh, shares.labels, shares.level, given, sure)


def outline_of_vertices(mesh: Mesh, instances: IntArray, confidence: NDArray[np.float32]) -> Outlined:
    """Cut a mesh along the borders of instances that its vertices belong to, (V,)."""
    shares = _shares_of_vertices(mesh, instances)
    a, b, c = instances[mesh.faces].T
    return _outlined(mesh, shares.labels, shares.level, np.where(b == c, b, a), confidence)


def _outlined(
    mesh: Mesh,
    labels: IntArray,
    level: Level,
    given: IntArray,
    confidence: NDArray[np.float32],
    *,
    shorter: bool = False,
) -> Outlined:
    """Cut a mesh between vertices of different labels, (V,), where both have the same level.

    Triangles of pieces of which too little would be left, and with `shorter` those where the line would be no shorter
    than the border was, have the label that they were given, (F,): they are cut as others are, so that no gaps come,
    but on both sides of a cut they are the same.
    """
    found = crossings(mesh.faces, labels)
    result = cut(mesh, found, _places_on_sides(found, labels, level), _places_inside(mesh, found, labels, level))
    own = given[result.parent]
    stays = np.zeros(len(own), dtype=bool)
    if shorter:
        whole = result.carried(_boxed(mesh))
        stays = straight_as_given(whole, result.faces, own, labels[result.owner], np.cos(np.radians(SHARP)))
    areas, drawn_areas = relative_areas(mesh), _areas(result.vertices, result.faces)
    count = int(max(labels.max(), given.max())) + 2
    before = np.bincount(given + 1, areas, count)
    while True:
        drawn = np.where(stays, own, labels[result.owner])
        lost = (np.bincount(drawn + 1, drawn_areas, count) <= LOST * before)[own + 1] & ~stays
        if not lost.any():
            break
        stays = stays | lost  # which may take too much from others
    return Outlined(Mesh(result.vertices, result.faces, mesh.name), result, drawn, result.carried(confidence))


def _places_on_sides(found: Crossings, labels: IntArray, level: Level) -> FloatArray:
    """Where on each crossed side the labels of its two ends have the same level, from 0 to 1, (S,)."""
    start, end = found.sides.T
    ahead = level(start, labels[start]) - level(start, labels[end])
    behind = level(end, labels[end]) - level(end, labels[start])
    ahead, behind = np.maximum(ahead, 0), np.maximum(behind, 0)
    whole = ahead + behind
    known = (whole > 0) & (labels[found.sides] >= 0).all(axis=1)  # what has no part says nothing of where it ends
    return np.asarray(np.where(known, ahead / np.where(known, whole, 1), 0.5))


def _places_inside(mesh: Mesh, found: Crossings, labels: IntArray, level: Level) -> FloatArray:
    """Where the labels of a triangle's three corners have the same level, as shares of its corners, (T, 3)."""
    corners = mesh.faces[found.faces[found.triple]]
    table = np.stack([[level(corners[:, j], labels[corners[:, i]]) for i in range(3)] for j in range(3)])
    levels = np.moveaxis(table, -1, 0)  # (T, corner, label)
    # Shares s with s·(levels of one label - those of the next) = 0 twice are at right angles to both differences.
    shares = np.cross(levels[:, :, 0] - levels[:, :, 1], levels[:, :, 1] - levels[:, :, 2])
    whole = shares.sum(axis=1, keepdims=True)
    return np.where(np.abs(whole) > 1e-12, shares / np.where(np.abs(whole) > 1e-12, whole, 1), np.nan)


def _own_instances(segmentation: Segmentation) -> IntArray:
    """The instance of each vertex, (V,); where its part has none, that of some face that it has."""
    own = segmentation.mesh_vertex_instances
    lost = (own < 0) & (segmentation.mesh_labels.values >= 0)
    faces, of_face = segmentation.mesh.faces, segmentation.mesh_face_instances
    other = np.full(len(own), -1, dtype=np.int64)
    other[faces.ravel()] = np.repeat(of_face, 3)
    return np.where(lost, other, own)


def _probability(segmentation: Segmentation) -> Level | None:
    """The probability of an instance's part at vertices; None where labels are not the most probable parts."""
    mesh, values, rows = segmentation.mesh, segmentation.mesh_labels.values, segmentation.mesh_probabilities
    labelled = values >= 0
    chosen = rows[np.arange(len(values)), np.maximum(values, 0)]
    if (chosen < rows.max(axis=1))[used_vertices(mesh.faces, len(values)) & labelled].any():
        return None
    part_of = np.array([*(each.part_index for each in segmentation.instances), -1], dtype=np.int64)

    def level(vertices: IntArray, instances: IntArray) -> FloatArray:
        parts = part_of[instances]
        found = np.where(labelled[vertices], rows[vertices, np.maximum(parts, 0)], 0)
        return np.where(parts >= 0, found, ~labelled[vertices]).astype(np.float64)

    return level


def _shares_of_vertices(mesh: Mesh, labels: IntArray) -> Shares:
    """The shares that labels of vertices (V,) have around each of them."""
    from meshtide.inference.smoothing import spread

    a, b, c = labels[mesh.faces].T
    border = np.flatnonzero((a != b) | (b != c))
    steps = _steps(mesh, border, REACH, 4)
    near = np.zeros(len(labels), dtype=bool)
    near[mesh.faces[border].ravel()] = True
    for _ in range(_rings(steps) if len(border) else 0):
        near[mesh.faces[near[mesh.faces].any(axis=1)].ravel()] = True
    faces = mesh.faces[near[mesh.faces].any(axis=1)]
    pairs = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
    return spread(pairs, labels, near, steps, _conductance(_boxed(mesh), faces))


def _conductance(vertices: FloatArray, faces: IntArray) -> FloatArray:
    """How much heat flows along each side of triangles, (3 F,): across a third of the median, over the side's length.

    In long thin triangles a walk that took every side alike would go far along them and hardly across.
    """
    corners = vertices[faces]
    sides = [(corners[:, k], corners[:, (k + 1) % 3], corners[:, (k + 2) % 3]) for k in range(3)]
    ratios = [
        np.linalg.norm((a + b) / 2 - c, axis=1) / np.maximum(np.linalg.norm(a - b, axis=1), 1e-12) for a, b, c in sides
    ]
    return np.asarray(np.concatenate(ratios).clip(*FLOWS))


def _smooth_neighbours(mesh: Mesh, regions: IntArray) -> IntArray:
    """Pairs of triangles across a side, (E, 2), but for borders between regions (F,) in sharp creases."""
    pairs, _, alike = neighbours(mesh.faces, len(mesh.vertices))
    normals = unit(face_normals(_boxed(mesh), mesh.faces))
    turn = np.einsum("ex,ex->e", normals[pairs[:, 0]], normals[pairs[:, 1]]) * np.where(alike, -1, 1)
    sharp = (regions[pairs[:, 0]] != regions[pairs[:, 1]]) & (turn < np.cos(np.radians(SHARP)))
    return np.asarray(pairs[~sharp])


def _shares_of_faces(mesh: Mesh, regions: IntArray) -> Shares:
    """The shares at vertices that regions of triangles (F,) have around them, on their side of sharp creases."""
    from scipy.sparse import coo_array, csr_array, diags_array

    from meshtide.inference.smoothing import shares_of, spread

    pairs, count = _smooth_neighbours(mesh, regions), len(mesh.vertices)
    border = np.unique(pairs[regions[pairs[:, 0]] != regions[pairs[:, 1]]])
    steps = _steps(mesh, border, REACH_OF_REGIONS, 12)
    near = np.zeros(len(regions), dtype=bool)
    near[border] = True
    for _ in range(_rings(steps) if len(border) else 0):
        near[pairs[near[pairs].any(axis=1)].ravel()] = True
    shares = spread(pairs, regions, near, steps)
    labels = np.full(count, -1, dtype=np.int64)
    labels[mesh.faces.ravel()] = np.repeat(regions, 3)
    # A vertex has the mean of its triangles by area, where all of these are near.
    number = np.cumsum(near) - 1
    whole = np.zeros(count, dtype=bool)
    whole[mesh.faces[near].ravel()] = True
    whole[mesh.faces[~near].ravel()] = False
    corners, owners = mesh.faces[near].ravel(), np.repeat(number[near], 3)
    places, rows = np.flatnonzero(whole), np.cumsum(whole) - 1
    held = whole[corners]
    areas = relative_areas(mesh)[near][owners] + 1e-30
    shape = (len(places), int(near.sum()))
    around = coo_array((areas[held], (rows[corners[held]], owners[held])), shape=shape).tocsr()
    mean = diags_array(1 / np.maximum(np.asarray(around.sum(axis=1)).ravel(), 1e-300)) @ around
    return shares_of(places, shares.names, csr_array(mean @ shares.table), labels)


def _steps(mesh: Mesh, border: IntArray, reach: float, variance: float) -> int:
    """Steps of a walk that has so many for a deviation of one side, to get far enough beside the triangles given."""
    if len(border) == 0:
        return 0
    corners = _boxed(mesh)[mesh.faces[border]]
    side = float(np.median(np.sqrt(((corners - corners[:, [1, 2, 0]]) ** 2).sum(axis=2))))
    side /= float(np.sqrt(relative_areas(mesh).sum())) or 1.0
    return int(np.clip(np.ceil(variance * max(SIDES, reach / max(side, 1e-9)) ** 2), 1, MOST_STEPS))


def _boxed(mesh: Mesh) -> FloatArray:
    with np.errstate(over="ignore", invalid="ignore"):  # vertices that no face uses may lie anywhere
        return unit_box(mesh.vertices, mesh.faces)


def _areas(vertices: FloatArray, faces: IntArray) -> FloatArray:
    with np.errstate(over="ignore", invalid="ignore"):
        return triangle_areas(unit_box(vertices, faces), faces)


def _rings(steps: int) -> int:
    """How far from a border its walk matters: hardly beyond twice its deviation."""
    return int(np.ceil(1.5 * np.sqrt(steps))) + 1
