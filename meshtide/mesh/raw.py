"""Triangles before they are checked: what the doctor examines and mends."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from meshtide.arrays import IntArray
from meshtide.errors import InputError
from meshtide.mesh.mesh import Mesh
from meshtide.mesh.origin import Origin


@dataclass(frozen=True, eq=False)
class RawMesh:
    """A file's triangles, unchecked: the arrays may be empty, not finite or out of range."""

    vertices: NDArray[np.float64]  # (V, 3)
    faces: IntArray  # (F, 3)
    name: str
    origin: Origin
    groups: IntArray | None = None  # (file faces,)
    group_names: tuple[str, ...] = ()

    @staticmethod
    def of(mesh: Mesh) -> RawMesh:
        """A checked mesh, to be examined and mended like one that is not."""
        return RawMesh(mesh.vertices, mesh.faces, mesh.name, mesh.origin)

    def checked(self, place: str | Path | None = None) -> Mesh:
        """These triangles as a mesh; raises InputError, which begins with `place`, if they are not a usable surface."""
        try:
            return Mesh(self.vertices, self.faces, self.name, self.origin)
        except InputError as error:
            raise InputError(f"{place or self.name}: {error.without(self.name)}") from None
