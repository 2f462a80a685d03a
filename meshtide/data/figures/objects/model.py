"""What an object is before it is a mesh: placed solids, each with a part's name and a piece's number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from meshtide.arrays import FloatArray
from meshtide.data.figures.dice import Dice
from meshtide.data.figures.field import Axes, Single
from meshtide.data.figures.objects.outlines import Outline
from meshtide.data.figures.objects.shapes import Box, Ellipsoid, Plate, Shape, Tube, Turned

Point = Sequence[float] | FloatArray
X, Y, Z = np.eye(3)


@dataclass(frozen=True, eq=False)
class Placed:
    """A shape somewhere in space."""

    shape: Shape
    at: FloatArray  # (3,)
    frame: FloatArray = field(default_factory=lambda: np.eye(3))  # (3, 3) the shape's own axes as columns

    def bounds(self) -> tuple[FloatArray, FloatArray]:
        """The corners of a box along the world's axes that holds it."""
        low, high = self.shape.bounds
        middle, half = (low + high) / 2, (high - low) / 2
        centre, reach = self.at + self.frame @ middle, np.abs(self.frame) @ half
        return centre - reach, centre + reach

    def distance(self, axes: Axes) -> Single:
        """The signed distance from its surface."""
        moved = [axis - np.float32(origin) for axis, origin in zip(axes, self.at, strict=True)]
        own = []
        for column in self.frame.T:
            # Axes that do not matter are left out, so that coordinates along the grid stay thin arrays.
            terms = [np.float32(w) * axis for w, axis in zip(column, moved, strict=True) if abs(w) > 1e-9]
            own.append(sum(terms[1:], start=terms[0]))
        return self.shape.distance((own[0], own[1], own[2]))

    def mirrored(self) -> Placed:
        """The same on the other side of the plane x = 0; right for shapes that are their own mirror images."""
        flip = np.diag([-1.0, 1.0, 1.0])
        if isinstance(self.shape, Tube):
            thin = None if self.shape.thin is None else flip @ self.frame @ self.shape.thin
            points = (self.shape.points @ self.frame.T + self.at) @ flip
            return Placed(replace(self.shape, points=points, thin=thin), np.zeros(3))
        frame = flip @ self.frame
        frame[:, 0] *= -1  # keep it a rotation
        shape = self.shape
        if isinstance(shape, Plate):
            loops = [loop * np.array([-1.0, 1.0]) for loop in shape.outline.loops]
            shape = replace(shape, outline=Outline(*loops))
        return Placed(shape, flip @ self.at, frame)

    def moved(self, by: Point, frame: FloatArray | None = None) -> Placed:
        """Turned around the origin, then moved."""
        turn = np.eye(3) if frame is None else frame
        return Placed(self.shape, turn @ self.at + np.asarray(by, dtype=np.float64), turn @ self.frame)


@dataclass(frozen=True, eq=False)
class Solid:
    """One step of making an object: a shape added to, or cut out of, what is there."""

    placed: Placed
    piece: tuple[str, int] | None  # the part and which one; None for a hole that belongs to what it is cut into
    cuts: bool = False


@dataclass(eq=False)
class Model:
    """An object as a list of steps."""

    solids: list[Solid] = field(default_factory=list)
    rounding: float = 1.0  # scales the smoothness of joints
    whole: bool = False  # pieces stay one even where others part them: a shelf's back behind its boards

    def add(self, part: str, *placed: Placed, number: int = 0) -> None:
        """Add shapes that belong to one piece of a part."""
        self.solids += [Solid(one, (part, number)) for one in placed]

    def cut(self, placed: Placed, part: str | None = None, number: int = 0) -> None:
        """Take a shape away from all that was added before; the new surface belongs to the piece."""
        self.solids.append(Solid(placed, None if part is None else (part, number), cuts=True))

    def pair(self, part: str, *placed: Placed, first: int = 0) -> None:
        """Add a piece and its mirror image on the other side of x = 0."""
        self.add(part, *placed, number=first)
        self.add(part, *(one.mirrored() for one in placed), number=first + 1)

    def pieces(self) -> list[tuple[str, int]]:
        """All pieces, in order of appearance."""
        return list(dict.fromkeys(solid.piece for solid in self.solids if solid.piece is not None))

    def bounds(self) -> tuple[FloatArray, FloatArray]:
        """The corners of a box that holds everything."""
        boxes = [solid.placed.bounds() for solid in self.solids if not solid.cuts]
        return np.min([low for low, _ in boxes], axis=0), np.max([high for _, high in boxes], axis=0)

    def size(self) -> float:
        """The length of that box's diagonal."""
        low, high = self.bounds()
        return float(np.linalg.norm(high - low))

    def join(self, other: Model, by: Point, frame: FloatArray | None = None) -> None:
        """Add another model's steps, turned and moved."""
        self.solids += [replace(solid, placed=solid.placed.moved(by, frame)) for solid in other.solids]


def towards(direction: Point, up: Point = (0.0, 0.0, 1.0)) -> FloatArray:
    """A frame whose z axis points along a direction, and whose y axis as far along `up` as it can."""
    z = np.asarray(direction, dtype=np.float64)
    z = z / np.linalg.norm(z)
    y = np.asarray(up, dtype=np.float64)
    y = y - (y @ z) * z
    if np.linalg.norm(y) < 1e-6:
        y = np.eye(3)[np.abs(z).argmin()]
        y = y - (y @ z) * z
    y = y / np.linalg.norm(y)
    return np.stack([np.cross(y, z), y, z], axis=1)


def turned_by(yaw: float = 0.0, pitch: float = 0.0, roll: float = 0.0) -> FloatArray:
    """A rotation by angles in radians: roll about y, then pitch about x, then yaw about z."""
    (cy, sy), (cp, sp), (cr, sr) = ((np.cos(a), np.sin(a)) for a in (yaw, pitch, roll))
    about_z = np.array([[cy, -sy, 0], [sy, cy, 0], [0, 0, 1]])
    about_x = np.array([[1, 0, 0], [0, cp, -sp], [0, sp, cp]])
    about_y = np.array([[cr, 0, sr], [0, 1, 0], [-sr, 0, cr]])
    return np.asarray(about_z @ about_x @ about_y, dtype=np.float64)


def block(
    at: Point,
    size: Point,
    rounding: float = 0.0,
    frame: FloatArray | None = None,
    top: tuple[float, float] = (1.0, 1.0),
) -> Placed:
    """A box by its middle and its full sizes."""
    half = np.asarray(size, dtype=np.float64) / 2
    return Placed(Box(half, rounding, top), np.asarray(at, dtype=np.float64), np.eye(3) if frame is None else frame)


def ball(at: Point, radii: Point | float, frame: FloatArray | None = None) -> Placed:
    """A ball, or an ellipsoid."""
    three = np.broadcast_to(np.asarray(radii, dtype=np.float64), 3).copy()
    return Placed(Ellipsoid(three), np.asarray(at, dtype=np.float64), np.eye(3) if frame is None else frame)


def rod(start: Point, end: Point, radius: float, end_radius: float | None = None, sides: str = "round") -> Placed:
    """A straight bar between two points, round or square."""
    a, b = np.asarray(start, dtype=np.float64), np.asarray(end, dtype=np.float64)
    last = radius if end_radius is None else end_radius
    length = float(np.linalg.norm(b - a))
    if sides == "square":
        half = np.array([0.9 * radius, 0.9 * radius, length / 2])
        return Placed(Box(half, 0.15 * radius, (last / radius, last / radius)), (a + b) / 2, towards(b - a))
    outline = Outline(np.array([[0, 0], [radius, 0], [last, length], [0, length]]))
    return Placed(Turned(outline), a, towards(b - a))


def turned(
    profile: Sequence[Sequence[float]] | FloatArray, at: Point = (0, 0, 0), axis: Point = (0, 0, 1), squash: float = 1.0
) -> Placed:
    """A lathe's work from (radius, height) pairs, bottom to top; it is closed to the axis at both ends."""
    pairs = np.asarray(profile, dtype=np.float64)
    pairs[:, 0] = np.maximum(pairs[:, 0], 0)
    loop = np.concatenate([[[0, pairs[0, 1]]], pairs, [[0, pairs[-1, 1]]]])
    keep = np.linalg.norm(loop - np.roll(loop, 1, axis=0), axis=1) > 1e-9
    return Placed(Turned(Outline(loop[keep]), squash), np.asarray(at, dtype=np.float64), towards(axis))


def ring(
    at: Point, axis: Point, radius: float, thick: float, width: float | None = None, square: bool = False
) -> Placed:
    """A torus, or a ring of rectangular section; `thick` is half its radial thickness, `width` its full width."""
    tall = thick if width is None else width / 2
    if square:
        section = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]], dtype=np.float64)
    else:
        turn = 2 * np.pi * np.arange(14) / 14
        section = np.stack([np.cos(turn), np.sin(turn)], axis=1)
    loop = np.array([radius, 0.0]) + section * np.array([thick, tall])
    return Placed(Turned(Outline(loop)), np.asarray(at, dtype=np.float64), towards(axis))


def tube(
    points: Sequence[Point] | FloatArray, radii: Sequence[float] | FloatArray | float, thin: Point | None = None,
    squash: float = 1.0,
) -> Placed:  # fmt: skip
    """A rope along a curve; flat if `thin` says in which direction and `squash` how much."""
    curve = np.asarray(points, dtype=np.float64)
    thick = np.broadcast_to(np.asarray(radii, dtype=np.float64), len(curve)).copy()
    direction = None if thin is None else np.asarray(thin, dtype=np.float64) / np.linalg.norm(np.asarray(thin))
    return Placed(Tube(curve, thick, direction, squash), np.zeros(3))


def plate(
    outline: Outline | Sequence[Sequence[float]] | FloatArray, thick: float, at: Point = (0, 0, 0),
    frame: FloatArray | None = None, rounding: float = 0.0,
) -> Placed:  # fmt: skip
    """A flat piece cut along an outline in its own xy plane."""
    loops = outline if isinstance(outline, Outline) else Outline(np.asarray(outline, dtype=np.float64))
    return Placed(
        Plate(loops, thick, rounding), np.asarray(at, dtype=np.float64), np.eye(3) if frame is None else frame
    )


def curve(points: Sequence[Point] | FloatArray, count: int = 12) -> FloatArray:
    """A smooth curve through points (a cubic spline), sampled evenly in its parameter."""
    from scipy.interpolate import CubicSpline

    knots = np.asarray(points, dtype=np.float64)
    steps = np.linalg.norm(np.diff(knots, axis=0), axis=1)
    places = np.concatenate([[0.0], np.cumsum(np.maximum(steps, 1e-6))])
    return np.asarray(CubicSpline(places, knots)(np.linspace(0, places[-1], count)))


def circle(radius: float, count: int = 28, squash: float = 1.0) -> FloatArray:
    """A circle, or an ellipse, as a polygon."""
    turn = 2 * np.pi * np.arange(count) / count
    return np.stack([radius * np.cos(turn), squash * radius * np.sin(turn)], axis=1)


def rounded_rectangle(width: float, depth: float, corner: float, count: int = 5) -> FloatArray:
    """A rectangle around the origin with round corners."""
    corner = min(corner, 0.499 * min(width, depth))
    if corner < 0.01 * min(width, depth):
        return np.asarray(np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * np.array([width, depth]) / 2)
    loop = []
    for number, (sx, sy) in enumerate(((1, 1), (-1, 1), (-1, -1), (1, -1))):
        turn = np.pi / 2 * (number + np.linspace(0, 1, count))
        middle = np.array([sx * (width / 2 - corner), sy * (depth / 2 - corner)])
        loop.append(middle + corner * np.stack([np.cos(turn), np.sin(turn)], axis=1))
    return np.concatenate(loop)


def some(dice: Dice, low: int, high: int) -> int:
    """A whole number from low to high, both included."""
    return int(dice.rng.integers(low, high + 1))


def around(count: int, start: float = 0.0) -> list[FloatArray]:
    """Unit vectors in the plane z = 0 at equal angles."""
    turns = start + 2 * np.pi * np.arange(count) / count
    return [np.array([np.cos(turn), np.sin(turn), 0.0]) for turn in turns]
