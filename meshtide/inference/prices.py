"""What a border costs between each two neighbouring vertices: its length, less where it runs through a hollow.

Lengths are in units of the square root of the whole surface's area, so that neither the meshing nor the unit matters.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from meshtide.arrays import FloatArray, IntArray
from meshtide.mesh.measure import face_normals, unit, unit_box
from meshtide.mesh.mesh import Mesh
from meshtide.mesh.topology import components

SMOOTHING = 0.01  # normals are averaged over this distance, so that noise and fine meshing make no creases
CREASE_RADIUS = 0.2  # where a hollow bends with this radius, a border costs exp(-1) of the way from 1 to the floor
CREASE_FLOOR = 0.2  # and no hollow makes a border cheaper than this
ACCURACY = 1e-3  # of smoothed normals
MOST_STEPS = 60  # towards them


@dataclass(frozen=True, eq=False)
class Surface:
    """A surface of area one, or some of the faces of one, with what integrals and borders on it need."""

    vertices: FloatArray  # (V, 3)
    faces: IntArray  # (F, 3)
    normals: FloatArray  # (F, 3) outwards, twice the faces' areas long
    areas: FloatArray  # (V,) a third of the faces around each vertex
    edges: IntArray  # (E, 2)
    lengths: FloatArray  # (E,) of the border between the ends of an edge


@dataclass(frozen=True, eq=False)
class Scaled:
    """A whole mesh scaled to area one, with the normals of its faces turned outwards."""

    vertices: FloatArray  # (V, 3)
    faces: IntArray  # (F, 3)
    normals: FloatArray  # (F, 3) twice the faces' areas long

    @staticmethod
    def of(mesh: Mesh) -> Scaled:
        """Scale a mesh."""
        with np.errstate(over="ignore", invalid="ignore"):  # vertices that no face uses may lie anywhere
            vertices = unit_box(mesh.vertices, mesh.faces)
            normals = face_normals(vertices, mesh.faces)
            whole = float(np.sqrt(np.einsum("fx,fx->f", normals, normals)).sum() / 2)
            vertices = vertices / np.sqrt(whole)
        return Scaled(vertices, mesh.faces, _turned_outwards(vertices, mesh.faces, normals / whole))

    def part(self, faces: IntArray) -> tuple[Surface, IntArray]:
        """The surface of some of the faces, given by their numbers, and which vertices are its own, ascending."""
        corners = self.faces[faces]
        used, numbers = np.unique(corners, return_inverse=True)
        return _surface(self.vertices[used], numbers.reshape(corners.shape), self.normals[faces]), used


def border_prices(surface: Surface) -> FloatArray:
    """The price of a border between the ends of each edge, (E,): its length, times what its crease makes of it."""
    return surface.lengths * _crease_factors(surface)


def at_ends(edges: IntArray, values: FloatArray, count: int) -> FloatArray:
    """The sum of each vertex's edges' values, (V,)."""
    return sums(edges[:, 0], values, count) + sums(edges[:, 1], values, count)


def sums(groups: IntArray, values: FloatArray, count: int) -> FloatArray:
    """The sum of the values (N,) or (N, 3) in each of `count` groups."""
    if values.ndim == 1:
        return np.asarray(np.bincount(groups, values, count), dtype=np.float64)
    return np.stack([sums(groups, column, count) for column in values.T], axis=1)


def _surface(vertices: FloatArray, faces: IntArray, normals: FloatArray) -> Surface:
    count = len(vertices)
    thirds = np.sqrt(np.einsum("fx,fx->f", normals, normals)) / 6
    areas = sums(faces.ravel(), np.repeat(thirds, 3), count)
    edges, lengths = _border_lengths(vertices, faces)
    return Surface(vertices, faces, normals, areas, edges, lengths)


def _border_lengths(vertices: FloatArray, faces: IntArray) -> tuple[IntArray, FloatArray]:
    """Every edge once, (E, 2), and the length of the border between its ends, (E,).

    In each triangle it runs from the middle of the edge to the centroid: a third of the median. Unlike the distance of
    circumcentres this is never negative, and sound for slivers.
    """
    ends = np.sort(faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
    medians = (vertices[ends[:, 0]] + vertices[ends[:, 1]]) / 2 - vertices[faces[:, [2, 0, 1]].ravel()]
    real = ends[:, 0] != ends[:, 1]
    codes, which = np.unique((ends[:, 0] * len(vertices) + ends[:, 1])[real], return_inverse=True)
    thirds = np.sqrt(np.einsum("ex,ex->e", medians, medians))[real] / 3
    return np.stack(np.divmod(codes, len(vertices)), axis=1), sums(which, thirds, len(codes))


def _crease_factors(surface: Surface) -> FloatArray:
    """What a border across each edge costs, from CREASE_FLOOR (deep hollow) to 1 (flat or bulging), (E,).

    The edge's normal curvature counts, (n_v - n_u)·(v - u) / |v - u|²: how the surface bends from the one part to the
    other. The dihedral angle at the edge would measure the bend across it, which is along the border.
    """
    normals = _smoothed_normals(surface)
    tail, head = surface.edges.T
    steps = surface.vertices[head] - surface.vertices[tail]
    turns = np.einsum("ex,ex->e", normals[head] - normals[tail], steps)
    squares = np.einsum("ex,ex->e", steps, steps)
    curvature = np.divide(turns, squares, out=np.zeros(len(turns)), where=squares > 0)
    return np.asarray(CREASE_FLOOR + (1 - CREASE_FLOOR) * np.exp(CREASE_RADIUS * np.minimum(curvature, 0)))


def _smoothed_normals(surface: Surface) -> FloatArray:
    """Unit normals after heat flowed over the distance SMOOTHING: (A + SMOOTHING² L) n = A n₀, (V, 3)."""
    from scipy.sparse import coo_array

    (tail, head), count = surface.edges.T, len(surface.vertices)
    gaps = np.linalg.norm(surface.vertices[head] - surface.vertices[tail], axis=1)
    # A floor under the gap bounds what two coincident vertices exchange.
    flow = SMOOTHING**2 * surface.lengths / np.maximum(gaps, 1e-3 * surface.lengths.mean())
    diagonal = surface.areas + 1e-12 + at_ends(surface.edges, flow, count)
    rows, columns = np.concatenate([tail, head]), np.concatenate([head, tail])
    between = coo_array((np.tile(flow, 2), (rows, columns)), shape=(count, count)).tocsr()
    start = unit(sums(surface.faces.ravel(), np.repeat(surface.normals, 3, axis=0), count))
    return unit(_solved(between, diagonal, (surface.areas + 1e-12)[:, None] * start, start))


def _solved(between: Any, diagonal: FloatArray, right: FloatArray, start: FloatArray) -> FloatArray:
    """The x (V, 3) with diagonal · x - between @ x = right, by conjugate gradients, all columns at once."""
    scale = 1 / diagonal[:, None]
    x, residual = start.copy(), right - (diagonal[:, None] * start - between @ start)
    enough = ACCURACY**2 * _columns(right, right)
    step, old = scale * residual, _columns(residual, scale * residual)
    for _ in range(MOST_STEPS):
        if (_columns(residual, residual) <= enough).all():
            break
        image = diagonal[:, None] * step - between @ step
        share = old / np.maximum(_columns(step, image), 1e-300)
        x, residual = x + share * step, residual - share * image
        scaled = scale * residual
        new = _columns(residual, scaled)
        step, old = scaled + new / np.maximum(old, 1e-300) * step, new
    return np.asarray(x)


def _columns(one: FloatArray, other: FloatArray) -> FloatArray:
    """The scalar products of the columns of two arrays."""
    return np.asarray(np.einsum("vx,vx->x", one, other))


def _turned_outwards(vertices: FloatArray, faces: IntArray, normals: FloatArray) -> FloatArray:
    """The normals of the faces, (F, 3); those of closed components that are inside out are turned.

    In a closed surface the normals add up to nothing, and the volume below the faces tells inside from outside. Where
    there are wide openings, the order of the faces' corners is all that says which side is meant.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        count, piece_of = components(faces, len(vertices))
    corners = faces[:, 0]
    piece, points = piece_of[corners], vertices[corners]  # any point of a face tells its distance from the middle
    centres = sums(piece, points, count) / np.bincount(piece, minlength=count)[:, None]
    volumes = sums(piece, np.einsum("fx,fx->f", normals, points - centres[piece]), count)
    areas = sums(piece, np.sqrt(np.einsum("fx,fx->f", normals, normals)), count)
    closed = np.sqrt((sums(piece, normals, count) ** 2).sum(axis=1)) < 0.1 * areas
    inside_out = closed & (volumes < 0)
    return np.where(inside_out[piece, None], -normals, normals) if inside_out.any() else normals
