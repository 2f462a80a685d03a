"""The model for regions that ships."""

from __future__ import annotations

from importlib import resources

import numpy as np
import pytest
from shapes import figure, sphere

from meshtide.inference.regions.regions import find_regions
from meshtide.mesh.mesh import Mesh
from meshtide.training.region_scores import rand_error


def turned(mesh, seed):
    matrix = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))[0]
    return Mesh(mesh.vertices @ matrix.T * 10.0**seed, mesh.faces)


def dumbbell():
    """Two balls on a rod, as one surface of revolution."""
    along = np.linspace(-1.4, 1.4, 120)
    inside = np.maximum(0.16 - (np.abs(along) - 1) ** 2, 0)
    radius = np.maximum(np.sqrt(inside), np.where(np.abs(along) < 1, 0.08, 0.0)) + 1e-3
    turns = np.linspace(0, 2 * np.pi, 40, endpoint=False)
    rings = np.stack([np.outer(radius, np.cos(turns)), np.outer(radius, np.sin(turns)),
                      np.outer(along, np.ones(40))], axis=2)  # fmt: skip
    k, j = np.meshgrid(np.arange(119), np.arange(40), indexing="ij")
    a, b = (k * 40 + j).ravel(), (k * 40 + (j + 1) % 40).ravel()
    faces = np.concatenate([np.stack([a, b, a + 40], 1), np.stack([b, b + 40, a + 40], 1)])
    return Mesh(rings.reshape(-1, 3), faces)


def test_its_file_is_small():
    path = resources.files("meshtide") / "models" / "regions.safetensors"
    assert len(path.read_bytes()) < 1_000_000


def test_a_ball_is_one_part():
    assert find_regions(sphere(4)).count == 1


def test_a_dumbbell_is_two_balls_and_a_rod():
    mesh = dumbbell()
    found = find_regions(mesh)
    height = mesh.vertices[mesh.faces].mean(axis=1)[:, 2]
    truth = np.digitize(height, [-0.61, 0.61])
    assert found.count == 3
    assert rand_error(found.face_regions, truth, mesh.face_areas) < 0.05
    assert all(border.confidence > 0.6 for border in found.borders)


def test_limbs_are_parts_of_their_own():
    mesh, parts = figure(2)
    side = mesh.vertices[mesh.faces].mean(axis=1)[:, 0] > np.median(mesh.vertices[:, 0])
    truth = np.where(parts >= 2, 2 * parts + side, parts)
    found = find_regions(mesh)
    assert rand_error(found.face_regions, truth, mesh.face_areas) < 0.12
    assert 5 <= found.count <= 12


@pytest.mark.parametrize("seed", range(3))
def test_turning_and_scaling_change_nothing(seed):
    mesh = figure(2)[0]
    plain, other = find_regions(mesh), find_regions(turned(mesh, seed))
    assert rand_error(plain.face_regions, other.face_regions, mesh.face_areas) < 0.01
