"""Octopuses: a sack of a head and five to nine arms that taper and curl."""

from __future__ import annotations

import numpy as np

from meshtide.data.figures.dice import Dice
from meshtide.data.figures.skeleton import SIDE, UP, Bone, chain, curl, pattern, touching, turned, unit

PARTS = ("head", "tentacle")


def build(dice: Dice) -> list[Bone]:
    """A head of about radius 0.3 and arms around its lower end."""
    size, tall = dice.size(0.3, 0.12), dice.between(0.1, 0.7)
    lean = turned(np.eye(3), pitch=dice.angle(10, 18))
    top = tall * lean[:, 2]
    head = [
        Bone("head", 0.0 * UP, top, (dice.size(0.8, 0.1) * size, dice.size(1.0, 0.12) * size), blend=0.5),
        Bone("head", -0.35 * size * UP, 0.0 * UP, (0.75 * size, 0.75 * size), blend=0.5),
    ]
    for sign in (-1.0, 1.0):
        if dice.chance(0.5):
            eye = size * (0.6 * sign * SIDE + 0.45 * lean[:, 1])
            head.append(Bone("head", eye, 1.1 * eye, (0.22 * size,) * 2, blend=0.3))
    count = int(dice.rng.integers(5, 10))
    thick, length = dice.size(0.34, 0.1) * size * (7 / count) ** 0.5, dice.size(1.2, 0.25)
    calm = 1.0
    for _ in range(6):
        arms = [bone for number in range(count) for bone in _arm(dice, number, count, size, thick, length, calm)]
        if not touching([*head, *arms]):
            break
        calm *= 0.7
    return [*head, *arms]


def _arm(dice: Dice, number: int, count: int, size: float, thick: float, length: float, calm: float) -> list[Bone]:
    """One arm: outwards and down, then curling up, down or aside."""
    turn = 2 * np.pi * (number + 0.25 * calm * dice.between(-1, 1)) / count
    out = np.array([np.cos(turn), np.sin(turn), 0.0])
    start = 0.45 * size * out - 0.5 * size * UP
    goal = dice.pick({"up": 2, "down": 1, "aside": 1.5})
    aside = np.array([-out[1], out[0], 0.0]) * (1 if dice.chance(0.5) else -1)
    towards = {"up": UP + 0.2 * aside, "down": -UP + 0.3 * aside, "aside": aside + 0.4 * UP}[goal]
    strength = 4 if goal == "aside" else 13
    points = curl(
        start,
        unit(out - dice.between(0.2, 0.8) * UP),
        towards,
        length * dice.size(1.0, 0.08),
        8,
        abs(dice.angle(4, strength * calm)),
    )
    radii = thick * np.linspace(1, 0.28, 9)
    return chain(points, list(radii), pattern("tentacle", f"arm{number}", blend=0.45, cut=0.6, before="head"))
