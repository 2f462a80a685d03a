"""What a page draws: a mesh that is light enough for a browser and for a letter, and what is known of its elements."""

from __future__ import annotations

import numpy as np

from meshtide.arrays import FloatArray, IntArray
from meshtide.inference.outline import Outlined, outline_of_vertices
from meshtide.inference.segmentation import Segmentation
from meshtide.mesh.decimation import Carrier, simplify
from meshtide.mesh.measure import unit_box
from meshtide.mesh.mesh import Mesh
from meshtide.mesh.topology import used_vertices

MOST_FACES = 200_000  # about 5 MB of page; more would not be seen on a screen


def light(segmentation: Segmentation, most: int = MOST_FACES) -> Outlined:
    """The segmentation's mesh as it is drawn, or a simplified one of about `most` faces if it has more.

    Each vertex of the simplified mesh has the instance and the confidence of the original vertex that lies nearest.
    """
    mesh = segmentation.mesh
    if len(mesh.faces) <= most:
        return segmentation.outlined
    used = np.flatnonzero(used_vertices(mesh.faces, len(mesh.vertices)))
    small, carrier = simplify(mesh, max(4, round(most / len(mesh.faces) * len(used))))
    if small is mesh:
        return segmentation.outlined
    source = _sources(carrier, mesh, small.vertices, used)
    return outline_of_vertices(small, segmentation.mesh_vertex_instances[source], segmentation.mesh_confidence[source])


def _sources(carrier: Carrier, mesh: Mesh, simplified: FloatArray, used: IntArray) -> IntArray:
    """For each simplified vertex the original one that counts it most, so nearest on the surface; else in space."""
    source = np.full(carrier.vertex_count, -1, dtype=np.int64)
    weights = carrier.weights[used].ravel()
    order = np.argsort(weights, kind="stable")  # the heaviest is written last
    order = order[weights[order] > 0]
    source[carrier.corners[used].ravel()[order]] = np.repeat(used, 3)[order]
    lost = np.flatnonzero(source < 0)
    if len(lost):
        from scipy.spatial import cKDTree

        # In a box of size one, where no distance overflows.
        points = unit_box(np.concatenate([mesh.vertices, simplified[lost]]), mesh.faces)
        source[lost] = used[cKDTree(points[used]).query(points[len(mesh.vertices) :])[1]]
    return source
