"""Learning regions from labelled shapes."""

from __future__ import annotations

import numpy as np
import pytest
from shapes import figure, sphere

from meshtide.inference.regions.embedding import embed
from meshtide.inference.regions.model import RegionAbout, RegionModel
from meshtide.inference.regions.regions import find_regions
from meshtide.training.region_scores import rand_error
from meshtide.training.regions.embedding import EmbeddingSchedule, train_embedding
from meshtide.training.regions.examples import load_example, make_example, save_example
from meshtide.training.regions.pairs import PairSchedule, gather_pairs, train_judge


def labelled():
    """A figure with eight parts: head, torso, arms and legs, left and right apart."""
    mesh, parts = figure(2)
    side = mesh.vertices[mesh.faces].mean(axis=1)[:, 0] > np.median(mesh.vertices[:, 0])
    return mesh, np.where(parts >= 2, 2 * parts + side, parts)


@pytest.fixture(scope="module")
def example():
    mesh, parts = labelled()
    return make_example(mesh, parts, "figure")


def test_rand_error_counts_pairs():
    random = np.random.default_rng(0)
    one, other = random.integers(3, size=40), random.integers(4, size=40)
    same = (one[:, None] == one) != (other[:, None] == other)
    assert rand_error(one, other) == pytest.approx(same[np.triu_indices(40, 1)].mean())
    weights = random.uniform(size=40)
    pairs = np.outer(weights, weights)[np.triu_indices(40, 1)]
    assert rand_error(one, other, weights) == pytest.approx(same[np.triu_indices(40, 1)] @ pairs / pairs.sum())
    assert rand_error(one, one * 7 + 1) == 0


def test_an_example_knows_the_part_of_every_working_face(example):
    mesh, parts = labelled()
    shares = np.bincount(np.unique(parts, return_inverse=True)[1], mesh.face_areas) / mesh.area
    found = np.bincount(example.parts, example.inputs.areas)
    assert found == pytest.approx(shares, abs=0.01)


def test_a_simplified_example_keeps_its_parts():
    ball = sphere(6)
    upper = (ball.vertices[ball.faces].mean(axis=1)[:, 2] > 0).astype(int)
    example = make_example(ball, upper, "ball")
    assert len(example.faces) < len(ball.faces)
    height = example.vertices[example.faces].mean(axis=1)[:, 2]
    clear = np.abs(height) > 0.02
    assert np.array_equal(example.parts[clear] == example.parts[height.argmax()], height[clear] > 0)


def test_an_example_comes_back_from_its_file(example, tmp_path):
    save_example(example, tmp_path / "one.npz")
    again = load_example(tmp_path / "one.npz")
    assert (again.kind, again.name) == (example.kind, example.name)
    assert np.array_equal(again.parts, example.parts)
    assert np.allclose(again.inputs.numbers, example.inputs.numbers, atol=0.01)


def test_training_repeats_itself(example):
    schedule = EmbeddingSchedule(steps=3, sample=64)
    one, other = (train_embedding([example], schedule) for _ in range(2))
    assert np.array_equal(embed(one, example.inputs), embed(other, example.inputs))


def test_a_shape_is_learned(example):
    """A short lesson on one shape is enough to divide that shape."""
    losses = []
    network = train_embedding([example], EmbeddingSchedule(steps=300, sample=200, average=0.97), losses.append)
    assert losses[-1].step == 300
    judge = train_judge([gather_pairs(example, network)], PairSchedule(steps=150, shapes=4))
    mesh, parts = labelled()
    found = find_regions(mesh, RegionModel(network, judge, RegionAbout()))
    assert rand_error(found.face_regions, parts, mesh.face_areas) < 0.08
