"""What happens to an object after it is made: it is bent, roughened, torn, or stands open at the bottom."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from meshtide.arrays import FloatArray, IntArray
from meshtide.data.figures.dice import Dice
from meshtide.data.figures.meshing import Noise, Surface, roughen
from meshtide.data.figures.objects.model import turned_by
from meshtide.data.figures.surface import kept_faces

Divided = tuple[FloatArray, IntArray, IntArray]  # vertices, faces, a piece for every face


FAULTS: Mapping[str, float] = {"torn": 0.35, "open base": 0.15, "rough": 0.3, "coarse": 0.2}  # how often each


def worn(fault: str, figure: Divided, dice: Dice) -> Divided:
    """The object with a fault; "coarse" is the mesher's business, and "" is none."""
    if fault == "rough":
        vertices, faces, pieces = figure
        return roughened((vertices, faces), dice), faces, pieces
    change = {"torn": torn, "open base": opened}
    return change[fault](figure, dice) if fault in change else figure


def deformed(vertices: FloatArray, strength: float, dice: Dice) -> FloatArray:
    """Bent, tapered and twisted along a random direction, and stretched a little."""
    frame = turned_by(*dice.rng.uniform(-np.pi, np.pi, 3))
    if dice.chance(0.6):  # mostly along the object's own axes
        frame = np.eye(3)[:, dice.rng.permutation(3)]
    middle = (vertices.max(axis=0) + vertices.min(axis=0)) / 2
    points = (vertices - middle) @ frame
    size = float(np.abs(points).max())
    along = points[:, 2] / size
    twist = strength * dice.normal(0.35) * along
    x, y = points[:, 0].copy(), points[:, 1].copy()
    points[:, 0], points[:, 1] = np.cos(twist) * x - np.sin(twist) * y, np.sin(twist) * x + np.cos(twist) * y
    points[:, :2] *= np.exp(np.clip(strength * dice.normal(0.3), -0.5, 0.5) * along)[:, None]
    bend = strength * dice.normal(0.45)
    if abs(bend) > 0.02:  # onto a circle of this curvature
        radius = size / bend
        turn, out = points[:, 2] / radius, radius - points[:, 0]
        points[:, 0], points[:, 2] = radius - out * np.cos(turn), out * np.sin(turn)
    points *= np.exp(0.12 * strength * np.clip(dice.rng.normal(size=3), -2, 2))
    return np.asarray(points @ frame.T + middle)


def roughened(surface: Surface, dice: Dice) -> FloatArray:
    """Waves on the surface, as scans and stones have them."""
    vertices = surface[0]
    size = float(np.linalg.norm(np.ptp(vertices, axis=0)))
    noise = Noise(dice.between(0.0, 0.05), dice.between(0.002, 0.014))
    return roughen(surface, np.full(len(vertices), 0.1 * size), noise, dice)[0]


def torn(figure: Divided, dice: Dice) -> Divided:
    """With some openings of a few faces."""
    vertices, faces, _ = figure
    keep = np.ones(len(faces), dtype=bool)
    middles = vertices[faces].mean(axis=1)
    for _ in range(int(dice.rng.integers(2, 8))):
        order = np.argsort(np.linalg.norm(middles - middles[int(dice.rng.integers(len(faces)))], axis=1))
        keep[order[: max(2, int(dice.between(0.0005, 0.008) * len(faces)))]] = False
    return _kept(figure, keep)


def opened(figure: Divided, dice: Dice) -> Divided:
    """Without its lowest few hundredths, as hollow statues and single rooms are."""
    vertices, faces, _ = figure
    height = vertices[:, 2] - vertices[:, 2].min()
    return _kept(figure, (height[faces] > dice.between(0.01, 0.05) * height.max()).any(axis=1))


def _kept(figure: Divided, keep: np.ndarray) -> Divided:
    vertices, faces, pieces = figure
    if keep.mean() < 0.5:
        return figure
    points, corners, _ = kept_faces(vertices, faces, keep)
    return points, corners, pieces[keep]
