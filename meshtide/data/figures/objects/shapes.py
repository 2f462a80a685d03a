"""The solids that objects are made of: each knows its signed distance and can be made with sharp edges."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from meshtide.arrays import FloatArray, IntArray
from meshtide.data.figures.field import Axes, Single
from meshtide.data.figures.objects.outlines import Outline


class Shape(Protocol):
    """A solid around its own origin."""

    @property
    def bounds(self) -> tuple[FloatArray, FloatArray]:
        """The corners of a box that holds it."""

    @property
    def thickness(self) -> float:
        """About how thick its thinnest place is."""

    def distance(self, axes: Axes) -> Single:
        """The signed distance from its surface, negative inside, exact to first order near the surface."""

    def solid(self, segments: int) -> Any:
        """The same as a manifold3d.Manifold with sharp edges, a full circle in so many segments."""


@dataclass(frozen=True, eq=False)
class Box:
    """A block, with rounded edges, and a top that may be narrower than its bottom."""

    half: FloatArray  # (3,)
    rounding: float = 0.0
    top: tuple[float, float] = (1.0, 1.0)  # scale of x and y at the top, over that at the bottom

    @property
    def bounds(self) -> tuple[FloatArray, FloatArray]:
        """The corners of a box that holds it."""
        reach = self.half * np.array([max(1.0, self.top[0]), max(1.0, self.top[1]), 1.0])
        return -reach, reach

    @property
    def thickness(self) -> float:
        """About how thick its thinnest place is."""
        return float(2 * (self.half * np.array([min(1, self.top[0]), min(1, self.top[1]), 1.0])).min())

    def distance(self, axes: Axes) -> Single:
        """The signed distance from its surface."""
        rounding = np.float32(min(self.rounding, 0.49 * self.thickness))
        share = np.clip(axes[2] / np.float32(2 * self.half[2]) + np.float32(0.5), 0, 1)
        outside, inside = np.float32(0), np.float32(-1e9)
        for number, axis in enumerate(axes):
            half: Any = np.float32(self.half[number])
            if number < 2 and self.top[number] != 1:
                half = half * (1 + np.float32(self.top[number] - 1) * share)
            over = np.abs(axis) - half + rounding
            outside = outside + np.maximum(over, 0) ** 2
            inside = np.maximum(inside, over)
        return np.asarray(np.sqrt(outside) + np.minimum(inside, 0) - rounding, dtype=np.float32)

    def solid(self, segments: int) -> Any:
        """The same with sharp edges; a rounded one has its edges broken."""
        from manifold3d import Manifold

        signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=np.float64)
        inset = min(self.rounding, 0.45 * self.thickness) * 0.6
        insets = [np.zeros(3)] if inset < 0.02 * self.thickness else [inset * (1 - e) for e in np.eye(3)]
        points = np.concatenate([signs * (self.half - less) for less in insets])
        top = np.array([*self.top, 1.0])
        return Manifold.hull_points(np.where(points[:, 2:] > 0, points * top, points))


@dataclass(frozen=True, eq=False)
class Ellipsoid:
    """A ball, stretched along its axes."""

    radii: FloatArray  # (3,)

    @property
    def bounds(self) -> tuple[FloatArray, FloatArray]:
        """The corners of a box that holds it."""
        return -self.radii, self.radii

    @property
    def thickness(self) -> float:
        """About how thick its thinnest place is."""
        return float(1.4 * self.radii.min())

    def distance(self, axes: Axes) -> Single:
        """The signed distance from its surface."""
        scaled = [axis / np.float32(radius) for axis, radius in zip(axes, self.radii, strict=True)]
        length = np.sqrt(scaled[0] ** 2 + scaled[1] ** 2 + scaled[2] ** 2)
        steep = [(axis / np.float32(radius)) ** 2 for axis, radius in zip(scaled, self.radii, strict=True)]
        slope = np.sqrt(np.maximum(steep[0] + steep[1] + steep[2], np.float32(1e-12)))
        near = length * (length - 1) / slope
        return np.asarray(np.where(length < 0.05, -np.float32(self.radii.min()), near), dtype=np.float32)

    def solid(self, segments: int) -> Any:
        """The same as facets."""
        from manifold3d import Manifold

        return Manifold.sphere(1.0, max(12, 4 * (segments // 4))).scale(tuple(self.radii))


@dataclass(frozen=True, eq=False)
class Turned:
    """What a lathe makes: an outline of (radius, height) turned around the z axis, perhaps squashed along y."""

    outline: Outline
    squash: float = 1.0

    @property
    def bounds(self) -> tuple[FloatArray, FloatArray]:
        """The corners of a box that holds it."""
        low, high = self.outline.bounds
        reach = np.array([high[0], high[0] * self.squash])
        return np.array([*-reach, low[1]]), np.array([*reach, high[1]])

    @property
    def thickness(self) -> float:
        """About how thick its thinnest place is."""
        low, high = self.outline.bounds
        ring = low[0] > 1e-6
        across = self.outline.breadth * (1.2 if ring else 2.0 * min(1.0, self.squash))
        return float(min(across, high[1] - low[1]))

    def distance(self, axes: Axes) -> Single:
        """The signed distance from its surface."""
        x, y, z = axes
        radius = np.sqrt(x * x + (y / np.float32(self.squash)) ** 2)
        near = self.outline.distance(radius, z)
        if self.squash == 1:
            return near
        # The radius grows faster across the squashed direction; dividing by its slope turns it back into a distance.
        slope = np.sqrt(x * x + (y / np.float32(self.squash**2)) ** 2) / np.maximum(radius, np.float32(1e-6))
        return np.asarray(near / np.maximum(slope, 1), dtype=np.float32)

    def solid(self, segments: int) -> Any:
        """The same as facets around the axis."""
        return self.outline.cross_section().revolve(segments).scale((1.0, self.squash, 1.0))


@dataclass(frozen=True, eq=False)
class Plate:
    """An outline in the xy plane, given a thickness along z."""

    outline: Outline
    height: float
    rounding: float = 0.0

    @property
    def bounds(self) -> tuple[FloatArray, FloatArray]:
        """The corners of a box that holds it."""
        low, high = self.outline.bounds
        return np.array([*low, -self.height / 2]), np.array([*high, self.height / 2])

    @property
    def thickness(self) -> float:
        """About how thick its thinnest place is."""
        return float(min(self.height, self.outline.breadth))

    def distance(self, axes: Axes) -> Single:
        """The signed distance from its surface."""
        rounding = np.float32(min(self.rounding, 0.45 * self.thickness))
        flat = self.outline.distance(axes[0], axes[1]) + rounding
        tall = np.abs(axes[2]) - np.float32(self.height / 2) + rounding
        outside = np.sqrt(np.maximum(flat, 0) ** 2 + np.maximum(tall, 0) ** 2)
        return np.asarray(outside + np.minimum(np.maximum(flat, tall), 0) - rounding, dtype=np.float32)

    def solid(self, segments: int) -> Any:
        """The same with sharp edges."""
        return self.outline.cross_section().extrude(self.height).translate((0.0, 0.0, -self.height / 2))


@dataclass(frozen=True, eq=False)
class Tube:
    """A round or flat rope along a curve."""

    points: FloatArray  # (N, 3)
    radii: FloatArray  # (N,)
    thin: FloatArray | None = None  # (3,) unit: the direction in which a flat one is thin
    squash: float = 1.0

    @property
    def bounds(self) -> tuple[FloatArray, FloatArray]:
        """The corners of a box that holds it."""
        reach = self.radii[:, None]
        return (self.points - reach).min(axis=0), (self.points + reach).max(axis=0)

    @property
    def thickness(self) -> float:
        """About how thick its thinnest place is."""
        return float(2 * self.radii.min() * min(1.0, self.squash))

    def distance(self, axes: Axes) -> Single:
        """The signed distance from its surface: the nearest of the pieces between its points."""
        near: Single | None = None
        for start, end, first, last in zip(
            self.points[:-1], self.points[1:], self.radii[:-1], self.radii[1:], strict=True
        ):
            own = self._link(axes, start, end - start, float(first), float(last))
            near = own if near is None else np.minimum(near, own)
        return np.asarray(near)

    def _link(self, axes: Axes, start: FloatArray, along: FloatArray, first: float, last: float) -> Single:
        x, y, z = (axis - np.float32(origin) for axis, origin in zip(axes, start, strict=True))
        a, b, c = (np.float32(value) for value in along)
        square = np.float32(max(float(along @ along), 1e-12))
        share = np.clip((a * x + b * y + c * z) / square, 0, 1)
        x, y, z = x - a * share, y - b * share, z - c * share
        length2 = x * x + y * y + z * z
        radius = np.float32(first) + np.float32(last - first) * share
        if self.thin is None:
            return np.asarray(np.sqrt(length2) - radius, dtype=np.float32)
        n, q = self.thin.astype(np.float32), np.float32(self.squash)
        offset = (n[0] * x + n[1] * y + n[2] * z) ** 2
        stretched = np.maximum(length2 + (1 / q**2 - 1) * offset, np.float32(1e-12))
        slope = np.sqrt((length2 + (1 / q**4 - 1) * offset) / stretched)
        return np.asarray((np.sqrt(stretched) - radius) / np.maximum(slope, np.float32(1e-3)), dtype=np.float32)

    def solid(self, segments: int) -> Any:
        """The same as rings along the curve, with flat ends."""
        from manifold3d import Manifold, Mesh

        points = self.points.copy()  # a little longer at both ends, where the other form is round
        for end, inner in ((0, 1), (-1, -2)):
            along = points[end] - points[inner]
            points[end] += (
                0.5 * self.radii[end] * min(1.0, self.squash) * along / max(float(np.linalg.norm(along)), 1e-9)
            )
        vertices, faces = swept(points, self.radii, max(6, segments // 2), self.thin, self.squash)
        return Manifold(Mesh(vertices.astype(np.float32), faces.astype(np.uint32)))


def swept(
    points: FloatArray, radii: FloatArray, segments: int, thin: FloatArray | None = None, squash: float = 1.0
) -> tuple[FloatArray, IntArray]:
    """Rings along a curve, joined to a closed surface."""
    tangents = np.gradient(points, axis=0)
    tangents /= np.maximum(np.linalg.norm(tangents, axis=1, keepdims=True), 1e-12)
    side = thin if thin is not None else np.eye(3)[np.abs(tangents[0]).argmin()]
    turn = 2 * np.pi * np.arange(segments) / segments
    rings = []
    for point, tangent, radius in zip(points, tangents, radii, strict=True):
        side = side - (side @ tangent) * tangent
        side = side / max(float(np.linalg.norm(side)), 1e-9)
        other = np.cross(tangent, side)
        ring = squash * np.cos(turn)[:, None] * side + np.sin(turn)[:, None] * other
        rings.append(point + radius * ring)
        side = thin if thin is not None else side
    count = len(points)
    here = np.arange(count * segments).reshape(count, segments)
    a, b = here[:-1].ravel(), np.roll(here, -1, axis=1)[:-1].ravel()
    c, d = here[1:].ravel(), np.roll(here, -1, axis=1)[1:].ravel()
    sides = [np.stack([a, b, d], 1), np.stack([a, d, c], 1)]
    first, last = count * segments, count * segments + 1
    caps = [np.stack([np.roll(here[0], -1), here[0], np.full(segments, first)], 1),
            np.stack([here[-1], np.roll(here[-1], -1), np.full(segments, last)], 1)]  # fmt: skip
    vertices = np.concatenate([*rings, points[:1], points[-1:]])
    return vertices, np.concatenate([*sides, *caps]).astype(np.int64)
