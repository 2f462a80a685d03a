"""TIDE as a network: blocks of time derivative diffusion between two linear layers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn

from meshtide.errors import InputError
from meshtide.networks.arrows import READ, ArrowStream, arrows_of
from meshtide.networks.diffusion import TimeDerivativeDiffusion
from meshtide.networks.gradient_features import GradientFeatures
from meshtide.networks.graph import MeshGraph
from meshtide.networks.layers import ELEMENTS, Dropout, Normalise, on_elements
from meshtide.networks.second_reader import SecondReader
from meshtide.networks.signal import Signal, plus_product
from meshtide.networks.sparse import symmetric_product
from meshtide.words import known


class TideBlock(nn.Module):
    """Diffusion and what follows it, around a residual connection.

    On a graph it is x + MLP(x, σ(T_t(x) W)), and without `mlp` the paper's plain x + σ(T_t(x) W). On a surface the MLP
    reads x, heat and derivative, and with `gradients` also in which directions the heat changes, which the paper's
    networks do not see. `diffused_dropout` is that of the diffused signal, `dropout` that within the MLP.
    """

    def __init__(
        self,
        channels: int,
        *,
        mlp: bool = True,
        dropout: float = 0.0,
        diffused_dropout: float = 0.0,
        gradients: bool = False,
        residual: bool = True,
        **diffusion: Any,
    ) -> None:
        super().__init__()
        self.diffusion = TimeDerivativeDiffusion(channels, **diffusion)
        self.residual = residual
        self.drop = Dropout(diffused_dropout)
        if gradients and (not mlp or self.diffusion.operator != "surface" or self.diffusion.method != "spectral"):
            raise InputError("gradient features need the surface operator, the spectral method and an MLP")
        streams = self.diffusion.streams
        self.linear = nn.Linear(streams * channels, channels) if streams == 1 or not mlp else None
        if self.linear is not None and self.diffusion.beginning == "zero":
            # The paper's layer begins as a GCN layer does, in its weights too.
            nn.init.xavier_uniform_(self.linear.weight)
            nn.init.zeros_(self.linear.bias)
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
        change: Tensor = self.propagate(signal, graph) if self.mlp is None else self.mlp[-1](self.hidden(signal, graph))
        return signal.values + change if self.residual else change

    def hidden(self, signal: Signal, graph: MeshGraph, told: Tensor | None = None) -> Tensor:
        """What the last layer of the MLP reads, (V, C); what was `told` by arrows is added to what its first gives."""
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
        result: Tensor = self.mlp[1:-1](hidden if told is None else hidden + told)
        return result

    def propagate(self, x: Tensor | Signal, graph: MeshGraph) -> Tensor:
        """σ(T_t(x) W), on a graph at t = 0 with α = β = 1 a GCN layer."""
        signal = Signal.of(x)
        if self.linear is None:
            raise ValueError("this block's MLP reads the diffused streams, without a layer of their own")
        if self.diffusion.operator == "surface":
            return torch.relu(self.linear(self.drop(self.diffusion(signal.values, graph))))
        weight = self.linear.weight.T
        if self.diffusion.method == "implicit" or self.drop.active:
            messages = self.drop(self.diffusion.heat(signal.values, graph)) @ weight
            return (symmetric_product(graph.adjacency, messages) + self.linear.bias).relu_()
        self.diffusion.check(graph)
        # W meets the K coefficients and not the V vertices.
        inner = self.diffusion.coefficients(signal.spectrum(graph), graph) @ weight
        around = signal.neighbours_times(self.diffusion.beta * weight, graph)
        return plus_product(torch.addmm(self.linear.bias, graph.vectors, inner), *around).relu_()

    def _mixed(self, signal: Signal, graph: MeshGraph, weight: Tensor, bias: Tensor) -> Tensor:
        """(x, heat, derivative) W + b on a surface, with W applied to the coefficients of heat and derivative."""
        channels = signal.channels
        if self.diffusion.method == "implicit" or self.drop.active:
            x = signal.values
            read = [x, self.drop(self.diffusion(x, graph))]
            if self.features is not None:
                diffused = self.diffusion.coefficients(graph.project(x), graph)
                read.append(self.features(diffused[:, :channels], graph))
            return torch.addmm(bias, torch.cat(read, dim=1), weight)
        self.diffusion.check(graph)
        diffused = self.diffusion.coefficients(signal.spectrum(graph), graph)  # (K, 2C)
        inner = diffused @ weight[channels : 3 * channels]  # (K, C)
        outer = weight[:channels] + self.diffusion.beta * weight[channels : 2 * channels]  # (C, C)
        mixed = plus_product(graph.expand(inner, bias), *signal.times(outer))
        if self.features is None:
            return mixed
        return plus_product(mixed, self.features(diffused[:, :channels], graph), weight[3 * channels :])


class TideNet(nn.Module):
    """Features at vertices to one score a part: a linear layer, TIDE blocks, a linear layer.

    `inputs` and `parts` are numbers of channels; nothing depends on the number of vertices. Without a block nothing is
    diffused: two linear layers are left. With `arrows`, so many channels of them, the last columns of the features are
    vectors that turn with the shape (see meshtide.networks.arrows), and the answer does not depend on how it is turned.
    With a `second_reader` beside it (meshtide.networks.second_reader) the answer is the mean of what both say, as
    logarithms of probabilities; while learning, every step teaches one of the two, drawn by lot.
    """

    stacks = True

    def __init__(
        self,
        inputs: int,
        parts: int,
        *,
        width: int = 64,
        blocks: int = 4,
        on: str = "vertices",
        arrows: int = 0,
        second_reader: bool = False,
        **block: Any,
    ) -> None:
        super().__init__()
        for word, number in (("blocks", blocks), ("arrows", arrows)):
            if number < 0:
                raise InputError(f"the option {word} is {number}; it should be 0 or more")
        if arrows:
            self._check_arrows(inputs, block)
        self.on, self.parts = known(on, ELEMENTS, "on"), parts
        self.normalise = Normalise(inputs)
        self.first = nn.Linear(inputs - (READ if arrows else 0), width)
        self.blocks = nn.ModuleList(TideBlock(width, **block) for _ in range(blocks))
        self.last = nn.Linear(width, parts)
        self.second = SecondReader(inputs if arrows else 0, parts) if second_reader else None
        self.first_arrows = self.streams = None
        if arrows:
            self.first_arrows = nn.Linear(READ // 3, arrows, bias=False)
            self.streams = nn.ModuleList(ArrowStream(width, arrows) for _ in range(blocks))

    def forward(self, graph: MeshGraph) -> Tensor:
        """Logits on vertices, (V, parts), or on faces, (F, parts): those of a face are the mean of its corners'."""
        if self.second is not None:
            return on_elements(self._read_twice(graph, self.second), graph, self.on)
        if self.streams is not None:
            return on_elements(self._read_both(graph), graph, self.on)
        signal = self._read_in(graph)
        for block in self.blocks[:-1]:
            signal = Signal(block(signal, graph))
        return on_elements(self._read(signal, graph), graph, self.on)

    def _read_twice(self, graph: MeshGraph, second: SecondReader) -> Tensor:
        """The mean of both readers' probabilities as logarithms; in training what one of them says, drawn by lot."""
        if self.training:
            logits: Tensor = self._read_both(graph) if float(torch.rand(())) < 0.5 else second(graph)
            return logits
        both = torch.stack([self._read_both(graph), second(graph)]).float()
        return torch.logsumexp(torch.log_softmax(both, dim=2), dim=0) - math.log(2)

    def _read_both(self, graph: MeshGraph) -> Tensor:
        """Logits on vertices from numbers and arrows."""
        first, streams, blocks = _typed(self.first_arrows), list(_typed(self.streams)), list(_typed(self.blocks))
        x: Tensor = self.first(self.normalise(graph.features)[:, :-READ])
        arrows: Tensor = first(arrows_of(graph.features))
        for number, (block, stream) in enumerate(zip(blocks, streams, strict=True)):
            wide = stream.spread(arrows, graph)
            hidden = block.hidden(Signal(x), graph, stream.told(wide))
            change = block.mlp[-1](hidden)
            x = x + change if block.residual else change
            if number + 1 < len(blocks):
                arrows = stream.changed(arrows, wide, hidden)
        logits: Tensor = self.last(x)
        return logits

    @staticmethod
    def _check_arrows(inputs: int, block: Mapping[str, Any]) -> None:
        """Refuse what arrows do not go together with."""
        if block.get("operator", "surface") != "surface" or not block.get("mlp", True):
            raise InputError("arrows need the surface operator and an MLP")
        if inputs <= READ:
            raise InputError(f"arrows are the last {READ} of the features, and there are {inputs}; read numbers, too")

    def _read_in(self, graph: MeshGraph) -> Signal:
        """The first linear layer, left as a product where the features are fewer than the channels."""
        if graph.num_channels < self.first.out_features and graph.features.layout is torch.strided:
            return Signal(graph.inputs, self.normalise.into(self.first))
        return Signal(self.normalise.then(self.first, graph))

    def _read(self, signal: Signal, graph: MeshGraph) -> Tensor:
        """The last linear layer of what the last block gives; two layers in a row are one, of few parts."""
        block: Any = self.blocks[-1] if len(self.blocks) else None
        if block is None or block.mlp is None or not block.residual:
            logits: Tensor = self.last(signal.values if block is None else block(signal, graph))
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


def _typed(module: Any) -> Any:
    """The module itself: ModuleList forgets what it holds."""
    return module
