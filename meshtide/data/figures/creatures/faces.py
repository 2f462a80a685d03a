"""Heads of animals that are no one's portrait: skull, muzzle, ears, horns, eyes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from meshtide.arrays import FloatArray
from meshtide.data.figures.creatures.shapes import ball, strand
from meshtide.data.figures.dice import Dice
from meshtide.data.figures.skeleton import UP, Bone, across, bent, chain, pattern

SIDES = (1.0, -1.0)


@dataclass(frozen=True)
class Face:
    """What a head looks like, in units of the skull's radius."""

    wide: float = 1.0  # width over height
    muzzle: float = 0.6  # length in front of the skull
    snout: float = 0.45  # girth at its end
    root: float = 0.6  # girth where it begins
    ears: str = "round"  # round, pointed, long, hanging, horns or none
    ear: float = 0.5  # length
    muzzle_part: str = "head"
    droop: float = 0.2  # of the muzzle


def draw_face(dice: Dice, muzzles: tuple[float, float], ears: dict[str, float]) -> Face:
    """A random face; the muzzle is a part of its own if it is long and stands out."""
    muzzle, root = dice.between(*muzzles), dice.between(0.4, 0.75)
    kind = dice.pick(ears)
    long = {"round": 0.5, "pointed": 0.7, "long": 1.6, "hanging": 0.9, "horns": 0.9, "none": 0.0}[kind]
    return Face(
        dice.size(1.0, 0.1),
        muzzle,
        root * dice.between(0.4, 0.95),
        root,
        kind,
        dice.size(long, 0.25),
        droop=dice.between(0.0, 0.5),
    )


def face_bones(dice: Dice, face: Face, middle: FloatArray, look: FloatArray, size: float, limb: str = "") -> list[Bone]:
    """The bones of a head around a middle, looking along the frame's second column."""
    side, front, up = look.T
    bones = [ball("head", middle, size, limb, thin=side, squash=face.wide, blend=0.4)]
    if face.muzzle > 0.05:
        own = face.muzzle_part if face.muzzle_part != "head" else "head"
        like = pattern(own, limb if own == "head" else "muzzle", blend=0.3)
        start = middle + size * ((0.95 - face.root) * front - 0.25 * up)
        tip = start + size * (face.muzzle + face.root - face.snout) * bent(front, -up, face.droop)
        bones += chain((start, tip), (face.root * size, face.snout * size), like)
        if dice.chance(0.4):
            nose = tip + size * face.snout * (0.75 * front + 0.45 * up)
            bones.append(ball(own, nose, 0.35 * face.snout * size, like.limb, blend=0.2))
    if dice.chance(0.35):
        for sign in SIDES:
            eye = middle + size * (0.42 * sign * face.wide * side + 0.75 * front + 0.4 * up)
            bones.append(ball("head", eye, 0.17 * size, limb, blend=0.2))
    return bones + (ear_bones(dice, face, middle, look, size) if face.ears != "none" else [])


def ear_bones(dice: Dice, face: Face, middle: FloatArray, look: FloatArray, size: float) -> list[Bone]:
    """Two ears or horns on a head."""
    side, front, up = look.T
    lift = {"round": 0.75, "pointed": 0.5, "long": 0.2, "hanging": 1.3, "horns": 0.6}[face.ears] + dice.normal(0.15)
    long, wide = face.ear * size, dice.between(0.28, 0.5) * size
    horns = face.ears == "horns"
    bones = []
    for sign in SIDES:
        out = bent(up, sign * side, lift)
        root = middle + 0.8 * size * np.array([face.wide, 1, 1])[0] ** abs(np.sin(lift)) * out - 0.1 * size * front
        like = pattern("ear", f"ear{sign:+.0f}", blend=0.2, thin=across(out, front), squash=dice.between(0.3, 0.6))
        if face.ears == "round":
            bones += chain((root, root + 0.5 * long * out), (1.1 * wide, 1.1 * wide), like)
        elif horns:
            like = pattern("horn", f"horn{sign:+.0f}", blend=0.25)
            bones += strand(
                like,
                root,
                out,
                UP + 0.3 * front,
                long + 0.2 * size,
                (0.16 * size, 0.12 * size, 0.06 * size),
                dice.between(0, 1.2),
            )
        else:
            towards = -UP if face.ears == "hanging" else bent(out, -front, 0.3)
            turn = 1.3 if face.ears == "hanging" else dice.between(0, 0.5)
            radii = (0.75 * wide, wide, 0.25 * wide) if face.ears == "pointed" else (0.5 * wide, 0.8 * wide, 0.5 * wide)
            bones += strand(like, root, out, towards, long + 0.2 * size, radii, turn)
    return bones
