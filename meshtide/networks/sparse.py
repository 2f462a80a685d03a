"""Differentiable products with the sparse matrices of a graph."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from meshtide.networks.device import full_precision
from meshtide.networks.graph import MeshGraph


def symmetric_product(matrix: Tensor, x: Tensor) -> Tensor:
    """matrix @ x for a constant symmetric sparse matrix, whose gradient needs no transposed copy."""
    return apply_in_full(_SymmetricProduct, x, matrix)


def apply_in_full(function: Any, *inputs: Any) -> Tensor:
    """Apply an autograd function outside of mixed precision, in which torch has no sparse products."""
    full = [x.float() if isinstance(x, Tensor) and x.dtype is torch.bfloat16 else x for x in inputs]
    with full_precision(full[0].device.type):
        result: Tensor = function.apply(*full)
    return result


class _SymmetricProduct(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, matrix: Tensor) -> Tensor:
        ctx.matrix = matrix
        return matrix @ x

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None]:
        return symmetric_product(ctx.matrix, gradients[0]), None


def sparse_product(graph: MeshGraph, weight: Tensor) -> Tensor:
    """A graph's sparse features times a weight, (C, outputs), which alone has a gradient."""
    return apply_in_full(_FeatureProduct, weight, graph)


def dropped_product(graph: MeshGraph, weight: Tensor, share: float) -> Tensor:
    """The same with a random share of the features left out, the others scaled so that the mean is kept."""
    rows: Any = graph.features  # torch has no types here
    kept = nn.functional.dropout(rows.values(), share)
    with full_precision(weight.device.type):
        dropped = torch.sparse_csr_tensor(
            rows.crow_indices(), rows.col_indices(), kept, rows.shape, check_invariants=False
        )
        return torch.mm(dropped, weight.float())


class _FeatureProduct(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, weight: Tensor, graph: MeshGraph) -> Tensor:
        ctx.graph = graph
        return graph.features @ weight

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None]:
        return ctx.graph.features_transposed @ gradients[0], None
