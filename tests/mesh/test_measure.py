"""Normals and used vertices are what their definitions say, on random meshes and on solids."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from shapes import box, sphere, torus

from meshtide.errors import InputError
from meshtide.mesh.measure import face_normals, smooth_normals, triangle_areas, unit, vertex_normals
from meshtide.mesh.mesh import Mesh
from meshtide.mesh.topology import used_vertices, without_unused


def random_faces(seed: int) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    points = random.normal(size=(random.integers(3, 20), 3))
    return points, random.integers(0, len(points), size=(random.integers(1, 30), 3))


@settings(max_examples=60, deadline=None)
@given(some.integers(0, 2**32 - 1))
def test_used_vertices_are_those_that_faces_name(seed: int) -> None:
    points, faces = random_faces(seed)
    assert np.flatnonzero(used_vertices(faces, len(points))).tolist() == sorted(set(faces.ravel().tolist()))
    used, local = without_unused(faces, len(points))
    np.testing.assert_array_equal(used[local], faces)
    assert sorted(set(local.ravel().tolist())) == list(range(len(used)))


@settings(max_examples=60, deadline=None)
@given(some.integers(0, 2**32 - 1))
def test_normals_by_the_book(seed: int) -> None:
    points, faces = random_faces(seed)
    by_area, by_angle = np.zeros_like(points), np.zeros_like(points)
    for face in faces:
        a, b, c = points[face]
        normal = np.cross(b - a, c - a)
        for at, (here, one, other) in zip(face, ((a, b, c), (b, c, a), (c, a, b)), strict=True):
            by_area[at] += normal
            lengths = np.linalg.norm(one - here) * np.linalg.norm(other - here)
            if np.linalg.norm(normal) > 0:
                angle = np.arccos(np.clip((one - here) @ (other - here) / lengths, -1, 1))
                by_angle[at] += angle * normal / np.linalg.norm(normal)
    for found, sums in ((vertex_normals(points, faces), by_area), (smooth_normals(points, faces), by_angle)):
        lengths = np.linalg.norm(sums, axis=1)
        clear = lengths > 1e-6  # nearer to zero the direction is what rounding makes it
        np.testing.assert_allclose(found[clear], sums[clear] / lengths[clear, None], atol=1e-6)
        assert not found[~used_vertices(faces, len(points))].any()
    np.testing.assert_allclose(np.linalg.norm(face_normals(points, faces), axis=1) / 2, triangle_areas(points, faces))


@pytest.mark.parametrize("normals", [vertex_normals, smooth_normals])
@pytest.mark.parametrize("mesh", [sphere(3), torus(24, 12)])
def test_normals_of_smooth_bodies_point_outwards(normals: object, mesh: Mesh) -> None:
    found = normals(mesh.vertices, mesh.faces)  # type: ignore[operator]
    ahead = Mesh(mesh.vertices + 1e-3 * found, mesh.faces).area
    assert ahead > mesh.area
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1)


def test_weights_by_angle_do_not_see_the_diagonals() -> None:
    cube = box()
    found = smooth_normals(cube.vertices, cube.faces)
    middle = (cube.vertices.max(axis=0) + cube.vertices.min(axis=0)) / 2
    np.testing.assert_allclose(found, np.sign(cube.vertices - middle) / np.sqrt(3), atol=1e-12)


def test_unit_keeps_the_kind_and_leaves_zero_alone() -> None:
    vectors = np.array([[3, 0, 4], [0, 0, 0]], dtype=np.float32)
    assert unit(vectors).dtype == np.float32
    np.testing.assert_allclose(unit(vectors), [[0.6, 0, 0.8], [0, 0, 0]], rtol=1e-6)
    random = np.random.default_rng(0).normal(size=(1000, 3))
    np.testing.assert_array_equal(unit(random), random / np.linalg.norm(random, axis=1, keepdims=True))


@pytest.mark.parametrize("far", [1e6, 1e14, 1e17, 1e40, 1e60])
def test_a_shape_that_is_lost_beside_a_far_vertex_is_refused_before_its_area_is_needed(far: float) -> None:
    ball = sphere(1)
    vertices = np.concatenate([ball.vertices, [[far, 0, 0], [far, 0, 0], [far, 0, 0]]])
    faces = np.concatenate([ball.faces, [[42, 43, 44]]])
    if far < 1e15:
        assert Mesh(vertices, faces).area == pytest.approx(ball.area)
    else:
        with pytest.raises(InputError, match="vertices lie far off"):
            Mesh(vertices, faces)
