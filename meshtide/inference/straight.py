"""Borders that are as short along the sides of triangles as the line drawn across these, or shorter, stay as they were.

On a made thing most borders run along rows of triangles, where a smoothed line only finds the triangles' unevenness.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from meshtide.arrays import BoolArray, FloatArray, IntArray
from meshtide.mesh.measure import face_normals, unit
from meshtide.mesh.winding import neighbours

ENOUGH = 1.01  # times the length of the line: what is no longer than this needs none
IN_CREASE = 0.25  # what a border's length counts in a crease, where it should stay


def straight_as_given(
    vertices: FloatArray, faces: IntArray, given: IntArray, drawn: IntArray, crease: float
) -> BoolArray:
    """Which triangles (f,) of a mesh cut along lines should belong to what they were given to, not to what was drawn.

    Between a border as given and the line lie lenses, one from each place where the two cross to the next. Each goes
    to the side on which its rim is shorter; a rim is a crease where its triangles' normals have a cosine below
    `crease`.
    """
    moved = given != drawn
    stays = np.zeros(len(faces), dtype=bool)
    near = np.zeros(len(vertices), dtype=bool)
    near[faces[moved]] = True
    rows = np.flatnonzero(near[faces].any(axis=1))
    pairs, ends, alike = neighbours(faces[rows], len(vertices))
    given, drawn, moved = given[rows], drawn[rows], moved[rows]
    one, other = pairs.T
    across = (given[one] != given[other], drawn[one] != drawn[other])
    inside = moved[one] & moved[other] & ~across[0] & ~across[1]
    graph = coo_array((np.ones(int(inside.sum()), dtype=np.int8), tuple(pairs[inside].T)), shape=(len(rows),) * 2)
    count, lens = connected_components(graph, directed=False)
    lengths = np.linalg.norm(vertices[ends[:, 0]] - vertices[ends[:, 1]], axis=1)
    normals = unit(face_normals(vertices, faces[rows]))
    turn = np.einsum("ex,ex->e", normals[one], normals[other]) * np.where(alike, -1, 1)
    lengths = np.where(turn < crease, IN_CREASE, 1.0) * lengths
    before, after = (
        np.bincount(lens[one[rim]], lengths[rim], count) + np.bincount(lens[other[rim]], lengths[rim], count)
        for rim in across
    )
    stays[rows] = moved & (before <= ENOUGH * after)[lens]
    return stays
