"""What a network makes of a graph, in the answer and in what it would learn; for the tests of networks."""

from __future__ import annotations

import torch
from torch import Tensor

from meshtide.networks.graph import MeshGraph


def outcome(network: torch.nn.Module, graph: MeshGraph) -> tuple[Tensor, list[Tensor]]:
    """Logits and the gradient of a fixed loss."""
    logits = network(graph)
    targets = torch.arange(len(logits)) % logits.shape[1]
    gradients = torch.autograd.grad(torch.nn.functional.cross_entropy(logits, targets), list(network.parameters()))
    return logits.detach(), list(gradients)


def assert_same(one: tuple[Tensor, list[Tensor]], other: tuple[Tensor, list[Tensor]]) -> None:
    torch.testing.assert_close(one[0], other[0], rtol=1e-7, atol=1e-7)
    for left, right in zip(one[1], other[1], strict=True):
        torch.testing.assert_close(left, right, rtol=1e-6, atol=1e-7)
