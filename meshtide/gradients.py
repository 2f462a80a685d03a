"""Derivatives of a signal along two tangents of every vertex, from the mesh alone."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from meshtide.mesh import FloatArray, Mesh


def basis_gradients(
    mesh: Mesh, vectors: NDArray[np.float32], growth: FloatArray | None = None
) -> NDArray[np.float32]:
    """The derivatives of eigenvectors, (V, K), along two tangents of every vertex, (2, V, K).

    `growth` is the logarithm of what lengths were multiplied by, (V,), where the metric is not the mesh's own; both
    are of a surface of area 1.
    """
    derivatives = (vertex_gradients(mesh) @ vectors).reshape(2, *vectors.shape)
    if growth is not None:
        derivatives *= np.exp(-growth)[None, :, None]
    return derivatives.astype(np.float32)


def vertex_gradients(mesh: Mesh) -> sparse.csc_array[np.float64]:
    """The gradient of a piecewise linear signal, averaged at vertices by face area, on the surface of area 1, (2V, V).

    Row v is the derivative along vertex v's first tangent and row V + v along the second. The first tangent is an
    arbitrary direction in the plane across the vertex normal: only what is blind to its rotation may use these.
    """
    scale = np.sqrt(mesh.area)
    points, areas = mesh.vertices / scale, mesh.face_areas / scale**2
    corners = points[mesh.faces]  # (F, 3, 3)
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    doubled = np.linalg.norm(normals, axis=1, keepdims=True)
    sound = np.flatnonzero(doubled[:, 0] > 1e-12)
    units = normals[sound] / doubled[sound]
    # The gradient of corner i's hat function: its opposite edge turned by 90 degrees, over twice the area.
    opposite = corners[sound][:, [2, 0, 1]] - corners[sound][:, [1, 2, 0]]
    hats = np.cross(units[:, None], opposite) / doubled[sound][:, None]  # (F, 3, 3)
    first, second = _tangents(mesh, normals)
    weights = areas[sound] / np.maximum(np.bincount(mesh.faces[sound].ravel(), np.repeat(areas[sound], 3),
                                                    len(points)), 1e-30)[mesh.faces[sound]].T  # fmt: skip
    rows, columns, values = [], [], []
    for axis, tangent in enumerate((first, second)):
        for at in range(3):
            for of in range(3):
                vertex = mesh.faces[sound, at]
                rows.append(axis * len(points) + vertex)
                columns.append(mesh.faces[sound, of])
                values.append(weights[at] * np.einsum("fx,fx->f", hats[:, of], tangent[vertex]))
    entries = (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns)))
    return sparse.csc_array(entries, shape=(2 * len(points), len(points)))


def _tangents(mesh: Mesh, normals: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Two unit vectors across the normal of every vertex."""
    normal = np.zeros_like(mesh.vertices)
    for corner in range(3):
        np.add.at(normal, mesh.faces[:, corner], normals)
    length = np.linalg.norm(normal, axis=1, keepdims=True)
    normal = np.where(length > 0, normal / np.where(length > 0, length, 1), [0.0, 0.0, 1.0])
    helper = np.eye(3)[np.abs(normal).argmin(axis=1)]
    first = np.cross(normal, helper)
    first /= np.linalg.norm(first, axis=1, keepdims=True)
    return first, np.cross(normal, first)
