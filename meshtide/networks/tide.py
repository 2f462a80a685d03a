"""TIDE: layers that diffuse features over a graph or surface for a learned time.

With L an operator, H_t = exp(-t L) is heat after a time t and T_t = L H_t its negative derivative in time (eq. 6 of the
paper); the layer is σ(T_t(U) W) (eq. 7). Two operators, one layer:

- `graph`: the paper's L̃ = D^-½(A+I)D^-½ (eq. 8). It has its smooth eigenvectors at the *largest* eigenvalues μ, so that
  exp(-t L̃) smooths only for t < 0. Here t ≥ 0 and heat is exp(-t (1 - μ)), which cannot overflow. Then L̃ itself is
  applied, so that at t = 0 the layer is a GCN layer (Remark 1).
- `surface`: exp(-t λ) and t λ exp(-t λ), its negative derivative in log time, both in the eigenbasis of the robust
  Laplacian with its mass. It sees the shape and not the triangulation.

How far the graph's layer is the paper's: at the paper's time -t, exp(t μ) = e^t exp(-t (1 - μ)), so that its modified
heat operator (eq. 10), Φ((exp(t μ) - α) ⊙ Φᵀ u) + β u, is e^t times

    Φ((exp(-t (1 - μ)) - α e^-t) ⊙ Φᵀ u) + β e^-t u.

W absorbs the factor e^t of each channel. What is left is ours with α e^-t and β e^-t in place of α and β. With one time
for all channels (TIDE-s) these are two numbers again and both layers can be the same functions. With a time a channel
(TIDE-m) they are two numbers for every channel, and ours, like the paper's, has two for all of them: the two layers are
then different families, which meet where α = β = 0 or all times are equal.

Times are in units of a surface of area 1 for both operators (see MeshGraph.rates).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import torch
from torch import Tensor, nn

from meshtide.errors import InputError
from meshtide.networks.gradient_features import GradientFeatures
from meshtide.networks.graph import MeshGraph
from meshtide.networks.layers import ELEMENTS, Dropout, Normalise, on_elements
from meshtide.networks.sparse import implicit_heat, symmetric_product
from meshtide.spectral.operators import OPERATORS
from meshtide.words import known

TIMES, METHODS = ("channel", "shared"), ("spectral", "implicit")


class TimeDerivativeDiffusion(nn.Module):
    """Diffuse every channel for its own learned time (`times="channel"`, TIDE-m) or all for one (`"shared"`, TIDE-s).

    The modified heat operator (eq. 10 of the paper) is Φ((exp(-t λ) - α) ⊙ Φᵀ M u) + β u with learned α and β. On a
    graph α = β = 1 at first: nothing that the truncated basis cannot hold is lost, and at t = 0 it is the identity. On
    a surface α = β = 0: pure heat, whatever the meshing.
    """

    def __init__(
        self,
        channels: int,
        *,
        operator: str = "surface",
        times: str = "channel",
        method: str = "spectral",
        initial_times: tuple[float, float] = (1e-3, 0.2),
    ) -> None:
        super().__init__()
        self.operator = known(operator, OPERATORS, "operator")
        self.method = known(method, METHODS, "method")
        count = channels if known(times, TIMES, "times") == "channel" else 1
        # Positive by exp, which lets a time cross orders of magnitude; evenly spread, so that no seed is unlucky.
        low, high = (math.log(time) for time in initial_times)
        spread = torch.linspace(low, high, count) if count > 1 else torch.tensor([(low + high) / 2])
        self.log_time = nn.Parameter(spread)
        start = 1.0 if operator == "graph" else 0.0
        self.alpha = nn.Parameter(torch.tensor(start))
        self.beta = nn.Parameter(torch.tensor(start))

    @property
    def diffusion_time(self) -> Tensor:
        """The learned times, (channels,) or (1,)."""
        return self.log_time.exp()

    @property
    def streams(self) -> int:
        """How many signals a channel becomes: 1 on a graph, heat and derivative on a surface."""
        return 1 if self.operator == "graph" else 2

    def forward(self, u: Tensor, graph: MeshGraph) -> Tensor:
        """Diffuse (V, C): on a graph L̃ H̃_t(u), (V, C); on a surface H̃_t(u) and t T_t(u) side by side, (V, 2C)."""
        self.check(graph)
        if self.method == "implicit":
            return self._implicit(u, graph)
        smooth = graph.vectors @ self.coefficients(graph.project(u), graph)
        if self.operator == "graph":
            return torch.add(smooth, symmetric_product(graph.adjacency, self.beta * u))
        return smooth + nn.functional.pad(self.beta * u, (0, u.shape[1]))

    def check(self, graph: MeshGraph) -> None:
        """Refuse a graph that was prepared with another operator."""
        if graph.recipe.operator != self.operator:
            raise InputError(
                f"{graph.name}: was prepared with the {graph.recipe.operator} operator, and the network has the "
                f"{self.operator} one; prepare it with `operator={self.operator}`"
            )

    def coefficients(self, spectrum: Tensor, graph: MeshGraph) -> Tensor:
        """What diffusion makes of the coefficients of a signal, (K, C), leaving β u out: (K, C), or (K, 2C)."""
        # exp(-60) is nothing next to 1. Beyond 87, float32 becomes denormal, which a CPU multiplies 100 times slower.
        rate = (graph.rates[:, None] * self.diffusion_time).clamp(max=60.0)  # (K, C) or (K, 1)
        heat = torch.exp(-rate)
        if self.operator == "graph":
            # L̃ Φ = Φ μ, so that only β u needs the sparse product.
            return graph.values[:, None] * (heat - self.alpha) * spectrum
        return torch.cat([(heat - self.alpha) * spectrum, rate * heat * spectrum], dim=1)

    def _implicit(self, u: Tensor, graph: MeshGraph) -> Tensor:
        """One implicit Euler step, (I + t L)^-1 u: it has the whole spectrum, so eq. 10 has nothing to make up for."""
        heat = implicit_heat(u, self.diffusion_time.expand(u.shape[1]), graph)
        if self.operator == "graph":
            return symmetric_product(graph.adjacency, heat)
        return torch.cat([heat, u - heat], dim=1)  # t L (I + t L)^-1 u = u - (I + t L)^-1 u


class TideBlock(nn.Module):
    """Diffusion and what follows it, around a residual connection.

    On a graph it is x + MLP(x, σ(T_t(x) W)), and without `mlp` the paper's plain x + σ(T_t(x) W). On a surface the MLP
    reads x, heat and derivative, and with `gradients` also in which directions the heat changes, which the paper's
    networks do not see.
    """

    def __init__(
        self, channels: int, *, mlp: bool = True, dropout: float = 0.0, gradients: bool = False, **diffusion: Any
    ) -> None:
        super().__init__()
        self.diffusion = TimeDerivativeDiffusion(channels, **diffusion)
        if gradients and (not mlp or self.diffusion.operator != "surface" or self.diffusion.method != "spectral"):
            raise InputError("gradient features need the surface operator, the spectral method and an MLP")
        streams = self.diffusion.streams
        self.linear = nn.Linear(streams * channels, channels) if streams == 1 or not mlp else None
        self.features = GradientFeatures(channels) if gradients else None
        self.mlp = None
        if mlp:
            wide = channels * (1 + (streams if self.linear is None else 1) + gradients)
            self.mlp = nn.Sequential(
                nn.Linear(wide, channels), nn.ReLU(inplace=True), Dropout(dropout), nn.Linear(channels, channels)
            )

    def forward(self, x: Tensor | Signal, graph: MeshGraph) -> Tensor:
        """Map (V, C) to (V, C)."""
        signal = Signal.of(x)
        if self.mlp is None:
            return signal.values + self.propagate(signal, graph)
        result: Tensor = signal.values + self.mlp[-1](self.hidden(signal, graph))
        return result

    def hidden(self, signal: Signal, graph: MeshGraph) -> Tensor:
        """What the last layer of the MLP reads, (V, C)."""
        if self.mlp is None:
            raise ValueError("this block has no MLP")
        first: Any = self.mlp[0]
        weight = first.weight.T  # what it reads, by what it gives
        if self.linear is not None:
            channels = signal.channels
            hidden = torch.addmm(first.bias, *signal.times(weight[:channels]))
            hidden = plus_product(hidden, self.propagate(signal, graph), weight[channels:])
        else:
            hidden = self._mixed(signal, graph, weight, first.bias)
        result: Tensor = self.mlp[1:-1](hidden)
        return result

    def propagate(self, x: Tensor | Signal, graph: MeshGraph) -> Tensor:
        """σ(T_t(x) W), on a graph at t = 0 with α = β = 1 a GCN layer."""
        signal = Signal.of(x)
        if self.linear is None:
            raise ValueError("this block's MLP reads the diffused streams, without a layer of their own")
        if self.diffusion.method == "implicit" or self.diffusion.operator == "surface":
            return torch.relu(self.linear(self.diffusion(signal.values, graph)))
        self.diffusion.check(graph)
        weight = self.linear.weight.T
        # W meets the K coefficients and not the V vertices.
        inner = self.diffusion.coefficients(signal.spectrum(graph), graph) @ weight
        around = signal.neighbours_times(self.diffusion.beta * weight, graph)
        return plus_product(torch.addmm(self.linear.bias, graph.vectors, inner), *around).relu_()

    def _mixed(self, signal: Signal, graph: MeshGraph, weight: Tensor, bias: Tensor) -> Tensor:
        """(x, heat, derivative) W + b on a surface, with W applied to the coefficients of heat and derivative."""
        if self.diffusion.method == "implicit":
            x = signal.values
            return torch.addmm(bias, torch.cat([x, self.diffusion(x, graph)], dim=1), weight)
        self.diffusion.check(graph)
        channels = signal.channels
        diffused = self.diffusion.coefficients(signal.spectrum(graph), graph)  # (K, 2C)
        inner = diffused @ weight[channels : 3 * channels]  # (K, C)
        outer = weight[:channels] + self.diffusion.beta * weight[channels : 2 * channels]  # (C, C)
        mixed = plus_product(torch.addmm(bias, graph.vectors, inner), *signal.times(outer))
        if self.features is None:
            return mixed
        return plus_product(mixed, self.features(diffused[:, :channels], graph), weight[3 * channels :])


@dataclass(frozen=True, eq=False)
class Signal:
    """Channels at vertices as a product that need not be multiplied out: `left`, or `left` times `encoder`.

    What the first block reads is the graph's inputs times a matrix. The inputs are few and never change, so that their
    coefficients and their neighbours' sums are kept with the graph, and the matrix meets whatever follows it first.
    """

    left: Tensor  # (V, C), or the graph's inputs where there is an encoder
    encoder: Tensor | None = None  # (inputs, C)

    @staticmethod
    def of(x: Tensor | Signal) -> Signal:
        """The signal of plain values, (V, C), or the signal itself."""
        return x if isinstance(x, Signal) else Signal(x)

    @property
    def channels(self) -> int:
        """The number of channels, C."""
        return int((self.left if self.encoder is None else self.encoder).shape[1])

    @cached_property
    def values(self) -> Tensor:
        """The channels at the vertices, (V, C)."""
        return self.left if self.encoder is None else self.left @ self.encoder

    def times(self, weight: Tensor) -> tuple[Tensor, Tensor]:
        """Two matrices whose product is the signal times a weight, (C, any)."""
        return self.left, weight if self.encoder is None else self.encoder @ weight

    def neighbours_times(self, weight: Tensor, graph: MeshGraph) -> tuple[Tensor, Tensor]:
        """Two matrices whose product is the adjacency times the signal times a weight, (C, any)."""
        if self.encoder is None:
            return symmetric_product(graph.adjacency, self.left), weight
        return graph.input_neighbours, self.encoder @ weight

    def spectrum(self, graph: MeshGraph) -> Tensor:
        """The coefficients of the signal, (K, C)."""
        return graph.project(self.left) if self.encoder is None else graph.input_spectrum @ self.encoder


def plus_product(total: Tensor, left: Tensor, right: Tensor) -> Tensor:
    """total + left @ right, written over total except in mixed precision, which casts nothing that is done in place."""
    if torch.is_autocast_enabled(total.device.type):
        return torch.addmm(total, left, right)
    return total.addmm_(left, right)


class TideNet(nn.Module):
    """Features at vertices to one score a part: a linear layer, TIDE blocks, a linear layer.

    `inputs` and `parts` are numbers of channels; nothing depends on the number of vertices.
    """

    def __init__(
        self, inputs: int, parts: int, *, width: int = 64, blocks: int = 4, on: str = "vertices", **block: Any
    ) -> None:
        super().__init__()
        self.on, self.parts = known(on, ELEMENTS, "on"), parts
        self.normalise = Normalise(inputs)
        self.first = nn.Linear(inputs, width)
        self.blocks = nn.ModuleList(TideBlock(width, **block) for _ in range(blocks))
        self.last = nn.Linear(width, parts)

    def forward(self, graph: MeshGraph) -> Tensor:
        """Logits on vertices, (V, parts), or on faces, (F, parts): those of a face are the mean of its corners'."""
        signal = self._read_in(graph)
        *blocks, end = self.blocks
        for block in blocks:
            signal = Signal(block(signal, graph))
        return on_elements(self._read(end, signal, graph), graph, self.on)

    def _read_in(self, graph: MeshGraph) -> Signal:
        """The first linear layer, left as a product where the features are fewer than the channels."""
        if graph.num_channels < self.first.out_features and graph.features.layout is torch.strided:
            return Signal(graph.inputs, self.normalise.into(self.first))
        return Signal(self.normalise.then(self.first, graph))

    def _read(self, block: Any, signal: Signal, graph: MeshGraph) -> Tensor:
        """The last linear layer of what the last block gives; two layers in a row are one, of few parts."""
        if block.mlp is None:
            logits: Tensor = self.last(block(signal, graph))
            return logits
        inner, weight = block.mlp[-1], self.last.weight.T
        bias = self.last.bias + inner.bias @ weight
        return plus_product(
            torch.addmm(bias, *signal.times(weight)), block.hidden(signal, graph), inner.weight.T @ weight
        )

    @property
    def part_layer(self) -> nn.Linear:
        """The last layer, which has a row for each part."""
        return self.last

    def diffusion_times(self) -> list[Tensor]:
        """The learned times of every block."""
        return [block.diffusion.diffusion_time.detach() for block in self.blocks]  # type: ignore[union-attr, operator]  # ModuleList forgets what it holds
