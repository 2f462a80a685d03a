"""The fields whose zero level is a figure's surface, and which bone owns a point.

Two constructions over the same bones: distances joined by a smooth minimum (`blended`), and a sum of Gaussians around
the bones (`held-out`). Either is evaluated bone by bone in a box around it, and nowhere else.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from meshtide.arrays import FloatArray, IntArray
from meshtide.data.figures.skeleton import Bone, across, groups, unit

Single = NDArray[np.float32]
Axes = tuple[Single, Single, Single]  # coordinates that broadcast against each other
FAR = 1e3  # a distance at which nothing blends
JOINT = 0.25  # how much of its blending a bone keeps towards the bone that it continues


@dataclass(frozen=True, eq=False)
class Grid:
    """Samples of a field on a regular grid."""

    values: Single  # (X, Y, Z)
    low: FloatArray  # (3,) where values[0, 0, 0] lies
    step: float


@dataclass(frozen=True)
class Field:
    """How bones become a surface: `sharpness` 0 is the smooth minimum, above 0 that of a sum of Gaussians."""

    softness: float = 1.0  # scales every bone's blend
    sharpness: float = 0.0

    def sample(self, bones: Sequence[Bone], step: float) -> Grid:
        """The field on a grid that holds all bones; far from the surface it is only known to be positive."""
        boxes = np.array([self._box(bone) for bone in bones])  # (B, 2, 3)
        low, high = boxes[:, 0].min(axis=0) - 2 * step, boxes[:, 1].max(axis=0) + 2 * step
        shape = tuple(int(n) for n in np.ceil((high - low) / step) + 1)
        ticks = [(low[a] + step * np.arange(shape[a])).astype(np.float32) for a in range(3)]
        values = np.full(shape, FAR if self.sharpness == 0 else 0.0, dtype=np.float32)
        for group in groups(bones):
            corners = np.array([self._box(bone) for bone in group])
            first = np.maximum(np.floor((corners[:, 0].min(axis=0) - low) / step).astype(int) - 1, 0)
            last = np.ceil((corners[:, 1].max(axis=0) - low) / step).astype(int) + 3
            box = tuple(slice(int(i), int(j)) for i, j in zip(first, last, strict=True))
            x, y, z = (ticks[a][box[a]] for a in range(3))
            values[box] = self._join(values[box], group, (x[:, None, None], y[None, :, None], z[None, None, :]))
        return Grid(values if self.sharpness == 0 else self._level(values), low, step)

    def owners(self, bones: Sequence[Bone], points: FloatArray) -> IntArray:
        """For each point the bone that contributes most to the field there."""
        measure = distance if self.sharpness == 0 else relative_distance
        return np.asarray(np.argmin(self._each(bones, points, measure), axis=0))

    def at(self, bones: Sequence[Bone], points: FloatArray) -> FloatArray:
        """The field at points, (N,)."""
        if self.sharpness > 0:
            ratios = self._each(bones, points, relative_distance)
            return self._level(np.exp(-self.sharpness * ratios**2).sum(axis=0)).astype(np.float64)
        axes = _columns(points)
        values = np.full(len(points), FAR, dtype=np.float32)
        for group in groups(bones):
            values = self._join(values, group, axes)
        return values.astype(np.float64)

    def _each(self, bones: Sequence[Bone], points: FloatArray, measure: Callable[[Bone, Axes], Single]) -> Single:
        axes = _columns(points)
        return np.stack([measure(bone, axes) for bone in bones])

    def _box(self, bone: Bone) -> tuple[FloatArray, FloatArray]:
        """The corners of a box outside of which a bone cannot move the zero level."""
        reach = bone.reach + self._width(bone)
        if self.sharpness > 0:
            reach = bone.reach * float(np.sqrt(1 + 6 / self.sharpness))
        return np.minimum(bone.start, bone.end) - reach, np.maximum(bone.start, bone.end) + reach

    def _width(self, bone: Bone) -> float:
        return max(self.softness * bone.blend * bone.radius, 1e-6)

    def _join(self, values: Single, group: Sequence[Bone], axes: Axes) -> Single:
        """What a field becomes where a group of bones is added; inside the group the joints hardly swell."""
        if self.sharpness > 0:
            for bone in group:
                values = values + np.exp(np.float32(-self.sharpness) * relative_distance(bone, axes) ** 2)
            return values
        own = distance(group[0], axes)
        width: Single | np.float32 = np.float32(self._width(group[0]))
        for bone in group[1:]:
            new, wide = distance(bone, axes), np.float32(self._width(bone))
            width = np.where(new < own, wide, width)
            own = smooth_minimum(own, new, np.float32(JOINT * wide))
        return smooth_minimum(values, own, width)

    def _level(self, sums: Single) -> Single:
        """A sum of Gaussians as a relative distance: a lone bone has its zero at its own radius."""
        exponent = -np.log(np.maximum(sums, np.float32(1e-12))) / np.float32(self.sharpness)
        return np.asarray(np.sign(exponent) * np.sqrt(np.abs(exponent)) - 1, dtype=np.float32)


def smooth_minimum(one: Single, two: Single, width: Single | np.float32) -> Single:
    """The smaller of two distances, rounded off where they differ by less than a width."""
    overlap = np.maximum(width - np.abs(one - two), 0)
    return np.asarray(np.minimum(one, two) - overlap * overlap / (4 * width), dtype=np.float32)


def distance(bone: Bone, axes: Axes) -> Single:
    """The signed distance from a bone's surface, exact to first order where the bone is flat."""
    along, radial, steepness, radius = _around(bone, axes)
    own = (radial - radius) / steepness
    if bone.square:
        length = np.float32(np.linalg.norm(bone.end - bone.start))
        own = np.maximum(own, np.maximum(-along, along - length))
    return np.asarray(own)


def relative_distance(bone: Bone, axes: Axes) -> Single:
    """The distance from a bone's axis in units of its radius: 1 on the surface."""
    along, radial, _, radius = _around(bone, axes)
    ratio = radial / radius
    if bone.square:
        length = np.float32(np.linalg.norm(bone.end - bone.start))
        ratio = np.maximum(ratio, 1 + np.maximum(-along, along - length) / np.float32(bone.reach))
    return np.asarray(np.maximum(ratio, 0))


def fraction_along(bone: Bone, points: FloatArray) -> FloatArray:
    """Where points lie along a bone: 0 at its start, 1 at its end, less and more beyond."""
    axis = bone.end - bone.start
    return np.asarray((points - bone.start) @ axis / max(float(axis @ axis), 1e-12))


def _around(bone: Bone, axes: Axes) -> tuple[Single, Single, Single, Single]:
    """Position along the axis, distance from its nearest sphere's middle, that distance's gradient, and the radius.

    A bone is the hull of the spheres along its axis; with a taper the one that a point sees lies towards the thick end.
    A flat bone is round in a space stretched along its thin direction n by 1/q; with v the offset from the middle,
    D² = v² + (1/q² - 1)(v·n)² is the distance there and |∇D| turns it back into one here.
    """
    axis = unit(bone.end - bone.start)
    length = np.float32(max(float(np.linalg.norm(bone.end - bone.start)), 1e-9))
    x, y, z = (tick - np.float32(origin) for tick, origin in zip(axes, bone.start, strict=True))
    along = np.float32(axis[0]) * x + np.float32(axis[1]) * y + np.float32(axis[2]) * z
    beside = x * x + y * y + z * z - along * along  # squared distance from the axis
    flat, q = bone.thin is not None and bone.squash != 1, np.float32(bone.squash)
    if bone.thin is not None and flat:
        n = across(axis, bone.thin).astype(np.float32)
        offset = (n[0] * x + n[1] * y + n[2] * z) ** 2
        beside = beside + (1 / q**2 - 1) * offset
    beside = np.maximum(beside, np.float32(1e-12))
    place = along if bone.square else np.clip(along - _lag(bone, length) * np.sqrt(beside), 0, length)
    square = beside + (along - place) ** 2
    steepness = np.sqrt(1 + (1 / q**4 - 1 / q**2) * offset / square) if flat else np.ones(1, dtype=np.float32)
    share = np.clip(place / length, 0, 1)
    first, last = np.float32(bone.radii[0]), np.float32(bone.radii[1])
    radius = first + (last - first) * share + np.float32(4 * bone.bulge) * share * (1 - share)
    return along, np.sqrt(square), steepness, radius


def _lag(bone: Bone, length: np.float32) -> np.float32:
    """How far behind a point its sphere's middle lies, over the distance from the axis: the tangent of the taper."""
    taper = float(np.clip((bone.radii[0] - bone.radii[1]) / length, -0.95, 0.95))
    return np.float32(taper / np.sqrt(1 - taper**2))


def _columns(points: FloatArray) -> Axes:
    x, y, z = points.astype(np.float32).T
    return x, y, z
