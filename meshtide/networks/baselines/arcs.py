"""Weighted sums along the edges of a graph, with weights that are learned.

An arc is an edge in one direction, or the loop of a vertex to itself. A sparse product reads every neighbour once where
it lies; gathering neighbours and scattering sums, as is usual, copies them all and takes thirty times as long on a CPU.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import torch
from torch import Tensor

from meshtide.errors import InputError
from meshtide.networks.graph import MeshGraph
from meshtide.networks.sparse import apply_in_full


@dataclass(frozen=True, eq=False)
class Arcs:
    """Both directions of every edge and a loop at every vertex, in the order of a sparse matrix's rows."""

    target: Tensor  # (A,) ascending
    source: Tensor  # (A,) ascending where the target is the same
    starts: Tensor  # (V + 1,), where the arcs of every target begin
    reverse: Tensor  # (A,), the arc the other way

    @property
    def num_vertices(self) -> int:
        """The number of vertices, V."""
        return len(self.starts) - 1

    def matrix(self, weights: Tensor) -> Tensor:
        """The (V, V) sparse matrix with a weight at every arc's (target, source)."""
        shape = (self.num_vertices, self.num_vertices)
        # Checking would take longer than the product does.
        return torch.sparse_csr_tensor(self.starts, self.source, weights, shape, check_invariants=False)


_ARCS: WeakKeyDictionary[MeshGraph, Arcs] = WeakKeyDictionary()


def arcs_of(graph: MeshGraph) -> Arcs:
    """The arcs of a graph, found once and kept for as long as the graph is."""
    if graph not in _ARCS:
        _ARCS[graph] = make_arcs(graph)
    return _ARCS[graph]


def make_arcs(graph: MeshGraph) -> Arcs:
    """Sort the arcs of a graph."""
    check_whole(graph)
    count = graph.num_vertices
    loops = torch.arange(count, device=graph.device)
    start, end = graph.edges
    place = torch.cat([start * count + end, end * count + start, loops * (count + 1)]).sort().values
    target, source = place // count, place % count
    starts = torch.searchsorted(target, torch.arange(count + 1, device=graph.device))
    return Arcs(target, source, starts, torch.searchsorted(place, source * count + target))


def check_whole(graph: MeshGraph) -> None:
    """Refuse a graph that was sampled: with no neighbours left, the answer would be wrong and nobody would know."""
    if graph.projection is not None:
        raise InputError(f"{graph.name}: was sampled, which leaves no edges; this network needs the whole graph")


def attention_of(scores: Tensor, arcs: Arcs) -> Tensor:
    """The softmax of scores, (A, heads), over the arcs that end in the same vertex."""
    index = arcs.target[:, None].expand_as(scores)
    # Less the largest, so that exp cannot overflow; every vertex has a loop, so that no sum is empty.
    most = scores.new_full((arcs.num_vertices, scores.shape[1]), -torch.inf)
    most = most.scatter_reduce(0, index, scores.detach(), "amax")
    powers = torch.exp(scores - most[arcs.target])
    sums = powers.new_zeros(most.shape).index_add(0, arcs.target, powers)
    return powers / sums[arcs.target]


def weighted_sum(weights: Tensor, u: Tensor, arcs: Arcs) -> Tensor:
    """The sum of weight times u at the source over the arcs that end in a vertex, (V, C) from (A,) and (V, C)."""
    return apply_in_full(_WeightedSum, weights, u, arcs)


def arc_products(target: Tensor, source: Tensor, arcs: Arcs) -> Tensor:
    """The inner product of the rows at the two ends of every arc, (A,), from twice (V, C)."""
    return apply_in_full(_ArcProducts, target, source, arcs)


# The two are each other's gradients: with W the matrix of weights, d(W u) = dW u + W du.
class _WeightedSum(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, weights: Tensor, u: Tensor, arcs: Arcs) -> Tensor:
        ctx.save_for_backward(weights, u)
        ctx.arcs = arcs
        return arcs.matrix(weights) @ u

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, Tensor | None, None]:
        weights, u = ctx.saved_tensors
        by_weights = arc_products(gradients[0], u, ctx.arcs) if ctx.needs_input_grad[0] else None
        by_input = weighted_sum(weights[ctx.arcs.reverse], gradients[0], ctx.arcs) if ctx.needs_input_grad[1] else None
        return by_weights, by_input, None


class _ArcProducts(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, target: Tensor, source: Tensor, arcs: Arcs) -> Tensor:
        ctx.save_for_backward(target, source)
        ctx.arcs = arcs
        return sampled_products(target, source, arcs)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, Tensor, None]:
        target, source = ctx.saved_tensors
        by_target = weighted_sum(gradients[0], source, ctx.arcs)
        return by_target, weighted_sum(gradients[0][ctx.arcs.reverse], target, ctx.arcs), None


def sampled_products(target: Tensor, source: Tensor, arcs: Arcs, fast: bool | None = None) -> Tensor:
    """What `arc_products` is, without its gradient; torch has the fast way on a CPU only if it was built with MKL."""
    if fast is None:
        mkl: bool = torch.backends.mkl.is_available()  # type: ignore[no-untyped-call]  # torch has no types here
        fast = target.is_cuda or (target.device.type == "cpu" and mkl)
    if not fast:
        return (target[arcs.target] * source[arcs.source]).sum(dim=1)
    pattern = arcs.matrix(target.new_zeros(len(arcs.target)))
    products: Tensor = torch.sparse.sampled_addmm(pattern, target.contiguous(), source.T, beta=0.0).values()
    return products
