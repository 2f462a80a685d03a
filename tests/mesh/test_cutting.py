"""Cut triangles: the surface stays what it was, and every new triangle lies on one side."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shapes import box, sphere, torus

from meshtide.mesh.cutting import Cut, crossings, cut
from meshtide.mesh.measure import face_normals, triangle_areas
from meshtide.mesh.mesh import Mesh
from meshtide.mesh.topology import edges_with_uses


def randomly_cut(mesh: Mesh, labels: np.ndarray, seed: int = 0) -> Cut:
    """Cut anywhere, also at the ends of sides and outside of triangles."""
    rng = np.random.default_rng(seed)
    found = crossings(mesh.faces, labels)
    middles = rng.normal(1 / 3, 1, size=(int(found.triple.sum()), 3))
    middles[::5] = np.nan
    return cut(mesh, found, rng.uniform(-0.2, 1.2, len(found.sides)), middles)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000), parts=st.integers(1, 5))
def test_a_cut_surface_is_the_same_surface(seed: int, parts: int) -> None:
    mesh = torus(9, 7)
    labels = np.random.default_rng(seed).integers(-1, parts, len(mesh.vertices))
    result = randomly_cut(mesh, labels, seed)
    _, uses = edges_with_uses(result.faces, len(result.vertices))
    assert (uses == 2).all()  # watertight as it was
    sides = np.concatenate([result.faces[:, [0, 1]], result.faces[:, [1, 2]], result.faces[:, [2, 0]]])
    assert len(np.unique(sides, axis=0)) == len(sides)  # and wound one way
    assert len(result.vertices) - len(edges_with_uses(result.faces, len(result.vertices))[0]) + len(result.faces) == 0
    areas = np.bincount(result.parent, triangle_areas(result.vertices, result.faces), len(mesh.faces))
    np.testing.assert_allclose(areas, mesh.face_areas, rtol=1e-9)
    old, new = face_normals(mesh.vertices, mesh.faces)[result.parent], face_normals(result.vertices, result.faces)
    assert (np.einsum("fx,fx->f", old, new) > 0).all()
    np.testing.assert_array_equal(result.vertices[: len(mesh.vertices)], mesh.vertices)
    assert (result.owner[:, None] == mesh.faces[result.parent]).any(axis=1).all()


def test_what_has_one_label_is_left_alone() -> None:
    mesh = sphere(1)
    result = randomly_cut(mesh, np.zeros(len(mesh.vertices), dtype=int))
    np.testing.assert_array_equal(result.faces, mesh.faces)
    assert result.added == 0


def test_old_corners_of_new_triangles_are_on_their_owners_side() -> None:
    mesh = sphere(2)
    labels = np.random.default_rng(0).integers(0, 3, len(mesh.vertices))
    result = randomly_cut(mesh, labels)
    old = result.faces < len(mesh.vertices)
    whose = labels[result.owner]
    for corner in range(3):
        here = old[:, corner]
        np.testing.assert_array_equal(labels[result.faces[here, corner]], whose[here])


def test_one_triangle_with_three_labels_is_cut_in_six_that_meet_where_they_should() -> None:
    mesh = Mesh(np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]]), [[0, 1, 2]])
    found = crossings(mesh.faces, np.array([4, 5, 6]))
    result = cut(mesh, found, np.array([0.25, 0.5, 0.5]), np.array([[0.5, 0.3, 0.2]]))
    assert len(result.faces) == 6
    np.testing.assert_array_equal(np.bincount(result.owner), [2, 2, 2])
    np.testing.assert_allclose(result.vertices[3:], [[0.25, 0, 0], [0, 0.5, 0], [0.5, 0.5, 0], [0.3, 0.2, 0]])


def test_linear_values_stay_linear() -> None:
    mesh = sphere(2)
    labels = np.random.default_rng(0).integers(0, 3, len(mesh.vertices))
    result = randomly_cut(mesh, labels)
    slope = np.array([[1.0, 2, 3], [0, -1, 1], [2, 0, 0]])
    np.testing.assert_allclose(result.carried(mesh.vertices @ slope), result.vertices @ slope, atol=1e-12)
    at_corners = result.carried_corners((mesh.vertices @ slope)[mesh.faces])
    np.testing.assert_allclose(at_corners, (result.vertices @ slope)[result.faces], atol=1e-12)


@pytest.mark.parametrize("scale", [1e-200, 1e200])
def test_no_coordinate_is_too_small_or_too_large(scale: float) -> None:
    mesh = box()
    result = randomly_cut(Mesh(mesh.vertices * scale, mesh.faces), np.arange(8) % 3)
    np.testing.assert_allclose(result.vertices / scale, randomly_cut(mesh, np.arange(8) % 3).vertices)
