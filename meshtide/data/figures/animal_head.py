"""Heads of four-legged animals: skull, muzzle or trunk, ears, horns and antlers."""

from __future__ import annotations

import numpy as np

from meshtide.arrays import FloatArray
from meshtide.data.figures.dice import Dice
from meshtide.data.figures.families import Family
from meshtide.data.figures.skeleton import UP, Bone, Flat, across, bent, chain, curl, pattern, unit


def head_bones(
    dice: Dice, animal: Family, nape: FloatArray, look: FloatArray, neck: FloatArray, name: str
) -> list[Bone]:
    """A head whose frame is `look` at the end of a neck that comes from the direction `neck`."""
    side, front, up = look.T
    size = animal.head
    middle = nape + 0.45 * size * neck + 0.35 * size * front
    brow = middle + 0.55 * size * front
    wide: Flat = {"thin": side, "squash": dice.size(0.85, 0.08)}
    bones = [Bone("head", middle - 0.1 * size * front, brow, (size, 0.9 * size), blend=0.5, **wide)]
    bones += _muzzle(dice, animal, brow, look, name)
    if animal.ear > 0.015 and not dice.chance(0.06):
        bones += _ears(dice, animal, middle, look, name)
    if animal.horn > 0.02 and dice.chance(0.7):
        bones += _horns(dice, animal, middle, look, name)
    if dice.chance(0.3):
        for sign in (-1.0, 1.0):
            eye = brow + size * (0.55 * wide["squash"] * sign * side + 0.45 * up + 0.15 * front)
            bones.append(Bone("head", eye, eye + 0.02 * size * front, (0.22 * size,) * 2, blend=0.3))
    return bones


def _muzzle(dice: Dice, animal: Family, brow: FloatArray, look: FloatArray, name: str) -> list[Bone]:
    side, front, up = look.T
    start = brow - 0.2 * animal.head * up
    if name == "elephant":
        points = curl(start, unit(front), -UP if dice.chance(0.7) else UP, animal.muzzle, 6, dice.angle(10, 6))
        radii = np.linspace(0.62 * animal.head, animal.muzzle_tip, 7)
        return chain(points, list(radii), pattern("head", "trunk", blend=0.5))
    tip = start + animal.muzzle * front
    root = 0.72 * animal.head
    flat: Flat = {"thin": side, "squash": dice.size(0.9, 0.08)}
    bones = [Bone("head", start, tip, (root, min(animal.muzzle_tip, root)), blend=0.5, **flat)]
    if dice.chance(0.35) and animal.muzzle > 0.1:  # an open mouth
        jaw = bent(front, -up, dice.between(0.2, 0.55))
        low = start - 0.3 * animal.head * up
        bones.append(
            Bone(
                "head", low, low + 0.8 * animal.muzzle * jaw, (0.5 * root, 0.55 * animal.muzzle_tip), blend=0.3, **flat
            )
        )
    if dice.chance(0.4):
        nose = tip + 0.5 * animal.muzzle_tip * (front + 0.5 * up)
        bones.append(Bone("head", tip, nose, (0.8 * animal.muzzle_tip, 0.45 * animal.muzzle_tip), blend=0.3))
    return bones


def _ears(dice: Dice, animal: Family, middle: FloatArray, look: FloatArray, name: str) -> list[Bone]:
    """Two ears: upright, sideways or hanging; an elephant's are sheets."""
    side, front, up = look.T
    kind = dice.pick({"upright": 3, "aside": 1.3, "hanging": 1})
    lift = {"upright": 0.35, "aside": 1.25, "hanging": 1.5}[kind] + dice.normal(0.12)
    if name == "rabbit":
        lift = dice.pick({0.15: 3, 2.2: 1})
    if name == "elephant":
        lift = 1.6
    shape = dice.pick({"pointed": 2, "round": 1, "leaf": 2})
    bones = []
    for sign in (-1.0, 1.0):
        out = bent(up, sign * side - 0.25 * front, lift)
        root = middle + animal.head * (0.55 * sign * np.sin(max(lift, 0.6)) * side + 0.55 * up - 0.1 * front)
        points = [root, root + 0.5 * (animal.ear + 0.3 * animal.head) * out]
        droop = bent(out, -UP, 1.0) if kind == "hanging" else out
        points.append(points[-1] + 0.5 * animal.ear * droop)
        width = animal.ear_width
        radii = {"pointed": (1.1, 0.8, 0.25), "round": (0.9, 1.1, 0.9), "leaf": (0.6, 1.05, 0.35)}[shape]
        like = pattern(
            "ear",
            f"ear{sign:+.0f}",
            blend=0.25,
            thin=across(out, front + 0.3 * sign * side),
            squash=0.42 if name != "elephant" else 0.2,
        )
        bones += chain(points, [max(r * width, 0.011) for r in radii], like)
    return bones


def _horns(dice: Dice, animal: Family, middle: FloatArray, look: FloatArray, name: str) -> list[Bone]:
    """Horns that curve, or antlers that branch."""
    side, front, up = look.T
    thick = max(0.1 * animal.horn, 0.018)
    antlers = name == "deer" or (animal.horn > 0.25 and dice.chance(0.3))
    turn, open_ = dice.angle(14, 10), dice.between(0.3, 1.1)
    goal = dice.pick({"up": 1, "back": 1, "front": 1})
    bones = []
    for sign in (-1.0, 1.0):
        root = middle + animal.head * (0.4 * sign * side + 0.6 * up + 0.2 * front)
        towards = {"up": up, "back": -front, "front": front}[goal]
        points = curl(
            root, bent(up, sign * side - 0.2 * front, open_), towards, animal.horn + 0.4 * animal.head, 4, turn
        )
        like = pattern("ear", f"horn{sign:+.0f}", blend=0.3)
        bones += chain(points, list(np.linspace(thick, 0.55 * thick, 5)), like)
        for joint in (2, 3) if antlers else ():
            branch = points[joint] + 0.35 * animal.horn * bent(unit(points[joint] - points[joint - 1]), front, 0.9)
            bones += chain((points[joint], branch), (0.75 * thick, 0.5 * thick), like)
    return bones
