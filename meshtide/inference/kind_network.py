"""The network that looks at every face of a shape and says what things, or parts of things, it may belong to."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from meshtide.inference.regions.embedding import ArrowBlock, Places
from meshtide.inference.regions.inputs import ARROWS, NUMBERS


class KindNet(nn.Module):
    """Faces to scores of the sorts of things they may belong to: TIDE on numbers and arrows, and a small MLP."""

    mean: Tensor
    spread: Tensor

    def __init__(self, sorts: int, channels: int, arrows: int, blocks: int) -> None:
        super().__init__()
        self.register_buffer("mean", torch.zeros(NUMBERS))
        self.register_buffer("spread", torch.ones(NUMBERS))
        self.first = nn.Linear(NUMBERS, channels)
        self.first_arrows = nn.Linear(ARROWS, arrows, bias=False)
        self.blocks = nn.ModuleList(ArrowBlock(channels, arrows) for _ in range(blocks))
        self.head = nn.Sequential(nn.Linear(channels + arrows, 96), nn.ReLU(), nn.Dropout(0.1), nn.Linear(96, sorts))

    def forward(self, places: Places) -> Tensor:
        """Scores of every sort at every face, (N, sorts)."""
        result: Tensor = self.head(self.features(places))
        return result

    def features(self, places: Places) -> Tensor:
        """What the head reads at every face, (N, channels + arrows)."""
        numbers = self.first((places.numbers - self.mean) / self.spread)
        arrows = self.first_arrows(places.arrows)
        for block in self.blocks:
            numbers, arrows = block(numbers, arrows, places)
        lengths = arrows.square().sum(dim=1).clamp(min=1e-6).sqrt()
        return torch.cat([numbers, lengths], dim=1)
