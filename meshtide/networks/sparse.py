"""Differentiable products and solves with the symmetric sparse operators of a graph."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from scipy import sparse
from torch import Tensor

from meshtide.errors import InputError
from meshtide.networks.graph import MeshGraph
from meshtide.spectral.eigensolver.factorisation import make_factorisation


def symmetric_product(matrix: Tensor, x: Tensor) -> Tensor:
    """matrix @ x for a constant symmetric sparse matrix, whose gradient needs no transposed copy."""
    return apply_in_full(_SymmetricProduct, x, matrix)


def apply_in_full(function: Any, *inputs: Any) -> Tensor:
    """Apply an autograd function outside of mixed precision, in which torch has no sparse products."""
    full = [x.float() if isinstance(x, Tensor) and x.dtype is torch.bfloat16 else x for x in inputs]
    with torch.autocast(full[0].device.type, enabled=False):
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


class _FeatureProduct(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, weight: Tensor, graph: MeshGraph) -> Tensor:
        ctx.graph = graph
        return graph.features @ weight

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None]:
        return ctx.graph.features_transposed @ gradients[0], None


def implicit_heat(u: Tensor, times: Tensor, graph: MeshGraph) -> Tensor:
    """Solve (M + t L) h = M u for every channel of (V, C) at its own time, (C,); differentiable in u and times.

    One sparse factorisation a distinct time, on the CPU in float64: exact, and many times slower than the eigenbasis.
    """
    result: Tensor = _ImplicitHeat.apply(u, times, _Pencil(graph))  # type: ignore[no-untyped-call]  # as above
    return result


class _Pencil:
    """The matrices L and M of a graph for scipy, in units of a surface of area 1."""

    def __init__(self, graph: MeshGraph) -> None:
        if graph.recipe.operator == "surface":
            if graph.stiffness is None:
                raise InputError(f"{graph.name}: implicit diffusion needs mesh_graph(…, extras=('stiffness',))")
            self.matrix = _to_scipy(graph.stiffness)
        else:
            identity = sparse.eye_array(graph.num_vertices, format="csc")
            scale = float(graph.rate_scale)
            self.matrix = sparse.csc_array((identity - _to_scipy(graph.adjacency)) * scale)
        # A vertex without mass keeps its value: it has no neighbours, and any mass at all makes that so.
        mass = graph.mass.detach().cpu().double().numpy()
        self.mass = np.where(mass > 0, mass, 1.0)

    def solve(self, right: np.ndarray[Any, Any], times: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """(M + t L)^-1 of every column at its time; columns with the same time share a factorisation."""
        result = np.empty_like(right)
        for time in np.unique(times):
            columns = times == time
            factor = make_factorisation("superlu", self.matrix, self.mass)
            factor.factorise(-1 / time)  # L + M / t
            result[:, columns] = factor.solve(right[:, columns]) / time
            factor.release()
        return result


class _ImplicitHeat(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, u: Tensor, times: Tensor, pencil: _Pencil) -> Tensor:
        seconds = times.detach().cpu().double().numpy()
        heat = pencil.solve(pencil.mass[:, None] * u.detach().cpu().double().numpy(), seconds)
        ctx.pencil, ctx.seconds, ctx.heat = pencil, seconds, heat
        return torch.from_numpy(heat).to(u)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, Tensor, None]:
        # With A = M + t L symmetric and h = A^-1 M u: dh = A^-1 (M du - dt L h).
        adjoint = ctx.pencil.solve(gradients[0].detach().cpu().double().numpy(), ctx.seconds)
        by_time = -np.einsum("vc,vc->c", adjoint, ctx.pencil.matrix @ ctx.heat)
        by_input = ctx.pencil.mass[:, None] * adjoint
        return torch.from_numpy(by_input).to(gradients[0]), torch.from_numpy(by_time).to(gradients[0]), None


def _to_scipy(matrix: Tensor) -> sparse.csc_array[np.float64]:
    rows = matrix.cpu().double()
    parts = (rows.values().numpy(), rows.col_indices().numpy(), rows.crow_indices().numpy())
    return sparse.csc_array(sparse.csr_array(parts, shape=(rows.shape[0], rows.shape[1])))
