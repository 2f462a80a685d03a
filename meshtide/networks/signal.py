"""Signals that need not be multiplied out."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor

from meshtide.networks.device import is_mixed
from meshtide.networks.graph import MeshGraph
from meshtide.networks.sparse import symmetric_product


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
    if is_mixed(total.device.type):
        return torch.addmm(total, left, right)
    return total.addmm_(left, right)
