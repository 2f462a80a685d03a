"""Derivatives of a signal along two tangents of every vertex, from the mesh alone."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from meshtide.arrays import FloatArray, IntArray
from meshtide.mesh.measure import cross, sums_at_vertices, unit
from meshtide.mesh.mesh import Mesh


def basis_gradients(mesh: Mesh, vectors: NDArray[np.float32], growth: FloatArray | None = None) -> NDArray[np.float32]:
    """The derivatives of eigenvectors, (V, K), along two tangents of every vertex, (2, V, K).

    `growth` is the logarithm of what lengths were multiplied by, (V,), where the metric is not the mesh's own; both
    are of a surface of area 1.
    """
    derivatives = (vertex_gradients(mesh).astype(np.float32) @ vectors).reshape(2, *vectors.shape)
    if growth is not None:
        derivatives *= np.exp(-growth).astype(np.float32)[None, :, None]
    return np.asarray(derivatives)


def vertex_gradients(mesh: Mesh) -> sparse.csr_array[np.float64]:
    """The gradient of a piecewise linear signal, averaged at vertices by face area, on the surface of area 1, (2V, V).

    Row v is the derivative along vertex v's first tangent and row V + v along the second. The first tangent is an
    arbitrary direction in the plane across the vertex normal: only what is blind to its rotation may use these.
    """
    count, faces = len(mesh.vertices), mesh.faces
    corners = (mesh.vertices / np.sqrt(mesh.area))[faces]  # (F, 3, 3)
    normals = cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    doubled = np.sqrt(np.einsum("fx,fx->f", normals, normals))
    area_around = np.bincount(faces.ravel(), np.repeat(doubled, 3), count)  # twice that of each vertex's faces
    # Twice its area times the gradient of corner i's hat function is the opposite edge turned by 90 degrees.
    units = normals / np.where(doubled > 1e-12, doubled, np.inf)[:, None]
    hats = cross(units[:, None], corners[:, [2, 0, 1]] - corners[:, [1, 2, 0]])  # (F, 3, 3)
    tangents = _tangents(faces, normals, count) / np.maximum(area_around, 1e-30)[:, None]  # (2, V, 3)
    values = np.matmul(tangents[:, faces], hats.transpose(0, 2, 1))  # (2, F, at 3, of 3)
    short = faces.astype(np.int32)  # half as much to sort
    rows = np.broadcast_to(short[:, :, None] + np.array([0, count], np.int32)[:, None, None, None], values.shape)
    columns = np.broadcast_to(short[:, None, :], values.shape)
    entries = (values.ravel(), (rows.ravel(), columns.ravel()))
    return sparse.csr_array(sparse.coo_array(entries, shape=(2 * count, count)))


def _tangents(faces: IntArray, normals: FloatArray, count: int) -> FloatArray:
    """Two unit vectors across the normal of every vertex, (2, V, 3)."""
    normal = unit(sums_at_vertices(faces, normals, count))
    normal[~normal.any(axis=1)] = [0.0, 0.0, 1.0]
    first = unit(cross(normal, np.eye(3)[np.abs(normal).argmin(axis=1)]))
    return np.stack([first, cross(normal, first)])
