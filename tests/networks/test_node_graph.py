"""Graphs that are no meshes: one object with meshes, sparse features that give what dense ones give."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from scipy import sparse

from meshtide.errors import InputError
from meshtide.networks.node_graph import graph_from_edges
from meshtide.networks.registry import build_network
from meshtide.spectral.edges import undirected

RING = np.stack([np.arange(30), (np.arange(30) + 1) % 30], axis=1)


def features(columns: int = 40) -> sparse.csr_array:
    random = np.random.default_rng(0)
    return sparse.csr_array(random.random((30, columns)) * (random.random((30, columns)) < 0.05))


def as_dense(matrix: sparse.csr_array) -> np.ndarray:
    return matrix.toarray()


def test_operator_is_the_papers_and_every_node_has_its_loop():
    edges = np.array([[0, 1], [1, 2], [3, 1]])
    graph = graph_from_edges(edges, np.eye(6), eigenpairs=3)  # nodes 4 and 5 are alone
    plain = np.eye(6)
    for a, b in edges:
        plain[a, b] = plain[b, a] = 1
    degree = plain.sum(axis=1)
    wanted = plain / np.sqrt(np.outer(degree, degree))
    np.testing.assert_allclose(graph.adjacency.to_dense().numpy(), wanted, atol=1e-7)
    values = np.linalg.eigvalsh(wanted[:4, :4])[::-1][:3]
    np.testing.assert_allclose(graph.values.numpy(), values, atol=1e-6)
    np.testing.assert_array_equal(graph.mass.numpy(), [1, 1, 1, 1, 0, 0])
    np.testing.assert_allclose(graph.rates.numpy(), 1 - values, atol=1e-6)  # its rates are its frequencies


def test_edges_count_once_whichever_way_round():
    np.testing.assert_array_equal(undirected([[1, 0], [0, 1], [2, 2], [1, 2]], 3), [[0, 1], [1, 2]])


@pytest.mark.parametrize("name", ["tide-m", "gcn", "gat", "grand"])
def test_sparse_features_give_what_dense_ones_give(name: str):
    matrix = features()
    graphs = [graph_from_edges(RING, given, eigenpairs=8) for given in (matrix, as_dense(matrix))]
    assert graphs[0].features.layout is torch.sparse_csr
    assert graphs[1].features.layout is torch.strided
    results = []
    for graph in graphs:
        torch.manual_seed(0)
        network = build_network(name, 40, 3, operator="graph", width=8)
        network.normalise.measure([graph])
        network.eval()
        logits = network(graph)
        logits.square().sum().backward()
        results.append([logits.detach(), *(weight.grad for weight in network.parameters() if weight.grad is not None)])
    assert len(results[0]) == len(results[1]) > 2
    for one, other in zip(*results, strict=True):
        torch.testing.assert_close(one, other, rtol=2e-3, atol=2e-3 * float(other.abs().max()) + 1e-6)


@pytest.mark.parametrize(
    ("edges", "values", "sentence"),
    [
        ([[0, 3]], np.eye(3), "an edge names node 3; there are 3 nodes"),
        ([[0.5, 1]], np.eye(3), "wanted whole numbers"),
        ([[1, 1]], np.eye(3), "has no edge between two different nodes"),
        ([[0, 1]], np.full((3, 2), np.nan), "features that are not finite"),
        ([[0, 1]], np.zeros((3, 0)), "at least one column"),
    ],
)
def test_what_is_no_graph_gets_a_sentence(edges, values, sentence: str):
    with pytest.raises(InputError, match=sentence):
        graph_from_edges(edges, values, name="mine")


@pytest.mark.parametrize("name", ["gcn", "acm"])
def test_a_share_of_features_to_leave_out_is_below_one(name: str) -> None:
    assert build_network(name, 40, 3, feature_dropout=0.5).feature_dropout == 0.5
    with pytest.raises(InputError, match="feature_dropout is 1"):
        build_network(name, 40, 3, feature_dropout=1.0)


def test_acm_leaves_features_out_in_training_alone() -> None:
    graph = graph_from_edges(RING, features(), eigenpairs=2)
    network = build_network("acm", 40, 3, operator="graph", feature_dropout=0.5, dropout=0.0)
    assert not torch.equal(network.train()(graph), network(graph))
    assert torch.equal(network.eval()(graph), network(graph))


@pytest.mark.parametrize("make", [lambda matrix: matrix, as_dense], ids=["sparse", "dense"])
def test_dropped_features_are_right_on_average_and_in_training_alone(make: Callable[[Any], Any]) -> None:
    graph = graph_from_edges([[0, 1], [1, 2], [2, 3]], make(features()), eigenpairs=2)
    torch.manual_seed(0)
    whole, dropping = (
        build_network("gcn", 40, 3, operator="graph", blocks=1, feature_dropout=share) for share in (0.0, 0.5)
    )
    dropping.load_state_dict(whole.state_dict())
    assert torch.equal(whole.eval()(graph), dropping.eval()(graph))
    assert torch.equal(whole.train()(graph), whole(graph))
    found = torch.stack([dropping.train()(graph).detach() for _ in range(2000)])
    torch.testing.assert_close(found.mean(dim=0), whole(graph).detach(), atol=0.08, rtol=0)
    assert found.std(dim=0).max() > 0.2
    dropping(graph).sum().backward()
    weight = dropping.layers[0].linear.weight
    assert weight.grad is not None
    assert weight.grad.abs().sum() > 0
