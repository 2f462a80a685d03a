"""What may be chosen about TIDE: how it begins, what is dropped, left out or fixed, and implicit steps on any graph."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest
import torch
from scipy import sparse
from shapes import torus
from torch import Tensor

from meshtide.errors import InputError
from meshtide.networks.diffusion import TimeDerivativeDiffusion
from meshtide.networks.graph import MeshGraph, mesh_graph
from meshtide.networks.implicit import conjugate_gradients
from meshtide.networks.node_graph import graph_from_edges
from meshtide.networks.registry import build_network
from meshtide.networks.tide import TideBlock, TideNet
from meshtide.spectral.recipe import GraphRecipe
from meshtide.spectral.spectrum import graph_operator

CHANNELS = 3


def wide(graph: MeshGraph) -> MeshGraph:
    """The graph in float64, so that what is compared is the mathematics and not the rounding."""
    floats = {field.name: getattr(graph, field.name) for field in fields(graph)}
    floats = {n: v.double() for n, v in floats.items() if isinstance(v, Tensor) and v.is_floating_point()}
    return replace(graph, **floats)


@pytest.fixture
def nodes() -> MeshGraph:
    """A ring with chords, which is no mesh."""
    around = np.arange(40)
    edges = np.concatenate([np.stack([around, (around + 1) % 40], 1), [[0, 20], [3, 31], [10, 15]]])
    return wide(graph_from_edges(edges, np.random.default_rng(0).normal(size=(40, 5)), eigenpairs=12))


def mesh(operator: str, extras: tuple[str, ...] = ()) -> MeshGraph:
    return wide(mesh_graph(torus(9, 7), GraphRecipe(operator=operator, k=12), extras=extras))


def signals(graph: MeshGraph, channels: int = CHANNELS) -> Tensor:
    return torch.randn(graph.num_vertices, channels, dtype=torch.float64, generator=torch.Generator().manual_seed(0))


def dense_operator(graph: MeshGraph) -> Tensor:
    return torch.from_numpy(graph_operator(graph.edges.T.numpy(), graph.num_vertices).matrix.toarray())


def test_beginning_at_zero_a_layer_sees_what_the_basis_holds(nodes: MeshGraph) -> None:
    layer = TimeDerivativeDiffusion(CHANNELS, operator="graph", beginning="zero").double()
    assert [float(p.detach().abs().sum()) for p in layer.parameters()] == [0, 0, 0]
    u = signals(nodes)
    expected = dense_operator(nodes) @ nodes.vectors @ (nodes.vectors.T @ u)
    torch.testing.assert_close(layer(u, nodes), expected, rtol=1e-5, atol=1e-6)


def test_times_that_begin_at_zero_learn_at_once_and_in_both_directions(nodes: MeshGraph) -> None:
    layer = TimeDerivativeDiffusion(CHANNELS, operator="graph", beginning="zero").double()
    u = signals(nodes)
    for sign in (1, -1):
        layer.zero_grad()
        (sign * layer(u, nodes).square()).sum().backward()
        assert (layer.time.grad * sign < 0).all()
    with torch.no_grad():
        layer.time.fill_(-0.5)
        rough = layer(u, nodes)
        layer.time.fill_(0.5)
        assert rough.square().sum() > layer(u, nodes).square().sum()


@pytest.mark.parametrize("times", ["channel", "shared"])
def test_printed_heat_is_the_paper_s_modified_heat_operator(nodes: MeshGraph, times: str) -> None:
    """L̃ applied to Φ((exp(-t μ) - α) ⊙ Φᵀ u) + β u, eqs. 7 and 10, with the paper's sign of t."""
    layer = TimeDerivativeDiffusion(CHANNELS, operator="graph", times=times, beginning="zero", heat="printed").double()
    with torch.no_grad():
        layer.time.copy_(torch.linspace(-0.8, 0.9, len(layer.time)))
        layer.alpha.fill_(0.3)
        layer.beta.fill_(-0.2)
    u, phi = signals(nodes), nodes.vectors
    modified = phi @ ((torch.exp(-nodes.values[:, None] * layer.time) - 0.3) * (phi.T @ u)) - 0.2 * u
    torch.testing.assert_close(layer.heat(u, nodes), modified)
    torch.testing.assert_close(layer(u, nodes), dense_operator(nodes) @ modified, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("other", [{"operator": "surface"}, {"method": "implicit"}, {"beginning": "spread"}])
def test_printed_heat_is_of_the_paper_s_setting_alone(other: dict[str, str]) -> None:
    with pytest.raises(InputError, match="`heat=printed` is the paper's"):
        TimeDerivativeDiffusion(CHANNELS, **{"operator": "graph", "beginning": "zero", "heat": "printed"} | other)


@pytest.mark.parametrize("beginning", ["spread", "zero"])
def test_a_fixed_time_is_not_learned(nodes: MeshGraph, beginning: str) -> None:
    fixed = TimeDerivativeDiffusion(CHANNELS, operator="graph", beginning=beginning, fixed_time=0.7).double()
    assert {name for name, _ in fixed.named_parameters()} == {"alpha", "beta"}
    learned = TimeDerivativeDiffusion(CHANNELS, operator="graph", beginning="zero").double()
    learned.load_state_dict(fixed.state_dict(), strict=False)
    torch.nn.init.constant_(learned.time, 0.7)
    u = signals(nodes)
    torch.testing.assert_close(fixed(u, nodes), learned(u, nodes))


@pytest.mark.parametrize("mlp", [False, True])
@pytest.mark.parametrize("operator", ["surface", "graph"])
def test_without_the_residual_the_input_is_not_added(operator: str, mlp: bool) -> None:
    graph = mesh(operator)
    torch.manual_seed(0)
    block = TideBlock(CHANNELS, operator=operator, mlp=mlp).double().eval()
    bare = TideBlock(CHANNELS, operator=operator, mlp=mlp, residual=False).double().eval()
    bare.load_state_dict(block.state_dict())
    u = signals(graph)
    torch.testing.assert_close(bare(u, graph), block(u, graph) - u)
    network = TideNet(graph.num_channels, 4, width=8, blocks=2, operator=operator, mlp=mlp, residual=False).double()
    x = network.first(graph.features)
    for each in network.blocks:
        x = each(x, graph)
    torch.testing.assert_close(network(graph), network.last(x))


def test_without_a_block_two_linear_layers_are_left(nodes: MeshGraph) -> None:
    network = TideNet(5, 4, width=8, blocks=0, operator="graph").double()
    torch.testing.assert_close(network(nodes), network.last(network.first(nodes.features)))
    assert network.diffusion_times() == []
    with pytest.raises(InputError, match="0 or more"):
        build_network("tide-m", 5, 4, blocks=-1)


@pytest.mark.parametrize("options", [{"mlp": False}, {"mlp": True}, {"gradients": True}])
@pytest.mark.parametrize("operator", ["surface", "graph"])
def test_what_is_dropped_of_the_diffused_signal(operator: str, options: dict[str, bool]) -> None:
    if operator == "graph" and "gradients" in options:
        pytest.skip("gradients need a surface")
    graph = mesh(operator, ("gradients",) if "gradients" in options else ())
    torch.manual_seed(0)
    block = TideBlock(CHANNELS, operator=operator, **options).double()
    dropping = TideBlock(CHANNELS, operator=operator, diffused_dropout=0.5, **options).double()
    dropping.load_state_dict(block.state_dict())
    u = signals(graph)
    torch.testing.assert_close(dropping.eval()(u, graph), block(u, graph))
    dropping.train()
    assert not torch.allclose(dropping(u, graph), dropping(u, graph))
    # With nothing dropped the way through the whole signal is the way through its coefficients.
    dropping.drop.forward = lambda x: x
    torch.testing.assert_close(dropping(u, graph), block(u, graph))


@pytest.mark.parametrize("times", [[0.0, 0.4, 30.0], [2.0, 2.0, 2.0]])
def test_conjugate_gradients_solve_a_step_of_every_column(nodes: MeshGraph, times: list[float]) -> None:
    rough = np.eye(40) - dense_operator(nodes).numpy()
    right = signals(nodes).numpy()
    right[:, 1] = 0
    found = conjugate_gradients(sparse.csc_array(rough), np.array(times), right)
    for column, time in enumerate(times):
        expected = np.linalg.solve(np.eye(40) + time * rough, right[:, column])
        np.testing.assert_allclose(found[:, column], expected, atol=1e-8)


@pytest.mark.parametrize("beginning", ["spread", "zero"])
def test_implicit_steps_on_a_graph_that_is_no_mesh(nodes: MeshGraph, beginning: str) -> None:
    layer = TimeDerivativeDiffusion(2, operator="graph", method="implicit", beginning=beginning).double()
    rough = torch.eye(40, dtype=torch.float64) - dense_operator(nodes)
    u = signals(nodes, 2)
    time = layer.diffusion_time.detach()
    steps = [torch.linalg.solve(torch.eye(40, dtype=torch.float64) + t * rough, u[:, c]) for c, t in enumerate(time)]
    expected = dense_operator(nodes) @ torch.stack(steps, dim=1)
    torch.testing.assert_close(layer(u, nodes), expected, rtol=1e-6, atol=1e-6)

    name = "log_time" if beginning == "spread" else "time"

    def run(u: Tensor, learned: Tensor) -> Tensor:
        return torch.func.functional_call(layer, {name: learned}, (u, nodes))

    learned = getattr(layer, name).detach() + 0.3
    assert torch.autograd.gradcheck(run, (u.requires_grad_(), learned.requires_grad_()), eps=1e-6, atol=1e-5)


def test_an_implicit_time_below_zero_waits_at_zero(nodes: MeshGraph) -> None:
    layer = TimeDerivativeDiffusion(CHANNELS, operator="graph", method="implicit", beginning="zero").double()
    u = signals(nodes)
    at_zero = layer(u, nodes)
    torch.nn.init.constant_(layer.time, -3.0)
    below = layer(u, nodes)
    torch.testing.assert_close(below, at_zero)
    below.square().sum().backward()
    assert (layer.time.grad != 0).all()  # so that it can come back
