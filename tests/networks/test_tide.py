"""TIDE as mathematics: what the paper says of its layer holds for ours, in output and in gradient."""

from __future__ import annotations

import math
from dataclasses import fields, replace

import numpy as np
import pytest
import torch
from outcomes import assert_same, outcome
from scipy.linalg import expm
from shapes import figure, sphere, torus
from torch import Tensor

from meshtide.errors import InputError
from meshtide.mesh.mesh import Mesh
from meshtide.networks.diffusion import TimeDerivativeDiffusion
from meshtide.networks.graph import MeshGraph, mesh_graph
from meshtide.networks.signal import Signal
from meshtide.networks.tide import TideBlock, TideNet
from meshtide.spectral.recipe import GraphRecipe
from meshtide.spectral.spectrum import laplacian

OPERATORS = ("surface", "graph")


def graph_of(mesh: Mesh, operator: str, k: int = 20, double: bool = True) -> MeshGraph:
    """A graph in float64, so that what is compared is the mathematics and not the rounding."""
    graph = mesh_graph(mesh, GraphRecipe(operator=operator, k=k), extras=("stiffness",))
    if not double:
        return graph
    wide = {
        field.name: value.double()
        for field in fields(graph)
        if isinstance(value := getattr(graph, field.name), Tensor) and value.is_floating_point()
    }
    return replace(graph, **wide)


def orthonormal(graph: MeshGraph) -> MeshGraph:
    """Undo what float32 storage did to the eigenvectors, so that a full basis is one to float64."""
    root = graph.mass.sqrt()[:, None]
    vectors = torch.linalg.qr(graph.vectors * root)
    signs = torch.sign(torch.diagonal(vectors.R))
    return replace(graph, vectors=vectors.Q * signs / root)


def signals(graph: MeshGraph, channels: int = 3) -> Tensor:
    return torch.randn(graph.num_vertices, channels, dtype=torch.float64, generator=torch.Generator().manual_seed(0))


@pytest.mark.parametrize("mlp", [False, True])
def test_at_time_zero_the_block_is_a_gcn_layer(mlp: bool) -> None:
    graph = graph_of(torus(10, 8), "graph", k=16)
    block = TideBlock(5, operator="graph", mlp=mlp).double()
    torch.nn.init.constant_(block.diffusion.log_time, -math.inf)
    x = signals(graph, 5)
    adjacency = laplacian(torus(10, 8), "graph").matrix.toarray()
    assert block.linear is not None
    weight, bias = block.linear.weight.detach().numpy(), block.linear.bias.detach().numpy()
    expected = np.maximum(adjacency @ x.numpy() @ weight.T + bias, 0)
    np.testing.assert_allclose(block.propagate(x, graph).detach().numpy(), expected, atol=1e-6)


def test_a_full_basis_gives_the_matrix_exponential_on_a_surface() -> None:
    mesh = sphere(1)
    graph = orthonormal(graph_of(mesh, "surface", k=len(mesh.vertices)))
    operator = laplacian(mesh, "surface")
    dense = operator.matrix.toarray() / operator.mass[:, None]  # M^-1 L
    layer = TimeDerivativeDiffusion(3, operator="surface").double()
    u = signals(graph)
    heat, derivative = layer(u, graph).detach().numpy().reshape(len(u), 2, 3).transpose(1, 0, 2)
    for channel, time in enumerate(layer.diffusion_time.tolist()):
        expected = expm(-time * dense) @ u[:, channel].numpy()
        np.testing.assert_allclose(heat[:, channel], expected, atol=1e-5)
        np.testing.assert_allclose(derivative[:, channel], time * dense @ expected, atol=1e-4)


def test_a_full_basis_gives_the_matrix_exponential_on_a_graph() -> None:
    mesh = sphere(1)
    graph = orthonormal(graph_of(mesh, "graph", k=len(mesh.vertices)))
    adjacency = laplacian(mesh, "graph").matrix.toarray()
    layer = TimeDerivativeDiffusion(3, operator="graph").double()
    u = signals(graph)
    result = layer(u, graph).detach().numpy()
    for channel, time in enumerate(layer.diffusion_time.tolist()):
        seconds = time * graph.rate_scale
        expected = adjacency @ expm(-seconds * (np.eye(len(u)) - adjacency)) @ u[:, channel].numpy()
        np.testing.assert_allclose(result[:, channel], expected, atol=1e-5)
        # The paper's exp(-t L̃) at the time -seconds is the same up to a factor.
        literal = adjacency @ expm(seconds * adjacency) @ u[:, channel].numpy() * np.exp(-seconds)
        np.testing.assert_allclose(expected, literal, atol=1e-10)


def test_the_truncated_taylor_bound_of_remark_2() -> None:
    mesh = sphere(1)
    operator = np.eye(42) - laplacian(mesh, "graph").matrix.toarray()
    largest = float(np.linalg.eigvalsh(operator)[-1])
    u = signals(graph_of(mesh, "graph"), 1)[:, 0].numpy()
    u /= np.linalg.norm(u)
    for time in (0.5, 2.0):
        exact = expm(-time * operator) @ u
        term, series = u, u.copy()
        for hops in range(1, 12):
            term = -time / hops * operator @ term
            series = series + term
            rest = math.exp(time * largest) - sum((time * largest) ** k / math.factorial(k) for k in range(hops + 1))
            error = np.linalg.norm(exact - series)
            assert error <= rest + 1e-12
    assert error < 1e-3  # the bound was not met by being empty


@pytest.mark.parametrize("operator", OPERATORS)
@pytest.mark.parametrize("method", ["spectral", "implicit"])
@pytest.mark.parametrize("times", ["channel", "shared"])
def test_gradients_in_input_time_alpha_and_beta(operator: str, method: str, times: str) -> None:
    graph = graph_of(sphere(0), operator, k=6)
    layer = TimeDerivativeDiffusion(2, operator=operator, method=method, times=times, initial_times=(0.02, 0.1))
    layer = layer.double()
    u = signals(graph, 2).requires_grad_()

    def run(u: Tensor, log_time: Tensor, alpha: Tensor, beta: Tensor) -> Tensor:
        parameters = {"log_time": log_time, "alpha": alpha, "beta": beta}
        return torch.func.functional_call(layer, parameters, (u, graph))

    inputs = (u, layer.log_time, layer.alpha, layer.beta)
    assert torch.autograd.gradcheck(run, inputs, eps=1e-6, atol=1e-6)


@pytest.mark.parametrize("operator", OPERATORS)
def test_implicit_is_one_implicit_euler_step(operator: str) -> None:
    mesh = sphere(1)
    graph = graph_of(mesh, operator)
    layer = TimeDerivativeDiffusion(3, operator=operator, method="implicit").double()
    u = signals(graph)
    result, derivative = np.split(layer(u, graph).detach().numpy(), [3], axis=1)
    whole = laplacian(mesh, operator)
    dense = whole.matrix.toarray() / whole.mass[:, None]
    step = (np.eye(len(u)) - dense) * graph.rate_scale if operator == "graph" else dense
    for channel, time in enumerate(layer.diffusion_time.tolist()):
        heat = np.linalg.solve(np.eye(len(u)) + time * step, u[:, channel].numpy())
        np.testing.assert_allclose(result[:, channel], dense @ heat if operator == "graph" else heat, atol=1e-5)
        if operator == "surface":
            np.testing.assert_allclose(derivative[:, channel], time * dense @ heat, atol=1e-4)


def network_for(graph: MeshGraph, **options: object) -> TideNet:
    torch.manual_seed(0)
    return TideNet(graph.num_channels, 4, width=8, blocks=2, operator=graph.recipe.operator, **options).double()


@pytest.mark.parametrize("operator", OPERATORS)
def test_signs_and_rotations_of_eigenvectors_change_nothing(operator: str) -> None:
    graph = graph_of(figure(0)[0], operator)
    # Repeat an eigenvalue exactly, as symmetric shapes do up to rounding, and turn its plane.
    values, frequencies = graph.values.clone(), graph.frequencies.clone()
    values[3], frequencies[3] = values[2], frequencies[2]
    graph = replace(graph, values=values, frequencies=frequencies)
    turned = graph.vectors * torch.where(torch.arange(20) % 3 == 0, -1.0, 1.0)
    cosine, sine = math.cos(0.7), math.sin(0.7)
    two, three = turned[:, 2].clone(), turned[:, 3].clone()
    turned[:, 2], turned[:, 3] = cosine * two - sine * three, sine * two + cosine * three
    network = network_for(graph)
    assert_same(outcome(network, graph), outcome(network, replace(graph, vectors=turned)))


@pytest.mark.parametrize("operator", OPERATORS)
def test_permuting_vertices_permutes_the_answer(operator: str) -> None:
    mesh = figure(0)[0]
    order = np.random.default_rng(0).permutation(len(mesh.vertices))
    place = np.argsort(order)
    graph, shuffled = (graph_of(mesh, operator), graph_of(Mesh(mesh.vertices[order], place[mesh.faces]), operator))
    network = network_for(graph)
    torch.testing.assert_close(network(shuffled), network(graph)[torch.from_numpy(order)], rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("operator", OPERATORS)
def test_two_meshes_after_one_another_give_what_each_gives_alone(operator: str) -> None:
    graphs = [graph_of(mesh, operator) for mesh in (figure(0)[0], torus(12, 9), sphere(1))]
    alone = [outcome(network_for(graphs[0]), graph) for graph in graphs]
    network = network_for(graphs[0])
    for _ in range(2):
        for graph, expected in zip(graphs, alone, strict=True):
            assert_same(outcome(network, graph), expected)


def test_sampling_every_vertex_changes_nothing_and_some_little() -> None:
    graph = graph_of(figure(2)[0], "surface")
    network = network_for(graph)
    full = network(graph)
    rows = torch.randperm(graph.num_vertices, generator=torch.Generator().manual_seed(0))
    torch.testing.assert_close(network(graph.sampled(rows)), full[rows], rtol=1e-2, atol=1e-2)
    some = rows[:800]
    error = (network(graph.sampled(some)) - full[some]).abs().mean() / full.std()
    assert error < 0.05


def test_faces_take_the_mean_of_their_corners() -> None:
    graph = graph_of(torus(6, 5), "surface", k=8)
    on_vertices, on_faces = network_for(graph), network_for(graph, on="faces")
    torch.testing.assert_close(on_faces(graph), on_vertices(graph)[graph.faces].mean(dim=1))


def test_the_paper_s_two_kinds_and_what_is_not_known() -> None:
    many, one = TimeDerivativeDiffusion(7), TimeDerivativeDiffusion(7, times="shared")
    assert len(many.diffusion_time) == 7
    assert len(one.diffusion_time) == 1
    for wrong in ({"operator": "cotan"}, {"times": "many"}, {"method": "explicit"}):
        with pytest.raises(InputError, match="there are"):
            TimeDerivativeDiffusion(3, **wrong)
    graph = graph_of(sphere(1), "surface")
    with pytest.raises(InputError, match="`operator=graph`"):
        TimeDerivativeDiffusion(3, operator="graph")(signals(graph), graph)


def test_nothing_depends_on_the_number_of_vertices() -> None:
    shapes = {tuple(parameter.shape) for parameter in TideNet(16, 8).parameters()}
    assert max(max(shape, default=1) for shape in shapes) <= 192


@pytest.mark.parametrize("operator", ["surface", "graph"])
@pytest.mark.parametrize("mlp", [False, True])
def test_a_block_gives_the_same_for_a_product_as_for_its_values_in_gradient_too(operator: str, mlp: bool) -> None:
    graph = graph_of(torus(10, 8), operator, k=16)
    block = TideBlock(5, operator=operator, mlp=mlp).double()
    torch.nn.init.constant_(block.diffusion.beta, 0.7)
    encoder = signals(graph, 5)[: graph.num_channels + 1].requires_grad_()
    found = []
    for x in (Signal(graph.inputs, encoder), graph.inputs @ encoder):
        result = block(x, graph)
        (gradient,) = torch.autograd.grad(result.square().sum(), encoder)
        found.append((result, gradient))
    for product, plain in zip(*found, strict=True):
        torch.testing.assert_close(product, plain)
