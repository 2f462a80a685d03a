"""TIDE written out plainly, in the paper's symbols, beside the folded algebra that runs: same answers, same gradients.

U are channels at vertices, Φ eigenvectors, λ (surface) or μ (graph) eigenvalues, M the mass, L̃ = D^-½(A+I)D^-½, t the
times, σ the ReLU. Everything is in float64 on bases that are exact to float64.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache
from itertools import product

import numpy as np
import pytest
import torch
from shapes import torus
from torch import Tensor, nn

from meshtide.errors import InputError
from meshtide.mesh.mesh import Mesh
from meshtide.networks.baselines.diffusionnet import DiffusionNet
from meshtide.networks.diffusion import TimeDerivativeDiffusion
from meshtide.networks.gradient_features import GradientFeatures
from meshtide.networks.graph import MeshGraph, mesh_graph
from meshtide.networks.layers import Normalise
from meshtide.networks.tide import TideBlock, TideNet
from meshtide.spectral.gradients import basis_gradients
from meshtide.spectral.recipe import GraphRecipe
from meshtide.spectral.spectrum import laplacian

K = 12
# operator, mlp, gradients: all that a block can be in the eigenbasis.
KINDS = [("surface", True, False), ("surface", True, True), ("surface", False, False)]
KINDS += [("graph", True, False), ("graph", False, False)]


def bumpy() -> Mesh:
    """A torus without any symmetry, so that no two channels or eigenvectors can be mistaken for each other."""
    mesh = torus(9, 7)
    return replace(mesh, vertices=mesh.vertices + 0.05 * np.random.default_rng(3).normal(size=mesh.vertices.shape))


@cache
def exact(operator: str) -> MeshGraph:
    """A graph whose basis solves its eigenproblem to float64, from numpy and not from the solver under test."""
    mesh = bumpy()
    whole = laplacian(mesh, operator)
    root = np.sqrt(whole.mass)
    values, vectors = np.linalg.eigh(whole.matrix.toarray() / np.outer(root, root))
    if operator == "graph":  # the smooth ones are the largest
        values, vectors = values[::-1], vectors[:, ::-1]
    vectors = vectors[:, :K] / root[:, None]
    frequencies = values if operator == "surface" else 1 - values
    graph = mesh_graph(mesh, GraphRecipe(operator=operator, k=K))
    gradients = basis_gradients(mesh, vectors.astype(np.float32))
    return replace(
        graph,
        features=graph.features.double(),
        values=torch.from_numpy(values[:K].copy()),
        frequencies=torch.from_numpy(frequencies[:K].copy()),
        vectors=torch.from_numpy(vectors.copy()),
        mass=torch.from_numpy(whole.mass),
        gradients=torch.from_numpy(gradients).double(),
    )


def times_of(graph: MeshGraph, layer: TimeDerivativeDiffusion) -> Tensor:
    """Learned times in the operator's own units, (C,) or (1,): on a graph a unit of area is (7/√3) V of its own."""
    return layer.log_time.exp() * (1.0 if graph.recipe.operator == "surface" else 7 / math.sqrt(3) * len(graph.mass))


def modified_heat(u: Tensor, graph: MeshGraph, layer: TimeDerivativeDiffusion) -> Tensor:
    """H̃_t(U) = Φ(exp(-t λ) ⊙ Φᵀ M U - α Φᵀ M U) + β U (eq. 10); on a graph λ stands for 1 - μ and M = I."""
    phi, mass = graph.vectors, torch.diag(graph.mass)
    heat = torch.exp(-torch.outer(graph.frequencies, times_of(graph, layer)))
    return phi @ (heat * (phi.T @ mass @ u) - layer.alpha * (phi.T @ mass @ u)) + layer.beta * u


def log_derivative(u: Tensor, graph: MeshGraph, layer: TimeDerivativeDiffusion) -> Tensor:
    """t T_t(U) = Φ(t λ exp(-t λ) ⊙ Φᵀ M U), minus the derivative of heat in log t."""
    phi, rate = graph.vectors, torch.outer(graph.frequencies, times_of(graph, layer))
    return phi @ (rate * torch.exp(-rate) * (phi.T @ torch.diag(graph.mass) @ u))


def normalised_adjacency(graph: MeshGraph) -> Tensor:
    """L̃ = D^-½ (A + I) D^-½ (eq. 8), dense."""
    adjacency = torch.eye(graph.num_vertices, dtype=torch.float64)
    adjacency[graph.edges[0], graph.edges[1]] = adjacency[graph.edges[1], graph.edges[0]] = 1
    root = torch.diag(adjacency.sum(dim=1) ** -0.5)
    return root @ adjacency @ root


def gradient_features(u: Tensor, graph: MeshGraph, layer: GradientFeatures) -> Tensor:
    """tanh(Re(z̄ ⊙ z Wᵀ)), z = ∂₁U + i ∂₂U; U lies in the span of Φ, so that its derivatives are those of Φ."""
    assert graph.gradients is not None
    coefficients = graph.vectors.T @ torch.diag(graph.mass) @ u
    z = torch.complex(graph.gradients[0] @ coefficients, graph.gradients[1] @ coefficients)
    weight = torch.complex(layer.real.weight, layer.imaginary.weight)
    return torch.tanh((z.conj() * (z @ weight.T)).real)


def plain_block(u: Tensor, graph: MeshGraph, block: TideBlock) -> Tensor:
    """U + MLP(U, …): of σ(L̃ H̃_t(U) W) on a graph (eq. 7); of H̃_t(U), t T_t(U) and perhaps gradients on a surface."""
    layer = block.diffusion
    if graph.recipe.operator == "graph":
        assert block.linear is not None
        read = [torch.relu(block.linear(normalised_adjacency(graph) @ modified_heat(u, graph, layer)))]
    else:
        read = [modified_heat(u, graph, layer), log_derivative(u, graph, layer)]
        if block.features is not None:
            within = modified_heat(u, graph, layer) - layer.beta * u  # what lies in the span of Φ
            read.append(gradient_features(within, graph, block.features))
    if block.mlp is None:
        return u + (read[0] if len(read) == 1 else torch.relu(block.linear(torch.cat(read, dim=1))))
    first, last = block.mlp[0], block.mlp[-1]
    return u + last(torch.relu(first(torch.cat([u, *read], dim=1))))


def plain_network(network: TideNet, graph: MeshGraph) -> Tensor:
    """Normalise, a linear layer, blocks, a linear layer, and the mean over corners for faces."""
    u = network.first((graph.features - network.normalise.mean) / network.normalise.spread)
    for block in network.blocks:
        u = plain_block(u, graph, block)
    logits = network.last(u)
    return logits if network.on == "vertices" else logits[graph.faces].mean(dim=1)


def randomised(module: nn.Module) -> nn.Module:
    """All learned numbers random, α, β and biases too: what starts at 0 or 1 would hide terms and factors."""
    random = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for parameter in module.double().parameters():
            parameter.add_(torch.randn(parameter.shape, dtype=torch.float64, generator=random), alpha=0.3)
    return module


def assert_same_with_gradients(found: Tensor, expected: Tensor, module: nn.Module) -> None:
    """The same numbers, and the same gradients of an uneven sum of them in every parameter."""
    torch.testing.assert_close(found, expected, rtol=1e-9, atol=1e-9)
    uneven = torch.linspace(-1, 2, found.numel(), dtype=torch.float64).reshape(found.shape)
    parameters = dict(module.named_parameters())
    ours, plain = (
        torch.autograd.grad((uneven * each).sum(), list(parameters.values()), allow_unused=True)
        for each in (found, expected)
    )
    for name, one, other in zip(parameters, ours, plain, strict=True):
        assert (one is None) == (other is None), name
        if one is not None:
            torch.testing.assert_close(one, other, rtol=1e-8, atol=1e-8, msg=lambda text, name=name: f"{name}: {text}")
            assert one.abs().max() > 0, name


def random_signals(graph: MeshGraph, channels: int) -> Tensor:
    return torch.randn(graph.num_vertices, channels, dtype=torch.float64, generator=torch.Generator().manual_seed(0))


@pytest.mark.parametrize("operator", ["surface", "graph"])
@pytest.mark.parametrize("times", ["channel", "shared"])
def test_the_diffusion_layer_is_its_formula(operator: str, times: str) -> None:
    graph = exact(operator)
    layer = randomised(TimeDerivativeDiffusion(5, operator=operator, times=times))
    u = random_signals(graph, 5)
    if operator == "graph":
        expected = normalised_adjacency(graph) @ modified_heat(u, graph, layer)
    else:
        expected = torch.cat([modified_heat(u, graph, layer), log_derivative(u, graph, layer)], dim=1)
    assert_same_with_gradients(layer(u, graph), expected, layer)


@pytest.mark.parametrize(("operator", "mlp", "gradients"), KINDS)
@pytest.mark.parametrize("times", ["channel", "shared"])
def test_a_block_is_its_formula(operator: str, mlp: bool, gradients: bool, times: str) -> None:
    graph = exact(operator)
    block = randomised(TideBlock(5, operator=operator, mlp=mlp, gradients=gradients, times=times))
    u = random_signals(graph, 5)
    assert_same_with_gradients(block(u, graph), plain_block(u, graph, block), block)


@pytest.mark.parametrize(("operator", "mlp", "gradients"), KINDS)
@pytest.mark.parametrize(("blocks", "on"), [(1, "vertices"), (3, "vertices"), (2, "faces")])
def test_a_network_is_its_layers_one_after_the_other(
    operator: str, mlp: bool, gradients: bool, blocks: int, on: str
) -> None:
    graph = exact(operator)
    options = {"operator": operator, "mlp": mlp, "gradients": gradients}
    network = randomised(TideNet(graph.num_channels, 4, width=6, blocks=blocks, on=on, **options))
    network.normalise.measure([graph])
    assert_same_with_gradients(network(graph), plain_network(network, graph), network)


def test_gradient_features_are_their_formula() -> None:
    graph = exact("surface")
    layer = randomised(GradientFeatures(4))
    coefficients = graph.project(random_signals(graph, 4))
    expected = gradient_features(graph.vectors @ coefficients, graph, layer)
    assert_same_with_gradients(layer(coefficients, graph), expected, layer)


def test_normalising_folds_into_a_linear_layer() -> None:
    graph = exact("surface")
    normalise, linear = Normalise(graph.num_channels).double(), randomised(nn.Linear(graph.num_channels, 5))
    normalise.measure([graph])
    expected = linear((graph.features - normalise.mean) / normalise.spread)
    torch.testing.assert_close(linear(normalise(graph.features)), expected)
    assert_same_with_gradients(graph.inputs @ normalise.into(linear), expected, linear)


def plain_diffusionnet(network: DiffusionNet, graph: MeshGraph) -> Tensor:
    """U + MLP(U, H_t(U), gradient features of H_t(U)) in every block (Sharp et al. 2022); a graph has no gradients."""
    u, phi = network.first((graph.features - network.normalise.mean) / network.normalise.spread), graph.vectors
    for block in network.blocks:
        heat = torch.exp(-torch.outer(graph.rates, block.log_time.exp()))
        diffused = phi @ (heat * (phi.T @ torch.diag(graph.mass) @ u))
        read = torch.cat([u, diffused], dim=1)
        if block.features is not None:
            read = torch.cat([read, gradient_features(diffused, graph, block.features)], dim=1)
        first, middle, last = (layer for layer in block.mlp if isinstance(layer, nn.Linear))
        u = u + last(torch.relu(middle(torch.relu(first(read)))))
    return network.last(u)


@pytest.mark.parametrize(("operator", "gradients"), [("surface", True), ("surface", False), ("graph", False)])
def test_diffusionnet_is_its_formula(operator: str, gradients: bool) -> None:
    graph = exact(operator)
    network = randomised(
        DiffusionNet(graph.num_channels, 4, operator=operator, gradients=gradients, width=6, blocks=2, dropout=0.0)
    )
    network.normalise.measure([graph])
    assert_same_with_gradients(network(graph), plain_diffusionnet(network, graph), network)


def test_plain_diffusionnet_is_its_formula() -> None:
    graph = exact("graph")
    plain = {"operator": "graph", "gradients": False, "mlp": False}
    network = randomised(DiffusionNet(graph.num_channels, 4, width=6, blocks=2, dropout=0.0, **plain))
    u, phi = network.first(graph.features), graph.vectors
    for block in network.blocks:
        heat = phi @ (torch.exp(-torch.outer(graph.rates, block.log_time.exp())) * (phi.T @ (graph.mass[:, None] * u)))
        u = u + torch.relu(block.mlp[1](heat))
    assert_same_with_gradients(network(graph), network.last(u), network)
    with pytest.raises(InputError, match="read by the MLP"):
        DiffusionNet(3, 4, mlp=False)


def test_no_time_is_so_long_that_numbers_become_denormal() -> None:
    graph = exact("surface")
    graph = replace(graph, frequencies=graph.frequencies.float())
    # 88 to 103 is where exp gives denormal numbers, with which a processor is a hundred times slower.
    layer = TimeDerivativeDiffusion(30, initial_times=(88 / float(graph.rates[1]), 103 / float(graph.rates[1])))
    found = layer.coefficients(torch.ones(K, 30), graph)
    assert found[1:].abs().min() >= torch.finfo(torch.float32).tiny
    assert found[1:].abs().max() < 1e-20


def test_how_a_layer_starts() -> None:
    for operator, start in (("graph", 1.0), ("surface", 0.0)):
        many = TimeDerivativeDiffusion(3, operator=operator)
        assert (many.alpha.item(), many.beta.item()) == (start, start)
        torch.testing.assert_close(many.diffusion_time, torch.tensor([1e-3, math.sqrt(1e-3 * 0.2), 0.2]))
        one = TimeDerivativeDiffusion(3, operator=operator, times="shared", initial_times=(0.01, 0.09))
        torch.testing.assert_close(one.diffusion_time, torch.tensor([0.03]))


def papers(u: Tensor, graph: MeshGraph, times: Tensor, alpha: Tensor | float, beta: Tensor | float) -> Tensor:
    """L̃ H̃_-t(U) as the paper has it: Φ((exp(t μ) - α) ⊙ Φᵀ U) + β U, at a negative time, where it smooths."""
    phi, mu = graph.vectors, graph.values
    return normalised_adjacency(graph) @ (phi @ ((torch.exp(torch.outer(mu, times)) - alpha) * (phi.T @ u)) + beta * u)


def test_how_far_the_graph_layer_is_the_paper_s() -> None:
    graph = exact("graph")
    u = random_signals(graph, 3)
    for times, (alpha, beta) in product(("shared", "channel"), ((0.0, 0.0), (0.6, 1.3))):
        layer = randomised(TimeDerivativeDiffusion(3, operator="graph", times=times, initial_times=(1e-3, 8e-3)))
        t = times_of(graph, layer).detach()
        factor = torch.exp(t)  # of every channel, which W absorbs
        with torch.no_grad():
            layer.alpha.fill_(alpha / factor[0])
            layer.beta.fill_(beta / factor[0])
            ours, theirs = layer(u, graph) * factor, papers(u, graph, t, alpha, beta)
        if times == "shared" or alpha == beta == 0:
            torch.testing.assert_close(ours, theirs, rtol=1e-9, atol=1e-9)
            continue
        # With a time a channel the paper's α and β are ours times a factor of the channel's own: one α cannot be both.
        torch.testing.assert_close(ours[:, 0], theirs[:, 0], rtol=1e-9, atol=1e-9)
        assert (ours - theirs)[:, 1:].abs().max() > 0.1
        torch.testing.assert_close(ours, papers(u, graph, t, alpha * factor / factor[0], beta * factor / factor[0]))
