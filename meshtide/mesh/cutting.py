"""Triangles cut where labels meet, so that a border is a line across them and not a row of their sides.

A triangle whose corners have two labels is cut by a straight line, one with three by three lines that meet inside. Each
side of a triangle has at most one cut, at a place that only its two ends decide: both triangles at a side are cut in
one point, and what was watertight stays so.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from meshtide.arrays import BoolArray, FloatArray, IntArray
from meshtide.mesh.mesh import Mesh

NEAREST = 1e-4  # how near to its ends a side may be cut, so that no triangle vanishes
INNERMOST = 0.02  # the least share that each corner has in the point where three lines meet


@dataclass(frozen=True, eq=False)
class Crossings:
    """The sides of triangles whose ends have different labels, and the triangles that have some."""

    sides: IntArray  # (S, 2) vertices, the smaller first
    faces: IntArray  # (C,) triangles with two or three such sides, ascending
    side_of: IntArray  # (C, 3) the side behind each corner (from corner c to the next), -1 where it is not crossed

    @property
    def triple(self) -> BoolArray:
        """Which of these triangles have three labels, (C,)."""
        return np.asarray((self.side_of >= 0).all(axis=1))


@dataclass(frozen=True, eq=False)
class Cut:
    """A mesh after cutting: the vertices of the old mesh come first, those of cuts behind them."""

    vertices: FloatArray  # (v, 3)
    faces: IntArray  # (f, 3)
    parent: IntArray  # (f,) the old triangle that each lies in
    owner: IntArray  # (f,) the old vertex whose side of the border each lies on
    sources: IntArray  # (v, 3) the old vertices that each vertex lies between
    weights: FloatArray  # (v, 3) and how much each of these counts; rows add up to 1
    old_faces: IntArray  # (F, 3) the old triangles

    @property
    def added(self) -> int:
        """How many vertices the cuts have made."""
        return int((self.weights[:, 0] < 1).sum())

    def carried(self, values: NDArray[Any]) -> NDArray[Any]:
        """Values at the old vertices, (V, …), interpolated at the new ones, (v, …)."""
        new = slice(len(values), None)
        shape = (-1, *[1] * (values.ndim - 1))
        between = sum(self.weights[new, k].reshape(shape) * values[self.sources[new, k]] for k in range(3))
        return np.concatenate([values, np.asarray(between, dtype=values.dtype).reshape(-1, *values.shape[1:])])

    def carried_corners(self, values: NDArray[Any]) -> NDArray[Any]:
        """Values at the corners of the old triangles, (F, 3, C), interpolated at those of the new ones, (f, 3, C)."""
        result = values[self.parent]
        torn = np.flatnonzero((self.faces != self.old_faces[self.parent]).any(axis=1))
        corners, parents = self.faces[torn], self.old_faces[self.parent[torn]]
        # How much each corner of the old triangle counts at each of the new one.
        same = np.equal(self.sources[corners][:, :, :, None], parents[:, None, None, :])
        shares = np.einsum("fck,fckp->fcp", self.weights[corners], same)
        result[torn] = np.einsum("fcp,fpx->fcx", shares, values[self.parent[torn]])
        return result


def crossings(faces: IntArray, labels: IntArray) -> Crossings:
    """Where the labels (V,) of a triangle's corners differ."""
    a, b, c = labels[faces].T
    crossed = np.flatnonzero((a != b) | (b != c))
    corners = faces[crossed]
    ahead = corners[:, [1, 2, 0]]
    differ = labels[corners] != labels[ahead]
    low, high = np.minimum(corners, ahead)[differ], np.maximum(corners, ahead)[differ]
    codes, which = np.unique(low * max(len(labels), 1) + high, return_inverse=True)
    side_of = np.full(corners.shape, -1, dtype=np.int64)
    side_of[differ] = which
    return Crossings(np.stack(np.divmod(codes, max(len(labels), 1)), axis=1), crossed, side_of)


def cut(mesh: Mesh, found: Crossings, shares: FloatArray, middles: FloatArray) -> Cut:
    """Cut a mesh's triangles.

    `shares` (S,) say how far from its first end each side is cut, from 0 to 1; `middles` (T, 3) where the lines meet in
    each triangle with three labels, as shares of its corners; what is not inside is moved there.
    """
    count, sides, triples = len(mesh.vertices), found.sides, found.faces[found.triple]
    shares, middles = shares.clip(NEAREST, 1 - NEAREST), _inside(middles)
    own = np.arange(count)
    sources = np.concatenate([np.stack([own] * 3, axis=1), sides[:, [0, 1, 1]], mesh.faces[triples]])
    on_sides = np.stack([1 - shares, shares, np.zeros(len(shares))], axis=1)
    weights = np.concatenate([np.tile([1.0, 0.0, 0.0], (count, 1)), on_sides, middles])
    new = np.einsum("vk,vkx->vx", weights[count:], mesh.vertices[sources[count:]])
    middle_of = np.full(len(found.faces), -1, dtype=np.int64)
    middle_of[found.triple] = count + len(sides) + np.arange(len(triples))
    faces, row, owner = _pieces(mesh.faces[found.faces], found.side_of, count, middle_of)
    whole = np.ones(len(mesh.faces), dtype=bool)
    whole[found.faces] = False
    return Cut(
        np.concatenate([mesh.vertices, new]),
        np.concatenate([mesh.faces[whole], faces]),
        np.concatenate([np.flatnonzero(whole), found.faces[row]]),
        np.concatenate([mesh.faces[whole, 0], owner]),
        sources,
        weights,
        mesh.faces,
    )


def _inside(middles: FloatArray) -> FloatArray:
    """Points in triangles, each corner with some share at least; the middle where there is no such point."""
    usable: BoolArray = np.asarray(np.isfinite(middles).all(axis=1))
    inner = np.where(usable[:, None], middles, 1 / 3).clip(INNERMOST, 1)
    return np.asarray(inner / inner.sum(axis=1, keepdims=True))


def _pieces(
    corners: IntArray, side_of: IntArray, count: int, middle_of: IntArray
) -> tuple[IntArray, IntArray, IntArray]:
    """The triangles that cut ones fall into, wound as these: corners, the row of the one cut, the owner."""
    points = count + side_of
    faces, rows, owners = [], [], []
    for c in range(3):  # the lonely corner of two labels lies between two crossed sides
        ahead, behind = (c + 1) % 3, (c + 2) % 3
        lonely = np.flatnonzero((side_of[:, c] >= 0) & (side_of[:, behind] >= 0) & (side_of[:, ahead] < 0))
        o, p, q = corners[lonely][:, [c, ahead, behind]].T
        first, last = points[lonely, c], points[lonely, behind]
        for face, owner in (((o, first, last), o), ((first, p, q), p), ((first, q, last), q)):
            faces.append(np.stack(face, axis=1))
            rows.append(lonely)
            owners.append(owner)
        triple = np.flatnonzero(middle_of >= 0)
        o, middle = corners[triple, c], middle_of[triple]
        for face in ((o, points[triple, c], middle), (o, middle, points[triple, behind])):
            faces.append(np.stack(face, axis=1))
            rows.append(triple)
            owners.append(o)
    return np.concatenate(faces), np.concatenate(rows), np.concatenate(owners)
