"""Areas, sizes and normals of triangle arrays whose indices are in range."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

from meshtide.arrays import CHUNK, FloatArray, IntArray

if TYPE_CHECKING:
    from meshtide.mesh.mesh import Mesh


# Of a whole surface in a box of size one: what is smaller is lost when 64-bit coordinates are moved and scaled.
LEAST_AREA = 1e-30
Number = TypeVar("Number", np.float32, np.float64)


def triangle_areas(vertices: FloatArray, faces: IntArray) -> FloatArray:
    """The area of every triangle, (F,)."""
    areas = np.empty(len(faces))
    for start in range(0, len(faces), CHUNK):
        x, y, z = face_normals(vertices, faces[start : start + CHUNK]).T
        areas[start : start + CHUNK] = np.sqrt(x * x + y * y + z * z)
    areas /= 2
    return areas


def face_normals(vertices: FloatArray, faces: IntArray) -> FloatArray:
    """The normal of every triangle, twice its area long, (F, 3)."""
    normals = np.empty((len(faces), 3), dtype=vertices.dtype)
    for start in range(0, len(faces), CHUNK):
        a, b, c = (vertices[corner] for corner in faces[start : start + CHUNK].T)
        normals[start : start + CHUNK] = cross(b - a, c - a)
    return normals


def vertex_normals(vertices: FloatArray, faces: IntArray) -> FloatArray:
    """The normal of every vertex, of length one, (V, 3): the mean of its faces' by area; zero where there is none."""
    return unit(sums_at_vertices(faces, face_normals(vertices, faces), len(vertices)))


def smooth_normals(vertices: FloatArray, faces: IntArray) -> FloatArray:
    """Like vertex_normals, but the mean by angle: the same however the faces around are cut into triangles.

    For what is looked at. It takes several times as long, and a sliver's wide angles count as much as any face's.
    """
    corners = vertices[faces]
    ahead, behind = unit(corners[:, [1, 2, 0]] - corners), unit(corners[:, [2, 0, 1]] - corners)
    flat = unit(cross(ahead[:, 0], behind[:, 0]))[:, None, :]  # (F, 1, 3)
    angles = np.arccos(np.einsum("fcx,fcx->fc", ahead, behind).clip(-1, 1))
    return unit(sums_at_vertices(faces, angles[:, :, None] * flat, len(vertices)))


def sums_at_vertices(faces: IntArray, values: FloatArray, vertex_count: int) -> FloatArray:
    """The sum at each vertex, (V, C), of what the faces around it have, (F, C), or their corners there, (F, 3, C)."""
    corners = np.broadcast_to(values if values.ndim == 3 else values[:, None], (len(faces), 3, values.shape[-1]))
    columns = [np.bincount(faces.ravel(), corners[:, :, x].ravel(), vertex_count) for x in range(values.shape[-1])]
    return np.stack(columns, axis=1, dtype=np.float64)


def unit(vectors: NDArray[Number]) -> NDArray[Number]:
    """Vectors of length one; those without a direction stay zero."""
    x, y, z = np.moveaxis(vectors, -1, 0)
    lengths = np.sqrt(x * x + y * y + z * z)[..., None]  # the bits of np.linalg.norm, many times faster
    return np.asarray(vectors / np.where(lengths > 0, lengths, 1), dtype=vectors.dtype)


def cross(a: FloatArray, b: FloatArray) -> FloatArray:
    """The cross product of the last axes; numpy's own takes several times as long."""
    (ax, ay, az), (bx, by, bz) = np.moveaxis(a, -1, 0), np.moveaxis(b, -1, 0)
    return np.stack([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx], axis=-1)


def unit_box(vertices: FloatArray, faces: IntArray) -> FloatArray:
    """Vertices moved and scaled so that the faces fill a box of size one, where no area or distance overflows."""
    used = np.zeros(len(vertices), dtype=bool)
    used[faces] = True
    low, high = extent(vertices if used.all() else vertices[used])
    half = float((high / 2 - low / 2).max())
    with np.errstate(over="ignore", invalid="ignore"):  # vertices that no face uses may lie anywhere
        return np.asarray((vertices / 2 - low / 2) / (half or 1.0))


def extent(points: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The smallest and the largest coordinates; column by column, as numpy takes several times as long for all."""
    return np.array([column.min() for column in points.T]), np.array([column.max() for column in points.T])


def relative_areas(mesh: Mesh) -> FloatArray:
    """Areas at a scale where none overflows: fractions of area do not depend on the unit of length."""
    with np.errstate(over="ignore", invalid="ignore"):  # vertices that no face uses may lie anywhere
        return triangle_areas(unit_box(mesh.vertices, mesh.faces), mesh.faces)
