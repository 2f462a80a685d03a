"""The ring around the pointer that shows what the brush would paint."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from scipy.spatial import KDTree

from meshtide.arrays import FloatArray
from meshtide.mesh.measure import smooth_normals, unit
from meshtide.mesh.mesh import Mesh
from meshtide.mesh.topology import used_vertices

POINTS = 48
LIFT = 0.004  # of the shape's size, so that the surface does not hide it


class Ring:
    """Rings on one mesh: a circle around a vertex, every point of it pulled down to the surface that is nearest."""

    def __init__(self, mesh: Mesh) -> None:
        self.mesh = mesh

    def around(self, vertex: int, radius: float) -> FloatArray:
        """The ring's points, (48, 3), in order around the vertex."""
        middle, normal = self.mesh.vertices[vertex], self._normals[vertex]
        across = unit(np.cross(normal, np.eye(3)[np.abs(normal).argmin()])[None])[0]
        turn = np.linspace(0, 2 * np.pi, POINTS, endpoint=False)[:, None]
        circle = middle + radius * (np.cos(turn) * across + np.sin(turn) * np.cross(normal, across))
        rows, tree = self._tree
        nearest = rows[tree.query(circle)[1]]
        normals = self._normals[nearest]
        height = ((circle - self.mesh.vertices[nearest]) * normals).sum(axis=1, keepdims=True)
        lift = LIFT * float(np.linalg.norm(np.ptp(self.mesh.vertices[rows], axis=0)))
        return np.asarray(circle + (lift - height) * normals)

    @cached_property
    def _normals(self) -> FloatArray:
        return np.asarray(smooth_normals(self.mesh.vertices, self.mesh.faces))

    @cached_property
    def _tree(self) -> tuple[np.ndarray[tuple[int], np.dtype[np.int64]], KDTree]:
        rows = np.flatnonzero(used_vertices(self.mesh.faces, len(self.mesh.vertices)))
        return rows, KDTree(self.mesh.vertices[rows])
