"""Soft animals with arms: octopuses, squids, starfish, jellyfish."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from meshtide.arrays import FloatArray
from meshtide.data.figures.creatures.shapes import Creature, ball, bone, fan, ring, strand
from meshtide.data.figures.dice import Dice
from meshtide.data.figures.skeleton import FRONT, SIDE, UP, Bone, bent, chain, pattern, touching, turned, unit


def _octopus(dice: Dice) -> list[Bone]:
    """A ball or sack with arms around its equator or its lower end."""
    tall = dice.pick({0.02: 2, 0.5: 1, 1.2: 1.2}) * dice.size(1.0, 0.3)
    lean = turned(np.eye(3), pitch=dice.angle(0, 22))
    head = [bone("head", 0 * UP, tall * lean[:, 2], (1.0, dice.size(1.0, 0.2)), blend=0.4)]
    if dice.chance(0.25):  # a ball above a ball
        top = (tall + dice.between(0.9, 1.3)) * lean[:, 2]
        head.append(ball("head", top, dice.between(0.6, 1.0), blend=0.4))
    head += _eyes(dice, tall * lean[:, 2] * 0.5, 1.0) if dice.chance(0.35) else []
    count = int(dice.rng.integers(4, 11))
    level = dice.between(-0.75, 0.25)
    may_touch = dice.chance(0.3)
    for attempt in range(6):
        arms = _arms(dice, count, level, calm=0.75**attempt)
        if may_touch or not touching([*head, *arms], margin=0.1):
            break
    return [*head, *arms]


def _eyes(dice: Dice, middle: FloatArray, size: float) -> list[Bone]:
    where = [size * unit(sign * SIDE + FRONT + dice.between(-0.2, 0.5) * UP) for sign in (-1.0, 1.0)]
    return [ball("head", middle + 0.9 * place, dice.between(0.15, 0.28) * size, blend=0.3) for place in where]


def _arms(dice: Dice, count: int, level: float, calm: float) -> list[Bone]:
    """Arms in a ring at a height between the lower end (-1) and the equator (0)."""
    wide = float(np.sqrt(1 - level**2))
    thick = dice.between(0.4, 0.85) * np.pi * wide / max(count, 5) * 0.8
    thick = float(np.clip(thick, 0.12, 0.5))
    taper, length = dice.pick({1.0: 1.2, 0.6: 1, 0.2: 1.5}) * dice.between(0.85, 1.15), dice.size(2.4, 0.35)
    tilt = level * dice.between(0.3, 1.4) + dice.normal(0.15)
    style = dice.pick({"straight": 0.7, "alike": 1.5, "each": 2.5})
    goal, turn = _goal(dice, 0 * UP), abs(dice.angle(70, 70))
    bones = []
    jitter = [0.2 * calm * dice.between(-1, 1) for _ in range(count)]
    for number, out in enumerate(ring(count, dice.between(0, 6), jitter)):
        aside = np.array([-out[1], out[0], 0.0])
        if style == "each":
            goal, turn = _goal(dice, aside), abs(dice.angle(60, 90))
        towards = goal if style == "each" else goal + 0.001 * aside
        own = 0.12 * calm * dice.normal() if style != "straight" else dice.normal(0.04)
        like = pattern("tentacle", f"arm{number}", blend=dice.between(0.2, 0.6))
        start = 0.55 * (wide * out + level * UP)
        long = length * dice.size(1.0, 0.06 * calm) + 0.4
        radii = (thick, thick, 0.5 * (1 + taper) * thick, taper * thick)
        bent_by = 0.0 if style == "straight" else calm * turn
        arm = strand(like, start, out + (tilt + own) * UP, towards, long, radii, bent_by)
        if style == "each" and dice.chance(0.4):
            arm = _wound_back(arm, dice.between(0.4, 0.7))
        bones += arm
    return bones


def _wound_back(arm: list[Bone], share: float) -> list[Bone]:
    """An arm whose far end turns the other way: an S instead of a C."""
    first = int(share * len(arm))
    pivot, axis = arm[first].start, unit(arm[first].end - arm[first].start)
    turned_over = [
        replace(b, start=_mirrored(b.start, pivot, axis), end=_mirrored(b.end, pivot, axis)) for b in arm[first:]
    ]
    return [*arm[:first], *turned_over]


def _mirrored(point: FloatArray, pivot: FloatArray, axis: FloatArray) -> FloatArray:
    """A point on the other side of a line."""
    offset = point - pivot
    return np.asarray(pivot + 2 * (offset @ axis) * axis - offset)


def _goal(dice: Dice, aside: FloatArray) -> FloatArray:
    goal = dice.pick({"up": 1.5, "down": 1.2, "aside": 1.0})
    sign = 1.0 if dice.chance(0.5) else -1.0
    return {"up": UP + 0.3 * sign * aside, "down": -UP + 0.3 * sign * aside, "aside": sign * aside + 0.3 * UP}[goal]


def _squid(dice: Dice) -> list[Bone]:
    """A long mantle with two fins at its tip, a head, and a bundle of arms in front."""
    length, girth = dice.between(1.6, 3.5), dice.size(0.5, 0.15)
    mantle = [bone("body", 0 * FRONT, -length * FRONT, (girth, dice.between(0.1, 0.5) * girth), bulge=0.15 * girth)]
    head = [bone("head", 0.9 * girth * FRONT, 1.6 * girth * FRONT, (0.72 * girth, 0.65 * girth), blend=0.3)]
    head += [
        ball("head", 1.3 * girth * FRONT + 0.6 * sign * girth * SIDE, 0.25 * girth, blend=0.2) for sign in (-1.0, 1.0)
    ]
    fins = []
    reach, place = dice.between(0.5, 1.1), dice.between(0.6, 0.95)
    for sign in (-1.0, 1.0):
        like = pattern("fin", f"fin{sign:+.0f}", blend=0.25, squash=dice.between(0.1, 0.2))
        start = -(place * length - 0.2) * FRONT
        fins += fan(like, start, unit(sign * SIDE - 0.2 * FRONT), FRONT, dice.between(0.5, 1.2),
                    reach, (0.25, 0.18), rays=4)  # fmt: skip
    count = int(dice.rng.integers(5, 11))
    thick, long = dice.between(0.5, 0.8) * girth * 1.9 / count, dice.between(0.7, 2.2)
    arms = []
    for number, out in enumerate(ring(count, dice.between(0, 1))):
        away = out[0] * SIDE + out[1] * UP
        own = long * (dice.between(1.3, 1.8) if number in (0, count // 2) and dice.chance(0.5) else dice.size(1, 0.08))
        like = pattern("tentacle", f"arm{number}", blend=0.3)
        start = 1.7 * girth * FRONT + 0.42 * girth * away
        arms += strand(like, start, FRONT + dice.between(0.3, 0.8) * away, FRONT if dice.chance(0.6) else away,
                       own + 0.4 * girth, (thick, thick, 0.4 * thick), abs(dice.angle(15, 25)))  # fmt: skip
    return [*mantle, *head, *fins, *arms]


def _starfish(dice: Dice) -> list[Bone]:
    """A flat disc with arms of the same stuff."""
    count = dice.pick({5: 4, 4: 1, 6: 1, 7: 1, 8: 0.6})
    flat = dice.between(0.3, 0.9)
    core = dice.between(0.5, 1.1)
    thick, length = dice.between(0.7, 1.0) * np.pi * core / count * 1.1, dice.between(1.2, 3.0) * core
    thick = min(thick, 0.6 * core)
    bones = [ball("body", 0 * UP, core, thin=UP, squash=flat, blend=0.5)]
    tip = dice.between(0.2, 0.8)
    turn = dice.angle(0, 25)
    for number, out in enumerate(ring(count, dice.between(0, 6))):
        aside = np.array([-out[1], out[0], 0.0])
        like = pattern("arm", f"arm{number}", blend=0.4, thin=UP, squash=min(1.0, flat * core / thick * 0.75))
        towards = unit(aside + dice.between(-0.6, 0.6) * UP)
        bones += strand(like, 0.7 * core * out, out, towards, length * dice.size(1, 0.06),
                        (thick, 0.85 * thick, tip * thick), turn + dice.angle(0, 25))  # fmt: skip
    return bones


def _jellyfish(dice: Dice) -> list[Bone]:
    """A bell with thin arms hanging from it."""
    flat, wide = dice.between(0.4, 1.0), 1.0
    bones = [ball("body", 0 * UP, wide, thin=UP, squash=flat, blend=0.2)]
    if dice.chance(0.6):
        rim = bone("body", -0.02 * UP, -0.35 * flat * UP, (wide, dice.between(0.85, 1.15)), square=True, blend=0.1)
        bones.append(rim)
    count = int(dice.rng.integers(4, 11))
    inner, thick, length = dice.between(0.35, 0.75), dice.between(0.06, 0.13), dice.between(1.0, 3.0)
    thick = min(thick, 2.0 * inner / count)
    goal = unit(dice.vector() * np.array([1, 1, 0.01]))
    for number, out in enumerate(ring(count, dice.between(0, 6))):
        like = pattern("tentacle", f"arm{number}", blend=0.3)
        towards = goal if dice.chance(0.5) else out
        bones += strand(like, inner * out - 0.2 * flat * UP, bent(-UP, out, dice.between(0, 0.5)), towards,
                        length * dice.size(1, 0.15) + 0.3, (thick, thick, 0.7 * thick), dice.angle(0, 40))  # fmt: skip
    if dice.chance(0.3):
        bones += chain((-0.2 * UP, -dice.between(0.8, 1.6) * UP), (0.2, 0.1), pattern("mouth", blend=0.4))
    return [replace(b, part="tentacle", limb="mouth") if b.part == "mouth" else b for b in bones]


CREATURES = {
    "octopus": Creature(_octopus, ("head", "tentacle")),
    "squid": Creature(_squid, ("body", "head", "fin", "tentacle")),
    "starfish": Creature(_starfish, ("body", "arm")),
    "jellyfish": Creature(_jellyfish, ("body", "tentacle")),
}
