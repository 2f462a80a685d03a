"""Instances: the four pieces of a part "leg" that a table has, each with a number, a name and a size of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from meshtide.arrays import FloatArray, IntArray
from meshtide.labels.labels import weighted_vote
from meshtide.mesh.measure import relative_areas, unit_box
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


def find_pieces(mesh: Mesh, parts: IntArray, polygon_of: IntArray) -> IntArray:
    """The piece of each triangle, (F,), counted part by part and in each the largest first; -1 without a part.

    Triangles of one part that share an edge, or lie in one polygon, are one piece; shells that touch share an edge
    wherever both have its two ends in one place. Crumbs go to the piece of their part that lies nearest.
    """
    areas, middles = relative_areas(mesh), _middles(mesh)
    piece = _connected(mesh, parts, polygon_of)
    piece = _without_crumbs(piece, parts, areas, middles)
    return _in_order(piece, parts, areas, middles)


def describe(
    mesh: Mesh, pieces: IntArray, parts: IntArray, confidence: NDArray[np.float32], names: Sequence[str]
) -> tuple[Instance, ...]:
    """What is to be said about each piece of `find_pieces`."""
    count = int(pieces.max(initial=-1)) + 1
    kept = np.flatnonzero(pieces >= 0)
    kept = kept[np.argsort(pieces[kept], kind="stable")]
    ends = np.searchsorted(pieces[kept], np.arange(count + 1))
    relative, middles = relative_areas(mesh), _middles(mesh)
    with np.errstate(over="ignore", invalid="ignore"):
        areas, low, size = mesh.face_areas, *_frame(mesh)
    part_of = np.array([parts[kept[first]] for first in ends[:-1]], dtype=np.int64)
    titles = _titles(part_of, names)
    found = []
    for index, (number, title) in enumerate(titles):
        own = kept[ends[index] : ends[index + 1]]
        weights = relative[own] if relative[own].sum() > 0 else np.ones(len(own))
        corners = mesh.vertices[mesh.faces[own]].reshape(-1, 3)
        found.append(
            Instance(
                title,
                number,
                names[part_of[index]],
                int(part_of[index]),
                float(areas[own].sum()),
                float(relative[own].sum() / relative.sum()),
                float(np.average(confidence[own], weights=weights)),
                _point(np.average(middles[own], axis=0, weights=weights) * size + low),
                (_point(corners.min(axis=0)), _point(corners.max(axis=0))),
            )
        )
    return tuple(found)


def vertex_pieces(mesh: Mesh, pieces: IntArray, parts: IntArray, labels: IntArray) -> IntArray:
    """The piece of each vertex, (V,): of its own part, the one with the largest area around it.

    A vertex whose faces all belong to other parts takes the nearest piece of its part; -1 where there is none.
    """
    corners, owners = mesh.faces.ravel(), np.repeat(np.arange(len(mesh.faces)), 3)
    fits = parts[owners] == labels[corners]
    # Slivers have no area and still a say where nobody else has one.
    weights = np.repeat(relative_areas(mesh) + 1e-30, 3)
    result = weighted_vote(corners[fits], pieces[owners[fits]], weights[fits], len(mesh.vertices))
    lost = np.flatnonzero((result < 0) & (labels >= 0))
    if len(lost):
        points, middles = unit_box(mesh.vertices, mesh.faces), _middles(mesh)
        result[lost] = _nearest(points[lost], labels[lost], middles, parts, pieces)
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
    order = np.argsort(codes, kind="stable")
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


def _in_order(piece: IntArray, parts: IntArray, areas: FloatArray, middles: FloatArray) -> IntArray:
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


def _middles(mesh: Mesh) -> FloatArray:
    """The middle of each triangle, (F, 3), in a box of size one, where no distance overflows."""
    with np.errstate(over="ignore", invalid="ignore"):  # vertices that no face uses may lie anywhere
        return np.asarray(unit_box(mesh.vertices, mesh.faces)[mesh.faces].mean(axis=1))


def _frame(mesh: Mesh) -> tuple[FloatArray, float]:
    """The corner and the size of the box that `unit_box` makes one of size one."""
    corners = mesh.vertices[used_vertices(mesh.faces, len(mesh.vertices))]
    low, high = corners.min(axis=0), corners.max(axis=0)
    return low, 2 * float((high / 2 - low / 2).max()) or 1.0


def _centres(groups: IntArray, areas: FloatArray, middles: FloatArray, count: int) -> FloatArray:
    """The middle of each group's surface, (count, 3); of one without area, the mean of its triangles."""
    whole = np.bincount(groups, areas, count)
    weights = np.where(whole[groups] > 0, areas, 1.0)
    sums = [np.bincount(groups, weights * column, count) for column in middles.T]
    return np.stack(sums, axis=1) / np.maximum(np.bincount(groups, weights, count), 1e-300)[:, None]


def _point(values: FloatArray) -> Point:
    x, y, z = values.tolist()
    return x, y, z
