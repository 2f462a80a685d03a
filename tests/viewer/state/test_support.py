"""Diffusion support: the matrix exponential, heat that is not lost, and how far it reaches."""

from __future__ import annotations

import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import potpourri3d
import pytest
import torch
from scipy.linalg import expm
from shapes import figure, sphere, torus

from meshtide.arrays import FloatArray
from meshtide.errors import InputError
from meshtide.mesh.mesh import Mesh
from meshtide.networks.graph import MeshGraph, mesh_graph
from meshtide.networks.tide import TideNet
from meshtide.spectral.recipe import GraphRecipe
from meshtide.spectral.signatures import GRAPH_FREQUENCY
from meshtide.spectral.spectrum import laplacian
from meshtide.viewer.state import Geodesics, Support

SMALL = torus(9, 7)
TIMES = (1e-3, 0.02, 0.2)


def full(operator: str, mesh: Mesh = SMALL) -> MeshGraph:
    return mesh_graph(mesh, GraphRecipe(operator=operator, k=len(mesh.vertices)))


def exponential(operator: str, time: float) -> tuple[FloatArray, FloatArray]:
    """Heat and derivative of δ at every vertex as columns, by scipy."""
    found = laplacian(SMALL, operator)
    matrix = found.matrix.toarray()
    if operator == "surface":
        generator = matrix / found.mass[:, None]  # M⁻¹ L
        heat = expm(-time * generator) / found.mass  # δ_v is one over the mass at v
        return heat, time * generator @ heat
    scale = GRAPH_FREQUENCY * len(matrix)
    heat = expm(-time * scale * (np.eye(len(matrix)) - matrix))
    return heat, matrix @ heat


@pytest.mark.parametrize("operator", ["surface", "graph"])
@pytest.mark.parametrize("time", TIMES)
def test_with_a_full_basis_it_is_the_matrix_exponential(operator: str, time: float) -> None:
    support = Support(SMALL, full(operator))
    heat, derivative = exponential(operator, time)
    for vertex in (0, 17, 40):
        for kind, wanted in (("heat", heat), ("derivative", derivative)):
            found = support.values(vertex, time=time, kind=kind)
            scale = np.abs(wanted[:, vertex]).max()
            np.testing.assert_allclose(found / scale, np.abs(wanted[:, vertex]) / scale, atol=2e-5)


@pytest.mark.parametrize("operator", ["surface", "graph"])
def test_it_is_what_the_layer_of_a_network_does(operator: str) -> None:
    graph = mesh_graph(SMALL, GraphRecipe(operator=operator, k=20))
    network = TideNet(16, 3, width=5, blocks=2, operator=operator)
    layer = network.blocks[1].diffusion
    with torch.no_grad():
        layer.alpha.fill_(0.4)
        layer.beta.fill_(0.7)
        signal = torch.zeros(graph.num_vertices, 5)
        signal[11] = 1 / graph.mass[11]
        wanted = layer(signal, graph).abs().numpy()
    support = Support(SMALL, graph, network)
    for channel in range(5):
        found = support.layer_values(11, block=1, channel=channel)
        np.testing.assert_allclose(found, wanted[:, channel], rtol=1e-3, atol=1e-4 * wanted.max())
        if operator == "surface":
            found = support.values(11, block=1, channel=channel)
            np.testing.assert_allclose(found, wanted[:, 5 + channel], rtol=1e-3, atol=1e-4 * wanted[:, 5:].max())


def test_heat_is_conserved_and_the_derivative_is_how_it_changes_in_log_time() -> None:
    mesh = torus(24, 12)
    graph = full("surface", mesh)
    support = Support(mesh, graph)
    mass = graph.mass.numpy()
    for time in (5e-3, 0.05, 0.5):
        assert mass @ support.values(5, time=time, kind="heat") == pytest.approx(1, abs=1e-4)
    early, late = (support.values(5, time=time, kind="heat") for time in (0.05, 0.05 * 1.001))
    rate = np.abs(early - late) / 0.001
    np.testing.assert_allclose(support.values(5, time=0.05), rate, atol=0.02 * rate.max())


@pytest.mark.parametrize("operator", ["surface", "graph"])
def test_what_v_gives_to_x_x_gives_to_v(operator: str) -> None:
    mesh = figure(1)[0]
    support = Support(mesh, mesh_graph(mesh, GraphRecipe(operator=operator, k=30)))
    for kind in ("heat", "derivative"):
        there = support.values(3, time=0.05, kind=kind)
        for other in (7, 90, 200):
            back = support.values(other, time=0.05, kind=kind)[3]
            assert there[other] == pytest.approx(back, rel=1e-3, abs=1e-5 * float(there.max()))


@pytest.mark.parametrize("operator", ["surface", "graph"])
@pytest.mark.parametrize("kind", ["heat", "derivative"])
def test_the_radius_grows_with_time(operator: str, kind: str) -> None:
    mesh = figure(1)[0]
    support = Support(mesh, full(operator, mesh))
    radii = [support.radius(7, values) for values in support.animation(7, (1e-3, 1e-2, 1e-1), kind)]
    assert radii == sorted(radii)
    assert radii[0] < radii[-1] / 3


def test_on_a_sphere_the_radius_is_that_of_the_plane_at_small_times() -> None:
    """In the plane, 90 % of the heat lies within sqrt(4 t ln 10); the sphere's area is 4π, and times are of area 1."""
    mesh = sphere(4)
    support = Support(mesh, mesh_graph(mesh, GraphRecipe(k=400)))
    for time in (2e-3, 5e-3):
        found = support.radius(100, support.values(100, time=time, kind="heat"))
        assert found == pytest.approx(np.sqrt(4 * np.pi * 4 * time * np.log(10)), rel=0.06)


def test_the_radius_is_in_units_of_the_mesh_and_grows_with_the_share() -> None:
    mesh = torus(24, 12)
    large = Mesh(1000 * mesh.vertices, mesh.faces)
    one, other = (Support(each, mesh_graph(each, GraphRecipe(k=40))) for each in (mesh, large))
    values = one.values(4, time=0.02)
    assert other.radius(4, other.values(4, time=0.02)) == pytest.approx(1000 * one.radius(4, values), rel=1e-3)
    radii = [one.radius(4, values, share) for share in (0.3, 0.6, 0.9, 1.0)]
    assert radii == sorted(radii)
    assert radii[-1] <= one.geodesics.from_vertex(4).max()


@pytest.mark.parametrize("operator", ["surface", "graph"])
def test_vertices_that_no_face_uses_give_and_get_nothing(operator: str) -> None:
    lonely = Mesh(np.concatenate([[[9.0, 9.0, 9.0]], SMALL.vertices]), SMALL.faces + 1)
    support = Support(lonely, mesh_graph(lonely, GraphRecipe(operator=operator, k=20)))
    values = support.values(6, time=0.02)
    assert values[0] == 0
    np.testing.assert_allclose(
        values[1:],
        Support(SMALL, mesh_graph(SMALL, GraphRecipe(operator=operator, k=20))).values(5, time=0.02),
        atol=1e-3 * values.max(),
    )
    assert not support.values(0, time=0.02).any()
    assert support.radius(0, support.values(0, time=0.02)) == 0


def test_the_learned_times_are_those_of_the_network() -> None:
    network = TideNet(16, 4, width=6, blocks=3)
    support = Support(SMALL, mesh_graph(SMALL, GraphRecipe(k=20)), network)
    spread = support.spread()
    assert [len(times) for times in spread] == [6, 6, 6]
    assert support.time(2, 4) == pytest.approx(float(network.diffusion_times()[2][4]))
    np.testing.assert_array_equal(support.values(3, block=2, channel=4), support.values(3, time=support.time(2, 4)))
    shared = Support(SMALL, support.graph, TideNet(16, 4, width=6, blocks=1, times="shared"))
    assert shared.time(0, 5) == shared.time(0, 0)


def test_what_cannot_be_shown_is_said() -> None:
    graph = mesh_graph(SMALL, GraphRecipe(k=20))
    support = Support(SMALL, graph, TideNet(16, 4, width=6, blocks=2))
    with pytest.raises(InputError, match="no block 2"):
        support.values(0, block=2)
    with pytest.raises(InputError, match="no channel 6"):
        support.values(0, channel=6)
    with pytest.raises(InputError, match="no vertex 63"):
        support.values(63)
    with pytest.raises(InputError, match="'cold' is not known"):
        support.values(0, kind="cold")
    with pytest.raises(InputError, match="time -1"):
        support.values(0, time=-1.0)
    with pytest.raises(InputError, match="share 0"):
        support.radius(0, support.values(0), 0)
    with pytest.raises(InputError, match="no diffusion times"):
        Support(SMALL, graph, SimpleNamespace()).values(0)
    with pytest.raises(InputError, match="prepare the graph from this mesh"):
        Support(torus(), graph)


def test_distances_are_those_of_the_solver() -> None:
    mesh = sphere(3)
    wanted = potpourri3d.MeshHeatMethodDistanceSolver(mesh.vertices, mesh.faces).compute_distance(9)
    np.testing.assert_allclose(Geodesics(mesh).from_vertex(9), wanted, atol=1e-9)


def test_another_piece_is_infinitely_far_and_changes_nothing_here() -> None:
    mesh = sphere(2)
    count = len(mesh.vertices)
    coarse = sphere(0, radius=5.0)
    both = Mesh(
        np.concatenate([[[7.0, 7.0, 7.0]], coarse.vertices + 20, mesh.vertices]),
        np.concatenate([coarse.faces + 1, mesh.faces + 1 + len(coarse.vertices)]),
    )
    found = Geodesics(both).from_vertex(len(both.vertices) - count + 3)
    np.testing.assert_allclose(found[-count:], Geodesics(mesh).from_vertex(3), atol=1e-6)
    assert np.isinf(found[:-count]).all()


def test_a_piece_without_area_is_measured_along_its_edges() -> None:
    line = np.array([[0.0, 0, 0], [1, 0, 0], [3, 0, 0]])
    mesh = Mesh(np.concatenate([line, SMALL.vertices + 9]), np.concatenate([[[0, 1, 2]], SMALL.faces + 3]))
    np.testing.assert_allclose(Geodesics(mesh).from_vertex(0)[:3], [0, 1, 3], atol=0.05)


def test_importing_the_package_loads_neither_torch_nor_the_solver() -> None:
    code = (
        "import sys, meshtide.viewer.state as v; v.Support, v.Painting, v.Scene, v.propose; "
        "assert not {'torch', 'potpourri3d', 'polyscope'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
