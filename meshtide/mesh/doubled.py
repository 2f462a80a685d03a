"""Sheets that lie on each other face by face, as two-sided export writes them: heat would run through both."""

from __future__ import annotations

import numpy as np

from meshtide.arrays import CHUNK, FloatArray, IntArray
from meshtide.mesh.raw import RawMesh
from meshtide.mesh.repair import weld

# No two corners of a box weigh alike.
_MIX = (0.61803, 0.75488, 0.81917, 0.85667, 0.88192, 0.89898, 0.91148, 0.92111, 0.92875)


def doubled_faces(raw: RawMesh) -> tuple[IntArray, IntArray]:
    """For each triangle one that lies in the same place and is kept, (F,), itself if none does; for each vertex too.

    Faces are compared as they stand in the file: two polygons are doubled where they have the same corners, however
    each was cut into triangles. Triangles and vertices that are left out are those that are not their own.
    """
    twin, target = np.arange(len(raw.faces)), np.arange(len(raw.vertices))
    suspects = _suspects(raw)
    if not len(suspects):
        return twin, target
    corners = raw.faces[suspects]
    number, places = np.unique(corners, return_inverse=True)
    _, place_of = weld(raw.vertices[number])
    places = place_of[places.reshape(-1, 3)]
    first = _first_alike(raw.origin.face_of[suspects], places)
    twin[suspects] = suspects[first]
    left_out = twin != np.arange(len(twin))
    if not left_out.any():
        return twin, target
    stays = np.zeros(len(target), dtype=bool)
    stays[raw.faces[~left_out].ravel()] = True
    here = np.full(place_of.max() + 1, -1, dtype=np.int64)
    here[place_of[stays[number]]] = number[stays[number]]
    moved = number[~stays[number]]
    into = here[place_of[~stays[number]]]
    target[moved[into >= 0]] = into[into >= 0]
    return twin, target


def _suspects(raw: RawMesh) -> IntArray:
    """The triangles of those faces whose corners may be those of another face too, ascending."""
    face_of = raw.origin.face_of
    owner = None  # every face is one triangle
    if (face_of[1:] > face_of[:-1]).all():
        mixed = np.empty(len(raw.faces))
        for start in range(0, len(raw.faces), CHUNK):
            some = slice(start, start + CHUNK)
            mixed[some] = _mixed(*_boxes(raw.vertices, raw.faces[some]))
    else:
        _, owner = np.unique(face_of, return_inverse=True)
        order = np.argsort(owner, kind="stable")
        starts = np.flatnonzero(np.append(True, np.diff(owner[order]) > 0))
        low, _, high = _boxes(raw.vertices, raw.faces)
        mixed = _mixed(np.minimum.reduceat(low[order], starts), np.maximum.reduceat(high[order], starts))
    ordered = np.sort(mixed)
    twice = ordered[1:][ordered[1:] == ordered[:-1]]
    unknown = bool(np.isnan(ordered[-2:-1]).any())  # two or more sums that overflow, which tell nothing apart
    if not len(twice) and not unknown:
        return np.zeros(0, dtype=np.int64)
    shared = np.isin(mixed, twice) | (np.isnan(mixed) & unknown)
    return np.flatnonzero(shared if owner is None else shared[owner])


def _boxes(vertices: FloatArray, faces: IntArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """The least, the middle and the largest coordinates of every triangle, (F, 3) each, whatever its first corner is.

    Many triangles of a mesh that was split in four have a box in common, and hardly any a middle too.
    """
    a, b, c = (vertices[corner] for corner in faces.T)
    low, high = np.minimum(a, b), np.maximum(a, b)
    return np.minimum(low, c), np.maximum(low, np.minimum(high, c)), np.maximum(high, c)


def _mixed(*bounds: FloatArray) -> FloatArray:
    """One number for a box, the same for the same box, (F,)."""
    result = np.zeros(len(bounds[0]))
    with np.errstate(over="ignore", invalid="ignore"):
        for weight, column in zip(_MIX, (column for each in bounds for column in each.T), strict=False):
            result += weight * column
    return result


def _first_alike(face_of: IntArray, places: IntArray) -> IntArray:
    """For each triangle the first one of the first face with the same corners, itself where its own face is that."""
    faces, owner = np.unique(face_of, return_inverse=True)
    width = int(places.max()) + 1
    pairs = np.unique(np.repeat(owner, 3) * width + places.ravel())
    owners, corners = np.divmod(pairs, width)
    sizes = np.bincount(owners, minlength=len(faces))
    starts = np.cumsum(sizes) - sizes
    alike = np.arange(len(faces))
    for size in np.unique(sizes[sizes >= 3]).tolist():
        which = np.flatnonzero(sizes == size)
        rows = corners[starts[which, None] + np.arange(size)]
        alike[which] = which[_first_equal(rows, width)]
    _, first_triangle = np.unique(owner, return_index=True)
    result = np.arange(len(face_of))
    changed = alike[owner] != owner
    result[changed] = first_triangle[alike[owner[changed]]]
    return result


def _first_equal(rows: IntArray, width: int) -> IntArray:
    """For each row of numbers below `width` the first row that is equal; rows sort ten times slower than numbers do."""
    number = rows[:, 0]
    for column in rows.T[1:]:
        _, number = np.unique(number * width + column, return_inverse=True)
    _, first = np.unique(number, return_index=True)
    return np.asarray(first[number])
