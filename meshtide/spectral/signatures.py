"""Heat and wave kernel signatures: numbers at a vertex that do not change when the shape bends.

Times and energies are absolute, in units of a surface of area 1 (an `Eigenbasis` of the surface operator already is).
So a shape in millimetres agrees with itself in metres, a coarse meshing nearly agrees with a fine one, and two shapes
can be compared channel by channel. Signatures are sums over squared eigenvectors and therefore blind to their signs
and to rotations within a repeated eigenvalue.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from meshtide.arrays import FloatArray
from meshtide.spectral.spectrum import Eigenbasis

# On a closed mesh of equilateral triangles with edges of length h, 1 - μ is (1/7)(3/2) h² λ, and n vertices share the
# area (√3/2) h² n. At area 1 that makes λ = (7/√3) n (1 - μ).
GRAPH_FREQUENCY = 7 / 3**0.5

# A signature's true value, relative to heat spread evenly, is at least 1 on a surface and d/mean(d) on a graph, whose
# degrees d with the vertex itself are 3 or more. Anything far below is truncation: a component without an eigenpair.
_LEAST_HEAT = 0.1


def hks_times(count: int = 16, shortest: float = 2e-3, longest: float = 0.3) -> tuple[float, ...]:
    """Log-spaced diffusion times for `hks`; the defaults suit bodies with limbs at k around 100."""
    return _log_spaced(count, shortest, longest)


def wks_energies(count: int = 16, lowest: float = 4.0, highest: float = 1000.0) -> tuple[float, ...]:
    """Log-spaced eigenvalues for `wks`; the defaults reach from the whole body to about the 100th eigenpair."""
    return _log_spaced(count, lowest, highest)


def hks(basis: Eigenbasis, times: Sequence[float] | FloatArray) -> FloatArray:
    """The heat kernel signature Σ exp(-t λ) φ(x)², (V, T): how much heat is still at x after a time t.

    The sum ends at the K-th eigenpair, so it is too small where exp(-t λ_K) is not: on a surface of area 1,
    λ_K ≈ 4πK, and times below about 4 / λ_K (2.5e-3 at K = 128) lack their highest frequencies. They lack them in every
    meshing of the shape alike, as long as K is the same.

    >>> import meshtide as mt
    >>> basis = mt.eigenbasis(mt.make_figure("hand", 1, defects=False)[0], k=16)
    >>> mt.hks(basis, [0.01, 0.1]).shape == (len(basis.mass), 2)
    True
    """
    decay = np.exp(-np.outer(basis.frequencies, _positive(times, "times")))  # (K, T)
    return np.asarray(basis.vectors**2 @ decay)


def log_hks(basis: Eigenbasis, times: Sequence[float] | FloatArray) -> FloatArray:
    """The logarithm of the heat at x relative to heat spread evenly over all mass, (V, T).

    It is 0 where a vertex is like the whole, and at vertices without mass.
    """
    relative = hks(basis, times) * basis.mass.sum()
    relative[basis.mass == 0] = 1.0
    return np.asarray(np.log(np.maximum(relative, _LEAST_HEAT)))


def wks(basis: Eigenbasis, energies: Sequence[float] | FloatArray, width: float = 0.4) -> FloatArray:
    """The wave kernel signature of Aubry et al. 2011, (V, E): Σ w φ(x)², w a normalised bell around log energy.

    Energies are eigenvalues on a surface of area 1, and `width` is the bell's standard deviation in their logarithm;
    both are absolute, where the original takes them from each shape's own spectrum. mass @ wks is 1 at every energy.
    The zero eigenvalues, one a component, have no logarithm and are left out; a mesh that has no others gets zeros.
    Energies beyond λ_K see the last eigenpairs only.

    >>> import meshtide as mt
    >>> basis = mt.eigenbasis(mt.make_figure("hand", 1, defects=False)[0], k=16)
    >>> (basis.mass @ mt.wks(basis, [20.0, 80.0])).round(6).tolist()
    [1.0, 1.0]
    """
    if not width > 0:
        raise ValueError(f"the width of an energy band is {width}; it should be positive")
    centres = np.log(_positive(energies, "energies"))  # (E,)
    moving = basis.frequencies[basis.components :]
    if len(moving) == 0:
        return np.zeros((len(basis.mass), len(centres)))
    distance = np.log(np.maximum(moving, np.finfo(float).tiny))[:, None] - centres
    exponent = -(distance**2) / (2 * width**2)  # (K, E)
    weights = np.exp(exponent - exponent.max(axis=0))  # the largest is 1: far from every eigenvalue the nearest counts
    return np.asarray(basis.vectors[:, basis.components :] ** 2 @ (weights / weights.sum(axis=0)))


def on_unit_area(basis: Eigenbasis) -> Eigenbasis:
    """The basis in units of a surface of area 1, so that one list of times serves both operators.

    A surface's already is. A graph's nodes get equal shares of the mass, and its frequencies the scale that they have
    on a closed mesh of equilateral triangles; on such a mesh both operators give nearly the same signatures.
    """
    if basis.operator == "surface":
        return basis
    nodes = basis.mass.sum()
    values = 1 - GRAPH_FREQUENCY * nodes * basis.frequencies
    return replace(basis, values=values, vectors=basis.vectors * np.sqrt(nodes), mass=basis.mass / nodes)


def _log_spaced(count: int, low: float, high: float) -> tuple[float, ...]:
    # Six digits, so that the last bit of a platform's logarithm does not make another recipe.
    return tuple(float(f"{value:.6g}") for value in np.geomspace(low, high, count))


def _positive(numbers: Sequence[float] | FloatArray, noun: str) -> FloatArray:
    array = np.asarray(numbers, dtype=np.float64)
    if array.ndim != 1 or not (np.isfinite(array) & (array > 0)).all():
        raise ValueError(f"{noun} {numbers!r} should be a list of positive numbers")
    return array
