"""What a network can read at a vertex: a table of words, and how each is computed.

Signatures come from the eigenbasis alone and do not change when a shape bends. Curvature and shape diameter are
measured on the surface in space and do not change when it is turned, moved or scaled. Coordinates and normals turn with
the shape, and whatever reads them has to see to it (meshtide.networks.turning, and meshtide.networks.arrows for what is
called so).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from meshtide.arrays import FloatArray, IntArray
from meshtide.errors import InputError
from meshtide.mesh.measure import sums_at_vertices, triangle_areas, unit, vertex_normals
from meshtide.mesh.mesh import Mesh
from meshtide.mesh.topology import duplicate_faces, repeated_corner
from meshtide.mesh.winding import outward
from meshtide.spectral.curvature import CURVATURE_TIMES, LIMIT, curvature, heat_displacements
from meshtide.spectral.placement import centred, placed
from meshtide.spectral.signatures import hks, hks_times, log_hks, on_unit_area, wks
from meshtide.spectral.spectrum import Eigenbasis, Laplacian, laplacian, to_area_one
from meshtide.spectral.thickness import FAR, NEAR, Inside
from meshtide.spectral.twins import LIKENESS, twins

if TYPE_CHECKING:
    from meshtide.spectral.recipe import GraphRecipe

# The paper's input features are "HKS with dimension 5"; which times it does not say, so these have our usual range.
PAPER_TIMES = hks_times(5)
DIAMETER_SMOOTHING = 2e-3  # the time in which heat crosses a finger, on a surface of area 1


@dataclass(frozen=True, eq=False)
class Measured:
    """A mesh with its eigenbasis, and what features need of its surface, made when one asks for it.

    Where lengths grew by exp(growth), as on a relative, the surface is not in space: each neighbourhood is taken as if
    it had been scaled by its own factor, which is true where the growth is even.
    """

    mesh: Mesh
    basis: Eigenbasis
    growth: FloatArray | None = None  # (V,)
    surface: Laplacian | None = None  # the mesh's surface operator, if somebody has made it

    @cached_property
    def unit(self) -> Eigenbasis:
        """The basis in units of a surface of area 1."""
        return on_unit_area(self.basis)

    @cached_property
    def operator(self) -> Laplacian:
        """The surface operator, whichever one the basis is of; after growth with the mass after growth."""
        surface = self.surface or laplacian(self.mesh, "surface")
        if self.growth is None:
            return surface
        mass = surface.mass * np.exp(2 * self.growth)
        return replace(surface, mass=mass / mass.sum())

    @cached_property
    def stretch(self) -> FloatArray | float:
        """How many times as long lengths are as in space on a surface of area 1, at every vertex, (V, 1)."""
        return 1.0 if self.growth is None else np.exp(self.growth)[:, None]

    @cached_property
    def faces(self) -> IntArray:
        """The faces that are a surface, wound one way and outwards as far as there is an outside, (F, 3)."""
        faces = self.mesh.faces
        sound = faces[~(repeated_corner(faces) | duplicate_faces(faces, len(self.mesh.vertices)))]
        return outward(self.points, sound)

    @cached_property
    def points(self) -> FloatArray:
        """The vertices of the surface at area 1, (V, 3); those that no face uses lie at the origin."""
        used = np.unique(self.mesh.faces)
        points = np.zeros_like(self.mesh.vertices)
        local = np.searchsorted(used, self.mesh.faces)
        points[used] = to_area_one(self.mesh.vertices[used], local)
        return points


def surface_curvature(measured: Measured) -> FloatArray:
    """How a heat step of six times moves every vertex, along the normal and along the surface, (V, 12).

    It is positive where the surface is hollow, negative where it bulges.
    """
    operator = measured.operator
    moved = heat_displacements(operator.matrix, operator.mass, measured.points)
    normals = vertex_normals(measured.points, measured.faces)
    values = curvature(moved, normals) * measured.stretch
    values[operator.mass <= 0] = 0.0
    return np.clip(values, -LIMIT, LIMIT)


def surface_diameter(measured: Measured) -> FloatArray:
    """The logarithm of how thick the body is below every vertex, as it is and smoothed, (V, 2)."""
    points, faces, count = measured.points, measured.faces, len(measured.mesh.vertices)
    normals = unit(np.cross(points[faces[:, 1]] - points[faces[:, 0]], points[faces[:, 2]] - points[faces[:, 0]]))
    lengths = Inside(points, faces).thickness(normals).lengths
    areas = triangle_areas(points, faces)[:, None]
    whole = sums_at_vertices(faces, areas, count)
    logs = sums_at_vertices(faces, areas * np.log(lengths)[:, None], count) / np.where(whole > 0, whole, 1.0)
    logs = np.where(whole > 0, logs + np.log(measured.stretch), 0.0)
    basis = measured.unit
    decay = np.exp(-DIAMETER_SMOOTHING * basis.frequencies)[:, None]
    smooth = basis.vectors @ (decay * (basis.vectors.T @ (basis.mass[:, None] * logs)))
    return np.asarray(np.clip(np.concatenate([logs, smooth], axis=1), np.log(NEAR), np.log(2 * FAR)))


@dataclass(frozen=True)
class Feature:
    """One word of a recipe's `features`: how many columns it gives, and how they are computed."""

    description: str  # a line for help texts
    channels: Callable[[GraphRecipe], int]
    compute: Callable[[Measured, GraphRecipe], FloatArray]  # (V, channels)
    turns: bool = False  # whether every three columns are a vector that turns with the shape
    up: int | None = None  # the axis about which alone they do, where shapes stand upright


FEATURES = {
    "hks": Feature("heat kernel signature", lambda r: len(r.times), lambda m, r: hks(m.unit, r.times)),
    "log-hks": Feature("its logarithm", lambda r: len(r.times), lambda m, r: log_hks(m.unit, r.times)),
    "wks": Feature(
        "wave kernel signature", lambda r: len(r.energies), lambda m, r: wks(m.unit, r.energies, r.energy_width)
    ),
    "hks5": Feature(
        "heat kernel signature at 5 times, as in the paper",
        lambda r: len(PAPER_TIMES),
        lambda m, r: hks(m.unit, PAPER_TIMES),
    ),
    "curvature": Feature(
        "how the surface bends at six scales", lambda r: 2 * len(CURVATURE_TIMES), lambda m, r: surface_curvature(m)
    ),
    "diameter": Feature("how thick the body is below the surface", lambda r: 2, lambda m, r: surface_diameter(m)),
    "twins": Feature(
        "how much of what looks alike lies elsewhere", lambda r: len(LIKENESS), lambda m, r: twins(m.unit, r.times)
    ),
    "coordinates": Feature("where it lies in space", lambda r: 3, lambda m, r: centred(m.points, m.faces), turns=True),
    "normals": Feature(
        "where the surface faces", lambda r: 3, lambda m, r: vertex_normals(m.points, m.faces), turns=True
    ),
    "arrows": Feature("both of these as vectors, for TIDE alone", lambda r: 6, lambda m, r: placed(m.points, m.faces)),
    "upright-y": Feature(
        "both of these, of shapes that stand with y up", lambda r: 6, lambda m, r: placed(m.points, m.faces), True, 1
    ),
    "upright-z": Feature(
        "both of these, of shapes that stand with z up", lambda r: 6, lambda m, r: placed(m.points, m.faces), True, 2
    ),
}


def features_of(measured: Measured, recipe: GraphRecipe) -> FloatArray:
    """The features that a recipe names, side by side, (V, channels)."""
    columns = []
    for word in recipe.features:
        record = FEATURES.get(word)
        if record is None:
            raise InputError(f"feature {word!r} is not known; there are {', '.join(FEATURES)}")
        columns.append(record.compute(measured, recipe))
        wanted = (len(measured.mesh.vertices), record.channels(recipe))
        if columns[-1].shape != wanted:
            raise ValueError(f"feature {word!r} gives {columns[-1].shape} instead of {wanted}")
    return np.concatenate(columns, axis=1)
