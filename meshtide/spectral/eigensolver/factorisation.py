"""Sparse factorisations of a shifted operator: solve with it, and count the eigenvalues below the shift.

For a symmetric matrix L, positive masses M and a shift s, each class factorises L - s M. Sylvester's law of inertia
makes an indefinite factorisation a counter: as many eigenvalues of L u = λ M u lie below s as the diagonal factor has
negative entries. That count is what lets the eigensolver prove that it missed nothing.
"""

from __future__ import annotations

import ctypes
import functools
import importlib.util
import os
import sys
from pathlib import Path
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt
import scipy.sparse as sparse
from scipy.sparse.linalg import splu

Array: TypeAlias = npt.NDArray[np.float64]

FACTORISATIONS = ("auto", "superlu", "pardiso")

# Below this many vertices PARDISO's overhead outweighs its speed.
PARDISO_FROM = 5_000


class Factorisation(Protocol):
    """What the eigensolver needs from a factorisation; `negative` is None until something is factorised.

    `refactors` says that factorising at another shift is cheaper than the first time, unless released in between.
    """

    name: str
    refactors: bool
    negative: int | None

    def factorise(self, shift: float) -> None: ...

    def solve(self, block: Array) -> Array: ...

    def release(self) -> None: ...


def choose_factorisation(word: str, size: int) -> str:
    """Turn the user's word into the name of a factorisation that is installed and suits this many vertices."""
    if word not in FACTORISATIONS:
        raise ValueError(f"factorisation {word!r} is unknown; known are {', '.join(FACTORISATIONS)}")
    if word == "pardiso" and not installed("pypardiso"):
        raise ImportError("factorisation 'pardiso' needs the package pypardiso: install it, or use 'auto'")
    if word != "auto":
        return word
    return "pardiso" if installed("pypardiso") and size >= PARDISO_FROM else "superlu"


def installed(package: str) -> bool:
    """Whether the package can be imported; it is not imported."""
    return importlib.util.find_spec(package) is not None


def load_library(name: str) -> None:
    """Load what the named factorisation needs, so that a limit on threads set afterwards holds for it too."""
    if name == "pardiso":
        _pardiso_function()


def make_factorisation(name: str, matrix: sparse.csc_array, mass: Array, ordered: bool = False) -> Factorisation:
    """Prepare the named factorisation; nothing is factorised yet. `ordered` says that the rows already stand well."""
    shifted = ShiftedMatrix(matrix, mass)
    return SuperLU(shifted, ordered) if name == "superlu" else Pardiso(shifted)


class ShiftedMatrix:
    """The matrix L - s M for changing s: the pattern is built once, only the diagonal is written anew."""

    def __init__(self, matrix: sparse.csc_array, mass: Array) -> None:
        # Adding the masses first makes sure that every diagonal entry is stored.
        self.matrix = sparse.csc_array(matrix + sparse.diags_array(mass))
        self.matrix.sort_indices()
        columns = np.repeat(np.arange(len(mass)), np.diff(self.matrix.indptr))
        self.places = np.flatnonzero(self.matrix.indices == columns)
        self.diagonal = np.asarray(matrix.diagonal(), dtype=np.float64)
        self.mass = mass

    def at(self, shift: float) -> sparse.csc_array:
        """L - shift M; the same object every time, overwritten by the next call."""
        self.matrix.data[self.places] = self.diagonal - shift * self.mass
        return self.matrix


class SuperLU:
    """SuperLU (in scipy) in symmetric mode; without row exchanges the diagonal of U is the diagonal factor D."""

    name = "superlu"
    refactors = False

    def __init__(self, shifted: ShiftedMatrix, ordered: bool = False) -> None:
        self.shifted = shifted
        self.negative: int | None = None
        self._ordering: Literal["NATURAL", "MMD_AT_PLUS_A"] = "NATURAL" if ordered else "MMD_AT_PLUS_A"
        self._factor: Any = None

    def factorise(self, shift: float) -> None:
        self.release()
        # SuperLU does not postorder in symmetric mode, so relaxed supernodes (relax > 1) join unrelated columns: on an
        # icosphere of 40,962 vertices scipy's default of 10 stores ten times more and takes sixty times longer. Panels
        # wider than scipy's default write past their arrays (seen with 40).
        self._factor = splu(
            self.shifted.at(shift),
            permc_spec=self._ordering,
            diag_pivot_thresh=0.0,
            relax=1,
            panel_size=8,
            options={"SymmetricMode": True},
        )
        # A zero pivot makes SuperLU exchange rows after all; then the signs of U mean nothing.
        if not np.array_equal(self._factor.perm_r, self._factor.perm_c):
            raise ArithmeticError(f"a pivot vanished at shift {shift:g}")
        self.negative = int(np.count_nonzero(self._factor.U.diagonal() < 0))

    def solve(self, block: Array) -> Array:
        solution: Array = self._factor.solve(block)
        return solution

    def release(self) -> None:
        self._factor = None
        self.negative = None


@functools.cache
def _pardiso_function() -> Any:
    """MKL's `pardiso`, looked for once."""
    # Where pip puts the library; pypardiso would look through every folder of the environment, twice, for seconds.
    beside = sorted(Path(sys.prefix, "lib").glob("*mkl_rt*"))
    if beside:
        os.environ.setdefault("PYPARDISO_MKL_RT", str(beside[0]))
    from pypardiso import PyPardisoSolver

    # By item, not by attribute: a fresh function object, without the argument types that pypardiso set on its own.
    function = PyPardisoSolver().libmkl["pardiso"]
    function.restype = None
    return function


class Pardiso:
    """PARDISO (in Intel's MKL, found by pypardiso): LDLᵀ with Bunch-Kaufman pivots, so stable at any shift."""

    name = "pardiso"
    refactors = True

    SYMMETRIC_INDEFINITE = -2
    ANALYSE, FACTORISE, SOLVE, RELEASE = 11, 22, 33, -1

    def __init__(self, shifted: ShiftedMatrix) -> None:
        self._call = _pardiso_function()
        self.shifted = shifted
        self.negative: int | None = None
        size = shifted.matrix.shape[0]
        columns = np.repeat(np.arange(size), np.diff(shifted.matrix.indptr))
        # The lower triangle by columns is the upper triangle by rows, which is what PARDISO wants, counted from one.
        self._lower = np.flatnonzero(shifted.matrix.indices >= columns)
        self._columns = (shifted.matrix.indices[self._lower] + 1).astype(np.int32)
        self._starts = np.concatenate([[0], np.cumsum(np.bincount(columns[self._lower], minlength=size))]) + 1
        self._starts = self._starts.astype(np.int32)
        self._values = np.empty(0)
        self._handle = np.zeros(64, dtype=np.int64)
        self._options = np.zeros(64, dtype=np.int32)
        self._options[0] = 1  # these options, not the defaults
        self._options[1] = 2  # nested dissection
        self._options[9] = 8  # perturb pivots below 1e-8
        self._options[20] = 1  # Bunch-Kaufman
        self._analysed = False

    def factorise(self, shift: float) -> None:
        self._values = self.shifted.at(shift).data[self._lower]
        if not self._analysed:
            self._run(self.ANALYSE)
            self._analysed = True
        self._run(self.FACTORISE)
        self.negative = int(self._options[22])

    def solve(self, block: Array) -> Array:
        right = np.asfortranarray(block)
        solution = np.empty_like(right)
        self._run(self.SOLVE, right, solution)
        return solution

    def release(self) -> None:
        if self._analysed:
            self._analysed = False
            self._run(self.RELEASE)
        self._values = np.empty(0)
        self.negative = None

    def _run(self, phase: int, right: Array | None = None, solution: Array | None = None) -> None:
        error = ctypes.c_int32(0)
        empty = np.zeros(1)
        right = empty if right is None else right
        solution = empty if solution is None else solution
        number = right.shape[1] if right.ndim == 2 else 1
        whole = [ctypes.byref(ctypes.c_int32(value)) for value in (1, 1, self.SYMMETRIC_INDEFINITE, phase)]
        self._call(
            ctypes.c_void_p(self._handle.ctypes.data),
            *whole,
            ctypes.byref(ctypes.c_int32(self.shifted.matrix.shape[0])),
            ctypes.c_void_p(self._values.ctypes.data),
            ctypes.c_void_p(self._starts.ctypes.data),
            ctypes.c_void_p(self._columns.ctypes.data),
            ctypes.c_void_p(0),
            ctypes.byref(ctypes.c_int32(number)),
            ctypes.c_void_p(self._options.ctypes.data),
            ctypes.byref(ctypes.c_int32(0)),
            ctypes.c_void_p(right.ctypes.data),
            ctypes.c_void_p(solution.ctypes.data),
            ctypes.byref(error),
        )
        if error.value:
            raise ArithmeticError(f"PARDISO failed with code {error.value} in phase {phase}")

    def __del__(self) -> None:
        if getattr(self, "_analysed", False):
            self.release()
