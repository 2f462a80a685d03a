"""Areas, sizes and normals of triangle arrays whose indices are in range."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from meshtide.arrays import FloatArray, IntArray

if TYPE_CHECKING:
    from meshtide.mesh.mesh import Mesh


def triangle_areas(vertices: FloatArray, faces: IntArray) -> FloatArray:
    """The area of every triangle, (F,)."""
    a, b, c = (vertices[faces[:, corner]] for corner in range(3))
    return np.asarray(np.linalg.norm(np.cross(b - a, c - a), axis=1) / 2)


def unit_box(vertices: FloatArray, faces: IntArray) -> FloatArray:
    """Vertices moved and scaled so that the faces fill a box of size one, where no area or distance overflows."""
    low, high = np.full(3, np.inf), np.full(3, -np.inf)
    for corner in range(3):
        points = vertices[faces[:, corner]]
        low, high = np.minimum(low, points.min(axis=0)), np.maximum(high, points.max(axis=0))
    half = float((high / 2 - low / 2).max())
    return np.asarray((vertices / 2 - low / 2) / (half or 1.0))


def relative_areas(mesh: Mesh) -> FloatArray:
    """Areas at a scale where none overflows: fractions of area do not depend on the unit of length."""
    with np.errstate(over="ignore", invalid="ignore"):  # vertices that no face uses may lie anywhere
        return triangle_areas(unit_box(mesh.vertices, mesh.faces), mesh.faces)
