"""Pieces of a surface without crumbs: what is too small to see belongs to its surroundings."""

from __future__ import annotations

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

from meshtide.arrays import FloatArray, IntArray
from meshtide.labels.labels import weighted_vote
from meshtide.mesh.measure import triangle_areas

SMALLEST = 0.003  # of the area: what people still mark as a piece
CRUMB = 0.08  # of a piece's largest region: another region that small is a slip


def tidy_pieces(vertices: FloatArray, faces: IntArray, pieces: IntArray) -> IntArray:
    """Pieces without islands and without any that are too small, numbered as before."""
    areas = triangle_areas(vertices, faces) + 1e-15
    links = touching_faces(faces)
    for _ in range(3):
        region = _regions(links, pieces)
        size = np.bincount(region, areas)
        piece = np.zeros(len(size), dtype=np.int64)
        piece[region] = pieces
        largest = np.zeros(pieces.max() + 1)
        np.maximum.at(largest, piece, size)
        changed = _absorbed(pieces, region, (size < CRUMB * largest[piece]) & (size < largest[piece]), links)
        if (changed == pieces).all():
            break
        pieces = changed
    return _without_small(vertices[faces].mean(axis=1), areas, pieces, links)


def connected_pieces(vertices: FloatArray, faces: IntArray, pieces: IntArray) -> tuple[IntArray, IntArray]:
    """Pieces split where they do not hang together, and the old number of every new one.

    On one surface a person marks the two ends of a shaft that a wheel sits on as two pieces.
    """
    region = _regions(touching_faces(faces), pieces)
    old = np.zeros(int(region.max()) + 1, dtype=np.int64)
    old[region] = pieces
    return region, old


def _without_small(middles: FloatArray, areas: FloatArray, pieces: IntArray, links: IntArray) -> IntArray:
    """Give pieces that are too small to their neighbours, or to the nearest piece if nothing touches them."""
    for _ in range(64):  # one at a time, smallest first: several small ones may add up
        sizes = np.bincount(pieces, areas)
        present = np.flatnonzero(np.bincount(pieces))
        least = present[sizes[present].argmin()]
        if sizes[least] >= SMALLEST * areas.sum() or len(present) == 1:
            break
        mine = pieces == least
        pieces = _absorbed(pieces, mine.astype(np.int64), np.array([False, True]), links)
        rest = pieces == least
        if rest.any():
            others = np.flatnonzero(~mine)
            pieces = pieces.copy()
            pieces[rest] = pieces[others[cKDTree(middles[others]).query(middles[rest])[1]]]
    return pieces


def _absorbed(pieces: IntArray, region: IntArray, small: np.ndarray, links: IntArray) -> IntArray:
    """Small regions take the piece that they share most sides with; those that touch nothing stay."""
    both = np.concatenate([links, links[:, ::-1]])
    border = both[small[region[both[:, 0]]] & (region[both[:, 0]] != region[both[:, 1]])]
    if len(border) == 0:
        return pieces
    votes = weighted_vote(region[border[:, 0]], pieces[border[:, 1]], np.ones(len(border)), len(small))
    return np.where(small[region] & (votes[region] >= 0), votes[region], pieces)


def touching_faces(faces: IntArray) -> IntArray:
    """Pairs of faces that share a side, (L, 2)."""
    sides = np.sort(faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
    keys = sides[:, 0] * (int(faces.max()) + 1) + sides[:, 1]
    order = np.argsort(keys, kind="stable")
    same = keys[order][1:] == keys[order][:-1]
    return np.stack([order[:-1][same] // 3, order[1:][same] // 3], axis=1)


def _regions(links: IntArray, pieces: IntArray) -> IntArray:
    """Connected faces of one piece, (F,)."""
    inside = links[pieces[links[:, 0]] == pieces[links[:, 1]]]
    count = len(pieces)
    graph = coo_array((np.ones(len(inside), dtype=np.int8), (inside[:, 0], inside[:, 1])), shape=(count, count))
    return np.asarray(connected_components(graph, directed=False)[1], dtype=np.int64)
