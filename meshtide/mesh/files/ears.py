"""Polygons that are not convex, or have many corners, cut into triangles."""

from __future__ import annotations

import mapbox_earcut
import numpy as np
from numpy.typing import NDArray

from meshtide.arrays import IntArray

Points = NDArray[np.float64]


def fan(size: int) -> IntArray:
    """The triangles from the first of so many corners to all others, (size - 2, 3)."""
    return np.stack([np.zeros(size - 2, dtype=np.int64), np.arange(1, size - 1), np.arange(2, size)], axis=1)


def cut_ears(ring: Points) -> IntArray:
    """One polygon (size, 3) as triangles of its corners, (size - 2, 3).

    A strictly convex one takes linear time; another of 30,000 corners takes seconds, and the square of that at worst.
    Every corner belongs to a triangle, also those on a straight line between others, where a neighbouring polygon may
    end. What crosses itself so badly that it cannot be cut becomes a fan.
    """
    flat = _flatten(ring)
    if _is_strictly_convex(flat):
        return _halved(len(ring))
    found = mapbox_earcut.triangulate_float64(flat, np.array([len(flat)], dtype=np.uint32))
    whole = _with_left_out(_agreeing(flat, found.astype(np.int64).reshape(-1, 3)), len(ring))
    return fan(len(ring)) if whole is None else whole


def is_convex(ring: Points) -> bool:
    """Whether a polygon (size, 3) is one of those that take linear time."""
    return _is_strictly_convex(_flatten(ring))


def _is_strictly_convex(flat: Points) -> bool:
    """Whether every corner turns left, once around."""
    along = np.roll(flat, -1, axis=0) - flat
    (ax, ay), (bx, by) = along.T, np.roll(along, -1, axis=0).T
    turns = ax * by - ay * bx
    if not (turns > 0).all():
        return False
    return bool(np.arctan2(turns, ax * bx + ay * by).sum() < 3 * np.pi)  # two turns around would be 4π


def _halved(size: int) -> IntArray:
    """A convex polygon: every second corner is cut off, round after round, so that few triangles are slivers."""
    triangles = []
    left = np.arange(size)
    while len(left) > 2:
        tips = np.arange(1, len(left), 2)[: len(left) - 2]
        triangles.append(np.stack([left[tips - 1], left[tips], left[(tips + 1) % len(left)]], axis=1))
        left = np.delete(left, tips)
    return np.concatenate(triangles)


def _flatten(ring: Points) -> Points:
    """A polygon in its own plane, counter-clockwise, (size, 2), at a scale where nothing overflows."""
    points = ring / (np.abs(ring).max() or 1.0)
    points = points - points.mean(axis=0)
    points /= np.abs(points).max() or 1.0
    x, y, z = points.T
    normal = np.array([_shoelace(y, z), _shoelace(z, x), _shoelace(x, y)])
    length = float(np.linalg.norm(normal))
    if not length > 0:
        return np.ascontiguousarray(points[:, np.argsort(-np.ptp(points, axis=0))[:2]])
    normal /= length
    first = np.eye(3)[np.abs(normal).argmin()]
    first -= normal * (first @ normal)
    first /= np.linalg.norm(first)
    return np.ascontiguousarray(points @ np.stack([first, np.cross(normal, first)], axis=1))


def _shoelace(x: Points, y: Points) -> float:
    return float((x * np.roll(y, -1) - np.roll(x, -1) * y).sum())


def _agreeing(flat: Points, triangles: IntArray) -> IntArray:
    """The triangles, all running counter-clockwise."""
    a, b, c = (flat[triangles[:, corner]] for corner in range(3))
    (ux, uy), (vx, vy) = (b - a).T, (c - a).T
    return np.where((ux * vy - uy * vx < 0)[:, None], triangles[:, ::-1], triangles)


def _with_left_out(triangles: IntArray, size: int) -> IntArray | None:
    """The triangles with those corners too that were left out as they lie on a straight line between others.

    The triangle that has the line as its side is divided at them. None where that cannot be.
    """
    used = np.zeros(size, dtype=bool)
    used[triangles.ravel()] = True
    kept = np.flatnonzero(used).tolist()
    if len(kept) < 3 or len(triangles) != len(kept) - 2:
        return None
    if len(kept) == size:
        return triangles
    third_of = {side: third for triangle in triangles.tolist() for side, third in _sides(*triangle)}
    if len(third_of) != 3 * len(triangles):
        return None
    for start, end in zip(kept, [*kept[1:], kept[0] + size], strict=True):
        if end - start == 1:
            continue
        third = third_of.pop((start, end % size), None)
        if third is None:
            return None
        del third_of[end % size, third], third_of[third, start]
        for number in range(start, end):
            third_of.update(_sides(number % size, (number + 1) % size, third))
    # Every triangle stands there three times, once at each of its sides.
    return np.array([(*side, third) for side, third in third_of.items() if third > max(side)], dtype=np.int64)


def _sides(a: int, b: int, c: int) -> tuple[tuple[tuple[int, int], int], ...]:
    """The sides of a triangle, each with the corner opposite."""
    return ((a, b), c), ((b, c), a), ((c, a), b)
