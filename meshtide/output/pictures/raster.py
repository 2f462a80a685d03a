"""Which face is seen at which pixel: a depth buffer over runs of pixels, without a loop over faces."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from meshtide.arrays import FloatArray, IntArray

Singles = NDArray[np.float32]

AT_ONCE = 1_000_000  # pixels of triangles that are held in memory at a time
NOTHING = np.iinfo(np.uint64).max


def nearest_faces(places: FloatArray, faces: IntArray, size: tuple[int, int]) -> IntArray:
    """The nearest face at the middle of each pixel, (height, width), -1 where there is none.

    Places are (V, 3): column, row and depth. No pixel is left out between faces that share an edge. Where faces lie at
    the same depth the first one is seen.
    """
    width, height = size
    near, far = places[:, 2].min(), places[:, 2].max()
    steps = (2**32 - 1) / max(far - near, 1e-30)  # a flat shape has one depth
    buffer = np.full(width * height, NOTHING, dtype=np.uint64)
    for batch in _batches(places, faces):
        pixels, owner, depths = _fragments(places[faces[batch]], size)
        # Depth and face in one integer, so that a single minimum decides, and ties are decided the same way each time.
        keys = ((depths - near) * steps).astype(np.uint64) << np.uint64(32) | batch[owner].astype(np.uint64)
        np.minimum.at(buffer, pixels, keys)
    shown = (buffer & np.uint64(2**32 - 1)).astype(np.int64)
    shown[buffer == NOTHING] = -1
    return shown.reshape(height, width)


def corner_weights(corners: FloatArray, columns: FloatArray, rows: FloatArray) -> Singles:
    """How much of each corner of a triangle (P, 3, 2 or more) there is at a point in it, (P, 3), adding up to 1."""
    x, y = (corners[:, :, 0] - columns[:, None]).T, (corners[:, :, 1] - rows[:, None]).T
    after, before = [1, 2, 0], [2, 0, 1]
    weights = x[after] * y[before] - x[before] * y[after]  # (3, P): long rows are several times faster to add up
    # The middle of a pixel may lie outside by a rounding error, and by far more in a triangle that is almost a line.
    weights = np.maximum(weights * np.sign(weights.sum(axis=0)), 0)
    total = weights.sum(axis=0)
    weights = np.where(total > 0, weights / np.where(total > 0, total, 1), 1 / 3)
    return np.ascontiguousarray(weights.T, dtype=np.float32)


def _batches(places: FloatArray, faces: IntArray) -> Iterator[IntArray]:
    """The faces in groups that cover about AT_ONCE pixels each."""
    low = high = places[faces[:, 0], :2]
    for corner in (1, 2):
        points = places[faces[:, corner], :2]
        low, high = np.minimum(low, points), np.maximum(high, points)
    columns, rows = (high - low).T
    # A triangle is at most half its box; each of its rows can have one pixel more than its length.
    cost = columns * rows / 2 + 2 * rows + columns + 4
    group = (np.cumsum(cost) / AT_ONCE).astype(np.int64)
    yield from np.split(np.arange(len(faces)), np.flatnonzero(np.diff(group)) + 1)


def _fragments(corners: FloatArray, size: tuple[int, int]) -> tuple[IntArray, IntArray, FloatArray]:
    """Every pixel of every triangle (T, 3, 3): the pixel, the triangle and the depth there."""
    width, height = size
    corners = _downwards(corners)
    # A pixel belongs to a triangle if its middle does. Both triangles at an edge round the same number up, one for its
    # end and one for its start, so that each pixel on the edge belongs to exactly one of them.
    first, last = np.ceil(corners[:, [0, 2], 1].T - 0.5).astype(np.int64).clip(0, height)
    triangle, row = _runs(first, last - first)
    start, end = (np.ceil(x - 0.5).astype(np.int64).clip(0, width) for x in _spans(corners[triangle], _middle(row)))
    span, column = _runs(start, end - start)
    triangle, row = triangle[span], row[span]
    return row * width + column, triangle, _depths(corners, triangle, _middle(column), _middle(row))


def _middle(pixels: IntArray) -> FloatArray:
    """Where the middles of rows or columns of pixels lie."""
    return np.asarray(pixels + 0.5, dtype=np.float64)


def _downwards(corners: FloatArray) -> FloatArray:
    """The corners of each triangle from the top to the bottom of the picture."""
    order = np.lexsort((corners[:, :, 2], corners[:, :, 0], corners[:, :, 1]), axis=1)
    return np.take_along_axis(corners, order[:, :, None], axis=1)


def _runs(starts: IntArray, lengths: IntArray) -> tuple[IntArray, IntArray]:
    """For runs of consecutive integers: which run, and the integer, one after the other."""
    which = np.repeat(np.arange(len(starts)), lengths)
    offset = starts - (np.cumsum(lengths) - lengths)
    return which, np.arange(len(which)) + offset[which]


def _spans(corners: FloatArray, rows: FloatArray) -> tuple[FloatArray, FloatArray]:
    """From which to which column each triangle (sorted downwards) reaches in its row."""
    top, middle, bottom = corners[:, 0], corners[:, 1], corners[:, 2]
    above = (rows < middle[:, 1])[:, None]
    whole = _crossing(top, bottom, rows)
    bent = _crossing(np.where(above, top, middle), np.where(above, middle, bottom), rows)
    return np.minimum(whole, bent), np.maximum(whole, bent)


def _crossing(upper: FloatArray, lower: FloatArray, rows: FloatArray) -> FloatArray:
    """Where edges cross rows; always reckoned from the upper end, so that both faces of an edge agree to the bit."""
    height = lower[:, 1] - upper[:, 1]
    share = (rows - upper[:, 1]) / np.where(height > 0, height, 1)
    return np.asarray(upper[:, 0] + share.clip(0, 1) * (lower[:, 0] - upper[:, 0]))


def _depths(corners: FloatArray, triangle: IntArray, columns: FloatArray, rows: FloatArray) -> FloatArray:
    """The depth of each pixel on the plane of its triangle, never beyond the triangle's own depths."""
    (ux, uy, uz), (vx, vy, vz) = (corners[:, 1] - corners[:, 0]).T, (corners[:, 2] - corners[:, 0]).T
    area = ux * vy - uy * vx
    area = np.where(np.abs(area) < 1e-12, np.inf, area)
    across, down = (uz * vy - uy * vz) / area, (ux * vz - uz * vx) / area
    x, y = columns - corners[triangle, 0, 0], rows - corners[triangle, 0, 1]
    depths = corners[triangle, 0, 2] + across[triangle] * x + down[triangle] * y
    # The plane of a face seen from its edge is as steep as a wall.
    low, high = corners[:, :, 2].min(axis=1), corners[:, :, 2].max(axis=1)
    return np.asarray(depths.clip(low[triangle], high[triangle]))
