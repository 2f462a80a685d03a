"""Ants: three bodies joined by thin waists, six legs and two feelers."""

from __future__ import annotations

import numpy as np

from meshtide.arrays import FloatArray
from meshtide.data.figures.dice import Dice
from meshtide.data.figures.skeleton import FRONT, SIDE, UP, Bone, bent, chain, pattern, touching, turned, unit

PARTS = ("antenna", "head", "torso", "abdomen", "leg")


def build(dice: Dice) -> list[Bone]:
    """An ant whose middle body is about 0.5 long."""
    thin = dice.size(0.037, 0.25)  # of legs, feelers and waists
    chest = dice.size(0.14, 0.12)
    middle = [Bone("torso", -0.2 * FRONT, 0.16 * FRONT + 0.05 * UP, (0.8 * chest, chest), blend=0.4)]
    head = _head(dice, thin)
    for attempt in range(6):
        legs = _legs(dice, chest, thin, calm=attempt / 6)
        bones = [*middle, *_abdomen(dice, thin), *head, *legs]
        if not touching(bones):
            break
    return bones


def _head(dice: Dice, thin: float) -> list[Bone]:
    """A head on a short neck, jaws in front, feelers with an elbow."""
    size = dice.size(0.17, 0.12)
    neck = 0.28 * FRONT + 0.04 * UP
    look = turned(np.eye(3), pitch=dice.angle(20, 12))
    back = neck + 0.95 * size * look[:, 1]
    front = back + 0.55 * size * look[:, 1]
    bones = [
        Bone("torso", 0.15 * FRONT, neck, (1.3 * thin, 1.2 * thin), blend=0.5),
        Bone("head", back, front, (size, 0.75 * size), blend=0.4, thin=look[:, 2], squash=dice.size(0.8, 0.08)),
        Bone("head", neck, back, (1.2 * thin, 1.6 * thin), blend=0.5),
    ]
    joint, reach = dice.between(0.2, 0.36), dice.between(0.25, 0.45)
    for sign in (-1.0, 1.0):
        root = front + size * (0.3 * sign * look[:, 0] + 0.35 * look[:, 2] + 0.2 * look[:, 1])
        elbow = root + (joint + 0.2 * size) * unit(0.7 * sign * SIDE + 0.5 * FRONT + dice.between(0.3, 0.8) * UP)
        tip = elbow + reach * unit(FRONT + dice.between(0.0, 0.5) * sign * SIDE - dice.between(-0.2, 0.5) * UP)
        like = pattern("antenna", f"antenna{sign:+.0f}", blend=0.3)
        bones += chain((root, elbow, tip), (0.8 * thin, 0.75 * thin, dice.size(0.9, 0.15) * thin), like)
        if dice.chance(0.6):
            jaw = front + size * (0.35 * sign * look[:, 0] + 0.6 * look[:, 1])
            end = jaw + 0.5 * size * unit(look[:, 1] - 0.5 * sign * look[:, 0])
            bones.append(Bone("head", jaw, end, (0.2 * size, 0.1 * size), blend=0.3))
    return bones


def _abdomen(dice: Dice, thin: float) -> list[Bone]:
    """The waist with one or two knots, then the gaster."""
    size, long = dice.size(0.23, 0.15), dice.between(0.1, 0.4)
    waist = -0.38 * FRONT
    bones = [Bone("torso", -0.2 * FRONT, waist, (1.5 * thin, 1.2 * thin), blend=0.5)]
    for knot in (-0.3 * FRONT, -0.38 * FRONT)[: int(dice.rng.integers(0, 3))]:
        bones += [Bone("torso", knot, knot + 0.05 * UP, (1.7 * thin, 1.3 * thin), blend=0.4)]
    start = waist - 0.9 * size * FRONT + 0.02 * UP
    droop = bent(-FRONT, -UP, dice.angle(12, 12))
    bones.append(Bone("abdomen", start, start + long * droop, (size, 0.75 * size), blend=0.35))
    bones.append(Bone("abdomen", waist, start, (1.2 * thin, 2 * thin), blend=0.5))
    return bones


def _legs(dice: Dice, chest: float, thin: float, calm: float) -> list[Bone]:
    """Six legs: up to the knee, down to the ground, a foot."""
    length, height = dice.size(0.5, 0.15), dice.between(0.1, 0.6)
    bones: list[Bone] = []
    for pair, (place, sweep) in enumerate(((0.14, 0.75), (0.0, 0.0), (-0.14, -0.8))):
        for sign in (-1.0, 1.0):
            out = unit(sign * SIDE + (sweep + dice.normal(0.18 * (1 - calm))) * FRONT)
            start = place * FRONT + 0.4 * chest * sign * SIDE - 0.3 * chest * UP
            hip = start + 0.8 * chest * out
            own = length * dice.size(1.0, 0.07) * (1.15 if pair == 2 else 1.0)
            bones += _leg(f"leg{pair}{sign:+.0f}", (start, hip), out, own, height, thin)
    return bones


def _leg(
    name: str, root: tuple[FloatArray, FloatArray], out: FloatArray, length: float, height: float, thin: float
) -> list[Bone]:
    start, hip = root
    knee = hip + length * bent(out, UP, height)
    ankle = knee + length * bent(out, -UP, 1.0)
    foot = ankle + 0.35 * length * bent(out, -UP, 0.4)
    radii = (1.2 * thin, 1.1 * thin, 0.9 * thin, 0.75 * thin, 0.7 * thin)
    return chain((start, hip, knee, ankle, foot), radii, pattern("leg", name, blend=0.4))
