"""Eigenpairs of an operator that falls into connected components: solve each apart, merge what is smallest.

Identical components have identical eigenvalues, and a Krylov method from one start finds few of many copies. Apart,
each component is a connected problem; together, the merged list is complete when every component was solved as far as
the last eigenvalue kept.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import scipy.sparse as sparse
from scipy.linalg import eigh

from meshtide.spectral.eigensolver.factorisation import Array, ShiftedMatrix, SuperLU

Integers: TypeAlias = npt.NDArray[np.int64]
# (matrix, mass, count) -> (values, vectors) of one connected component
ConnectedSolver: TypeAlias = Callable[[sparse.csc_array, Array, int], tuple[Array, Array]]

TINY = 32  # components up to this size are solved completely, all of one size in one call


@dataclass(frozen=True, eq=False)
class Split:
    """The operator in block-diagonal order: component c owns rows [starts[c], starts[c + 1])."""

    matrix: sparse.csc_array
    mass: Array
    order: Integers  # row i here is row order[i] of the input
    starts: Integers

    @property
    def sizes(self) -> Integers:
        return np.diff(self.starts)

    def component(self, index: int) -> tuple[sparse.csc_array, Array]:
        rows = slice(self.starts[index], self.starts[index + 1])
        return sparse.csc_array(self.matrix[:, rows][rows]), self.mass[rows]


def split_components(matrix: sparse.csc_array, mass: Array, labels: npt.NDArray[np.int32]) -> Split:
    """Sort the rows by component."""
    order = np.argsort(labels, kind="stable").astype(np.int64)
    starts = np.concatenate([[0], np.cumsum(np.bincount(labels))]).astype(np.int64)
    return Split(sparse.csc_array(matrix[:, order][order]), mass[order], order, starts)


def solve_components(split: Split, count: int, solve: ConnectedSolver) -> tuple[Array, Array]:
    """The `count` smallest eigenpairs over all components; vectors in the order of the input rows."""
    components = len(split.sizes)
    if components >= count:
        null = null_vectors(split, count)
        if null is not None:
            return np.zeros(count), null
    wanted = _shares(split, count)
    found = solve_tiny(split)
    while True:
        for index in range(components):
            if index not in found or len(found[index][0]) < wanted[index]:
                found[index] = solve(*split.component(index), int(wanted[index]))
        cutoff = np.partition(np.concatenate([found[index][0] for index in range(components)]), count - 1)[count - 1]
        reached = np.array([found[index][0][-1] for index in range(components)])
        solved = np.array([len(found[index][0]) for index in range(components)])
        short = (solved < split.sizes) & (reached < cutoff * (1 - 1e-9))
        if not short.any():
            return _merge(split, found, count)
        wanted[short] = np.minimum(split.sizes, 2 * solved + 4)[short]


def _shares(split: Split, count: int) -> Integers:
    """How many eigenpairs to begin with in each component: by area, as Weyl's law says, and `count` in all at least.

    A component has no more eigenpairs than vertices, so that what coarse ones cannot give falls to the others.
    """
    share = np.add.reduceat(split.mass, split.starts[:-1]) / split.mass.sum()
    wanted: Integers = np.minimum(np.ceil(1.15 * count * share).astype(np.int64) + 2, split.sizes)
    while wanted.sum() < count:
        wanted = np.minimum(wanted + wanted // 2 + 1, split.sizes)
    return wanted


def _merge(split: Split, found: dict[int, tuple[Array, Array]], count: int) -> tuple[Array, Array]:
    owners = np.concatenate([np.full(len(found[index][0]), index) for index in range(len(split.sizes))])
    places = np.concatenate([np.arange(len(found[index][0])) for index in range(len(split.sizes))])
    values = np.concatenate([found[index][0] for index in range(len(split.sizes))])
    chosen = np.argsort(values, kind="stable")[:count]
    vectors = np.zeros((len(split.mass), count))
    for column, pair in enumerate(chosen):
        owner = owners[pair]
        rows = split.order[split.starts[owner] : split.starts[owner + 1]]
        vectors[rows, column] = found[owner][1][:, places[pair]]
    return values[chosen], vectors


def solve_tiny(split: Split) -> dict[int, tuple[Array, Array]]:
    """All eigenpairs of the tiny components, in one stacked call for each size."""
    found: dict[int, tuple[Array, Array]] = {}
    entries = split.matrix.tocoo()
    owners = np.repeat(np.arange(len(split.sizes)), split.sizes)[entries.row]
    for size in np.unique(split.sizes[split.sizes <= TINY]):
        members = np.flatnonzero(split.sizes == size)
        slot = np.full(len(split.sizes), -1)
        slot[members] = np.arange(len(members))
        mine = slot[owners] >= 0
        begin = split.starts[owners[mine]]
        stack = np.zeros((len(members), size, size))
        stack[slot[owners[mine]], entries.row[mine] - begin, entries.col[mine] - begin] = entries.data[mine]
        root = np.sqrt(split.mass[split.starts[members][:, None] + np.arange(size)])
        values, vectors = np.linalg.eigh(stack / root[:, :, None] / root[:, None, :])
        vectors /= root[:, :, None]
        found.update({int(member): (values[i], vectors[i]) for i, member in enumerate(members)})
    return found


def null_vectors(split: Split, count: int) -> Array | None:
    """One vector with eigenvalue zero for each of the heaviest `count` components, or None if there are none such.

    A surface Laplacian has the constants; another operator shows its own after inverse iteration, all components at
    once. With a positive semi-definite operator nothing lies below zero, so these pairs are the smallest.
    """
    size = len(split.mass)
    weights = np.add.reduceat(split.mass, split.starts[:-1])
    typical = np.add.reduceat(split.matrix.diagonal(), split.starts[:-1]) / weights
    vector = _normalise(split, np.ones(size))
    if not _is_null(split, vector, typical):
        factor = SuperLU(ShiftedMatrix(split.matrix, split.mass))
        factor.factorise(-1e-7 * float(typical.mean()))
        for _ in range(4):
            vector = _normalise(split, factor.solve(split.mass * vector))
        if not _is_null(split, vector, typical):
            return None
    heaviest = np.argsort(-weights, kind="stable")[:count]
    vectors = np.zeros((size, count))
    for column, index in enumerate(heaviest):
        rows = slice(split.starts[index], split.starts[index + 1])
        vectors[split.order[rows], column] = vector[rows]
    return vectors


def _normalise(split: Split, vector: Array) -> Array:
    lengths = np.sqrt(np.add.reduceat(split.mass * vector**2, split.starts[:-1]))
    normalised: Array = vector / np.repeat(lengths, split.sizes)
    return normalised


def _is_null(split: Split, vector: Array, typical: Array) -> bool:
    squares = np.add.reduceat((split.matrix @ vector) ** 2 / split.mass, split.starts[:-1])
    return bool(np.all(np.sqrt(squares) <= 1e-9 * typical))


def solve_dense(matrix: sparse.csc_array, mass: Array, count: int) -> tuple[Array, Array]:
    """The smallest eigenpairs of a small operator by LAPACK: complete by construction."""
    root = np.sqrt(mass)
    dense = matrix.toarray() / root[:, None] / root[None, :]
    values, vectors = eigh((dense + dense.T) / 2, subset_by_index=(0, count - 1), check_finite=False)
    return values, vectors / root[:, None]


def solve_dense_inverse(matrix: sparse.csc_array, mass: Array, count: int) -> tuple[Array, Array]:
    """As solve_dense, through the inverse: keeps small eigenvalues exact where tiny masses make huge ones."""
    size, root = len(mass), np.sqrt(mass)
    shift = 1e-3 * 4 * np.pi * count / mass.sum()
    inverse = np.linalg.inv(matrix.toarray() + shift * np.diag(mass)) * root[:, None] * root[None, :]
    values, vectors = eigh((inverse + inverse.T) / 2, subset_by_index=(size - count, size - 1), check_finite=False)
    return 1 / values[::-1] - shift, vectors[:, ::-1] / root[:, None]
