"""Heads of people: face, ears, hair, hats and beards."""

from __future__ import annotations

from meshtide.arrays import FloatArray
from meshtide.data.figures.creatures.shapes import ball, bone, strand
from meshtide.data.figures.dice import Dice
from meshtide.data.figures.skeleton import UP, Bone, pattern, unit

SIDES = (1.0, -1.0)
HAIR = {"cap": 2, "curls": 1.5, "long": 1.5, "bun": 1, "tail": 0.8, "wig": 0.8, "none": 2}


def human_head(dice: Dice, middle: FloatArray, look: FloatArray, size: float, cover: bool = True) -> list[Bone]:
    """A person's head with a face, and with hair or a hat if it may be covered; `size` is the skull's radius."""
    side, front, up = look.T
    wide, long = dice.between(0.75, 0.95), dice.between(0.7, 1.1)
    jaw, ahead = dice.between(0.4, 0.65), dice.between(0.15, 0.35)
    chin = middle + size * (ahead * front - long * up)
    bones = [
        ball("head", middle + 0.1 * size * up, size, thin=side, squash=wide, blend=0.4),
        bone("head", middle + 0.2 * size * front, chin, (0.8 * size, jaw * size), thin=side, squash=0.95, blend=0.5),
    ]
    bones += _features(dice, middle, look, size)
    bones += _ears(dice, middle, look, wide * size, size) if dice.chance(0.7) else []
    if not cover:
        return bones
    kind = dice.pick(HAIR)
    if kind != "none":
        bones += hair_bones(dice, kind, middle, look, size)
    if kind in ("none", "cap", "long") and dice.chance(0.35):
        bones += hat_bones(dice, middle, look, size)
    if dice.chance(0.15):
        beard = chin + 0.1 * size * front
        tip = beard + dice.between(0.2, 0.9) * size * unit(-up + 0.2 * front)
        bones.append(
            bone(
                "beard",
                beard + 0.2 * size * up,
                tip,
                (0.55 * size, 0.3 * size),
                "beard",
                thin=front,
                squash=0.7,
                blend=0.1,
            )
        )
    return bones


def _features(dice: Dice, middle: FloatArray, look: FloatArray, size: float) -> list[Bone]:
    """Nose, brows, lips and cheeks; they belong to the head."""
    side, front, up = look.T
    nose = dice.between(0.1, 0.24) * size
    bridge, tip = (
        middle + 0.92 * size * front + 0.1 * size * up,
        middle + (0.98 * size + 0.7 * nose) * front - 0.32 * size * up,
    )
    bones = [bone("head", bridge, tip, (0.45 * nose, nose), blend=0.4)]
    if dice.chance(0.6):
        brow = middle + 0.85 * size * front + 0.25 * size * up
        bones.append(bone("head", brow - 0.35 * size * side, brow + 0.35 * size * side, (0.13 * size,) * 2, blend=0.5))
    if dice.chance(0.6):
        lip = middle + 0.85 * size * front - 0.6 * size * up
        bones.append(bone("head", lip - 0.15 * size * side, lip + 0.15 * size * side, (0.1 * size,) * 2, blend=0.4))
    return bones


def _ears(dice: Dice, middle: FloatArray, look: FloatArray, half: float, size: float) -> list[Bone]:
    """Ears; only large ones are a part of their own."""
    side, front, up = look.T
    large = dice.between(0.15, 0.34)
    part, flap = "ear" if large > 0.22 else "head", dice.between(0.0, 0.8)
    bones = []
    for sign in SIDES:
        root = middle + half * 0.95 * sign * side - 0.15 * size * up
        tip = root + size * large * unit(flap * sign * side + up - 0.2 * front) * 1.2
        bones.append(
            bone(
                part,
                root,
                tip,
                (0.6 * large * size, large * size),
                f"ear{sign:+.0f}" if part == "ear" else "",
                thin=unit(side + 0.4 * sign * front),
                squash=0.4,
                blend=0.2,
            )
        )
    return bones


def hair_bones(dice: Dice, kind: str, middle: FloatArray, look: FloatArray, size: float) -> list[Bone]:
    """Hair of many bumps or none, all one part."""
    side, front, up = look.T
    back = middle + size * (dice.between(0.15, 0.3) * up - dice.between(0.15, 0.32) * front)
    bones = [ball("hair", back, dice.between(1.03, 1.15) * size, thin=side, squash=0.94, blend=0.08)]
    if kind in ("curls", "wig"):
        count, curl = int(dice.rng.integers(14, 40)), dice.between(0.18, 0.32) * size
        for _ in range(count):
            out = unit(dice.vector())
            out = out if out @ (0.35 * up - front) > 0.05 else -out
            low = dice.between(-0.8, 0.3) if kind == "wig" else 0.0
            bones.append(
                ball(
                    "hair", back + 1.0 * size * out * 0.95 + min(low, 0.0) * size * up * (out @ up < 0), curl, blend=0.1
                )
            )
    if kind in ("long", "wig"):
        down = dice.between(0.6, 2.0) * size
        end = back - down * UP - 0.15 * size * front
        bones.append(
            bone(
                "hair",
                back - 0.2 * size * front,
                end,
                (0.95 * size, dice.between(0.4, 1.0) * size),
                thin=front,
                squash=dice.between(0.5, 0.75),
                blend=0.1,
            )
        )
    if kind in ("bun", "tail"):
        knot = back + 0.95 * size * unit(dice.between(-0.4, 1.0) * up - front)
        bones.append(ball("hair", knot, dice.between(0.3, 0.5) * size, blend=0.15))
        if kind == "tail":
            bones += strand(
                pattern("hair", "", blend=0.2),
                knot,
                unit(-front),
                -UP,
                dice.between(0.9, 2.0) * size,
                (0.3 * size, 0.28 * size, 0.12 * size),
                1.3,
            )
    return bones


def hat_bones(dice: Dice, middle: FloatArray, look: FloatArray, size: float) -> list[Bone]:
    """A hat with or without a brim, a helmet, a crown or a pointed cap."""
    _, front, up = look.T
    place, wide = middle + dice.between(0.4, 0.65) * size * up, dice.between(1.0, 1.12) * size
    kind = dice.pick({"brim": 2, "cap": 1, "pointed": 1, "helmet": 1})
    if kind == "helmet":
        return [ball("hat", middle + 0.3 * size * up - 0.1 * size * front, 1.18 * size, "hat", blend=0.06)]
    tall, end = dice.between(0.4, 1.3) * size, dice.between(0.6, 1.05) if kind != "pointed" else 0.08
    bones = [
        bone(
            "hat",
            place,
            place + tall * up * (1.5 if kind == "pointed" else 1),
            (wide, end * wide),
            "hat",
            blend=0.08,
            square=True,
        )
    ]
    if kind in ("brim", "pointed"):
        brim = dice.between(1.3, 1.9) * size
        bones.append(bone("hat", place, place + 0.13 * size * up, (brim, brim), "hat", blend=0.05, square=True))
    if kind == "cap":
        peak = place + 0.9 * size * front
        bones.append(
            bone(
                "hat", peak, peak + 0.5 * size * front, (0.6 * size, 0.45 * size), "hat", thin=up, squash=0.2, blend=0.1
            )
        )
    return bones
