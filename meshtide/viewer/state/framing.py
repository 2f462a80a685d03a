"""Where the camera goes so that all that is shown is in view, beside the panel and not behind it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation

from meshtide.arrays import FloatArray
from meshtide.mesh.measure import unit

OPENING = 25.0  # degrees that the camera sees from its lower edge to its upper one: what stands aside looks alike
MARGIN = 1.12  # by which the room is larger than what is shown
MOST_HIDDEN = 0.6  # of the width that a panel can take before it is drawn over
NEAREST = 0.1  # of the shape's size, between the camera and what is nearest to it
TURN = 4.0  # radians of a drag as long as the window is high
STEEPEST = 0.02  # radians between the line of sight and what is above or below, at least


@dataclass(frozen=True, eq=False)
class Camera:
    """A place, what is looked at, and which way is up in the picture; `right` is to the right in it."""

    eye: FloatArray
    target: FloatArray
    up: FloatArray
    right: FloatArray


def directions(azimuth: float, elevation: float, up: str) -> tuple[FloatArray, FloatArray, FloatArray]:
    """To the right, upwards and towards the viewer, who went around and above by these angles in degrees.

    From the front one looks from +z where y points up, and from -y where z does.

    >>> [(each.round(3) + 0.0).tolist() for each in directions(0, 90, "y")]  # from above: what is far in front is below
    [[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]]
    """
    across, rise = np.radians(azimuth), np.radians(elevation)
    right = np.array([np.cos(across), 0.0, -np.sin(across)])
    ahead = np.array([np.sin(across), 0.0, np.cos(across)])
    sky = np.array([0.0, 1.0, 0.0])
    towards = np.cos(rise) * ahead + np.sin(rise) * sky
    upwards = np.cos(rise) * sky - np.sin(rise) * ahead
    if up == "y":
        return right, upwards, towards
    return tuple(np.array([x, -z, y]) for x, y, z in (right, upwards, towards))  # type: ignore[return-value]  # three


def framed(
    points: FloatArray, azimuth: float, elevation: float, up: str, size: tuple[int, int], covered: float = 0.0
) -> Camera:
    """The camera that sees all points, (N, 3), in a window of this size whose left `covered` pixels a panel hides."""
    right, upwards, towards = directions(azimuth, elevation, up)
    width, height = size
    hidden = min(max(covered, 0.0), MOST_HIDDEN * width) / height
    half = float(np.tan(np.radians(OPENING / 2)))  # of the picture's height, at a distance of one
    x, y, z = points @ right, points @ upwards, points @ towards
    # What is free of the picture at a distance of one: as far from its middle to the right, and half as wide.
    across = _Room(x, z, hidden * half, (width / height - hidden) * half / MARGIN)
    along = _Room(y, z, 0.0, half / MARGIN)
    span = max(np.ptp(x), np.ptp(y), np.ptp(z), 1e-9)
    distance = max(across.nearest, along.nearest, float(z.max()) + NEAREST * span)
    target = -across.shift(distance) * right - along.shift(distance) * upwards
    return Camera(target + distance * towards, target, upwards, right)


def pixels(points: FloatArray, camera: Camera, size: tuple[int, int], opening: float = OPENING) -> FloatArray:
    """Where a camera draws points, (N, 2): pixels from the left and from the top; not a number behind the camera."""
    ahead = camera.target - camera.eye
    seen = points - camera.eye
    depth = seen @ (ahead / np.linalg.norm(ahead))
    scale = size[1] / 2 / np.tan(np.radians(opening / 2)) / np.where(depth > 0, depth, np.nan)
    return np.stack([size[0] / 2 + scale * (seen @ camera.right), size[1] / 2 - scale * (seen @ camera.up)], axis=1)


def turned(camera: Camera, pivot: FloatArray, sky: FloatArray, across: float, down: float) -> Camera:
    """The camera carried around a place by a drag, given in heights of the window; what points up stays up."""
    ahead = unit((camera.target - camera.eye)[None])[0]
    steep = float(np.arccos(np.clip(ahead @ sky, -1.0, 1.0)))  # from looking up to looking down
    over = float(np.clip(steep + TURN * down, STEEPEST, np.pi - STEEPEST)) - steep
    turn = Rotation.from_rotvec(-TURN * across * sky) * Rotation.from_rotvec(-over * camera.right)
    eye, ahead = pivot + turn.apply(camera.eye - pivot), turn.apply(ahead)
    right = unit(np.cross(ahead, sky)[None])[0]
    return Camera(eye, eye + ahead, np.cross(right, ahead), right)


class _Room:
    """One direction of the picture: from which distance on all points fit, and how far they are to be shifted then.

    A point at x and depth z is drawn at (x + shift) / (distance - z), which has to be from middle - half to middle +
    half. Both bounds are linear in the distance and the shift.
    """

    def __init__(self, x: FloatArray, z: FloatArray, middle: float, half: float) -> None:
        self.low, self.high = middle - half, middle + half
        self.least = float((-self.low * z - x).max())
        self.most = float((-self.high * z - x).min())

    @property
    def nearest(self) -> float:
        """The least distance from the origin."""
        return (self.least - self.most) / (self.high - self.low)

    def shift(self, distance: float) -> float:
        """The shift that leaves as much room on one side as on the other."""
        return ((self.low + self.high) * distance + self.least + self.most) / 2
