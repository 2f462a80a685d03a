"""Bipeds with tails: dinosaurs, kangaroos, dragons, upright critters with shells, and centaurs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from meshtide.arrays import FloatArray
from meshtide.data.figures.creatures.faces import draw_face, face_bones
from meshtide.data.figures.creatures.shapes import Creature, bone, strand
from meshtide.data.figures.creatures.upright import LIMBS, SIDES, Body, Upright, pose_body
from meshtide.data.figures.dice import Dice
from meshtide.data.figures.skeleton import FRONT, SIDE, UP, Bone, across, bent, chain, pattern, turned, unit


def _saurian(dice: Dice) -> list[Bone]:
    """A leaning trunk on two strong legs, a tail behind, a neck and a head with jaws in front, small arms."""
    pitch = dice.between(-5, 75)
    frame = turned(np.eye(3), pitch=-np.radians(pitch))  # the trunk's front looks up by the pitch
    side, front, up = frame.T
    chest, belly, hip = dice.size(0.26, 0.15), dice.size(0.33, 0.15), dice.size(0.28, 0.12)
    like = pattern("torso", blend=0.5, thin=side, squash=dice.between(0.75, 1.0))
    bones = chain((-0.4 * front, -0.05 * front - 0.05 * up, 0.38 * front), (hip, belly, chest), like)
    bones += _saurian_head(dice, frame, chest)
    bones += _thick_tail(dice, -0.5 * front, unit(-front + dice.between(-0.1, 0.5) * UP), hip)
    stride = dice.normal(0.35)
    length, thick = dice.size(0.5, 0.18), dice.size(0.17, 0.15)
    for sign in SIDES:
        bones += _bird_leg(dice, -0.3 * front + 0.6 * hip * sign * side - 0.1 * UP, sign, sign * stride, length, thick)
    reach = dice.pick({0.2: 1, 0.4: 1, 0.6: 0.5}) * dice.size(1.0, 0.15)
    for sign in SIDES:
        bones += _short_arm(dice, 0.3 * front + 0.65 * chest * sign * side - 0.4 * chest * up, sign, reach)
    return bones


def _saurian_head(dice: Dice, frame: FloatArray, chest: float) -> list[Bone]:
    _, front, up = frame.T
    neck, girth = dice.between(0.2, 0.8), dice.between(0.5, 0.75) * chest
    bones = strand(
        pattern("neck", blend=0.5),
        0.3 * front + 0.2 * chest * up,
        unit(front + dice.between(0.1, 0.8) * UP),
        FRONT,
        neck + 0.5 * chest,
        (0.85 * chest, girth, 0.9 * girth),
        dice.between(-0.2, 0.8),
    )
    size = girth * dice.between(1.1, 1.6)
    look = turned(np.eye(3), pitch=dice.angle(5, 12), yaw=dice.angle(0, 15))
    face = draw_face(dice, (0.4, 1.8), {"none": 5, "pointed": 1.5, "long": 1.5, "horns": 1})
    middle = bones[-1].end + 0.3 * size * look[:, 1]
    bones += face_bones(dice, face, middle, look, size)
    if dice.chance(0.5):  # an open mouth
        start = middle - 0.45 * size * look[:, 2]
        jaw = start + (0.6 + face.muzzle) * size * bent(look[:, 1], -look[:, 2], dice.between(0.3, 0.8))
        bones.append(bone("head", start, jaw, (0.4 * size, 0.25 * size), blend=0.3))
    return bones


def _thick_tail(dice: Dice, root: FloatArray, direction: FloatArray, hip: float) -> list[Bone]:
    towards = dice.pick({"up": 1, "aside": 1, "down": 0.5})
    goal = {"up": UP, "aside": SIDE * (1 if dice.chance(0.5) else -1), "down": -UP}[towards]
    base = dice.between(0.5, 0.85) * hip
    return strand(
        pattern("tail", "tail", blend=0.5),
        root,
        direction,
        goal,
        dice.between(0.7, 2.0),
        (base, 0.65 * base, 0.35 * base, dice.between(0.08, 0.2) * base + 0.02),
        dice.angle(0, 45),
    )


def _bird_leg(dice: Dice, hip: FloatArray, sign: float, swing: float, length: float, thick: float) -> list[Bone]:
    """Thigh forwards, shin backwards, and a long foot."""
    name = f"leg{sign:+.0f}"
    forward = dice.between(0.2, 0.9)
    knee = hip + length * unit(forward * FRONT - UP + 0.15 * sign * SIDE + swing * FRONT)
    ankle = knee + 0.9 * length * unit(-0.6 * forward * FRONT - UP + 0.8 * swing * FRONT)
    like = pattern("upperleg", name, blend=0.4)
    bones = chain((hip, knee), (1.25 * thick, 0.75 * thick), like)
    bones += [
        replace(b, goes_on=True)
        for b in chain((knee, ankle), (0.75 * thick, 0.45 * thick), replace(like, part="lowerleg", blend=0.35))
    ]
    foot = dice.between(0.3, 0.6) * length
    ball_ = ankle + foot * unit(0.7 * FRONT - dice.between(0, 0.8) * UP)
    toes = ball_ + 0.5 * foot * unit(FRONT - 0.1 * UP)
    bones += chain((ankle, ball_), (0.45 * thick, 0.45 * thick), pattern("foot", name, blend=0.35))
    for angle in (-0.5, 0.0, 0.5):
        tip = ball_ + (toes - ball_) @ turned(np.eye(3), yaw=angle)
        bones.append(bone("foot", ball_, tip, (0.35 * thick, 0.2 * thick), name, blend=0.3))
    return bones


def _short_arm(dice: Dice, shoulder: FloatArray, sign: float, reach: float) -> list[Bone]:
    """Arms from stumps to grasping ones; short ones are one part."""
    name, thick = f"arm{sign:+.0f}", dice.between(0.06, 0.1)
    elbow = shoulder + (0.55 * reach + 0.1) * unit(-UP + dice.between(-0.4, 0.4) * FRONT + 0.5 * sign * SIDE)
    wrist = elbow + 0.5 * reach * unit(FRONT - dice.between(-0.3, 0.6) * UP)
    upper, lower = ("arm", "arm") if reach < 0.33 else ("upperarm", "lowerarm")
    bones = chain((shoulder, elbow), (1.2 * thick, thick), pattern(upper, name, blend=0.35))
    bones += [
        replace(b, goes_on=True) for b in chain((elbow, wrist), (thick, 0.7 * thick), pattern(lower, name, blend=0.35))
    ]
    part = "arm" if reach < 0.33 else "hand"
    for angle in (-0.5, 0.0, 0.5)[: dice.pick({2: 1, 3: 1})]:
        tip = wrist + 0.3 * reach * bent(unit(wrist - elbow), SIDE, angle)
        bones.append(bone(part, wrist, tip, (0.6 * thick, 0.35 * thick), name, blend=0.3))
    return bones


def _critter(dice: Dice) -> list[Bone]:
    """An upright animal: snout, ears, a shell or a bare back, fingers, clawed feet and a tail."""
    fat, limb = dice.between(0.3, 0.44), dice.between(0.11, 0.19)
    arm, leg = dice.between(0.32, 0.5), dice.between(0.3, 0.52)
    build = Upright(
        hip=fat * dice.between(0.8, 1.05),
        belly=fat,
        chest=fat * dice.between(0.75, 1.1),
        depth=dice.between(0.75, 1.0),
        shoulder=fat * dice.between(0.8, 1.05),
        stance=fat * dice.between(0.45, 0.65),
        arm=(arm, dice.size(arm, 0.1)),
        arm_girth=(limb * 1.15, limb, limb * 0.75),
        leg=(leg, dice.size(leg, 0.12)),
        leg_girth=(limb * dice.between(1.3, 1.8), limb * 1.15, limb * 0.85),
        neck=dice.between(0.0, 0.25),
        neck_girth=0.5 * fat,
        hand=dice.between(0.16, 0.28),
        foot=dice.between(0.3, 0.5),
        fingers=dice.pick({"fingers": 3, "fist": 1, "mitten": 1}),
        count=dice.pick({3: 2, 4: 1, 2: 1}),
        feet=dice.pick({"claws": 2, "plain": 1, "toes": 1}),
    )
    body = pose_body(dice, build)
    size = dice.between(0.24, 0.42)
    head = body.nape + 0.6 * size * body.look[:, 2] + 0.15 * size * body.look[:, 1]
    face = draw_face(dice, (0.5, 1.8), {"long": 2, "pointed": 2, "round": 1, "horns": 0.6, "none": 0.4})
    bones = [replace(b, part="head") if b.part == "neck" and build.neck < 0.12 else b for b in body.bones]
    bones += face_bones(dice, face, head, body.look, size)
    if dice.chance(0.85):
        bones += _thick_tail(
            dice,
            -0.6 * build.hip * build.depth * body.pelvis[:, 1] - 0.02 * UP,
            unit(-body.pelvis[:, 1] - dice.between(0.0, 0.8) * UP),
            0.8 * build.hip,
        )
    if dice.chance(0.4):
        bones += _shell(dice, body, build)
    return bones


def _shell(dice: Dice, body: Body, build: Upright) -> list[Bone]:
    """A dome on the back."""
    back = 0.45 * body.chest[:, 2] - build.depth * build.belly * dice.between(0.4, 0.8) * body.chest[:, 1]
    size = dice.between(1.05, 1.3) * build.belly
    lower, upper = back - 0.1 * UP, back + 0.25 * body.chest[:, 2]
    return [
        bone("shell", lower, upper, (size, 0.9 * size), thin=body.chest[:, 1], squash=dice.between(0.5, 0.8), blend=0.1)
    ]


def _dragon(dice: Dice) -> list[Bone]:
    """Four legs or two, a long neck and tail, and wings of skin."""
    chest = dice.between(0.25, 0.38)
    pitch = dice.pick({8.0: 1, 55.0: 1}) + dice.normal(8)
    frame = turned(np.eye(3), pitch=-np.radians(pitch))
    side, front, up = frame.T
    like = pattern("torso", blend=0.5, thin=side, squash=0.9)
    bones = chain((-0.5 * front, 0 * front, 0.45 * front), (0.8 * chest, chest, chest), like)
    neck = strand(
        pattern("neck", blend=0.5),
        0.45 * front,
        unit(front + 0.6 * UP),
        FRONT,
        dice.between(0.6, 1.4),
        (0.75 * chest, 0.5 * chest, 0.42 * chest),
        dice.between(-0.5, 1.0),
    )
    size = chest * dice.between(0.55, 0.75)
    face = draw_face(dice, (0.8, 1.8), {"horns": 2, "pointed": 1, "none": 1})
    look = turned(np.eye(3), pitch=dice.angle(10, 12), yaw=dice.angle(0, 15))
    bones += neck + face_bones(dice, face, neck[-1].end + 0.3 * size * look[:, 1], look, size)
    bones += _thick_tail(dice, -0.6 * front, unit(-front - 0.1 * UP), chest)
    bones += skin_wings(dice, 0.25 * front + 0.6 * chest * up, side, front, up)
    length = dice.size(0.45, 0.15)
    for sign in SIDES:
        bones += _bird_leg(dice, -0.4 * front + 0.6 * chest * sign * side, sign, 0.0, length, dice.between(0.12, 0.18))
        if pitch < 30:
            fore = _bird_leg(dice, 0.35 * front + 0.6 * chest * sign * side, sign, 0.1, length * 0.95, 0.13)
            bones += [replace(b, limb=f"fore{b.limb}") for b in fore]
        elif dice.chance(0.8):
            bones += _short_arm(dice, 0.35 * front + 0.7 * chest * sign * side, sign, dice.between(0.35, 0.6))
    return bones


def skin_wings(dice: Dice, root: FloatArray, side: FloatArray, front: FloatArray, up: FloatArray) -> list[Bone]:
    """Bat wings: an arm, fingers, and skin between them."""
    span, lift, thick = dice.between(0.9, 1.8), dice.between(0.0, 0.9), dice.between(0.08, 0.14)
    bones = []
    for sign in SIDES:
        name = f"wing{sign:+.0f}"
        out = bent(sign * side, up, lift)
        wrist = root + 0.5 * span * unit(out + 0.3 * front)
        thin = across(out, np.cross(out, front))
        bones += chain((root + 0.1 * sign * side, wrist), (0.08, 0.06), pattern("wing", name, blend=0.3))
        tips = [wrist + 0.7 * span * unit(out + share * -1.6 * front) for share in (0.1, 0.55, 1.2)]
        for tip in (*tips, root - 0.5 * front + 0.45 * span * out):
            bones += chain((wrist, tip), (0.05, 0.03), pattern("wing", name, blend=0.3))
            for share in (0.35, 0.7):
                middle = wrist + share * (tip - wrist)
                bones.append(
                    bone(
                        "wing",
                        middle,
                        (root + 0.2 * sign * side + middle) / 2,
                        (0.22 * span, 0.2 * span),
                        name,
                        blend=0.2,
                        thin=thin,
                        squash=thick,
                    )
                )
    return bones


CREATURES = {
    "saurian": Creature(_saurian, ("head", "ear", "horn", "neck", "torso", "arm", *LIMBS, "tail")),
    "critter": Creature(_critter, ("head", "ear", "horn", "neck", "torso", *LIMBS, "tail", "shell")),
    "dragon": Creature(_dragon, ("head", "ear", "horn", "neck", "torso", *LIMBS, "arm", "wing", "tail")),
}
