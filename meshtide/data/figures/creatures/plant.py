"""Plants: trees, palms, cactuses, flowers, mushrooms, fruit."""

from __future__ import annotations

import numpy as np

from meshtide.data.figures.creatures.shapes import Creature, ball, bone, fan, ring, strand
from meshtide.data.figures.dice import Dice
from meshtide.data.figures.skeleton import FRONT, SIDE, UP, Bone, bent, chain, pattern, unit


def _tree(dice: Dice) -> list[Bone]:
    """A trunk with a crown of blobs, or with bare or leafy branches."""
    tall, thick = dice.between(0.8, 2.2), dice.between(0.1, 0.28)
    lean = unit(UP + dice.normal(0.1) * SIDE)
    top = tall * lean
    bones = [
        bone("trunk", 0 * UP, top, (thick * dice.between(1.0, 1.5), 0.75 * thick), blend=0.4, square=dice.chance(0.4))
    ]
    kind = dice.pick({"crown": 2, "fir": 1, "branches": 2, "bare": 1.2})
    if kind == "crown":
        size = dice.between(0.5, 1.0)
        bones.append(
            ball("crown", top + 0.6 * size * UP, size, "crown", thin=UP, squash=dice.between(0.7, 1.3), blend=0.2)
        )
        for _ in range(int(dice.rng.integers(0, 9))):
            out = unit(dice.vector() + 0.2 * UP)
            bones.append(
                ball(
                    "crown",
                    top + 0.6 * size * UP + 0.7 * size * out,
                    dice.between(0.35, 0.6) * size,
                    "crown",
                    blend=0.2,
                )
            )
        return bones
    if kind == "fir":
        height = 0.5 * tall
        for number in range(int(dice.rng.integers(1, 5))):
            wide = dice.between(0.65, 0.8) * (1 - 0.2 * number)
            bones.append(
                bone(
                    "crown",
                    height * UP,
                    (height + 1.1 * wide) * UP,
                    (wide, 0.08),
                    f"tier{number}",
                    blend=0.05,
                    square=True,
                )
            )
            height += 0.65 * wide
        return bones
    return bones + _branches(dice, top, thick, leafy=kind == "branches")


def _branches(dice: Dice, top: np.ndarray, thick: float, leafy: bool) -> list[Bone]:
    count = int(dice.rng.integers(3, 7))
    bones = []
    rise = dice.between(0.3, 1.6)
    for number, out in enumerate(ring(count, dice.between(0, 6), [dice.normal(0.15) for _ in range(count)])):
        root = top * dice.between(0.6, 1.0)
        long = dice.between(0.6, 1.2)
        girth = dice.between(0.4, 0.65) * thick
        like = pattern("branch", f"branch{number}", blend=0.4)
        arm = strand(like, root, out + rise * UP, UP, long, (girth, 0.8 * girth, 0.55 * girth), dice.between(-0.3, 0.9))
        bones += arm
        if leafy:
            bones.append(ball("crown", arm[-1].end, dice.between(0.25, 0.4), f"crown{number}", blend=0.15))
        elif dice.chance(0.6):
            middle = arm[len(arm) // 2].end
            tip = middle + 0.5 * long * unit(out + rise * UP + dice.vector(0.6))
            bones += chain((middle, tip), (0.6 * girth, 0.4 * girth), like)
    return bones


def _palm(dice: Dice) -> list[Bone]:
    """A bare bent trunk and a ring of leaves, or a potted plant."""
    tall, thick = dice.between(0.8, 2.5), dice.between(0.09, 0.16)
    bones = strand(
        pattern("trunk", blend=0.3), 0 * UP, UP, SIDE, tall, (1.3 * thick, thick, 0.9 * thick), dice.normal(0.4)
    )
    top = bones[-1].end
    count = int(dice.rng.integers(5, 10))
    lift, long, turn = dice.between(0.2, 1.2), dice.between(0.8, 1.4), dice.between(0.5, 1.6)
    wide = min(dice.between(0.12, 0.2), 0.8 / count)
    for number, out in enumerate(ring(count, dice.between(0, 6))):
        like = pattern("leaf", f"leaf{number}", blend=0.25, thin=unit(UP - 0.3 * out), squash=0.3)
        bones += strand(
            like, top, out + lift * UP, -UP, long * dice.size(1, 0.08), (0.6 * wide, wide, 0.9 * wide, 0.3 * wide), turn
        )
    if dice.chance(0.4):
        bones.append(
            bone(
                "pot", 0.1 * UP, -dice.between(0.4, 0.7) * UP, (dice.between(0.4, 0.55), 0.33), blend=0.05, square=True
            )
        )
    return bones


def _cactus(dice: Dice) -> list[Bone]:
    """A column with arms that bend upwards."""
    tall, thick = dice.between(1.4, 2.4), dice.between(0.22, 0.36)
    bones = [bone("trunk", 0 * UP, tall * UP, (thick, dice.between(0.8, 1.05) * thick), blend=0.3)]
    count = dice.pick({1: 1, 2: 2, 3: 1, 4: 1})
    for number, out in enumerate(ring(count, dice.between(0, 6))):
        girth = thick * dice.between(0.5, 0.8)
        root = dice.between(0.35, 0.7) * tall * UP
        elbow = root + (thick + dice.between(0.25, 0.5)) * unit(out + 0.15 * UP)
        like = pattern("arm", f"arm{number}", blend=0.3)
        bones += chain(
            (root, elbow, elbow + dice.between(0.3, 0.9) * UP + 0.1 * out), (girth, girth, 0.95 * girth), like
        )
    if dice.chance(0.5):
        bones.append(
            bone("pot", 0.05 * UP, -dice.between(0.5, 0.8) * UP, (dice.between(0.5, 0.7), 0.4), blend=0.05, square=True)
        )
    return bones


def _flower(dice: Dice) -> list[Bone]:
    """A stem with leaves, a centre and petals; sometimes in a pot."""
    tall, thick = dice.between(0.8, 2.2), dice.between(0.05, 0.09)
    bones = strand(pattern("stem", blend=0.3), 0 * UP, UP, SIDE, tall, (thick, thick), dice.normal(0.35))
    top = bones[-1].end
    face = bent(UP, FRONT, dice.between(0.0, 1.3))
    across_one = unit(np.cross(face, SIDE + 0.1 * UP))
    across_two = np.cross(face, across_one)
    core, count = dice.between(0.16, 0.32), int(dice.rng.integers(4, 10))
    bones.append(ball("centre", top + 0.1 * face, core, "centre", thin=face, squash=dice.between(0.4, 0.9), blend=0.1))
    long, lift = dice.between(0.35, 0.8), dice.between(-0.3, 1.0)
    wide = min(dice.between(0.7, 1.0) * np.pi * (core + 0.5 * long) / count, 0.4)
    for number, turn in enumerate(ring(count, dice.between(0, 6))):
        out = turn[0] * across_one + turn[1] * across_two
        direction = unit(out + lift * face)
        like = pattern("petal", f"petal{number}", blend=0.1, thin=unit(face - lift * out), squash=0.3)
        start = top + 0.05 * face + 0.6 * core * out
        bones += chain((start, start + (long + 0.2 * core) * direction), (0.7 * wide, wide), like)
    for number in range(int(dice.rng.integers(0, 4))):
        root = bones[0].start + dice.between(0.2, 0.6) * (top - bones[0].start)
        out = ring(1, dice.between(0, 6))[0]
        like = pattern("leaf", f"leaf{number}", blend=0.2, thin=unit(UP - 0.5 * out), squash=0.3)
        bones += strand(like, root, out + 0.7 * UP, out - 0.5 * UP, dice.between(0.4, 0.8), (0.06, 0.17, 0.06), 0.6)
    if dice.chance(0.3):
        bones.append(
            bone("pot", 0.1 * UP, -dice.between(0.4, 0.7) * UP, (dice.between(0.35, 0.5), 0.3), blend=0.05, square=True)
        )
    return bones


def _mushroom(dice: Dice) -> list[Bone]:
    """One or more stems with caps."""
    bones = []
    count = dice.pick({1: 3, 2: 1, 3: 1})
    for number, out in enumerate(ring(count, dice.between(0, 6))):
        foot = (0.0 if count == 1 else 0.16) * out
        tall, thick = dice.between(0.5, 1.5), dice.between(0.13, 0.3)
        top = foot + tall * unit(UP + (0.0 if count == 1 else dice.between(0.3, 0.6)) * out)
        bones.append(
            bone(
                "stem",
                foot,
                top,
                (dice.between(1.0, 1.5) * thick, thick),
                f"stem{number}" if count > 1 else "",
                blend=0.3,
            )
        )
        wide, flat = thick * dice.between(1.8, 3.5), dice.between(0.35, 1.0)
        cap = top + 0.1 * UP
        if dice.chance(0.5):
            bones.append(
                bone("cap", cap, cap + flat * wide * UP, (wide, 0.25 * wide), f"cap{number}", blend=0.05, square=True)
            )
        else:
            bones.append(ball("cap", cap, wide, f"cap{number}", thin=UP, squash=flat, blend=0.1))
    return bones


def _fruit(dice: Dice) -> list[Bone]:
    """Apples, pears, pumpkins, carrots, eggplants, pineapples: a body with a stem, leaves or a tuft."""
    kind = dice.pick({"apple": 2, "pear": 2, "pumpkin": 1.5, "carrot": 1, "tuft": 1})
    flat = dice.between(0.8, 1.1)
    if kind == "pear":
        bones = [
            bone(
                "body",
                0 * UP,
                dice.between(0.7, 1.3) * unit(UP + dice.normal(0.15) * SIDE),
                (0.7, dice.between(0.3, 0.5)),
                blend=0.5,
            )
        ]
    elif kind == "carrot":
        bones = [bone("body", 0 * UP, -dice.between(1.5, 3.0) * UP, (0.5, 0.08), blend=0.3)]
    elif kind == "pumpkin":
        count, flat = int(dice.rng.integers(6, 12)), dice.between(0.65, 1.0)
        bones = [ball("body", 0.4 * out, 0.55, blend=0.12, thin=UP, squash=flat) for out in ring(count)]
    else:
        bones = [ball("body", 0 * UP, 0.75, blend=0.4, thin=UP, squash=flat)]
    top = bones[0].end + 0.8 * bones[0].radii[1] * UP if kind in ("pear", "apple", "tuft") else 0.35 * UP
    if kind == "pumpkin":
        top = 0.3 * flat * UP
    if kind in ("carrot", "tuft"):
        count = int(dice.rng.integers(4, 9))
        for number, out in enumerate(ring(count)):
            like = pattern("leaf", f"leaf{number}", blend=0.2, thin=unit(UP - 2 * out), squash=0.4)
            bones += strand(
                like, top, UP + dice.between(0.4, 0.9) * out, out, dice.between(0.6, 1.0), (0.1, 0.14, 0.06), 0.5
            )
        return bones
    thick = dice.between(0.07, 0.14) * (1.5 if kind == "pumpkin" else 1)
    like = pattern("stem", "stem", blend=0.2, square=dice.chance(0.5))
    bones += strand(
        like, top - 0.1 * UP, UP, SIDE, dice.between(0.4, 0.8), (thick, thick, 1.1 * thick), dice.between(0, 0.8)
    )
    if dice.chance(0.5):
        like = pattern("leaf", "leaf", blend=0.15, squash=0.3)
        bones += fan(like, top + 0.15 * UP, unit(SIDE + 0.4 * UP), FRONT, 0.5, dice.between(0.5, 0.8), (0.1, 0.14), 3)
    return bones


CREATURES = {
    "tree": Creature(_tree, ("trunk", "branch", "crown")),
    "palm": Creature(_palm, ("trunk", "leaf", "pot")),
    "cactus": Creature(_cactus, ("trunk", "arm", "pot")),
    "flower": Creature(_flower, ("stem", "leaf", "centre", "petal", "pot")),
    "mushroom": Creature(_mushroom, ("stem", "cap")),
    "fruit": Creature(_fruit, ("body", "stem", "leaf")),
}
