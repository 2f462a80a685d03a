"""Animals close to the ground: snakes, worms, caterpillars, snails, turtles."""

from __future__ import annotations

import numpy as np

from meshtide.arrays import FloatArray
from meshtide.data.figures.creatures.shapes import Creature, ball, bone, fan, strand
from meshtide.data.figures.dice import Dice
from meshtide.data.figures.skeleton import FRONT, SIDE, UP, Bone, chain, pattern, unit

SIDES = (-1.0, 1.0)


def _path(dice: Dice) -> list[FloatArray]:
    """The line in which a snake lies, from its head to its tail: a wave, a coil, a bow, or with the head raised."""
    kind = dice.pick({"wave": 2, "coil": 1, "bow": 1, "raised": 1})
    share = np.linspace(0, 1, 49)
    length = dice.between(5, 10)
    if kind == "coil":
        turns, out = dice.between(1.2, 2.4), dice.between(0.75, 0.95)
        angle = 2 * np.pi * turns * share
        radius = 0.7 + out * turns * share
        flat = [r * np.array([np.cos(a), np.sin(a), 0.0]) for r, a in zip(radius, angle, strict=True)]
        rise = dice.between(0.0, 1.2)
        return [p + rise * (1 - s) ** 3 * UP for p, s in zip(flat, share, strict=True)]
    swing, waves = dice.between(0.3, 1.1), dice.between(0.6, 2.2)
    if kind == "bow":
        waves = dice.between(0.2, 0.6)
    points = [-length * s * FRONT + swing * np.sin(2 * np.pi * waves * s) * SIDE for s in share]
    if kind == "raised":
        points = [
            p + dice.between(1.5, 1.6) * max(0.0, 1 - 4 * s) ** 1.5 * UP for p, s in zip(points, share, strict=True)
        ]
    return points


def _snake(dice: Dice) -> list[Bone]:
    """A long body that gets thinner, with a head; sometimes a hood or a rattle."""
    points = _path(dice)
    girth, tip = dice.size(0.2, 0.2), dice.between(0.15, 0.6)
    share = np.linspace(0, 1, len(points))
    radii = girth * np.minimum(0.75 + 1.5 * share, 1.0) * (1 - (1 - tip) * share**2)
    bones = chain(points, list(radii), pattern("body", blend=0.3))
    look = unit(points[0] - points[2])
    look = unit(look - 0.8 * (look @ UP) * UP + 0.001 * FRONT)
    size = girth * dice.between(1.1, 1.7)
    long, wide = dice.between(0.6, 1.6), np.cross(look, UP)
    bones.append(bone("head", points[0], points[0] + long * size * look, (size, dice.between(0.5, 0.9) * size),
                      thin=np.cross(wide, look), squash=dice.between(0.55, 0.9), blend=0.35))  # fmt: skip
    if dice.chance(0.2):
        hood = points[2]
        bones.append(bone("head", hood, points[5], (2.2 * girth, girth), thin=look, squash=0.3, blend=0.3))
    return bones


def _worm(dice: Dice) -> list[Bone]:
    """A row of swellings: caterpillars with stub feet, maggots, centipedes."""
    count, girth = int(dice.rng.integers(4, 9)), 0.4
    step = girth * dice.between(1.0, 1.45)
    arch, bow = dice.between(-0.3, 0.9), dice.normal(0.25)
    points = []
    for number in range(count):
        s = number / (count - 1) - 0.5
        points.append(-number * step * FRONT + arch * (0.25 - s**2) * 2 * UP + bow * s**2 * count * SIDE)
    taper = dice.between(0.6, 1.0)
    bones = [
        ball(
            "segment", point, girth * (1 - (1 - taper) * number / count), f"ring{number}", blend=dice.between(0.08, 0.2)
        )
        for number, point in enumerate(points)
    ]
    head = points[0] + step * unit(points[0] - points[1]) + dice.between(0, 0.25) * UP
    bones.append(ball("head", head, girth * dice.between(0.85, 1.25), "head", blend=0.15))
    if dice.chance(0.6):
        for sign in SIDES:
            start = head + 0.25 * UP + 0.15 * sign * SIDE
            tip = start + dice.between(0.35, 0.6) * unit(UP + 0.5 * sign * SIDE + 0.4 * FRONT)
            like = pattern("antenna", f"antenna{sign:+.0f}", blend=0.3)
            bones += [*chain((start, tip), (0.06, 0.06), like), ball("antenna", tip, 0.1, like.limb, blend=0.3)]
    if dice.chance(0.6):
        long, thick = dice.between(0.2, 0.45), dice.between(0.09, 0.14)
        for number, point in enumerate(points):
            for sign in SIDES:
                hip = point + girth * (0.45 * sign * SIDE - 0.65 * UP)
                foot = hip + (long + 0.15) * unit(-UP + 0.3 * sign * SIDE)
                bones.append(bone("leg", hip, foot, (thick, thick), f"leg{number}{sign:+.0f}", blend=0.3))
    return bones


def _snail(dice: Dice) -> list[Bone]:
    """A foot, a raised head with horns, and a shell wound around an axis or pointed."""
    girth = dice.size(0.28, 0.15)
    foot = [0.9 * FRONT, 0.3 * FRONT, -0.5 * FRONT, -dice.between(1.0, 1.6) * FRONT]
    bones = chain(foot, (0.9 * girth, girth, 0.9 * girth, 0.3 * girth), pattern("body", blend=0.4, thin=UP, squash=0.7))
    head = 0.9 * FRONT + dice.between(0.3, 0.7) * unit(UP + 0.4 * FRONT)
    bones += chain((0.85 * FRONT, head), (0.8 * girth, 0.85 * girth), pattern("head", blend=0.4))
    for sign in SIDES:
        like = pattern("antenna", f"antenna{sign:+.0f}", blend=0.3)
        root, tip = (
            head + 0.4 * girth * sign * SIDE,
            head + unit(UP + 0.4 * sign * SIDE + 0.3 * FRONT) * dice.between(0.5, 0.8),
        )
        bones += [*chain((root, tip), (0.055, 0.05), like), ball("antenna", tip, 0.08, like.limb, blend=0.3)]
    size = dice.between(0.5, 0.8)
    middle = -0.25 * FRONT + (0.8 * size + 0.15) * UP
    bones.append(bone("shell", middle, -0.25 * FRONT + 0.3 * UP, (0.5 * size, 0.3 * size), "shell", blend=0.12))
    if dice.chance(0.25):
        tip = middle + dice.between(0.8, 1.5) * unit(UP - FRONT)
        bones.append(bone("shell", middle, tip, (size, 0.1), "shell", blend=0.15))
        return bones
    turns = dice.between(1.2, 2.3)
    points, radii = [], []
    for share in np.linspace(0, 1, 22):
        angle = 2 * np.pi * turns * share - 1.2
        out = 0.62 * size * (1 - 0.85 * share)
        place = (
            middle + out * (np.cos(angle) * UP - np.sin(angle) * FRONT) + dice.between(0.3, 0.34) * share * size * SIDE
        )
        points.append(place)
        radii.append(0.5 * size * (1 - 0.72 * share))
    return bones + chain(points, radii, pattern("shell", "shell", blend=0.12))


def _turtle(dice: Dice) -> list[Bone]:
    """A dome over a flat belly, head, four legs or flippers, a short tail."""
    long, high = dice.between(0.1, 0.6), dice.between(0.4, 0.95)
    shell = [bone("shell", 0.5 * long * FRONT, -0.5 * long * FRONT, (0.9, 0.9), thin=UP, squash=high, blend=0.15)]
    if dice.chance(0.6):  # flat below
        shell = [bone("shell", 0.5 * long * FRONT + 0.1 * UP, -0.5 * long * FRONT + 0.1 * UP, (0.9, 0.9), thin=UP,
                      squash=0.85 * high, blend=0.15)]  # fmt: skip
    reach, lift = dice.between(0.5, 1.1), dice.between(-0.1, 0.9)
    start = (0.5 * long + 0.55) * FRONT - 0.1 * UP
    bones = strand(pattern("head", "head", blend=0.25), start, FRONT + lift * UP, FRONT, reach, (0.2, 0.17, 0.16),
                   dice.between(0, 0.6))  # fmt: skip
    size = dice.between(0.22, 0.33)
    look = unit(FRONT + 0.3 * lift * UP)
    bones.append(bone("head", bones[-1].end, bones[-1].end + 0.7 * size * look, (size, 0.75 * size), "head", blend=0.3))
    flippers = dice.chance(0.45)
    for fore in (True, False):
        for sign in SIDES:
            name = f"{'fore' if fore else 'hind'}{sign:+.0f}"
            hip = (0.5 * long + 0.4) * (FRONT if fore else -FRONT) + 0.55 * sign * SIDE - 0.12 * UP
            out = unit(sign * SIDE + dice.between(0.2, 0.9) * (FRONT if fore else -FRONT))
            if flippers:
                like = pattern("leg", name, blend=0.25, squash=0.3)
                bones += fan(
                    like, hip, unit(out - 0.15 * UP), -FRONT, 0.35, dice.between(0.8, 1.4) if fore else 0.7, (0.2, 0.16)
                )
                continue
            knee = hip + dice.between(0.35, 0.55) * unit(out - 0.3 * UP)
            foot = knee + dice.between(0.25, 0.5) * unit(-UP + 0.2 * out)
            thick = dice.between(0.15, 0.22)
            bones += chain(
                (hip, knee, foot), (1.2 * thick, thick, thick), pattern("leg", name, blend=0.3, square=False)
            )
            bones.append(bone("leg", foot, foot + 0.15 * FRONT, (1.1 * thick, 0.8 * thick), name, blend=0.3))
    if dice.chance(0.7):
        root = -(0.5 * long + 0.7) * FRONT - 0.1 * UP
        bones += strand(pattern("tail", "tail", blend=0.3), root, -FRONT - 0.2 * UP, SIDE, dice.between(0.4, 0.8),
                        (0.12, 0.05), dice.angle(0, 30))  # fmt: skip
    return [*shell, *bones]


CREATURES = {
    "snake": Creature(_snake, ("body", "head")),
    "worm": Creature(_worm, ("segment", "head", "antenna", "leg")),
    "snail": Creature(_snail, ("body", "head", "antenna", "shell")),
    "turtle": Creature(_turtle, ("shell", "head", "leg", "tail")),
}
