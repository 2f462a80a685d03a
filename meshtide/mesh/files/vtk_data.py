"""What both kinds of VTK files say: a surface of polygons, and arrays on its points and polygons."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from meshtide.arrays import IntArray
from meshtide.errors import InputError
from meshtide.mesh.files.raw import MOST_ELEMENTS, Polygons


@dataclass(frozen=True, eq=False)
class VtkSurface:
    """The points and polygons of a file in its own order, its arrays by their names, and its lists of words."""

    points: NDArray[np.float64]  # (N, 3)
    corners: IntArray  # (C,)
    sizes: IntArray  # (P,)
    on_points: dict[str, NDArray[Any]] = field(default_factory=dict)
    on_cells: dict[str, NDArray[Any]] = field(default_factory=dict)
    words: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def polygons(self) -> Polygons:
        """The surface alone."""
        return Polygons(self.points, self.corners, self.sizes)


def sizes_of(offsets: IntArray, corners: IntArray, path: Path) -> IntArray:
    """The corners of each polygon from where each one begins and the last one ends, after a check that they do."""
    sizes = np.diff(offsets)
    if len(offsets) == 0 or offsets[0] != 0 or offsets[-1] != len(corners) or (sizes < 0).any():
        raise InputError(f"{path}: its polygons begin and end where no corners are; is it damaged?")
    return np.asarray(sizes, dtype=np.int64)


def check_count(claimed: int, size: int, what: str, path: Path) -> int:
    """A number of elements that a file of `size` bytes can hold, compressed a thousand times at the most."""
    if not 0 <= claimed <= min(MOST_ELEMENTS, 1_000 * size):
        raise InputError(f"{path}: claims {claimed:,} {what} in {size:,} bytes; is it damaged?")
    return claimed
