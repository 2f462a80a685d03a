"""Regions as evidence for names: what most of a region is said to be counts at every face of it.

A region is no mould, as one may hold several parts with names, so that each face's own opinion stays.
"""

from __future__ import annotations

import numpy as np

from meshtide.arrays import FloatArray, IntArray


def with_regions(scores: FloatArray, regions: IntArray, areas: FloatArray, weight: float) -> FloatArray:
    """Log-probabilities of parts at faces (F, P) with the mean over each face's region added; rows are normalised.

    A `weight` of 0 changes nothing; faces with a region below 0 keep what they have.
    """
    count = int(regions.max(initial=-1)) + 1
    inside = regions >= 0
    own, shares = regions[inside], np.maximum(areas[inside], 1e-300)
    whole = np.bincount(own, shares, count)
    sums = [np.bincount(own, shares * column, count) for column in scores[inside].T]
    means = np.stack(sums, axis=1) / np.maximum(whole, 1e-300)[:, None]
    together = scores.copy()
    together[inside] += weight * means[own]
    return np.asarray(together - np.logaddexp.reduce(together, axis=1, keepdims=True))
