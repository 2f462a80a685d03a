"""Where a vertex lies on its shape, and which way the surface faces there, in the coordinates that the file has."""

from __future__ import annotations

import numpy as np

from meshtide.arrays import FloatArray, IntArray
from meshtide.mesh.measure import sums_at_vertices, triangle_areas, vertex_normals


def centred(points: FloatArray, faces: IntArray) -> FloatArray:
    """Points with the middle of the surface at the origin, (V, 3); those that no face uses lie there too."""
    areas = sums_at_vertices(faces, triangle_areas(points, faces)[:, None], len(points))[:, 0]
    middle = areas @ points / max(float(areas.sum()), np.finfo(float).tiny)
    return np.where(areas[:, None] > 0, points - middle, 0.0)


def placed(points: FloatArray, faces: IntArray) -> FloatArray:
    """Where each vertex lies, and then where the surface faces there, (V, 6)."""
    return np.concatenate([centred(points, faces), vertex_normals(points, faces)], axis=1)
