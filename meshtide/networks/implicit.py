"""Implicit Euler diffusion: one linear solve a step instead of a truncated eigenbasis."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from scipy import sparse
from torch import Tensor

from meshtide.arrays import FloatArray
from meshtide.errors import InputError
from meshtide.networks.graph import MeshGraph
from meshtide.spectral.eigensolver.factorisation import make_factorisation
from meshtide.spectral.recipe import GraphRecipe

MOST_STEPS = 10_000  # of conjugate gradients: enough for a time of ten million
TINY = np.finfo(np.float64).tiny  # under a quotient that is 0 / 0 once a column is solved


def implicit_heat(u: Tensor, times: Tensor, graph: MeshGraph) -> Tensor:
    """Solve (M + t L) h = M u for every channel of (V, C) at its own time, (C,); differentiable in u and times.

    On the CPU in float64: exact, and many times slower than the eigenbasis. On a mesh one sparse factorisation a
    distinct time; on a graph that is no mesh, whose factors would be nearly full, conjugate gradients.
    """
    result: Tensor = _ImplicitHeat.apply(u, times, _Pencil(graph))  # type: ignore[no-untyped-call]  # torch has no types here
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
        self.is_mesh = isinstance(graph.recipe, GraphRecipe)

    def solve(self, right: FloatArray, times: FloatArray) -> FloatArray:
        """(M + t L)^-1 of every column at its time; columns with the same time share a factorisation."""
        if not self.is_mesh:
            return conjugate_gradients(self.matrix, times, right)
        result = np.empty_like(right)
        for time in np.unique(times):
            columns = times == time
            if time == 0:
                result[:, columns] = right[:, columns] / self.mass[:, None]
                continue
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


def conjugate_gradients(
    matrix: sparse.csc_array[np.float64], times: FloatArray, right: FloatArray, tolerance: float = 1e-9
) -> FloatArray:
    """(I + t L)^-1 of every column at its time, all columns at once, for a symmetric positive semi-definite L.

    The eigenvalues lie from 1 to 1 + 2 t where L = I - L̃, so that the number of steps grows with the root of t.
    """
    rows = sparse.csr_array(matrix)
    solution = np.zeros_like(right)
    residual = right.copy()
    direction = residual.copy()
    square = np.einsum("vc,vc->c", residual, residual)
    enough = tolerance**2 * square
    for _ in range(MOST_STEPS):
        if (square <= enough).all():
            return solution
        image = direction + (rows @ direction) * times
        step = square / np.maximum(np.einsum("vc,vc->c", direction, image), TINY)
        solution += step * direction
        residual -= step * image
        newer = np.einsum("vc,vc->c", residual, residual)
        direction = residual + (newer / np.maximum(square, TINY)) * direction
        square = newer
    raise InputError(f"implicit diffusion for a time of {times.max():.3g} takes more than {MOST_STEPS:,} steps")


def _to_scipy(matrix: Tensor) -> sparse.csc_array[np.float64]:
    rows = matrix.cpu().double()
    parts = (rows.values().numpy(), rows.col_indices().numpy(), rows.crow_indices().numpy())
    return sparse.csc_array(sparse.csr_array(parts, shape=(rows.shape[0], rows.shape[1])))
