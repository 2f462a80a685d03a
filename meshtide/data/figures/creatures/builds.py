"""What makes one body of a kind look built otherwise than the next: muscles, haunches and bushy tails.

All of it is put on bones that a builder has drawn, so that the builder's own bodies stay what they are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from meshtide.arrays import FloatArray
from meshtide.data.figures.dice import Dice
from meshtide.data.figures.field import distance
from meshtide.data.figures.skeleton import Bone, across, unit

# How often a body has muscles, or whatever else swells under a skin.
SWOLLEN: Mapping[str, float] = {"humanoid": 0.35, "quadruped": 0.45, "bird": 0.2, "hand": 0.25, "octopus": 0.15}
STRONG_LEGS, BUSHY_TAIL = 0.7, 0.25
# People take a haunch that stands out for leg, and cut a leg that does not at the belly: how far the flank of a thigh
# stands out of the trunk, in its radii, and which first share of it counts as trunk then.
STANDING_OUT, TRUNK_SHARE = (-0.1, 0.3), (0.6, 0.1)


def built_otherwise(bones: list[Bone], kind: str, dice: Dice) -> list[Bone]:
    """The bones with what this one body has of its own."""
    if kind == "quadruped":
        bones = with_bushy_tail(bones, dice) if dice.chance(BUSHY_TAIL) else bones
        bones = with_haunches(bones, dice) if dice.chance(STRONG_LEGS) else bones
    return with_muscles(bones, dice) if dice.chance(SWOLLEN.get(kind, 0.0)) else bones


def with_muscles(bones: Sequence[Bone], dice: Dice) -> list[Bone]:
    """Lumps along some bones, each of the part that it lies on; they come last, as they continue no bone."""
    rate = dice.between(0.3, 0.9)
    lumps = [_lump(bone, dice) for bone in bones if _is_long(bone) for _ in range(2) if dice.chance(rate)]
    return [*bones, *lumps]


def _is_long(bone: Bone) -> bool:
    return float(np.linalg.norm(bone.end - bone.start)) > 0.8 * bone.radius


def _lump(bone: Bone, dice: Dice) -> Bone:
    """A short bone beside another's axis that swells its surface there."""
    axis = bone.end - bone.start
    place, half = dice.between(0.15, 0.85), dice.between(0.08, 0.22)
    own = bone.radii[0] + place * (bone.radii[1] - bone.radii[0])
    aside = across(axis, dice.vector())
    flat = 1.0 if bone.thin is None else 1.0 - (1.0 - bone.squash) * abs(float(aside @ across(axis, bone.thin)))
    girth = dice.between(0.35, 0.6) * own * flat
    middle = bone.start + place * axis + (1.02 - dice.between(0.5, 0.9) * girth / (own * flat)) * own * flat * aside
    part = bone.before if place < bone.cut else bone.part
    return replace(
        bone, part=part, start=middle - half * axis, end=middle + half * axis, radii=(girth, girth), bulge=0.0,
        blend=dice.between(0.4, 0.9), thin=None, squash=1.0, cut=0.0, before="", square=False, goes_on=False,
    )  # fmt: skip


def with_haunches(bones: Sequence[Bone], dice: Dice) -> list[Bone]:
    """Thighs and shoulders of another strength, which are leg as far as they stand out of the trunk."""
    trunk = [bone for bone in bones if bone.part == "torso"]
    strength = {ends: dice.size(1.15, 0.2) for ends in ("fore", "hind")}
    changed = []
    for bone in bones:
        if bone.cut > 0 and bone.before == "torso" and trunk:
            factor = strength.get(bone.limb[:4], 1.0)
            bone = replace(bone, radii=(factor * bone.radii[0], (0.4 + 0.6 * factor) * bone.radii[1]))
            share = float(np.interp(_standing_out(bone, trunk) + dice.normal(0.05), STANDING_OUT, TRUNK_SHARE))
            bone = replace(bone, cut=share)
        changed.append(bone)
    return changed


def _standing_out(thigh: Bone, trunk: Sequence[Bone]) -> float:
    """How far the outer side of a thigh lies outside the trunk, in radii of the thigh."""
    axis = thigh.end - thigh.start
    middle = np.mean([bone.start + bone.end for bone in trunk], axis=0) / 2
    outwards = across(axis, (thigh.start - middle) * np.array([1.0, 0.0, 0.0]))
    flank = thigh.start + 0.3 * axis + thigh.radii[0] * thigh.squash * outwards
    return min(_distance_at(bone, flank) for bone in trunk) / thigh.radii[0]


def _distance_at(bone: Bone, point: FloatArray) -> float:
    x, y, z = (np.array([coordinate], dtype=np.float32) for coordinate in point)
    return float(distance(bone, (x, y, z))[0])


def with_bushy_tail(bones: Sequence[Bone], dice: Dice) -> list[Bone]:
    """A tail that is thin at its root and swells to a brush, as that of a horse or a fox, and often hangs."""
    tail = [number for number, bone in enumerate(bones) if bone.part == "tail"]
    if not tail:
        return list(bones)
    changed = list(bones)
    root = bones[tail[0]].radii[0]
    swell, peak = root * dice.between(0.6, 1.8), dice.between(0.4, 0.8)
    shares = np.linspace(0.0, 1.0, len(tail) + 1)
    radii = root * (1 - 0.3 * shares) + swell * np.interp(shares, (0.0, 0.15, peak, 1.0), (0.0, 0.1, 1.0, 0.2))
    hang, place = dice.between(0.0, 0.95), bones[tail[0]].start
    down = np.array([0.0, 0.0, -1.0])
    for step, number in enumerate(tail):
        bone = bones[number]
        along = unit((1 - hang * min(1.0, step / 2)) * unit(bone.end - bone.start) + hang * min(1.0, step / 2) * down)
        end = place + float(np.linalg.norm(bone.end - bone.start)) * along
        changed[number] = replace(bone, start=place, end=end, radii=(float(radii[step]), float(radii[step + 1])))
        place = end
    return changed
