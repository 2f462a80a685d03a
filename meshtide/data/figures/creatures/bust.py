"""Busts, heads and statues: head, hair, neck, chest and base."""

from __future__ import annotations

import numpy as np

from meshtide.arrays import FloatArray
from meshtide.data.figures.creatures.heads import hair_bones, human_head
from meshtide.data.figures.creatures.shapes import Creature, ball, bone, ring
from meshtide.data.figures.dice import Dice
from meshtide.data.figures.skeleton import FRONT, SIDE, UP, Bone, bent, chain, pattern, turned, unit

SIDES = (1.0, -1.0)


def _bust(dice: Dice) -> list[Bone]:
    """A head on a neck, mostly with shoulders and chest, cut off below and often set on a base."""
    size, look = 0.5, turned(np.eye(3), dice.angle(0, 8), dice.angle(0, 5), dice.angle(0, 14))
    neck, girth = dice.between(0.15, 0.5), dice.between(0.24, 0.36)
    kind = dice.pick({"chest": 3, "shoulders": 2, "neck": 1.2})
    bones = human_head(dice, 0 * UP, look, size)
    nape = -0.35 * UP - 0.05 * FRONT
    low = nape - (0.3 + neck) * UP - dice.between(-0.05, 0.15) * FRONT
    square = kind == "neck"
    flare = dice.between(1.0, 1.6) if square else dice.between(1.0, 1.2)
    bones.append(bone("neck", nape, low, (girth, flare * girth), blend=0.35, square=square))
    if kind != "neck":
        bones += _chest(
            dice, low, wide=dice.between(0.6, 1.15), deep=dice.between(0.25, 1.1) if kind == "chest" else 0.25
        )
    bottom = min(
        float(min(b.start[2], b.end[2]) - (0 if b.square else 0.6 * b.radius))
        for b in bones
        if b.part in ("neck", "chest")
    )
    if dice.chance(0.65):
        bones += base_bones(dice, np.array([0.0, low[1], bottom + 0.05]), dice.between(0.25, 0.5))
    return bones


def _chest(dice: Dice, top: FloatArray, wide: float, deep: float) -> list[Bone]:
    """Shoulders and chest; the lower edge is straight or round."""
    slope, depth = dice.between(0.05, 0.3), dice.between(0.55, 0.75)
    girth = dice.between(0.24, 0.34)
    bones = []
    for sign in SIDES:
        out = top + wide * sign * SIDE - (slope + 0.1) * UP
        bones.append(bone("chest", top - 0.12 * UP, out, (girth, 0.95 * girth), blend=0.6, thin=FRONT, squash=0.9))
        if dice.chance(0.4) and deep > 0.4:
            stump = out - dice.between(0.15, 0.5) * UP
            bones.append(bone("chest", out, stump, (0.95 * girth, 0.8 * girth), blend=0.4, square=True))
    narrow = dice.between(0.5, 1.0)
    square, big = dice.chance(0.6), 0.75 * wide
    start = top - (0.35 if square else 0.85 * big + 0.05) * UP
    end = start - (deep if square else max(0.05, deep - 0.5 * big)) * UP
    bones.append(bone("chest", start, end, (big, narrow * big), thin=FRONT, squash=depth, blend=0.4, square=square))
    return bones


def base_bones(dice: Dice, top: FloatArray, size: float) -> list[Bone]:
    """A foot of turned discs or a plain block; one part."""
    kind = dice.pick({"disc": 2, "turned": 2, "column": 1, "cone": 1})
    wide = size * dice.between(1.2, 2.2)
    like = pattern("base", "base", blend=0.06, square=True)
    if kind == "disc":
        return chain((top + 0.1 * UP, top - dice.between(0.15, 0.5) * UP), (wide, wide), like)
    if kind == "column":
        return chain((top + 0.1 * UP, top - dice.between(0.6, 2.0) * UP), (1.3 * size, 1.3 * size), like)
    if kind == "cone":
        return chain((top + 0.15 * UP, top - dice.between(0.4, 0.9) * UP), (size, 1.2 * wide), like)
    stem = top - dice.between(0.2, 0.5) * UP
    bones = [bone("base", top + 0.15 * UP, stem, (0.6 * size, 0.5 * size), "base", blend=0.2)]
    foot = stem - dice.between(0.1, 0.25) * UP
    bones.append(bone("base", stem, foot, (0.7 * wide, wide), "base", blend=0.1, square=True))
    bones.append(bone("base", foot, foot - 0.15 * UP, (1.15 * wide, 1.15 * wide), "base", blend=0.05, square=True))
    return bones


def _mask(dice: Dice) -> list[Bone]:
    """A face or a head alone, of a person or of no one: eyes, nose, mouth and ears stand out."""
    flat = dice.between(0.5, 1.0)
    bones = [bone("head", 0.25 * UP, -0.35 * UP, (0.95, dice.between(0.6, 0.9)), thin=FRONT, squash=flat, blend=0.4)]
    nose = dice.between(0.15, 0.35)
    front = 0.85 * flat * FRONT
    bones.append(
        bone("nose", front + 0.25 * UP, front - 0.15 * UP + 0.6 * nose * FRONT, (0.5 * nose, nose), "nose", blend=0.25)
    )
    for sign in SIDES:
        if dice.chance(0.9):
            root = 0.85 * sign * SIDE
            big = dice.between(0.22, 0.45)
            bones.append(
                bone(
                    "ear",
                    root,
                    root + big * unit(sign * SIDE + 0.5 * UP),
                    (0.7 * big, big),
                    f"ear{sign:+.0f}",
                    thin=unit(FRONT + 0.4 * sign * SIDE),
                    squash=0.35,
                    blend=0.15,
                )
            )
    if dice.chance(0.5):
        bones += hair_bones(dice, dice.pick({"cap": 1, "curls": 1, "long": 1}), 0.3 * UP - 0.2 * FRONT, np.eye(3), 0.9)
    if dice.chance(0.6):
        bones.append(
            bone("neck", -0.6 * UP, -dice.between(1.3, 1.8) * UP - 0.1 * FRONT, (0.42, 0.5), blend=0.3, square=True)
        )
    return bones


def _crowned(dice: Dice) -> list[Bone]:
    """Pieces of a game: a turned body on a foot with a head, a crown or a ball on top."""
    foot = dice.between(0.5, 0.75)
    bones = [bone("base", 0 * UP, 0.2 * UP, (foot, foot), "base", blend=0.05, square=True)]
    bones.append(bone("base", 0.2 * UP, 0.4 * UP, (0.9 * foot, 0.6 * foot), "base", blend=0.1, square=True))
    tall, waist = dice.between(0.8, 2.0), dice.between(0.4, 0.65) * foot
    bones.append(bone("body", 0.35 * UP, (0.4 + tall) * UP, (0.62 * foot, waist), blend=0.1, square=True))
    top = 0.4 + tall
    if dice.chance(0.6):
        bones.append(ball("collar", top * UP, 1.5 * waist, "collar", thin=UP, squash=0.3, blend=0.08))
        top += 0.1
    size = dice.between(1.0, 1.5) * waist
    bones.append(ball("head", (top + 0.75 * size) * UP, size, "head", blend=0.1))
    if dice.chance(0.4):
        crown = (top + 1.4 * size) * UP
        for out in ring(int(dice.rng.integers(4, 8))):
            tip = crown + 0.55 * size * out + 0.4 * size * UP
            bones.append(
                bone(
                    "head",
                    crown + 0.5 * size * out - 0.3 * size * UP,
                    tip,
                    (0.22 * size, 0.18 * size),
                    "head",
                    blend=0.2,
                )
            )
    lean = bent(UP, SIDE, dice.normal(0.05))
    return [
        b
        if b.part != "head"
        else bone(b.part, b.start + 0.05 * lean, b.end + 0.05 * lean, b.radii, b.limb, blend=b.blend)
        for b in bones
    ]


CREATURES = {
    "bust": Creature(_bust, ("head", "ear", "hair", "hat", "beard", "neck", "chest", "base")),
    "mask": Creature(_mask, ("head", "nose", "ear", "hair", "neck")),
    "pawn": Creature(_crowned, ("head", "collar", "body", "base")),
}
