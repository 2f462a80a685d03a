"""How far two divisions of one mesh into regions differ."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from meshtide.arrays import FloatArray, IntArray


def rand_error(one: IntArray, other: IntArray, weights: FloatArray | None = None) -> float:
    """One minus the Rand index: the share of pairs of faces that are together in one division and apart in the other.

    Without weights every face counts the same, as in the Princeton benchmark.
    """
    _, a = np.unique(one, return_inverse=True)
    _, b = np.unique(other, return_inverse=True)
    weights = np.ones(len(a)) if weights is None else weights
    table = sparse.coo_array((weights, (a, b)), shape=(a.max() + 1, b.max() + 1)).tocsr()
    table.sum_duplicates()
    total = float(weights.sum())
    own = float((weights**2).sum())  # a face is no pair with itself
    both = float((table.data**2).sum()) - own
    in_one = float((np.asarray(table.sum(axis=1)) ** 2).sum()) - own
    in_other = float((np.asarray(table.sum(axis=0)) ** 2).sum()) - own
    pairs = total**2 - own
    return max(0.0, (in_one + in_other - 2 * both) / pairs) if pairs > 0 else 0.0


def error_against(answer: IntArray, people: IntArray) -> float:
    """The mean Rand error of an answer (F,) against several people's (P, F)."""
    return float(np.mean([rand_error(answer, one) for one in people]))
