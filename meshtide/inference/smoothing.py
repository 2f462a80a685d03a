"""Labels made smooth: to each place not one label but the shares of those around it, by a walk over neighbours.

The shares are those of W^n, where W is one step of the walk; where two shares are equal lies a border that has lost its
teeth. W^n is summed from Chebyshev polynomials of W, of which only some √n count.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import coo_array, csr_array, diags_array

from meshtide.arrays import BoolArray, FloatArray, IntArray

NEGLIGIBLE = 1e-4  # a polynomial's share of the walk below which it is left out


@dataclass(frozen=True, eq=False)
class Shares:
    """Of each of some places the share of each of some labels; any other place has its own label alone."""

    places: IntArray  # (n,) numbers of the places that have shares, ascending
    names: IntArray  # (L,) the labels, ascending
    table: csr_array  # (n, L) their shares
    labels: IntArray  # (N,) the label of every place: of these the one with the largest share

    def level(self, places: IntArray, labels: IntArray) -> FloatArray:
        """The share that a label has at a place, (m,)."""
        result: FloatArray = np.asarray(self.labels[places] == labels, dtype=np.float64)
        if len(self.places) == 0:
            return result
        row = np.searchsorted(self.places, places).clip(max=len(self.places) - 1)
        column = np.searchsorted(self.names, labels).clip(max=len(self.names) - 1)
        known = (self.places[row] == places) & (self.names[column] == labels)
        result[self.places[row] == places] = 0
        result[known] = np.asarray(self.table[row[known], column[known]]).ravel()
        return result


def shares_of(places: IntArray, names: IntArray, table: csr_array, labels: IntArray) -> Shares:
    """Shares (n, L) at places (n,); labels (N,) are those of all other places."""
    return Shares(places, names, table, _won(labels, places, names, table))


def spread(pairs: IntArray, labels: IntArray, near: BoolArray, steps: int, weights: FloatArray | None = None) -> Shares:
    """The shares of labels (N,) at the places that are `near` (N,), after a walk of some steps over pairs (E, 2).

    With weights (E,) it takes some pairs more often than others. A near place that stands in a pair with one that is
    not keeps its label.
    """
    places, number, sides = np.flatnonzero(near), np.cumsum(near) - 1, near[pairs]
    inside = sides.all(axis=1)
    fixed = np.zeros(len(near), dtype=bool)
    fixed[pairs[sides.any(axis=1) & ~inside].ravel()] = True
    rows, columns = number[pairs[inside]].T
    ends = np.concatenate([rows, columns]), np.concatenate([columns, rows])
    often = np.ones(len(rows)) if weights is None else weights[inside]
    walk = coo_array((np.tile(often, 2), ends), shape=(len(places),) * 2).tocsr()
    degree = np.asarray(walk.sum(axis=1)).ravel()
    stays = fixed[places] | (degree == 0)
    # Half of each step is none, so that even and odd steps do not differ.
    walk = diags_array(np.where(stays, 0.0, 0.5 / np.where(degree > 0, degree, 1))) @ walk + diags_array(
        np.where(stays, 1.0, 0.5)
    )
    names, dense = np.unique(labels[places], return_inverse=True)
    start = coo_array((np.ones(len(places)), (np.arange(len(places)), dense)), shape=(len(places), len(names)))
    return shares_of(places, names, _power(csr_array(walk), csr_array(start), steps), labels)


def _won(labels: IntArray, places: IntArray, names: IntArray, table: csr_array) -> IntArray:
    """The label with the largest share at each place; of equal ones the place's own, else the last."""
    entries = table.tocoo()
    shares = entries.data + 1e-9 * (names[entries.col] == labels[places[entries.row]])
    order = np.lexsort((entries.col, shares, entries.row))
    result = labels.copy()
    result[places[entries.row[order]]] = names[entries.col[order]]  # the largest is written last
    return result


def _power(walk: csr_array, start: csr_array, steps: int) -> csr_array:
    """walk^steps @ start."""
    counts = _weights(steps)
    before, now = start, csr_array(walk @ start)
    total = counts[0] * before + (counts[1] * now if len(counts) > 1 else 0 * before)
    for count in counts[2:]:
        before, now = now, csr_array(2 * (walk @ now) - before)
        if count:
            total = total + count * now
    return csr_array(total)


def _weights(steps: int) -> FloatArray:
    """How much the Chebyshev polynomials T_0, T_1, … count in x^steps: binomial numbers over 2^(steps - 1)."""
    from scipy.special import gammaln

    k = np.arange(steps % 2, steps + 1, 2)
    logs: Any = gammaln(steps + 1) - gammaln((steps - k) / 2 + 1) - gammaln((steps + k) / 2 + 1)
    result = np.zeros(steps + 1)
    result[k] = np.exp(logs - (steps - 1) * np.log(2))
    result[0] /= 2
    kept = result[: int(np.flatnonzero(result > NEGLIGIBLE).max()) + 1]
    return np.asarray(kept / kept.sum())
