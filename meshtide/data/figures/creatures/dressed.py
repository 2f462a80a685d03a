"""Dressed and armed people, people on chairs and pedestals, and robots."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from meshtide.data.figures.creatures.bust import base_bones
from meshtide.data.figures.creatures.heads import human_head
from meshtide.data.figures.creatures.shapes import Creature, ball, bone
from meshtide.data.figures.creatures.upright import LIMBS, SIDES, Body, Upright, pose_body, sitting
from meshtide.data.figures.dice import Dice
from meshtide.data.figures.skeleton import UP, Bone, chain, pattern, unit

PARTS = (
    "head",
    "ear",
    "hair",
    "hat",
    "beard",
    "neck",
    "torso",
    *LIMBS,
    "skirt",
    "cape",
    "pack",
    "object",
    "base",
    "seat",
)


def person(dice: Dice) -> Upright:
    """An adult's proportions, thin or fat, where the trunk is 1 high."""
    fat, limb = dice.size(1.0, 0.16), dice.size(1.0, 0.1)
    meat = fat**0.6 * dice.size(1.0, 0.12)
    return Upright(
        hip=0.24 * fat,
        belly=0.25 * fat * dice.between(0.85, 1.15),
        chest=0.28 * fat**0.7,
        depth=dice.between(0.65, 0.85),
        shoulder=dice.size(0.31, 0.09),
        stance=0.17 * fat**0.5,
        arm=(0.54 * limb, 0.47 * limb),
        arm_girth=(0.105 * meat, 0.08 * meat, 0.056 * meat),
        leg=(0.78 * limb, 0.74 * limb),
        leg_girth=(0.165 * meat, 0.11 * meat, 0.075 * meat),
        neck=dice.between(0.1, 0.2),
        neck_girth=0.1 * fat**0.4,
        hand=dice.size(0.165, 0.1),
        foot=dice.size(0.3, 0.1),
        fingers=dice.pick({"fingers": 2, "mitten": 1, "fist": 1.5}),
        count=4,
        feet=dice.pick({"shoe": 2, "plain": 1, "toes": 0.6}),
    )


def _dressed(dice: Dice) -> list[Bone]:
    """A person with a skirt or coat, hat or hair, boots, and something in the hand."""
    build = person(dice)
    body = pose_body(dice, build, sitting(dice) if dice.chance(0.15) else None)
    size = dice.size(0.2, 0.1)
    middle = body.nape + 0.75 * size * body.look[:, 2] + 0.1 * size * body.look[:, 1]
    bones = body.bones + human_head(dice, middle, body.look, size)
    if dice.chance(0.5):
        bones = [replace(b, part="head") if b.part == "neck" else b for b in bones]
    bones = _loose(dice, bones)
    if dice.chance(0.35):
        bones += _skirt(dice, build, body)
    if dice.chance(0.15):
        bones += _cape(dice, build, body)
    if dice.chance(0.15):
        back = 0.55 * body.chest[:, 2] - (0.9 * build.depth * build.chest + 0.1) * body.chest[:, 1]
        bones.append(bone("pack", back - 0.15 * UP, back + 0.2 * UP, (0.2, 0.18), "pack", blend=0.1))
    if dice.chance(0.45):
        bones += _held(dice, body)
    if dice.chance(0.2):
        lowest = min((b for b in bones if b.part == "foot"), key=lambda b: float(b.end[2])).end
        bones += base_bones(dice, lowest - 0.02 * UP, dice.between(0.3, 0.5))
    return bones


def _loose(dice: Dice, bones: list[Bone]) -> list[Bone]:
    """Wide sleeves, wide trousers and boots."""
    sleeve, trouser = dice.pick({0.0: 3, 0.5: 1, 1.0: 0.5}), dice.pick({0.0: 3, 0.4: 1, 0.8: 0.5})
    boots = dice.pick({1.0: 3, 1.35: 1})
    result = []
    for b in bones:
        grow = sleeve if b.part == "lowerarm" else trouser if b.part == "lowerleg" else 0.0
        radii = (b.radii[0] * (1 + grow / 3), b.radii[1] * (1 + grow))
        if b.part == "foot":
            radii = (boots * b.radii[0], boots * b.radii[1])
        result.append(replace(b, radii=radii, square=b.square or grow > 0.3))
    return result


def _skirt(dice: Dice, build: Upright, body: Body) -> list[Bone]:
    """From the waist to somewhere between the thighs and the ground."""
    thighs = [b for b in body.bones if b.part == "upperleg"]
    shins = [b for b in body.bones if b.part == "lowerleg"]
    knee = np.mean([b.end for b in thighs], axis=0)
    ankle = np.mean([b.end for b in shins], axis=0)
    spread = float(max(np.linalg.norm(b.end - knee) for b in thighs)) + build.leg_girth[1]
    long = dice.between(0.6, 2.0)
    hem = knee * min(long, 1.0) + max(long - 1.0, 0.0) * (ankle - knee)
    wide = max(spread * 1.05, build.hip * dice.between(1.2, 2.0))
    like = pattern("skirt", "skirt", blend=0.12, square=True, thin=body.pelvis[:, 1], squash=0.85)
    return chain((dice.between(0.1, 0.3) * body.pelvis[:, 2], hem), (1.05 * build.hip, wide), like)


def _cape(dice: Dice, build: Upright, body: Body) -> list[Bone]:
    """A sheet down the back from the shoulders."""
    top = body.top - 0.1 * body.chest[:, 2] - 0.8 * build.depth * build.chest * body.chest[:, 1]
    end = top - dice.between(0.8, 1.9) * UP - dice.between(0.1, 0.5) * body.chest[:, 1]
    wide = build.shoulder
    return [
        bone(
            "cape",
            top,
            end,
            (wide, dice.between(1.1, 1.7) * wide),
            "cape",
            blend=0.15,
            thin=body.chest[:, 1],
            squash=dice.between(0.15, 0.25),
            square=True,
        )
    ]


def _held(dice: Dice, body: Body) -> list[Bone]:
    """A stick, a sword, a ball, a bag or a shield at one hand."""
    number = int(dice.chance(0.5))
    sign = SIDES[number]
    forearm = next(b for b in body.bones if b.part == "lowerarm" and b.limb == f"arm{sign:+.0f}")
    onward = unit(forearm.end - forearm.start)
    fist = body.hands[number] + 0.15 * onward
    kind = dice.pick({"stick": 2, "sword": 1, "ball": 1, "bag": 1, "shield": 1})
    if kind in ("stick", "sword"):
        along = unit(np.cross(onward, body.chest[:, 0] * sign) + 0.3 * onward)
        behind = dice.between(0.1, 0.9) if kind == "stick" else 0.15
        thick = dice.between(0.025, 0.05)
        start, end = fist - behind * along, fist + dice.between(0.7, 1.5) * along
        return [bone("object", start, end, (thick, thick * (1.4 if kind == "sword" else 1)), "object", blend=0.15)]
    if kind == "ball":
        radius = dice.between(0.15, 0.3)
        return [ball("object", fist + 0.75 * radius * onward, radius, "object", blend=0.1)]
    if kind == "bag":
        low = fist - dice.between(0.25, 0.4) * UP
        return [
            *chain((fist, low), (0.04, 0.05), pattern("object", "object", blend=0.1)),
            bone("object", low, low - 0.2 * UP, (0.16, 0.2), "object", blend=0.15, thin=body.chest[:, 0], squash=0.6),
        ]
    outer = fist + 0.08 * sign * body.chest[:, 0]
    return [ball("object", outer, dice.between(0.25, 0.45), "object", blend=0.1, thin=body.chest[:, 0], squash=0.25)]


def _seated(dice: Dice) -> list[Bone]:
    """A person on a stool, a chair or a block."""
    build = person(dice)
    pose = sitting(dice)
    legs = tuple(replace(leg, bend=dice.between(1.2, 1.6)) for leg in pose.legs)
    body = pose_body(dice, build, replace(pose, legs=(legs[0], legs[1])))
    size = dice.size(0.2, 0.1)
    bones = body.bones + human_head(dice, body.nape + 0.75 * size * body.look[:, 2], body.look, size)
    seat = np.array([0.0, 0.12, -0.14])
    deep = sum(build.leg) * 0.5
    wide = dice.between(0.35, 0.5)
    bones.append(
        bone("seat", seat, seat - dice.between(0.15, 1.0) * deep * UP, (wide, wide), "seat", blend=0.08, square=True)
    )
    return bones


def _robot(dice: Dice) -> list[Bone]:
    """A person of cylinders and balls: each segment its own shape, joined by thin pins."""
    build = replace(
        person(dice),
        blend=0.1,
        fingers=dice.pick({"fist": 1, "stump": 1, "fingers": 1}),
        count=2,
        feet=dice.pick({"shoe": 1, "ball": 1}),
    )
    body = pose_body(dice, build)
    square, even = dice.chance(0.6), dice.between(0.8, 1.2)
    half = 0.8 * build.stance * body.pelvis[:, 0]
    bones = [bone("torso", -half - 0.05 * UP, half - 0.05 * UP, (0.8 * build.leg_girth[0],) * 2, blend=0.05)]
    left, right = (body.top + body.chest @ np.array([0.8 * sign * build.shoulder, 0.0, -0.12]) for sign in SIDES)
    bones.append(bone("torso", left, right, (0.9 * build.arm_girth[0],) * 2, blend=0.05))
    for b in body.bones:
        if b.part in ("upperarm", "lowerarm", "upperleg", "lowerleg"):
            gap = 0.12 * (b.end - b.start)
            girth = even * b.radius
            bones.append(
                replace(
                    b,
                    start=b.start + gap,
                    end=b.end - gap,
                    radii=(girth, girth),
                    square=square,
                    blend=0.06,
                    goes_on=False,
                )
            )
            bones.append(bone(b.part, b.start, b.end, (0.55 * girth, 0.55 * girth), b.limb, blend=0.05))
        elif b.part == "torso":
            bones.append(replace(b, blend=0.05, square=square and not b.goes_on))
        else:
            bones.append(replace(b, blend=min(b.blend, 0.15)))
    return bones + _robot_head(dice, body)


def _robot_head(dice: Dice, body: Body) -> list[Bone]:
    size, up = dice.between(0.18, 0.32), body.look[:, 2]
    middle = body.nape + 0.5 * size * up
    if dice.chance(0.5):
        bones = [bone("head", body.nape, body.nape + 1.6 * size * up, (size, size), blend=0.05, square=True)]
    else:
        bones = [ball("head", middle, size, blend=0.05)]
    if dice.chance(0.5):
        tip = middle + (0.8 + dice.between(0.6, 1.2)) * size * up
        bones += [
            bone("antenna", middle, tip, (0.06, 0.05), "antenna", blend=0.05),
            ball("antenna", tip, 0.09, "antenna"),
        ]
    if dice.chance(0.4):
        for sign in SIDES:
            where = middle + size * (0.9 * sign * body.look[:, 0] + 0.2 * up)
            bones.append(
                ball("ear", where, 0.4 * size, f"ear{sign:+.0f}", thin=body.look[:, 0], squash=0.5, blend=0.05)
            )
    return bones


CREATURES = {
    "dressed": Creature(_dressed, PARTS),
    "seated": Creature(_seated, PARTS),
    "robot": Creature(_robot, ("head", "ear", "antenna", "neck", "torso", *LIMBS)),
}
