"""Sheets that lie on each other face by face, as two-sided export writes them: heat would run through both."""

from __future__ import annotations

import numpy as np

from meshtide.arrays import FloatArray, IntArray
from meshtide.mesh.raw import RawMesh
from meshtide.mesh.repair import weld

_MIX = np.array([0.61803, 0.75488, 0.81917, 0.85667, 0.88192, 0.89898])  # no two corners of a box weigh alike


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
    """The triangles of those faces whose bounding box another face has too, ascending."""
    if len(raw.faces) < 2:
        return np.zeros(0, dtype=np.int64)
    a, b, c = (raw.vertices[raw.faces[:, corner]] for corner in range(3))
    low, high = np.minimum(np.minimum(a, b), c), np.maximum(np.maximum(a, b), c)
    _, owner = np.unique(raw.origin.face_of, return_inverse=True)
    if owner[-1] + 1 < len(owner):  # polygons of several triangles
        order = np.argsort(owner, kind="stable")
        starts = np.flatnonzero(np.append(True, np.diff(owner[order]) > 0))
        low, high = np.minimum.reduceat(low[order], starts), np.maximum.reduceat(high[order], starts)
    with np.errstate(over="ignore", invalid="ignore"):
        mixed: FloatArray = np.concatenate([low, high], axis=1) @ _MIX
    _, group, count = np.unique(mixed, return_inverse=True, return_counts=True)
    return np.flatnonzero((count[group] > 1)[owner])


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
        _, first, inverse = np.unique(rows, axis=0, return_index=True, return_inverse=True)
        alike[which] = which[first[inverse.ravel()]]
    _, first_triangle = np.unique(owner, return_index=True)
    result = np.arange(len(face_of))
    changed = alike[owner] != owner
    result[changed] = first_triangle[alike[owner[changed]]]
    return result
