"""Small layers that several networks have."""

from __future__ import annotations

from collections.abc import Iterable

import torch
from torch import Tensor, nn

from meshtide.errors import InputError
from meshtide.networks.feature_products import dropped_product, feature_product, multiplies_here
from meshtide.networks.graph import MeshGraph

ELEMENTS = ("vertices", "faces")


class Normalise(nn.Module):
    """Bring features to mean 0 and spread 1 over the training set: absolute, so that shapes stay comparable."""

    mean: Tensor
    spread: Tensor

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.register_buffer("mean", torch.zeros(channels))
        self.register_buffer("spread", torch.ones(channels))

    def forward(self, features: Tensor) -> Tensor:
        """Map (V, C) to (V, C)."""
        return (features - self.mean) / self.spread

    def then(self, linear: nn.Linear, graph: MeshGraph, dropout: float = 0.0) -> Tensor:
        """A linear layer of a graph's features, (V, outputs); sparse ones are multiplied as they are.

        `dropout` is the share of the features that is left out, which a network asks for in training.
        """
        dense = graph.features.layout is torch.strided
        if not multiplies_here(graph) or (dense and dropout):
            result: Tensor = linear(Dropout(dropout)(self(graph.features)))
            return result
        # Bringing sparse features to mean 0 would fill them, and many take their time, so that the layer takes it over.
        weight = linear.weight.T / self.spread[:, None]
        shift = -self.mean @ weight if linear.bias is None else linear.bias - self.mean @ weight
        product = dropped_product(graph, weight, dropout) if dropout else feature_product(graph, weight)
        return product + shift

    def into(self, linear: nn.Linear) -> Tensor:
        """This and then a linear layer as one matrix for features with a column of ones, (C + 1, outputs)."""
        weight = linear.weight.T / self.spread[:, None]
        return torch.cat([weight, (linear.bias - self.mean @ weight)[None]])

    def measure(self, graphs: Iterable[MeshGraph]) -> None:
        """Take mean and spread from these graphs, every one with the same weight and every vertex with its mass."""
        moments = Moments()
        for graph in graphs:
            moments.add(graph)
        self.take(moments)

    @torch.no_grad()
    def take(self, moments: Moments) -> None:
        """Take mean and spread from what was added up."""
        mean, square = moments.total / max(moments.count, 1)
        self.mean.copy_(mean)
        self.spread.copy_((square - mean**2).clamp(min=1e-8).sqrt())


class Moments:
    """The sums over graphs of their mean features and mean squares of these, (2, C), and how many graphs there were."""

    def __init__(self) -> None:
        self.total, self.count = torch.zeros(2, 1, dtype=torch.float64), 0

    @torch.no_grad()
    def add(self, graph: MeshGraph) -> None:
        """Take one more graph into account, every vertex with its mass."""
        # To the CPU first: mps has no float64.
        weight = (graph.mass / graph.mass.sum()).cpu().double()
        self.total = self.total + _moments(graph.features.cpu().double(), weight)
        self.count += 1


def _moments(values: Tensor, weight: Tensor) -> Tensor:
    """Weighted means of features, (V, C), and of their squares, (2, C)."""
    if values.layout is torch.strided:
        return torch.stack([weight @ values, weight @ values**2])
    entries, rows = values.values(), values.crow_indices().diff()
    shares = weight.repeat_interleave(rows)
    sums = torch.zeros(2, values.shape[1], dtype=values.dtype)
    return sums.index_add(1, values.col_indices(), torch.stack([shares * entries, shares * entries**2]))


def on_elements(logits: Tensor, graph: MeshGraph, on: str) -> Tensor:
    """Vertex logits as they are, or averaged over each face's corners."""
    if on == "vertices":
        return logits
    return (logits[graph.faces[:, 0]] + logits[graph.faces[:, 1]] + logits[graph.faces[:, 2]]) / 3


class Dropout(nn.Module):
    """Set a random share of numbers to 0 and scale the others so that the mean is kept, in training only.

    Like torch's, but with 8 random bits a number rather than a random float, which takes most of its time on a CPU:
    with torch's a training step of TIDE takes 1.3 to 1.4 times as long, with gradient features 1.1 times
    (tests/benchmarks/dropout.py, one thread, 1,000 and 9,730 vertices). The share is rounded to 1/256 and the scale
    follows the rounded one.
    """

    def __init__(self, share: float) -> None:
        super().__init__()
        if not 0 <= share <= 1:
            raise InputError(f"the option dropout is {share}; it should be a share from 0 to 1")
        self.kept = round(256 * (1 - share))  # of 256 numbers

    @property
    def active(self) -> bool:
        """Whether anything is dropped now."""
        return self.training and self.kept < 256

    def forward(self, x: Tensor) -> Tensor:
        """Map any shape to the same."""
        if not self.active:
            return x
        bits = torch.empty((x.numel() + 7) // 8, dtype=torch.int64, device=x.device).random_(-(2**63), None)
        mask = bits.view(torch.uint8)[: x.numel()].view(x.shape) < self.kept
        return x * (mask * (256 / max(self.kept, 1))).to(x.dtype)
