"""Products of many features: what is kept or left out changes no answer and no gradient."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import torch
from scipy import sparse
from torch import Tensor

from meshtide.networks import feature_products
from meshtide.networks.feature_products import dropped_product, feature_product, multiplies_here
from meshtide.networks.graph import MeshGraph
from meshtide.networks.node_graph import graph_from_edges
from meshtide.networks.registry import build_network
from meshtide.training.batch_loss import BatchLoss
from meshtide.training.loop import Training, mean_accuracy
from meshtide.training.schedule import Schedule
from meshtide.training.views import Example

NODES, COLUMNS = 30, 40
RING = np.stack([np.arange(NODES), (np.arange(NODES) + 1) % NODES], axis=1)


@pytest.fixture(params=["sparse", "dense"])
def graph(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> MeshGraph:
    """A graph whose features are multiplied by the functions tested here, whichever way they are kept."""
    monkeypatch.setattr(feature_products, "LEAST_ENTRIES", 0)
    random = np.random.default_rng(0)
    values = random.random((NODES, COLUMNS)) * (random.random((NODES, COLUMNS)) < 0.05)
    made = graph_from_edges(RING, sparse.csr_array(values) if request.param == "sparse" else values, eigenpairs=8)
    assert multiplies_here(made)
    return made


def whole(graph: MeshGraph) -> Tensor:
    return graph.features.to_dense() if graph.features.layout is torch.sparse_csr else graph.features


def weights(seed: int = 0) -> Tensor:
    return torch.randn(COLUMNS, 5, generator=torch.Generator().manual_seed(seed)).requires_grad_()


def gradient(make: Callable[[Tensor], Tensor], weight: Tensor) -> tuple[Tensor, Tensor]:
    weight.grad = None
    product = make(weight)
    (product * torch.arange(product.numel()).view(product.shape)).sum().backward()
    assert weight.grad is not None
    return product.detach(), weight.grad


def test_a_product_and_its_gradient_are_plain_ones_whether_it_was_answered_before_or_not(graph: MeshGraph) -> None:
    weight = weights()
    plain = gradient(lambda given: whole(graph) @ given, weight)
    for answered in (False, True):
        if answered:
            with torch.no_grad():
                torch.testing.assert_close(feature_product(graph, weight), plain[0])
        for found, wanted in zip(gradient(lambda given: feature_product(graph, given), weight), plain, strict=True):
            torch.testing.assert_close(found, wanted)


def test_an_answer_with_other_weights_is_not_taken_for_these(graph: MeshGraph) -> None:
    weight = weights()
    with torch.no_grad():
        feature_product(graph, weight)
        weight[3, 2] += 1.0  # as an optimiser does, in place
    torch.testing.assert_close(feature_product(graph, weight), whole(graph) @ weight)
    weight.data[7, 1] -= 1.0  # and as torch does not notice
    torch.testing.assert_close(feature_product(graph, weight), whole(graph) @ weight)


def test_a_step_takes_what_was_answered(graph: MeshGraph) -> None:
    weight = weights()
    with torch.no_grad():
        answer = feature_product(graph, weight)
        answer += 1.0  # which nobody should do, and which shows here where the step has it from
    torch.testing.assert_close(feature_product(graph, weight), whole(graph) @ weight + 1.0)


def test_an_answer_in_inference_mode_is_not_kept(graph: MeshGraph) -> None:
    weight = weights()
    with torch.inference_mode():
        feature_product(graph, weight)
    assert torch.isfinite(gradient(lambda given: feature_product(graph, given), weight)[1]).all()


@pytest.mark.parametrize("graph", ["sparse"], indirect=True)
def test_dropped_features_have_the_gradient_of_what_was_left(graph: MeshGraph) -> None:
    weight = weights()
    torch.manual_seed(1)
    found = gradient(lambda given: dropped_product(graph, given, 0.5), weight)
    torch.manual_seed(1)
    rows = graph.features
    kept = torch.nn.functional.dropout(rows.values(), 0.5)
    assert 0 < int((kept == 0).sum()) < len(kept)
    dropped = torch.sparse_csr_tensor(rows.crow_indices(), rows.col_indices(), kept, rows.shape, check_invariants=False)
    for one, other in zip(found, gradient(lambda given: dropped.to_dense() @ given, weight), strict=True):
        torch.testing.assert_close(one, other)


@pytest.mark.parametrize("name", ["tide-m", "gcn", "gat", "gcnii", "acm"])
def test_a_training_is_what_it_is_with_plain_products(
    graph: MeshGraph, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    targets = torch.arange(NODES) % 3
    parts = [torch.where(torch.arange(NODES) % 5 == part, targets, -1) for part in (0, 1)]

    def trained() -> tuple[list[float], dict[str, Tensor]]:
        torch.manual_seed(0)
        network = build_network(name, COLUMNS, 3, operator="graph", width=8)
        network.normalise.measure([graph])
        schedule = Schedule(epochs=6, sample=None, optimiser="adamax", course="constant")
        training = Training(network, [Example("a", graph, parts[0])], [Example("b", graph, parts[1])], schedule)
        return [epoch.loss for epoch in training.run()], network.state_dict()

    losses, found = trained()
    monkeypatch.setattr("meshtide.networks.layers.feature_product", lambda graph, weight: whole(graph) @ weight)
    plain_losses, plain = trained()
    assert losses == pytest.approx(plain_losses, rel=1e-4)
    for key, value in found.items():
        torch.testing.assert_close(value, plain[key], rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("known", [3, 25])
def test_loss_and_accuracy_of_some_rows_are_those_of_all_with_the_others_left_out(graph: MeshGraph, known: int) -> None:
    targets = torch.where(torch.arange(NODES) < known, torch.arange(NODES) % 3, -1)
    network = build_network("tide-m", COLUMNS, 3, operator="graph", width=8).eval()
    logits = network(graph).detach().requires_grad_()
    loss = BatchLoss(network, torch.tensor([1.0, 2.0, 3.0]), Schedule()).loss(logits, targets, 1)
    plain = torch.nn.functional.cross_entropy(
        logits, targets, torch.tensor([1.0, 2.0, 3.0]), ignore_index=-1, label_smoothing=Schedule().label_smoothing
    )
    torch.testing.assert_close(loss, plain)
    grads = [torch.autograd.grad(each, logits, retain_graph=True)[0] for each in (loss, plain)]
    torch.testing.assert_close(*grads)
    right = (logits.argmax(dim=1) == targets)[:known].float().mean()
    assert mean_accuracy(network, [Example("a", graph, targets)]) == pytest.approx(float(right))
