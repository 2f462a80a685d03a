"""Bodies that stand or sit upright, with two arms and two legs: the frame of toys, cartoons, critters and robots."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from meshtide.arrays import FloatArray
from meshtide.data.figures.creatures.shapes import bone
from meshtide.data.figures.dice import Dice
from meshtide.data.figures.feet import Shoes, foot_bones
from meshtide.data.figures.fingers import Hand, hand_bones
from meshtide.data.figures.human_pose import Limb, Pose, draw_pose
from meshtide.data.figures.skeleton import FRONT, SIDE, UP, Bone, across, bent, chain, pattern, touching, turned

SIDES = (1.0, -1.0)
LIMBS = ("upperarm", "lowerarm", "hand", "upperleg", "lowerleg", "foot")  # the parts of a body with divided limbs
WHOLE = {"upperarm": "arm", "lowerarm": "arm", "upperleg": "leg", "lowerleg": "leg"}


@dataclass(frozen=True)
class Upright:
    """Sizes of a body whose trunk is about 1 high."""

    hip: float  # girths of the trunk
    belly: float
    chest: float
    depth: float  # front to back over side to side
    shoulder: float  # half the width
    stance: float  # half the distance of the hips
    arm: tuple[float, float]
    arm_girth: tuple[float, float, float]
    leg: tuple[float, float]
    leg_girth: tuple[float, float, float]
    neck: float
    neck_girth: float
    hand: float  # the palm's length
    foot: float
    fingers: str = "mitten"  # fingers, mitten, fist, stump or none
    count: int = 3  # fingers without the thumb
    feet: str = "plain"  # plain, shoe, toes, ball, claws or none
    blend: float = 0.4


@dataclass(frozen=True, eq=False)
class Body:
    """The bones of an upright body, and where things can be put on it."""

    bones: list[Bone]
    pelvis: FloatArray  # (3, 3) frames
    chest: FloatArray
    look: FloatArray
    top: FloatArray  # (3,) the upper end of the trunk
    nape: FloatArray  # (3,) the upper end of the neck
    hands: list[FloatArray]  # the wrists, left and right

    def limbs_whole(self, arms: bool, legs: bool) -> list[Bone]:
        """The bones with arms or legs as one part each instead of two."""
        names = {name: whole for name, whole in WHOLE.items() if (arms if whole == "arm" else legs)}
        return [replace(b, part=names[b.part], finer=b.part) if b.part in names else b for b in self.bones]


def pose_body(dice: Dice, build: Upright, pose: Pose | None = None) -> Body:
    """A body in a pose in which limbs do not touch, as far as a few draws allow."""
    may_touch = dice.chance(0.15)
    for attempt in range(6):
        body = _assembled(dice, build, pose or draw_pose(dice, openness=min(1.0, attempt / 3)))
        if pose or may_touch or not touching(body.bones, margin=0.1):
            break
    return body


def sitting(dice: Dice) -> Pose:
    """On the ground or on a chair, legs forwards, arms down or forwards."""
    bend, out = dice.pick({5.0: 2, 80.0: 1}), dice.between(5, 30)
    spread, raised = dice.between(15, 60), dice.between(-10, 50)
    arms = [Limb(dice.angle(spread, 4), dice.angle(raised, 5), abs(dice.angle(15, 15)), tip=0.1) for _ in SIDES]
    legs = [Limb(dice.angle(out, 3), dice.angle(82, 4), abs(dice.angle(bend, 5)), 0.1) for _ in SIDES]
    return Pose(
        (dice.angle(0, 4), 0.0, 0.0),
        (dice.angle(4, 5), 0.0, 0.0),
        (0.0, 0.0, 0.0),
        (dice.angle(0, 8), dice.angle(0, 5), dice.angle(0, 15)),
        (arms[0], arms[1]),
        (legs[0], legs[1]),
    )


def spread_out(dice: Dice, arm: float, leg: float) -> Pose:
    """Straight limbs spread by angles in degrees, as dolls and gingerbread have them."""
    arms = [Limb(dice.angle(arm, 2), dice.angle(0, 3), abs(dice.angle(2, 3)), twist=1.5) for _ in SIDES]
    legs = [Limb(dice.angle(leg, 2), dice.angle(0, 3), abs(dice.angle(1, 2)), 0.1) for _ in SIDES]
    return Pose(
        (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (arms[0], arms[1]), (legs[0], legs[1])
    )


def _assembled(dice: Dice, build: Upright, pose: Pose) -> Body:
    pelvis = turned(np.eye(3), *pose.pelvis)
    chest = turned(pelvis, *pose.chest)
    waist = 0.4 * pelvis[:, 2]
    top = waist + 0.6 * chest[:, 2]
    ribs = top - 0.55 * build.chest * chest[:, 2]
    like = pattern("torso", blend=0.5, thin=pelvis[:, 1], squash=build.depth)
    bones = chain((0.05 * pelvis[:, 2], waist, ribs), (build.hip, build.belly, build.chest), like)
    left, right = (top + chest @ np.array([0.85 * sign * build.shoulder, 0.0, -0.12]) for sign in SIDES)
    bones.append(bone("torso", left, right, (0.95 * build.arm_girth[0],) * 2, blend=0.6))
    neck = turned(chest, *pose.neck)
    nape = top + build.neck * neck[:, 2]
    if build.neck > 0.02:
        bones.append(
            bone("neck", top - 0.15 * chest[:, 2], nape, (1.15 * build.neck_girth, build.neck_girth), blend=0.4)
        )
    hands = []
    for sign, limb in zip(SIDES, pose.arms, strict=True):
        shoulder = top + chest @ np.array([sign * build.shoulder, 0.0, -0.12])
        arm = _arm(dice, build, shoulder, chest, sign, limb)
        hands.append(arm[1].end)
        bones += arm
    for sign, limb in zip(SIDES, pose.legs, strict=True):
        bones += _leg(build, pelvis @ np.array([sign * build.stance, 0.0, -0.05]), pelvis, sign, limb)
    return Body(bones, pelvis, chest, turned(neck, *pose.head), top, nape, hands)


def _arm(dice: Dice, build: Upright, shoulder: FloatArray, chest: FloatArray, sign: float, limb: Limb) -> list[Bone]:
    upper = chest @ limb.direction(sign)
    lower = bent(upper, chest @ limb.aim(sign), limb.bend)
    elbow = shoulder + build.arm[0] * upper
    wrist = elbow + build.arm[1] * lower
    first, middle, last = build.arm_girth
    name = f"arm{sign:+.0f}"
    bones = chain((shoulder, elbow), (first, middle), pattern("upperarm", name, blend=build.blend))
    bones += [
        replace(b, goes_on=True) for b in chain((elbow, wrist), (middle, last), pattern("lowerarm", name, blend=0.35))
    ]
    if build.fingers == "none":
        return bones
    palm = across(lower, chest @ np.array([-sign * np.cos(limb.twist), -np.sin(limb.twist), 0.2]))
    hand = Hand(
        build.fingers, build.count, dice.angle(15, 14), dice.size(0.09, 0.4), 0.011 * 4 / (build.count + 0.5), 0.07
    )
    return bones + hand_bones(hand, wrist, bent(lower, palm, limb.tip), palm, sign, build.hand / 0.085, name)


def _leg(build: Upright, hip: FloatArray, pelvis: FloatArray, sign: float, limb: Limb) -> list[Bone]:
    upper = pelvis @ limb.direction(sign)
    lower = bent(upper, -pelvis[:, 1], limb.bend)
    knee = hip + build.leg[0] * upper
    ankle = knee + build.leg[1] * lower
    first, middle, last = build.leg_girth
    name = f"leg{sign:+.0f}"
    bones = chain((hip, knee), (first, middle), pattern("upperleg", name, blend=build.blend))
    bones += [
        replace(b, goes_on=True) for b in chain((knee, ankle), (middle, last), pattern("lowerleg", name, blend=0.35))
    ]
    forward = bent(across(lower, pelvis @ (FRONT + sign * limb.twist * SIDE)), lower, limb.tip)
    return bones + _foot(build, ankle, forward, lower, last, name)


def _foot(
    build: Upright, ankle: FloatArray, forward: FloatArray, down: FloatArray, shin: float, name: str
) -> list[Bone]:
    if build.feet == "none":
        return []
    if build.feet == "ball":
        middle = ankle + 0.25 * build.foot * down
        return [
            bone(
                "foot",
                middle,
                middle + 0.5 * build.foot * forward,
                (0.5 * build.foot, 0.55 * build.foot),
                name,
                blend=0.3,
            )
        ]
    if build.feet == "claws":
        ball = ankle + 0.5 * build.foot * forward + 0.1 * build.foot * down
        bones = chain((ankle, ball), (shin, 1.1 * shin), pattern("foot", name, blend=0.4))
        for angle in (-0.45, 0.0, 0.45):
            toe = ball + 0.6 * build.foot * bent(forward, np.cross(forward, UP), angle)
            bones.append(bone("foot", ball, toe, (0.6 * shin, 0.3 * shin), name, blend=0.3))
        return bones
    return foot_bones(Shoes(build.feet, 0.15, 0.0), ankle, forward, down, build.foot / 0.15, shin, name)
