"""Signatures: theorems about heat and waves, and that they see the shape and not its scale, meshing or basis."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest
from shapes import figure, sphere

from meshtide.mesh.mesh import Mesh
from meshtide.spectral.recipe import GraphRecipe
from meshtide.spectral.signatures import (
    hks,
    hks_times,
    log_hks,
    on_unit_area,
    wks,
    wks_energies,
)
from meshtide.spectral.spectrum import Eigenbasis, eigenbasis

TIMES, ENERGIES = hks_times(), wks_energies()


@pytest.fixture(scope="module")
def body() -> Eigenbasis:
    return eigenbasis(figure(2)[0], k=96)


@pytest.fixture(scope="module")
def body_graph() -> Eigenbasis:
    return eigenbasis(figure(2)[0], k=96, operator="graph")


def test_heat_trace(body, body_graph):
    for basis in (body, body_graph):
        trace = np.exp(-np.outer(basis.frequencies, TIMES)).sum(axis=0)
        np.testing.assert_allclose(basis.mass @ hks(basis, TIMES), trace, rtol=1e-6)


def test_heat_spreads_evenly_in_the_end(body):
    np.testing.assert_allclose(hks(body, [50.0]), 1, atol=1e-7)
    np.testing.assert_allclose(log_hks(body, [50.0]), 0, atol=1e-7)


def test_heat_only_decays_and_stays_above_its_end(body):
    values = hks(body, TIMES)
    assert (np.diff(values, axis=1) < 0).all()
    assert values.min() > 1 - 1e-6
    np.testing.assert_allclose(log_hks(body, TIMES), np.log(values), atol=1e-9)


def test_heat_on_a_sphere_is_the_closed_form():
    # Every point of a sphere of area 1 keeps Σ (2 l + 1) exp(-4π l (l + 1) t).
    times = np.array([0.01, 0.03, 0.1])
    degree = np.arange(40)[:, None]
    exact = ((2 * degree + 1) * np.exp(-4 * np.pi * degree * (degree + 1) * times)).sum(axis=0)
    np.testing.assert_allclose(hks(eigenbasis(sphere(4), k=100), times), np.tile(exact, (2562, 1)), rtol=0.02)


def test_wave_weights_sum_to_one(body, body_graph):
    for basis in (body, on_unit_area(body_graph)):
        np.testing.assert_allclose(basis.mass @ wks(basis, ENERGIES), 1, rtol=1e-6)


def test_wave_at_one_eigenvalue_is_that_eigenvector(body):
    alone = wks(body, [body.values[1]], width=1e-3)[:, 0]
    np.testing.assert_allclose(alone, body.vectors[:, 1] ** 2, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("scale", [1e3, 1e-12])
def test_millimetres_and_metres_agree(body, scale):
    mesh, _ = figure(2)
    other = eigenbasis(Mesh(mesh.vertices * scale, mesh.faces), k=96)
    np.testing.assert_allclose(hks(other, TIMES), hks(body, TIMES), rtol=1e-4)
    np.testing.assert_allclose(wks(other, ENERGIES), wks(body, ENERGIES), rtol=1e-2, atol=1e-3)


def test_two_meshings_of_a_sphere_nearly_agree(capsys):
    coarse, fine = (log_hks(eigenbasis(sphere(level), k=64), TIMES) for level in (3, 4))
    error = np.abs(coarse - fine[: len(coarse)])
    with capsys.disabled():
        print(f"\nlog-HKS of a sphere, 642 and 2,562 vertices: largest difference {error.max():.4f}")  # noqa: T201
    assert error.max() < 0.06


def test_two_meshings_of_a_figure_nearly_agree(capsys):
    coarsest, coarse, fine = (log_hks(eigenbasis(figure(level)[0], k=96), TIMES) for level in (1, 2, 3))
    first, error = np.abs(coarsest - coarse[: len(coarsest)]), np.abs(coarse - fine[: len(coarse)])
    spread = np.ptp(coarse, axis=0)
    with capsys.disabled():
        print(  # noqa: T201
            f"\nlog-HKS of the figure, {len(coarse):,} and {len(fine):,} vertices: largest difference "
            f"{error.max():.4f}, mean {error.mean():.4f}, of a spread of {spread.min():.2f} to {spread.max():.2f}; "
            f"{len(coarsest):,} and {len(coarse):,} vertices: largest {first.max():.4f}"
        )
    assert error.max() < 0.06
    assert error.mean() < 0.006
    assert (error.max(axis=0) < 0.08 * spread).all()
    # Linear elements converge with the square of the edge length: a finer meshing, a quarter of the error.
    assert error.mean() < first.mean() / 2.5


def test_permuting_vertices_permutes_signatures(body):
    mesh, _ = figure(2)
    order = np.random.default_rng(2).permutation(len(mesh.vertices))
    shuffled = eigenbasis(Mesh(mesh.vertices[order], np.argsort(order)[mesh.faces]), k=96)
    np.testing.assert_allclose(hks(shuffled, TIMES), hks(body, TIMES)[order], rtol=1e-4)


def test_signs_and_rotations_within_a_multiplet_do_not_matter():
    basis = eigenbasis(sphere(3), k=16)
    rng = np.random.default_rng(3)
    turned = basis.vectors * rng.choice([-1, 1], size=16)
    for first, last in ((1, 4), (4, 9)):
        rotation, _ = np.linalg.qr(rng.normal(size=(last - first, last - first)))
        turned[:, first:last] = turned[:, first:last] @ rotation
    # The multiplets of l = 1 and l = 2 are exact by symmetry, up to the solver's accuracy.
    other = replace(basis, vectors=turned)
    np.testing.assert_allclose(hks(other, TIMES), hks(basis, TIMES), rtol=1e-5)
    np.testing.assert_allclose(wks(other, ENERGIES), wks(basis, ENERGIES), rtol=1e-3, atol=1e-4)


def test_graph_frequencies_on_unit_area_are_near_the_surfaces():
    # A geodesic sphere is close to equilateral: both operators see nearly the same sphere. Its twelve vertices of
    # degree five are an icosahedron that only the graph sees; it splits the multiplet of l = 3 but keeps its mean.
    surface = eigenbasis(sphere(4), k=16)
    graph = on_unit_area(eigenbasis(sphere(4), k=16, operator="graph"))
    for first, last in ((1, 4), (4, 9), (9, 16)):
        assert graph.frequencies[first:last].mean() == pytest.approx(surface.frequencies[first:last].mean(), rel=0.01)
    assert graph.mass.sum() == pytest.approx(1)
    assert on_unit_area(surface) is surface
    difference = np.abs(log_hks(graph, TIMES) - log_hks(surface, TIMES))
    assert np.median(difference) < 0.1


@pytest.mark.parametrize("operator", ["surface", "graph"])
def test_tiny_meshes_have_every_column(operator):
    mesh = Mesh(np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]]), np.array([[0, 1, 2]]))
    basis = on_unit_area(eigenbasis(mesh, k=128, operator=operator))
    for values in (hks(basis, TIMES), log_hks(basis, TIMES), wks(basis, ENERGIES)):
        assert values.shape == (3, 16)
        assert np.isfinite(values).all()
    constant = eigenbasis(mesh, k=1, operator=operator)
    np.testing.assert_array_equal(wks(constant, ENERGIES), 0)


def test_vertices_without_eigenvector_stay_finite():
    mesh = sphere(0)
    vertices = np.concatenate([mesh.vertices + [4 * i, 0, 0] for i in range(5)] + [[[0, 0, 9]]])
    many = Mesh(vertices, np.concatenate([mesh.faces + 12 * i for i in range(5)]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        basis = eigenbasis(many, k=3)
    values = log_hks(basis, TIMES)
    assert np.isfinite(values).all()
    np.testing.assert_array_equal(values[-1], 0)


def test_defaults_and_faults():
    assert TIMES[0] == 2e-3
    assert TIMES[-1] == 0.3
    assert len(hks_times(5)) == 5
    np.testing.assert_allclose(np.diff(np.log(TIMES)), np.log(150) / 15, rtol=1e-4)
    basis = eigenbasis(sphere(1), k=4)
    for bad in ([0.0], [-1.0], [np.nan], [[1.0]]):
        with pytest.raises(ValueError, match="positive"):
            hks(basis, bad)
        with pytest.raises(ValueError, match="positive"):
            wks(basis, bad)
    with pytest.raises(ValueError, match="width"):
        wks(basis, [1.0], width=0)


def test_recipes_of_old_keep_their_digests() -> None:
    # Keys of caches and of models that exist: a new word must not change them.
    assert GraphRecipe().digest() == "65f0039c0a340c4091bc9b59683dde47"
    assert GraphRecipe("graph", 64, ("hks", "wks")).digest() == "04bc775ff07fbe85ef1447fc9c0f85e9"
