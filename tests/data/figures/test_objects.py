"""Objects: every kind is a valid, fully divided mesh, the same for the same arguments."""

from __future__ import annotations

import numpy as np
import pytest

from meshtide.data.figures.figure import Figure
from meshtide.data.figures.objects import OBJECT_KINDS, make_object
from meshtide.data.figures.objects.pieces import SMALLEST
from meshtide.data.figures.surface import closed_manifold, components
from meshtide.errors import InputError


@pytest.mark.parametrize("number", range(len(OBJECT_KINDS)), ids=OBJECT_KINDS)
def test_every_kind_is_divided_into_pieces_of_named_parts(number: int) -> None:
    variant = ("blended", "held-out")[number % 2]
    figure = make_object(OBJECT_KINDS[number], seed=11 + number, variant=variant)
    _check_divided(figure)
    assert 300 <= len(figure.mesh.vertices) <= 12000


def _check_divided(figure: Figure) -> None:
    faces = len(figure.mesh.faces)
    assert figure.face_parts.shape == figure.face_instances.shape == (faces,)
    assert set(figure.face_parts) <= set(range(len(figure.parts)))
    count = int(figure.face_instances.max()) + 1
    assert set(figure.face_instances) == set(range(count))
    pairs = np.unique(np.stack([figure.face_instances, figure.face_parts], axis=1), axis=0)
    assert len(pairs) == count, "a piece belongs to one part"
    shares = np.bincount(figure.face_instances, figure.mesh.face_areas) / figure.mesh.area
    assert shares.min() >= 0.99 * SMALLEST


def test_there_are_many_kinds_and_their_parts_have_single_names() -> None:
    assert len(OBJECT_KINDS) == len(set(OBJECT_KINDS)) >= 60
    parts = make_object("chair", 0).parts
    assert len(set(parts)) == len(parts)
    assert {"seat", "back", "leg"} <= set(parts)


@pytest.mark.parametrize("kind", ["chair", "mug", "flange", "assembly"])
def test_same_arguments_give_the_same_object_whatever_was_drawn_before(kind: str) -> None:
    first = make_object(kind, 3)
    np.random.default_rng(0).normal(size=7)
    make_object("lamp", 1)
    second = make_object(kind, 3)
    assert np.array_equal(first.mesh.vertices, second.mesh.vertices)
    assert np.array_equal(first.mesh.faces, second.mesh.faces)
    assert np.array_equal(first.face_instances, second.face_instances)


def test_seeds_and_variants_give_different_objects() -> None:
    sizes = {(seed, variant): make_object("table", seed, variant).mesh.area
             for seed in (0, 1) for variant in ("blended", "held-out")}  # fmt: skip
    assert len(set(sizes.values())) == 4


def test_objects_without_defects_are_closed_unless_they_are_loose_shells() -> None:
    closed = []
    for kind in ("mug", "bottle", "glasses", "teapot", "vase"):  # mostly one surface
        for seed in range(3):
            figure = make_object(kind, seed, defects=False)
            closed.append(closed_manifold(figure.mesh.faces))
    assert np.mean(closed) >= 0.8


def test_defects_leave_open_edges_in_some_objects_only() -> None:
    torn = [not closed_manifold(make_object("bottle", seed).mesh.faces) for seed in range(14)]
    whole = [not closed_manifold(make_object("bottle", seed, defects=False).mesh.faces) for seed in range(14)]
    assert sum(whole) < sum(torn) < 10


@pytest.mark.parametrize(("kind", "variant", "word"), [("dragon", "blended", "dragon"), ("chair", "other", "other")])
def test_unknown_words_name_the_known_ones(kind: str, variant: str, word: str) -> None:
    with pytest.raises(InputError, match=word) as caught:
        make_object(kind, 0, variant)
    assert ("stool" if word == "dragon" else "held-out") in str(caught.value)


def test_on_one_surface_every_piece_hangs_together() -> None:
    checked = 0
    for seed in range(8):
        figure = make_object("gear", seed, defects=False)
        if len(set(components(figure.mesh.faces, len(figure.mesh.vertices)))) > 1:
            continue  # loose shells
        for piece in np.unique(figure.face_instances):
            own = figure.mesh.faces[figure.face_instances == piece]
            assert len(set(components(own, len(figure.mesh.vertices))[own[:, 0]])) == 1
            checked += 1
    assert checked > 8


def test_pieces_count_like_legs() -> None:
    """Most chairs have the legs that were built: four of them far more often than not."""
    legs = []
    for seed in range(12):
        figure = make_object("table", seed, defects=False)
        pieces = np.unique(figure.face_instances[figure.face_parts == figure.parts.index("leg")])
        legs.append(len(pieces))
    assert max(legs) >= 4
    assert legs.count(4) >= 4
