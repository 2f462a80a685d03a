"""Patches merged into regions so that the expected Rand error is least.

With m the masses of patches and P their probabilities of being of one part, a division into regions is expected to be
wrong on a share Σ m_i m_j (1 - P_ij) of the pairs inside regions and Σ m_i m_j P_ij of those across. Up to a constant
that is -Σ m_i m_j (P_ij - ½) over the pairs inside. No number of parts has to be chosen for it, and no threshold.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from meshtide.arrays import FloatArray, IntArray

SMALLEST = 0.004  # parts with less of the area go to their likeliest neighbour
MOST_ROUNDS = 8


def merge(
    logits: FloatArray, masses: FloatArray, edges: IntArray, *, shift: float = 0.0, smallest: float = SMALLEST
) -> IntArray:
    """The region of every patch, (n,), for logits (n, n) of being of one part; `shift` above 0 makes more regions."""
    gains = gain_matrix(logits, masses, shift)
    touching = _touching(edges, len(masses))
    tries = [_improved(_greedy(gains, masses, touching, by), gains, masses, touching) for by in ("mean", "sum")]
    best = max(tries, key=lambda regions: objective(regions, gains))
    best = _connected(best, edges)
    return _numbered(_without_small(best, logits, masses, touching, smallest))


def merge_to(logits: FloatArray, masses: FloatArray, edges: IntArray, count: int) -> IntArray:
    """As `merge`, with exactly so many regions, or as near as there are patches and ways between them."""
    regions, touching = merge(logits, masses, edges), _touching(edges, len(masses))
    if len(np.unique(regions)) < count:
        regions = _at_least(logits, masses, touching, count)
    return _numbered(_down_to(regions, gain_matrix(logits, masses, 0.0), masses, touching, count))


def _at_least(logits: FloatArray, masses: FloatArray, touching: NDArray[np.bool_], count: int) -> IntArray:
    """So many regions or a few more: those of the least shift of the logits that gives enough."""
    regions = np.arange(len(masses))
    low, high = 0.0, 2 * float(np.abs(logits).max()) + 1
    for _ in range(9):
        middle = (low + high) / 2
        gains = gain_matrix(logits, masses, middle)
        found = _improved(_greedy(gains, masses, touching, "mean"), gains, masses, touching)
        if len(np.unique(found)) >= count:
            high, regions = middle, found
        else:
            low = middle
    return regions


def gain_matrix(logits: FloatArray, masses: FloatArray, shift: float) -> FloatArray:
    """What having two patches in one region takes from the expected Rand error, (n, n), with a zero diagonal."""
    gains = np.outer(masses, masses) * (1 / (1 + np.exp(-(logits - shift))) - 0.5)
    np.fill_diagonal(gains, 0.0)
    return np.asarray(gains)


def objective(regions: IntArray, gains: FloatArray) -> float:
    """What a division takes from the expected Rand error of leaving all patches alone; the more the better."""
    return float(gains[regions[:, None] == regions].sum() / 2)


def _touching(edges: IntArray, count: int) -> NDArray[np.bool_]:
    matrix = np.zeros((count, count), dtype=bool)
    matrix[edges[:, 0], edges[:, 1]] = matrix[edges[:, 1], edges[:, 0]] = True
    return matrix


def _greedy(gains: FloatArray, masses: FloatArray, touching: NDArray[np.bool_], by: str) -> IntArray:
    """Merge neighbours as long as any merging gains, the one first that gains most, in sum or for its mass."""
    regions = np.arange(len(masses))
    gains, masses, touching = gains.copy(), masses.copy(), touching.copy()
    np.fill_diagonal(touching, False)
    while True:
        worth = gains / np.outer(masses, masses) if by == "mean" else gains
        worth = np.where(touching, worth, -np.inf)
        a, b = np.unravel_index(int(worth.argmax()), worth.shape)
        if not worth[a, b] > 0:
            return regions
        _join(int(a), int(b), regions, gains, masses, touching)


def _join(
    a: int, b: int, regions: IntArray, gains: FloatArray, masses: FloatArray, touching: NDArray[np.bool_]
) -> None:
    """Region b goes into a, in place; b touches nothing any more."""
    regions[regions == b] = a
    gains[a] += gains[b]
    gains[:, a] += gains[:, b]
    masses[a] += masses[b]
    touching[a] |= touching[b]
    touching[:, a] |= touching[:, b]
    touching[b], touching[:, b], touching[a, a] = False, False, False


def _improved(regions: IntArray, gains: FloatArray, masses: FloatArray, touching: NDArray[np.bool_]) -> IntArray:
    """Move single patches to a neighbouring region, or out of theirs, as long as that gains."""
    count = len(masses)
    regions = regions.copy()
    member = np.zeros((count, count))
    member[np.arange(count), regions] = 1.0
    for _ in range(MOST_ROUNDS):
        moved = False
        for patch in range(count):
            to = gains[patch] @ member
            reachable = (touching[patch] @ member) > 0
            reachable[regions[patch]] = True
            to = np.where(reachable, to, -np.inf)
            target = int(to.argmax())
            if target != regions[patch] and to[target] > to[regions[patch]] + 1e-15:
                member[patch, regions[patch]], member[patch, target] = 0.0, 1.0
                regions[patch], moved = target, True
        if not moved:
            break
    return regions


def _connected(regions: IntArray, edges: IntArray) -> IntArray:
    """Regions that fell apart as several."""
    inner = edges[regions[edges[:, 0]] == regions[edges[:, 1]]]
    ones = np.ones(len(inner), dtype=np.int8)
    graph = coo_array((ones, (inner[:, 0], inner[:, 1])), shape=(len(regions), len(regions)))
    return np.asarray(connected_components(graph, directed=False)[1], dtype=np.int64)


def _without_small(
    regions: IntArray, logits: FloatArray, masses: FloatArray, touching: NDArray[np.bool_], smallest: float
) -> IntArray:
    """Regions below a share of the area, the smallest first, given to the neighbour they are likeliest one with."""
    regions = regions.copy()
    likely = np.outer(masses, masses) / (1 + np.exp(-logits))
    while True:
        names = np.unique(regions)
        member = (regions == names[:, None]).astype(np.float64)  # (R, n)
        sizes = member @ masses
        near = (member @ touching @ member.T) > 0
        np.fill_diagonal(near, False)
        small = np.flatnonzero((sizes < smallest) & near.any(axis=1))
        if len(small) == 0:
            return regions
        one = small[sizes[small].argmin()]
        shared = (member[one] @ likely @ member.T) / np.maximum(sizes, 1e-12)
        other = int(np.where(near[one], shared, -np.inf).argmax())
        regions[regions == names[one]] = names[other]


def _down_to(
    regions: IntArray, gains: FloatArray, masses: FloatArray, touching: NDArray[np.bool_], count: int
) -> IntArray:
    """Merge regions, each time the two whose merging loses least for its mass, until so many are left."""
    names, regions = np.unique(regions, return_inverse=True)
    member = (regions == np.arange(len(names))[:, None]).astype(np.float64)
    between, sizes = member @ gains @ member.T, member @ masses
    np.fill_diagonal(between, 0.0)
    near = (member @ touching @ member.T) > 0
    np.fill_diagonal(near, False)
    for _ in range(len(names) - count):
        allowed = near if near.any() else ~np.eye(len(names), dtype=bool) & np.outer(sizes > 0, sizes > 0)
        # By loss alone and not for the mass: to lose least Rand error, what is small goes first.
        a, b = np.unravel_index(int(np.where(allowed, between, -np.inf).argmax()), between.shape)
        _join(int(a), int(b), regions, between, sizes, near)
        sizes[b] = 0.0
    return regions


def _numbered(regions: IntArray) -> IntArray:
    return np.asarray(np.unique(regions, return_inverse=True)[1], dtype=np.int64)
