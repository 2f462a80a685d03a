"""A second reader beside TIDE: the network for regions, which has seen many kinds of shapes, with outputs for parts.

It is built as that network is (meshtide.inference.regions.embedding) and begins with its weights, but reads what TIDE
reads: the signature at twelve of its times by interpolation, and how a heat step moves a vertex along its normal alone.
How thick the body is it does not see: what is missing has the value that is usual.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import torch
from torch import Tensor, nn

from meshtide.errors import InputError
from meshtide.networks.arrows import READ, arrows_of
from meshtide.networks.graph import MeshGraph
from meshtide.spectral.curvature import CURVATURE_TIMES
from meshtide.spectral.signatures import hks_times

SIGNATURE, SCALES = len(hks_times()), len(CURVATURE_TIMES)
INPUTS = SIGNATURE + 2 * SCALES + READ  # the columns of log-hks, curvature and arrows
OWN_SIGNATURE = 12  # times that the network for regions reads
NUMBERS = OWN_SIGNATURE + 2 * SCALES
CHANNELS, ARROWS, BLOCKS = 96, 24, 4  # as the network for regions that ships has them


class SecondReader(nn.Module):
    """Features of a graph to one score a part."""

    mean: Tensor
    spread: Tensor
    at_own_times: Tensor

    def __init__(self, inputs: int, parts: int) -> None:
        super().__init__()
        if inputs != INPUTS:
            raise InputError("`second_reader` reads `features=log-hks,curvature,arrows`, all of these and no others")
        self.register_buffer("mean", torch.zeros(NUMBERS))
        self.register_buffer("spread", torch.ones(NUMBERS))
        self.register_buffer("at_own_times", _interpolation(), persistent=False)
        self.first = nn.Linear(NUMBERS, CHANNELS)
        self.first_arrows = nn.Linear(READ // 3 + SCALES, ARROWS, bias=False)
        self.blocks = nn.ModuleList(_Block() for _ in range(BLOCKS))
        self.mix = nn.Linear(ARROWS, 2 * ARROWS, bias=False)
        self.last = nn.Linear(CHANNELS + ARROWS, parts)

    def forward(self, graph: MeshGraph) -> Tensor:
        """Scores at vertices, (V, parts)."""
        signature = graph.features[:, :SIGNATURE] @ self.at_own_times
        bending = graph.features[:, SIGNATURE : SIGNATURE + 2 * SCALES]
        numbers: Tensor = self.first((torch.cat([signature, bending], dim=1) - self.mean) / self.spread)
        placed = arrows_of(graph.features)  # (V, 3, 2), the second of which is the normal
        moved = placed[:, :, 1:] * bending[:, None, :SCALES]
        arrows: Tensor = self.first_arrows(torch.cat([placed, moved], dim=2))
        for block in self.blocks:
            numbers, arrows = block(numbers, arrows, graph)
        one, other = self.mix(arrows).chunk(2, dim=2)
        logits: Tensor = self.last(torch.cat([numbers, torch.tanh((one * other).sum(dim=1))], dim=1))
        return logits

    @torch.no_grad()
    def take(self, weights: Mapping[str, Tensor]) -> None:
        """Begin with the weights of a network for regions, as its `state_dict` has them; what is said of parts is new.

        Its inputs that are not read here have their mean, which is 0 once it is brought there.
        """
        for name, own in self.state_dict().items():
            if not name.startswith(("last.", "mix.")):
                theirs = weights[name]
                own.copy_(theirs[..., :NUMBERS] if name in ("mean", "spread", "first.weight") else theirs)


class _Block(nn.Module):
    """Diffusion of numbers (V, C) and arrows (V, 3, A), and what follows it."""

    def __init__(self) -> None:
        super().__init__()
        low, high = math.log(1e-3), math.log(0.2)
        self.log_time = nn.Parameter(torch.linspace(low, high, CHANNELS))
        self.arrow_log_time = nn.Parameter(torch.linspace(low, high, ARROWS))
        self.mix = nn.Linear(3 * ARROWS, 2 * ARROWS, bias=False)
        self.change = nn.Linear(3 * ARROWS, ARROWS, bias=False)
        self.mlp = nn.Sequential(nn.Linear(3 * CHANNELS + ARROWS, CHANNELS), nn.ReLU(), nn.Linear(CHANNELS, CHANNELS))
        self.gate = nn.Linear(CHANNELS, ARROWS)

    def forward(self, numbers: Tensor, arrows: Tensor, graph: MeshGraph) -> tuple[Tensor, Tensor]:
        flat, count = arrows.flatten(1), len(arrows)
        # One product with the eigenbasis each way, for numbers and arrows together.
        log_time = torch.cat([self.log_time, self.arrow_log_time.repeat(3)])
        heat, change = _diffused(torch.cat([numbers, flat], dim=1), log_time, graph)
        spread = (each[:, CHANNELS:].reshape(count, 3, ARROWS) for each in (heat, change))
        wide = torch.cat([arrows, *spread], dim=2)  # (V, 3, 3A)
        one, other = self.mix(wide).chunk(2, dim=2)
        products = torch.tanh((one * other).sum(dim=1))
        read = torch.cat([numbers, heat[:, :CHANNELS], change[:, :CHANNELS], products], dim=1)
        hidden = self.mlp[1](self.mlp[0](read))
        gate = torch.tanh(self.gate(hidden))[:, None, :]
        return numbers + self.mlp[2](hidden), arrows + gate * self.change(wide)


def _diffused(signal: Tensor, log_time: Tensor, graph: MeshGraph) -> tuple[Tensor, Tensor]:
    """Heat and its derivative in log time, of every channel (V, C) for its own time."""
    spectrum = graph.project(signal)
    rate = (graph.rates[:, None] * log_time.exp()).clamp(max=60.0)
    heat = torch.exp(-rate) * spectrum
    return graph.expand(torch.cat([heat, rate * heat], dim=1)).chunk(2, dim=1)  # type: ignore[return-value]  # as many as asked for


def _interpolation() -> Tensor:
    """What takes the logarithm of the signature from its usual times to those of the network for regions, (16, 12)."""
    usual, own = np.log(hks_times()), np.log(hks_times(OWN_SIGNATURE))
    columns = [np.interp(own, usual, unit) for unit in np.eye(SIGNATURE)]
    return torch.from_numpy(np.array(columns, dtype=np.float32))
