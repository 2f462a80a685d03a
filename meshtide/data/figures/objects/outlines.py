"""Closed outlines in the plane and the distance from them."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from scipy.ndimage import map_coordinates

from meshtide.arrays import FloatArray
from meshtide.data.figures.field import Single

TABLE_CELLS = 7000  # of a table of distances from an outline


class Outline:
    """One or more closed polygons in the plane, and the distance from them, read from a table."""

    def __init__(self, *loops: FloatArray) -> None:
        self.loops = [np.asarray(loop, dtype=np.float64) for loop in loops]  # the first is outside, the others holes

    @cached_property
    def bounds(self) -> tuple[FloatArray, FloatArray]:
        """The corners of a rectangle that holds it."""
        return self.loops[0].min(axis=0), self.loops[0].max(axis=0)

    @cached_property
    def breadth(self) -> float:
        """Twice the area over the perimeter: the width of a strip, the radius of a disc."""
        area = abs(sum(_signed_area(loop) * (1 if number == 0 else -1) * np.sign(_signed_area(loop))
                       for number, loop in enumerate(self.loops)))  # fmt: skip
        perimeter = sum(np.linalg.norm(loop - np.roll(loop, -1, axis=0), axis=1).sum() for loop in self.loops)
        return float(2 * area / perimeter)

    def distance(self, u: Single, v: Single) -> Single:
        """The signed distance from the outline, negative inside."""
        values, low, step = self._table
        shape = np.broadcast_shapes(u.shape, v.shape)
        places, beyond = [], np.zeros(shape, dtype=np.float32)
        for axis, coordinate in enumerate((u, v)):
            place = (coordinate - np.float32(low[axis])) / np.float32(step)
            inside = np.clip(place, 0, values.shape[axis] - 1)
            beyond = beyond + ((place - inside) * np.float32(step)) ** 2
            places.append(np.broadcast_to(inside, shape))
        near = map_coordinates(values, np.stack(places), order=1, mode="nearest")
        return np.asarray(near + np.sqrt(beyond), dtype=np.float32)

    def cross_section(self) -> Any:
        """The same as a manifold3d.CrossSection."""
        from manifold3d import CrossSection

        loops = [
            loop if (_signed_area(loop) > 0) == (number == 0) else loop[::-1] for number, loop in enumerate(self.loops)
        ]
        return CrossSection(loops)

    @cached_property
    def _table(self) -> tuple[Single, FloatArray, float]:
        low, high = self.bounds
        margin = 0.12 * float((high - low).max())
        low, size = low - margin, high - low + 2 * margin
        step = float(np.sqrt(np.prod(size) / TABLE_CELLS))
        u = (low[0] + step * np.arange(int(size[0] / step) + 2)).astype(np.float32)[:, None, None]
        v = (low[1] + step * np.arange(int(size[1] / step) + 2)).astype(np.float32)[None, :, None]
        starts = np.concatenate(self.loops).astype(np.float32)
        ends = np.concatenate([np.roll(loop, -1, axis=0) for loop in self.loops]).astype(np.float32)
        return _polygon_distance(u, v, starts, ends), low, step


def _polygon_distance(u: Single, v: Single, starts: Single, ends: Single) -> Single:
    """Distance from the nearest side, negative where a ray crosses an odd number of sides, (U, V)."""
    side = ends - starts
    share = ((u - starts[:, 0]) * side[:, 0] + (v - starts[:, 1]) * side[:, 1]) / np.maximum(
        (side**2).sum(axis=1), np.float32(1e-12)
    )
    share = np.clip(share, 0, 1)
    square = (u - starts[:, 0] - share * side[:, 0]) ** 2 + (v - starts[:, 1] - share * side[:, 1]) ** 2
    straddles = (starts[:, 1] > v) != (ends[:, 1] > v)  # (1, V, S)
    rise = np.where(side[:, 1] == 0, np.float32(1), side[:, 1])
    crossing = straddles & (u < starts[:, 0] + (v - starts[:, 1]) * side[:, 0] / rise)
    inside = crossing.sum(axis=2) % 2 == 1
    return np.asarray(np.where(inside, -1, 1) * np.sqrt(square.min(axis=2)), dtype=np.float32)


def _signed_area(loop: FloatArray) -> float:
    following = np.roll(loop, -1, axis=0)
    return float((loop[:, 0] * following[:, 1] - loop[:, 1] * following[:, 0]).sum() / 2)
