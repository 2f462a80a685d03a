"""Human feet from the ankle on: bare with toes, plain, in shoes, on heels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from meshtide.arrays import FloatArray
from meshtide.data.figures.dice import Dice
from meshtide.data.figures.skeleton import Bone, across, chain, continued, pattern


@dataclass(frozen=True)
class Shoes:
    """How feet look: bare with toes, a plain foot, a shoe with a heel."""

    kind: str
    length: float
    height: float

    @staticmethod
    def draw(dice: Dice) -> Shoes:
        """Feet for one person, both alike."""
        kind = dice.pick({"toes": 0.3, "plain": 0.35, "shoe": 0.25, "heel": 0.1})
        return Shoes(kind, dice.size(0.15, 0.1), dice.between(0.02, 0.07) if kind == "heel" else 0.0)


def foot_bones(
    shoes: Shoes, ankle: FloatArray, toes: FloatArray, down: FloatArray, scale: float, shin: float, limb: str
) -> list[Bone]:
    """A foot from the ankle on: a heel behind, a flat sole in front."""
    thick = scale * (1.25 if shoes.kind in ("shoe", "heel") else 1.0)
    sole, neck = across(toes, down), max(shin, 0.032 * scale)
    heel = ankle + scale * (0.035 * sole - 0.025 * toes)
    ball = ankle + scale * (shoes.length * toes + (0.05 + shoes.height) * sole)
    like = pattern("foot", limb, blend=0.4)
    flat = pattern("foot", limb, blend=0.4, thin=sole, squash=0.6)
    bones = [
        *chain((ankle + 0.3 * neck * down, heel), (1.02 * neck, 0.036 * thick), like),
        *chain((ankle + 0.01 * scale * toes, ball), (0.9 * neck, 0.022 * scale), like),
        *chain((heel, ball), (0.04 * thick, 0.05 * thick), flat),
    ]
    if shoes.kind == "toes":
        bones += _toes(ball, toes, sole, scale, limb)
    else:
        tip = ball + scale * (0.045 * toes + 0.006 * sole)
        bones += continued((ball, tip), (0.05 * thick, 0.036 * thick), flat)
    if shoes.kind == "heel":
        below = heel + shoes.height * scale * sole
        bones += chain((heel, below), (0.028 * scale, 0.016 * scale), pattern("foot", limb, blend=0.3, square=True))
    return bones


def _toes(ball: FloatArray, toes: FloatArray, sole: FloatArray, scale: float, limb: str) -> list[Bone]:
    """Five toes side by side, a big one first."""
    bones = []
    for number in range(5):
        root = ball + scale * np.cross(sole, toes) * 0.018 * (number - 2)
        tip = root + scale * (toes * (0.06 - 0.005 * number) + 0.008 * sole)
        size = scale * (0.014 if number else 0.019)
        bones.append(Bone("foot", root, tip, (size, 0.8 * size), blend=0.3, limb=limb))
    return bones
