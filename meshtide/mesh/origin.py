"""Index maps between a mesh and the file it came from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from meshtide.arrays import IntArray


@dataclass(frozen=True)
class Piece:
    """One geometry of a multi-geometry file: how many of the file's vertices and faces are its own, in file order."""

    name: str
    vertices: int
    faces: int


@dataclass(frozen=True, eq=False)
class Origin:
    """Where each element of a mesh stands in the file, so that answers can be carried back to the file as given.

    A file's vertices are counted as the file writes them: the `v` lines of an OBJ, the rows of a PLY or OFF, the
    accessor rows of a glTF, and for STL the corners (corner c of facet f is vertex 3f + c). A file's faces are its
    polygons, before triangulation.
    """

    vertex_of: IntArray  # (file vertices,) the mesh vertex that a file vertex became; -1 if it was dropped
    face_of: IntArray  # (mesh faces,) the file face that a mesh triangle came from
    face_count: int  # faces in the file
    pieces: tuple[Piece, ...] = ()  # the geometries of a scene; empty for a file that holds one
    twin_of: IntArray | None = None  # (file faces,) the face whose answer each has, where some lie on others

    @property
    def vertex_count(self) -> int:
        """The number of vertices in the file."""
        return len(self.vertex_of)

    @staticmethod
    def identity(vertex_count: int, face_count: int) -> Origin:
        """The origin of a mesh whose elements are the file's, one for one."""
        return Origin(np.arange(vertex_count), np.arange(face_count), face_count)

    def then(self, vertex_of: IntArray, face_of: IntArray, twin_of: IntArray | None = None) -> Origin:
        """The origin after one more change: `vertex_of` maps old to new vertices (-1 dropped), `face_of` new to old.

        `twin_of` gives each old face the one whose answers it has, where faces that lie on others were dropped.
        """
        composed = np.full(self.vertex_count, -1, dtype=np.int64)
        kept = self.vertex_of >= 0
        composed[kept] = vertex_of[self.vertex_of[kept]]
        return Origin(composed, self.face_of[face_of], self.face_count, self.pieces, self._twins(twin_of))

    def _twins(self, added: IntArray | None) -> IntArray | None:
        """The twins of the file's faces, with those of the mesh's triangles."""
        if added is None:
            return self.twin_of
        twins = np.arange(self.face_count) if self.twin_of is None else self.twin_of.copy()
        changed = np.flatnonzero(added != np.arange(len(added)))
        twins[self.face_of[changed]] = self.face_of[added[changed]]
        return twins[twins]  # of a face that was a twin itself, that one's twin

    def vertices_to_file(self, values: NDArray[Any], fill: Any) -> NDArray[Any]:
        """Carry one value a mesh vertex to the file's vertices; dropped ones get `fill`."""
        result = np.full((self.vertex_count, *values.shape[1:]), fill, dtype=values.dtype)
        kept = self.vertex_of >= 0
        result[kept] = values[self.vertex_of[kept]]
        return result

    def faces_to_file(self, values: NDArray[Any], fill: Any) -> NDArray[Any]:
        """Carry one value a triangle to the file's faces; a polygon takes that of its first triangle."""
        result = np.full((self.face_count, *values.shape[1:]), fill, dtype=values.dtype)
        result[self.face_of[::-1]] = values[::-1]
        return result if self.twin_of is None else result[self.twin_of]

    def vertices_from_file(self, values: NDArray[Any], fill: Any, vertex_count: int) -> NDArray[Any]:
        """Carry one value a file vertex to the mesh's vertices; where several were welded the first one counts."""
        result = np.full((vertex_count, *values.shape[1:]), fill, dtype=values.dtype)
        kept = np.flatnonzero(self.vertex_of >= 0)[::-1]
        result[self.vertex_of[kept]] = values[kept]
        return result

    def faces_from_file(self, values: NDArray[Any]) -> NDArray[Any]:
        """Carry one value a file face to the mesh's triangles."""
        return values[self.face_of]
