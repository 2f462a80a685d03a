"""Bodies drawn more widely: in the parts of their kind, the same for the same number, and wider indeed."""

from __future__ import annotations

import numpy as np
import pytest

from meshtide.data.figures import parts_of
from meshtide.data.figures.creatures.catalogue import CREATURES
from meshtide.data.figures.creatures.wide import _JOINED, WIDE, WIDE_KINDS, make_wide_figure
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


def test_unknown_words_are_refused() -> None:
    with pytest.raises(InputError, match="no wide figures of the kind 'ant'; known kinds are 'humanoid'"):
        make_wide_figure("ant", 1)
    with pytest.raises(InputError, match="no variant 'other'"):
        make_wide_figure("bird", 1, "other")
