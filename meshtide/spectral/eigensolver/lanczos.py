"""A block Lanczos method: the extreme eigenpairs of an operator that is known only by applying it to blocks.

The basis is kept orthogonal to ten digits, so it grows by one block a step without ghosts; when it is full the best
Ritz vectors start a new one (thick restart). After m steps the operator A obeys A Q = Q T + Q_next E, with Q the basis,
T the projected matrix and E the coupling to the next block: everything else follows from that one line.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.linalg import cholesky, eigh
from scipy.linalg.blas import dgemm

Array: TypeAlias = npt.NDArray[np.float64]
Operator: TypeAlias = Callable[[Array], Array]

# A column this much shorter than it was lies in the basis up to rounding: the Krylov space is exhausted.
EXHAUSTED = 1e-11


@dataclass(eq=False)
class Subspace:
    """A growing orthonormal basis: columns [:size] are projected in `projected`, the next block follows them."""

    basis: Array  # (n, capacity + block), column-major
    projected: Array  # (capacity + block, capacity + block)
    size: int
    block: int
    random: np.random.Generator
    restarted: bool = False  # since the last step
    patience: int = 2  # steps between full reorthogonalisations
    waited: int = 0

    @property
    def capacity(self) -> int:
        return int(self.basis.shape[1]) - self.block

    @property
    def following(self) -> Array:  # (n, block), the next block
        return self.basis[:, self.size : self.size + self.block]

    @property
    def coupling(self) -> Array:  # (block, size)
        return self.projected[self.size : self.size + self.block, : self.size]


@dataclass(frozen=True, eq=False)
class Ritz:
    """Approximate eigenpairs of the operator: values θ, coordinates in the basis, and their coupling to the outside."""

    values: Array  # (size,)
    coordinates: Array  # (size, size)
    outside: Array  # (block, size), the residual A x - θ x in the next block


def start(operator: Operator, length: int, capacity: int, block: int, seed: int) -> Subspace:
    """Begin with a random block, damped once by the operator so that it holds little of what is not wanted."""
    space = Subspace(
        basis=np.empty((length, capacity + block), order="F"),
        projected=np.zeros((capacity + block, capacity + block)),
        size=0,
        block=block,
        random=np.random.default_rng(seed),
    )
    space.following[:] = operator(np.asfortranarray(space.random.standard_normal((length, block))))
    orthonormalise(space, scale=_longest(space.following))
    return space


def expand(space: Subspace, operator: Operator) -> None:
    """Apply the operator to the next block and add the block to the basis."""
    begin, end = space.size, space.size + space.block
    image = space.basis[:, end : end + space.block]  # where it belongs already; made orthonormal in place
    image[:] = operator(space.basis[:, begin:end])
    scale = _longest(image)
    # In exact arithmetic the image meets only the last two blocks, or all of the basis right after a restart.
    near = 0 if space.restarted else max(0, begin - space.block)
    local = space.basis[:, near:end]
    column = _subtract(local, image)
    column += _subtract(local, image)
    space.projected[: end + space.block, begin:end] = 0
    space.projected[near:end, begin:end] = column
    space.projected[begin:end, near:end] = column.T
    middle = column[begin - near :]
    space.projected[begin:end, begin:end] = (middle + middle.T) / 2
    if near > 0:
        _clean(space)
    space.size, space.restarted = end, False
    coupling = orthonormalise(space, scale)
    space.projected[end : end + space.block, :end] = 0
    space.projected[end : end + space.block, begin:end] = coupling


def _clean(space: Subspace) -> None:
    """Take rounding that has grown out of the last two blocks, but only as often as orthogonality needs it.

    From one step to the next the parts along converged vectors grow a hundredfold or more; removing them from two
    consecutive blocks starts the growth anew, and half precision in between costs the Ritz pairs nothing (Simon 1984).
    """
    space.waited += 1
    if space.waited < space.patience:
        return
    last_two = space.basis[:, space.size : space.size + 2 * space.block]
    loss = float(np.abs(_subtract(space.basis[:, : space.size], last_two)[:, : space.block]).max())
    if loss > 1e-10:
        space.patience = max(1, space.patience - 1)
    elif loss < 1e-13:
        space.patience += 1
    space.waited = 0


def orthonormalise(space: Subspace, scale: float) -> Array:
    """Make the next block orthonormal in place; return what it was in terms of what it is, (block, block)."""
    block = space.following
    gram = block.T @ block
    if not np.isfinite(gram).all():
        raise OverflowError("the factors of the operator are too inaccurate")
    try:
        first: Array = cholesky(gram)
        lengths = np.diagonal(first)
        if lengths.min() < 1e-6 * scale:
            raise np.linalg.LinAlgError
        once = dgemm(1.0, block, np.linalg.inv(first))
        if lengths.min() > 0.03 * lengths.max():
            block[:] = once
            return first
        # Cholesky of the Gram matrix loses half the digits; the second time there is nothing left to lose.
        second: Array = cholesky(once.T @ once)
        block[:] = dgemm(1.0, once, np.linalg.inv(second))
    except np.linalg.LinAlgError:
        return _orthonormalise_by_columns(space, scale)
    coordinates: Array = second @ first
    return coordinates


def _longest(block: Array) -> float:
    length = float(np.sqrt(np.einsum("ij,ij->j", block, block).max()))
    if not np.isfinite(length):
        raise ArithmeticError("the factorisation broke down: a solution is not finite")
    return length


def _orthonormalise_by_columns(space: Subspace, scale: float) -> Array:
    """The slow way for a block that is nearly dependent: a column that vanishes is replaced by a random one."""
    block = space.following.copy()
    for index in range(space.block):
        known = space.basis[:, : space.size + index]
        column = block[:, index : index + 1].copy(order="F")
        limit = EXHAUSTED * scale
        while not _direction_outside(known, column, limit):
            column = np.asfortranarray(space.random.standard_normal(column.shape))
            limit = EXHAUSTED * float(np.linalg.norm(column))
        space.basis[:, space.size + index] = column[:, 0]
    coordinates: Array = space.following.T @ block
    return coordinates


def _direction_outside(known: Array, column: Array, limit: float) -> bool:
    """Make the column, in place, a unit vector orthogonal to the known ones; False if it was within `limit` of them."""
    for _ in range(3):
        _subtract(known, column)
        length = float(np.linalg.norm(column))
        if not length > limit:
            return False
        column /= length
        limit = 0.5  # from here on it must not shrink any more
    return True


def _subtract(basis: Array, block: Array) -> Array:
    """Take the part inside the basis out of the block, in place; return its coordinates."""
    inside: Array = basis.T @ block
    if basis.shape[1]:
        dgemm(-1.0, basis, inside, beta=1.0, c=block, overwrite_c=True)
    return inside


def ritz(space: Subspace) -> Ritz:
    """The eigenpairs of the projected matrix and how far each is from being one of the operator."""
    values, coordinates = eigh(space.projected[: space.size, : space.size], driver="evd", check_finite=False)
    return Ritz(values, coordinates, space.coupling @ coordinates)


def restart(space: Subspace, pairs: Ritz, chosen: npt.NDArray[np.intp]) -> None:
    """Shrink the basis to the chosen Ritz vectors; the next block stays the next block."""
    kept = len(chosen)
    following = space.following.copy()
    _combine_in_place(space.basis, pairs.coordinates[:, chosen])
    space.basis[:, kept : kept + space.block] = following
    space.projected[:] = 0
    space.projected[np.arange(kept), np.arange(kept)] = pairs.values[chosen]
    space.projected[kept : kept + space.block, :kept] = pairs.outside[:, chosen]
    space.size, space.restarted = kept, True


def vectors(space: Subspace, pairs: Ritz, chosen: npt.NDArray[np.intp]) -> Array:
    """The chosen Ritz vectors after one free step of the operator: x + (A x - θ x) / θ, normalised, (n, chosen)."""
    total = space.size + space.block
    extended = np.concatenate([pairs.coordinates[:, chosen], pairs.outside[:, chosen] / pairs.values[chosen]])
    extended /= np.linalg.norm(extended, axis=0)
    result: Array = space.basis[:, :total] @ extended
    return result


def _combine_in_place(basis: Array, coordinates: Array, rows: int = 8192) -> None:
    """basis[:, :k] = basis[:, :m] @ coordinates, some rows at a time so that no second basis is stored."""
    inner, outer = coordinates.shape
    for begin in range(0, basis.shape[0], rows):
        part = basis[begin : begin + rows]
        part[:, :outer] = part[:, :inner] @ coordinates
