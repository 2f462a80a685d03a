"""Bodies drawn more widely: in the parts of their kind, the same for the same number, and wider indeed."""

from __future__ import annotations

import numpy as np
import pytest

from meshtide.data.figures import KINDS, parts_of
from meshtide.data.figures.creatures.catalogue import CREATURES
from meshtide.data.figures.creatures.wide import (
    _JOINED,
    VARIED,
    WIDE,
    WIDE_KINDS,
    _bones,
    make_varied_figure,
    make_wide_figure,
)
from meshtide.data.figures.dice import Dice
from meshtide.data.figures.generator import make_plan
from meshtide.data.figures.surface import closed_manifold
from meshtide.data.figures.volumes import meshed_as_volume
from meshtide.errors import InputError


@pytest.mark.parametrize("kind", WIDE_KINDS)
def test_they_have_the_parts_of_their_kind(kind: str) -> None:
    found = set()
    for seed in range(3):
        mesh, labels = make_wide_figure(kind, seed, defects=False)
        assert labels.names == parts_of(kind)
        assert len(labels) == len(mesh.vertices)
        assert (labels.values >= 0).mean() > 0.5
        found |= set(labels.values.tolist()) - {-1}
    assert len(found) >= 2


def test_the_same_number_gives_the_same_body_and_another_variant_another() -> None:
    one, labels = make_wide_figure("octopus", 5)
    again, same = make_wide_figure("octopus", 5)
    np.testing.assert_array_equal(one.vertices, again.vertices)
    np.testing.assert_array_equal(labels.values, same.values)
    assert len(make_wide_figure("octopus", 5, "held-out")[0].vertices) != len(one.vertices)


def test_limbs_of_plush_bears_are_divided_as_a_persons() -> None:
    # Such a bear's arm is one part of a toy; as a person it has an upper and a lower arm.
    arms = set()
    for seed in range(12):
        _, labels = make_wide_figure("humanoid", seed, defects=False)
        arms |= {labels.names[value] for value in np.unique(labels.values) if value >= 0}
    assert arms == set(parts_of("humanoid"))


def test_every_joined_part_is_one_that_a_creature_has() -> None:
    for kind, joined in _JOINED.items():
        known = {part for sort in WIDE[kind] for part in CREATURES[sort].parts}
        assert set(joined) - known <= {"nose", "muzzle"}, kind
        assert set(joined.values()) <= set(parts_of(kind))


@pytest.mark.parametrize("kind", KINDS)
def test_varied_bodies_have_the_parts_of_their_kind_and_are_closed(kind: str) -> None:
    for seed in range(3):
        mesh, labels = make_varied_figure(kind, seed, defects=False)
        assert labels.names == parts_of(kind)
        assert len(labels) == len(mesh.vertices)
        assert len(set(labels.values.tolist()) - {-1}) >= 2
        assert closed_manifold(mesh.faces)
    again, same = make_varied_figure(kind, 2, defects=False)
    np.testing.assert_array_equal(mesh.vertices, again.vertices)
    np.testing.assert_array_equal(labels.values, same.values)


def test_every_kind_is_drawn_in_all_its_builds() -> None:
    assert set(VARIED) == set(KINDS)
    for kind in WIDE_KINDS:
        assert set(WIDE[kind]) <= set(VARIED[kind])


def test_a_volume_is_fine_or_a_staircase_and_keeps_thin_limbs() -> None:
    ants = [make_plan("ant", seed, defects=False) for seed in range(8)]
    surfaces = [meshed_as_volume(plan, Dice("ant", seed, "blended")) for seed, plan in enumerate(ants)]
    assert all(closed_manifold(faces) for _, faces in surfaces)
    for plan, (vertices, _) in zip(ants, surfaces, strict=True):
        for limb in (bone for bone in plan.bones if bone.part == "leg"):
            assert np.linalg.norm(vertices - limb.end, axis=1).min() < 4 * limb.radius


def test_a_tail_of_an_upright_animal_is_of_its_torso() -> None:
    bones = _bones("humanoid", "critter", Dice("critter", 1, "blended"))
    assert {bone.part for bone in bones if bone.limb == "tail"} <= {"torso"}


def test_unknown_words_are_refused() -> None:
    with pytest.raises(InputError, match="no wide figures of the kind 'ant'; known kinds are 'humanoid'"):
        make_wide_figure("ant", 1)
    with pytest.raises(InputError, match="no figures of the kind 'cow'"):
        make_varied_figure("cow", 1)
    with pytest.raises(InputError, match="no variant 'other'"):
        make_wide_figure("bird", 1, "other")
