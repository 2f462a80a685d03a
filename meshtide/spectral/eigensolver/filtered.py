"""The smallest eigenpairs of a normalised graph Laplacian I - L̃ by products alone.

The factors of graphs that are no meshes are nearly full: shift and invert, the best way on a surface, is up to twenty
times slower there than products are. Their spectrum is bounded, 0 ≤ λ ≤ 2, so that a polynomial can be made that is
large on the wanted end and small on all the rest (Chebyshev's), and block Lanczos of that polynomial takes a few steps.

No factorisation means no count of eigenvalues, and so no proof that none is missing. Instead a random block is looked
at outside of what was found, where what is missing would stand out.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sparse

from meshtide.spectral.eigensolver import lanczos
from meshtide.spectral.eigensolver.factorisation import Array
from meshtide.spectral.eigensolver.shiftinvert import TOLERANCE, Found, UncertifiedError

BLOCK = 8
PROBE = 24  # steps that tell where the wanted end begins
DEGREE = 8
MOST_STEPS = 300
SEARCH = 10  # products with the filter in the search for what is missing


class Filter:
    """A polynomial of A that is 1 at 1, large above a cut, and small between -1 and the cut."""

    def __init__(self, matrix: sparse.csr_array[np.float64], cut: float, degree: int) -> None:
        centre, half = (cut - 1) / 2, (cut + 1) / 2
        identity = sparse.eye_array(matrix.shape[0], format="csr")
        self.mapped: sparse.csr_array[np.float64] = sparse.csr_array((matrix - centre * identity) * (1 / half))
        self.degree = degree
        self.scale = float(np.cosh(degree * np.arccosh((1 - centre) / half)))

    def __call__(self, block: Array) -> Array:
        before = np.ascontiguousarray(block)
        now: Any = self.mapped @ before  # scipy's types know no product of sparse and dense
        for _ in range(self.degree - 1):
            before, now = now, 2 * (self.mapped @ now) - before
        result: Array = np.asarray(now) / self.scale
        return result


def solve_filtered(laplacian: sparse.csc_array[np.float64], count: int) -> Found:
    """The `count` smallest eigenpairs of a connected I - L̃; raises UncertifiedError where one may be missing."""
    size = laplacian.shape[0]
    matrix = sparse.csr_array(sparse.eye_array(size, format="csr") - laplacian)
    operator = Filter(matrix, _cut(matrix, count), DEGREE)
    vectors, solves = _iterate(operator, size, count)
    vectors, _ = np.linalg.qr(vectors)
    image: Any = laplacian @ vectors
    values, turn = np.linalg.eigh(vectors.T @ image)
    vectors = vectors @ turn
    _look_for_more(operator, laplacian, values, vectors)
    return Found(values, vectors, solves)


def _cut(matrix: sparse.csr_array[np.float64], count: int) -> float:
    """Below the wanted eigenvalues, and not by much: a few steps of Lanczos see them all as too small."""

    def operator(block: Array) -> Array:
        product: Array = matrix @ np.ascontiguousarray(block)
        return product

    steps = min(PROBE + count // BLOCK, matrix.shape[0] // BLOCK - 2)
    space = lanczos.start(operator, matrix.shape[0], steps * BLOCK, BLOCK, seed=1)
    for _ in range(steps):
        lanczos.expand(space, operator)
    seen = np.sort(lanczos.ritz(space).values)[::-1]
    # A cut near 1 would leave a filter nothing to do.
    return float(np.clip(seen[min(count, len(seen)) - 1], -0.9, 0.999))


def _iterate(operator: Filter, size: int, count: int) -> tuple[Array, int]:
    """Block Lanczos until the largest Ritz pairs of the filter have converged; the vectors and the products made."""
    capacity = min(int(3.5 * count) + 12 * BLOCK, size - BLOCK)
    capacity -= capacity % BLOCK
    if capacity < count + 6 * BLOCK:
        raise UncertifiedError(f"{size} nodes are too few for blocks of {BLOCK}")
    space = lanczos.start(operator, size, capacity, BLOCK, seed=0)
    test = min(int(1.5 * count) + 6 * BLOCK, capacity)
    for step in range(MOST_STEPS):
        if space.size < test:
            lanczos.expand(space, operator)
            continue
        pairs = lanczos.ritz(space)
        order = np.argsort(pairs.values)[::-1]
        chosen = order[:count]
        if pairs.values[chosen[-1]] > 0:
            residuals = np.linalg.norm(pairs.outside[:, chosen], axis=0) / pairs.values[chosen]
            if residuals.max() <= TOLERANCE:
                return lanczos.vectors(space, pairs, chosen), step * BLOCK * DEGREE
        if space.size + 4 * BLOCK > capacity:
            lanczos.restart(space, pairs, order[: count + 4 * BLOCK])
        test = min(space.size + 4 * BLOCK, capacity)
    raise UncertifiedError(f"not converged after {MOST_STEPS} steps")


def _look_for_more(operator: Filter, laplacian: sparse.csc_array[np.float64], values: Array, vectors: Array) -> None:
    """Raise UncertifiedError if a random block, kept outside of what was found, leads to a smaller eigenvalue."""
    block = np.random.default_rng(2).standard_normal((len(vectors), BLOCK))
    for _ in range(SEARCH):
        block -= vectors @ (vectors.T @ block)
        block, _ = np.linalg.qr(operator(block))
    block -= vectors @ (vectors.T @ block)
    block, _ = np.linalg.qr(block)
    image: Any = laplacian @ block
    lowest = float(np.linalg.eigvalsh(block.T @ image)[0])
    if lowest < values[-1] * (1 - 1e-6):
        raise UncertifiedError(f"an eigenvalue of {lowest:g} or less was missed")
