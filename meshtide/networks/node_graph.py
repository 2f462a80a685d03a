"""Graphs that are no meshes, as the same object that networks read of a mesh."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import torch
from numpy.typing import ArrayLike
from scipy import sparse
from torch import Tensor

from meshtide.data.nodes.features import prepared_features
from meshtide.data.nodes.task import NodeTask
from meshtide.errors import InputError
from meshtide.networks.graph import MeshGraph, sparse_tensor
from meshtide.spectral.edges import undirected
from meshtide.spectral.node_recipe import NodeRecipe
from meshtide.spectral.spectrum import eigenbasis_of, graph_operator

# Of the entries that are not 0: with more, a product by rows is slower than a dense one (measured at 1 and 35 %).
MOST_DENSITY = 0.1
MOST_DENSE_ENTRIES = 2**27  # half a gigabyte


def graph_from_edges(
    edges: ArrayLike,
    features: Any,
    *,
    count: int | None = None,
    eigenpairs: int = 64,
    name: str = "graph",
) -> MeshGraph:
    """Prepare nodes and their edges for a network: the operator is the paper's D^-½(A+I)D^-½.

    `edges`, (E, 2), are undirected: repeated ones, either way round, count once, and loops are left out, as every node
    has its own. `features` is a row a node, an array or a scipy sparse matrix, which is kept sparse where that is
    faster.

    >>> import meshtide as mt, numpy as np
    >>> mt.graph_from_edges([[0, 1], [1, 2], [2, 1]], np.eye(3), eigenpairs=2)
    MeshGraph('graph': 3 vertices, 0 faces, 2 eigenpairs of the graph operator, 3 features, on cpu)
    """
    values = features_tensor(features, name)
    nodes = int(values.shape[0]) if count is None else count
    if values.shape[0] != nodes:
        raise InputError(f"{name}: features of {values.shape[0]:,} nodes for a graph of {nodes:,}")
    pairs = undirected(edges, nodes, name)
    if not len(pairs):
        raise InputError(f"{name}: has no edge between two different nodes; there is nothing to diffuse along")
    recipe = NodeRecipe(int(values.shape[1]), eigenpairs)
    basis = eigenbasis_of(graph_operator(pairs, nodes), recipe.k, name, tangled=True)
    single = torch.float32
    return MeshGraph(
        name,
        values,
        torch.from_numpy(basis.values).to(single),
        torch.from_numpy(basis.frequencies).to(single),
        torch.from_numpy(basis.vectors).to(single),
        torch.from_numpy(basis.mass).to(single),
        torch.from_numpy(pairs).T.contiguous(),
        torch.zeros(0, 3, dtype=torch.int64),
        recipe,
    )


def node_graph(task: NodeTask, recipe: NodeRecipe) -> MeshGraph:
    """A task's graph as networks read it, by a recipe that perhaps another graph was prepared by."""
    if task.features.shape[1] != recipe.channels:
        raise InputError(
            f"{task.name}: has {task.features.shape[1]:,} features, and {recipe.channels:,} are wanted; were they made "
            "in the same way?"
        )
    features = prepared_features(task.features, recipe.features, task.name)
    graph = graph_from_edges(task.edges, features, eigenpairs=recipe.k, name=task.name)
    return replace(graph, recipe=recipe)


def features_tensor(features: Any, name: str) -> Tensor:
    """Features as a tensor, sparse by rows where that multiplies faster."""
    if isinstance(features, sparse.sparray | sparse.spmatrix):
        given: Any = features  # scipy's types know no sparse matrix in general
        return _sparse_features(sparse.csr_array(given, dtype=np.float32), name)
    values = np.asarray(features, dtype=np.float32)
    if values.ndim != 2 or 0 in values.shape:
        raise InputError(f"{name}: features of shape {values.shape}; wanted a row a node and at least one column")
    if not np.isfinite(values).all():
        raise InputError(f"{name}: has features that are not finite")
    return torch.from_numpy(np.ascontiguousarray(values))


def _sparse_features(features: sparse.csr_array[np.float32], name: str) -> Tensor:
    entries = features.shape[0] * features.shape[1]
    if not entries or (features.nnz > MOST_DENSITY * entries and entries <= MOST_DENSE_ENTRIES):
        return features_tensor(features.toarray(), name)
    if not np.isfinite(features.data).all():
        raise InputError(f"{name}: has features that are not finite")
    return sparse_tensor(features)
