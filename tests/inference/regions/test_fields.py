"""Curvature and thickness on surfaces where they are known."""

from __future__ import annotations

import numpy as np
import pytest
from shapes import sphere

from meshtide.spectral.curvature import CURVATURE_TIMES, LIMIT, curvature, heat_displacements
from meshtide.spectral.spectrum import laplacian
from meshtide.spectral.thickness import FAR, Inside


def unit_ball():
    """A sphere of area 1 with its operator."""
    ball = sphere(4)
    points = ball.vertices / np.linalg.norm(ball.vertices, axis=1, keepdims=True) / np.sqrt(4 * np.pi)
    return points, ball.faces, laplacian(ball)


def test_coordinates_of_a_sphere_decay_as_eigenfunctions():
    # x, y and z are eigenfunctions with λ = 2/r², so a step leaves 1 / (1 + tλ) of them.
    points, _, operator = unit_ball()
    radius = 1 / np.sqrt(4 * np.pi)
    times = np.asarray(CURVATURE_TIMES)
    rate = times * 2 / radius**2
    wanted = -radius * rate / (1 + rate) / np.sqrt(times)
    found = curvature(heat_displacements(operator.matrix, operator.mass, points), points / radius)
    assert found[:, :6].mean(axis=0) == pytest.approx(wanted, rel=0.02)
    assert np.abs(found[:, 6:]).max() < 0.05 * np.abs(wanted).max()


def test_displacements_turn_with_the_shape_and_stay_within_the_limit():
    points, _, operator = unit_ball()
    points = points * np.array([1.0, 0.2, 3.0])
    turn = np.linalg.qr(np.random.default_rng(0).normal(size=(3, 3)))[0]
    plain = heat_displacements(operator.matrix, operator.mass, points)
    turned = heat_displacements(operator.matrix, operator.mass, points @ turn.T)
    assert np.allclose(plain @ turn.T, turned, atol=1e-3)
    assert np.linalg.norm(plain, axis=2).max() <= LIMIT + 1e-9


def test_a_slab_is_as_thick_as_it_is():
    from trimesh.creation import box

    slab = box([1, 1, 0.05]).subdivide_to_size(0.1)
    up = np.abs(slab.face_normals[:, 2]) > 0.9
    inside = Inside(np.asarray(slab.vertices), np.asarray(slab.faces))
    found = inside.thickness(np.asarray(slab.face_normals))
    # A ray at 50 degrees goes 1.56 times as far as one straight down.
    assert 0.05 <= np.median(found.lengths[up]) <= 0.05 * 1.56
    assert found.hits.min() == 1.0


def test_below_an_open_sheet_there_is_no_body():
    sheet = np.array([[0.0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]])
    faces = np.array([[0, 1, 2], [0, 2, 3]])
    found = Inside(sheet, faces).thickness(np.tile([0.0, 0, 1], (2, 1)))
    assert found.lengths.tolist() == [FAR, FAR]
    assert found.hits.tolist() == [0, 0]
