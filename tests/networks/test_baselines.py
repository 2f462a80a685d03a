"""The baselines as mathematics: each layer equals its paper's formula, and all behave as networks on meshes must."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
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
from meshtide.networks.baselines import arcs as arcs_module
from meshtide.networks.baselines.acm import AcmLayer
from meshtide.networks.baselines.arcs import arc_products, arcs_of, make_arcs, sampled_products, weighted_sum
from meshtide.networks.baselines.edges import GatLayer, GcnLayer, GrandBlock
from meshtide.networks.gradient_features import GradientFeatures, gradients_of
from meshtide.networks.graph import MeshGraph, mesh_graph
from meshtide.networks.network import Network
from meshtide.networks.registry import BUILT_IN, build_network, needs, option_names, parameter_count
from meshtide.networks.tide import TideNet
from meshtide.spectral.recipe import GraphRecipe
from meshtide.spectral.spectrum import laplacian

EDGES = ("gcn", "gat", "grand", "gcnii", "acm")
SURFACE_GRADIENTS = [("diffusionnet", {}), ("tide-m", {"gradients": True})]


@pytest.fixture(autouse=True)
def _one_thread() -> Iterator[None]:
    """Products this small take longer to share out than to do, above all on a busy machine."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def graph_of(mesh: Mesh, operator: str = "surface", k: int = 20) -> MeshGraph:
    """A graph in float64, so that what is compared is the mathematics and not the rounding."""
    graph = mesh_graph(mesh, GraphRecipe(operator=operator, k=k), extras=("gradients",))
    wide = {
        field.name: value.double()
        for field in fields(graph)
        if isinstance(value := getattr(graph, field.name), Tensor) and value.is_floating_point()
    }
    return replace(graph, **wide)


def network_for(name: str, graph: MeshGraph, **options: object) -> Network:
    """A small network without dropout, which would make two runs differ."""
    if name == "grand":
        pytest.importorskip("torchdiffeq")
    torch.manual_seed(0)
    options = {"width": 8, "blocks": 2, **options}
    return build_network(name, graph.num_channels, 4, operator=graph.recipe.operator, **options).double().eval()


def signals(graph: MeshGraph, channels: int = 3) -> Tensor:
    return torch.randn(graph.num_vertices, channels, dtype=torch.float64, generator=torch.Generator().manual_seed(0))


def neighbours(graph: MeshGraph) -> np.ndarray:
    """A + I, dense."""
    dense = np.eye(graph.num_vertices)
    start, end = graph.edges.numpy()
    dense[start, end] = dense[end, start] = 1
    return dense


def softmax(scores: np.ndarray, mask: np.ndarray) -> np.ndarray:
    powers = np.where(mask > 0, np.exp(scores), 0)
    return powers / powers.sum(axis=1, keepdims=True)


def test_a_gcn_layer_is_the_dense_formula() -> None:
    mesh = torus(6, 5)
    graph = graph_of(mesh, "graph", k=8)
    layer = GcnLayer(3, 4).double()
    torch.nn.init.normal_(layer.bias)
    x = signals(graph)
    adjacency = laplacian(mesh, "graph").matrix.toarray()
    expected = adjacency @ x.numpy() @ layer.linear.weight.detach().numpy().T + layer.bias.detach().numpy()
    np.testing.assert_allclose(layer(x, graph).detach().numpy(), expected, atol=1e-12)


def test_arcs_are_the_matrix_of_neighbours_and_itself_transposed() -> None:
    graph = graph_of(figure(0)[0])
    arcs = arcs_of(graph)
    assert arcs_of(graph) is arcs
    weights = torch.rand(len(arcs.target), dtype=torch.float64)
    dense = arcs.matrix(weights).to_dense()
    np.testing.assert_array_equal((dense > 0).numpy(), neighbours(graph) > 0)
    torch.testing.assert_close(arcs.matrix(weights[arcs.reverse]).to_dense(), dense.T)
    np.testing.assert_array_equal(dense[arcs.target, arcs.source], weights)


def test_what_is_kept_for_a_graph_goes_with_it() -> None:
    graph = graph_of(sphere(0), k=6)
    arcs_of(graph)
    before = len(arcs_module._ARCS)
    del graph
    gc.collect()
    assert len(arcs_module._ARCS) == before - 1


def test_gradients_of_sums_and_products_along_arcs() -> None:
    graph = graph_of(sphere(0), k=6)
    arcs = make_arcs(graph)
    u, v = signals(graph, 2).requires_grad_(), signals(graph, 4)[:, 2:].clone().requires_grad_()
    weights = torch.rand(len(arcs.target), dtype=torch.float64).requires_grad_()
    assert torch.autograd.gradcheck(lambda w, x: weighted_sum(w, x, arcs), (weights, u))
    assert torch.autograd.gradcheck(lambda x, y: arc_products(x, y, arcs), (u, v))
    slow = sampled_products(u.detach(), v.detach(), arcs, fast=False)
    torch.testing.assert_close(sampled_products(u.detach(), v.detach(), arcs), slow)


def test_gat_attention_is_the_dense_softmax() -> None:
    graph = graph_of(torus(6, 5), k=8)
    layer = GatLayer(3, 8, heads=2, dropout=0.0).double()
    x, arcs = signals(graph), arcs_of(graph)
    messages = layer.linear(x)
    weights = layer.attention(messages, arcs)
    dense = [arcs.matrix(weights[:, head]).to_dense().detach().numpy() for head in range(2)]
    split = messages.detach().numpy().reshape(-1, 2, 4)
    expected = []
    for head in range(2):
        left, right = (part[head].detach().numpy() for part in (layer.at_target, layer.at_source))
        scores = (split[:, head] @ left)[:, None] + (split[:, head] @ right)[None]
        attention = softmax(np.where(scores > 0, scores, 0.2 * scores), neighbours(graph))
        np.testing.assert_allclose(dense[head], attention, atol=1e-12)
        np.testing.assert_allclose(dense[head].sum(axis=1), 1)
        expected.append(attention @ split[:, head])
    np.testing.assert_allclose(layer(x, arcs).detach().numpy(), np.concatenate(expected, axis=1), atol=1e-12)


def test_attention_survives_scores_that_exp_does_not() -> None:
    arcs = arcs_of(graph_of(sphere(0), k=6))
    scores = torch.linspace(-1e4, 1e4, len(arcs.target), dtype=torch.float64)[:, None].requires_grad_()
    weights = arcs_module.attention_of(scores, arcs)
    weights.square().sum().backward()
    assert torch.isfinite(weights).all()
    assert torch.isfinite(scores.grad).all()
    sums = torch.zeros(12, 1, dtype=torch.float64).index_add(0, arcs.target, weights.detach())
    torch.testing.assert_close(sums, torch.ones_like(sums))


def test_grand_is_the_exponential_of_its_attention() -> None:
    pytest.importorskip("torchdiffeq")
    graph = graph_of(torus(6, 5), k=8)
    block = GrandBlock(6, heads=2, time=3.0, step=0.05).double()
    u, arcs = signals(graph, 6), arcs_of(graph)
    attention = arcs.matrix(block.attention(u, arcs)).to_dense().detach().numpy()
    queries, keys = (part(u).detach().numpy().reshape(-1, 2, 3) for part in (block.at_target, block.at_source))
    heads = [softmax(queries[:, h] @ keys[:, h].T / 3**0.5, neighbours(graph)) for h in range(2)]
    np.testing.assert_allclose(attention, np.mean(heads, axis=0), atol=1e-12)
    expected = expm(3.0 * (attention - np.eye(len(u)))) @ u.numpy()
    np.testing.assert_allclose(block(u, arcs).detach().numpy(), expected, atol=1e-6)


def test_grand_s_own_steps_are_stable_and_near() -> None:
    pytest.importorskip("torchdiffeq")
    graph = graph_of(figure(0)[0])
    usual, fine = (GrandBlock(8, heads=2, time=4.0, step=step).double() for step in (1.0, 0.05))
    fine.load_state_dict(usual.state_dict())
    u, arcs = signals(graph, 8), arcs_of(graph)
    assert (usual(u, arcs) - fine(u, arcs)).abs().max() < 1e-2 * fine(u, arcs).abs().max()
    long = GrandBlock(8, heads=2, time=200.0, step=1.0).double()
    assert long(u, arcs).abs().max() <= u.abs().max()


def test_an_acm_layer_is_its_formula_dense() -> None:
    graph = graph_of(torus(9, 7))
    torch.manual_seed(0)
    layer = AcmLayer(3, 4).double()
    x = signals(graph)
    low = torch.from_numpy(laplacian(torus(9, 7), "graph").matrix.toarray())
    passes = (low, torch.eye(len(low), dtype=torch.float64) - low, torch.eye(len(low), dtype=torch.float64))
    weights = layer.linear.weight.T.chunk(3, dim=1)
    channels = [torch.relu(each @ x @ weight) for each, weight in zip(passes, weights, strict=True)]
    scores = torch.stack([torch.sigmoid(h @ w) for h, w in zip(channels, layer.scores, strict=True)], dim=1)
    shares = torch.softmax(scores / 3 @ layer.mix, dim=1)
    expected = 3 * sum(shares[:, [c]] * channels[c] for c in range(3))
    torch.testing.assert_close(layer(x, graph), expected)


def turned(graph: MeshGraph, angles: Tensor) -> MeshGraph:
    """The graph with the tangents of every vertex turned by an angle."""
    assert graph.gradients is not None
    first, second = graph.gradients
    cosine, sine = torch.cos(angles)[:, None], torch.sin(angles)[:, None]
    return replace(graph, gradients=torch.stack([cosine * first + sine * second, cosine * second - sine * first]))


@pytest.mark.parametrize(("name", "options"), SURFACE_GRADIENTS)
def test_gradient_features_are_blind_to_the_choice_of_tangents(name: str, options: dict[str, bool]) -> None:
    graph = graph_of(figure(0)[0])
    angles = 6.3 * torch.rand(graph.num_vertices, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    network = network_for(name, graph, **options)
    other = turned(graph, angles)
    spectrum = graph.project(graph.features)
    assert not torch.allclose(gradients_of(spectrum, graph), gradients_of(spectrum, other))
    assert_same(outcome(network, graph), outcome(network, other))


def test_gradient_features_are_the_complex_formula_and_tell_left_from_right() -> None:
    graph = graph_of(sphere(1))
    layer, spectrum = GradientFeatures(3).double(), graph.project(signals(graph))
    first, second = gradients_of(spectrum, graph).chunk(2)
    z = torch.complex(first, second)
    weight = torch.complex(layer.real.weight, layer.imaginary.weight)
    torch.testing.assert_close(layer(spectrum, graph), torch.tanh((z.conj() * (z @ weight.T)).real))
    assert graph.gradients is not None
    mirrored = replace(graph, gradients=graph.gradients * torch.tensor([1.0, -1.0])[:, None, None])
    assert not torch.allclose(layer(spectrum, mirrored), layer(spectrum, graph), atol=1e-3)


def test_gradients_of_what_is_smooth_on_a_sphere() -> None:
    # On a sphere of area 1 the height has gradient √(1 - z²) / radius times its slope, whatever the tangents.
    mesh = sphere(4)
    graph = graph_of(mesh, k=9)
    radius = (4 * np.pi) ** -0.5
    height = torch.from_numpy(mesh.vertices[:, 2] / np.linalg.norm(mesh.vertices, axis=1))
    first, second = gradients_of(graph.project(height[:, None]), graph).chunk(2)
    expected = (1 - height**2).clamp(min=0).sqrt() / radius
    torch.testing.assert_close(torch.hypot(first, second)[:, 0], expected, atol=0.05, rtol=0.02)


@pytest.mark.parametrize(("name", "options"), SURFACE_GRADIENTS)
def test_gradient_features_are_blind_to_signs_of_eigenvectors(name: str, options: dict[str, bool]) -> None:
    graph = graph_of(figure(0)[0])
    assert graph.gradients is not None
    signs = torch.where(torch.arange(20) % 3 == 0, -1.0, 1.0)
    flipped = replace(graph, vectors=graph.vectors * signs, gradients=graph.gradients * signs)
    network = network_for(name, graph, **options)
    assert_same(outcome(network, graph), outcome(network, flipped))


@pytest.mark.parametrize(("name", "options"), SURFACE_GRADIENTS)
def test_gradient_features_at_some_vertices_are_those_of_the_whole(name: str, options: dict[str, bool]) -> None:
    graph = graph_of(figure(2)[0])
    network = network_for(name, graph, **options)
    full = network(graph)
    some = torch.randperm(graph.num_vertices, generator=torch.Generator().manual_seed(0))[:800]
    assert (network(graph.sampled(some)) - full[some]).abs().mean() / full.std() < 0.05


@pytest.mark.parametrize("name", BUILT_IN)
def test_permuting_vertices_permutes_the_answer(name: str) -> None:
    mesh = figure(0)[0]
    order = np.random.default_rng(0).permutation(len(mesh.vertices))
    place = np.argsort(order)
    graph, shuffled = graph_of(mesh), graph_of(Mesh(mesh.vertices[order], place[mesh.faces]))
    network = network_for(name, graph)
    torch.testing.assert_close(network(shuffled), network(graph)[torch.from_numpy(order)], rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("name", BUILT_IN)
def test_meshes_after_one_another_give_what_each_gives_alone(name: str) -> None:
    graphs = [graph_of(mesh) for mesh in (figure(0)[0], torus(12, 9), sphere(1))]
    alone = [outcome(network_for(name, graphs[0]), graph) for graph in graphs]
    network = network_for(name, graphs[0])
    for _ in range(2):
        for graph, expected in zip(graphs, alone, strict=True):
            assert len(expected[0]) == graph.num_vertices
            assert_same(outcome(network, graph), expected)


@pytest.mark.parametrize("name", BUILT_IN)
def test_every_parameter_learns_and_none_knows_the_number_of_vertices(name: str) -> None:
    graph = graph_of(torus(12, 9))
    network = network_for(name, graph).train()
    for gradient in outcome(network, graph)[1]:
        assert torch.isfinite(gradient).all()
        assert gradient.abs().max() > 0
    assert parameter_count(network) == sum(parameter.numel() for parameter in network.parameters())
    assert max(size for parameter in network.parameters() for size in parameter.shape or (1,)) <= 24


@pytest.mark.parametrize("name", BUILT_IN)
def test_faces_take_the_mean_of_their_corners(name: str) -> None:
    graph = graph_of(torus(6, 5), k=8)
    on_vertices, on_faces = network_for(name, graph), network_for(name, graph, on="faces")
    torch.testing.assert_close(on_faces(graph), on_vertices(graph)[graph.faces].mean(dim=1))


@pytest.mark.parametrize("name", EDGES)
def test_those_on_edges_take_either_operator_and_no_samples(name: str) -> None:
    mesh = torus(12, 9)
    graph = graph_of(mesh)
    other = replace(graph_of(mesh, "graph"), features=graph.features)
    network = network_for(name, graph)
    torch.testing.assert_close(network(graph), network(other))
    with pytest.raises(InputError, match="sampled"):
        network(graph.sampled(torch.arange(50)))


@pytest.mark.parametrize("name", EDGES)
def test_depth_is_how_far_a_vertex_sees(name: str) -> None:
    graph = graph_of(torus(12, 9))
    reach = torch.from_numpy(neighbours(graph))
    for blocks in (1, 3):
        options = {"time": 0.5, "step": 0.5} if name == "grand" else {}
        network = network_for(name, graph, blocks=blocks, **options)
        features = graph.features.clone()
        features[0] += 1
        changed = (network(replace(graph, features=features)) - network(graph)).abs().sum(dim=1) > 1e-12
        # One step of Runge-Kutta is four products with the neighbours, and attention sees one more.
        hops = 5 * blocks if name == "grand" else blocks
        assert not changed[torch.matrix_power(reach, hops)[0] == 0].any()
        assert changed.sum() > 1


def test_what_diffusionnet_cannot_take() -> None:
    graph = graph_of(torus(6, 5), k=8)
    network = network_for("diffusionnet", graph)
    with pytest.raises(InputError, match=r"mesh_graph\(…, extras=\('gradients',\)\)"):
        network(replace(graph, gradients=None))
    with pytest.raises(InputError, match="`operator=surface`"):
        network(graph_of(torus(6, 5), "graph", k=8))
    with pytest.raises(InputError, match="`operator=surface` or `gradients=False`"):
        build_network("diffusionnet", 3, 4, operator="graph")


def test_networks_by_name() -> None:
    many, one = (build_network(name, 16, 8, operator="graph", mlp=False) for name in ("tide-m", "tide-s"))
    assert isinstance(many, TideNet)
    assert isinstance(one, TideNet)
    assert len(many.diffusion_times()[0]) == 64
    assert len(one.diffusion_times()[0]) == 1
    assert [name for name in BUILT_IN if needs(name)] == ["diffusionnet"]
    assert needs("diffusionnet") == needs("tide-m", {"gradients": True}) == ("gradients",)
    assert needs("tide-s", {"method": "implicit"}) == ("stiffness",)
    for wrong in ({"operator": "graph"}, {"method": "implicit"}, {"mlp": False}):
        with pytest.raises(InputError, match="gradient features need"):
            build_network("tide-m", 16, 8, gradients=True, **wrong)
    for name in BUILT_IN:
        assert {"width", "blocks", "on", "dropout"} <= set(option_names(name))


def test_what_is_not_known_by_name() -> None:
    for call in (lambda: build_network("resnet", 16, 8), lambda: needs("resnet"), lambda: option_names("resnet")):
        with pytest.raises(InputError, match="'resnet' is not known; there are tide-m, tide-s, gcn"):
            call()
    for name in BUILT_IN:
        with pytest.raises(InputError, match=f"{name} has no option 'depht'"):
            build_network(name, 16, 8, depht=3)
    with pytest.raises(InputError, match="no option 'times'"):
        build_network("tide-m", 16, 8, times="shared")
    with pytest.raises(InputError, match="operator 'cotan' is not known"):
        build_network("gcn", 16, 8, operator="cotan")


def test_what_no_network_can_be() -> None:
    pytest.importorskip("torchdiffeq")
    with pytest.raises(InputError, match="64 channels cannot be divided evenly among 5 heads"):
        build_network("gat", 16, 8, heads=5)
    with pytest.raises(InputError, match="at least 1"):
        build_network("gcn", 16, 8, blocks=0)
    with pytest.raises(InputError, match="should be positive"):
        build_network("grand", 16, 8, step=0)


def test_grand_without_torchdiffeq_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torchdiffeq", None)
    with pytest.raises(InputError, match="pip install torchdiffeq"):
        build_network("grand", 16, 8)
