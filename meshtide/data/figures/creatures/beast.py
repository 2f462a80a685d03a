"""Four-legged animals that stand, sit, lie, stretch or rear: cats, bears, elephants, alligators, rabbits."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from meshtide.arrays import FloatArray
from meshtide.data.figures.creatures.faces import Face, draw_face, face_bones
from meshtide.data.figures.creatures.shapes import Creature, bone, strand
from meshtide.data.figures.dice import Dice
from meshtide.data.figures.skeleton import FRONT, SIDE, UP, Bone, bent, chain, pattern, touching, turned, unit

SIDES = (1.0, -1.0)
EARS = {"round": 1.0, "pointed": 2.0, "long": 1.0, "hanging": 1.0, "horns": 0.5, "none": 0.2}


@dataclass(frozen=True)
class Build:
    """Sizes of an animal whose trunk is about 1 long."""

    chest: float
    belly: float
    hip: float
    leg: float  # from hip to ground, beyond the trunk
    thigh: float
    shin: float
    neck: float
    neck_girth: float
    head: float
    tail: float
    tail_girth: float
    sprawl: float
    divided: bool  # legs have an upper and a lower part
    haunch: float  # how much of the upper leg counts as trunk, in girths: people differ


def draw_build(dice: Dice) -> Build:
    """Any animal between a dachshund, an elephant, a lizard and a plush toy."""
    girth = dice.between(0.17, 0.42)
    sprawl = dice.between(0.5, 1.0) if dice.chance(0.15) else 0.0
    leg = dice.between(0.15, 0.35) if sprawl else dice.between(0.22, 1.0)
    thigh = float(np.clip(dice.between(0.3, 0.6) * girth, 0.06, 0.2))
    head = dice.between(0.5, 1.1) * girth if dice.chance(0.8) else dice.between(1.0, 1.5) * girth
    return Build(
        chest=girth * dice.between(0.85, 1.15),
        belly=girth * dice.between(0.8, 1.2),
        hip=girth * dice.between(0.75, 1.1),
        leg=leg,
        thigh=thigh,
        shin=thigh * dice.between(0.45, 0.9),
        neck=dice.pick({0.05: 2, 0.3: 2, 0.8: 1}) * dice.size(1, 0.2),
        neck_girth=min(0.75 * girth, 0.85 * head) * dice.between(0.7, 1.0),
        head=head,
        tail=dice.pick({0.0: 0.5, 0.25: 1.5, 0.8: 2, 1.3: 0.7}) * dice.size(1, 0.2),
        tail_girth=dice.pick({0.05: 3, 0.14: 1}),
        sprawl=sprawl,
        divided=leg > 3.6 * thigh,
        haunch=dice.pick({0.0: 1, 0.45: 1, 0.85: 1}),
    )


def _beast(dice: Dice) -> list[Bone]:
    build = draw_build(dice)
    posture = dice.pick({"stand": 3, "walk": 2, "sit": 1.3, "lie": 1.2, "stretch": 0.8, "rear": 0.5})
    for attempt in range(5):
        bones = _posed(dice, build, posture, calm=attempt / 5)
        if posture in ("sit", "lie") or not touching(bones, margin=0.05):
            break
    return bones


def _posed(dice: Dice, build: Build, posture: str, calm: float) -> list[Bone]:
    pitch = {"sit": dice.between(35, 65), "stretch": dice.between(-35, -15), "rear": dice.between(40, 75)}.get(
        posture, dice.normal(4)
    )
    frame = turned(np.eye(3), pitch=-np.radians(pitch))
    _, front, _ = frame.T
    bow = dice.normal(0.1) if posture != "lie" else dice.normal(0.25)
    like = pattern("torso", blend=0.5, thin=SIDE, squash=dice.between(0.75, 1.0))
    points = (-0.45 * front, bow * SIDE - 0.02 * UP, 0.42 * front)
    bones = chain(points, (build.hip, build.belly, build.chest), like)
    bones += _front_end(dice, build, points[2], frame, pitch)
    bones += _tail(dice, build, points[0], unit(points[0] - points[1]))
    swing = {"walk": 0.35, "stand": 0.06}.get(posture, 0.04) * (1 - 0.5 * calm)
    for fore in (True, False):
        phase = dice.between(-1, 1)
        for sign in SIDES:
            name = f"{'fore' if fore else 'hind'}{sign:+.0f}"
            girth = build.chest if fore else build.hip
            root = points[2 if fore else 0] + 0.6 * girth * sign * SIDE - 0.15 * girth * UP
            bones += _leg(dice, build, name, root, sign, fore, posture, sign * phase * swing, girth)
    return bones


def _front_end(dice: Dice, build: Build, chest: FloatArray, frame: FloatArray, pitch: float) -> list[Bone]:
    """Neck and head; the head looks level."""
    _, front, up = frame.T
    rise = unit(front + dice.between(0.0, 1.3) * UP) if pitch > -10 else unit(front + 0.8 * UP)
    start = chest + 0.25 * build.chest * (up if pitch < 30 else front)
    part = "neck" if build.neck > 0.15 else "head"
    neck = strand(
        pattern(part, blend=0.5),
        start,
        rise,
        FRONT + 0.001 * SIDE,
        build.neck + 0.7 * build.chest,
        (1.3 * build.neck_girth, build.neck_girth, build.neck_girth),
        dice.between(-0.1, 0.5),
    )
    look = turned(np.eye(3), pitch=dice.angle(10, 14), yaw=dice.angle(0, 22))
    face = draw_face(dice, (0.1, 1.6), EARS)
    kind = dice.pick({"face": 5, "trunk": 0.7, "jaws": 0.6})
    middle = neck[-1].end + 0.35 * build.head * (look[:, 1] + 0.3 * UP)
    if kind == "trunk":
        face = Face(muzzle=0.0, ears="round", ear=1.2, wide=1.0)
    if kind == "jaws":
        face = replace(face, muzzle=dice.between(1.5, 2.6), root=0.65, snout=0.3, ears="none")
    bones = neck + face_bones(dice, face, middle, look, build.head)
    if kind == "trunk":
        like = pattern("trunk", "trunk", blend=0.35)
        bones += strand(
            like,
            middle + 0.6 * build.head * look[:, 1],
            look[:, 1] - 0.5 * UP,
            UP if dice.chance(0.3) else -UP,
            dice.between(1.6, 3.2) * build.head,
            (0.42 * build.head, 0.28 * build.head, 0.2 * build.head),
            dice.between(0.3, 1.6),
        )
    return bones


def _tail(dice: Dice, build: Build, hip: FloatArray, back: FloatArray) -> list[Bone]:
    if build.tail < 0.1:
        return []
    goal = dice.pick({"up": 1, "down": 1, "aside": 1})
    towards = {"up": UP, "down": -UP, "aside": SIDE * (1 if dice.chance(0.5) else -1)}[goal]
    girth = min(build.tail_girth * dice.size(1.0, 0.2), 0.7 * build.hip)
    root = hip + 0.55 * build.hip * (back + (0.5 * UP if girth < 0.1 else 0 * UP))
    shape = dice.pick({"even": 2, "taper": 2, "bushy": 1})
    radii = {"even": (1, 0.9, 0.8), "taper": (1.2, 0.7, 0.3), "bushy": (0.8, 1.8, 0.7)}[shape]
    direction = unit(back + dice.between(-0.6, 0.6) * UP)
    return strand(
        pattern("tail", "tail", blend=0.4),
        root,
        direction,
        towards,
        build.tail + 0.4 * build.hip,
        [girth * r for r in radii],
        dice.angle(30, 45),
    )


def _leg(
    dice: Dice,
    build: Build,
    name: str,
    root: FloatArray,
    sign: float,
    fore: bool,
    posture: str,
    swing: float,
    girth: float,
) -> list[Bone]:
    """Upper and lower leg and a paw or hoof, folded or straight as the posture says."""
    long = build.leg + 0.8 * girth
    out = sign * (dice.between(0.0, 0.12) + build.sprawl * 1.1)
    upper, lower = _directions(dice, fore, posture, out, swing)
    sprawl_down = unit(-UP + 0.15 * sign * SIDE) if build.sprawl else lower
    knee = root + 0.5 * long * upper
    foot = knee + 0.5 * long * sprawl_down
    parts = ("upperleg", "lowerleg") if build.divided else ("leg", "leg")
    strong = 1.0 if fore else 1.25
    flank = pattern(
        parts[0],
        name,
        blend=0.45,
        thin=SIDE,
        squash=dice.between(0.7, 1.0),
        cut=min(0.8, build.haunch * girth / (0.5 * long)),
        before="torso",
    )
    bones = chain((root, knee), (strong * 1.25 * build.thigh, strong * 0.85 * build.thigh), flank)
    bones += [
        replace(b, goes_on=True)
        for b in chain((knee, foot), (strong * 0.85 * build.thigh, build.shin), pattern(parts[1], name, blend=0.35))
    ]
    toe = foot + build.shin * (dice.between(0.5, 1.8) * FRONT + 0.1 * lower)
    bones.append(bone(parts[1], foot, toe, (1.1 * build.shin, 0.95 * build.shin), name, blend=0.35))
    return bones


def _directions(dice: Dice, fore: bool, posture: str, out: float, swing: float) -> tuple[FloatArray, FloatArray]:
    """Where the upper and the lower leg point."""
    aside = out * SIDE
    if posture == "lie":
        reach = dice.between(0.6, 1.4)
        return unit(-0.5 * UP + (0.2 if fore else 0.9) * FRONT + 2 * aside), unit(
            (reach if fore else -0.8) * FRONT - 0.15 * UP
        )
    if posture == "sit" and not fore:
        return unit(FRONT - 0.2 * UP + 1.5 * aside + 0.3 * np.sign(out) * SIDE), unit(-UP + 0.1 * FRONT - 0.3 * FRONT)
    if posture == "stretch" and fore:
        return unit(FRONT - 0.6 * UP + aside), unit(FRONT - 0.35 * UP)
    if posture == "rear":
        bend = dice.between(0.2, 1.0)
        return (
            (unit(FRONT - 0.3 * UP + aside), unit(bend * FRONT - UP))
            if fore
            else (unit(0.3 * FRONT - UP + aside), unit(-UP - 0.2 * FRONT))
        )
    bend = dice.between(0.05, 0.25) if fore else dice.between(0.1, 0.4)
    turn = swing + (-bend if fore else bend)
    down = bent(-UP, FRONT, turn)
    return unit(down + aside), bent(-UP, FRONT, swing + (0.5 * bend if fore else -bend))


CREATURES = {
    "beast": Creature(_beast, ("head", "ear", "horn", "trunk", "neck", "torso", "leg", "upperleg", "lowerleg", "tail")),
}
