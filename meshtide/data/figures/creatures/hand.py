"""Hands of all builds: bare or gloved, open, pointing or closed, cut at the wrist or on an arm."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from meshtide.arrays import FloatArray
from meshtide.data.figures.creatures.shapes import Creature, bone
from meshtide.data.figures.dice import Dice
from meshtide.data.figures.skeleton import FRONT, SIDE, UP, Bone, Flat, bent, chain, pattern

FOLDS = {  # how far index, middle, ring and little finger are folded, from 0 to 1
    "open": (0.0, 0.0, 0.0, 0.0),
    "loose": (0.2, 0.3, 0.35, 0.4),
    "claw": (0.5, 0.55, 0.55, 0.5),
    "fist": (1.0, 1.0, 1.0, 1.0),
    "point": (0.0, 1.0, 1.0, 1.0),
    "victory": (0.0, 0.0, 1.0, 1.0),
    "ring": (0.75, 0.1, 0.05, 0.0),
    "horns": (0.0, 1.0, 1.0, 0.0),
    "call": (1.0, 1.0, 1.0, 0.0),
}


@dataclass(frozen=True)
class Build:
    """Sizes of a hand whose palm is about 1 long."""

    wide: float  # half the width of the palm
    thick: float  # of the palm, over its width
    fingers: int  # without the thumb
    length: float
    girth: float
    splay: float
    tip: float  # girth of a finger's tip over that of its root
    knuckles: float  # how much the joints swell


def _hand(dice: Dice) -> list[Bone]:
    """A hand with fingers up, thumb to the side, palm to the front."""
    count = dice.pick({4: 5, 3: 1.2, 2: 0.6})
    wide = dice.size(0.46, 0.12)
    spaced = 2 * wide / count
    build = Build(wide, dice.between(0.3, 0.66), count, dice.size(0.9, 0.2), dice.between(0.33, 0.46) * spaced,
                  dice.between(0.05, 0.75), dice.between(0.55, 1.05), dice.pick({0.0: 2, 0.12: 1}))  # fmt: skip
    bones = _palm(dice, build) + _wrist(dice, build)
    pose = dice.pick({"open": 3, "loose": 2, "claw": 1, "fist": 0.7, "point": 0.8, "victory": 0.5, "ring": 0.5,
                      "horns": 0.3, "call": 0.3, "each": 1.5})  # fmt: skip
    for number in range(count):
        place = 0.5 - (number + 0.5) / count  # 0.5 index finger … -0.5 little finger
        column = round(3 * number / max(count - 1, 1))
        fold = dice.between(0, 1) if pose == "each" else float(np.clip(FOLDS[pose][column] + dice.normal(0.07), 0, 1))
        bones += _finger(dice, build, number, place, fold)
    tucked = pose in ("fist", "point", "victory", "horns") and dice.chance(0.7)
    return bones + (_thumb(dice, build, tucked) if dice.chance(0.96) else [])


def _palm(dice: Dice, build: Build) -> list[Bone]:
    """A flat box of the palm, its heel, and the ball of the thumb."""
    flat: Flat = {"thin": FRONT, "squash": build.thick}
    wide, low = build.wide, dice.between(0.75, 1.0)
    bones = [bone("palm", 0.2 * UP, 0.72 * UP, (low * wide, wide), blend=0.4, **flat)]
    depth = build.thick * wide
    for sign in (-1.0, 1.0):  # corners under the outer fingers make the palm square
        corner = 0.78 * UP + sign * (wide - 0.75 * depth) * SIDE
        bones.append(bone("palm", corner, corner - 0.3 * UP, (0.8 * depth, 0.8 * depth), blend=0.4))
    if dice.chance(0.8):
        size = dice.between(0.6, 1.0) * depth
        start = 0.12 * UP + 0.3 * wide * SIDE + 0.3 * depth * FRONT
        bones.append(bone("palm", start, start + 0.4 * UP + 0.35 * wide * SIDE, (size, 0.8 * size), blend=0.5))
    return bones


def _wrist(dice: Dice, build: Build) -> list[Bone]:
    """Nothing, a stump, a forearm or the cuff of a glove."""
    kind = dice.pick({"none": 1.5, "stump": 1.5, "arm": 1.5, "cuff": 0.7})
    if kind == "none":
        return []
    width = dice.between(0.5, 0.8) * build.wide
    flat: Flat = {"thin": FRONT, "squash": dice.between(0.65, 0.95)}
    square = dice.chance(0.7)
    if kind == "stump":
        end = -dice.between(0.15, 0.45) * UP
        return [bone("palm", 0.15 * UP, end, (width, width), blend=0.4, square=square, **flat)]
    if kind == "arm":
        end, grows = -dice.between(0.8, 2.4) * UP, dice.between(1.0, 1.6)
        arm = chain((0.2 * UP, end), (width, grows * width), pattern("arm", blend=0.4, square=square, **flat))
        return [*arm]
    cuff = dice.between(1.0, 1.5) * build.wide
    end = -dice.between(0.2, 0.6) * UP
    return [bone("arm", -0.02 * UP, end, (cuff, dice.between(1.0, 1.3) * cuff), blend=0.1, square=True, **flat)]


def _finger(dice: Dice, build: Build, number: int, place: float, fold: float) -> list[Bone]:
    """Three bones; a folded finger comes back to the palm."""
    outer = 1 - 0.35 * abs(place) - (0.15 if place < -0.3 else 0)
    length, girth = build.length * outer * dice.size(1, 0.05), build.girth * (0.88 if place < -0.3 else 1.0)
    depth = build.thick * build.wide
    root = 1.75 * build.wide * place * SIDE + (0.95 - 0.4 * place**2) * UP
    direction = bent(UP, SIDE, build.splay * place * (1 - 0.8 * fold) + dice.normal(0.03))
    start = root - 0.25 * direction - 0.15 * fold * depth * FRONT
    points = [start]
    bends = fold * np.array([1.35, 2.9, 3.9])
    for share, bend in zip((0.42, 0.32, 0.26), bends, strict=True):
        extra = 0.25 if len(points) == 1 else 0.0
        if extra:
            points.append(points[-1] + extra * direction)
        points.append(points[-1] + share * length * _folded(direction, float(bend)))
    radii = girth * np.array([1.05, 1.05, 1.0 + build.knuckles, (1 + build.tip) / 2 + build.knuckles, build.tip])
    return chain(points, [float(r) for r in radii], pattern("finger", f"finger{number}", blend=0.25, cut=0.6,
                                                            before="palm"))  # fmt: skip


def _folded(direction: FloatArray, angle: float) -> FloatArray:
    """A finger's direction turned forwards, and past the front back down."""
    return np.asarray(np.cos(angle) * direction + np.sin(angle) * FRONT)


def _thumb(dice: Dice, build: Build, tucked: bool) -> list[Bone]:
    depth, girth = build.thick * build.wide, dice.between(1.0, 1.3) * build.girth
    length = dice.between(0.65, 0.9) * build.length
    root = 0.25 * UP + 0.6 * build.wide * SIDE + 0.2 * depth * FRONT
    if tucked:
        first = root + 0.35 * build.wide * SIDE + 0.3 * UP + (0.7 * depth + girth) * FRONT
        tip = first - 0.8 * build.wide * SIDE + 0.2 * UP + (0.4 * depth + girth) * FRONT
        points = [root, first, tip]
    else:
        out, ahead = dice.between(0.25, 1.4), dice.between(-0.1, 0.8)
        first = root + (0.45 * length + 0.3 * build.wide) * bent(bent(UP, SIDE, out), FRONT, ahead)
        tip = first + 0.45 * length * bent(bent(UP, SIDE, out - dice.between(-0.2, 0.6)), FRONT, ahead)
        points = [root, first, tip]
    like = pattern("finger", "thumb", blend=0.35, cut=0.3, before="palm")
    return chain(points, (1.3 * girth, 1.1 * girth, 0.9 * girth), like)


CREATURES = {"hand": Creature(_hand, ("palm", "finger", "arm"))}
