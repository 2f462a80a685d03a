"""Faces wound one way and outwards, as far as a surface has an outside."""

from __future__ import annotations

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from meshtide.arrays import FloatArray, IntArray


def outward(vertices: FloatArray, faces: IntArray) -> IntArray:
    """The same faces, some with their corners in the opposite order, so that neighbours agree and normals point out."""
    flip, shell = _agreeing(faces, len(vertices))
    turned = np.where(flip[:, None], faces[:, ::-1], faces)
    a, b, c = (vertices[turned[:, corner]] for corner in range(3))
    normals, middles = np.cross(b - a, c - a), (a + b + c) / 3
    weights = np.linalg.norm(normals, axis=1)
    count = int(shell.max()) + 1
    total = np.maximum(np.bincount(shell, weights, count), 1e-300)
    centres = np.stack([np.bincount(shell, weights * middles[:, x], count) / total for x in range(3)], axis=1)
    volumes = np.bincount(shell, np.einsum("fx,fx->f", normals, middles - centres[shell]), count)
    return np.where((volumes < 0)[shell][:, None], turned[:, ::-1], turned)


def neighbours(faces: IntArray, vertex_count: int) -> tuple[IntArray, IntArray, IntArray]:
    """Pairs of faces that share an edge, (N, 2), that edge's ends, (N, 2), and whether both run along it alike, (N,).

    Where more than two faces meet, each is paired with the next.
    """
    sides = np.stack([faces, faces[:, [1, 2, 0]]], axis=2).reshape(-1, 2)
    low, high = sides.min(axis=1), sides.max(axis=1)
    codes = low * vertex_count + high
    order = np.argsort(codes, kind="stable")
    same = (codes[order][1:] == codes[order][:-1]) & (low != high)[order][1:]
    one, other = order[:-1][same], order[1:][same]
    alike = sides[one, 0] == sides[other, 0]
    pairs, ends = np.stack([one // 3, other // 3], axis=1), np.stack([low[one], high[one]], axis=1)
    apart = pairs[:, 0] != pairs[:, 1]
    return pairs[apart], ends[apart], alike[apart]


def _agreeing(faces: IntArray, vertex_count: int) -> tuple[IntArray, IntArray]:
    """Which faces to turn so that neighbours agree, (F,), and the shell of each, (F,).

    Every face stands in a graph twice, as it is and turned, and is linked to the copy of its neighbour that agrees. An
    orientable shell falls apart into two mirror images; of a Möbius band nothing is turned.
    """
    pairs, _, alike = neighbours(faces, vertex_count)
    count = len(faces)
    first, second = pairs.T
    # Faces that run along their edge alike disagree: one of them must be turned.
    cross = np.where(alike, count, 0)
    rows = np.concatenate([first, first + count])
    columns = np.concatenate([second + cross, second + count - cross])
    graph = coo_array((np.ones(len(rows), dtype=np.int8), (rows, columns)), shape=(2 * count, 2 * count))
    _, copy = connected_components(graph, directed=False)
    plain, turned = copy[:count], copy[count:]
    shells, shell = np.unique(np.minimum(plain, turned), return_inverse=True)
    # Of two mirror images the one in which more faces stay as they are.
    votes = np.bincount(shell, np.where(plain < turned, 1, np.where(plain > turned, -1, 0)), len(shells))
    keep_lower = (votes >= 0)[shell]
    flip = np.where(keep_lower, plain > turned, plain < turned)
    return flip, shell
