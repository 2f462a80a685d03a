"""The layers of other papers are those of torch_geometric, in output and in gradient."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from shapes import torus
from torch import Tensor, nn

from meshtide.networks.baselines.arcs import arcs_of
from meshtide.networks.baselines.edges import GatLayer, GcnLayer
from meshtide.networks.baselines.gcnii import GcniiLayer
from meshtide.networks.graph import MeshGraph, mesh_graph
from meshtide.spectral.recipe import GraphRecipe

geometric = pytest.importorskip("torch_geometric.nn", reason="compares with torch_geometric's layers")


@pytest.fixture(scope="module")
def graph() -> MeshGraph:
    """A graph in float64, so that what is compared is the mathematics and not the rounding."""
    made = mesh_graph(torus(9, 7), GraphRecipe(operator="graph", k=4))
    return replace(made, features=made.features.double(), vectors=made.vectors.double())


def signals(graph: MeshGraph, channels: int, seed: int = 0) -> Tensor:
    random = torch.Generator().manual_seed(seed)
    return torch.randn(graph.num_vertices, channels, dtype=torch.float64, generator=random)


def both_ways(graph: MeshGraph) -> Tensor:
    return torch.cat([graph.edges, graph.edges.flip(0)], dim=1)


def assert_equal_with_gradients(ours: Tensor, theirs: Tensor, *weights: tuple[Tensor, Tensor]) -> None:
    """Equal outputs, and equal gradients of an uneven sum of them in every pair of weights."""
    torch.testing.assert_close(ours, theirs)
    uneven = torch.linspace(-1, 2, ours.numel(), dtype=ours.dtype).reshape(ours.shape)
    for mine, other in weights:
        (one,) = torch.autograd.grad((uneven * ours).sum(), mine, retain_graph=True)
        (two,) = torch.autograd.grad((uneven * theirs).sum(), other, retain_graph=True)
        torch.testing.assert_close(one, two.reshape(one.shape))


def copied(theirs: nn.Parameter, ours: Tensor) -> None:
    with torch.no_grad():
        theirs.copy_(ours.reshape(theirs.shape))


def test_a_gcn_layer_is_torch_geometric_s(graph: MeshGraph) -> None:
    torch.manual_seed(0)
    ours, theirs = GcnLayer(5, 3).double(), geometric.GCNConv(5, 3).double()
    nn.init.normal_(ours.bias)
    copied(theirs.lin.weight, ours.linear.weight)
    copied(theirs.bias, ours.bias)
    x = signals(graph, 5)
    assert_equal_with_gradients(
        ours(x, graph), theirs(x, both_ways(graph)), (ours.linear.weight, theirs.lin.weight), (ours.bias, theirs.bias)
    )


def test_a_gat_layer_is_torch_geometric_s(graph: MeshGraph) -> None:
    torch.manual_seed(0)
    ours = GatLayer(5, 6, heads=2, dropout=0.0).double()
    theirs = geometric.GATConv(5, 3, heads=2).double()
    nn.init.normal_(ours.bias)
    copied(theirs.lin.weight, ours.linear.weight)
    copied(theirs.bias, ours.bias)
    copied(theirs.att_src, ours.at_source)
    copied(theirs.att_dst, ours.at_target)
    x = signals(graph, 5)
    assert_equal_with_gradients(
        ours(x, arcs_of(graph)),
        theirs(x, both_ways(graph)),
        (ours.linear.weight, theirs.lin.weight),
        (ours.at_source, theirs.att_src),
        (ours.at_target, theirs.att_dst),
    )


@pytest.mark.parametrize("depth", [1, 5])
def test_a_gcnii_layer_is_torch_geometric_s(graph: MeshGraph, depth: int) -> None:
    torch.manual_seed(0)
    ours = GcniiLayer(5, alpha=0.2, theta=0.7, depth=depth).double()
    theirs = geometric.GCN2Conv(5, alpha=0.2, theta=0.7, layer=depth).double()
    copied(theirs.weight1, ours.weight)
    x, first = signals(graph, 5), signals(graph, 5, seed=1)
    found, expected = ours(x, first, graph), theirs(x.clone(), first, both_ways(graph))
    assert_equal_with_gradients(found, expected, (ours.weight, theirs.weight1))
