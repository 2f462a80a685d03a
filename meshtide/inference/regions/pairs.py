"""From cues to the probability that two patches are of one part: a small network, asked twice.

The first answer looks at a pair alone. The second one also sees what the first answers to all other pairs make of it:
whether a likely way leads from one to the other, and whether they belong with the same others.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn

from meshtide.arrays import FloatArray, IntArray
from meshtide.inference.regions.cues import CUES, LATER_CUES, Patches, later_cues, pair_cues
from meshtide.inference.regions.inputs import Prepared

SURE = 12.0  # logits beyond this say no more


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


@torch.inference_mode()
def judge_pairs(judge: PairJudge, prepared: Prepared, patches: Patches, scale: float) -> FloatArray:
    """The logit of being of one part for all pairs of patches, (n, n) and symmetric; SURE on the diagonal."""
    count = patches.count
    if count < 2:
        return np.full((count, count), SURE)
    cues, i, j = pair_cues(prepared, patches, scale)
    first = spread(judge.first(torch.from_numpy(cues)).numpy(), i, j, count)
    later = later_cues(patches, first)[i, j].astype(np.float32)
    both = torch.from_numpy(np.concatenate([cues, later], axis=1))
    return spread(judge.second(both).numpy(), i, j, count)


def spread(logits: FloatArray, i: IntArray, j: IntArray, count: int) -> FloatArray:
    """Logits of pairs as a symmetric matrix."""
    matrix = np.full((count, count), SURE)
    matrix[i, j] = matrix[j, i] = np.clip(logits, -SURE, SURE)
    return matrix
