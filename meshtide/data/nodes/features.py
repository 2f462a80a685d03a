"""Features of nodes as networks are to see them: as they are given, or every node's brought to sum 1."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from meshtide.data.nodes.task import Features, NodeTask
from meshtide.errors import InputError
from meshtide.spectral.node_recipe import FEATURES
from meshtide.words import known

MOST_COUNTED = 0.1  # the share of entries that are not 0 up to which features are taken for counts of words


def usual_features(task: NodeTask) -> str:
    """How a task's features are prepared if nobody says it: counts, which are mostly 0, by rows; others by columns."""
    if task.usual_features is not None:
        return task.usual_features
    values = task.features if isinstance(task.features, np.ndarray) else task.features.data
    counted = np.count_nonzero(values) <= MOST_COUNTED * task.features.shape[0] * task.features.shape[1]
    return "row-normalised" if counted and values.min(initial=0) >= 0 else "standardised"


def prepared_features(features: Features, how: str, name: str = "graph") -> Features:
    """The features of every node, divided by their sum where `how` is "row-normalised"; nodes without any stay 0.

    >>> prepared_features(np.array([[1, 3], [0, 0]], dtype=np.float32), "row-normalised").tolist()
    [[0.25, 0.75], [0.0, 0.0]]
    """
    if known(how, FEATURES, "features") != "row-normalised":
        return features  # a network that standardises does so itself, as other graphs must be treated alike
    values: Any = features
    sums = np.asarray(values.sum(axis=1), dtype=np.float64)
    if (values if isinstance(values, np.ndarray) else values.data).min(initial=0) < 0:
        raise InputError(f"{name}: has features below 0, which have no sum to divide by; use `features=standardised`")
    scale = np.divide(1.0, sums, out=np.zeros_like(sums), where=sums > 0).astype(np.float32)
    if isinstance(values, np.ndarray):
        return np.asarray(values * scale[:, None])
    scaled: Any = sparse.csr_array(sparse.diags_array(scale) @ values)
    return sparse.csr_array(scaled, dtype=np.float32)
