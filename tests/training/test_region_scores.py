"""The measures of the Princeton benchmark: what they are by definition, and the laws that they keep."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from shapes import box, figure, sphere

from meshtide.errors import InputError
from meshtide.training.region_scores import agreement, mean_score, rand_error, score_regions


def plain_rand_error(one: np.ndarray, other: np.ndarray) -> float:
    """The definition, pair by pair."""
    pairs = list(combinations(range(len(one)), 2))
    return sum((one[i] == one[j]) != (other[i] == other[j]) for i, j in pairs) / len(pairs)


def plain_consistency(one: np.ndarray, other: np.ndarray) -> tuple[float, float]:
    """The definition, face by face."""
    first, second = [], []
    for face in range(len(one)):
        mine, theirs = set(np.flatnonzero(one == one[face])), set(np.flatnonzero(other == other[face]))
        first.append(len(mine - theirs) / len(mine))
        second.append(len(theirs - mine) / len(theirs))
    return min(sum(first), sum(second)) / len(one), sum(map(min, first, second)) / len(one)


def test_figures_are_those_of_the_definitions() -> None:
    random = np.random.default_rng(0)
    mesh = sphere(1)
    for _ in range(5):
        one, other = random.integers(0, 4, len(mesh.faces)), random.integers(3, 9, len(mesh.faces))
        score = score_regions(mesh, one, [other])
        assert score.rand == pytest.approx(plain_rand_error(one, other))
        assert (score.global_consistency, score.local_consistency) == pytest.approx(plain_consistency(one, other))


def test_the_same_division_has_no_error_whatever_its_numbers_are() -> None:
    mesh, parts = figure(1)
    score = score_regions(mesh, parts, [7 - 2 * parts])
    assert score.rand == score.global_consistency == score.local_consistency == score.cut_discrepancy == 0


def test_a_refinement_is_consistent_and_still_has_a_rand_error() -> None:
    mesh, parts = figure(1)
    finer = 2 * parts + (mesh.vertices[mesh.faces].mean(axis=1)[:, 0] > 0)
    score = score_regions(mesh, finer, [parts])
    assert score.global_consistency == score.local_consistency == 0
    assert score.rand > 0.02
    assert score.regions > score.others == len(np.unique(parts))


def test_cut_discrepancy_is_a_distance_in_mean_radii() -> None:
    mesh = sphere(4)
    height = mesh.vertices[mesh.faces].mean(axis=1)[:, 2]
    # Two parallel cuts whose geodesic distance on a unit sphere is the difference of their angles, counted both ways.
    angle = 0.5
    score = score_regions(mesh, (height > 0).astype(np.int64), [(height > np.sin(angle)).astype(np.int64)])
    assert score.cut_discrepancy == pytest.approx(2 * angle, rel=0.15)
    assert np.isnan(score_regions(mesh, np.zeros(len(height), dtype=np.int64), [(height > 0) * 1]).cut_discrepancy)


def test_people_are_averaged_and_meshes_too() -> None:
    mesh, parts = figure(1)
    whole = np.zeros_like(parts)
    both = score_regions(mesh, parts, [parts, whole])
    assert both.rand == pytest.approx(rand_error(parts, whole) / 2)
    assert agreement([parts, parts, whole]) == pytest.approx(2 * rand_error(parts, whole) / 3)
    assert mean_score([both, score_regions(mesh, parts, [parts])]).rand == pytest.approx(both.rand / 2)


def test_a_division_of_another_mesh_is_refused() -> None:
    mesh = box()
    with pytest.raises(InputError, match="another mesh"):
        score_regions(mesh, np.zeros(3, dtype=np.int64), [np.zeros(len(mesh.faces), dtype=np.int64)])
    with pytest.raises(InputError, match="no other division"):
        score_regions(mesh, np.zeros(len(mesh.faces), dtype=np.int64), [])
