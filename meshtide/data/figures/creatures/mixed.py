"""Animals and beings between the kinds: seals, frogs, bats, mermaids, winged people."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from meshtide.data.figures.creatures.biped import skin_wings
from meshtide.data.figures.creatures.dressed import person
from meshtide.data.figures.creatures.faces import draw_face, face_bones
from meshtide.data.figures.creatures.heads import human_head
from meshtide.data.figures.creatures.shapes import Creature, ball, bone, fan, strand
from meshtide.data.figures.creatures.upright import LIMBS, SIDES, Body, pose_body
from meshtide.data.figures.dice import Dice
from meshtide.data.figures.skeleton import FRONT, SIDE, UP, Bone, across, bent, chain, pattern, turned, unit


def _seal(dice: Dice) -> list[Bone]:
    """A tapering body with its chest raised, two flippers in front and a split tail fin."""
    rise, girth = dice.between(0.0, 1.1), dice.size(0.36, 0.15)
    points = [0.9 * unit(FRONT + rise * UP), 0.3 * FRONT, -0.5 * FRONT, -1.3 * FRONT]
    like = pattern("body", blend=0.4, thin=UP, squash=dice.between(0.85, 1.0))
    bones = chain(points, (0.75 * girth, girth, 0.85 * girth, 0.25 * girth), like)
    size = dice.between(0.55, 0.8) * girth
    look = turned(np.eye(3), pitch=dice.angle(0, 12), yaw=dice.angle(0, 20))
    face = draw_face(dice, (0.15, 0.6), {"none": 1})
    bones += face_bones(dice, face, points[0] + 0.9 * girth * unit(FRONT + rise * UP), look, size)
    for sign in SIDES:
        like = pattern("fin", f"front{sign:+.0f}", blend=0.25, squash=0.3)
        root = 0.35 * FRONT + 0.7 * girth * sign * SIDE - 0.3 * girth * UP
        out = unit(sign * SIDE - dice.between(0, 0.7) * UP - dice.between(0.0, 0.8) * FRONT)
        bones += fan(like, root, out, FRONT, 0.4, dice.between(0.5, 0.9), (0.13, 0.12), 3)
        like = pattern("fin", f"tail{sign:+.0f}", blend=0.25, squash=0.3)
        out = unit(-FRONT + dice.between(0.4, 0.9) * sign * SIDE)
        bones += fan(like, points[-1] + 0.1 * FRONT, out, SIDE, 0.4, dice.between(0.4, 0.65), (0.12, 0.1), 3)
    return bones


def _frog(dice: Dice) -> list[Bone]:
    """A squat body that runs into a wide head with eyes on top, folded hind legs, webbed feet."""
    girth = dice.size(0.45, 0.12)
    pitch = dice.between(0.1, 0.7)
    front = unit(FRONT + pitch * UP)
    like = pattern("torso", blend=0.5, thin=across(front, UP), squash=dice.between(0.65, 0.9))
    bones = chain((-0.4 * front, 0.25 * front), (0.8 * girth, girth), like)
    head = 0.75 * front
    bones.append(bone("head", head, head + 0.25 * FRONT, (0.85 * girth, 0.6 * girth), thin=UP, squash=0.7, blend=0.4))
    for sign in SIDES:
        bones.append(ball("head", head + girth * (0.45 * sign * SIDE + 0.6 * UP), 0.24 * girth, blend=0.2))
        name, thick = f"hind{sign:+.0f}", dice.between(0.1, 0.15)
        hip = -0.4 * front + 0.55 * girth * sign * SIDE
        knee = hip + dice.between(0.5, 0.8) * unit(sign * SIDE + 0.7 * FRONT + 0.2 * UP)
        ankle = knee + dice.between(0.5, 0.75) * unit(-FRONT - 0.5 * UP - 0.1 * sign * SIDE)
        bones += chain((hip, knee), (1.5 * thick, 1.1 * thick), pattern("upperleg", name, blend=0.3))
        bones += chain((knee, ankle), (1.1 * thick, 0.75 * thick), pattern("lowerleg", name, blend=0.3))
        foot = pattern("foot", name, blend=0.25, squash=0.4)
        bones += fan(foot, ankle, unit(FRONT + 0.5 * sign * SIDE), SIDE, 0.7, dice.between(0.4, 0.6), (0.09, 0.09), 3)
        name = f"fore{sign:+.0f}"
        shoulder = 0.35 * front + 0.65 * girth * sign * SIDE - 0.15 * UP
        elbow = shoulder + 0.3 * unit(sign * SIDE - UP)
        wrist = elbow + dice.between(0.25, 0.4) * unit(-UP + 0.3 * FRONT)
        bones += chain((shoulder, elbow, wrist), (0.12, 0.1, 0.085), pattern("arm", name, blend=0.3))
        bones.append(ball("arm", wrist + 0.08 * FRONT, 0.14, name, thin=UP, squash=0.5, blend=0.3))
    return bones


def _bat(dice: Dice) -> list[Bone]:
    """A small body between wings of skin."""
    girth = dice.size(0.24, 0.15)
    bones = [bone("torso", -0.35 * FRONT, 0.2 * FRONT, (0.7 * girth, girth), blend=0.4)]
    size = dice.between(0.7, 1.0) * girth
    face = draw_face(dice, (0.1, 0.6), {"pointed": 2, "long": 1, "round": 1})
    bones += face_bones(dice, face, (0.25 + girth + 0.4 * size) * FRONT, np.eye(3), size)
    bones += skin_wings(dice, 0.1 * FRONT, SIDE, FRONT, UP)
    for sign in SIDES:
        root = -0.35 * FRONT + 0.4 * girth * sign * SIDE
        tip = root + dice.between(0.3, 0.45) * unit(-FRONT - 0.3 * UP + 0.2 * sign * SIDE)
        bones.append(bone("leg", root, tip, (0.07, 0.06), f"leg{sign:+.0f}", blend=0.3))
    return bones


def _half_person(dice: Dice) -> tuple[Body, list[Bone]]:
    """A person with a head on, and the bones."""
    body = pose_body(dice, person(dice))
    size = dice.size(0.2, 0.1)
    bones = [replace(b, part="head") if b.part == "neck" else b for b in body.bones]
    return body, bones + human_head(dice, body.nape + 0.75 * size * body.look[:, 2], body.look, size)


def _mermaid(dice: Dice) -> list[Bone]:
    """A person above, a fish below."""
    _, bones = _half_person(dice)
    bones = [b for b in bones if not b.limb.startswith("leg")]
    towards = FRONT if dice.chance(0.5) else SIDE
    girth = dice.between(0.22, 0.28)
    tail = strand(
        pattern("tail", "tail", blend=0.4),
        0 * UP,
        -UP + dice.normal(0.3) * FRONT,
        towards,
        dice.between(1.2, 2.0),
        (girth, girth, 0.6 * girth, 0.3 * girth),
        dice.between(0, 1.6),
    )
    end, onward = tail[-1].end, unit(tail[-1].end - tail[-1].start)
    like = pattern("fin", "fin", blend=0.25, squash=dice.between(0.2, 0.4))
    fins = fan(
        like, end - 0.05 * onward, onward, SIDE, dice.between(1.0, 2.0), dice.between(0.4, 0.7), (0.1, 0.09), 5, 0.3
    )
    return [*bones, *tail, *fins]


def _angel(dice: Dice) -> list[Bone]:
    """A person with two wings of feathers or skin on the back."""
    body, bones = _half_person(dice)
    back = 0.7 * body.chest[:, 2] - 0.2 * body.chest[:, 1]
    if dice.chance(0.3):
        return bones + skin_wings(dice, back, body.chest[:, 0], body.chest[:, 2], -body.chest[:, 1])
    span, lift, flat = dice.between(0.7, 1.5), dice.between(-0.2, 0.8), dice.between(0.15, 0.3)
    for sign in SIDES:
        out = unit(bent(sign * body.chest[:, 0], body.chest[:, 2], lift) - dice.between(0.2, 0.8) * body.chest[:, 1])
        like = pattern("wing", f"wing{sign:+.0f}", blend=0.2, squash=flat)
        bones += fan(
            like,
            back + 0.08 * sign * body.chest[:, 0],
            bent(out, -UP, 0.35),
            UP,
            dice.between(0.6, 1.3),
            span,
            (0.1, 0.16),
            4,
            dice.between(-0.3, 0.2),
        )
    return bones


_PERSON = ("head", "ear", "hair", "hat", "beard", "torso")

CREATURES = {
    "seal": Creature(_seal, ("body", "head", "fin")),
    "frog": Creature(_frog, ("head", "torso", "upperleg", "lowerleg", "foot", "arm")),
    "bat": Creature(_bat, ("head", "ear", "torso", "wing", "leg")),
    "mermaid": Creature(_mermaid, (*_PERSON, "upperarm", "lowerarm", "hand", "tail", "fin")),
    "angel": Creature(_angel, (*_PERSON, *LIMBS, "wing")),
}
