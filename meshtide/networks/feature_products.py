"""Products of a graph's features with the weights of a first layer: most of the work where the features are many."""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

import torch
from torch import Tensor, nn

from meshtide.networks.device import is_mixed
from meshtide.networks.graph import MeshGraph
from meshtide.networks.sparse import apply_in_full

LEAST_ENTRIES = 2**20  # of dense features, from which on what is done here is worth it

# The weights and the product of the last answer. A training answers about its validation nodes after every step, with
# the weights that the next step begins with, so that this step's product is known.
_ANSWERED: WeakKeyDictionary[MeshGraph, tuple[Tensor, Tensor]] = WeakKeyDictionary()


def multiplies_here(graph: MeshGraph) -> bool:
    """Whether a graph's features are sparse, or so many that the functions below are faster than a linear layer."""
    features = graph.features
    if features.layout is not torch.strided:
        return True
    return features.device.type == "cpu" and features.numel() >= LEAST_ENTRIES and not is_mixed("cpu")


def feature_product(graph: MeshGraph, weight: Tensor) -> Tensor:
    """A graph's features times a weight, (C, outputs), which alone has a gradient. Do not change it in place."""
    return apply_in_full(_FeatureProduct, weight, graph, torch.is_grad_enabled())


def dropped_product(graph: MeshGraph, weight: Tensor, share: float) -> Tensor:
    """The same of sparse features, of which a random share is left out; the others are scaled to keep the mean."""
    rows: Any = graph.features  # torch has no types here
    return apply_in_full(_DroppedProduct, weight, graph, nn.functional.dropout(rows.values(), share))


class _FeatureProduct(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, weight: Tensor, graph: MeshGraph, learning: bool) -> Tensor:
        ctx.graph = graph
        known = _ANSWERED.get(graph)
        if learning and known is not None and torch.equal(known[0], weight):
            return known[1].view_as(known[1])
        product: Tensor = graph.features @ weight
        if not learning and weight.device.type == "cpu" and not torch.is_inference_mode_enabled():
            _ANSWERED[graph] = weight.clone(), product
        return product

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None, None]:
        features = ctx.graph.features
        dense = features.layout is torch.strided
        return (features.T if dense else ctx.graph.features_transposed) @ gradients[0], None, None


class _DroppedProduct(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, weight: Tensor, graph: MeshGraph, kept: Tensor) -> Tensor:
        ctx.graph, ctx.kept = graph, kept
        return with_values(graph.features, kept) @ weight

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None, None]:
        graph = ctx.graph
        return with_values(graph.features_transposed, ctx.kept[graph.features_order]) @ gradients[0], None, None


def with_values(matrix: Any, values: Tensor) -> Tensor:
    """A sparse matrix by rows with other values at its places."""
    # Checking would take longer than the product does.
    return torch.sparse_csr_tensor(
        matrix.crow_indices(), matrix.col_indices(), values, matrix.shape, check_invariants=False
    )
