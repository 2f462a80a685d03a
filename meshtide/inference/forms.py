"""From arrays to the objects that networks read: the one way for torch's answer and for recording what it does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from meshtide.inference.kind_network import KindNet
from meshtide.inference.regions.embedding import Places, RegionNet
from meshtide.inference.regions.pair_network import PairNet
from meshtide.networks.graph import MeshGraph
from meshtide.spectral.recipe import GraphRecipe

NO_EDGES, NO_FACES = torch.zeros(2, 0, dtype=torch.int64), torch.zeros(0, 3, dtype=torch.int64)


def answer_of(network: Any, tensors: Mapping[str, Tensor]) -> Tensor:
    """What a network answers about tensors by their names."""
    result: Tensor
    if isinstance(network, KindNet):
        result = torch.log_softmax(network(Places(**tensors)), dim=1)
    elif isinstance(network, RegionNet):
        result = network(Places(**tensors))
    elif isinstance(network, PairNet):
        result = network(tensors["cues"])
    else:
        result = torch.softmax(network(_graph(tensors)), dim=1)
    return result


@torch.inference_mode()
def asked_in_torch(network: Any, arrays: Mapping[str, NDArray[np.float32]]) -> NDArray[np.float32]:
    """What a network answers about arrays by their names."""
    found: NDArray[np.float32] = answer_of(network, {name: torch.from_numpy(x) for name, x in arrays.items()}).numpy()
    return found


def _graph(tensors: Mapping[str, Tensor]) -> MeshGraph:
    """A graph of the surface operator, of which edges and faces are not asked for."""
    return MeshGraph(
        "mesh",
        tensors["features"],
        tensors["frequencies"],
        tensors["frequencies"],
        tensors["vectors"],
        tensors["mass"],
        NO_EDGES,
        NO_FACES,
        GraphRecipe(),
        gradients=tensors["gradients"],
    )
