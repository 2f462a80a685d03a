"""How much of what looks alike lies elsewhere: a limb has twins, a head has none.

Two vertices look alike where their heat kernel signatures are near each other, and lie elsewhere where heat of a short
time hardly comes from one to the other. The share is 0 for a part that there is once, about a half for one of a pair
and three quarters for one of four, whatever kind of body it is, and stays when the shape bends, turns or grows.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from meshtide.arrays import FloatArray, IntArray
from meshtide.spectral.signatures import log_hks
from meshtide.spectral.spectrum import Eigenbasis

LIKENESS = (0.03, 0.06, 0.12)  # how far signatures of like places lie apart, in their logarithm; each twice the last
REACH = 0.01  # the time of heat, which crosses about the thickness of a limb in it
LANDMARKS = 2500  # places that every vertex is compared with, of the same share of the mass each
BLOCK = 256  # vertices at a time, which bounds the memory

Floats = NDArray[np.float32]


def twins(basis: Eigenbasis, times: Sequence[float]) -> FloatArray:
    """The share of the places like each vertex that lie elsewhere, for every likeness, (V, 3); `times` are of the HKS.

    >>> import meshtide as mt
    >>> basis = mt.eigenbasis(mt.make_figure("hand", 1, defects=False)[0], k=32)
    >>> twins(basis, mt.GraphRecipe().times).shape == (len(basis.mass), 3)
    True
    """
    shares = np.zeros((len(basis.mass), len(LIKENESS)))
    used = np.flatnonzero(basis.mass > 0)
    looks = log_hks(basis, times)[used].astype(np.float32)
    heat = basis.vectors[used] * np.exp(-REACH * basis.frequencies)
    heat = (heat / np.linalg.norm(heat, axis=1, keepdims=True).clip(1e-12)).astype(np.float32)
    chosen = _landmarks(looks[:, -1], basis.mass[used])
    for start in range(0, len(used), BLOCK):
        rows = slice(start, start + BLOCK)
        apart = _squares(looks[rows], looks[chosen]) / looks.shape[1]
        elsewhere = 1 - heat[rows] @ heat[chosen].T
        like = np.exp(apart * np.float32(-0.5 / LIKENESS[-1] ** 2))
        for column in range(len(LIKENESS) - 1, -1, -1):
            shares[used[rows], column] = np.einsum("vl,vl->v", like, elsewhere) / like.sum(axis=1).clip(1e-12)
            like **= 2  # half the likeness is the fourth power
            like **= 2
    return shares


def _landmarks(values: Floats, mass: FloatArray) -> IntArray:
    """Places of equal shares of the mass in the order of a value, so that neither meshing nor numbering counts."""
    order = np.argsort(values, kind="stable")
    sums = np.cumsum(mass[order])
    count = min(LANDMARKS, len(order))
    middles = (np.arange(count) + 0.5) / count * sums[-1]
    return np.asarray(order[np.searchsorted(sums, middles)])


def _squares(one: Floats, other: Floats) -> Floats:
    """The squared distance of every row of one from every row of the other."""
    squares: Floats = (one**2).sum(axis=1)[:, None] + (other**2).sum(axis=1) - 2 * one @ other.T
    return np.maximum(squares, np.float32(0.0))
