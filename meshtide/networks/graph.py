"""A mesh as torch tensors: the one place where numpy becomes torch and float64 becomes float32."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection
from dataclasses import dataclass, fields, replace
from functools import cached_property, lru_cache, wraps
from typing import Any

import numpy as np
import torch
from scipy import sparse
from torch import Tensor

from meshtide.errors import InputError
from meshtide.mesh.mesh import Mesh
from meshtide.networks.device import carried, full_precision
from meshtide.networks.projection import least_squares
from meshtide.spectral.cache import Cache
from meshtide.spectral.node_recipe import NodeRecipe
from meshtide.spectral.preparation import Preparation
from meshtide.spectral.prepared import Prepared, prepared_mesh
from meshtide.spectral.recipe import GraphRecipe
from meshtide.spectral.signatures import GRAPH_FREQUENCY
from meshtide.spectral.spectrum import frequencies_of


def _kept(make: Callable[[MeshGraph], Tensor]) -> cached_property[Tensor]:
    """A property that is made once, and for all who come later.

    So neither in inference mode, whose tensors no training may use, nor in the mixed precision of a training step.
    """

    @wraps(make)
    def made(graph: MeshGraph) -> Tensor:
        with torch.inference_mode(False), full_precision(graph.device.type):
            return make(graph)

    return cached_property(made)


@dataclass(frozen=True, eq=False, repr=False)
class MeshGraph:
    """All that a network reads of one mesh, or of a graph that is none; vertex i is vertex i of the mesh.

    `frequencies` ascend from 0 for both operators (λ, or 1 - μ formed in float64, where it does not cancel).

    >>> import meshtide as mt
    >>> graph = mt.mesh_graph(mt.make_figure("hand", 1, defects=False)[0], mt.GraphRecipe(k=16))
    >>> graph.vectors.shape == (graph.num_vertices, 16)
    True
    """

    name: str
    features: Tensor  # (V, C) float32; of a graph that is no mesh perhaps sparse, by rows
    values: Tensor  # (K,) float32, the operator's eigenvalues
    frequencies: Tensor  # (K,) float32
    vectors: Tensor  # (V, K) float32, orthonormal under the mass
    mass: Tensor  # (V,) float32, 0 at vertices that no face uses
    edges: Tensor  # (2, E) int64, every undirected edge once
    faces: Tensor  # (F, 3) int64
    recipe: GraphRecipe | NodeRecipe
    rate_scale: float = 1.0  # what a frequency is multiplied by to become a rate, see `rates`
    projection: Tensor | None = None  # (K, V), instead of vectorsᵀ mass where only some vertices are there
    stiffness: Tensor | None = None  # (V, V) sparse, of the surface operator
    gradients: Tensor | None = None  # (2, V, K): the eigenvectors' derivatives along two tangents of every vertex
    shapes: int = 1  # how many samples of as many vertices lie below one another, see `networks.stack`

    def __repr__(self) -> str:
        counts = f"{self.num_vertices:,} vertices, {self.num_faces:,} faces, {self.num_eigenpairs} eigenpairs"
        return (
            f"MeshGraph({self.name!r}: {counts} of the {self.recipe.operator} operator, {self.num_channels} features, "
            f"on {self.device})"
        )

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
    def mesh_recipe(self) -> GraphRecipe:
        """The recipe of a mesh's graph, which has features of its surface."""
        if not isinstance(self.recipe, GraphRecipe):
            raise InputError(f"{self.name}: is a graph that is no mesh, and this needs a mesh")
        return self.recipe

    @cached_property
    def rates(self) -> Tensor:
        """Frequencies in units of time, (K,): heat is exp(-time * rate) for both operators.

        Times of a mesh are in units of a surface of area 1, so that both operators mean the same by them. A graph that
        is no mesh has no area, and its rates are its frequencies.
        """
        return self.frequencies * self.rate_scale

    @_kept
    def adjacency(self) -> Tensor:
        """The paper's D^-½(A+I)D^-½, (V, V) sparse and symmetric.

        A vertex without an edge is not on the surface and has an empty row; a node without one is a node still.
        """
        start, end = self.edges
        degree = torch.bincount(self.edges.ravel(), minlength=self.num_vertices)
        loops = torch.nonzero(degree >= (1 if isinstance(self.recipe, GraphRecipe) else 0)).ravel()
        rows, columns = torch.cat([start, end, loops]), torch.cat([end, start, loops])
        scale = (degree + 1.0).to(self.vectors.dtype).rsqrt()
        shape = (self.num_vertices, self.num_vertices)
        matrix = torch.sparse_coo_tensor(
            torch.stack([rows, columns]), scale[rows] * scale[columns], shape, check_invariants=True
        )
        return _compressed(matrix)

    @_kept
    def features_transposed(self) -> Tensor:
        """Sparse features by columns, (C, V), which the gradient of a product with them needs."""
        rows: Any = self.features  # torch has no types here
        return _compressed(rows.to_sparse_coo().T)

    @_kept
    def features_order(self) -> Tensor:
        """Which entry of sparse features, in the order of rows, every entry of `features_transposed` is."""
        rows: Any = self.features  # torch has no types here
        return torch.argsort(rows.col_indices(), stable=True)

    # What a network does to the features first is linear, so these can be kept from step to step.
    @_kept
    def inputs(self) -> Tensor:
        """The features and a column of ones, which carries a bias, (V, C + 1)."""
        return torch.nn.functional.pad(self.features, (0, 1), value=1.0)

    @_kept
    def input_spectrum(self) -> Tensor:
        """The coefficients of `inputs` in the eigenbasis, (K, C + 1)."""
        return self.project(self.inputs)

    @_kept
    def input_neighbours(self) -> Tensor:
        """The adjacency times `inputs`, (V, C + 1)."""
        return self.adjacency @ self.inputs

    def project(self, u: Tensor) -> Tensor:
        """The coefficients of signals (V, C) in the eigenbasis, (K, C)."""
        if self.shapes > 1:
            return (self.in_shapes(self._projection()) @ self.in_shapes(u)).flatten(0, 1)
        if self.projection is not None:
            return self.projection @ u
        return self.vectors.T @ (self.mass[:, None] * u)

    def _projection(self) -> Tensor:
        if self.projection is None:
            raise InputError(f"{self.name}: a stack of excerpts needs `projecting`")
        return self.projection

    def expand(self, spectrum: Tensor, bias: Tensor | None = None) -> Tensor:
        """The signals (V, C) that have these coefficients, (K, C), plus a bias of every channel."""
        if self.shapes > 1:
            values = (self.in_shapes(self.vectors) @ self.in_shapes(spectrum)).flatten(0, 1)
            return values if bias is None else values + bias
        return self.vectors @ spectrum if bias is None else torch.addmm(bias, self.vectors, spectrum)

    def in_shapes(self, rows: Tensor) -> Tensor:
        """Rows of vertices or eigenpairs apart by the shapes they are of, (shapes, rows of one, C)."""
        return rows.reshape(self.shapes, -1, rows.shape[-1])

    def sampled(self, rows: Tensor) -> MeshGraph:
        """The graph at some of its vertices, projecting by weighted least squares; it has no edges and no faces."""
        return self.excerpt(rows).projecting()

    def excerpt(self, rows: Tensor) -> MeshGraph:
        """What `sampled` gives, before `projecting`: rows alone, which move to another device fast."""
        if self.recipe.operator != "surface":
            raise InputError(
                f"{self.name}: was prepared with the graph operator, which reads every neighbour: it has no samples; "
                "prepare it with `operator=surface`"
            )
        none = torch.zeros(0, 3, dtype=torch.int64, device=self.device)
        return replace(
            self,
            features=self.features[rows],
            vectors=self.vectors[rows],
            mass=self.mass[rows],
            projection=None,
            edges=none[:, :2].T,
            faces=none,
            stiffness=None,
            gradients=None if self.gradients is None else self.gradients[:, rows],
        )

    def projecting(self) -> MeshGraph:
        """An excerpt with the projection by weighted least squares; of several shapes each has its own."""
        if self.shapes == 1:
            return replace(self, projection=least_squares(self.vectors, self.mass[:, None]))
        vectors, mass = self.in_shapes(self.vectors), self.in_shapes(self.mass[:, None])
        return replace(self, projection=least_squares(vectors, mass).flatten(0, 1))

    def to_pyg(self, targets: Tensor | None = None) -> Any:
        """The graph as torch_geometric's Data, every edge in both directions, for networks from elsewhere."""
        from torch_geometric.data import Data

        both = torch.cat([self.edges, self.edges.flip(0)], dim=1)
        return Data(
            x=self.features,
            edge_index=both,
            y=targets,
            face=self.faces.T,
            mass=self.mass,
            eigenvalues=self.values,
            eigenvectors=self.vectors,
            name=self.name,
        )

    @property
    def device(self) -> torch.device:
        """Where the tensors are."""
        return self.features.device

    def to(self, device: torch.device | str) -> MeshGraph:
        """The same graph on another device; the graph itself where it is there."""
        if self.device == torch.device(device):
            return self
        moved: dict[str, Any] = {}
        for field in fields(self):
            value = getattr(self, field.name)
            moved[field.name] = carried(value, device) if isinstance(value, Tensor) else value
        return MeshGraph(**moved)

    @property
    def num_bytes(self) -> int:
        """The memory that the graph takes, without what is kept with it."""
        values = (getattr(self, field.name) for field in fields(self))
        return sum(value.nbytes for value in values if isinstance(value, Tensor) and value.layout is torch.strided)


def mesh_graph(
    mesh: Mesh, recipe: GraphRecipe | None = None, cache: Cache | None = None, *, extras: Collection[str] = ()
) -> MeshGraph:
    """Prepare a mesh for a network, by way of a cache if one is given.

    `extras` may name "stiffness" (for implicit diffusion on a surface) and "gradients" (for gradient features), which
    are built each time: that takes less than reading them would.

    >>> import meshtide as mt
    >>> corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    >>> mt.mesh_graph(mt.Mesh(corners, [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]), mt.GraphRecipe(k=4))
    MeshGraph('mesh': 4 vertices, 4 faces, 4 eigenpairs of the surface operator, 16 features, on cpu)
    """
    recipe = recipe or GraphRecipe()
    return prepared_graph(prepared_mesh(mesh, recipe, cache, extras), mesh.name, recipe)


def prepared_graph(prepared: Prepared, name: str, recipe: GraphRecipe) -> MeshGraph:
    """A preparation and its extras as tensors."""
    graph = graph_of(prepared.preparation, name, recipe)
    if prepared.stiffness is not None:
        graph = replace(graph, stiffness=sparse_tensor(prepared.stiffness))
    if prepared.gradients is not None:
        graph = replace(graph, gradients=torch.from_numpy(prepared.gradients))
    return graph


def graph_of(preparation: Preparation, name: str, recipe: GraphRecipe) -> MeshGraph:
    """A preparation as tensors."""
    _take_layout_warning()
    single = torch.float32
    # As on equal triangles; a surface is in its units already.
    scale = 1.0 if recipe.operator == "surface" else GRAPH_FREQUENCY * float((preparation.mass > 0).sum())
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
        scale,
    )


def sparse_tensor(matrix: sparse.csc_array[Any] | sparse.csr_array[Any]) -> Tensor:
    """A scipy matrix as a float32 tensor by rows."""
    entries = matrix.tocoo()
    places = torch.from_numpy(np.stack([entries.row, entries.col]).astype(np.int64))
    values = torch.from_numpy(entries.data).float()
    return _compressed(torch.sparse_coo_tensor(places, values, matrix.shape, check_invariants=True))


def _compressed(matrix: Tensor) -> Tensor:
    """A sparse tensor by rows, which multiplies fastest."""
    _take_layout_warning()
    return matrix.coalesce().to_sparse_csr()


@lru_cache
def _take_layout_warning() -> None:
    """Let torch say quietly, as it does once a process, that sparse tensors by rows are unfinished."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        torch.eye(1).to_sparse_csr()
