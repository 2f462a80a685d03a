"""Animals with many legs: insects, spiders, crabs, scorpions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from meshtide.data.figures.creatures.shapes import Creature, ball, bone, fan, strand
from meshtide.data.figures.dice import Dice
from meshtide.data.figures.skeleton import FRONT, SIDE, UP, Bone, bent, chain, pattern, touching, unit

SIDES = (-1.0, 1.0)


@dataclass(frozen=True)
class Legs:
    """A row of jointed legs on both sides."""

    pairs: int
    length: float
    girth: float
    knee: float  # how far the knee stands above the hip, in lengths
    drop: float  # how far the foot lies below the hip
    fan: float  # angle between the first and the last leg
    roots: tuple[float, float]  # along the body, first and last
    inset: float  # of the hips from the middle


def _legs(dice: Dice, legs: Legs, calm: float) -> list[Bone]:
    bones = []
    for number, share in enumerate(np.linspace(0, 1, legs.pairs)):
        for sign in SIDES:
            angle = legs.fan * (0.5 - share) + 0.12 * (1 - calm) * dice.normal()
            out = bent(sign * SIDE, FRONT, angle)
            hip = (legs.roots[0] + share * (legs.roots[1] - legs.roots[0])) * FRONT + legs.inset * sign * SIDE
            long = legs.length * dice.size(1.0, 0.05) * (1 + 0.12 * abs(2 * share - 1))
            knee = hip + (0.45 * long + 0.3 * legs.inset) * unit(out + legs.knee * UP)
            foot = hip + (long + 0.3 * legs.inset) * out - legs.drop * long * UP
            points = [hip, knee, foot]
            if dice.chance(0.5):
                points.append(foot + 0.2 * long * unit(out - 0.4 * UP))
            radii = legs.girth * np.linspace(1.2, 0.75, len(points))
            like = pattern("leg", f"leg{number}{sign:+.0f}", blend=0.4)
            bones += chain(points, [float(r) for r in radii], like)
    return bones


def _calmly(dice: Dice, body: list[Bone], legs: Legs) -> list[Bone]:
    """Body and legs; legs that touch are drawn again, a few times."""
    for attempt in range(5):
        bones = [*body, *_legs(dice, legs, attempt / 5)]
        if not touching(bones, margin=0.1):
            break
    return bones


def _insect(dice: Dice) -> list[Bone]:
    """Head, thorax, abdomen, six legs, and mostly feelers and wings: ants, flies, bees, butterflies, mantises."""
    sort = dice.pick({"ant": 1.2, "fly": 1, "bee": 1, "butterfly": 1, "dragonfly": 0.7, "hopper": 0.8})
    chest = dice.size(0.26, 0.15)
    thorax = bone("thorax", -0.18 * FRONT, 0.18 * FRONT, (chest, dice.between(0.8, 1.05) * chest), blend=0.35)
    waist = dice.between(0.0, 0.25) if sort in ("ant", "bee") else 0.0
    size = {"ant": 0.35, "fly": 0.3, "bee": 0.36, "butterfly": 0.2, "dragonfly": 0.15, "hopper": 0.24}[sort]
    long = {"ant": 0.35, "fly": 0.3, "bee": 0.5, "butterfly": 0.9, "dragonfly": 1.8, "hopper": 1.1}[sort]
    size, long = dice.size(size, 0.18), dice.size(long, 0.2)
    start = -(0.18 + 0.75 * chest + waist + 0.75 * size) * FRONT
    droop = dice.normal(0.25)
    tip = start - long * unit(FRONT + droop * UP)
    body = [thorax, bone("abdomen", start, tip, (size, dice.between(0.35, 1.0) * size), bulge=0.1 * size, blend=0.35)]
    if waist > 0.05:
        like = pattern("abdomen", blend=0.4)
        body += chain((-0.18 * FRONT, start), (0.08, 0.08), like)
    head = _insect_head(dice, 0.18 + 0.8 * chest)
    length = dice.size(0.9, 0.25)
    legs = Legs(3, length, dice.size(0.045, 0.2), dice.between(-0.1, 0.9), dice.between(0.2, 0.8),
                dice.between(0.9, 1.8), (0.2, -0.22), 0.6 * chest)  # fmt: skip
    bones = _calmly(dice, [*body, *head], legs)
    if sort != "ant" or dice.chance(0.15):
        bones += _wings(dice, sort, chest)
    return bones


def _insect_head(dice: Dice, front: float) -> list[Bone]:
    size = dice.size(0.2, 0.18)
    middle = (front + 0.75 * size) * FRONT + dice.normal(0.06) * UP
    bones = [ball("head", middle, size, blend=0.3), bone("head", 0.8 * front * FRONT, middle, (0.1, 0.1), blend=0.4)]
    if dice.chance(0.4):
        bones += [ball("head", middle + size * (0.6 * s * SIDE + 0.4 * FRONT + 0.3 * UP), 0.5 * size) for s in SIDES]
    if dice.chance(0.85):
        length, turn, up = dice.between(0.3, 1.0), dice.angle(0, 60), dice.between(0.2, 1.5)
        for sign in SIDES:
            like = pattern("antenna", f"antenna{sign:+.0f}", blend=0.3)
            root = middle + size * (0.35 * sign * SIDE + 0.6 * FRONT + 0.3 * UP)
            bones += strand(like, root, FRONT + 0.6 * sign * SIDE + up * UP, FRONT - 0.4 * UP, length + 0.2 * size,
                            (0.04, 0.035, 0.035), turn)  # fmt: skip
    return bones


def _wings(dice: Dice, sort: str, chest: float) -> list[Bone]:
    """Two or four wings: sheets out to the sides, up, or back over the abdomen."""
    four = sort in ("butterfly", "dragonfly") or dice.chance(0.35)
    length = dice.size(1.3 if sort != "butterfly" else 1.2, 0.2)
    wide = dice.size({"butterfly": 0.45, "dragonfly": 0.16}.get(sort, 0.25), 0.2)
    lift, back = dice.angle(20, 25), dice.angle(10, 15) if sort != "fly" else dice.angle(45, 15)
    if sort == "hopper":
        lift, back = dice.angle(12, 6), dice.angle(75, 6)
    bones = []
    for pair in range(2 if four else 1):
        for sign in SIDES:
            out = bent(bent(sign * SIDE, -FRONT, back + pair * dice.between(0.35, 0.6)), UP, lift)
            root = (0.12 - 0.2 * pair) * FRONT + chest * (0.5 * sign * SIDE + 0.65 * UP)
            like = pattern("wing", f"wing{pair}{sign:+.0f}", blend=0.2, squash=0.1)
            long = length * (1 if pair == 0 else 0.85)
            aside = np.cross(out, np.cross(sign * SIDE + 0.2 * UP, FRONT)) if abs(lift) < 0.7 else FRONT
            bones += fan(like, root, out, aside, 0.35 if wide < 0.3 else 0.8, long, (0.4 * wide, wide), 3)
    return bones


def _beetle(dice: Dice) -> list[Bone]:
    """A domed shell, a head in front, six short legs, sometimes a horn or jaws."""
    long, high = dice.between(0.4, 1.1), dice.between(0.5, 0.85)
    body = [bone("body", 0.25 * FRONT, -long * FRONT, (0.6, 0.55), thin=UP, squash=high, blend=0.3)]
    neck = 0.25 + 0.55
    if dice.chance(0.6):
        body.append(ball("thorax", neck * FRONT, 0.45, thin=UP, squash=high, blend=0.2))
        neck += 0.4
    size = dice.between(0.2, 0.32)
    head = (neck + 0.3 * size) * FRONT
    body.append(ball("head", head, size, thin=UP, squash=0.8, blend=0.25))
    if dice.chance(0.4):
        like = pattern("horn", "horn", blend=0.3)
        body += strand(like, head + 0.6 * size * FRONT, FRONT + 0.5 * UP, UP, dice.between(0.4, 1.0), (0.1, 0.08, 0.05),
                       dice.between(0, 1.4))  # fmt: skip
    else:
        for sign in SIDES:
            like = pattern("antenna", f"antenna{sign:+.0f}", blend=0.3)
            body += strand(like, head + 0.6 * size * (FRONT + sign * SIDE), FRONT + sign * SIDE, -sign * SIDE,
                           dice.between(0.4, 0.8), (0.05, 0.045, 0.045), dice.between(0, 1.5))  # fmt: skip
    legs = Legs(3, dice.size(0.75, 0.15), dice.between(0.05, 0.08), dice.between(-0.2, 0.5), dice.between(0.3, 0.7),
                dice.between(0.8, 1.6), (0.3, -0.8 * long), 0.4)  # fmt: skip
    return _calmly(dice, body, legs)


def _spider(dice: Dice) -> list[Bone]:
    """Two bodies and eight legs."""
    front, rear = dice.size(0.28, 0.15), dice.size(0.45, 0.2)
    gap = dice.between(0.7, 1.0) * rear
    body = [
        bone("head", 0.05 * FRONT, 0.25 * FRONT, (front, 0.85 * front), blend=0.35),
        ball("abdomen", -(0.6 * front + gap) * FRONT + dice.between(0, 0.2) * UP, rear, blend=0.3),
        bone("abdomen", -0.1 * FRONT, -(0.6 * front + gap) * FRONT, (0.12, 0.2), blend=0.3),
    ]
    if dice.chance(0.5):
        for sign in SIDES:
            jaw = (0.25 + 0.7 * front) * FRONT + 0.4 * front * sign * SIDE
            body.append(bone("jaw", jaw, jaw + 0.3 * unit(FRONT - 0.8 * UP), (0.09, 0.06), f"jaw{sign:+.0f}"))
    legs = Legs(4, dice.size(1.5, 0.25), dice.size(0.055, 0.25), dice.between(0.3, 1.6), dice.between(0.1, 0.7),
                dice.between(1.6, 2.4), (0.28, -0.08), 0.6 * front)  # fmt: skip
    return _calmly(dice, body, legs)


def _crab(dice: Dice) -> list[Bone]:
    """A wide shell, walking legs and two claws."""
    wide, flat = dice.between(0.15, 0.7), dice.between(0.4, 0.7)
    like = pattern("body", thin=UP, squash=flat, blend=0.4)
    body = chain((-wide * SIDE, wide * SIDE), (0.5, 0.5), like)
    pairs = dice.pick({3: 1.5, 4: 1})
    legs = Legs(pairs, dice.size(0.9, 0.2), dice.size(0.075, 0.2), dice.between(0.0, 1.0), dice.between(0.3, 0.7),
                dice.between(0.8, 1.4), (0.15, -0.35), wide + 0.2)  # fmt: skip
    claws = [b for sign in SIDES for b in _claw(dice, sign, wide + 0.1, 0.3, 1.0)]
    eyes = []
    if dice.chance(0.5):
        for sign in SIDES:
            stalk = 0.45 * FRONT + 0.2 * sign * SIDE + 0.1 * UP
            like = pattern("eye", f"eye{sign:+.0f}", blend=0.3)
            eyes += [
                *chain((stalk, stalk + 0.25 * UP), (0.07, 0.07), like),
                ball("eye", stalk + 0.28 * UP, 0.11, like.limb),
            ]
    return _calmly(dice, [*body, *claws, *eyes], legs)


def _claw(dice: Dice, sign: float, aside: float, ahead: float, scale: float) -> list[Bone]:
    """An arm with a bend and pincers; the pincers are a part of their own."""
    name = f"claw{sign:+.0f}"
    size = dice.size(0.24, 0.2) * scale
    root = aside * sign * SIDE + ahead * FRONT
    elbow = root + dice.between(0.4, 0.7) * scale * unit(FRONT + dice.between(0.3, 1.2) * sign * SIDE + 0.2 * UP)
    wrist = elbow + dice.between(0.25, 0.45) * scale * unit(FRONT - dice.between(-0.1, 0.7) * sign * SIDE)
    bones = chain((root, elbow, wrist), (0.1 * scale, 0.1 * scale, 0.1 * scale), pattern("arm", name, blend=0.4))
    onward = unit(FRONT - dice.between(-0.2, 0.6) * sign * SIDE)
    middle = wrist + 0.9 * size * onward
    bones.append(
        bone("claw", wrist + 0.5 * size * onward, middle, (0.75 * size, size), name, blend=0.3, thin=UP, squash=0.6)
    )
    opening = dice.between(0.25, 0.6)
    for half in SIDES:
        start = middle + 0.45 * half * size * SIDE
        tip = start + dice.between(1.4, 2.2) * size * bent(onward, half * SIDE, opening)
        end = tip + 0.5 * size * bent(onward, -half * SIDE, 0.5)
        bones += chain((start, tip, end), (0.45 * size, 0.3 * size, 0.12 * size), pattern("claw", name, blend=0.3))
    return bones


def _scorpion(dice: Dice) -> list[Bone]:
    """A long body, claws, eight legs and a tail that curls over the back."""
    long, girth = dice.between(0.6, 1.2), dice.between(0.25, 0.35)
    body = [bone("body", 0.2 * FRONT, -long * FRONT, (girth, 0.75 * girth), thin=UP, squash=0.7, blend=0.4)]
    like = pattern("tail", "tail", blend=0.35)
    tail = strand(like, -(long + 0.1) * FRONT, -FRONT + 0.3 * UP, UP + 0.2 * FRONT, dice.between(1.4, 2.4),
                  (0.17, 0.14, 0.12, 0.12), dice.between(1.2, 3.2))  # fmt: skip
    tail.append(ball("tail", tail[-1].end, 0.17, "tail", blend=0.3))
    claws = [b for sign in SIDES for b in _claw(dice, sign, 0.15, 0.35, dice.between(0.8, 1.1))]
    legs = Legs(4, dice.size(0.75, 0.15), dice.between(0.05, 0.07), dice.between(0.1, 0.8), dice.between(0.2, 0.5),
                dice.between(0.6, 1.2), (0.1, -0.8 * long), 0.5 * girth)  # fmt: skip
    return _calmly(dice, [*body, *tail, *claws], legs)


CREATURES = {
    "insect": Creature(_insect, ("head", "antenna", "thorax", "abdomen", "leg", "wing")),
    "beetle": Creature(_beetle, ("head", "antenna", "horn", "thorax", "body", "leg")),
    "spider": Creature(_spider, ("head", "jaw", "abdomen", "leg")),
    "crab": Creature(_crab, ("body", "leg", "arm", "claw", "eye")),
    "scorpion": Creature(_scorpion, ("body", "leg", "arm", "claw", "tail")),
}
