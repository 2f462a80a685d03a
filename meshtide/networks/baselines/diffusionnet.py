"""DiffusionNet (Sharp et al. 2022): learned heat, and on a surface the directions in which it changes."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from meshtide.errors import InputError
from meshtide.networks.gradient_features import GradientFeatures
from meshtide.networks.graph import MeshGraph
from meshtide.networks.layers import ELEMENTS, Normalise, on_elements
from meshtide.spectral.operators import OPERATORS
from meshtide.words import known


class DiffusionNet(nn.Module):
    """Features at vertices to one score a part: a linear layer, DiffusionNet blocks, a linear layer.

    A graph has no tangents, so that without `gradients` a block reads its signal and the heat of it alone. Without
    `mlp` it is x + σ(H_t(x) W), as TIDE's plain block but for the heat: on graphs the paper's baseline of this name.
    """

    def __init__(
        self,
        inputs: int,
        parts: int,
        *,
        operator: str = "surface",
        width: int = 64,
        blocks: int = 4,
        on: str = "vertices",
        dropout: float = 0.5,
        gradients: bool = True,
        mlp: bool = True,
        initial_times: tuple[float, float] = (1e-3, 0.2),
    ) -> None:
        super().__init__()
        self.operator = known(operator, OPERATORS, "operator")
        if gradients and operator != "surface":
            raise InputError("gradient features need the surface operator; use `operator=surface` or `gradients=False`")
        if gradients and not mlp:
            raise InputError("gradient features are read by the MLP; use `mlp=True` or `gradients=False`")
        self.on, self.parts = known(on, ELEMENTS, "on"), parts
        self.normalise = Normalise(inputs)
        self.first = nn.Linear(inputs, width)
        self.blocks = nn.ModuleList(
            DiffusionNetBlock(width, dropout, gradients, mlp, initial_times) for _ in range(blocks)
        )
        self.last = nn.Linear(width, parts)

    def forward(self, graph: MeshGraph) -> Tensor:
        """Logits on vertices, (V, parts), or on faces, (F, parts)."""
        if graph.recipe.operator != self.operator:
            raise InputError(
                f"{graph.name}: was prepared with the {graph.recipe.operator} operator, and the network has the "
                f"{self.operator} one; prepare it with `operator={self.operator}`"
            )
        x = self.normalise.then(self.first, graph)
        for block in self.blocks:
            x = block(x, graph)
        return on_elements(self.last(x), graph, self.on)

    @property
    def part_layer(self) -> nn.Linear:
        """The last layer, which has a row for each part."""
        return self.last

    def diffusion_times(self) -> list[Tensor]:
        """The learned times of every block."""
        return [block.diffusion_time.detach() for block in self.blocks]  # type: ignore[operator]  # ModuleList forgets what it holds


class DiffusionNetBlock(nn.Module):
    """x + MLP(x, heat, gradient features of the heat), or plain x + σ(heat W)."""

    def __init__(
        self, channels: int, dropout: float, gradients: bool, mlp: bool, initial_times: tuple[float, float]
    ) -> None:
        super().__init__()
        # The times start as TIDE's do, so that the two differ in what they do with heat and not in where they begin.
        low, high = (math.log(time) for time in initial_times)
        self.log_time = nn.Parameter(torch.linspace(low, high, channels))
        self.features = GradientFeatures(channels) if gradients else None
        self.heat_alone = not mlp
        self.mlp = nn.Sequential(nn.Dropout(dropout), nn.Linear(channels, channels), nn.ReLU())
        if mlp:
            self.mlp = nn.Sequential(
                nn.Linear((2 + gradients) * channels, channels),
                nn.ReLU(),
                nn.Dropout(dropout),
                nn.Linear(channels, channels),
                nn.ReLU(),
                nn.Dropout(dropout),
                nn.Linear(channels, channels),
            )

    @property
    def diffusion_time(self) -> Tensor:
        """The learned times, (channels,)."""
        return self.log_time.exp()

    def forward(self, x: Tensor, graph: MeshGraph) -> Tensor:
        """Map (V, C) to (V, C)."""
        # exp(-60) is nothing next to 1. Beyond 87, float32 becomes denormal, which a CPU multiplies 100 times slower.
        decay = torch.exp(-(graph.rates[:, None] * self.diffusion_time).clamp(max=60.0))  # (K, C)
        spectrum = decay * graph.project(x)
        read = [graph.expand(spectrum)] if self.heat_alone else [x, graph.expand(spectrum)]
        if self.features is not None:
            read.append(self.features(spectrum, graph))
        result: Tensor = x + self.mlp(torch.cat(read, dim=1))
        return result
