"""Ward's clustering along edges."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy.cluster.hierarchy import cut_tree, linkage

from meshtide.inference.regions.patches import ward


def same_division(one, other):
    """Whether two labellings put the same elements together."""
    return np.array_equal(one[:, None] == one, other[:, None] == other)


@pytest.mark.parametrize("clusters", [2, 5, 11, 40])
def test_on_a_complete_graph_it_is_scipys(clusters):
    points = np.random.default_rng(1).normal(size=(60, 3))
    edges = np.array(list(combinations(range(60), 2)))
    ours = ward(points, np.ones(60), edges).cut(clusters)
    theirs = cut_tree(linkage(points, "ward"), n_clusters=clusters)[:, 0]
    assert same_division(ours, theirs)


def test_heights_are_what_merging_adds_to_the_spread():
    points = np.random.default_rng(2).normal(size=(30, 2))
    masses = np.random.default_rng(3).uniform(0.5, 2, size=30)
    tree = ward(points, masses, np.array(list(combinations(range(30), 2))))
    for clusters in (4, 9, 17):
        assert spread_within(points, masses, tree.cut(clusters)) == pytest.approx(tree.heights[: 30 - clusters].sum())


def spread_within(points, masses, labels):
    total = 0.0
    for label in np.unique(labels):
        mine = labels == label
        middle = masses[mine] @ points[mine] / masses[mine].sum()
        total += float(masses[mine] @ ((points[mine] - middle) ** 2).sum(axis=1))
    return total


def test_clusters_follow_edges():
    points = np.array([[0.0], [10.0], [0.1], [10.1]])
    chain = np.array([[0, 1], [1, 2], [2, 3]])  # like points are never neighbours
    labels = ward(points, np.ones(4), chain).cut(3)
    assert len(np.unique(labels)) == 3
    assert labels[0] != labels[2]
    assert labels[1] != labels[3]


def test_pieces_of_a_graph_are_never_joined():
    points = np.zeros((6, 2))
    labels = ward(points, np.ones(6), np.array([[0, 1], [1, 2], [3, 4], [4, 5]])).cut(1)
    assert len(np.unique(labels)) == 2


def test_ties_are_settled_alike_every_time():
    points = np.zeros((50, 2))
    edges = np.stack([np.arange(49), np.arange(1, 50)], axis=1)
    first, second = (ward(points, np.ones(50), edges).cut(7) for _ in range(2))
    assert np.array_equal(first, second)
    assert len(np.unique(first)) == 7
