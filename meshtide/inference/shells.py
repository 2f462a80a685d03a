"""Small shells follow the large one they sit on.

A character's eyes, teeth, buttons and clothes are often shells of their own. To a network that reads one connected
surface they are noise: they change the eigenbasis of the whole, and what they are shows in what they sit on alone. So
the body is looked at without them, and each gets the part of the place that it sits on.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from meshtide.arrays import FloatArray, IntArray
from meshtide.mesh.measure import triangle_areas
from meshtide.mesh.mesh import Mesh
from meshtide.mesh.topology import components, without_unused

SMALL = 0.02  # of the area: a shell up to this follows whatever is nearest, and has one part
NEAR = 0.03  # of the length of a side of a square with the mesh's area: so near lies what sits on something
COVERED = 0.7  # of a larger shell's area must be near a shell that is larger still, for it to follow
LEAST = 4  # vertices of what is left


@dataclass(frozen=True, eq=False)
class Stripped:
    """A mesh without the shells that follow others, and how values on it become values on the whole."""

    whole: Mesh
    mesh: Mesh  # what is left
    kept: IntArray  # (v,) the whole's vertex of every vertex that is left
    single: IntArray  # (V,) the number of the shell of each vertex that has one part with its shell; -1 for others

    def to_whole(self, values: NDArray[np.float32]) -> NDArray[np.float32]:
        """Rows at the vertices that are left (v, C) as rows at all vertices (V, C): from the nearest ones."""
        result = values[self._nearest].mean(axis=1)
        result[self.kept] = values
        grouped = self.single >= 0
        if grouped.any():
            numbers = self.single[grouped]
            counts = np.bincount(numbers)
            means = np.stack([np.bincount(numbers, column) for column in result[grouped].T], axis=1)
            result[grouped] = (means / np.maximum(counts, 1)[:, None])[numbers]
        return np.asarray(result, dtype=np.float32)

    @cached_property
    def _nearest(self) -> IntArray:
        from scipy.spatial import cKDTree

        count = min(3, len(self.mesh.vertices))
        return np.asarray(cKDTree(self.mesh.vertices).query(self.whole.vertices, k=list(range(1, count + 1)))[1])


def strip(mesh: Mesh) -> Stripped | None:
    """The mesh without the shells that sit on larger ones; None where there are none."""
    count, shell_of = components(mesh.faces, len(mesh.vertices))
    if count < 2:
        return None
    shells = shell_of[mesh.faces[:, 0]]
    areas = np.bincount(shells, triangle_areas(mesh.vertices, mesh.faces), count).astype(np.float64)
    order = np.argsort(-areas, kind="stable")
    following = _following(mesh, shells, areas, order)
    if not following.any():
        return None
    used, faces = without_unused(mesh.faces[~following[shells]], len(mesh.vertices))
    if len(used) < LEAST:
        return None
    small = following & (areas <= SMALL * areas.sum())
    single = np.where((shell_of >= 0) & small[shell_of], shell_of, -1)
    return Stripped(mesh, Mesh(mesh.vertices[used], faces, mesh.name), used, single)


def _following(mesh: Mesh, shells: IntArray, areas: FloatArray, order: IntArray) -> NDArray[np.bool_]:
    """Which shells follow others: the small ones, and those that lie along a larger one nearly everywhere."""
    from scipy.spatial import cKDTree

    whole = areas.sum()
    following: NDArray[np.bool_] = np.asarray(areas <= SMALL * whole)
    following[order[0]] = False
    large = [number for number in order.tolist() if not following[number]]
    centres = mesh.vertices[mesh.faces].mean(axis=1)
    weights = triangle_areas(mesh.vertices, mesh.faces)
    reach = NEAR * np.sqrt(whole)
    for place, number in enumerate(large[1:], start=1):
        bearing = np.isin(shells, [other for other in large[:place] if not following[other]])
        mine = np.flatnonzero(shells == number)
        points = np.concatenate([centres[bearing], mesh.vertices[np.unique(mesh.faces[bearing])]])
        gaps = cKDTree(points).query(centres[mine], distance_upper_bound=reach)[0]
        following[number] = weights[mine][np.isfinite(gaps)].sum() > COVERED * weights[mine].sum()
    return following
