"""Human heads in their own frame: skull, face, ears, hair and hats, at the size of an adult in metres."""

from __future__ import annotations

import numpy as np

from meshtide.arrays import FloatArray
from meshtide.data.figures.dice import Dice
from meshtide.data.figures.skeleton import FRONT, SIDE, UP, Bone


def head_bones(dice: Dice, scale: float) -> list[Bone]:
    """A head around its middle; the frame is the head's, the neck comes from below."""
    long, wide = dice.size(1.0, 0.07), dice.size(0.8, 0.05)
    cranium, jaw = dice.size(0.094, 0.05), dice.size(0.058, 0.1)
    bones = [
        _bone(-0.02 * FRONT + 0.02 * UP, 0.015 * FRONT + 0.025 * UP, (cranium, 0.95 * cranium), SIDE, wide),
        _bone(0.02 * FRONT, 0.04 * FRONT - 0.075 * long * UP, (0.075, jaw), SIDE, 0.9, 0.6),
    ]
    if dice.chance(0.8):
        nose = dice.size(0.014, 0.25)
        tip = (0.098 + nose) * FRONT - 0.02 * UP
        bones.append(_bone(0.085 * FRONT + 0.015 * UP, tip, (0.5 * nose, nose), None, 1.0, 0.5))
    if dice.chance(0.6):
        bones.append(_bone(0.06 * FRONT - 0.09 * long * UP, 0.07 * FRONT - 0.092 * long * UP, (0.022,) * 2, None, 1.0))
    if dice.chance(0.7):
        bones += _ears(dice, wide * cranium)
    if dice.chance(0.35):
        bones += _hair(dice, cranium)
    elif dice.chance(0.15):
        bones += _hat(dice, cranium)
    return bones


def _bone(
    start: FloatArray,
    end: FloatArray,
    radii: tuple[float, ...],
    thin: FloatArray | None,
    squash: float,
    blend: float = 0.4,
) -> Bone:
    return Bone("head", start, end, (radii[0], radii[1]), blend=blend, thin=thin, squash=squash)


def _ears(dice: Dice, side: float) -> list[Bone]:
    size, out = dice.size(1.0, 0.25), dice.between(0.0, 0.012)
    bones = []
    for sign in (-1.0, 1.0):
        low = sign * (side - 0.002) * SIDE - 0.015 * UP - 0.005 * FRONT
        high = sign * (side + 0.006 + out) * SIDE + 0.022 * size * UP - 0.015 * FRONT
        bones.append(_bone(low, high, (0.012 * size, 0.018 * size), SIDE, 0.45, 0.3))
    return bones


def _hair(dice: Dice, cranium: float) -> list[Bone]:
    kind = dice.pick({"volume": 3, "bun": 1, "long": 1.5, "tail": 1, "spikes": 0.5})
    size = cranium * dice.between(1.02, 1.3)
    bones = [_bone(-0.04 * FRONT + 0.03 * UP, 0.005 * FRONT + 0.04 * UP, (size, 0.95 * size), SIDE, 0.9)]
    if kind == "bun":
        knot = -0.1 * FRONT + dice.between(0.0, 0.11) * UP
        bones.append(_bone(knot, knot + 0.01 * UP, (0.04, 0.035), None, 1.0, 0.3))
    if kind == "long":
        bones.append(_bone(-0.05 * FRONT + 0.02 * UP, -0.075 * FRONT - 0.13 * UP, (size, 0.06), FRONT, 0.6))
    if kind == "tail":
        bones.append(_bone(-0.1 * FRONT + 0.04 * UP, -0.17 * FRONT - 0.1 * UP, (0.032, 0.018), None, 1.0, 0.3))
    if kind == "spikes":
        for angle in np.linspace(-1.2, 1.2, 5):
            out = np.sin(angle) * SIDE + np.cos(angle) * UP + dice.normal(0.3) * FRONT
            bones.append(_bone(0.07 * out + 0.02 * UP, 0.15 * out, (0.03, 0.01), None, 1.0, 0.3))
    return bones


def _hat(dice: Dice, cranium: float) -> list[Bone]:
    tall, tip = dice.between(0.03, 0.16), dice.between(0.2, 1.0)
    crown = Bone("head", 0.045 * UP, (0.07 + tall) * UP, (1.06 * cranium, 1.06 * cranium * tip), blend=0.1, square=True)
    brim = dice.between(1.2, 1.8) * cranium
    if dice.chance(0.4):
        return [crown]
    return [crown, Bone("head", 0.045 * UP, 0.066 * UP, (brim, brim), blend=0.08, square=True)]
