"""Votes on the kind of a shape, parts of one kind only, and answers in other vocabularies."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from shapes import box, figure
from small_models import KINDS, PARTS, RECIPE, model

from meshtide.errors import InputError
from meshtide.inference.familiarity import doubts, limits
from meshtide.inference.kinds import (
    MOST_CERTAIN,
    Answer,
    _together,
    answer,
    explained,
    grouped,
    restricted,
    unknown,
    vote,
)
from meshtide.inference.model import Model, load_model, save_model
from meshtide.labels.labels import Vocabulary
from meshtide.networks.graph import mesh_graph
from meshtide.spectral.recipe import GraphRecipe


def rows(*shares: tuple[float, ...]) -> np.ndarray:
    return np.array(shares, dtype=np.float32)


def test_the_kind_that_explains_the_surface_wins() -> None:
    persons = rows((0.1, 0.3, 0.6, 0.0, 0.0), (0.1, 0.4, 0.1, 0.3, 0.1), (0.5, 0.2, 0.0, 0.3, 0.0))
    votes = vote(persons, np.ones(3), PARTS, KINDS)
    assert votes["person"] > 0.9
    assert sum(votes.values()) == pytest.approx(1)
    # The last vertex has a tail for certain, and nearly all of the surface.
    tailed = rows((0.1, 0.3, 0.6, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0, 1.0))
    assert vote(tailed, np.array([0.01, 0.99]), PARTS, KINDS)["animal"] > 0.9
    assert vote(tailed, np.array([0.99, 0.01]), PARTS, KINDS)["person"] > 0.5


def test_a_vote_does_not_depend_on_how_finely_a_part_is_meshed() -> None:
    coarse = rows((0.2, 0.2, 0.5, 0.1, 0.0), (0.0, 0.1, 0.0, 0.1, 0.8))
    fine = np.concatenate([coarse[:1], np.repeat(coarse[1:], 10, axis=0)])
    one = vote(coarse, np.array([0.7, 0.3]), PARTS, KINDS)
    assert one == pytest.approx(vote(fine, np.array([0.7, *[0.03] * 10]), PARTS, KINDS), rel=1e-6)


def test_restricting_renormalises_and_never_divides_by_zero() -> None:
    some = restricted(rows((0.2, 0.2, 0.1, 0.0, 0.5), (0.0, 0.0, 0.0, 0.0, 1.0)), PARTS, KINDS["person"])
    np.testing.assert_allclose(some[0], (0.4, 0.4, 0.2, 0.0, 0.0), atol=1e-6)
    np.testing.assert_allclose(some.sum(axis=1), 1, atol=1e-6)
    assert some[1, 4] == 0


def test_groups_add_up_and_what_is_unscored_stays_apart() -> None:
    limbs = Vocabulary("limbs", {"head": ("head",), "torso": ("torso",), "limb": ("arm", "leg")}, ("tail",))
    joined, names = grouped(rows((0.1, 0.2, 0.3, 0.15, 0.25)), PARTS, limbs)
    assert names == ("head", "torso", "limb", "other")
    np.testing.assert_allclose(joined, [[0.1, 0.2, 0.45, 0.25]], atol=1e-6)
    same, names = grouped(rows((0.1, 0.2, 0.3, 0.15, 0.25)), PARTS, Vocabulary.of("own", PARTS))
    assert names == PARTS
    np.testing.assert_allclose(same, [[0.1, 0.2, 0.3, 0.15, 0.25]])


def test_an_answer_keeps_to_one_kind_and_a_kind_can_be_given() -> None:
    graph = mesh_graph(figure(1)[0], RECIPE)
    free, known = model(), model(kinds=KINDS)
    assert answer(free, graph).kind is None
    assert (answer(free, graph).probabilities > 0).all()
    for kind, missing in (("animal", "arm"), ("person", "tail")):
        found = answer(known, graph, kind)
        assert found.kind == kind
        assert not found.probabilities[:, PARTS.index(missing)].any()
    with pytest.raises(InputError, match="does not know the kind 'plant'; it knows 'animal', 'person'"):
        answer(known, graph, "plant")
    with pytest.raises(InputError, match="one kind only"):
        answer(free, graph, "person")


def test_kinds_and_vocabularies_come_back_from_a_file(tmp_path: Path) -> None:
    groups = {"limbs": {"head": ("head",), "limb": ("arm", "leg"), "unscored": ("torso", "tail")}}
    path = tmp_path / "model.safetensors"
    save_model(model(kinds=KINDS, vocabularies=groups), path)
    about = load_model(path).about
    assert about.kinds == KINDS
    limbs = about.vocabulary("limbs")
    assert limbs is not None
    assert limbs.parts == {"head": ("head",), "limb": ("arm", "leg")}
    assert limbs.unscored == ("torso", "tail")
    assert about.vocabulary("other") is None
    with pytest.raises(InputError, match="not all parts of the model"):
        model(kinds={"plant": ("leaf",)})


def test_a_strange_shape_raises_a_doubt_and_a_known_one_does_not() -> None:
    graphs = [mesh_graph(figure(level)[0], RECIPE) for level in (1, 2)]
    plain = model(kinds=KINDS)
    plain.network.normalise.measure(graphs)
    known = Model(plain.network, model(kinds=KINDS, trained_on={"familiar": limits(plain, graphs)}).about)
    for graph in graphs:
        # A network that learned nothing cannot tell the kinds apart, and says so; the shape itself is familiar.
        said = " ".join(doubts(known, graph, answer(known, graph)))
        assert "unlike" not in said
        assert "unsure" not in said
    flat = mesh_graph(box((100.0, 100.0, 0.01)), GraphRecipe(k=24))
    (said,) = doubts(known, flat, answer(known, flat))
    assert "with care" in said
    assert doubts(plain, flat, answer(plain, flat)) == ()
    assert limits(plain, []) == {}


def test_how_well_a_kind_fits_is_measured_before_the_others_are_ruled_out() -> None:
    persons = rows((0.1, 0.3, 0.6, 0.0, 0.0), (0.1, 0.4, 0.1, 0.3, 0.1))
    assert explained(persons, np.array([1.0, 3.0]), PARTS, KINDS["person"]) == pytest.approx((1.0 + 3 * 0.9) / 4)
    assert explained(persons, np.array([1.0, 3.0]), PARTS, PARTS) == pytest.approx(1.0)


def test_doubts_about_the_kind_name_what_speaks_against_it() -> None:
    known = model(kinds=KINDS, trained_on={"familiar": {"explained": 0.8}})
    graph = mesh_graph(figure(1)[0], RECIPE)
    votes = {"person": 0.95, "animal": 0.05}
    found = Answer(rows(*[(0.5, 0.5, 0.0, 0.0, 0.0)] * graph.num_vertices), "person", votes, explained=0.9)
    assert doubts(known, graph, found) == ()
    (said,) = doubts(known, graph, replace(found, explained=0.61))
    assert "only 61% of it looks like parts of the kind person" in said
    (said,) = doubts(known, graph, replace(found, votes={"person": 0.7, "animal": 0.3}))
    assert "`kind=animal` would give" in said
    (said,) = doubts(known, graph, replace(found, unknown=0.4))
    assert "of no kind whose parts have names (40% sure)" in said


def test_two_opinions_on_the_kind_are_weighed_and_a_rival_is_named() -> None:
    chosen = model(kinds=KINDS)
    graph = mesh_graph(figure(1)[0], RECIPE)
    alone = answer(chosen, graph)
    other = next(kind for kind in KINDS if kind != alone.kind)
    assert alone.rival is None
    together = answer(chosen, graph, prior={other: 0.999, alone.kind: 0.001})
    assert (together.kind, together.rival) == (alone.kind, other)
    assert sum(together.votes.values()) == pytest.approx(1)
    assert together.votes[other] > alone.votes[other]
    agreed = answer(chosen, graph, prior={alone.kind: 0.9, other: 0.1})
    assert (agreed.kind, agreed.rival) == (alone.kind, None)
    assert any(f"the kind {other}" in sentence for sentence in doubts(chosen, graph, together))


def test_the_look_of_the_whole_decides_where_the_parts_do_not() -> None:
    look = {"person": 0.99, "animal": 0.01}
    assert _together({"person": 0.4, "animal": 0.6}, look)["person"] > 0.5
    assert _together({"person": 0.3, "animal": 0.7}, look)["person"] < 0.5


def test_what_the_parts_are_unsure_of_is_rather_unknown() -> None:
    assert unknown(0.4, 0.9, least=0.0) == 0.4  # where nothing is known of what is familiar
    assert unknown(0.8, 0.9, least=0.8) < 0.5 < unknown(0.8, 0.6, least=0.8)
    assert unknown(0.05, 0.4, least=0.8) > 0.5 > unknown(0.05, 0.8, least=0.8)
    # No look is believed beyond bounds, and no sureness outweighs one that is certain.
    assert unknown(0.0, 0.5, least=0.8) == unknown(1 - MOST_CERTAIN, 0.5, least=0.8) > 0
    assert unknown(MOST_CERTAIN, 0.95, least=0.8) > 0.5
