"""GCNII (Chen et al. 2020): deep graph convolutions that keep a share of the first layer in every one."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from meshtide.errors import InputError
from meshtide.networks.baselines.arcs import check_whole
from meshtide.networks.graph import MeshGraph
from meshtide.networks.layers import ELEMENTS, Normalise, on_elements
from meshtide.networks.sparse import symmetric_product
from meshtide.words import known


class GcniiLayer(nn.Module):
    """((1 - α) L̃ x + α x₀) ((1 - β) I + β W): the deeper the layer, the smaller β = log(θ / depth + 1)."""

    def __init__(self, channels: int, *, alpha: float, theta: float, depth: int) -> None:
        super().__init__()
        self.alpha, self.beta = alpha, math.log(theta / depth + 1)
        self.weight = nn.Parameter(nn.init.xavier_uniform_(torch.empty(channels, channels)))

    def forward(self, x: Tensor, first: Tensor, graph: MeshGraph) -> Tensor:
        """Map (V, channels) to the same; `first` is what the first layer gave."""
        mixed = (1 - self.alpha) * symmetric_product(graph.adjacency, x) + self.alpha * first
        return torch.addmm(mixed, mixed, self.weight, beta=1 - self.beta, alpha=self.beta)


class GcniiNet(nn.Module):
    """A linear layer, as many GCNII layers as `blocks`, a linear layer."""

    def __init__(
        self,
        inputs: int,
        parts: int,
        *,
        width: int = 64,
        blocks: int = 8,
        on: str = "vertices",
        dropout: float = 0.5,
        alpha: float = 0.1,
        theta: float = 0.5,
    ) -> None:
        super().__init__()
        if not 0 <= alpha <= 1 or theta < 0:
            raise InputError(f"the options alpha and theta are {alpha} and {theta}; wanted a share and 0 or more")
        if blocks < 1:
            raise InputError(f"the option blocks is {blocks}; it should be at least 1")
        self.on, self.parts = known(on, ELEMENTS, "on"), parts
        self.normalise = Normalise(inputs)
        self.first = nn.Linear(inputs, width)
        self.dropout = nn.Dropout(dropout)
        self.layers = nn.ModuleList(
            GcniiLayer(width, alpha=alpha, theta=theta, depth=depth) for depth in range(1, blocks + 1)
        )
        self.last = nn.Linear(width, parts)

    def forward(self, graph: MeshGraph) -> Tensor:
        """Logits on vertices, (V, parts), or on faces, (F, parts)."""
        check_whole(graph)
        first = x = torch.relu(self.normalise.then(self.first, graph))
        for layer in self.layers:
            x = torch.relu(layer(self.dropout(x), first, graph))
        return on_elements(self.last(self.dropout(x)), graph, self.on)

    @property
    def part_layer(self) -> nn.Linear:
        """The last layer, which has a row for each part."""
        return self.last
