"""Very fine meshes made coarser at once, where merging them edge by edge would take long."""

from __future__ import annotations

import numpy as np

from meshtide.arrays import BoolArray, FloatArray, IntArray
from meshtide.mesh.measure import face_normals, sums_at_vertices
from meshtide.mesh.topology import repeated_corner

CREASED = 0.95  # what is left of the lengths of the normals around a vertex, where they are added up in a crease


def sharp_vertices(points: FloatArray, faces: IntArray) -> BoolArray:
    """Which vertices lie in a crease, at a tip or at an open border, (V,): averages would move these inwards."""
    normals = face_normals(points, faces)
    lengths = np.sqrt(np.einsum("fx,fx->f", normals, normals))
    x, y, z = sums_at_vertices(faces, normals, len(points)).T
    bent = x * x + y * y + z * z < (CREASED * np.bincount(faces.ravel(), np.repeat(lengths, 3), len(points))) ** 2
    # Around a vertex inside, every neighbour follows it in one face and precedes it in another.
    tags = np.random.default_rng(0).integers(2**31, size=len(points))
    around = tags[faces[:, [1, 2, 0]]] - tags[faces[:, [2, 0, 1]]]
    # Whole numbers this small add up without rounding.
    balance = np.bincount(faces.ravel(), around.ravel().astype(np.float64), len(points))
    return np.asarray(bent | (balance != 0))


def in_groups(
    points: FloatArray, faces: IntArray, cell: float, alone: BoolArray | None = None
) -> tuple[FloatArray, IntArray, IntArray]:
    """All vertices of a cell of a grid that hang together within it made one, in their middle.

    What only lies in one cell, as the two sides of a thin sheet do, stays apart, and so do those that are left alone.
    Gives the vertices, the faces that still have three corners, and the new vertex of each old one.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    x, y, z = ((column / cell).astype(np.int32) for column in points.T)
    start, end = faces[:, [0, 1, 2]].ravel(), faces[:, [1, 2, 0]].ravel()
    inside = (x[start] == x[end]) & (y[start] == y[end]) & (z[start] == z[end])
    if alone is not None:
        inside &= ~(alone[start] | alone[end])
    start, end = start[inside].astype(np.int32), end[inside].astype(np.int32)
    graph = coo_array((np.ones(len(start), dtype=np.int8), (start, end)), shape=(len(points),) * 2)
    count, group = connected_components(graph, directed=False)
    sizes = np.bincount(group, minlength=count)[:, None]
    middles = np.stack([np.bincount(group, column, count) for column in points.T], axis=1) / sizes
    corners = group[faces].astype(np.int64)
    return middles, corners[~repeated_corner(corners)], group.astype(np.int64)
