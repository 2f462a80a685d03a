"""Muscles, haunches and bushy tails: what is put on bones, and that the bones themselves stay."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from meshtide.data.figures.creatures.builds import with_bushy_tail, with_haunches, with_muscles
from meshtide.data.figures.dice import Dice
from meshtide.data.figures.generator import bones_of
from meshtide.data.figures.skeleton import SIDE, Bone


def dice(seed: int = 1) -> Dice:
    return Dice("test of builds", seed, "blended")


def test_muscles_come_after_the_bones_and_stand_out_a_little() -> None:
    bones = bones_of("humanoid", dice())
    swollen = with_muscles(bones, dice(2))
    lumps = swollen[len(bones) :]
    assert swollen[: len(bones)] == bones
    assert len(lumps) > 5
    for lump in lumps:
        assert not lump.goes_on
        assert lump.part in {bone.part for bone in bones} | {bone.before for bone in bones}
        # Its farthest point from the nearest bone of its limb lies beyond that bone's surface, and not far.
        middle = (lump.start + lump.end) / 2
        gaps = [np.linalg.norm(np.cross(middle - b.start, _axis(b))) + lump.radius - b.reach for b in bones]
        assert min(gaps) < lump.radius


def _axis(bone: Bone) -> np.ndarray:
    axis = bone.end - bone.start
    return axis / max(float(np.linalg.norm(axis)), 1e-9)


@pytest.mark.parametrize(("out", "most", "least"), [(0.05, 1.0, 0.5), (0.5, 0.2, 0.0)])
def test_a_haunch_that_stands_out_is_leg(out: float, most: float, least: float) -> None:
    trunk = Bone("torso", np.array([0.0, -0.5, 0.0]), np.array([0.0, 0.5, 0.0]), (0.3, 0.3))
    root = np.array([out, 0.3, 0.0])
    thigh = Bone(
        "leg", root, root - np.array([0.0, 0.0, 0.6]), (0.12, 0.1), limb="fore+1", cut=0.5, before="torso", thin=SIDE
    )
    shares = [with_haunches([trunk, thigh], dice(seed))[1].cut for seed in range(20)]
    assert least <= np.mean(shares) <= most


def test_legs_of_one_pair_are_of_one_strength() -> None:
    bones = bones_of("quadruped", dice())
    thighs = [bone for bone in with_haunches(bones, dice(3)) if bone.cut > 0]
    before = [bone for bone in bones if bone.cut > 0]
    ratios = {bone.limb: bone.radii[0] / old.radii[0] for bone, old in zip(thighs, before, strict=True)}
    assert ratios["fore+1"] == pytest.approx(ratios["fore-1"])
    assert ratios["fore+1"] != pytest.approx(ratios["hind+1"])


def test_a_bushy_tail_is_one_line_that_swells() -> None:
    bones = next(found for seed in range(9) if _tail(found := bones_of("quadruped", dice(seed))))
    tail = _tail(with_bushy_tail(bones, dice(4)))
    assert len(tail) == len(_tail(bones))
    for one, two in pairwise(tail):
        np.testing.assert_allclose(one.end, two.start)
    radii = [bone.radii[0] for bone in tail]
    assert max(radii) > 1.2 * radii[0]


def _tail(bones: list[Bone]) -> list[Bone]:
    return [bone for bone in bones if bone.part == "tail"]
