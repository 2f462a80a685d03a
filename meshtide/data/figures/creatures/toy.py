"""Toys: teddy bears and bunnies, cartoon people, dolls, gingerbread, snowmen."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from meshtide.data.figures.creatures.faces import draw_face, face_bones
from meshtide.data.figures.creatures.shapes import Creature, ball, bone, ring, strand
from meshtide.data.figures.creatures.upright import LIMBS, SIDES, Upright, pose_body, sitting, spread_out
from meshtide.data.figures.dice import Dice
from meshtide.data.figures.skeleton import FRONT, SIDE, UP, Bone, bent, chain, pattern, unit


def _plush_build(dice: Dice, feet: str) -> Upright:
    fat, limb = dice.between(0.38, 0.6), dice.between(0.16, 0.26)
    long, legs = dice.between(0.25, 0.5), dice.between(0.2, 0.45)
    leg = limb * dice.between(1.0, 1.35)
    return Upright(
        hip=fat * dice.between(0.85, 1.1),
        belly=fat,
        chest=fat * dice.between(0.7, 0.95),
        depth=dice.between(0.75, 1.0),
        shoulder=fat * dice.between(0.6, 0.8),
        stance=fat * dice.between(0.5, 0.7),
        arm=(long, 0.8 * long),
        arm_girth=(limb, limb * dice.between(0.85, 1.05), limb * dice.between(0.75, 1.1)),
        leg=(0.25 + legs, 0.6 * legs),
        leg_girth=(leg, leg, leg * dice.between(0.8, 1.05)),
        neck=0.0,
        neck_girth=0.2,
        hand=0.3,
        foot=leg * 2,
        fingers="none",
        feet=feet,
    )


def _teddy(dice: Dice) -> list[Bone]:
    """A bear, bunny, mouse or dog of plush: big head, ears, muzzle, stubby limbs, standing or sitting."""
    build = _plush_build(dice, dice.pick({"none": 2, "ball": 1}))
    pose = dice.pick({"sit": 2, "spread": 2})
    drawn = sitting(dice) if pose == "sit" else spread_out(dice, dice.between(25, 100), dice.between(8, 30))
    body = pose_body(dice, build, drawn)
    size = dice.between(0.4, 0.66)
    head = body.top + dice.between(0.55, 0.85) * size * body.look[:, 2]
    face = draw_face(dice, (0.15, 0.75), {"round": 4, "long": 1.2, "hanging": 1, "pointed": 0.8, "none": 0.2})
    face = replace(face, wide=dice.between(0.95, 1.25), muzzle_part="muzzle" if dice.chance(0.75) else "head")
    bones = body.limbs_whole(arms=True, legs=True) + face_bones(dice, face, head, body.look, size)
    if not dice.chance(0.5):
        bones = [replace(b, part="leg") if b.part == "foot" else b for b in bones]
    if dice.chance(0.3):
        tail = -0.85 * build.hip * build.depth * body.pelvis[:, 1] + 0.05 * UP
        bones.append(ball("tail", tail, dice.between(0.1, 0.2), "tail", blend=0.2))
    return bones


def _cartoon(dice: Dice) -> list[Bone]:
    """A person with a huge head and short or thin limbs, with or without hair, hat and feet."""
    thin, fat = dice.between(0.07, 0.19), dice.between(0.26, 0.45)
    arm, leg = dice.between(0.28, 0.55), dice.between(0.25, 0.6)
    build = Upright(
        hip=fat * dice.between(0.7, 1.05),
        belly=fat,
        chest=fat * dice.between(0.7, 1.0),
        depth=dice.between(0.65, 0.95),
        shoulder=fat * dice.between(0.75, 1.0),
        stance=fat * dice.between(0.4, 0.6),
        arm=(arm, dice.size(arm, 0.1)),
        arm_girth=(thin * 1.1, thin, thin * dice.between(0.8, 1.1)),
        leg=(leg, dice.size(leg, 0.1)),
        leg_girth=(thin * 1.5, thin * 1.2, thin),
        neck=dice.pick({0.0: 1, 0.15: 1}),
        neck_girth=thin * 1.1,
        hand=dice.between(0.18, 0.34),
        foot=dice.between(0.35, 0.6),
        fingers=dice.pick({"fingers": 2, "mitten": 1, "fist": 1}),
        count=dice.pick({3: 2, 2: 1, 4: 1}),
        feet=dice.pick({"plain": 1, "shoe": 1, "ball": 1}),
    )
    body = pose_body(dice, build)
    size = dice.between(0.45, 0.85)
    middle = body.nape + 0.75 * size * body.look[:, 2]
    stubby = arm < 3.2 * thin
    return body.limbs_whole(arms=stubby, legs=leg < 3.2 * thin) + _cartoon_head(dice, middle, body.look, size)


def _cartoon_head(dice: Dice, middle: np.ndarray, look: np.ndarray, size: float) -> list[Bone]:
    side, front, up = look.T
    bones = [ball("head", middle, size, thin=side, squash=dice.between(0.8, 1.15), blend=0.3)]
    if dice.chance(0.5):
        bones.append(
            bone(
                "head",
                middle - 0.2 * size * up,
                middle - dice.between(0.4, 0.8) * size * up + 0.1 * size * front,
                (0.85 * size, 0.55 * size),
                blend=0.5,
            )
        )
    if dice.chance(0.6):
        nose = middle + 0.95 * size * front - 0.1 * size * up
        bones.append(ball("head", nose, dice.between(0.1, 0.25) * size, blend=0.2))
    if dice.chance(0.5):
        for sign in SIDES:
            where = middle + 0.95 * size * sign * side
            bones.append(
                ball("ear", where, dice.between(0.2, 0.4) * size, f"ear{sign:+.0f}", thin=front, squash=0.5, blend=0.15)
            )
    kind = dice.pick({"none": 2, "cap": 1.5, "hat": 1, "tuft": 0.7, "tails": 0.7})
    if kind in ("cap", "tails"):
        top = middle + size * (0.2 * up - 0.22 * front)
        bones.append(ball("hair", top, dice.between(0.95, 1.05) * size, blend=0.08))
    if kind == "tails":
        for sign in SIDES:
            root = middle + size * (0.7 * sign * side + 0.5 * up)
            like = pattern("hair", "", blend=0.2)
            bones += strand(
                like,
                root,
                sign * side + 0.4 * up,
                -UP,
                dice.between(0.7, 1.4) * size,
                (0.15 * size, 0.3 * size, 0.15 * size),
                1.5,
            )
    if kind == "hat":
        brim = middle + 0.55 * size * up
        wide = dice.between(1.0, 1.5) * size
        bones.append(bone("hat", brim, brim + 0.12 * size * up, (wide, wide), blend=0.05, square=True))
        tall, end = dice.between(0.5, 1.5) * size, dice.between(0.15, 1.0)
        bones.append(bone("hat", brim, brim + tall * up, (0.85 * size, 0.85 * end * size), blend=0.1, square=True))
    if kind == "tuft":
        bones.append(
            bone("hair", middle + 0.8 * size * up, middle + 1.5 * size * bent(up, front, 0.3), (0.3 * size, 0.1 * size))
        )
    return bones


def _gingerbread(dice: Dice) -> list[Bone]:
    """A flat figure: a disc for a head, straight stubby limbs."""
    flat, limb = dice.between(0.25, 0.6), dice.between(0.14, 0.22)
    arm, leg = dice.between(0.3, 0.6), dice.between(0.4, 0.75)
    spread, stride = dice.between(45, 100), dice.between(10, 30)
    waist = dice.between(0.34, 0.46)
    like = pattern("torso", blend=0.4, thin=FRONT, squash=flat)
    bones = chain((0.1 * UP, 0.75 * UP), (waist, dice.between(0.9, 1.1) * waist), like)
    size = dice.between(0.32, 0.5)
    bones.append(
        ball("head", (0.75 + 0.6 * waist + 0.85 * size) * UP, size, thin=FRONT, squash=min(1.0, flat * waist / size))
    )
    tip = dice.between(0.8, 1.15)
    squash = min(1.0, flat * waist / limb)
    for sign in SIDES:
        for part, high, angle, long in (("arm", 0.8, spread, arm), ("leg", 0.0, stride, leg)):
            out = bent(-UP, sign * SIDE, np.radians(angle + dice.normal(3)))
            start = high * UP + 0.35 * waist * sign * SIDE
            whole = 0.65 * waist + long
            like = pattern(
                part,
                f"{part}{sign:+.0f}",
                blend=0.3,
                thin=FRONT,
                squash=squash,
                cut=0.5 * waist / whole,
                before="torso",
            )
            bones += chain((start, start + whole * out), (limb, tip * limb), like)
    return bones


def _snowman(dice: Dice) -> list[Bone]:
    """Two or three balls, with a nose, a hat, stick arms."""
    sizes = [1.0, dice.between(0.65, 0.85), dice.between(0.45, 0.65)][: dice.pick({3: 3, 2: 1})]
    sizes[-1] = dice.between(0.45, 0.6) if len(sizes) > 2 else sizes[-1]
    bones, height, centres = [], 0.0, []
    for number, size in enumerate(sizes):
        part = "head" if number == len(sizes) - 1 else "body"
        bones.append(ball(part, height * UP, size, f"ball{number}", blend=0.1))
        centres.append(height * UP)
        height += 0.8 * (size + sizes[min(number + 1, len(sizes) - 1)])
    top, size = centres[-1], sizes[-1]
    if dice.chance(0.7):
        nose = top + 0.85 * size * FRONT
        bones.append(
            bone("nose", nose, nose + dice.between(0.3, 0.8) * FRONT, (0.2 * size, 0.08 * size), "nose", blend=0.1)
        )
    if dice.chance(0.6):
        brim, wide = top + 0.7 * size * UP, dice.between(0.85, 1.2) * size
        bones.append(bone("hat", brim, brim + 0.12 * UP, (wide, wide), "hat", blend=0.05, square=True))
        tall = dice.between(0.35, 0.8)
        bones.append(bone("hat", brim, brim + tall * UP, (0.65 * size, 0.65 * size), "hat", blend=0.05, square=True))
    if dice.chance(0.7):
        chest, girth = centres[-2] if len(sizes) > 2 else centres[0], sizes[-2]
        for sign in SIDES:
            start = chest + 0.75 * girth * sign * SIDE + 0.2 * UP
            tip = start + dice.between(0.7, 1.3) * unit(sign * SIDE + dice.between(-0.3, 0.8) * UP)
            bones.append(bone("arm", start, tip, (0.09, 0.07), f"arm{sign:+.0f}", blend=0.2))
    if dice.chance(0.3):
        scarf = (centres[-1] + centres[-2]) / 2 + 0.1 * UP
        width = 0.8 * sizes[-1]
        for one, two in zip(ring(8), [*ring(8)[1:], ring(8)[0]], strict=True):
            bones.append(bone("scarf", scarf + width * one, scarf + width * two, (0.15, 0.15), "scarf", blend=0.1))
    return bones


CREATURES = {
    "teddy": Creature(_teddy, ("head", "muzzle", "ear", "torso", "arm", "leg", "foot", "tail")),
    "cartoon": Creature(_cartoon, ("head", "neck", "ear", "hair", "hat", "torso", "arm", "leg", *LIMBS)),
    "gingerbread": Creature(_gingerbread, ("head", "torso", "arm", "leg")),
    "snowman": Creature(_snowman, ("head", "body", "nose", "hat", "arm", "scarf")),
}
