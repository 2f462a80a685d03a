"""Borders between parts, drawn where they are short and lie in hollows: a graph cut on a network's probabilities.

Every labelling l of the vertices of a surface of area one has the energy

    Σ_v area_v · -log p_v(l_v)  +  strength · Σ_uv length_uv · crease_uv · [l_u ≠ l_v]

The first sum approximates an integral over the surface. In the second, length_uv is that of the border between the
neighbours u and v, so the sum is the length of all borders; neither changes with the meshing or the unit. A border
costs less where the surface is hollow across it (crease_uv < 1): people divide shapes there, the "minima rule".

Only a band around the borders of the most probable parts can change, and a vertex in it can have the parts that are
found near it. In the band the energy is lowered by α-expansion (expansion.py). What is left of stray pieces is joined
to their surroundings.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from meshtide.arrays import BoolArray, IntArray, Probabilities
from meshtide.errors import InputError
from meshtide.inference.expansion import Problem, lowered
from meshtide.inference.islands import without_islands
from meshtide.inference.prices import Scaled, Surface, border_prices
from meshtide.mesh.mesh import Mesh
from meshtide.stages import doing

REFINE = True  # whether `segment`, `evaluate` and the command line refine if nothing else is said
# Lengths are in units of the square root of the area: a human body's is some 1.3 m.
STRENGTH = 0.02
BAND = 0.05  # how far from the old border the new one may run
LEAST_RINGS, MOST_RINGS = 3, 60  # of vertices on either side, however coarse or fine the mesh is
MARGIN = 1  # rings around the band that bear on its normals, though nothing in them changes
ISLAND = 1e-3  # the share of the area below which a piece of a part is stray, unless it is the part's largest
PROBABILITY_FLOOR = 1e-3  # networks are surer than they should be; one vertex must be outvoted by its neighbours


def refine(mesh: Mesh, probabilities: NDArray[np.float32], *, strength: float = STRENGTH) -> IntArray:
    """The part of every vertex, (V,), as probabilities (V, P) and short borders in hollows together want it.

    With strength 0 it is the most probable part; the larger, the shorter the borders. A piece of a part that is smaller
    than ISLAND goes to the part around it that loses least, unless it is the largest of its part. Vertices that no
    face uses, and those far from any border, keep their most probable part.
    """
    _check(mesh, probabilities, strength)
    labels: IntArray = np.asarray(probabilities).argmax(axis=1)
    if strength == 0:
        return labels
    doing("straightening borders")
    band = find_band(mesh, labels)
    if band is None:
        return labels
    problem = problem_of(band.surface, probabilities[band.vertices], strength)
    found = lowered(problem, labels[band.vertices], _allowed(band, labels[band.vertices], probabilities.shape[1]))
    labels[band.vertices] = found
    labels[band.vertices] = without_islands(problem, band.surface.areas, band.free, found, ISLAND)
    return labels


def with_refined_borders(mesh: Mesh, probabilities: Probabilities) -> NDArray[np.float32]:
    """Probabilities (V, P) whose most probable part, at every vertex, is the one that `refine` gives it.

    A face's most probable part, from the mean of its corners, is then the one that most of its corners have.
    """
    found = np.asarray(probabilities, dtype=np.float32)
    sharp = np.eye(found.shape[1], dtype=np.float32)[refine(mesh, found)]
    return np.asarray((sharp + found) / 2, dtype=np.float32)


def energy(mesh: Mesh, probabilities: NDArray[np.float32], labels: IntArray, strength: float = STRENGTH) -> float:
    """The energy of a labelling (V,), as the head of this module defines it."""
    _check(mesh, probabilities, strength)
    surface, used = Scaled.of(mesh).part(np.arange(len(mesh.faces)))
    return problem_of(surface, np.asarray(probabilities)[used], strength).energy(np.asarray(labels)[used])


def problem_of(surface: Surface, probabilities: NDArray[np.float32], strength: float) -> Problem:
    """The energy's terms on a surface, or on a part of one."""
    surprise = -np.log(np.maximum(probabilities, PROBABILITY_FLOOR), dtype=np.float64)
    return Problem(surface.areas[:, None] * surprise, surface.edges, strength * border_prices(surface))


@dataclass(frozen=True, eq=False)
class Band:
    """The surface around borders: which of the mesh's vertices it has, and which of these can change."""

    surface: Surface
    vertices: IntArray  # (v,) of the mesh
    free: BoolArray  # (v,)
    rings: int  # on either side of a border


def find_band(mesh: Mesh, labels: IntArray) -> Band | None:
    """The band around the borders of a labelling (V,); None where there is no border."""
    faces = mesh.faces
    a, b, c = labels[faces].T
    border = np.flatnonzero((a != b) | (b != c))
    if len(border) == 0:
        return None
    scaled = Scaled.of(mesh)
    corners = scaled.vertices[faces[border]]
    sides = np.sqrt(((corners - corners[:, [1, 2, 0]]) ** 2).sum(axis=2))
    rings = int(np.clip(np.ceil(BAND / max(float(np.median(sides)), 1e-12)), LEAST_RINGS, MOST_RINGS))
    near = np.zeros(len(labels), dtype=bool)
    near[faces[border].ravel()] = True
    for _ in range(rings - 1):
        _grow(near, faces)
    free = near.copy()
    for _ in range(MARGIN):
        _grow(near, faces)
    surface, vertices = scaled.part(np.flatnonzero(near[faces].any(axis=1)))
    return Band(surface, vertices, free[vertices], rings)


def _grow(near: BoolArray, faces: IntArray) -> None:
    """Mark the neighbours of all marked vertices, too."""
    a, b, c = near[faces].T
    near[faces[a | b | c].ravel()] = True


def _allowed(band: Band, labels: IntArray, parts: int) -> BoolArray:
    """Which parts each vertex of the band may have, (v, P): those found within as many rings as the band has."""
    from scipy.sparse import coo_array

    (tail, head), count = band.surface.edges.T, len(labels)
    ones, every = np.ones(2 * len(tail) + count, dtype=np.float32), np.arange(count)
    rows, columns = np.concatenate([tail, head, every]), np.concatenate([head, tail, every])
    around = coo_array((ones, (rows, columns)), shape=(count, count)).tocsr()
    present, which = np.unique(labels, return_inverse=True)
    found = np.zeros((count, len(present)), dtype=np.float32)
    found[every, which] = 1
    for _ in range(band.rings):
        found = np.minimum(around @ found, 1)
    result = np.zeros((count, parts), dtype=bool)
    result[:, present] = (found > 0) & band.free[:, None]
    return result


def _check(mesh: Mesh, probabilities: NDArray[np.float32], strength: float) -> None:
    probabilities = np.asarray(probabilities)
    if probabilities.ndim != 2 or len(probabilities) != len(mesh.vertices) or probabilities.shape[1] == 0:
        raise InputError(
            f"{mesh.name}: probabilities {probabilities.shape} for {len(mesh.vertices):,} vertices; "
            "wanted one row for each vertex and one column for each part"
        )
    if not np.isfinite(probabilities).all():
        raise InputError(f"{mesh.name}: some probabilities are not finite numbers; did the training diverge?")
    if not (np.isfinite(strength) and strength >= 0):
        raise InputError(f"a strength of {strength}: wanted 0 (most probable parts) or more; {STRENGTH} is usual")
