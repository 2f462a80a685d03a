"""The operators and their eigenpairs: known spectra, conservation and scale laws, and meshes that are hardly meshes."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from shapes import box, figure, sphere, torus

from meshtide.mesh.mesh import Mesh
from meshtide.spectral.spectrum import Eigenbasis, SpectrumWarning, eigenbasis, laplacian

TRIANGLE = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]])


def gram(basis: Eigenbasis) -> np.ndarray:
    return basis.vectors.T @ (basis.mass[:, None] * basis.vectors)


def assert_orthonormal(basis: Eigenbasis) -> None:
    np.testing.assert_allclose(gram(basis), np.eye(len(basis.values)), atol=1e-6)


def several(mesh: Mesh, copies: int) -> Mesh:
    """Copies of a mesh side by side, as one mesh of so many components."""
    span, count = np.ptp(mesh.vertices, axis=0).max() * 2, len(mesh.vertices)
    vertices = np.concatenate([mesh.vertices + [span * i, 0, 0] for i in range(copies)])
    return Mesh(vertices, np.concatenate([mesh.faces + count * i for i in range(copies)]), f"{copies} copies")


def test_sphere_has_the_spectrum_of_a_sphere():
    # On a sphere of area 1 the eigenvalues are 4π l (l + 1), each 2 l + 1 times.
    basis = eigenbasis(sphere(4), k=16)
    expected = 4 * np.pi * np.repeat([0, 2, 6, 12], [1, 3, 5, 7])
    np.testing.assert_allclose(basis.values, expected, rtol=0.01, atol=1e-6)
    assert basis.components == 1
    assert_orthonormal(basis)
    np.testing.assert_array_equal(basis.frequencies, basis.values)


def test_eigenpairs_solve_the_eigenproblem():
    mesh, operator = torus(), laplacian(torus())
    basis = eigenbasis(mesh, k=40)
    residual = operator.matrix @ basis.vectors - basis.mass[:, None] * basis.vectors * basis.values
    assert np.abs(residual).max() < 1e-5 * basis.values[-1] * basis.mass.max() * np.abs(basis.vectors).max()
    assert (np.diff(basis.values) >= -1e-9 * basis.values[-1]).all()


def test_surface_laplacian_kills_constants_is_symmetric_and_positive():
    operator = laplacian(torus())
    assert operator.kind == "surface"
    assert operator.mass.sum() == pytest.approx(1, abs=1e-12)
    assert np.abs(operator.matrix.sum(axis=1)).max() < 1e-10
    assert abs(operator.matrix - operator.matrix.T).max() < 1e-12
    random = np.random.default_rng(0).normal(size=(operator.mass.size, 20))
    assert (np.einsum("vc,vc->c", random, operator.matrix @ random) > 0).all()


@pytest.mark.parametrize("scale", [1e3, 1e-12, 1e30, 1e-30, 1e150, 1e-150, 1e300, 1e-300])
def test_scale_changes_nothing(scale):
    mesh, _ = figure(1)
    small, large = laplacian(mesh), laplacian(Mesh(mesh.vertices * scale, mesh.faces))
    assert abs(small.matrix - large.matrix).max() < 1e-8
    np.testing.assert_allclose(small.mass, large.mass, rtol=1e-9)
    one, other = eigenbasis(mesh, k=20), eigenbasis(Mesh(mesh.vertices * scale, mesh.faces), k=20)
    np.testing.assert_allclose(one.values, other.values, rtol=1e-7, atol=1e-6)


def test_a_power_of_two_changes_no_bit():
    mesh, _ = figure(1)
    one, other = eigenbasis(mesh, k=12), eigenbasis(Mesh(mesh.vertices * 1024, mesh.faces), k=12)
    np.testing.assert_array_equal(one.vectors, other.vectors)


def test_translation_far_away_changes_little():
    mesh, _ = figure(1)
    here, there = eigenbasis(mesh, k=20), eigenbasis(Mesh(mesh.vertices + 1e6, mesh.faces), k=20)
    np.testing.assert_allclose(here.values, there.values, rtol=1e-6, atol=1e-6)


def test_the_same_mesh_gives_the_same_bits():
    for operator in ("surface", "graph"):
        one, other = (eigenbasis(figure(2)[0], k=32, operator=operator) for _ in range(2))
        np.testing.assert_array_equal(one.vectors, other.vectors)
        np.testing.assert_array_equal(one.values, other.values)


def test_two_components_have_two_zeros_and_twice_each_value():
    basis = eigenbasis(several(sphere(2), 2), k=18)
    assert basis.components == 2
    single = eigenbasis(sphere(2), k=9)
    # Half the area each: eigenvalues double.
    np.testing.assert_allclose(basis.values, np.repeat(2 * single.values, 2), rtol=1e-6, atol=1e-5)
    assert_orthonormal(basis)


def test_hundreds_of_components_are_survived_and_told():
    mesh = several(box(), 300)
    with pytest.warns(SpectrumWarning, match=r"300 copies: its 300 connected components take 128 of the 128.*doctor"):
        basis = eigenbasis(mesh, k=128)
    assert basis.components == 300
    np.testing.assert_allclose(basis.values, 0, atol=1e-6)
    assert_orthonormal(basis)
    with pytest.warns(SpectrumWarning):
        more = eigenbasis(mesh, k=400)
    assert (more.values < 1e-5).sum() == 300
    assert_orthonormal(more)


@pytest.mark.parametrize("k", [1, 4, 8])
def test_one_component_never_warns(k):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert eigenbasis(box(), k=k).values.shape == (k,)


def test_graph_operator_is_the_papers():
    mesh, _ = figure(1)
    count = len(mesh.vertices)
    adjacency = np.eye(count)
    for a, b in mesh.edges():
        adjacency[a, b] = adjacency[b, a] = 1
    degree = adjacency.sum(axis=1)
    dense = adjacency / np.sqrt(np.outer(degree, degree))
    operator = laplacian(mesh, "graph")
    np.testing.assert_allclose(operator.matrix.toarray(), dense, atol=1e-15)
    np.testing.assert_array_equal(operator.mass, 1)

    basis = eigenbasis(mesh, k=30, operator="graph")
    np.testing.assert_allclose(basis.values, np.linalg.eigvalsh(dense)[::-1][:30], atol=1e-9)
    assert basis.values[0] == pytest.approx(1, abs=1e-12)
    smoothest = np.sqrt(degree / degree.sum())
    np.testing.assert_allclose(np.abs(basis.vectors[:, 0]), smoothest, atol=1e-7)
    np.testing.assert_allclose(basis.frequencies, 1 - basis.values, atol=1e-15)
    assert basis.frequencies.min() >= 0
    assert_orthonormal(basis)


@pytest.mark.parametrize("operator", ["surface", "graph"])
def test_unreferenced_vertices_take_no_part(operator):
    mesh, _ = figure(1)
    count = len(mesh.vertices)
    # One in front, one in the middle, one behind, and far away, so that centring would notice.
    places = np.sort(np.concatenate([np.arange(count), [0, count // 2, count]]), kind="stable")
    stray = np.zeros(count + 3, dtype=bool)
    stray[[0, count // 2 + 1, count + 2]] = True
    index = np.flatnonzero(~stray)
    vertices = np.full((len(places), 3), 1e9)
    vertices[index] = mesh.vertices
    clean = eigenbasis(mesh, k=24, operator=operator)
    basis = eigenbasis(Mesh(vertices, index[mesh.faces]), k=24, operator=operator)
    np.testing.assert_array_equal(basis.vectors[index], clean.vectors)
    np.testing.assert_array_equal(basis.values, clean.values)
    np.testing.assert_array_equal(basis.mass[index], clean.mass)
    assert not basis.vectors[stray].any()
    assert not basis.mass[stray].any()
    assert basis.components == 1


@pytest.mark.parametrize("operator", ["surface", "graph"])
@pytest.mark.parametrize("k", [1, 2, 3, 128])
def test_single_triangle(operator, k):
    basis = eigenbasis(Mesh(TRIANGLE, np.array([[0, 1, 2]])), k=k, operator=operator)
    assert basis.vectors.shape == (3, min(k, 3))
    assert basis.frequencies[0] == pytest.approx(0, abs=1e-12)
    assert_orthonormal(basis)


@pytest.mark.parametrize("operator", ["surface", "graph"])
def test_non_manifold_edges_and_vertices(operator):
    book = np.array([[0.0, 0, 0], [0, 0, 1], [1, 0, 0], [0, 1, 0], [-1, -1, 0]])
    pages = Mesh(book, np.array([[0, 1, 2], [0, 1, 3], [0, 1, 4]]))
    ball = sphere(1)
    pair = Mesh(  # two balls that share their first vertex and nothing else
        np.concatenate([ball.vertices, 2 * ball.vertices[0] - ball.vertices[1:]]),
        np.concatenate([ball.faces, np.where(ball.faces == 0, 0, ball.faces + len(ball.vertices) - 1)[:, ::-1]]),
    )
    for mesh in (pages, pair):
        basis = eigenbasis(mesh, k=30, operator=operator)
        assert basis.components == 1
        assert (basis.frequencies > 1e-6).sum() == len(basis.values) - 1
        assert_orthonormal(basis)


def test_faces_that_are_no_faces_change_nothing():
    mesh, _ = figure(1)
    clean = laplacian(mesh)
    repeated = np.array([[0, 0, 1], [5, 7, 7], [9, 9, 9]])
    extras = np.concatenate([repeated, mesh.faces[:40, [1, 2, 0]], mesh.faces[:10, ::-1]])
    dirty = laplacian(Mesh(mesh.vertices, np.concatenate([mesh.faces, extras])))
    np.testing.assert_allclose(dirty.matrix.toarray(), clean.matrix.toarray(), atol=1e-12)
    np.testing.assert_allclose(dirty.mass, clean.mass, atol=1e-15)


def test_faces_without_area_are_survived():
    # A vertex on the middle of an edge, whose faces on one side are flat: no area, but connected by them.
    vertices = np.concatenate([TRIANGLE, [[0.5, 0, 0], [0.5, -1, 0], [0, 0, 0]]])
    faces = np.array([[0, 1, 2], [0, 1, 3], [0, 3, 4], [3, 1, 4], [0, 5, 1]])
    basis = eigenbasis(Mesh(vertices, faces), k=6)
    assert basis.components == 1
    assert np.isfinite(basis.vectors).all()
    assert_orthonormal(basis)


def test_random_triangles_are_survived():
    rng = np.random.default_rng(5)
    for trial in range(60):
        count = int(rng.integers(3, 30))
        vertices = rng.normal(size=(count, 3)) if trial % 3 else rng.integers(0, 2, size=(count, 3)).astype(float)
        faces = rng.integers(0, count, size=(int(rng.integers(1, 60)), 3))
        faces = np.concatenate([faces, [[0, 1, 2]]])
        vertices[:3] = TRIANGLE
        mesh = Mesh(vertices * 10.0 ** rng.integers(-150, 150), faces)
        for operator in ("surface", "graph"):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", SpectrumWarning)
                basis = eigenbasis(mesh, k=16, operator=operator)
            assert np.isfinite(basis.vectors).all()
            assert (np.diff(basis.frequencies) >= -1e-7 * max(1, basis.frequencies[-1])).all()
            assert_orthonormal(basis)


def test_permuting_vertices_permutes_the_operator():
    mesh, _ = figure(1)
    order = np.random.default_rng(1).permutation(len(mesh.vertices))
    place = np.argsort(order)
    shuffled = Mesh(mesh.vertices[order], place[mesh.faces])
    for kind in ("surface", "graph"):
        one, other = laplacian(mesh, kind), laplacian(shuffled, kind)
        np.testing.assert_allclose(other.matrix.toarray(), one.matrix.toarray()[order][:, order], atol=1e-9)
        np.testing.assert_allclose(other.mass, one.mass[order], atol=1e-12)


def test_unknown_words_name_the_known_ones():
    with pytest.raises(ValueError, match=r"'robust' is not known; there are surface, graph"):
        laplacian(box(), "robust")
    with pytest.raises(ValueError, match="at least one"):
        eigenbasis(box(), k=0)
