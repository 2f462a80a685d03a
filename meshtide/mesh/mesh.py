"""The mesh that travels through meshtide, checked when it is made."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from meshtide.arrays import FloatArray, IntArray
from meshtide.errors import InputError
from meshtide.mesh.measure import LEAST_AREA, triangle_areas, unit_box
from meshtide.mesh.origin import Origin
from meshtide.mesh.topology import edges_with_uses


@dataclass(frozen=True, eq=False, repr=False)
class Mesh:
    """A checked triangle mesh: finite coordinates, indices in range, at least one face with area.

    >>> import meshtide as mt
    >>> corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    >>> mt.Mesh(corners, [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]], "tetrahedron")
    Mesh('tetrahedron': 4 vertices, 4 faces, 1 x 1 x 1)
    """

    vertices: FloatArray  # (V, 3)
    faces: IntArray  # (F, 3)
    name: str = "mesh"
    origin: Origin = field(default=None)  # type: ignore[assignment]  # __post_init__ fills it in

    def __post_init__(self) -> None:
        object.__setattr__(self, "vertices", np.ascontiguousarray(self.vertices, dtype=np.float64))
        object.__setattr__(self, "faces", np.ascontiguousarray(self.faces, dtype=np.int64))
        if self.origin is None:
            object.__setattr__(self, "origin", Origin.identity(len(self.vertices), len(self.faces)))
        complaint = _first_fault(self.vertices, self.faces)
        if complaint:
            raise InputError(f"{self.name}: {complaint}")

    def __repr__(self) -> str:
        corners = self.vertices[self.faces].reshape(-1, 3)
        with np.errstate(over="ignore"):
            sides = " x ".join(f"{side:.3g}" for side in np.ptp(corners, axis=0))
        came_from = self.origin.vertex_count, self.origin.face_count
        here = len(self.vertices), len(self.faces)
        origin = "" if came_from == here else f", from {came_from[0]:,} vertices and {came_from[1]:,} faces"
        return f"Mesh({self.name!r}: {here[0]:,} vertices, {here[1]:,} faces, {sides}{origin})"

    @cached_property
    def face_areas(self) -> FloatArray:
        """The area of every triangle, (F,)."""
        return triangle_areas(self.vertices, self.faces)

    @property
    def area(self) -> float:
        """The area of the whole surface."""
        return float(self.face_areas.sum())

    def edges(self) -> IntArray:
        """Every undirected edge once, (E, 2), the smaller index first, sorted."""
        return edges_with_uses(self.faces, len(self.vertices))[0]

    def renamed(self, name: str) -> Mesh:
        """The same mesh under another name; its arrays are shared and need no second check."""
        twin = copy(self)
        object.__setattr__(twin, "name", name)
        return twin


def _first_fault(vertices: FloatArray, faces: IntArray) -> str | None:
    """The first reason why these arrays are no usable surface, as the end of a sentence."""
    if vertices.ndim != 2 or vertices.shape[1] != 3 or faces.ndim != 2 or faces.shape[1] != 3:
        return f"vertices {vertices.shape} and faces {faces.shape} should be (V, 3) and (F, 3)"
    if len(faces) == 0:
        return f"{len(vertices):,} vertices and no faces; segmentation needs a surface, not points or lines"
    if faces.min() < 0 or faces.max() >= len(vertices):
        outside = int(((faces < 0) | (faces >= len(vertices))).any(axis=1).sum())
        return (
            f"{outside:,} of {len(faces):,} faces name vertices that do not exist (there are {len(vertices):,}); "
            "`meshtide doctor --fix` removes them"
        )
    bad = int((~np.isfinite(vertices)).any(axis=1).sum())
    if bad:
        return f"{bad:,} of {len(vertices):,} vertices are not finite numbers; `meshtide doctor --fix` removes them"
    with np.errstate(over="ignore", invalid="ignore"):  # unreferenced vertices may lie anywhere
        area = triangle_areas(unit_box(vertices, faces), faces).sum()
    if not area > 0:
        return f"its {len(faces):,} faces have no area; was it flattened to a line or a point?"
    if area < LEAST_AREA:
        return f"its {len(faces):,} faces have next to no area beside its size; do vertices lie far off by mistake?"
    return None
