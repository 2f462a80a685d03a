"""Instances: the four pieces of a part "leg" that a table has, each with a number, a name and a size of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from meshtide.arrays import FloatArray, IntArray
from meshtide.inference.grown_together import told_apart
from meshtide.labels.labels import weighted_vote
from meshtide.mesh.measure import unit_box
from meshtide.mesh.mesh import Mesh
from meshtide.mesh.repair import weld
from meshtide.mesh.topology import components, used_vertices

# A piece smaller than this share of its part's largest piece is a crumb: a stray patch, not a fifth leg.
CRUMB = 0.1
# Areas and places that differ by less than this fraction are equal: rounding must not decide who is number 1.
TIE = 1e-6

Point = tuple[float, float, float]


@dataclass(frozen=True)
class Instance:
    """One piece of a part: "leg 2". Areas, places and sizes are in the mesh's own units.

    >>> import meshtide as mt
    >>> horse = mt.segment(mt.make_figure("quadruped", 2, "held-out", defects=False)[0])
    >>> [each.name for each in horse.instances if each.part == "leg"]
    ['leg 1', 'leg 2', 'leg 3', 'leg 4']
    """

    name: str  # the part's name, with a number where the part has several pieces
    number: int  # from 1, the largest first, within the part
    part: str
    part_index: int  # of the part among all that the model knows: what labels hold
    area: float
    share: float  # of the area of the whole mesh
    confidence: float  # the mean over its area
    centroid: Point  # the middle of its surface
    box: tuple[Point, Point]  # the smallest and the largest coordinates


@dataclass(frozen=True, eq=False)
class Triangles:
    """Area and middle of each of a mesh's triangles, in a box of size one, where nothing overflows."""

    areas: FloatArray  # (F,)
    middles: FloatArray  # (F, 3)
    low: FloatArray  # (3,) the corner of the box in the mesh's own units
    size: float  # and its size

    @staticmethod
    def of(mesh: Mesh) -> Triangles:
        """Measure a mesh."""
        with np.errstate(over="ignore", invalid="ignore"):  # vertices that no face uses may lie anywhere
            points = unit_box(mesh.vertices, mesh.faces)
        a, b, c = (points[mesh.faces[:, corner]] for corner in range(3))
        used = used_vertices(mesh.faces, len(points))
        low, high = mesh.vertices[used].min(axis=0), mesh.vertices[used].max(axis=0)
        size = 2 * float((high / 2 - low / 2).max()) or 1.0
        areas = np.linalg.norm(np.cross(b - a, c - a), axis=1) / 2
        return Triangles(areas, (a + b + c) / 3, low, size)


def find_pieces(
    mesh: Mesh, parts: IntArray, polygon_of: IntArray, triangles: Triangles, numbers: Mapping[int, int] | None = None
) -> IntArray:
    """The piece of each triangle, (F,), counted part by part and in each the largest first; -1 without a part.

    Triangles of one part that share an edge, or lie in one polygon, are one piece; shells that touch share an edge
    wherever both have its two ends in one place. Crumbs go to the piece of their part that lies nearest. Of a part that
    has a number, limbs that have grown together are told apart (see `meshtide.inference.grown_together`).
    """
    piece = _connected(mesh, parts, polygon_of)
    piece = _without_crumbs(piece, parts, triangles.areas, triangles.middles)
    if numbers:
        piece = told_apart(mesh, piece, parts, triangles.areas, triangles.size, numbers)
        _, first, polygon = np.unique(polygon_of, return_index=True, return_inverse=True)
        piece = piece[first][polygon]  # no polygon is cut
    return in_order(piece, parts, triangles.areas, triangles.middles)


def describe(
    mesh: Mesh,
    pieces: IntArray,
    parts: IntArray,
    confidence: NDArray[np.float32],
    names: Sequence[str],
    triangles: Triangles,
) -> tuple[Instance, ...]:
    """What is to be said about each piece of `find_pieces`."""
    count = int(pieces.max(initial=-1)) + 1
    order = np.argsort(pieces, kind="stable")
    ends = np.searchsorted(pieces, np.arange(count + 1), sorter=order)
    part_of = parts[order[ends[:-1]]]
    whole = triangles.areas.sum()
    found = []
    for index, (number, title) in enumerate(_titles(part_of, names)):
        own = order[ends[index] : ends[index + 1]]
        area = float(triangles.areas[own].sum())
        weights = triangles.areas[own] if area > 0 else np.ones(len(own))
        centroid = weights @ triangles.middles[own] / weights.sum() * triangles.size + triangles.low
        sure = weighted_mean(confidence[own], triangles.areas[own])
        part = int(part_of[index])
        # A size that leaves the range of numbers makes an area of infinity or 0; the share is right all the same.
        sizes = area * triangles.size * triangles.size, area / whole
        found.append(Instance(title, number, names[part], part, *sizes, sure, _point(centroid), _box(mesh, own)))
    return tuple(found)


def weighted_mean(confidence: NDArray[np.float32], areas: FloatArray) -> float:
    """The mean over some area of how sure its parts are; where slivers have none, each counts alike."""
    weights = areas if areas.sum() > 0 else np.ones(len(areas))
    mean = float(weights @ confidence / weights.sum())
    return min(max(mean, float(confidence.min())), float(confidence.max()))  # rounding makes no more of it


def vertex_pieces(mesh: Mesh, pieces: IntArray, parts: IntArray, labels: IntArray, triangles: Triangles) -> IntArray:
    """The piece of each vertex, (V,): of its own part, the one with the largest area around it.

    A vertex whose faces all belong to other parts takes the nearest piece of its part; -1 where there is none.
    """
    corners, owners = mesh.faces.ravel(), np.repeat(np.arange(len(mesh.faces)), 3)
    fits = np.flatnonzero((parts[owners] == labels[corners]) & (parts[owners] >= 0))
    corners, owners = corners[fits], owners[fits]
    result = np.full(len(mesh.vertices), -1, dtype=np.int64)
    result[corners] = pieces[owners]
    # Few vertices lie between pieces of one part, and only these need a vote.
    torn = np.zeros(len(result), dtype=bool)
    torn[corners[result[corners] != pieces[owners]]] = True
    cast = torn[corners]
    # Slivers have no area and still a say where nobody else has one.
    votes = weighted_vote(corners[cast], pieces[owners[cast]], triangles.areas[owners[cast]] + 1e-30, len(result))
    result[torn] = votes[torn]
    lost = np.flatnonzero((result < 0) & (labels >= 0))
    if len(lost):
        points = (mesh.vertices[lost] / 2 - triangles.low / 2) / (triangles.size / 2)
        result[lost] = _nearest(points, labels[lost], triangles.middles, parts, pieces)
    return result


def _connected(mesh: Mesh, parts: IntArray, polygon_of: IntArray) -> IntArray:
    """A number for each connected piece of a part, (F,), in no particular order; -1 without a part."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    faces, count = mesh.faces, len(mesh.vertices)
    if components(faces, count)[0] > 1:
        faces = weld(mesh.vertices)[1][faces]
    sides = np.sort(faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
    owners = np.repeat(np.arange(len(faces)), 3)
    links = [
        _chains((sides[:, 0] * count + sides[:, 1]) * (parts.max() + 2) + parts[owners] + 1, owners),
        _chains(polygon_of, np.arange(len(faces))),
    ]
    start, end = np.concatenate(links, axis=1)
    same = parts[start] == parts[end]
    graph = coo_array((np.ones(same.sum(), dtype=np.int8), (start[same], end[same])), shape=(len(faces),) * 2)
    _, piece = connected_components(graph, directed=False)
    return np.where(parts >= 0, piece.astype(np.int64), -1)


def _chains(codes: IntArray, owners: IntArray) -> IntArray:
    """Pairs of owners, (2, N), that link all owners of each code one after another."""
    order = np.argsort(codes)
    same = np.flatnonzero(codes[order][1:] == codes[order][:-1])
    return np.stack([owners[order[same]], owners[order[same + 1]]])


def _without_crumbs(piece: IntArray, parts: IntArray, areas: FloatArray, middles: FloatArray) -> IntArray:
    kept = np.flatnonzero(piece >= 0)
    if len(kept) == 0:
        return piece
    count = int(piece.max()) + 1
    sizes, part_of = np.bincount(piece[kept], areas[kept], count), np.full(count, -1, dtype=np.int64)
    part_of[piece[kept]] = parts[kept]
    largest = np.zeros(int(parts.max()) + 1)
    real = np.flatnonzero(part_of >= 0)
    np.maximum.at(largest, part_of[real], sizes[real])
    crumbs = real[sizes[real] < CRUMB * largest[part_of[real]]]
    if len(crumbs) == 0:
        return piece
    is_crumb = np.zeros(count, dtype=bool)
    is_crumb[crumbs] = True
    stays = kept[~is_crumb[piece[kept]]]
    centres = _centres(piece[kept], areas[kept], middles[kept], count)
    target = np.arange(count)
    target[crumbs] = _nearest(centres[crumbs], part_of[crumbs], middles[stays], parts[stays], piece[stays])
    return np.where(piece >= 0, target[piece], -1)


def in_order(piece: IntArray, parts: IntArray, areas: FloatArray, middles: FloatArray) -> IntArray:
    """The same pieces, counted from 0 by part and by size; of equally large ones the place decides."""
    kept = np.flatnonzero(piece >= 0)
    old, first, dense = np.unique(piece[kept], return_index=True, return_inverse=True)
    part_of = parts[kept][first]
    sizes = np.bincount(dense, areas[kept], len(old))
    places = np.rint(_centres(dense, areas[kept], middles[kept], len(old)) / TIE)
    whole = sizes.max(initial=0) or 1.0
    order = np.lexsort([*places.T, -np.rint(sizes / whole / TIE), part_of])
    rank = np.empty(len(old), dtype=np.int64)
    rank[order] = np.arange(len(old))
    result = np.full(len(piece), -1, dtype=np.int64)
    result[kept] = rank[dense]
    return result


def _nearest(points: FloatArray, wanted: IntArray, middles: FloatArray, parts: IntArray, pieces: IntArray) -> IntArray:
    """For each point the piece of the nearest triangle of the part that is wanted, (N,); -1 where there is none."""
    from scipy.spatial import cKDTree

    result = np.full(len(points), -1, dtype=np.int64)
    for part in np.unique(wanted):
        mine, there = wanted == part, np.flatnonzero(parts == part)
        if len(there):
            result[mine] = pieces[there[cKDTree(middles[there]).query(points[mine])[1]]]
    return result


def _titles(part_of: IntArray, names: Sequence[str]) -> list[tuple[int, str]]:
    """Number and name of each piece, in order; a name that another part has already is told apart by brackets."""
    counts = np.bincount(part_of, minlength=len(names))
    starts = np.cumsum(counts) - counts
    taken, titles = set(names), []
    for index, part in enumerate(part_of.tolist()):
        number = index - int(starts[part]) + 1
        numbered = f"{names[part]} {number}"
        several = f"{names[part]} ({number})" if numbered in taken else numbered
        titles.append((number, several if counts[part] > 1 else names[part]))
    return titles


def _centres(groups: IntArray, areas: FloatArray, middles: FloatArray, count: int) -> FloatArray:
    """The middle of each group's surface, (count, 3); of one without area, the mean of its triangles."""
    whole = np.bincount(groups, areas, count)
    weights = np.where(whole[groups] > 0, areas, 1.0)
    sums = [np.bincount(groups, weights * column, count) for column in middles.T]
    return np.stack(sums, axis=1) / np.maximum(np.bincount(groups, weights, count), 1e-300)[:, None]


def _box(mesh: Mesh, faces: IntArray) -> tuple[Point, Point]:
    """The smallest and the largest coordinates of some triangles."""
    corners = mesh.vertices[mesh.faces[faces].ravel()]
    return _point(corners.min(axis=0)), _point(corners.max(axis=0))


def _point(values: FloatArray) -> Point:
    x, y, z = values.tolist()
    return x, y, z
