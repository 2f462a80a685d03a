"""Creatures no one has seen: trunks of one to four blobs with any mixture of limbs, tails, fins, horns and heads."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from meshtide.arrays import FloatArray
from meshtide.data.figures.creatures.faces import draw_face, face_bones
from meshtide.data.figures.creatures.shapes import Creature, ball, bone, fan, strand
from meshtide.data.figures.dice import Dice
from meshtide.data.figures.skeleton import FRONT, SIDE, UP, Bone, across, bent, chain, pattern, turned, unit

MIRROR = np.array([-1.0, 1.0, 1.0])
LIMBS = {"even": 2.0, "taper": 2.0, "jointed": 2.5, "club": 1.0, "fin": 1.5, "horn": 0.8, "stump": 1.0, "claw": 0.7}


def _monster(dice: Dice) -> list[Bone]:
    """A trunk, a head or none, and two to six pairs or singles of limbs anywhere on it."""
    trunk = _trunk(dice)
    bones = list(trunk)
    for number in range(int(dice.rng.integers(1, 5))):
        host = trunk[int(dice.rng.integers(len(trunk)))]
        paired = dice.chance(0.75)
        out = unit(dice.vector() + (0.8 * SIDE if paired else 0 * SIDE))
        if paired and out[0] < 0.35:
            out = unit(np.array([0.45, out[1], out[2]]))
        limb = _limb(dice, f"limb{number}", host, out if paired else unit(out * np.array([0.02, 1, 1])))
        bones += limb
        if paired:
            bones += [_across_middle(b) for b in limb]
    return bones + (_head(dice, trunk) if dice.chance(0.75) else [])


def _trunk(dice: Dice) -> list[Bone]:
    """Blobs in a row: melted together they are one body, pinched apart each is its own part."""
    count = dice.pick({1: 3, 2: 2, 3: 1.5, 4: 0.5})
    pinched = count > 1 and dice.chance(0.6)
    along = unit(dice.pick({0: 2, 1: 1, 2: 1}) * 0.5 * UP + FRONT)
    place, bones, last = 0 * UP, [], 0.0
    for number in range(count):
        size, long = dice.between(0.35, 0.8), dice.between(0.02, 0.9)
        place = place + (last + (0.85 if pinched else 0.45) * size) * along if number else place
        end = place - 0.0 * along + long * size * along
        squash, thin = dice.between(0.6, 1.0), SIDE if dice.chance(0.5) else across(along, UP)
        name = f"body{number}" if pinched else ""
        ends = (size, size * dice.between(0.6, 1.1))
        bones.append(bone("body", place, end, ends, name, thin=thin, squash=squash, blend=0.2 if pinched else 0.6))
        place, last = end, (0.85 if pinched else 0.45) * ends[1]
    return bones


def _limb(dice: Dice, name: str, host: Bone, out: FloatArray) -> list[Bone]:
    """One appendage that grows out of a blob in a direction."""
    kind = dice.pick(LIMBS)
    share = dice.between(0.0, 1.0)
    size = host.radii[0] + share * (host.radii[1] - host.radii[0])
    flat = (
        1.0 if host.thin is None else 1 - (1 - host.squash) * abs(float(out @ across(host.end - host.start, host.thin)))
    )
    root = host.start + share * (host.end - host.start) + 0.6 * flat * size * out
    thick, long = dice.between(0.12, 0.42) * size, dice.between(0.5, 2.2) * size + 0.4 * size
    towards = unit(dice.vector() - 0.5 * UP)
    like = pattern("limb", name, blend=dice.between(0.2, 0.5))
    if kind == "fin":
        like = replace(like, part="fin", squash=dice.between(0.15, 0.4))
        return fan(
            like,
            root,
            out,
            across(out, FRONT + 0.3 * UP),
            dice.between(0.3, 1.3),
            0.7 * long,
            (thick, thick),
            3,
            dice.between(-0.3, 0.4),
        )
    if kind == "horn":
        return strand(
            replace(like, part="horn"),
            root,
            out,
            towards,
            0.6 * long,
            (thick, 0.6 * thick, 0.15 * thick),
            dice.between(0, 1.5),
        )
    if kind == "stump":
        return chain((root, root + (0.4 * size + 1.5 * thick) * out), (1.3 * thick, 1.2 * thick), like)
    if kind in ("jointed", "claw"):
        return _jointed(dice, like, root, out, towards, long, thick, claw=kind == "claw")
    radii = (thick, 0.7 * thick, 0.2 * thick) if kind == "taper" else (thick, 0.95 * thick, 0.9 * thick)
    bones = strand(like, root, out, towards, long, radii, dice.between(0, 2.2))
    if kind == "club":
        bones.append(ball("hand", bones[-1].end, dice.between(1.5, 2.3) * thick, name, blend=0.2))
    return bones


def _jointed(
    dice: Dice,
    like: Bone,
    root: FloatArray,
    out: FloatArray,
    towards: FloatArray,
    long: float,
    thick: float,
    claw: bool,
) -> list[Bone]:
    """Two straight halves that meet at a sharp bend, and at the end nothing, a foot or fingers."""
    elbow = root + 0.55 * long * out
    onward = bent(out, towards, dice.between(0.7, 1.7))
    wrist = elbow + 0.55 * long * onward
    upper, lower = replace(like, part="upperlimb"), replace(like, part="lowerlimb")
    bones = chain((root, elbow), (1.1 * thick, 0.85 * thick), upper)
    bones += [replace(b, goes_on=True) for b in chain((elbow, wrist), (0.85 * thick, 0.6 * thick), lower)]
    if claw:
        aside = across(onward, dice.vector())
        for place in np.linspace(-0.6, 0.6, dice.pick({2: 1, 3: 2, 4: 1})):
            tip = wrist + 0.4 * long * bent(onward, aside, float(place))
            bones.append(bone("hand", wrist, tip, (0.5 * thick, 0.3 * thick), like.limb, blend=0.25))
    elif dice.chance(0.4):
        toe = wrist + 1.5 * thick * bent(onward, FRONT, 1.3)
        bones.append(bone("hand", wrist, toe, (0.8 * thick, 0.7 * thick), like.limb, blend=0.3))
    return bones


def _across_middle(b: Bone) -> Bone:
    """The bone on the other side of the body."""
    thin = None if b.thin is None else b.thin * MIRROR
    return replace(b, start=b.start * MIRROR, end=b.end * MIRROR, thin=thin, limb=f"{b.limb} right")


def _head(dice: Dice, trunk: list[Bone]) -> list[Bone]:
    """A head at the front end, on a neck or none."""
    host = trunk[-1]
    out = unit(host.end - host.start + dice.between(0, 1.2) * UP + 0.3 * FRONT)
    root = host.end + 0.6 * host.radii[1] * out
    size, neck = dice.between(0.4, 0.9) * host.radii[1], dice.pick({0.0: 2, 0.5: 1, 1.2: 1}) * host.radii[1]
    bones: list[Bone] = []
    if neck > 0:
        bones += strand(
            pattern("neck", blend=0.4),
            root,
            out,
            UP,
            neck + 0.5 * size,
            (0.6 * size, 0.55 * size),
            dice.between(0, 0.6),
        )
        root = bones[-1].end
    look = turned(np.eye(3), pitch=dice.angle(0, 15), yaw=dice.angle(0, 20))
    ears = {"round": 1.0, "pointed": 1.0, "long": 1.0, "hanging": 0.5, "horns": 1.0, "none": 2.0}
    return bones + face_bones(dice, draw_face(dice, (0.0, 1.4), ears), root + 0.7 * size * out, look, size)


CREATURES = {
    "monster": Creature(
        _monster, ("body", "head", "ear", "horn", "neck", "limb", "upperlimb", "lowerlimb", "hand", "fin")
    ),
}
