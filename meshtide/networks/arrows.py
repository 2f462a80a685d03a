"""Arrows beside numbers: where a vertex lies and where the surface faces, as vectors that turn with the shape.

Heat kernels and curvature are alike on a rudder and on a stabiliser, on a left and on a right wing. Coordinates are
not, but depend on how a shape is turned. Here they stay vectors: each channel of arrows is three coordinates at every
vertex, which are diffused, mixed with other channels and multiplied by numbers, all of which turn as the shape turns.
Numbers learn of them by products that do not: those of two arrows, and the volume of three, which alone changes its
sign in a mirror and so tells left from right.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from meshtide.networks.graph import MeshGraph

READ = 6  # columns of the features: two arrows, after all numbers
LONGEST_TIME = 2.0  # heat crosses the whole surface in it, so that an arrow may tell where the rest of a shape lies
SHORTEST_TIME = 1e-3
GAIN = 3.0  # of what is multiplied: mixed arrows are a fifth long at first, and products of such would hardly be heard


class ArrowStream(nn.Module):
    """What a block does with arrows, (V, 3, A): diffusion for a time of each channel, products, and change."""

    def __init__(self, channels: int, arrows: int) -> None:
        super().__init__()
        self.log_time = nn.Parameter(torch.linspace(math.log(SHORTEST_TIME), math.log(LONGEST_TIME), arrows))
        self.mix = nn.Linear(3 * arrows, 3 * arrows, bias=False)
        self.tell = nn.Linear(2 * arrows, channels, bias=False)
        self.turn = nn.Linear(3 * arrows, arrows, bias=False)
        self.gate = nn.Linear(channels, arrows)

    def spread(self, arrows: Tensor, graph: MeshGraph) -> Tensor:
        """The arrows with their heat and its derivative in log time, (V, 3, 3A)."""
        count, _, channels = arrows.shape
        spectrum = graph.project(arrows.flatten(1))
        rate = (graph.rates[:, None] * self.log_time.exp().repeat(3)).clamp(max=60.0)
        heat = torch.exp(-rate) * spectrum
        both = graph.expand(torch.cat([heat, rate * heat], dim=1)).view(count, 2, 3, channels)
        return torch.cat([arrows, both[:, 0], both[:, 1]], dim=2)

    def told(self, wide: Tensor) -> Tensor:
        """What numbers learn of arrows, (V, C): scalar products of two and volumes of three, bounded by tanh."""
        one, two, three = (GAIN * self.mix(wide)).chunk(3, dim=2)
        products = (one * two).sum(dim=1)
        volumes = volume(one, two, three)
        result: Tensor = self.tell(torch.tanh(torch.cat([products, volumes], dim=1)))
        return result

    def changed(self, arrows: Tensor, wide: Tensor, hidden: Tensor) -> Tensor:
        """The arrows after the block, whose numbers (V, C) say how far each moves."""
        result: Tensor = arrows + torch.tanh(self.gate(hidden))[:, None, :] * self.turn(wide)
        return result


def volume(one: Tensor, two: Tensor, three: Tensor) -> Tensor:
    """The volume that three arrows span, (V, A) from three times (V, 3, A): (one x two) · three, written out."""
    (a, b, c), (d, e, f), (g, h, i) = ([each[:, axis] for axis in range(3)] for each in (one, two, three))
    return a * (e * i - f * h) + b * (f * g - d * i) + c * (d * h - e * g)


def arrows_of(features: Tensor) -> Tensor:
    """The two arrows at the end of the features, (V, 3, 2)."""
    return features[:, -READ:].view(-1, 2, 3).transpose(1, 2)
