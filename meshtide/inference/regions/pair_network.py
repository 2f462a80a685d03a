"""The networks that judge pairs of patches by their cues."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from meshtide.inference.regions.cues import CUES, LATER_CUES


class PairNet(nn.Module):
    """Cues of pairs to logits."""

    mean: Tensor
    spread: Tensor

    def __init__(self, cues: int, width: int = 64) -> None:
        super().__init__()
        self.register_buffer("mean", torch.zeros(cues))
        self.register_buffer("spread", torch.ones(cues))
        self.layers = nn.Sequential(
            nn.Linear(cues, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, 1)
        )

    def forward(self, cues: Tensor) -> Tensor:
        """Map (N, cues) to (N,)."""
        logits: Tensor = self.layers(((cues - self.mean) / self.spread).clamp(-6, 6))[:, 0]
        return logits


class PairJudge(nn.Module):
    """The two networks together."""

    def __init__(self) -> None:
        super().__init__()
        self.first = PairNet(CUES)
        self.second = PairNet(CUES + LATER_CUES)
