"""A segmentation on a mesh that is light enough for a browser and for a letter."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from meshtide.arrays import FloatArray, IntArray
from meshtide.inference.segmentation import Segmentation
from meshtide.mesh.decimation import Carrier, simplify
from meshtide.mesh.measure import unit_box
from meshtide.mesh.mesh import Mesh
from meshtide.mesh.topology import used_vertices

MOST_FACES = 200_000  # about 5 MB of page; more would not be seen on a screen


def light(segmentation: Segmentation, most: int = MOST_FACES) -> Segmentation:
    """The segmentation itself, or on a simplified mesh of about `most` faces if it has more.

    Each vertex of the simplified mesh has the part and the confidence of the original vertex that lies nearest to it.
    """
    mesh = segmentation.mesh
    if len(mesh.faces) <= most:
        return segmentation
    used = np.flatnonzero(used_vertices(mesh.faces, len(mesh.vertices)))
    small, carrier = simplify(mesh, max(4, round(most / len(mesh.faces) * len(used))))
    if small is mesh:
        return segmentation
    source = _sources(carrier, mesh, small.vertices, used)
    labels = replace(segmentation.mesh_labels, values=segmentation.mesh_labels.values[source])
    rows = segmentation.mesh_probabilities[source]
    return Segmentation(small, labels, rows, segmentation.colours, segmentation.kind, segmentation.warnings)


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
