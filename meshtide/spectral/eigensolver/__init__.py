"""The smallest eigenpairs of a Laplacian: fast, repeatable to the bit, and proved complete.

`smallest_eigenpairs` solves L u = λ M u for a symmetric positive semi-definite L and a diagonal of positive masses M.
Every answer is checked before it is returned: residuals and orthonormality are computed afresh, and the number of
eigenvalues below the last one is counted independently (see shiftinvert.py).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sparse
from scipy.sparse.csgraph import connected_components
from threadpoolctl import threadpool_limits

from meshtide.spectral.eigensolver import components, filtered, shiftinvert
from meshtide.spectral.eigensolver.factorisation import Array, choose_factorisation, load_library

SOLVER_VERSION: int = 1  # part of every cache key; raise it when the numbers returned change

RESIDUAL_LIMIT = 1e-6
ORTHONORMALITY_LIMIT = 1e-9
FACTORISED = 3_000  # vertices up to which a tangled operator is factorised all the same, which is faster
DENSE_LIMIT = 5_000  # vertices; the last resort stays below a gigabyte


@dataclass(frozen=True, eq=False)
class Eigenpairs:
    """The smallest eigenpairs, ascending; `residual` is the worst ||S u - λ u|| relative to the largest λ.

    S is M^-½ L M^-½ and u is of unit length there; where all λ are zero the residual is relative to the mean of S's
    diagonal, weighted by mass. The sign of a vector makes its largest entry positive.
    """

    values: Array  # (k,)
    vectors: Array  # (n, k), vectors.T @ (mass * vectors) = identity
    residual: float
    factorisation: str  # the one that did the work, "none" if products did, "dense" if all was solved
    solves: int  # right-hand sides solved for
    attempts: int  # 1 unless a certificate failed and the solver tried again


def smallest_eigenpairs(
    matrix: sparse.sparray | sparse.spmatrix,
    mass: Array,
    count: int,
    *,
    factorisation: str = "auto",
    tangled: bool = False,
) -> Eigenpairs:
    """Find the `count` smallest eigenvalues λ of L u = λ M u and their vectors, all of them if there are fewer.

    `matrix` is symmetric positive semi-definite, `mass` the positive diagonal of M. `factorisation` is "auto",
    "superlu" or "pardiso"; the answer is the same up to rounding. Raises RuntimeError rather than return
    pairs that could not be proved to be the smallest. A `tangled` operator is I - L̃ of a graph that is no mesh, with
    masses of 1: it is not factorised if it can be helped, and its pairs are searched rather than proved to be all.
    """
    operator, mass = _checked(matrix, mass, count)
    if not tangled or len(mass) <= FACTORISED:
        load_library(choose_factorisation(factorisation, len(mass)))
    work = Work(factorisation, tangled)
    # On a busy machine two BLAS threads made this several times slower, and one thread repeats to the bit.
    with threadpool_limits(limits=1):
        values, vectors, residual = _solve(operator, mass, min(count, len(mass)), work)
        fix_signs(vectors)
    # Rounding puts a zero eigenvalue on either side of zero.
    np.maximum(values, 0, out=values)
    return Eigenpairs(values, vectors, residual, work.used, work.solves, work.attempts)


def _checked(matrix: sparse.sparray | sparse.spmatrix, mass: Array, count: int) -> tuple[sparse.csc_array, Array]:
    """The operator made exactly symmetric, with zeros removed; complaints about anything that is no operator."""
    if not isinstance(matrix, (sparse.sparray, sparse.spmatrix)):
        raise TypeError(f"the operator must be a scipy sparse matrix, not {type(matrix).__name__}")
    mass = np.ascontiguousarray(mass, dtype=np.float64)
    if count < 1:
        raise ValueError(f"{count} eigenpairs were asked for; at least 1 is needed")
    operator = sparse.csc_array(matrix, dtype=np.float64)
    if mass.ndim != 1 or not len(mass) or operator.shape != (len(mass), len(mass)):
        raise ValueError(f"an operator of shape {operator.shape} does not fit masses of shape {mass.shape}")
    if not (np.isfinite(mass).all() and mass.min() > 0):
        raise ValueError("every mass must be positive and finite")
    operator = sparse.csc_array((operator + operator.T) * 0.5)
    if not np.isfinite(operator.data).all():
        raise ValueError("the operator has entries that are not finite")
    operator.eliminate_zeros()
    return operator, mass


@dataclass
class Work:
    """What was asked for, and a tally of what was done."""

    factorisation: str
    tangled: bool = False
    used: str = "dense"
    solves: int = 0
    attempts: int = 1


def _solve(matrix: sparse.csc_array, mass: Array, count: int, work: Work) -> tuple[Array, Array, float]:
    """Values, vectors (row-major) and residual; components apart."""
    number, labels = connected_components(matrix, directed=False)
    if number == 1:
        return solve_one(matrix, mass, count, work)
    split = components.split_components(matrix, mass, labels)
    values, vectors = components.solve_components(
        split, count, lambda part, weights, wanted: solve_one(part, weights, wanted, work)[:2]
    )
    return values, vectors, verify(matrix, mass, values, vectors)


def solve_one(matrix: sparse.csc_array, mass: Array, count: int, work: Work) -> tuple[Array, Array, float]:
    """The eigenpairs of one connected component, trying ever more robust ways until they are certified."""
    if len(mass) <= 3 * count + 160:
        return _dense(matrix, mass, count)
    name = choose_factorisation(work.factorisation, len(mass))
    # At least two: the residual is relative to the largest eigenvalue, and the first one alone is zero.
    wanted = max(count, 2)
    reasons: list[str] = []
    if work.tangled and len(mass) > FACTORISED:
        try:
            found = filtered.solve_filtered(matrix, wanted)
            residual = verify(matrix, mass, found.values, found.vectors)
            work.used, work.solves = "none", work.solves + found.solves
            return found.values[:count], np.ascontiguousarray(found.vectors[:, :count]), residual
        except (ArithmeticError, RuntimeError, np.linalg.LinAlgError) as reason:
            reasons.append(str(reason))
    for attempt, plan in enumerate((*shiftinvert.PLANS, None), start=1):
        try:
            with np.errstate(over="ignore", invalid="ignore"):  # what it leads to is refused below
                if plan is None:
                    found = shiftinvert.solve_plainly(matrix, mass, wanted)
                else:
                    found = shiftinvert.solve_connected(matrix, mass, wanted, name, plan)
                residual = verify(matrix, mass, found.values, found.vectors)
        except (ArithmeticError, RuntimeError, np.linalg.LinAlgError) as reason:
            reasons.append(str(reason))
            continue
        work.used, work.solves, work.attempts = name, work.solves + found.solves, max(work.attempts, attempt)
        return found.values[:count], np.ascontiguousarray(found.vectors[:, :count]), residual
    if len(mass) <= DENSE_LIMIT:
        return _dense(matrix, mass, count)
    raise RuntimeError(f"the {count} smallest eigenpairs could not be certified: {'; '.join(reasons)}")


def _dense(matrix: sparse.csc_array, mass: Array, count: int) -> tuple[Array, Array, float]:
    values, vectors = components.solve_dense(matrix, mass, count)
    try:
        return values, vectors, verify(matrix, mass, values, vectors)
    except RuntimeError:
        # Masses over many orders of magnitude drown the small eigenvalues in the rounding of the large ones.
        values, vectors = components.solve_dense_inverse(matrix, mass, count)
    return values, vectors, verify(matrix, mass, values, vectors)


def verify(matrix: sparse.csc_array, mass: Array, values: Array, vectors: Array) -> float:
    """Compute residual and orthonormality afresh; return the residual, or raise RuntimeError if either is too large."""
    by_rows, root = matrix.tocsr(), np.sqrt(mass)
    squares, gram = np.zeros(len(values)), np.zeros((len(values), len(values)))
    rows = max(256, 2**17 // len(values))  # a few megabytes at a time, whatever the size
    for begin in range(0, len(mass), rows):
        part = slice(begin, begin + rows)
        scaled = vectors[part] * root[part, None]
        gram += scaled.T @ scaled
        difference = (by_rows[part] @ vectors) / root[part, None] - scaled * values
        squares += np.einsum("ij,ij->j", difference, difference)
    scale = residual_scale(matrix, mass, values)
    residual = float(np.sqrt(squares.max())) / scale
    if not residual <= RESIDUAL_LIMIT and not residual <= _rounding(matrix, mass, vectors) / scale:
        raise RuntimeError(f"a relative residual is {residual:.1e}, more than {RESIDUAL_LIMIT:.0e}")
    skew = float(np.abs(gram - np.identity(len(values))).max())
    if skew > ORTHONORMALITY_LIMIT:
        raise RuntimeError(f"the eigenvectors are orthonormal only to {skew:.1e}")
    return residual


def residual_scale(matrix: sparse.csc_array, mass: Array, values: Array) -> float:
    """What residuals are relative to: the largest eigenvalue, or the mean of the spectrum where all are zero."""
    typical = float(matrix.diagonal().sum() / mass.sum())
    largest = float(values[-1])
    return largest if largest > 1e-8 * typical else typical or 1.0


def _rounding(matrix: sparse.csc_array, mass: Array, vectors: Array) -> float:
    """The residual that rounding alone can cause: large only where tiny masses meet large matrix entries."""
    weights = matrix.diagonal() ** 2 / mass
    largest = max(float(weights @ vectors[:, column] ** 2) for column in range(vectors.shape[1]))
    return 100 * float(np.finfo(np.float64).eps) * float(np.sqrt(largest))


def fix_signs(vectors: Array) -> None:
    """Flip each vector, in place, so that its largest entry is positive; the first of several equally large."""
    highest, lowest = vectors.max(axis=0), vectors.min(axis=0)
    flip = -lowest > highest
    for column in np.flatnonzero(np.abs(highest + lowest) <= 1e-6 * np.maximum(highest, -lowest)):
        vector = vectors[:, column]
        first = np.flatnonzero(np.abs(vector) >= (1 - 1e-6) * max(highest[column], -lowest[column]))[0]
        flip[column] = vector[first] < 0
    vectors *= np.where(flip, -1.0, 1.0)
