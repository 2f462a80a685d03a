"""Merging patches by the expected Rand error."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from meshtide.inference.regions.merging import gain_matrix, merge, merge_to, objective

COMPLETE = np.array(list(combinations(range(24), 2)))


def random_case(seed, count=24):
    random = np.random.default_rng(seed)
    logits = random.normal(size=(count, count)) * 3
    return (logits + logits.T) / 2, random.dirichlet(np.ones(count))


def planted(seed, parts=4, count=24):
    random = np.random.default_rng(seed)
    truth = random.integers(parts, size=count)
    noise = random.normal(size=(count, count))
    return np.where(truth[:, None] == truth, 2.0, -2.0) + 0.5 * (noise + noise.T), truth


def expected_error(regions, logits, masses):
    likely = 1 / (1 + np.exp(-logits))
    together = regions[:, None] == regions
    wrong = np.where(together, 1 - likely, likely) * np.outer(masses, masses)
    return wrong[np.triu_indices(len(masses), 1)].sum()


def test_the_objective_is_the_expected_rand_error_up_to_a_constant():
    logits, masses = random_case(0)
    gains = gain_matrix(logits, masses, 0.0)
    one, other = np.arange(24) % 5, np.arange(24) // 7
    fewer = expected_error(one, logits, masses) - expected_error(other, logits, masses)
    assert fewer == pytest.approx(2 * (objective(other, gains) - objective(one, gains)))


@pytest.mark.parametrize("seed", range(8))
def test_no_merging_of_two_regions_and_no_move_would_gain(seed):
    logits, masses = random_case(seed)
    regions = merge(logits, masses, COMPLETE, smallest=0.0)
    gains = gain_matrix(logits, masses, 0.0)
    best = objective(regions, gains)
    assert best >= max(0.0, objective(np.zeros(24, dtype=int), gains)) - 1e-12
    for patch in range(24):
        for region in np.unique(regions):
            moved = regions.copy()
            moved[patch] = region
            assert objective(moved, gains) <= best + 1e-12


def test_planted_parts_are_found():
    logits, truth = planted(3)
    regions = merge(logits, np.full(24, 1 / 24), COMPLETE)
    assert np.array_equal(regions[:, None] == regions, truth[:, None] == truth)


@pytest.mark.parametrize("count", [1, 2, 3, 4, 7, 15, 24])
def test_a_wanted_number_is_met(count):
    logits, _ = planted(3)
    regions = merge_to(logits, np.full(24, 1 / 24), COMPLETE, count)
    assert len(np.unique(regions)) == count


def test_a_wanted_number_that_is_the_usual_one_changes_nothing():
    logits, truth = planted(5)
    regions = merge_to(logits, np.full(24, 1 / 24), COMPLETE, len(np.unique(truth)))
    assert np.array_equal(regions[:, None] == regions, truth[:, None] == truth)


def test_more_shift_makes_more_regions():
    logits, masses = random_case(1)
    counts = [len(np.unique(merge(logits, masses, COMPLETE, shift=s, smallest=0.0))) for s in (-8, 0, 8)]
    assert counts[0] < counts[1] < counts[2]


def test_small_regions_go_to_their_likeliest_neighbour():
    masses = np.array([0.5, 0.499, 0.001])
    logits = np.array([[12.0, -3, -1], [-3, 12, -2], [-1, -2, 12]])
    assert merge(logits, masses, COMPLETE[:0].reshape(0, 2), smallest=0.004).tolist() == [0, 1, 2]  # none touch
    path = np.array([[0, 1], [1, 2], [0, 2]])
    regions = merge(logits, masses, path, smallest=0.004)
    assert regions[2] == regions[0] != regions[1]


def test_regions_hang_together():
    logits = np.where(np.eye(3) > 0, 12.0, np.array([[0, -6, 6], [-6, 0, -6], [6, -6, 0]]))
    regions = merge(logits, np.full(3, 1 / 3), np.array([[0, 1], [1, 2]]))
    assert len(np.unique(regions)) == 3


def test_another_order_of_patches_gives_the_same_regions():
    logits, masses = random_case(4)
    order = np.random.default_rng(0).permutation(24)
    plain = merge(logits, masses, COMPLETE)
    mixed = merge(logits[np.ix_(order, order)], masses[order], COMPLETE)
    assert np.array_equal(plain[order][:, None] == plain[order], mixed[:, None] == mixed)
