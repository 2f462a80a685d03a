"""Distances along a surface from one of its vertices, by potpourri3d's heat method."""

from __future__ import annotations

from collections import OrderedDict
from functools import cached_property
from typing import Protocol

import numpy as np

from meshtide.arrays import FloatArray, IntArray
from meshtide.errors import InputError
from meshtide.mesh.mesh import Mesh
from meshtide.mesh.topology import components, repeated_corner, used_vertices

KEPT = 8  # distances from the latest vertices: a brush and a support ask again from where they were


class Geodesics:
    """Distances on one mesh, in its own units; whatever a solver needs is made when first asked for and kept.

    Every connected piece has a solver of its own, as one for all would let a far-off piece change the distances here,
    and would report a finite distance to it.
    """

    def __init__(self, mesh: Mesh) -> None:
        self.mesh = mesh
        self._solvers: dict[int, tuple[IntArray, _Solver | None]] = {}
        self._latest: OrderedDict[int, FloatArray] = OrderedDict()

    def from_vertex(self, vertex: int) -> FloatArray:
        """The distance from a vertex to every vertex, (V,); infinite where no way leads. Not to be written to."""
        check_vertex(self.mesh, vertex)
        if vertex in self._latest:
            self._latest.move_to_end(vertex)
            return self._latest[vertex]
        distances = np.full(len(self.mesh.vertices), np.inf)
        piece = int(self._pieces[vertex])
        if piece >= 0:
            rows, solver = self._solver(piece)
            distances[rows] = self._within(rows, solver, int(np.searchsorted(rows, vertex)))
        distances[vertex] = 0.0
        distances.flags.writeable = False
        self._latest[vertex] = distances
        if len(self._latest) > KEPT:
            self._latest.popitem(last=False)
        return distances

    def ball(self, vertex: int, radius: float) -> IntArray:
        """The vertices within a distance of a vertex, itself among them, ascending."""
        if not radius >= 0:
            raise InputError(f"the radius {radius} is no distance; wanted 0 or more, in units of the mesh")
        return np.flatnonzero(self.from_vertex(vertex) <= radius)

    def forget(self) -> None:
        """Let go of the solvers, which take much memory on large meshes; they are made again when needed."""
        self._solvers.clear()
        self._latest.clear()

    @cached_property
    def _pieces(self) -> IntArray:
        return components(self.mesh.faces, len(self.mesh.vertices))[1]

    def _solver(self, piece: int) -> tuple[IntArray, _Solver | None]:
        """A piece's vertices, ascending, and its solver; none where the piece has no area to spread heat on."""
        if piece not in self._solvers:
            rows = np.flatnonzero(self._pieces == piece)
            faces = self.mesh.faces[self._pieces[self.mesh.faces[:, 0]] == piece]
            # Renumbered without gaps: the solver drops unused vertices in silence, and every later one would shift.
            self._solvers[piece] = (rows, _heat_solver(self.mesh.vertices[rows], np.searchsorted(rows, faces)))
        return self._solvers[piece]

    def _within(self, rows: IntArray, solver: _Solver | None, source: int) -> FloatArray:
        if solver is not None:
            found = np.asarray(solver.compute_distance(source), dtype=np.float64)
            if len(found) == len(rows) and np.isfinite(found).all():
                return np.maximum(found, 0.0)
        return _along_edges(self.mesh, rows, source)


class _Solver(Protocol):
    def compute_distance(self, v_ind: int) -> FloatArray: ...


def check_vertex(mesh: Mesh, vertex: int) -> None:
    """Raise InputError unless the mesh has this vertex."""
    if not 0 <= vertex < len(mesh.vertices):
        raise InputError(f"{mesh.name}: has no vertex {vertex:,}; they run from 0 to {len(mesh.vertices) - 1:,}")


def _heat_solver(vertices: FloatArray, faces: IntArray) -> _Solver | None:
    import potpourri3d

    faces = faces[~repeated_corner(faces)]
    if not used_vertices(faces, len(vertices)).all():
        return None
    try:
        solver: _Solver = potpourri3d.MeshHeatMethodDistanceSolver(vertices, faces)
    except RuntimeError:  # a piece of triangles without area
        return None
    return solver


def _along_edges(mesh: Mesh, rows: IntArray, source: int) -> FloatArray:
    """The length of the shortest way along edges: never less than the distance, and there for any mesh."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import dijkstra

    edges = mesh.edges()
    edges = np.searchsorted(rows, edges[np.isin(edges[:, 0], rows)])
    lengths = np.linalg.norm(mesh.vertices[rows[edges[:, 0]]] - mesh.vertices[rows[edges[:, 1]]], axis=1)
    # An edge without length would be no edge in a sparse matrix.
    lengths = np.maximum(lengths, np.finfo(np.float64).tiny)
    graph = csr_array((lengths, (edges[:, 0], edges[:, 1])), shape=(len(rows), len(rows)))
    return np.asarray(dijkstra(graph, directed=False, indices=np.array([source]))[0])
