"""DiffusionNet (Sharp et al. 2022): learned heat on a surface, and the directions in which it changes."""

from __future__ import annotations

import math
from typing import Any
from weakref import WeakKeyDictionary

import torch
from torch import Tensor, nn

from meshtide.errors import InputError
from meshtide.graph import MeshGraph
from meshtide.network import ELEMENTS, Normalise, known, on_elements


class DiffusionNet(nn.Module):
    """Features at vertices to one score a part: a linear layer, DiffusionNet blocks, a linear layer."""

    def __init__(
        self, inputs: int, parts: int, *, width: int = 64, blocks: int = 4, on: str = "vertices", dropout: float = 0.5,
        initial_times: tuple[float, float] = (1e-3, 0.2),
    ) -> None:  # fmt: skip
        super().__init__()
        self.on = known(on, ELEMENTS, "on")
        self.normalise = Normalise(inputs)
        self.first = nn.Linear(inputs, width)
        self.blocks = nn.ModuleList(DiffusionNetBlock(width, dropout, initial_times) for _ in range(blocks))
        self.last = nn.Linear(width, parts)

    def forward(self, graph: MeshGraph) -> Tensor:
        """Logits on vertices, (V, parts), or on faces, (F, parts)."""
        if graph.recipe.operator != "surface":
            raise InputError(
                f"{graph.name}: was prepared with the {graph.recipe.operator} operator, and DiffusionNet works on the "
                "surface; prepare it with --operator surface"
            )
        if graph.gradients is None:
            sampled = "" if graph.projection is None else " and the whole graph, not a sampled one"
            raise InputError(f"{graph.name}: DiffusionNet needs mesh_graph(…, extras=('gradients',)){sampled}")
        x = self.first(self.normalise(graph.features))
        for block in self.blocks:
            x = block(x, graph)
        return on_elements(self.last(x), graph, self.on)

    def diffusion_times(self) -> list[Tensor]:
        """The learned times of every block."""
        return [block.diffusion_time.detach() for block in self.blocks]  # type: ignore[operator]  # ModuleList forgets what it holds


class DiffusionNetBlock(nn.Module):
    """x + MLP(x, heat, gradient features of the heat)."""

    def __init__(self, channels: int, dropout: float, initial_times: tuple[float, float]) -> None:
        super().__init__()
        # The times start as TIDE's do, so that the two differ in what they do with heat and not in where they begin.
        low, high = (math.log(time) for time in initial_times)
        self.log_time = nn.Parameter(torch.linspace(low, high, channels))
        self.features = GradientFeatures(channels)
        self.mlp = nn.Sequential(
            nn.Linear(3 * channels, channels), nn.ReLU(), nn.Dropout(dropout),
            nn.Linear(channels, channels), nn.ReLU(), nn.Dropout(dropout),
            nn.Linear(channels, channels),
        )  # fmt: skip

    @property
    def diffusion_time(self) -> Tensor:
        """The learned times, (channels,)."""
        return self.log_time.exp()

    def forward(self, x: Tensor, graph: MeshGraph) -> Tensor:
        """Map (V, C) to (V, C)."""
        # exp(-60) is nothing next to 1. Beyond 87, float32 becomes denormal, which a CPU multiplies 100 times slower.
        decay = torch.exp(-(graph.rates[:, None] * self.diffusion_time).clamp(max=60.0))  # (K, C)
        heat = graph.vectors @ (decay * graph.project(x))
        result: Tensor = x + self.mlp(torch.cat([x, heat, self.features(heat, graph)], dim=1))
        return result


class GradientFeatures(nn.Module):
    """tanh(Re(z̄ ⊙ W z)): z holds the gradients of all channels at a vertex as complex numbers, W is complex.

    Turning the tangents of a vertex by any angle multiplies its z by a phase, which the product with z̄ takes out again;
    what is left are angles between gradients of different channels. W's imaginary part tells left from right.
    """

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.real = nn.Linear(channels, channels, bias=False)
        self.imaginary = nn.Linear(channels, channels, bias=False)

    def forward(self, u: Tensor, graph: MeshGraph) -> Tensor:
        """Map (V, C) to (V, C)."""
        both = gradient_product(graph, u)  # (2V, C)
        first, second = both.chunk(2)
        real, imaginary = self.real(both), self.imaginary(both)
        count = len(u)
        turned_first = real[:count] - imaginary[count:]
        turned_second = real[count:] + imaginary[:count]
        return torch.tanh(first * turned_first + second * turned_second)


def gradient_product(graph: MeshGraph, u: Tensor) -> Tensor:
    """The derivatives of signals (V, C) along the two tangents of every vertex, (2V, C)."""
    result: Tensor = _Product.apply(graph.gradients, _transposed_gradients(graph), u)  # type: ignore[no-untyped-call]  # torch has no types here
    return result


class _Product(torch.autograd.Function):
    """matrix @ u for a constant sparse matrix: torch's own gradient transposes the matrix in every step anew."""

    @staticmethod
    def forward(ctx: Any, matrix: Tensor, transposed: Tensor, u: Tensor) -> Tensor:
        ctx.matrix, ctx.transposed = matrix, transposed
        return matrix @ u

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[None, None, Tensor]:
        result: Tensor = _Product.apply(ctx.transposed, ctx.matrix, gradients[0])  # type: ignore[no-untyped-call]  # as above
        return None, None, result


_TRANSPOSED: WeakKeyDictionary[MeshGraph, Tensor] = WeakKeyDictionary()


def _transposed_gradients(graph: MeshGraph) -> Tensor:
    """The gradients by columns, made once and kept for as long as the graph is."""
    if graph not in _TRANSPOSED:
        assert graph.gradients is not None
        _TRANSPOSED[graph] = graph.gradients.to_sparse(layout=torch.sparse_coo).t().coalesce().to_sparse_csr()
    return _TRANSPOSED[graph]
