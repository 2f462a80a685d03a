"""Differentiable products with the adjacency of a graph."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from meshtide.networks.device import full_precision


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
