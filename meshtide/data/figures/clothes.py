"""Clothes that change a person's outline: wide sleeves and trousers, skirts and robes."""

from __future__ import annotations

import numpy as np

from meshtide.arrays import FloatArray
from meshtide.data.figures.dice import Dice
from meshtide.data.figures.skeleton import UP, Bone, Flat, unit

Clothes = dict[str, float]  # what is worn -> how much of it


def draw_clothes(dice: Dice) -> Clothes:
    """Now and then wide sleeves or trousers, seldom a skirt (1: to the knee) or a robe (2: to the ankle)."""
    clothes: Clothes = {}
    if dice.chance(0.15):
        clothes["sleeve"] = dice.between(0.2, 0.9)
    if dice.chance(0.2):
        clothes["trouser"] = dice.between(0.2, 1.0)
    if dice.chance(0.05):
        clothes["skirt"] = dice.pick({0.6: 1, 0.9: 1, 1.6: 1})
        clothes["flare"] = dice.between(1.2, 2.2)
    return clothes


def skirt_bones(clothes: Clothes, bones: list[Bone], pelvis: FloatArray, wide: float, shin: float) -> list[Bone]:
    """A cone around the thighs, and around the shins below it if it is long."""
    length = clothes.get("skirt", 0.0)
    if length == 0:
        return []
    thighs = [bone for bone in bones if bone.part == "upperleg"]
    middle = sum((bone.end for bone in thighs), np.zeros(3)) / len(thighs)
    hem = wide * clothes["flare"]
    flat: Flat = {"thin": pelvis[:, 1], "squash": 0.8}
    knee = middle * min(1.0, length)
    skirt = [Bone("upperleg", 0.0 * UP, knee, (wide, hem), blend=0.15, cut=0.2, before="torso", square=True, **flat)]
    if length > 1:
        low = middle + (length - 1) * shin * unit(middle)
        skirt.append(
            Bone("lowerleg", middle - 0.02 * unit(middle), low, (hem, 1.1 * hem), blend=0.15, square=True, **flat)
        )
    return skirt
