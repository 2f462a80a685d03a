"""The triangles that are sent to the window, and the way back from them to the elements of the shown mesh."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from meshtide.arrays import BoolArray, FloatArray, IntArray
from meshtide.inference.segmentation import Segmentation
from meshtide.mesh.mesh import Mesh
from meshtide.viewer.state.layers import Layer


@dataclass(frozen=True, eq=False)
class Drawing:
    """Some triangles, each with a face of the shown mesh whose colour and piece it has."""

    vertices: FloatArray  # (v, 3)
    faces: IntArray  # (f, 3) into these
    face_of: IntArray  # (f,) of the shown mesh
    vertex_of: IntArray  # (v,) the nearest of the shown mesh

    @staticmethod
    def plain(mesh: Mesh, seen: BoolArray) -> Drawing:
        """The faces of a mesh that are seen, (F,)."""
        faces = np.flatnonzero(seen)
        return Drawing(mesh.vertices, mesh.faces[faces], faces, np.arange(len(mesh.vertices)))

    @staticmethod
    def outlined(result: Segmentation, seen: BoolArray) -> Drawing:
        """A segmentation with its borders as lines; `seen` (F,) says which faces are, alike in all of a piece."""
        drawn, origin, of_face = result.outlined, result.origin, result.face_instances
        example = np.full(len(result.instances) + 1, -1, dtype=np.int64)  # a face of each piece; the last of none
        example[of_face] = np.arange(len(of_face))
        face_of = example[drawn.face_instances]
        face_of = np.where(face_of >= 0, face_of, origin.face_of[drawn.cut.parent])
        nearest = drawn.cut.sources[np.arange(len(drawn.mesh.vertices)), drawn.cut.weights.argmax(axis=1)]
        own = origin.vertices_from_file(np.arange(origin.vertex_count), 0, len(result.mesh.vertices))
        faces = np.flatnonzero(seen[face_of])
        return Drawing(drawn.mesh.vertices, drawn.mesh.faces[faces], face_of[faces], own[nearest])

    def colours(self, layer: Layer) -> FloatArray:
        """A layer's colours for these triangles, (f, 3), or their vertices, (v, 3)."""
        return layer.colours[self.face_of if layer.on == "faces" else self.vertex_of]
