"""Networks that pass messages along edges: GCN, GAT and GRAND.

Their depth is how far a vertex sees, in edges: what they learn belongs to the triangulation it was learned on.
"""

from __future__ import annotations

from importlib import import_module
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from meshtide.errors import InputError
from meshtide.networks.baselines.arcs import Arcs, arc_products, arcs_of, attention_of, check_whole, weighted_sum
from meshtide.networks.graph import MeshGraph
from meshtide.networks.layers import ELEMENTS, Normalise, on_elements
from meshtide.networks.sparse import symmetric_product
from meshtide.words import known


class GcnLayer(nn.Module):
    """L̃ (x W) + b, with the adjacency L̃ = D^-½(A+I)D^-½ (Kipf and Welling 2017)."""

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.linear = nn.Linear(inputs, outputs, bias=False)
        nn.init.xavier_uniform_(self.linear.weight)  # as in the paper; torch's own are far smaller for wide features
        self.bias = nn.Parameter(torch.zeros(outputs))

    def forward(self, x: Tensor, graph: MeshGraph) -> Tensor:
        """Map (V, inputs) to (V, outputs)."""
        return self.spread(self.linear(x), graph)

    def spread(self, messages: Tensor, graph: MeshGraph) -> Tensor:
        """What a vertex receives of x W, (V, outputs)."""
        return symmetric_product(graph.adjacency, messages) + self.bias


class GcnNet(nn.Module):
    """A graph convolutional network: as many layers as `blocks`, the last of which gives the scores.

    `feature_dropout` leaves out features of the input too, as its own paper does.
    """

    def __init__(
        self,
        inputs: int,
        parts: int,
        *,
        width: int = 64,
        blocks: int = 2,
        on: str = "vertices",
        dropout: float = 0.5,
        feature_dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.on, self.parts = known(on, ELEMENTS, "on"), parts
        if not 0 <= feature_dropout < 1:
            raise InputError(f"the option feature_dropout is {feature_dropout}; it should be a share from 0 to below 1")
        self.feature_dropout = feature_dropout
        self.normalise = Normalise(inputs)
        self.dropout = nn.Dropout(dropout)
        self.layers = nn.ModuleList(GcnLayer(*sizes) for sizes in _sizes(inputs, width, parts, blocks))

    def forward(self, graph: MeshGraph) -> Tensor:
        """Logits on vertices, (V, parts), or on faces, (F, parts)."""
        check_whole(graph)
        first: Any = self.layers[0]
        left_out = self.feature_dropout if self.training else 0.0
        x = first.spread(self.normalise.then(first.linear, graph, left_out), graph)
        for layer in self.layers[1:]:
            x = layer(self.dropout(torch.relu(x)), graph)
        return on_elements(x, graph, self.on)

    @property
    def part_layer(self) -> None:
        """None: its last layer mixes neighbours, too."""


class GatLayer(nn.Module):
    """Σ_j a_ij W x_j over neighbours and the vertex itself, every head with its own attention and its own channels.

    a_ij is the softmax over j of LeakyReLU(l · W x_i + r · W x_j) (Veličković et al. 2018).
    """

    def __init__(self, inputs: int, outputs: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.heads, self.dropout = heads, dropout
        self.linear = nn.Linear(inputs, outputs, bias=False)
        self.bias = nn.Parameter(torch.zeros(outputs))
        channels = _per_head(outputs, heads)
        self.at_target = nn.Parameter(nn.init.xavier_uniform_(torch.empty(heads, channels)))
        self.at_source = nn.Parameter(nn.init.xavier_uniform_(torch.empty(heads, channels)))

    def attention(self, messages: Tensor, arcs: Arcs) -> Tensor:
        """The weights of all arcs, (A, heads), from W x, (V, outputs): those that end in one vertex add up to one."""
        split = messages.reshape(len(messages), self.heads, -1)  # (V, heads, channels)
        target = (split * self.at_target).sum(dim=2)
        source = (split * self.at_source).sum(dim=2)
        return attention_of(functional.leaky_relu(target[arcs.target] + source[arcs.source], 0.2), arcs)

    def forward(self, x: Tensor, arcs: Arcs) -> Tensor:
        """Map (V, inputs) to (V, outputs)."""
        return self.spread(self.linear(x), arcs)

    def spread(self, messages: Tensor, arcs: Arcs) -> Tensor:
        """What a vertex receives of x W, (V, outputs)."""
        weights = functional.dropout(self.attention(messages, arcs), self.dropout, self.training)
        pairs = zip(weights.T, messages.chunk(self.heads, dim=1), strict=True)
        return torch.cat([weighted_sum(weight, part, arcs) for weight, part in pairs], dim=1) + self.bias


class GatNet(nn.Module):
    """A graph attention network: as many layers as `blocks`, the last of which has one head and gives the scores."""

    def __init__(
        self,
        inputs: int,
        parts: int,
        *,
        width: int = 64,
        blocks: int = 2,
        on: str = "vertices",
        dropout: float = 0.5,
        heads: int = 4,
    ) -> None:
        super().__init__()
        self.on, self.parts = known(on, ELEMENTS, "on"), parts
        self.normalise = Normalise(inputs)
        self.dropout = nn.Dropout(dropout)
        *hidden, last = _sizes(inputs, width, parts, blocks)
        layers = [GatLayer(*sizes, heads, dropout) for sizes in hidden]
        self.layers = nn.ModuleList([*layers, GatLayer(*last, 1, dropout)])

    def forward(self, graph: MeshGraph) -> Tensor:
        """Logits on vertices, (V, parts), or on faces, (F, parts)."""
        arcs = arcs_of(graph)
        first: Any = self.layers[0]
        x = first.spread(self.normalise.then(first.linear, graph), arcs)
        for layer in self.layers[1:]:
            x = layer(self.dropout(functional.elu(x)), arcs)
        return on_elements(x, graph, self.on)

    @property
    def part_layer(self) -> None:
        """None: its last layer mixes neighbours, too."""


class GrandBlock(nn.Module):
    """The linear diffusion du/dt = (A - I) u from 0 to `time`, with attention A that is found once, from u at 0.

    A is the mean over heads of the softmax of scaled dot products (Chamberlain et al. 2021, GRAND-l).
    """

    def __init__(self, width: int, *, heads: int, time: float, step: float) -> None:
        super().__init__()
        if time <= 0 or step <= 0:
            raise InputError(f"the options time and step are {time} and {step}; both should be positive")
        self.heads, self.time, self.step = heads, time, step
        self.scale = _per_head(width, heads) ** -0.5
        # Without a bias at sources: it would add the same to all that a softmax compares.
        self.at_target, self.at_source = nn.Linear(width, width), nn.Linear(width, width, bias=False)

    def attention(self, u: Tensor, arcs: Arcs) -> Tensor:
        """The weights of all arcs, (A,), from (V, width): those that end in one vertex add up to one."""
        targets = (self.scale * self.at_target(u)).chunk(self.heads, dim=1)
        sources = self.at_source(u).chunk(self.heads, dim=1)
        scores = [arc_products(target, source, arcs) for target, source in zip(targets, sources, strict=True)]
        return attention_of(torch.stack(scores, dim=1), arcs).mean(dim=1)

    def forward(self, u: Tensor, arcs: Arcs) -> Tensor:
        """Map (V, width) to (V, width)."""
        weights = self.attention(u, arcs)
        # Fixed steps, whose number does not depend on the data. A - I has its eigenvalues within 1 of -1: Runge-Kutta
        # of order 4 is stable up to steps of 1.39.
        path = import_module("torchdiffeq").odeint(
            lambda _, state: weighted_sum(weights, state, arcs) - state,
            u,
            torch.tensor([0.0, self.time], dtype=u.dtype).to(u.device),
            method="rk4",
            options={"step_size": self.step},
        )
        end: Tensor = path[-1]
        return end


class GrandNet(nn.Module):
    """Graph neural diffusion: a linear encoder, one diffusion a block, a linear decoder. It needs torchdiffeq."""

    def __init__(
        self,
        inputs: int,
        parts: int,
        *,
        width: int = 64,
        blocks: int = 1,
        on: str = "vertices",
        dropout: float = 0.5,
        heads: int = 4,
        time: float = 4.0,
        step: float = 1.0,
    ) -> None:
        super().__init__()
        self.on, self.parts = known(on, ELEMENTS, "on"), parts
        self.normalise = Normalise(inputs)
        self.first = nn.Linear(inputs, width)
        self.dropout = nn.Dropout(dropout)
        self.blocks = nn.ModuleList(GrandBlock(width, heads=heads, time=time, step=step) for _ in range(blocks))
        self.last = nn.Linear(width, parts)

    def forward(self, graph: MeshGraph) -> Tensor:
        """Logits on vertices, (V, parts), or on faces, (F, parts)."""
        arcs = arcs_of(graph)
        x = self.dropout(self.normalise.then(self.first, graph))
        for block in self.blocks:
            x = block(x, arcs)
        return on_elements(self.last(self.dropout(torch.relu(x))), graph, self.on)

    @property
    def part_layer(self) -> nn.Linear:
        """The last layer, which has a row for each part."""
        return self.last


def _sizes(inputs: int, width: int, parts: int, layers: int) -> list[tuple[int, int]]:
    """Channels before and after every layer."""
    if layers < 1:
        raise InputError(f"the option blocks is {layers}; it should be at least 1")
    ends = [inputs, *[width] * (layers - 1), parts]
    return list(pairwise(ends))


def _per_head(channels: int, heads: int) -> int:
    if heads < 1 or channels % heads:
        raise InputError(f"{channels} channels cannot be divided evenly among {heads} heads; choose another width")
    return channels // heads
