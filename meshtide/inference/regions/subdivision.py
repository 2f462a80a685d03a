"""Large triangles split into small ones, each of which knows where it came from."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from meshtide.arrays import FloatArray, IntArray

MOST_ROUNDS = 24


def split_long_edges(
    vertices: FloatArray, faces: IntArray, longest: float, most_faces: int
) -> tuple[FloatArray, IntArray, IntArray]:
    """Halve edges, the longest first, until none is longer than wanted or there are about as many faces as allowed.

    Returns vertices (the old ones first), faces, and the old face of every new one. The two faces of an edge see the
    same halves, so that nothing tears.
    """
    parents = np.arange(len(faces))
    for _ in range(MOST_ROUNDS):
        ends, edge_of = _edges(faces, len(vertices))
        lengths = np.linalg.norm(vertices[ends[:, 0]] - vertices[ends[:, 1]], axis=1)
        long = lengths > max(longest, 0.6 * float(lengths.max()))
        if not long.any():
            break
        marked = long[edge_of]  # (F, 3)
        if len(faces) + int(marked.sum()) > most_faces and len(faces) > most_faces / 2:
            break
        number = np.full(len(ends), -1, dtype=np.int64)
        number[long] = len(vertices) + np.arange(int(long.sum()))
        vertices = np.concatenate([vertices, vertices[ends[long]].mean(axis=1)])
        faces, old = _split(faces, number[edge_of], vertices)
        parents = parents[old]
    return vertices, faces, parents


def _edges(faces: IntArray, vertex_count: int) -> tuple[IntArray, IntArray]:
    """Every edge once, (E, 2), and the edge of each side of each face, (F, 3): side i runs from corner i to i + 1."""
    sides = np.sort(np.stack([faces, faces[:, [1, 2, 0]]], axis=2), axis=2).reshape(-1, 2)
    codes, edge_of = np.unique(sides[:, 0] * vertex_count + sides[:, 1], return_inverse=True)
    return np.stack(np.divmod(codes, vertex_count), axis=1), edge_of.reshape(-1, 3)


def _split(faces: IntArray, middles: IntArray, vertices: FloatArray) -> tuple[IntArray, IntArray]:
    """Every face as one to four, given the new vertex in the middle of each side or -1, (F, 3); and the old faces."""
    split = middles >= 0
    count = split.sum(axis=1)
    rows = np.arange(len(faces))
    # Turn each face so that one marked side comes first, and of two the unmarked one last.
    first = np.where(count == 2, (np.argmin(split, axis=1) + 1) % 3, np.argmax(split, axis=1))
    order = (first[:, None] + np.arange(3)) % 3
    a, b, c = faces[rows[:, None], order].T
    p, q, r = middles[rows[:, None], order].T
    none, one, two, three = (count == wanted for wanted in range(4))
    # The four-sided rest of a face with two halved sides is cut along its shorter diagonal.
    short = two.copy()
    short[two] = _gap(vertices, a[two], q[two]) < _gap(vertices, p[two], c[two])
    other = two & ~short
    parts: list[tuple[NDArray[np.bool_], IntArray, IntArray, IntArray]] = [
        (none, a, b, c), (one, a, p, c), (one, p, b, c),
        (two, p, b, q), (short, a, p, q), (short, a, q, c), (other, a, p, c), (other, p, q, c),
        (three, a, p, r), (three, p, b, q), (three, r, q, c), (three, p, q, r),
    ]  # fmt: skip
    made = np.concatenate([np.stack([x[which], y[which], z[which]], axis=1) for which, x, y, z in parts])
    old = np.concatenate([rows[which] for which, *_ in parts])
    steady = np.argsort(old, kind="stable")
    return made[steady], old[steady]


def _gap(vertices: FloatArray, one: IntArray, other: IntArray) -> FloatArray:
    return np.asarray(np.linalg.norm(vertices[one] - vertices[other], axis=1))
