"""The smallest eigenpairs of one connected operator, certified complete.

Shift and invert: with σ amid the wanted eigenvalues the operator (L - σM)⁻¹ makes them the extreme ones, θ = 1/(λ - σ),
and a block Lanczos method finds them. The number of eigenvalues below a shift (see factorisation.py) places σ before,
and proves after that the pairs found are the smallest ones, every one of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import scipy.sparse as sparse
from scipy.sparse.linalg import eigsh

from meshtide.spectral.eigensolver import lanczos, ordering
from meshtide.spectral.eigensolver.factorisation import Array, Factorisation, make_factorisation

Indices: TypeAlias = npt.NDArray[np.intp]

TOLERANCE = 5e-8  # of a residual, relative to the largest eigenvalue wanted
GAP = 1e-6  # eigenvalues closer than this, relative to the largest, count as one cluster


class UncertifiedError(ArithmeticError):
    """The pairs found are not provably the smallest ones; the caller tries again in a more robust way."""


@dataclass(frozen=True)
class Plan:
    """How hard to try: the block size bounds the multiplicity of eigenvalues that is found at once."""

    block: int
    seed: int
    position: float = 0.6  # share of the wanted eigenvalues below the shift


PLANS = (Plan(8, 0), Plan(24, 1, 0.53), Plan(64, 2, 0.57))


@dataclass(frozen=True, eq=False)
class Found:
    """Certified eigenpairs, ascending; `solves` counts the right-hand sides solved for."""

    values: Array
    vectors: Array  # (n, k), M-orthonormal
    solves: int


def solve_connected(matrix: sparse.csc_array, mass: Array, count: int, name: str, plan: Plan = PLANS[0]) -> Found:
    """The `count` smallest eigenpairs of a connected operator; raises UncertifiedError when they cannot be proved."""
    if name == "pardiso" or not ordering.pays(matrix):
        return _solve_ordered(matrix, mass, count, name, plan, ordered=False)
    order = ordering.nested_dissection(matrix)
    permuted = sparse.csc_array(matrix[:, order][order])
    found = _solve_ordered(permuted, mass[order], count, name, plan, ordered=True)
    vectors = np.empty_like(found.vectors)
    vectors[order] = found.vectors
    return Found(found.values, vectors, found.solves)


def _solve_ordered(matrix: sparse.csc_array, mass: Array, count: int, name: str, plan: Plan, ordered: bool) -> Found:
    factor = make_factorisation(name, matrix, mass, ordered)
    try:
        guess = 4 * np.pi * count / mass.sum()  # Weyl's law for a surface
        shift = place_shift(factor, count, guess, plan.position)
        found, spectrum = _iterate(factor, np.sqrt(mass), shift, count, plan)
        certify(factor, spectrum, count)
    finally:
        factor.release()
    return found


def place_shift(factor: Factorisation, count: int, guess: float, position: float) -> float:
    """Factorise at a shift with about the given share of the wanted eigenvalues below it, and return it."""
    aim = position * count
    tried: list[tuple[float, int]] = []  # shift and count below it
    shift = position * guess
    for _ in range(40):
        shift = _factorise_near(factor, shift)
        below = factor.negative or 0
        if 0.75 * aim <= below <= 1.25 * aim or abs(below - aim) <= 2:
            return shift
        tried.append((shift, below))
        low = max((pair for pair in tried if pair[1] < aim), default=(0.0, 0))
        high = min((pair for pair in tried if pair[1] >= aim), default=(np.inf, 0))
        if high[0] - low[0] < 1e-3 * high[0] and low[1] > 0:
            break  # a cluster of eigenvalues sits here; stay below it
        shift = _next_shift(tried, low, high, aim)
    if low[1] == 0:
        raise UncertifiedError(f"no shift with about {aim:.0f} eigenvalues below it was found")
    return shift if (factor.negative or 0) < aim else _factorise_near(factor, low[0])


def _next_shift(tried: list[tuple[float, int]], low: tuple[float, int], high: tuple[float, int], aim: float) -> float:
    """Where the count should be right: a power law through the bounds, or the last two tries, or Weyl's law."""
    last = max(tried[-1][1], 1)
    if low[1] > 0 and high[1] > 0:
        part = np.log(aim / low[1]) / np.log(high[1] / low[1])
        return float(low[0] * (high[0] / low[0]) ** np.clip(part, 0.1, 0.9))
    power = 1.0
    if len(tried) > 1 and tried[-2][1] > 0 and tried[-2][1] != last:
        power = np.log(last / tried[-2][1]) / np.log(tried[-1][0] / tried[-2][0])
    factor = (aim / last) ** (1 / np.clip(power, 0.4, 1.5))
    # A little too far on purpose: a bound on the other side is worth more than one more step on this one.
    return float(tried[-1][0] * np.clip(factor * (1.1 if factor > 1 else 0.9), 1e-3, 30.0))


def _factorise_near(factor: Factorisation, shift: float) -> float:
    """Factorise at the shift, or a little beside it when the shift hits an eigenvalue."""
    for nudge in (0.0, 1e-7, -3e-7, 1e-6):
        try:
            factor.factorise(shift * (1 + nudge))
        except (ArithmeticError, RuntimeError):
            continue
        return shift * (1 + nudge)
    raise UncertifiedError(f"the operator could not be factorised near {shift:g}")


@dataclass(frozen=True, eq=False)
class Spectrum:
    """Ritz values mapped back to λ, ascending, with their residuals relative to the largest wanted one."""

    values: Array
    residuals: Array
    order: Indices  # of the Ritz pairs

    def converged(self, count: int) -> float:
        """The worst residual among the first `count`, infinite if there are fewer."""
        return float(self.residuals[:count].max()) if len(self.values) >= count else np.inf


def _spectrum(pairs: lanczos.Ritz, shift: float, count: int) -> Spectrum:
    with np.errstate(divide="ignore"):
        values = shift + 1 / pairs.values
    # A negative eigenvalue cannot be: such a Ritz value is a mixture of both sides of the shift, not yet converged.
    possible = np.flatnonzero(np.isfinite(values) & (values > -0.02 * abs(shift)))
    order = possible[np.argsort(values[possible], kind="stable")]
    values = values[order]
    scale = values[min(count, len(values)) - 1] if len(values) else 1.0
    # With the purified vector x + r/θ the residual in λ is r/θ².
    residuals = np.linalg.norm(pairs.outside[:, order], axis=0) / pairs.values[order] ** 2 / scale
    return Spectrum(values, residuals, order)


def _iterate(factor: Factorisation, root: Array, shift: float, count: int, plan: Plan) -> tuple[Found, Spectrum]:
    """Run block Lanczos until the wanted pairs have converged."""

    def operator(block: Array) -> Array:
        solution = factor.solve(np.multiply(block, root[:, None], order="F"))
        return np.multiply(solution, root[:, None], order="F")

    positive_definite = factor.negative is None
    length, block = len(root), plan.block
    capacity = min(int((3.6 if positive_definite else 2.8) * count) + 12 * block, length - block)
    capacity -= capacity % block
    if capacity < count + 6 * block:
        raise UncertifiedError(f"{length} vertices are too few for blocks of {block}")
    space = lanczos.start(operator, length, capacity, block, plan.seed)
    test = min(int((2.25 * count + 12 * block) if positive_definite else (1.5 * count + 8 * block)), capacity)
    solves, previous = block, (0, np.inf)
    for _ in range(60):
        while space.size < test:
            lanczos.expand(space, operator)
            solves += block
        pairs = lanczos.ritz(space)
        spectrum = _spectrum(pairs, shift, count)
        worst = spectrum.converged(count)
        if worst <= TOLERANCE:
            break
        if space.size + block > space.capacity:
            keep = min(count + 2 * block, len(spectrum.order), capacity - 4 * block)
            lanczos.restart(space, pairs, spectrum.order[:keep])
            previous = (0, np.inf)
            test = min(space.size + max(count // 2, 4 * block), space.capacity)
        else:
            test = min(_next_test(space.size, worst, previous, count, block), space.capacity)
            previous = (space.size, worst)
    else:
        raise UncertifiedError(f"residual {worst:.1e} after {solves} solves")
    chosen = spectrum.order[:count]
    if not factor.refactors:
        factor.release()  # the vectors are the largest thing; do not hold both
    vectors = lanczos.vectors(space, pairs, chosen)
    vectors /= root[:, None]
    return Found(spectrum.values[:count], vectors, solves), spectrum


def _next_test(size: int, worst: float, previous: tuple[int, float], count: int, block: int) -> int:
    """Where the residual should reach the tolerance if it keeps falling geometrically."""
    missing = np.log(min(worst, 1.0) / TOLERANCE)
    rate = 1 / (0.012 * count + 0.5 * block)  # a cautious first guess
    if np.isfinite(previous[1]) and previous[1] > worst:
        rate = np.log(previous[1] / worst) / (size - previous[0])
    steps = int(np.clip(np.ceil(missing / rate / block), 1, max(1, count // (2 * block))))
    return size + steps * block


def solve_plainly(matrix: sparse.csc_array, mass: Array, count: int) -> Found:
    """The usual recipe, slow but with other weaknesses than the block method; certified all the same."""
    size = len(mass)
    more = min(count + 8, size - 1)
    shift = -1e-3 * 4 * np.pi * count / mass.sum()
    start = np.random.default_rng(0).standard_normal(size)
    values, vectors = eigsh(matrix, k=more, M=sparse.diags_array(mass).tocsc(), sigma=shift, v0=start)
    order = np.argsort(values, kind="stable")
    spectrum = Spectrum(values[order], np.zeros(more), order)
    certify(make_factorisation("superlu", matrix, mass), spectrum, count)
    return Found(values[order[:count]], vectors[:, order[:count]], 0)


def certify(factor: Factorisation, spectrum: Spectrum, count: int) -> None:
    """Prove that the first `count` values are the smallest eigenvalues, or raise UncertifiedError.

    Counts the eigenvalues below a shift in the widest gap just above them. If they end inside a cluster, the shift goes
    below the cluster: then every eigenvalue below it is found and the rest are copies of the largest one.
    """
    shift, expected = certificate_shift(spectrum, count)
    shift = _factorise_near(factor, shift)
    if factor.negative != expected:
        raise UncertifiedError(f"{expected} eigenvalues found below {shift:g}, but there are {factor.negative}")


def certificate_shift(spectrum: Spectrum, count: int) -> tuple[float, int]:
    """A shift that separates eigenvalues clearly, and how many must lie below it."""
    edge = spectrum.values[count - 1]
    usable = count
    while usable < min(len(spectrum.values), count + 16) and _is_above(spectrum, usable, edge):
        usable += 1
    values = spectrum.values[:usable]
    gaps = np.diff(values[count - 1 :])
    errors = np.maximum.accumulate(spectrum.residuals[:usable])[count - 1 : -1] * edge
    gaps[gaps < 8 * errors] = 0  # an eigenvalue may be as far from its Ritz value as the residual
    if len(gaps) and gaps.max() > GAP * edge:
        place = int(gaps.argmax())
        return float(values[count - 1 + place] + gaps[place] / 2), count + place
    wide = np.flatnonzero(np.diff(values[:count]) > GAP * edge)
    first = int(wide[-1]) + 1 if len(wide) else 0
    gap = values[first] - values[first - 1] if first else edge
    return float(values[first] - min(gap / 2, 10 * GAP * edge)), first


def _is_above(spectrum: Spectrum, index: int, edge: float) -> bool:
    """Whether the Ritz value, not asked for and only roughly converged, stands for an eigenvalue above the edge."""
    error = spectrum.residuals[index] * edge
    return bool(error < 1e-3 * edge and error < max(spectrum.values[index] - edge, GAP * edge))
