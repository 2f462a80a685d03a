"""Centaurs: a four-legged body with a person's chest, arms and head in front."""

from __future__ import annotations

from dataclasses import replace

from meshtide.arrays import FloatArray
from meshtide.data.figures.creatures.shapes import Creature, ball, bone, strand
from meshtide.data.figures.creatures.upright import SIDES, Upright, pose_body
from meshtide.data.figures.dice import Dice
from meshtide.data.figures.skeleton import FRONT, SIDE, UP, Bone, chain, pattern, unit


def _centaur(dice: Dice) -> list[Bone]:
    """A four-legged body with a person's chest, arms and head in front."""
    chest, hip = dice.between(0.24, 0.32), dice.between(0.22, 0.32)
    like = pattern("body", blend=0.5, thin=SIDE, squash=dice.between(0.75, 0.95))
    bones = chain((-0.9 * FRONT, -0.4 * FRONT - 0.03 * UP, 0.05 * FRONT), (hip, 0.95 * hip, chest), like)
    long, thick = dice.between(0.5, 0.75), dice.between(0.1, 0.15)
    for fore in (True, False):
        swing = dice.normal(0.25)
        for sign in SIDES:
            name = f"{'fore' if fore else 'hind'}{sign:+.0f}"
            top = (0.05 if fore else -0.95) * FRONT + 0.55 * hip * sign * SIDE - 0.05 * UP
            bend = 0.1 if fore else 0.3
            knee = top + (long * 0.55 + 0.6 * hip) * unit(-UP + (sign * swing + bend) * FRONT)
            ankle = knee + 0.6 * long * unit(-UP + (sign * swing - bend) * FRONT)
            bones += chain((top, knee), (1.3 * thick, 0.7 * thick), pattern("upperleg", name, blend=0.45))
            bones += [
                replace(b, goes_on=True)
                for b in chain((knee, ankle), (0.7 * thick, 0.45 * thick), pattern("lowerleg", name, blend=0.35))
            ]
            bones.append(
                bone(
                    "lowerleg", ankle, ankle - 0.12 * UP + 0.04 * FRONT, (0.45 * thick, 0.75 * thick), name, square=True
                )
            )
    bones += strand(
        pattern("tail", "tail", blend=0.3),
        -1.05 * FRONT + 0.5 * hip * UP,
        -FRONT - 0.2 * UP,
        -UP,
        dice.between(0.5, 0.9),
        (0.07, 0.1, 0.05),
        dice.between(0.3, 1.3),
    )
    return bones + _rider(dice, 0.15 * FRONT + 0.3 * chest * UP)


def _rider(dice: Dice, place: FloatArray) -> list[Bone]:
    """A person from the waist up."""
    thin, scale = dice.between(0.07, 0.1), dice.between(0.75, 1.0)
    build = Upright(
        0.2,
        0.2,
        0.25,
        0.75,
        0.27,
        0.1,
        (0.36, 0.32),
        (1.15 * thin, thin, 0.7 * thin),
        (0.1, 0.1),
        (0.05,) * 3,
        0.15,
        0.09,
        0.15,
        0.1,
        dice.pick({"fingers": 1, "fist": 1, "mitten": 1}),
        4,
    )
    body = pose_body(dice, build)
    size = dice.between(0.17, 0.24)
    keep = [b for b in body.bones if not b.limb.startswith("leg")]
    middle = body.nape + 0.7 * size * body.look[:, 2]
    head = [
        ball("head", middle, size, blend=0.4),
        bone(
            "head", middle, middle + size * (0.3 * body.look[:, 1] - 0.6 * body.look[:, 2]), (0.75 * size, 0.55 * size)
        ),
    ]
    if dice.chance(0.4):
        head.append(
            ball("hair", middle + size * (0.2 * body.look[:, 2] - 0.25 * body.look[:, 1]), 1.05 * size, blend=0.1)
        )
    scaled = [
        replace(
            b, start=place + scale * b.start, end=place + scale * b.end, radii=(scale * b.radii[0], scale * b.radii[1])
        )
        for b in [*keep, *head]
    ]
    return [replace(b, part="head") if b.part == "neck" else b for b in scaled]


CREATURES = {
    "centaur": Creature(
        _centaur, ("head", "hair", "torso", "upperarm", "lowerarm", "hand", "body", "upperleg", "lowerleg", "tail")
    ),
}
