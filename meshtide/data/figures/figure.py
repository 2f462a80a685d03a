"""A generated shape with its parts: what every generator of this folder hands out."""

from __future__ import annotations

from dataclasses import dataclass

from meshtide.arrays import IntArray
from meshtide.mesh.mesh import Mesh


@dataclass(frozen=True, eq=False)
class Figure:
    """A mesh whose faces know their part by name and their piece by number: four legs are one part and four pieces."""

    mesh: Mesh
    parts: tuple[str, ...]  # names of this kind's parts
    face_parts: IntArray  # (F,) index into parts
    face_instances: IntArray  # (F,) piece numbers 0..n-1
