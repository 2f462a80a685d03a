"""Smooth patches of a surface: the faces that can be reached from each other without crossing a crease."""

from __future__ import annotations

import numpy as np
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components

from meshtide.arrays import FloatArray, IntArray
from meshtide.mesh.measure import face_normals, unit, unit_box
from meshtide.mesh.mesh import Mesh

DEFAULT_ANGLE = 30.0  # degrees; what modelling programs take for a sharp edge


def smooth_patches(mesh: Mesh, angle: float = DEFAULT_ANGLE) -> IntArray:
    """The patch of every face, (F,): neighbours share one unless the surface bends by `angle` degrees or more there.

    Where three or more faces meet at an edge, there is no telling which belong together, and all are kept apart.
    """
    pairs, bends = bends_between(mesh)
    joined = pairs[bends < np.deg2rad(angle)]
    count = len(mesh.faces)
    graph = coo_array((np.ones(len(joined), dtype=np.int8), (joined[:, 0], joined[:, 1])), shape=(count, count))
    return connected_components(graph, directed=False)[1].astype(np.int64)


def bends_between(mesh: Mesh) -> tuple[IntArray, FloatArray]:
    """Pairs of faces that share an edge, (P, 2), and by what angle the surface bends there, (P,), 0 where it is flat.

    Neighbours that are wound in opposite ways are compared as if they were not. A face without area bends nothing.
    """
    sides = mesh.faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
    forward = sides[:, 0] < sides[:, 1]
    low, high = sides.min(axis=1), sides.max(axis=1)
    codes = low * len(mesh.vertices) + high
    order = np.argsort(codes, kind="stable")
    _, starts, uses = np.unique(codes[order], return_index=True, return_counts=True)
    first, second = order[starts[uses == 2]], order[starts[uses == 2] + 1]
    first, second = (side[low[first] != high[first]] for side in (first, second))
    normals = unit(face_normals(unit_box(mesh.vertices, mesh.faces), mesh.faces))
    one, other = normals[first // 3], normals[second // 3]
    sign = np.where(forward[first] == forward[second], -1.0, 1.0)[:, None]
    # By the half angle: the arc cosine of a product is blind to small angles.
    difference, total = np.linalg.norm(one - sign * other, axis=1), np.linalg.norm(one + sign * other, axis=1)
    bends = 2 * np.arctan2(difference, total)
    flat = ~(one.any(axis=1) & other.any(axis=1))
    return np.stack([first // 3, second // 3], axis=1), np.where(flat, 0.0, bends)


def region_of(mesh: Mesh, faces: IntArray, allowed: IntArray, start: int) -> IntArray:
    """The vertices that edges of some faces lead to from a vertex by way of allowed ones only, ascending."""
    is_allowed, is_near = (np.zeros(len(mesh.vertices), dtype=bool) for _ in range(2))
    is_allowed[allowed] = True
    sides = mesh.faces[faces][:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
    sides = sides[is_allowed[sides].all(axis=1)]
    is_near[sides.ravel()] = True
    is_near[start] = True
    rows = np.flatnonzero(is_near)
    ends = (np.cumsum(is_near) - 1)[sides]  # numbered without gaps
    graph = csr_array((np.ones(len(ends), dtype=np.int8), (ends[:, 0], ends[:, 1])), shape=(len(rows), len(rows)))
    pieces = connected_components(graph, directed=False)[1]
    return np.asarray(rows[pieces == pieces[np.searchsorted(rows, start)]])
