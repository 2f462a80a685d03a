"""The network that places faces of one part near each other: TIDE on numbers and on arrows.

Two like legs have the same heat kernel signature, curvature and thickness everywhere; only where they are tells them
apart. Coordinates would, but depend on how a shape is turned. So the network has two streams. Numbers never change
when the shape is turned; arrows, three coordinates to a channel, turn with it, as they are only ever diffused, mixed
with each other and multiplied by numbers. Numbers learn of arrows by their scalar products. What comes out are numbers
and arrows again, and the distance of two faces' outputs is the same however the shape is turned or mirrored.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from meshtide.inference.regions.inputs import ARROWS, NUMBERS, Inputs


class Places:
    """The inputs of a surface, or of some of its faces, as tensors, with the projection to its eigenbasis."""

    def __init__(self, rates: Tensor, vectors: Tensor, weights: Tensor, numbers: Tensor, arrows: Tensor) -> None:
        self.rates, self.vectors, self.numbers, self.arrows = rates, vectors, numbers, arrows
        self.weights = weights
        weighted = vectors * weights[:, None]
        gram = vectors.T @ weighted
        # Averaging over corners and leaving faces out makes the vectors a little less than orthonormal.
        scale = gram.diagonal().mean()
        ridge = 1e-3 * scale * torch.eye(len(gram), dtype=gram.dtype)
        self.projection = torch.linalg.solve(gram + ridge, weighted.T)  # (K, N)

    @staticmethod
    def of(inputs: Inputs) -> Places:
        """All faces of a surface."""
        return Places(**{name: torch.from_numpy(array) for name, array in inputs.arrays().items()})


class ArrowBlock(nn.Module):
    """Diffusion of numbers (N, C) and arrows (N, 3, A), each channel for its own time, and what follows it."""

    def __init__(self, channels: int, arrows: int) -> None:
        super().__init__()
        low, high = math.log(1e-3), math.log(0.2)
        self.log_time = nn.Parameter(torch.linspace(low, high, channels))
        self.arrow_log_time = nn.Parameter(torch.linspace(low, high, arrows))
        self.mix = nn.Linear(3 * arrows, 2 * arrows, bias=False)
        self.change = nn.Linear(3 * arrows, arrows, bias=False)
        self.mlp = nn.Sequential(nn.Linear(3 * channels + arrows, channels), nn.ReLU(), nn.Linear(channels, channels))
        self.gate = nn.Linear(channels, arrows)

    def forward(self, numbers: Tensor, arrows: Tensor, places: Places) -> tuple[Tensor, Tensor]:
        """Map both streams to streams of the same size."""
        heat, change = _diffused(numbers, self.log_time, places)
        count, _, channels = arrows.shape
        flat = arrows.reshape(count, 3 * channels)
        both = _diffused(flat, self.arrow_log_time.repeat(3), places)
        wide = torch.cat([arrows, *(each.view(count, 3, channels) for each in both)], dim=2)  # (N, 3, 3A)
        one, other = self.mix(wide).chunk(2, dim=2)
        products = torch.tanh((one * other).sum(dim=1))  # (N, A)
        hidden = self.mlp[1](self.mlp[0](torch.cat([numbers, heat, change, products], dim=1)))
        gate = torch.tanh(self.gate(hidden))[:, None, :]
        return numbers + self.mlp[2](hidden), arrows + gate * self.change(wide)


class RegionNet(nn.Module):
    """Faces to points whose distance says how likely two faces are of one part."""

    mean: Tensor
    spread: Tensor

    def __init__(self, channels: int = 96, arrows: int = 24, blocks: int = 4, outputs: int = 24) -> None:
        super().__init__()
        self.register_buffer("mean", torch.zeros(NUMBERS))
        self.register_buffer("spread", torch.ones(NUMBERS))
        self.first = nn.Linear(NUMBERS, channels)
        self.first_arrows = nn.Linear(ARROWS, arrows, bias=False)
        self.blocks = nn.ModuleList(ArrowBlock(channels, arrows) for _ in range(blocks))
        self.last = nn.Linear(channels, outputs)
        self.last_arrows = nn.Linear(arrows, outputs // 3, bias=False)
        # P(same part) = sigmoid(offset - scale · distance) while learning; what follows reads distances alone.
        self.offset = nn.Parameter(torch.tensor(2.0))
        self.log_scale = nn.Parameter(torch.tensor(0.0))

    def forward(self, places: Places) -> Tensor:
        """Points, (N, 2 · outputs): numbers first, then arrows, coordinate by coordinate."""
        numbers = self.first((places.numbers - self.mean) / self.spread)
        arrows = self.first_arrows(places.arrows)
        for block in self.blocks:
            numbers, arrows = block(numbers, arrows, places)
        return torch.cat([self.last(numbers), self.last_arrows(arrows).flatten(1)], dim=1)

    def logits(self, one: Tensor, other: Tensor) -> Tensor:
        """How likely faces at these points are of one part, (N, M), as logits."""
        squares = (one**2).sum(dim=1)[:, None] + (other**2).sum(dim=1) - 2 * one @ other.T
        distance = squares.clamp(min=1e-6).sqrt()
        return self.offset - self.log_scale.exp() * distance


def _diffused(signal: Tensor, log_time: Tensor, places: Places) -> tuple[Tensor, Tensor]:
    """Heat and t · λ · heat, its derivative in log time, of every channel (N, C)."""
    spectrum = places.projection @ signal  # (K, C)
    rate = (places.rates[:, None] * log_time.exp()).clamp(max=60.0)
    heat = torch.exp(-rate)
    both = places.vectors @ torch.cat([heat * spectrum, rate * heat * spectrum], dim=1)
    return both.chunk(2, dim=1)  # type: ignore[return-value]  # chunk gives as many as asked for


@torch.inference_mode()
def embed(network: RegionNet, inputs: Inputs) -> Tensor:
    """The points of all faces of a surface."""
    points: Tensor = network(Places.of(inputs))
    return points
