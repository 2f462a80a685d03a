"""Small graphs with classes that can be learned."""

from __future__ import annotations

import numpy as np

from meshtide.data.nodes.task import NodeTask


def two_groups(seed: int = 0, count: int = 60, name: str = "groups", **more) -> NodeTask:
    """Nodes of two groups, mostly linked to their own, with a feature that hints at the group."""
    random = np.random.default_rng(seed)
    group = np.arange(count) % 2
    ends = random.integers(0, count, (12 * count, 2))
    kept = (group[ends[:, 0]] == group[ends[:, 1]]) | (random.random(len(ends)) < 0.1)
    ring = np.stack([np.arange(count), (np.arange(count) + 2) % count], axis=1)
    features = random.normal(size=(count, 6)) + group[:, None]
    edges = np.concatenate([ends[kept][: 2 * count], ring, [[0, 1]]])
    return NodeTask(name, edges, features, group, ("left", "right"), **more)
