"""Birds of all builds: flying, sitting, standing, swimming; from penguins to swans and fantails."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from meshtide.arrays import FloatArray
from meshtide.data.figures.creatures.shapes import Creature, ball, bone, fan, strand
from meshtide.data.figures.dice import Dice
from meshtide.data.figures.skeleton import FRONT, SIDE, UP, Bone, across, bent, chain, pattern, turned, unit


@dataclass(frozen=True)
class Build:
    """Medians of a sort of bird whose trunk is about 1 long."""

    pitch: float  # degrees by which the trunk stands up
    girth: float
    neck: float
    head: float
    bill: float
    tail: float
    fan: float  # opening of the tail, degrees
    leg: float
    wing: float  # span of one wing
    chord: float
    spread: float  # how often wings are out


SORTS = {
    "songbird": Build(25, 0.27, 0.08, 0.17, 0.12, 0.4, 15, 0.25, 0.9, 0.3, 0.4),
    "gull": Build(8, 0.2, 0.1, 0.12, 0.15, 0.35, 35, 0.15, 1.5, 0.24, 0.85),
    "eagle": Build(15, 0.24, 0.12, 0.13, 0.13, 0.45, 50, 0.2, 1.4, 0.42, 0.8),
    "duck": Build(8, 0.3, 0.3, 0.15, 0.2, 0.25, 25, 0.12, 0.8, 0.28, 0.35),
    "swan": Build(8, 0.3, 0.95, 0.12, 0.16, 0.28, 30, 0.15, 1.1, 0.35, 0.3),
    "penguin": Build(82, 0.28, 0.06, 0.17, 0.14, 0.15, 10, 0.1, 0.55, 0.13, 0.7),
    "chicken": Build(20, 0.33, 0.25, 0.13, 0.1, 0.4, 60, 0.3, 0.5, 0.3, 0.1),
    "owl": Build(75, 0.3, 0.02, 0.26, 0.06, 0.3, 20, 0.08, 1.0, 0.4, 0.35),
    "heron": Build(30, 0.2, 0.75, 0.1, 0.3, 0.22, 20, 0.9, 1.1, 0.35, 0.35),
    "peacock": Build(20, 0.26, 0.35, 0.1, 0.1, 1.2, 110, 0.35, 0.6, 0.25, 0.1),
    "swallow": Build(5, 0.18, 0.05, 0.12, 0.06, 0.6, 40, 0.1, 1.3, 0.2, 0.9),
    "ostrich": Build(12, 0.3, 0.8, 0.1, 0.12, 0.25, 30, 1.0, 0.5, 0.3, 0.1),
}


def _bird(dice: Dice) -> list[Bone]:
    sort = SORTS[dice.pick(dict.fromkeys(SORTS, 1.0))]
    frame = turned(np.eye(3), pitch=-dice.angle(sort.pitch, 9))
    girth = dice.size(sort.girth, 0.16)
    spread = dice.chance(sort.spread)
    bones = _trunk(dice, frame, girth) + _head(dice, sort, frame, girth)
    if dice.chance(0.95):
        bones += _tail(dice, sort, frame, girth)
    if not dice.chance(0.03):
        bones += _spread(dice, sort, frame, girth) if spread else _folded(dice, frame, girth)
    if dice.chance(0.2 if spread else 0.6):
        bones += _legs(dice, sort, frame, girth)
    if dice.chance(0.06):
        foot = -1.6 * girth * UP - 0.05 * FRONT
        bones.append(bone("base", foot, foot - 0.12 * UP, (0.35, 0.4), blend=0.05, square=True))
        bones.append(bone("base", foot + girth * UP, foot, (0.08, 0.1), blend=0.3))
    return bones


def _trunk(dice: Dice, frame: FloatArray, girth: float) -> list[Bone]:
    side, front, up = frame.T
    points = (-0.42 * front, -0.02 * front - 0.1 * girth * up, 0.3 * front + 0.05 * girth * up)
    radii = (dice.between(0.4, 0.7) * girth, girth, dice.between(0.65, 0.95) * girth)
    return chain(points, radii, pattern("torso", blend=0.5, thin=side, squash=dice.size(0.92, 0.1)))


def _head(dice: Dice, sort: Build, frame: FloatArray, girth: float) -> list[Bone]:
    """Neck, skull and bill; a long neck is a part of its own, a short one belongs to the head."""
    _, front, up = frame.T
    size, long = min(dice.size(sort.head, 0.14), 0.95 * girth), dice.size(sort.neck, 0.25)
    upright = sort.pitch > 60
    flying = dice.chance(0.3) and not upright
    rise = unit(front + 0.15 * up) if flying or upright else unit(up + dice.between(0.2, 1.2) * front)
    start = 0.3 * front + 0.35 * girth * (0.2 * up if flying or upright else up)
    turn = dice.angle(0, 8) if flying or long < 0.2 else dice.pick({-1.0: 1, 1.0: 1}) * dice.between(0.1, 0.9)
    top = min(dice.between(0.6, 0.85) * size, 0.6 * girth)
    part = "neck" if long > 0.22 else "head"
    radii = (0.65 * girth, top, top, top) if long > 0.22 else (0.75 * girth, top)
    bones = strand(pattern(part, blend=0.5), start, rise, FRONT, long + 0.6 * girth, radii, turn)
    look = turned(np.eye(3), pitch=dice.angle(4, 12), yaw=dice.angle(0, 20))
    middle = bones[-1].end + 0.35 * size * unit(bones[-1].end - bones[-1].start) + 0.15 * size * look[:, 1]
    bones.append(bone("head", middle, middle + dice.between(0.05, 0.5) * size * look[:, 1], (size, 0.92 * size)))
    return bones + _bill(dice, sort, middle, look, size)


def _bill(dice: Dice, sort: Build, middle: FloatArray, look: FloatArray, size: float) -> list[Bone]:
    """A pointed, flat or hooked bill, sometimes a crest or a comb; a large bill is a part of its own."""
    side, front, up = look.T
    long, thick = dice.size(sort.bill, 0.3), dice.between(0.25, 0.6) * size
    part = "beak" if long > 1.1 * size else "head"
    start = middle + 0.75 * size * front - 0.1 * size * up
    like = pattern(part, "beak" if part == "beak" else "", blend=0.25, thin=up, squash=dice.pick({1.0: 2, 0.5: 1.2}))
    bones = strand(
        like,
        start,
        front,
        -up,
        long + 0.35 * size,
        (thick, 0.7 * thick, 0.25 * thick),
        dice.between(-0.1, 0.9) if dice.chance(0.5) else 0.0,
    )
    if dice.chance(0.15):
        root = middle + 0.75 * size * up
        tip = root + size * (dice.between(0.4, 0.8) * up - dice.between(-0.1, 0.8) * front)
        bones += chain((root, tip), (0.35 * size, 0.2 * size), pattern("head", blend=0.3, thin=side, squash=0.4))
    return bones


def _tail(dice: Dice, sort: Build, frame: FloatArray, girth: float) -> list[Bone]:
    """A fan behind the trunk: closed, open, forked, lying flat or standing up."""
    side, front, up = frame.T
    upright = sort.fan > 55
    direction = bent(-front, up, dice.angle(35, 20) if upright else dice.angle(4, 12))
    opening = abs(dice.angle(sort.fan, 0.35 * sort.fan + 5))
    length, width = dice.size(sort.tail, 0.3) + 0.4 * girth, dice.between(0.2, 0.42) * girth
    rays = int(np.clip(round(opening * length / (1.3 * width)), 2, 9))
    like = pattern("tail", "tail", blend=0.3, squash=dice.between(0.2, 0.5))
    plane = up if upright and dice.chance(0.4) else side
    return fan(
        like,
        -0.38 * front + 0.08 * girth * up,
        direction,
        plane,
        opening,
        length,
        (0.8 * width, dice.between(0.6, 1.2) * width),
        rays,
        dice.between(-0.35, 0.4),
    )


def _spread(dice: Dice, sort: Build, frame: FloatArray, girth: float) -> list[Bone]:
    """Wings out: an arm along the front edge, and feathers that reach backwards from it."""
    side, front, up = frame.T
    span, chord = dice.size(sort.wing, 0.22), dice.size(sort.chord, 0.22)
    lift, drop, sweep = dice.angle(8, 25), dice.angle(0, 22), dice.angle(5, 16)
    fold, thick = dice.angle(25, 22), dice.between(0.12, 0.3)
    feathers = dice.chance(0.3)
    bones = []
    for sign in (-1.0, 1.0):
        out = bent(bent(sign * side, up, lift + dice.normal(0.03)), front, sweep)
        onward = bent(bent(out, -front, fold), -up, drop)
        root = 0.2 * front + 0.35 * girth * up + 0.35 * girth * sign * side
        wrist = root + (0.45 * span + 0.3 * girth) * out
        tip = wrist + 0.55 * span * onward
        thin = across(out, np.cross(out, front))
        like = pattern("wing", f"wing{sign:+.0f}", blend=0.35, thin=thin, squash=0.5)
        bones += chain((root, wrist, tip), (0.3 * chord, 0.22 * chord, 0.1 * chord), like)
        back = across(out, -front)
        like = pattern("wing", f"wing{sign:+.0f}", blend=0.3, thin=thin, squash=thick)
        count = int(np.clip(span / (0.6 * chord), 5 if feathers else 4, 10))
        for share in np.linspace(0.18, 1.0, count):
            place = root + 2 * share * (wrist - root) if share < 0.5 else wrist + (2 * share - 1) * (tip - wrist)
            reach = chord * (1 - 0.55 * share**2)
            ray = unit(back + (0.15 + 1.1 * share**2) * (onward if share > 0.5 else out))
            width = (0.5 if not feathers else 0.3) * chord * (1.1 - 0.5 * share)
            bones.append(
                bone(
                    "wing",
                    place,
                    place + reach * ray,
                    (width, (0.7 if feathers else 0.9) * width),
                    like.limb,
                    blend=0.3,
                    thin=thin,
                    squash=thick,
                )
            )
    return bones


def _folded(dice: Dice, frame: FloatArray, girth: float) -> list[Bone]:
    """Wings along the trunk that stand out a little, or hang at its sides."""
    side, front, up = frame.T
    length, out, high = dice.size(0.8, 0.15), dice.between(0.85, 1.1), dice.between(-0.1, 0.4)
    bones = []
    for sign in (-1.0, 1.0):
        start = 0.2 * front + girth * (high * up + out * 0.88 * sign * side)
        end = start - length * front - girth * (0.1 * up + dice.between(0.1, 0.5) * sign * side)
        radii = (dice.between(0.4, 0.65) * girth, dice.between(0.12, 0.3) * girth)
        bones.append(
            bone(
                "wing",
                start,
                end,
                radii,
                f"wing{sign:+.0f}",
                bulge=0.1 * girth,
                blend=0.15,
                thin=side,
                squash=dice.between(0.3, 0.45),
            )
        )
    return bones


def _legs(dice: Dice, sort: Build, frame: FloatArray, girth: float) -> list[Bone]:
    """Thin or feathered legs with toes or webbed feet."""
    length, thick = dice.size(sort.leg, 0.25), dice.size(0.034, 0.25)
    side, front, _ = frame.T
    webbed, stride = dice.chance(0.35), dice.normal(0.2)
    bones = []
    for sign in (-1.0, 1.0):
        name = f"leg{sign:+.0f}"
        hip = -0.08 * front + 0.45 * girth * sign * side - 0.4 * girth * UP
        knee = hip - (0.6 * girth + 0.35 * length) * UP + 0.1 * length * FRONT + 0.1 * length * sign * SIDE
        foot = knee - 0.6 * length * UP + sign * stride * length * FRONT
        like = pattern("leg", name, blend=0.4)
        bones += chain((hip, knee, foot), (dice.between(0.15, 0.35) * girth, 1.2 * thick, thick), like)
        size = dice.size(0.17, 0.2)
        if webbed:
            bones.append(ball("leg", foot + 0.6 * size * FRONT, 0.6 * size, name, thin=UP, squash=0.3, blend=0.3))
            continue
        for angle in (-0.6, 0.0, 0.6, 3.14)[: 3 + dice.chance(0.5)]:
            toe = foot + size * (np.cos(angle) * FRONT + np.sin(angle) * SIDE) * (1 if angle < 3 else 0.5)
            bones.append(bone("leg", foot, toe - 0.02 * UP, (thick, 0.7 * thick), name, blend=0.4))
    return bones


CREATURES = {"bird": Creature(_bird, ("head", "beak", "neck", "torso", "wing", "tail", "leg", "base"))}
