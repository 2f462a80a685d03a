"""Edges and components of triangle arrays whose indices are in range."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from meshtide.arrays import IntArray


def edges_with_uses(faces: IntArray, vertex_count: int) -> tuple[IntArray, IntArray]:
    """Every undirected edge once, (E, 2), the smaller index first, sorted; and how many face sides lie on it."""
    sides = np.sort(faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
    sides = sides[sides[:, 0] != sides[:, 1]]
    # One integer an edge sorts many times faster than rows of two.
    codes, uses = np.unique(sides[:, 0] * max(vertex_count, 1) + sides[:, 1], return_counts=True)
    return np.stack(np.divmod(codes, max(vertex_count, 1)), axis=1), uses


def used_vertices(faces: IntArray, vertex_count: int) -> NDArray[np.bool_]:
    """Which vertices a face names, (V,)."""
    result = np.zeros(vertex_count, dtype=bool)
    result[faces.ravel()] = True
    return result


def without_unused(faces: IntArray, vertex_count: int) -> tuple[IntArray, IntArray]:
    """The vertices that faces name, ascending, and the faces in terms of these; many times faster than np.unique."""
    used = used_vertices(faces, vertex_count)
    return np.flatnonzero(used), (np.cumsum(used) - 1)[faces]


def boundary_vertices(faces: IntArray, vertex_count: int) -> NDArray[np.bool_]:
    """Which vertices lie on an edge that only one face has, (V,)."""
    edges, uses = edges_with_uses(faces, vertex_count)
    result = np.zeros(vertex_count, dtype=bool)
    result[edges[uses == 1].ravel()] = True
    return result


def repeated_corner(faces: IntArray) -> NDArray[np.bool_]:
    """Which faces name one vertex twice, (F,)."""
    a, b, c = faces.T
    return np.asarray((a == b) | (b == c) | (c == a))


def duplicate_faces(faces: IntArray, vertex_count: int) -> NDArray[np.bool_]:
    """Which faces have the same three vertices as an earlier one, (F,)."""
    low, middle, high = np.sort(faces, axis=1).T
    # One integer a face is ten times faster than comparing rows; Python's own integers where 63 bits are few.
    width = vertex_count if vertex_count < 2_000_000 else np.array(vertex_count, dtype=object)
    _, first = np.unique((low * width + middle) * width + high, return_index=True)
    result = np.ones(len(faces), dtype=bool)
    result[first] = False
    return result


def components(faces: IntArray, vertex_count: int) -> tuple[int, IntArray]:
    """The number of connected pieces that have a face, and the piece of each vertex, (V,), -1 for unreferenced."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    used = used_vertices(faces, vertex_count)
    ones = np.ones(2 * len(faces), dtype=np.int8)
    start, end = faces[:, [0, 1]].ravel(), faces[:, [1, 2]].ravel()
    graph = coo_array((ones, (start, end)), shape=(vertex_count, vertex_count))
    _, piece = connected_components(graph, directed=False)
    names, numbers = np.unique(piece[used], return_inverse=True)
    result = np.full(vertex_count, -1, dtype=np.int64)
    result[used] = numbers
    return len(names), result
