"""A mesh as torch tensors: the one place where numpy becomes torch and float64 becomes float32."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import torch
from torch import Tensor

from meshtide.cache import Cache
from meshtide.mesh import Mesh
from meshtide.preparation import Preparation, prepare
from meshtide.recipe import GraphRecipe
from meshtide.spectrum import frequencies_of


@dataclass(frozen=True, eq=False)
class MeshGraph:
    """All that a network reads of one mesh; vertex i is vertex i of the mesh.

    `frequencies` ascend from 0 for both operators (λ, or 1 - μ formed in float64, where it does not cancel).
    """

    name: str
    features: Tensor  # (V, C) float32
    values: Tensor  # (K,) float32, the operator's eigenvalues
    frequencies: Tensor  # (K,) float32
    vectors: Tensor  # (V, K) float32, orthonormal under the mass
    mass: Tensor  # (V,) float32, 0 at vertices that no face uses
    edges: Tensor  # (2, E) int64, every undirected edge once
    faces: Tensor  # (F, 3) int64
    recipe: GraphRecipe

    @property
    def num_vertices(self) -> int:
        """The number of vertices, V."""
        return int(self.features.shape[0])

    @property
    def num_faces(self) -> int:
        """The number of faces, F."""
        return int(self.faces.shape[0])

    @property
    def num_channels(self) -> int:
        """The number of input features at a vertex, C."""
        return int(self.features.shape[1])

    @property
    def num_eigenpairs(self) -> int:
        """The number of eigenpairs, K: the recipe's k, or fewer on a mesh with fewer vertices in use."""
        return int(self.values.shape[0])

    @property
    def device(self) -> torch.device:
        """Where the tensors are."""
        return self.features.device

    def to(self, device: torch.device | str) -> MeshGraph:
        """The same graph on another device."""
        moved: dict[str, Any] = {}
        for field in fields(self):
            value = getattr(self, field.name)
            moved[field.name] = value.to(device) if isinstance(value, Tensor) else value
        return MeshGraph(**moved)


def mesh_graph(mesh: Mesh, recipe: GraphRecipe | None = None, cache: Cache | None = None) -> MeshGraph:
    """Prepare a mesh for a network, by way of a cache if one is given."""
    recipe = recipe or GraphRecipe()
    preparation = cache.fetch(mesh, recipe).preparation if cache is not None else prepare(mesh, recipe)
    return graph_of(preparation, mesh.name, recipe)


def graph_of(preparation: Preparation, name: str, recipe: GraphRecipe) -> MeshGraph:
    """A preparation as tensors."""
    single = torch.float32
    return MeshGraph(
        name,
        torch.from_numpy(preparation.features),
        torch.from_numpy(preparation.values).to(single),
        torch.from_numpy(frequencies_of(preparation.values, recipe.operator)).to(single),
        torch.from_numpy(preparation.vectors),
        torch.from_numpy(preparation.mass).to(single),
        torch.from_numpy(preparation.edges).to(torch.int64).T.contiguous(),
        torch.from_numpy(preparation.faces).to(torch.int64),
        recipe,
    )
