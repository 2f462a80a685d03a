"""Samples of several shapes as one graph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from meshtide.errors import InputError
from meshtide.networks.graph import MeshGraph


def stacked(graphs: Sequence[MeshGraph]) -> MeshGraph:
    """Excerpts of as many vertices and eigenpairs below one another, for networks that take several shapes at once.

    What a network does at every vertex it does to all of them in one product; only what goes by way of the eigenbasis,
    `project`, `expand` and gradients, keeps the shapes apart.
    """
    first = graphs[0]
    if len(graphs) == 1:
        return first
    if len({(graph.vectors.shape, graph.rate_scale) for graph in graphs}) > 1:
        raise InputError("only samples of as many vertices and eigenpairs can be stacked")
    rows = ("features", "values", "frequencies", "vectors", "mass")
    below: dict[str, Any] = {name: torch.cat([getattr(graph, name) for graph in graphs]) for name in rows}
    if first.gradients is not None:
        below["gradients"] = torch.cat([_gradients_of(graph) for graph in graphs], dim=1)
    return replace(first, name=", ".join(graph.name for graph in graphs), shapes=len(graphs), **below)


def _gradients_of(graph: MeshGraph) -> Tensor:
    if graph.gradients is None:
        raise InputError(f"{graph.name}: has no gradients, and others of its batch have")
    return graph.gradients
