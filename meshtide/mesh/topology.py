"""Edges and components of triangle arrays whose indices are in range."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from meshtide.arrays import CHUNK, IntArray


def edges_with_uses(faces: IntArray, vertex_count: int) -> tuple[IntArray, IntArray]:
    """Every undirected edge once, (E, 2), the smaller index first, sorted; and how many face sides lie on it."""
    codes = _side_codes(faces, vertex_count)
    starts = np.flatnonzero(_first_of_equal(codes))
    uses = np.diff(np.append(starts, len(codes)))
    return np.stack(np.divmod(codes[starts], max(vertex_count, 1)), axis=1), uses


def _side_codes(faces: IntArray, vertex_count: int) -> IntArray:
    """One integer for each side of a face that has two ends, sorted; two sides on one edge have the same.

    Integers sort many times faster than rows of two. They are made some faces at a time: what is as large as a large
    mesh comes from the system page by page, and that takes longer than the reckoning.
    """
    codes = np.empty(3 * len(faces), dtype=np.int64)
    width, count = max(vertex_count, 1), 0
    for start in range(0, len(faces), CHUNK):
        a, b, c = np.ascontiguousarray(faces[start : start + CHUNK].T)
        for one, other in ((a, b), (b, c), (c, a)):
            made = np.minimum(one, other) * width + np.maximum(one, other)
            made = made[one != other]
            codes[count : count + len(made)] = made
            count += len(made)
    codes = codes[:count]
    codes.sort()
    return codes


def _first_of_equal(ordered: IntArray) -> NDArray[np.bool_]:
    """Which of sorted numbers differ from the one before."""
    first = np.ones(len(ordered), dtype=bool)
    np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
    return first


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
    codes = _side_codes(faces, vertex_count)
    first = np.append(_first_of_equal(codes), True)
    alone = codes[first[:-1] & first[1:]]
    result = np.zeros(vertex_count, dtype=bool)
    for ends in np.divmod(alone, max(vertex_count, 1)):
        result[ends] = True
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
