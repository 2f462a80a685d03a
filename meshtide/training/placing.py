"""Shapes wait in the processor's memory and are on the device that trains only while it works on them."""

from __future__ import annotations

from collections import OrderedDict

import torch
from torch import Tensor

from meshtide.networks.device import carried
from meshtide.networks.graph import MeshGraph

# Of whole graphs, which are read again and again, and with which neighbours and projections of their inputs are kept.
MOST_KEPT_BYTES = 1 << 30


class Place:
    """The device that a training computes on, with the whole graphs that it read last."""

    def __init__(self, device: torch.device, most: int = MOST_KEPT_BYTES) -> None:
        self.device, self.most = device, most
        self._kept: OrderedDict[int, tuple[MeshGraph, MeshGraph]] = OrderedDict()  # by identity, with who it is of
        self._bytes = 0

    def sent(self, values: Tensor) -> Tensor:
        """Values on the device."""
        return carried(values, self.device)

    def sample(self, graph: MeshGraph) -> MeshGraph:
        """A graph that nobody asks for again, on the device."""
        return graph.to(self.device)

    def whole(self, graph: MeshGraph) -> MeshGraph:
        """A graph on the device, perhaps from the last time; those not read for longest make room."""
        if graph.device == self.device:
            return graph
        if id(graph) in self._kept:
            self._kept.move_to_end(id(graph))
            return self._kept[id(graph)][1]
        self._bytes += graph.num_bytes
        while self._kept and self._bytes > self.most:
            self._bytes -= self._kept.popitem(last=False)[1][0].num_bytes
        there = graph.to(self.device)
        self._kept[id(graph)] = graph, there
        return there
