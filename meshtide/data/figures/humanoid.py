"""People: children and giants, thin and fat, dressed and bare, in all kinds of poses."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from meshtide.arrays import FloatArray
from meshtide.data.figures.clothes import Clothes, draw_clothes, skirt_bones
from meshtide.data.figures.dice import Dice
from meshtide.data.figures.feet import Shoes, foot_bones
from meshtide.data.figures.fingers import Hand, hand_bones
from meshtide.data.figures.human_head import head_bones
from meshtide.data.figures.human_pose import Limb, Pose, draw_pose
from meshtide.data.figures.skeleton import (
    FRONT,
    SIDE,
    UP,
    Bone,
    across,
    bent,
    chain,
    continued,
    moved,
    pattern,
    touching,
    turned,
)

PARTS = ("head", "torso", "upperarm", "lowerarm", "hand", "upperleg", "lowerleg", "foot")
SHOULDER, HIP = 0.17, 0.14  # the first fractions of upper arm and thigh that count as torso
CONTACT = 0.1  # how often limbs may touch


@dataclass(frozen=True)
class Body:
    """Lengths and girths of one person; an adult's are in metres."""

    fat: float
    muscle: float
    head: float  # scale
    neck: tuple[float, float]  # length, radius
    trunk: float  # scale of lengths from hip to neck
    shoulder: float  # half width
    hip: float
    chest: float  # radii
    waist: float
    belly: float
    bosom: float
    depth: float  # front to back over side to side
    arm: tuple[float, float]  # lengths
    arm_radii: tuple[float, float, float]
    leg: tuple[float, float]
    leg_radii: tuple[float, float, float]
    hand: float
    foot: float


def draw_body(dice: Dice) -> Body:
    """A person; fat, muscle and age move many sizes together."""
    fat, muscle = dice.normal(), dice.normal()
    child = dice.between(0.2, 1.0) if dice.chance(0.2) else 0.0
    cartoon = dice.between(0.2, 1.0) if dice.chance(0.2) else 0.0
    limb = dice.size(1 - 0.2 * child - 0.25 * cartoon, 0.08)
    flesh = dice.size(np.exp(0.13 * fat + 0.05 * muscle) * (1 + 0.1 * cartoon), 0.07)
    meat = dice.size(np.exp(0.1 * fat + 0.1 * muscle) * (1 - 0.1 * child + 0.25 * cartoon), 0.1)
    ends = dice.size(1.0, 0.1) * (1 + 0.5 * cartoon * dice.between(-0.2, 1))
    shoulder = dice.size(0.165 * (1 - 0.15 * child), 0.07) * np.exp(0.06 * muscle)
    return Body(
        fat,
        muscle,
        head=dice.size((1 + 0.25 * child) * (1 + 0.8 * cartoon), 0.07),
        neck=(dice.size(0.085 * (1 - 0.3 * child - 0.4 * cartoon), 0.2), dice.size(0.056, 0.1) * np.exp(0.07 * muscle)),
        trunk=dice.size(1.0 - 0.12 * child - 0.1 * cartoon, 0.07),
        shoulder=shoulder,
        hip=dice.size(0.088, 0.08),
        chest=dice.size(0.152 * flesh, 0.05) * np.exp(0.05 * muscle),
        waist=dice.size(0.135 * flesh, 0.07),
        belly=max(0.0, 0.03 + 0.06 * fat + dice.normal(0.03)),
        bosom=dice.between(0.02, 0.07) if dice.chance(0.4) else 0.0,
        depth=dice.size(0.72, 0.07) * np.exp(0.05 * fat),
        arm=(dice.size(0.285 * limb, 0.06), dice.size(0.25 * limb, 0.06)),
        arm_radii=(dice.size(0.052 * meat, 0.08), dice.size(0.04 * meat, 0.08), dice.size(0.028 * meat**0.7, 0.1)),
        leg=(dice.size(0.42 * limb, 0.06), dice.size(0.41 * limb, 0.06)),
        leg_radii=(dice.size(0.086 * meat, 0.08), dice.size(0.056 * meat, 0.08), dice.size(0.038 * meat**0.7, 0.1)),
        hand=dice.size(1.08 * ends, 0.08),
        foot=dice.size(0.95 * ends, 0.08),
    )


def build(dice: Dice) -> list[Bone]:
    """The bones of one person; poses in which limbs touch are drawn again, mostly."""
    body = draw_body(dice)
    face = head_bones(dice, body.head)
    hand, shoes, clothes = Hand.draw(dice), Shoes.draw(dice), draw_clothes(dice)
    may_touch = dice.chance(CONTACT)
    for attempt in range(8):
        pose = draw_pose(dice, openness=0.0 if may_touch else min(1.0, attempt / 4))
        bones = assemble(body, pose, face, hand, shoes, clothes)
        if may_touch or not touching(bones):
            break
    return bones


def assemble(body: Body, pose: Pose, face: list[Bone], hand: Hand, shoes: Shoes, clothes: Clothes) -> list[Bone]:
    """All bones of a body in a pose."""
    pelvis = turned(np.eye(3), *pose.pelvis)
    chest = turned(pelvis, *pose.chest)
    top = body.trunk * (0.2 * pelvis[:, 2] + 0.24 * chest[:, 2])
    bones = _trunk(body, pelvis, chest, top)
    neck = turned(chest, *pose.neck)
    base = top + chest @ np.array([0.0, -0.012, 0.01])
    nape = base + body.neck[0] * neck[:, 2]
    bones.append(Bone("head", base, nape, (1.12 * body.neck[1], body.neck[1]), blend=0.45))
    look = turned(neck, *pose.head)
    skull = nape + look @ np.array([0.0, 0.02, 0.095]) * body.head
    bones += [moved(bone, skull, look, body.head) for bone in face]
    for sign, limb in zip((1.0, -1.0), pose.arms, strict=True):
        shoulder = top + chest @ np.array([sign * body.shoulder, 0.0, -0.03])
        bones += _arm(body, shoulder, chest, sign, limb, hand, clothes)
    for sign, limb in zip((1.0, -1.0), pose.legs, strict=True):
        hip = pelvis @ np.array([sign * body.hip, 0.0, -0.04])
        bones += _leg(body, hip, pelvis, sign, limb, shoes, clothes)
    return bones + skirt_bones(clothes, bones, pelvis, body.hip + body.leg_radii[0] + 0.02, body.leg[1])


def _trunk(body: Body, pelvis: FloatArray, chest: FloatArray, top: FloatArray) -> list[Bone]:
    """Pelvis, belly, ribs and shoulder girdle, with what sits on them."""
    waist, width = 0.12 * body.trunk * pelvis[:, 2], body.hip + 0.25 * body.waist
    half, front = 0.6 * body.hip * pelvis[:, 0], pelvis[:, 1]
    seat, girdle = 0.105 * np.exp(0.1 * body.fat), 0.062 * np.exp(0.07 * body.muscle)
    ribs = top - 0.6 * body.chest * chest[:, 2]  # a broad chest must not swallow the neck
    left, right = (top + chest @ np.array([sign * 0.75 * body.shoulder, -0.005, -0.035]) for sign in (1, -1))
    depth = body.depth
    bones = [
        Bone("torso", -half, half, (seat, seat), blend=0.4, thin=front, squash=min(1.0, depth + 0.2)),
        Bone("torso", 0.0 * UP, waist, (0.5 * (width + body.waist), body.waist), thin=front, squash=depth),
        Bone("torso", waist, ribs, (body.waist, body.chest), 0.012, thin=chest[:, 1], squash=depth, goes_on=True),
        Bone("torso", left, right, (girdle, girdle), blend=0.7),
    ]
    return [*bones, *_flesh(body, pelvis, chest, top)]


def _flesh(body: Body, pelvis: FloatArray, chest: FloatArray, top: FloatArray) -> list[Bone]:
    """Buttocks, the slopes from neck to shoulders, breasts, belly."""
    seat, front = np.exp(0.1 * body.fat), pelvis[:, 1]
    bones = []
    for sign in (-1.0, 1.0):
        cheek = pelvis @ np.array([sign * 0.07, -0.045 * seat, -0.05])
        bones.append(Bone("torso", cheek, cheek + 0.03 * pelvis[:, 2], (0.075 * seat, 0.07 * seat), blend=0.4))
        slope = top + chest @ np.array([sign * 0.6 * body.shoulder, -0.015, -0.015])
        bones.append(Bone("torso", slope, top + chest @ np.array([0, -0.015, 0.02]), (0.04, 0.05), blend=0.6))
        if body.bosom > 0:
            breast = top + chest @ np.array([sign * 0.075, 0.75 * body.depth * body.chest, -0.17 * body.trunk])
            bones.append(Bone("torso", breast, breast - 0.01 * UP, (body.bosom + 0.02,) * 2, blend=0.4))
    if body.belly > 0.02:
        middle = 0.084 * body.trunk * pelvis[:, 2] + 0.55 * body.waist * body.depth * front
        radius = 0.85 * body.waist * body.depth + body.belly
        bones.append(Bone("torso", middle, middle + 0.05 * pelvis[:, 2], (radius, 0.9 * radius), blend=0.5))
    return bones


def _arm(
    body: Body, shoulder: FloatArray, chest: FloatArray, sign: float, limb: Limb, hand: Hand, clothes: Clothes
) -> list[Bone]:
    sleeve = clothes.get("sleeve", 0.0)
    upper = chest @ limb.direction(sign)
    lower = bent(upper, chest @ limb.aim(sign), limb.bend)
    elbow = shoulder + body.arm[0] * upper
    wrist = elbow + body.arm[1] * lower
    first, middle, last = body.arm_radii[0], body.arm_radii[1] * (1 + sleeve / 2), body.arm_radii[2] * (1 + sleeve)
    swell = 0.1 * first * max(0.0, 1 + body.muscle)
    like = pattern("upperarm", f"arm{sign:+.0f}", bulge=swell, cut=SHOULDER, before="torso")
    bones = chain((shoulder, elbow), (1.1 * first, middle), like)
    like = pattern("lowerarm", like.limb, blend=0.4, bulge=0.16 * body.arm_radii[1])
    bones += continued((elbow, wrist), (middle, last), like)
    palm = across(lower, chest @ np.array([-sign * np.cos(limb.twist), -np.sin(limb.twist), 0.2]))
    return bones + hand_bones(hand, wrist, bent(lower, palm, limb.tip), palm, sign, body.hand, like.limb)


def _leg(
    body: Body, hip: FloatArray, pelvis: FloatArray, sign: float, limb: Limb, shoes: Shoes, clothes: Clothes
) -> list[Bone]:
    flare = clothes.get("trouser", 0.0)
    upper = pelvis @ limb.direction(sign)
    lower = bent(upper, -pelvis[:, 1], limb.bend)
    knee = hip + body.leg[0] * upper
    ankle = knee + body.leg[1] * lower
    first, middle, last = body.leg_radii
    loose = middle * (1 + flare / 3)
    swell = 0.012 * np.exp(0.2 * body.muscle)
    like = pattern("upperleg", f"leg{sign:+.0f}", blend=0.45, bulge=swell, cut=HIP, before="torso")
    bones = chain((hip, knee), (first, loose), like)
    like = pattern("lowerleg", like.limb, blend=0.35, bulge=0.15 * middle)
    bones += continued((knee, ankle), (loose, last * (1 + flare)), like)
    back = across(lower, upper - lower - 0.3 * pelvis[:, 1])
    calf = (knee + 0.15 * body.leg[1] * lower + 0.25 * middle * back, knee + 0.5 * body.leg[1] * lower)
    bones += chain(calf, (0.7 * middle, 0.6 * middle), pattern("lowerleg", like.limb, bulge=0.1 * middle))
    forward = across(lower, pelvis @ (FRONT + sign * limb.twist * SIDE))
    return bones + foot_bones(shoes, ankle, bent(forward, lower, limb.tip), lower, body.foot, last, like.limb)
