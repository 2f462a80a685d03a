"""Which axis of a mesh points up, guessed from how it would stand: files do not say, and programs differ."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from meshtide.arrays import FloatArray, IntArray
from meshtide.mesh.measure import triangle_areas

GROUND = 0.06  # the share of a shape's height that counts as touching the ground
SLACK = 0.05  # of a shape's extent, by which its middle may lie beside what touches the ground
SAMPLES, MIRRORED = 6000, 1000  # points on the surface, and those of them that are mirrored
# Fitted to generated bodies (humanoids, quadrupeds, birds, ants) that stand in every direction.
SAY_OF_BASE, SAY_OF_MIRROR = 0.6, 2.0
LEAST_BASE, LEAST_MIRROR = 0.02, 0.005
DOUBT = 0.7  # a score for z below this is none: most files have y up


@dataclass(frozen=True)
class Upright:
    """The axis that seems to point up, and why, in words for people."""

    axis: Literal["y", "z"]
    why: str


def guess_up(points: FloatArray, faces: IntArray) -> Literal["y", "z"]:
    """Which axis seems to point up: the one along which the shape stands; y if in doubt."""
    return upright(points, faces).axis


def upright(points: FloatArray, faces: IntArray) -> Upright:
    """Which axis seems to point up.

    Shapes stand on a wide base, and what lives or is made is like its mirror image from left to right, or from front
    to back, more than from top to bottom.
    """
    untold = Upright("y", "its shape does not tell, and most files have y up")
    if not triangle_areas(points, faces).sum() > 0:
        return untold
    base_y, base_z = (_base(points, axis) for axis in (1, 2))
    mirror_y, mirror_z = _mirrored(points, faces)
    score = SAY_OF_BASE * np.log((base_z + LEAST_BASE) / (base_y + LEAST_BASE))
    score += SAY_OF_MIRROR * np.log((mirror_z + LEAST_MIRROR) / (mirror_y + LEAST_MIRROR))
    if score > DOUBT:
        return Upright("z", "it is less alike above and below along z, or stands wider there")
    if _stands_tall(points, faces):
        return Upright("z", "it is tall along z and stands on what touches the ground there")
    if score < -DOUBT:
        return Upright("y", "it is less alike above and below along y, or stands wider there")
    return untold


def _base(points: FloatArray, axis: int) -> float:
    """How much of the shape's outline, seen along an axis, lies above what touches the ground."""
    flat = np.delete(points, axis, axis=1)
    level = points[:, axis] - points[:, axis].min()
    whole = _hull_area(flat)
    return _hull_area(flat[level <= GROUND * level.max()]) / whole if whole > 0 else 0.0


def _hull_area(flat: FloatArray) -> float:
    from scipy.spatial import ConvexHull, QhullError

    try:
        return float(ConvexHull(flat).volume)  # in a plane the "volume" is the area
    except (QhullError, ValueError):  # too few points, or all on a line
        return 0.0


def _mirrored(points: FloatArray, faces: IntArray) -> tuple[float, float]:
    """How far the surface lies from its mirror images along y and z, in parts of the shape's size."""
    from scipy.spatial import KDTree

    random = np.random.default_rng(0)
    areas = triangle_areas(points, faces)
    chosen = faces[random.choice(len(faces), SAMPLES, p=areas / areas.sum())]
    surface = np.einsum("nc,ncx->nx", random.dirichlet((1.0, 1.0, 1.0), SAMPLES), points[chosen])
    size, tree = float(np.linalg.norm(np.ptp(points, axis=0))), KDTree(surface)
    found = []
    for axis in (1, 2):
        low, high = points[:, axis].min(), points[:, axis].max()
        distances = []
        for middle in ((low + high) / 2, surface[:, axis].mean()):
            image = surface[:MIRRORED].copy()
            image[:, axis] = 2 * middle - image[:, axis]
            distances.append(float(np.mean(tree.query(image)[0])))
        found.append(min(distances) / size)
    return found[0], found[1]


def _stands_tall(points: FloatArray, faces: IntArray) -> bool:
    """People are tall when they stand, animals long; the base tells these apart."""
    (_, base_y), (stands, base_z) = (_standing_along(points, faces, axis) for axis in (1, 2))
    x, y, z = np.ptp(points, axis=0)
    return bool(stands and z > 1.1 * max(x, y) and base_z > 1.75 * base_y)


def _standing_along(points: FloatArray, faces: IntArray, axis: int) -> tuple[bool, float]:
    """If this axis points up: whether the surface's middle lies above what touches the ground, and how wide that is.

    The width is the product of its shares of the shape's extent in the two other directions.
    """
    middle = np.average(points[faces].mean(axis=1), axis=0, weights=triangle_areas(points, faces))
    level = points[:, axis] - points[:, axis].min()
    touching = points[level <= GROUND * level.max()]
    extent = np.ptp(points, axis=0)
    low, high = touching.min(axis=0) - SLACK * extent, touching.max(axis=0) + SLACK * extent
    inside = (low <= middle) & (middle <= high)
    share = np.ptp(touching, axis=0) / np.where(extent > 0, extent, 1)
    return bool(np.delete(inside, axis).all()), float(np.delete(share, axis).prod())
