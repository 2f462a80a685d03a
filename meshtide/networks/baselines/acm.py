"""ACM-GCN (Luan et al. 2022): every node weighs its neighbours' mean, what differs from it, and itself."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import torch
from torch import Tensor, nn

from meshtide.errors import InputError
from meshtide.networks.baselines.arcs import check_whole
from meshtide.networks.graph import MeshGraph
from meshtide.networks.layers import ELEMENTS, Normalise, on_elements
from meshtide.networks.sparse import symmetric_product
from meshtide.words import known

CHANNELS = 3  # low pass, high pass, identity


class AcmLayer(nn.Module):
    """3 Σ a_c H_c over c of H_L = σ(L̃ x W_L), H_H = σ((I - L̃) x W_H), H_I = σ(x W_I).

    The weights a_c of a node are the softmax of its (sigmoid(H_c w_c) / 3) mixed by a 3 x 3 matrix.
    """

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.linear = nn.Linear(inputs, CHANNELS * outputs, bias=False)
        self.scores = nn.Parameter(torch.empty(CHANNELS, outputs))
        self.mix = nn.Parameter(torch.empty(CHANNELS, CHANNELS))
        # As in its own code; torch's own weights are far smaller where features are wide.
        for weight, most in ((self.linear.weight, outputs**-0.5), (self.scores, 1.0), (self.mix, CHANNELS**-0.5)):
            nn.init.uniform_(weight, -most, most)

    def forward(self, x: Tensor, graph: MeshGraph) -> Tensor:
        """Map (V, inputs) to (V, outputs)."""
        return self.spread(self.linear(x), graph)

    def spread(self, messages: Tensor, graph: MeshGraph) -> Tensor:
        """What a vertex makes of x W, (V, 3 outputs)."""
        low, high, own = messages.chunk(CHANNELS, dim=1)
        around = symmetric_product(graph.adjacency, torch.cat([low, high], dim=1))
        smooth, rough = around.chunk(2, dim=1)
        channels = torch.stack([smooth, high - rough, own], dim=1).relu()  # (V, 3, outputs)
        weights = torch.softmax(torch.sigmoid((channels * self.scores).sum(dim=2)) / CHANNELS @ self.mix, dim=1)
        return CHANNELS * (weights[:, :, None] * channels).sum(dim=1)


class AcmNet(nn.Module):
    """As many ACM layers as `blocks`, the last of which gives the scores.

    `feature_dropout` leaves out features of the input too, as its own code does.
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
        if not 0 <= feature_dropout < 1:
            raise InputError(f"the option feature_dropout is {feature_dropout}; it should be a share from 0 to below 1")
        if blocks < 1:
            raise InputError(f"the option blocks is {blocks}; it should be at least 1")
        self.on, self.parts = known(on, ELEMENTS, "on"), parts
        self.feature_dropout = feature_dropout
        self.normalise = Normalise(inputs)
        self.dropout = nn.Dropout(dropout)
        self.layers = nn.ModuleList(AcmLayer(*sizes) for sizes in pairwise([inputs, *[width] * (blocks - 1), parts]))

    def forward(self, graph: MeshGraph) -> Tensor:
        """Logits on vertices, (V, parts), or on faces, (F, parts)."""
        check_whole(graph)
        first: Any = self.layers[0]
        left_out = self.feature_dropout if self.training else 0.0
        x = first.spread(self.normalise.then(first.linear, graph, left_out), graph)
        for layer in self.layers[1:]:
            x = layer(self.dropout(x), graph)
        return on_elements(x, graph, self.on)

    @property
    def part_layer(self) -> None:
        """None: its last layer mixes neighbours, too."""
