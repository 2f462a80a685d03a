"""Faults that scans and models from the wild have, added to a minority of figures on purpose."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from meshtide.arrays import FloatArray, IntArray
from meshtide.data.figures.dice import Dice
from meshtide.data.figures.surface import components, kept_faces

# holes: 3 to 6 openings of a few faces; pieces: one to three separate small balls (eyes, a ball, a hat);
# coarse: about 1,000 vertices; open base: the lowest part is cut off and left open, as of a hollow statue.
DEFECTS = ("holes", "pieces", "coarse", "open base")
COARSE = 1000
RATE = 0.15

Labelled = tuple[FloatArray, IntArray, IntArray]  # vertices, faces, a part for every vertex


def draw_defect(dice: Dice) -> str:
    """The name of this figure's defect; mostly none, which is ""."""
    weights = {"holes": 0.3, "pieces": 0.25, "coarse": 0.25, "open base": 0.2}
    return dice.pick(weights) if dice.chance(RATE) else ""


def apply_defect(name: str, figure: Labelled, dice: Dice) -> Labelled:
    """The figure with a defect; "coarse" is the mesher's business and changes nothing here."""
    change: dict[str, Callable[[Labelled, Dice], Labelled]] = {
        "holes": _with_holes,
        "pieces": _with_pieces,
        "open base": _with_open_base,
    }
    return change[name](figure, dice) if name in change else figure


def _with_holes(figure: Labelled, dice: Dice) -> Labelled:
    vertices, faces, labels = figure
    keep = np.ones(len(faces), dtype=bool)
    for _ in range(int(dice.rng.integers(3, 7))):
        middle = vertices[int(dice.rng.integers(len(vertices)))]
        order = np.argsort(np.linalg.norm(vertices[faces].mean(axis=1) - middle, axis=1))
        keep[order[: int(dice.rng.integers(2, 16))]] = False
    return _main_part(vertices, faces, labels, keep)


def _with_open_base(figure: Labelled, dice: Dice) -> Labelled:
    """Cut off the lowest two to five hundredths of the height."""
    vertices, faces, labels = figure
    height = vertices[:, 2] - vertices[:, 2].min()
    keep = (height[faces] > dice.between(0.015, 0.045) * height.max()).all(axis=1)
    return _main_part(vertices, faces, labels, keep)


def _main_part(vertices: FloatArray, faces: IntArray, labels: IntArray, keep: np.ndarray) -> Labelled:
    """The kept faces without crumbs that lost their connection."""
    piece = components(faces[keep], len(vertices))[faces[:, 0]]
    keep = keep & (piece == np.bincount(piece[keep]).argmax())
    points, corners, used = kept_faces(vertices, faces, keep)
    return points, corners, labels[used]


def _with_pieces(figure: Labelled, dice: Dice) -> Labelled:
    """Balls that sit on the surface without being joined to it; they are labelled like what they sit on."""
    vertices, faces, labels = figure
    size = float(np.linalg.norm(np.ptp(vertices, axis=0)))
    for _ in range(int(dice.rng.integers(1, 4))):
        place = int(dice.rng.integers(len(figure[0])))
        ball, triangles = _ball(dice)
        faces = np.concatenate([faces, triangles + len(vertices)])
        vertices = np.concatenate([vertices, figure[0][place] + dice.between(0.012, 0.03) * size * ball])
        labels = np.concatenate([labels, np.full(len(ball), figure[2][place])])
    return vertices, faces, labels


def _ball(dice: Dice, count: int = 60) -> tuple[FloatArray, IntArray]:
    """A sphere of irregular triangles, as the convex hull of points on it."""
    from scipy.spatial import ConvexHull

    number = np.arange(count) + 0.5
    height, turn = 1 - 2 * number / count, np.pi * (1 + 5**0.5) * number + dice.between(0, 6)
    ring = np.sqrt(1 - height**2)
    points = np.stack([ring * np.cos(turn), ring * np.sin(turn), height], axis=1)
    faces = np.asarray(ConvexHull(points).simplices, dtype=np.int64)
    a, b, c = points[faces[:, 0]], points[faces[:, 1]], points[faces[:, 2]]
    inward = (np.cross(b - a, c - a) * a).sum(axis=1) < 0
    faces[inward] = faces[inward][:, ::-1]
    return points, faces
