"""Features of the directions in which signals change over a surface, after DiffusionNet (Sharp et al. 2022)."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from meshtide.errors import InputError
from meshtide.networks.graph import MeshGraph


class GradientFeatures(nn.Module):
    """tanh(Re(z̄ ⊙ W z)): z holds the gradients of all channels at a vertex as complex numbers, W is complex.

    Turning the tangents of a vertex by any angle multiplies its z by a phase, which the product with z̄ takes out again;
    what is left are angles between gradients of different channels. W's imaginary part tells left from right.
    """

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.real = nn.Linear(channels, channels, bias=False)
        self.imaginary = nn.Linear(channels, channels, bias=False)

    def forward(self, spectrum: Tensor, graph: MeshGraph) -> Tensor:
        """Map the coefficients of signals in the eigenbasis, (K, C), to features at vertices, (V, C)."""
        both = gradients_of(spectrum, graph)  # (2V, C)
        first, second = both.chunk(2)
        # One product with both matrices side by side is faster than two.
        turned = both @ torch.cat([self.real.weight, self.imaginary.weight]).T  # (2V, 2C)
        count, channels = first.shape
        turned_first = turned[:count, :channels] - turned[count:, channels:]
        turned_second = turned[count:, :channels] + turned[:count, channels:]
        return torch.tanh(torch.addcmul(first * turned_first, second, turned_second))


def gradients_of(spectrum: Tensor, graph: MeshGraph) -> Tensor:
    """The derivatives of signals with coefficients (K, C) along the first and then the second tangents, (2V, C)."""
    if graph.gradients is None:
        raise InputError(f"{graph.name}: gradient features need mesh_graph(…, extras=('gradients',))")
    if graph.shapes > 1:
        apart = graph.gradients.reshape(2, graph.shapes, -1, graph.gradients.shape[-1])  # (2, shapes, V of one, K)
        both: Tensor = (apart @ graph.in_shapes(spectrum)).flatten(0, 2)
        return both
    return graph.gradients.flatten(0, 1) @ spectrum
