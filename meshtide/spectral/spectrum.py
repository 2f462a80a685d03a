"""The two operators of a mesh and their smooth eigenvectors.

Conventions, the same everywhere in meshtide:

- `surface`: L is the stiffness matrix of the robust (intrinsic-Delaunay) cotangent Laplacian: symmetric, positive
  semi-definite, rows that sum to zero, so L u is -Δu integrated around each vertex. The mass is lumped: a vertex's
  share of the area. The surface is centred and scaled to total area 1 first, so the mass sums to 1, a constant unit
  function has eigenvalue 0, and neither metres nor millimetres change a number. L φ = λ M φ, λ ascending from 0.
- `graph`: Ã = D^-½ (A + I) D^-½ of the mesh's edges, D the row sums of A + I. The mass is one a vertex.
  Ã φ = μ φ, μ descending from 1: the *largest* are smooth. The frequency 1 - μ is what plays the part of λ.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from meshtide.arrays import FloatArray, IntArray
from meshtide.errors import InputError
from meshtide.mesh.measure import triangle_areas
from meshtide.mesh.mesh import Mesh
from meshtide.mesh.topology import duplicate_faces, repeated_corner, without_unused
from meshtide.spectral.eigensolver import smallest_eigenpairs
from meshtide.spectral.operators import OPERATORS


class SpectrumWarning(UserWarning):
    """The spectrum could be computed but says less about the shape than asked for."""


@dataclass(frozen=True, eq=False, repr=False)
class Laplacian:
    """An operator on all vertices of a mesh, with its mass; a vertex that takes no part has zero rows and zero mass."""

    matrix: sparse.csc_array[np.float64]  # (V, V)
    mass: FloatArray  # (V,)
    kind: str

    def __repr__(self) -> str:
        return f"Laplacian({self.kind}: {len(self.mass):,} vertices, {self.matrix.nnz:,} entries)"


@dataclass(frozen=True, eq=False, repr=False)
class Eigenbasis:
    """The smoothest eigenpairs of an operator: vectorsᵀ diag(mass) vectors = 1.

    >>> import meshtide as mt, numpy as np
    >>> basis = mt.eigenbasis(mt.make_figure("hand", 1, defects=False)[0], k=8)
    >>> np.allclose(basis.vectors.T @ (basis.mass[:, None] * basis.vectors), np.eye(8))
    True
    """

    values: FloatArray  # (K,)
    vectors: FloatArray  # (V, K)
    mass: FloatArray  # (V,)
    operator: str
    components: int

    def __repr__(self) -> str:
        highest = f"{self.frequencies[-1]:.3g}" if len(self.values) else "none"
        pieces = f"{self.components:,} component{'s' if self.components != 1 else ''}"
        shape = f"{len(self.values):,} eigenpairs on {len(self.mass):,} vertices"
        return f"Eigenbasis({self.operator}: {shape}, {pieces}, frequencies 0 to {highest})"

    @property
    def frequencies(self) -> FloatArray:
        """How fast heat leaves each eigenvector, (K,), ascending from 0: λ on a surface, 1 - μ on a graph."""
        return frequencies_of(self.values, self.operator)


def frequencies_of(values: FloatArray, operator: str) -> FloatArray:
    """An operator's eigenvalues as frequencies, ascending from 0; in float64, as 1 - μ cancels."""
    return values if operator == "surface" else np.maximum(1 - values, 0)


def laplacian(mesh: Mesh, kind: str = "surface") -> Laplacian:
    """Build the `surface` or the `graph` operator of a mesh; the module's docstring has the conventions.

    A vertex that no face uses takes no part in either: on a surface it has no area, and in the graph it would be an
    isolated node that spends an eigenpair on saying so. Faces that name a vertex twice are no surface, and faces that
    repeat another's three vertices would count its area twice; both are left out of the surface.

    >>> import meshtide as mt
    >>> corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    >>> mt.laplacian(mt.Mesh(corners, [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]))
    Laplacian(surface: 4 vertices, 16 entries)
    """
    if kind == "surface":
        return _surface_laplacian(mesh)
    if kind == "graph":
        return graph_operator(mesh.edges(), len(mesh.vertices))
    raise ValueError(f"operator {kind!r} is not known; there are {', '.join(OPERATORS)}")


def eigenbasis(mesh: Mesh, k: int = 128, operator: str = "surface") -> Eigenbasis:
    """Compute the k smoothest eigenpairs; a mesh of n < k vertices in use has only n, and then K = n.

    Vectors and mass are 0 on vertices that no face uses. The same mesh gives the same bits every time.

    >>> import meshtide as mt
    >>> corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    >>> mt.eigenbasis(mt.Mesh(corners, [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]), k=2)
    Eigenbasis(surface: 2 eigenpairs on 4 vertices, 1 component, frequencies 0 to 7.1)
    """
    return eigenbasis_of(laplacian(mesh, operator), k, mesh.name)


def eigenbasis_of(operator: Laplacian, k: int, name: str = "graph", *, tangled: bool = False) -> Eigenbasis:
    """The k smoothest eigenpairs of an operator, be it a mesh's or that of a graph which is no mesh.

    The latter is `tangled`: its factors would be nearly full, and products alone are faster.

    >>> eigenbasis_of(graph_operator(np.array([[0, 1], [1, 2]]), 3), k=2)
    Eigenbasis(graph: 2 eigenpairs on 3 vertices, 1 component, frequencies 0 to 0.5)
    """
    if k < 1:
        raise ValueError(f"k is {k}; at least one eigenpair is needed")
    used = np.flatnonzero(operator.mass > 0)
    matrix, mass = operator.matrix, operator.mass[used]
    if len(used) < len(operator.mass):
        matrix = sparse.csc_array(matrix[used][:, used])
    components, _ = connected_components(matrix, directed=False)
    warn_if_crowded(name, components, k)
    if operator.kind == "graph":
        matrix = sparse.csc_array(sparse.eye_array(len(used), format="csc") - matrix)
    pairs = smallest_eigenpairs(matrix, mass, min(k, len(used)), tangled=tangled)
    values = np.maximum(pairs.values, 0.0)
    vectors = np.zeros((len(operator.mass), len(values)))
    vectors[used] = pairs.vectors
    values = 1 - values if operator.kind == "graph" else values
    return Eigenbasis(values, vectors, operator.mass, operator.kind, components)


def warn_if_crowded(name: str, components: int, k: int) -> None:
    """Warn when connected components, each of which takes a zero eigenvalue, leave too few eigenpairs for shape."""
    if components > max(1, k / 4):
        sentence = (
            f"{name}: its {components:,} connected components take {min(components, k):,} of the {k:,} eigenpairs, "
            "which leaves little for the shape; `meshtide doctor` says whether they should be welded"
        )
        warnings.warn(sentence, SpectrumWarning, stacklevel=3)


def _surface_laplacian(mesh: Mesh) -> Laplacian:
    import robust_laplacian  # takes a while, and what is cached needs none

    odd = repeated_corner(mesh.faces) | duplicate_faces(mesh.faces, len(mesh.vertices))
    faces = mesh.faces[~odd]
    used, local = without_unused(faces, len(mesh.vertices))
    corners = to_area_one(mesh.vertices[used], local)
    stiffness, lumped = robust_laplacian.mesh_laplacian(corners, local)
    areas = np.asarray(lumped.diagonal(), dtype=np.float64)
    if not (np.isfinite(areas).all() and np.isfinite(stiffness.data).all()):
        raise InputError(f"{mesh.name}: its Laplacian is not finite; `meshtide doctor` shows which faces are at fault")
    mass = np.zeros(len(mesh.vertices))
    # Degenerate faces are thickened a little inside, which adds area; and areas scale the mass but not the stiffness.
    mass[used] = areas / areas.sum()
    return Laplacian(_spread(sparse.csc_array(stiffness), used, len(mass)), mass, "surface")


def graph_operator(edges: IntArray, count: int) -> Laplacian:
    """The `graph` operator of `count` nodes and undirected edges, (E, 2), each once and none a loop.

    A node without an edge takes no part: it would spend an eigenpair on saying that it is alone.

    >>> graph_operator(np.array([[0, 1], [1, 2]]), 4)
    Laplacian(graph: 4 vertices, 7 entries)
    """
    degree = np.bincount(edges.ravel(), minlength=count)
    nodes = np.flatnonzero(degree)
    rows = np.concatenate([edges[:, 0], edges[:, 1], nodes])
    columns = np.concatenate([edges[:, 1], edges[:, 0], nodes])
    scale = 1 / np.sqrt(degree + 1.0)
    matrix = sparse.csc_array((scale[rows] * scale[columns], (rows, columns)), shape=(count, count))
    return Laplacian(matrix, (degree > 0).astype(np.float64), "graph")


def to_area_one(vertices: FloatArray, faces: IntArray) -> FloatArray:
    """Centre and scale a surface to area 1, for coordinates of any size that float64 can hold."""
    # Powers of two first: they are exact, and keep squares and differences away from overflow and underflow.
    points = np.ldexp(vertices, -_exponent(vertices))
    points = points - (points.min(axis=0) + points.max(axis=0)) / 2
    points = np.ldexp(points, -_exponent(points))
    return np.asarray(points / np.sqrt(triangle_areas(points, faces).sum()))


def _exponent(points: FloatArray) -> int:
    return int(np.frexp(np.abs(points).max())[1])


def _spread(matrix: sparse.csc_array[np.float64], used: IntArray, count: int) -> sparse.csc_array[np.float64]:
    """The same matrix among `count` vertices, those not in use having empty rows and columns."""
    if len(used) == count:
        return matrix
    entries = matrix.tocoo()
    rows: NDArray[np.int64] = used[entries.row]
    return sparse.csc_array((entries.data, (rows, used[entries.col])), shape=(count, count))
