"""Generated creatures: the same every time, closed, and divided as a person would divide them."""

from __future__ import annotations

from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from shapes import sphere

from meshtide.data.figures import KINDS, VARIANTS, make_figure
from meshtide.data.figures.creatures import CREATURE_KINDS, body_figure, catalogue, make_creature
from meshtide.data.figures.creatures.catalogue import CREATURES
from meshtide.data.figures.creatures.pieces import SMALLEST, faces_by_vote, limb_keys, pieces
from meshtide.data.figures.creatures.shapes import ball, bone, connected, fan, ring, strand, sturdy
from meshtide.data.figures.dice import Dice
from meshtide.data.figures.field import Field
from meshtide.data.figures.figure import Figure
from meshtide.data.figures.generator import Plan
from meshtide.data.figures.meshing import Noise, grid_step
from meshtide.data.figures.skeleton import FRONT, SIDE, UP, Bone, chain, pattern
from meshtide.data.figures.surface import closed_manifold, components
from meshtide.errors import InputError
from meshtide.mesh.mesh import Mesh


@cache
def creature(kind: str, seed: int = 5, variant: str = "blended") -> Figure:
    return make_creature(kind, seed, variant, defects=False)


def same(one: Figure, two: Figure) -> bool:
    pairs = (
        (one.mesh.vertices, two.mesh.vertices),
        (one.mesh.faces, two.mesh.faces),
        (one.face_parts, two.face_parts),
        (one.face_instances, two.face_instances),
    )
    return all(np.array_equal(a, b) for a, b in pairs)


def check_pieces(figure: Figure) -> None:
    """Each piece has one part and one number, numbers have no gaps, and no piece is a crumb."""
    count = len(figure.mesh.faces)
    assert figure.face_parts.shape == figure.face_instances.shape == (count,)
    assert len(set(figure.parts)) == len(figure.parts)
    assert figure.face_parts.min() >= 0
    assert figure.face_parts.max() < len(figure.parts)
    numbers = np.unique(figure.face_instances)
    assert np.array_equal(numbers, np.arange(len(numbers)))
    pairs = np.unique(np.stack([figure.face_instances, figure.face_parts], axis=1), axis=0)
    assert len(pairs) == len(numbers)
    areas = np.bincount(figure.face_instances, figure.mesh.face_areas) / figure.mesh.area
    assert areas.min() > 0.8 * SMALLEST


def counts(figure: Figure) -> dict[str, int]:
    """How many pieces each part has."""
    return {
        part: len(np.unique(figure.face_instances[figure.face_parts == number]))
        for number, part in enumerate(figure.parts)
    }


@pytest.mark.parametrize("kind", CREATURE_KINDS)
def test_every_kind_is_closed_and_consistently_divided(kind: str) -> None:
    figure = creature(kind)
    assert closed_manifold(figure.mesh.faces)
    assert 1000 < len(figure.mesh.vertices) < 9000
    assert figure.parts == CREATURES[kind].parts
    check_pieces(figure)
    assert 2 <= figure.face_instances.max() + 1 <= 30


@pytest.mark.parametrize("kind", ["bird", "robot", "flower", "octopus"])
def test_the_other_construction_is_as_consistent(kind: str) -> None:
    figure = creature(kind, 7, "held-out")
    assert closed_manifold(figure.mesh.faces)
    check_pieces(figure)


def test_the_same_arguments_make_the_same_creature_and_others_another() -> None:
    for kind in ("hand", "starfish"):
        again = make_creature(kind, 5, "blended", defects=False)
        assert same(creature(kind), again)
        assert not same(creature(kind), make_creature(kind, 6, "blended", defects=False))
    assert not same(creature("hand"), make_creature("hand", 5, "held-out", defects=False))


def test_there_are_many_kinds_and_every_bone_has_a_named_part() -> None:
    assert len(CREATURE_KINDS) >= 40
    for kind, made in CREATURES.items():
        assert all(part.islower() and part.isalpha() for part in made.parts)
        for seed in range(6):
            bones = made.build(Dice(kind, seed, "blended"))
            used = {b.part for b in bones} | {b.before for b in bones if b.cut > 0}
            assert used <= set(made.parts), kind


def test_legs_arms_and_fingers_are_pieces_of_their_own() -> None:
    assert counts(creature("spider"))["leg"] == 8
    assert counts(creature("insect"))["leg"] == 6
    assert counts(creature("gingerbread")) == {"head": 1, "torso": 1, "arm": 2, "leg": 2}
    assert counts(creature("centaur"))["upperleg"] == 4
    bones = CREATURES["octopus"].build(Dice("creature octopus", 5, "blended"))
    arms = {b.limb for b in bones if b.part == "tentacle"}
    assert counts(creature("octopus")) == {"head": 1, "tentacle": len(arms)}


def test_curly_hair_is_one_piece() -> None:
    for seed in range(40):
        bones = CREATURES["bust"].build(Dice("creature bust", seed, "blended"))
        if sum(b.part == "hair" for b in bones) > 15:
            assert counts(creature("bust", seed))["hair"] == 1
            return
    pytest.fail("no bust with curls among forty")


def test_limbs_that_touch_are_told_apart() -> None:
    """Two fingers side by side, one surface: the owning limb decides, not connectedness."""
    hand = [bone("palm", -0.5 * UP, 0 * UP, (0.4, 0.4))]
    for name, sign in (("left", -1.0), ("right", 1.0)):
        hand += chain((0.2 * sign * SIDE, 0.2 * sign * SIDE + 2 * UP), (0.22, 0.22), pattern("finger", name))
    plan = Plan(hand, Field(), Noise(0.0, 0.0), 2000, "")
    tips = np.array([[-0.3, 0.0, 1.5], [0.3, 0.0, 1.5], [0.0, 0.0, -0.9]])
    keys, values = limb_keys(plan, tips)
    assert [keys[value] for value in values] == [("finger", "left"), ("finger", "right"), ("palm", "")]


def test_the_first_fraction_of_a_limb_belongs_to_the_trunk() -> None:
    arm = Bone("arm", 0 * UP, 4 * UP, (0.5, 0.5), cut=0.5, before="body", limb="one")
    plan = Plan([ball("body", -1.0 * UP, 1.0), arm], Field(), Noise(0.0, 0.0), 2000, "")
    keys, values = limb_keys(plan, np.array([[0.5, 0.0, 1.5], [0.5, 0.0, 2.5]]))
    assert [keys[value] for value in values] == [("body", ""), ("arm", "one")]


def test_crumbs_join_what_they_touch_and_loose_shells_what_they_sit_on() -> None:
    big = sphere(3)
    middles = big.vertices[big.faces].mean(axis=1)
    groups = np.where(middles[:, 2] > 0, 1, 0)
    speck = np.argsort(np.linalg.norm(middles - np.array([0.0, 0.0, -1.0]), axis=1))[:20]
    groups[speck] = 1
    small = sphere(1)
    vertices = np.concatenate([big.vertices, 0.01 * small.vertices + np.array([0.0, 0.0, 1.01])])
    mesh = Mesh(vertices, np.concatenate([big.faces, small.faces + len(big.vertices)]))
    piece, group = pieces(mesh, np.concatenate([groups, np.full(len(small.faces), 2)]))
    assert sorted(group) == [0, 1]
    assert set(group[piece[speck]]) == {0}
    assert set(group[piece[len(big.faces) :]]) == {1}


def test_a_face_takes_what_two_of_its_corners_say() -> None:
    faces = np.array([[0, 1, 2], [0, 1, 3], [1, 2, 3]])
    assert faces_by_vote(np.array([5, 5, 7, 7]), faces).tolist() == [5, 5, 7]


@pytest.mark.parametrize("kind", KINDS)
def test_bodies_keep_their_mesh_and_their_parts(kind: str) -> None:
    figure = body_figure(kind, 3, "blended", defects=False)
    mesh, labels = make_figure(kind, 3, "blended", defects=False)
    assert np.array_equal(mesh.vertices, figure.mesh.vertices)
    assert np.array_equal(mesh.faces, figure.mesh.faces)
    assert figure.parts == labels.names
    check_pieces(figure)
    assert (labels.to_faces(mesh).values == figure.face_parts).mean() > 0.97


def test_pieces_of_bodies_are_counted_as_anatomy_says() -> None:
    person = counts(body_figure("humanoid", 3, "blended", defects=False))
    assert person == dict.fromkeys(person, 2) | {"head": 1, "torso": 1}
    assert counts(body_figure("ant", 3, "blended", defects=False))["leg"] == 6


@pytest.mark.parametrize("variant", VARIANTS)
def test_creatures_with_defects_are_divided_too(variant: str) -> None:
    seen = [make_creature("cactus", seed, variant) for seed in range(8)]
    for figure in seen:
        check_pieces(figure)
    assert any(not closed_manifold(figure.mesh.faces) or len(figure.mesh.vertices) < 1200 for figure in seen)


def test_some_creatures_are_shells_stuck_into_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalogue, "RATE", 1.0)
    figure = make_creature("gingerbread", 5)
    shell = components(figure.mesh.faces, len(figure.mesh.vertices))[figure.mesh.faces[:, 0]]
    pairs = np.unique(np.stack([shell, figure.face_instances], axis=1), axis=0)
    assert len(pairs) == shell.max() + 1 == figure.face_instances.max() + 1 == 6  # a shell for each piece
    check_pieces(figure)
    whole = make_creature("gingerbread", 5, defects=False)
    assert closed_manifold(whole.mesh.faces)
    assert len(np.unique(components(whole.mesh.faces, len(whole.mesh.vertices)))) == 1


def test_unknown_kinds_and_variants_are_named() -> None:
    with pytest.raises(InputError, match=r"'unicorn'.*octopus"):
        make_creature("unicorn", 0)
    with pytest.raises(InputError, match=r"'wild'.*held-out"):
        make_creature("hand", 0, "wild")


def test_nothing_is_too_thin_for_the_grid() -> None:
    like = pattern("fin", squash=0.01)
    bones = [ball("body", 0 * UP, 1.0), *fan(like, UP, UP, FRONT, 1.0, 1.0, (0.2, 0.2))]
    for b in sturdy(bones):
        assert min(b.radii) * b.squash > 0.8 * grid_step(sturdy(bones)) / 2
    assert sturdy(bones)[0].radii == (1.0, 1.0)


def test_bones_that_fell_apart_are_noticed() -> None:
    assert connected([ball("body", 0 * UP, 1.0), ball("head", 1.5 * UP, 1.0)])
    assert connected([bone("body", 0 * UP, 9 * UP, (1.0, 0.5)), ball("arm", 9 * UP + 0.8 * SIDE, 0.5)])
    assert not connected([ball("body", 0 * UP, 1.0), ball("head", 2.1 * UP, 1.0)])


def test_a_fan_opens_by_its_angle_and_leaves_no_gaps_between_its_tips() -> None:
    rays = fan(pattern("tail"), 0 * UP, UP, SIDE, 1.0, 2.0, (0.1, 0.1))
    directions = [(b.end - b.start) / np.linalg.norm(b.end - b.start) for b in rays]
    assert np.isclose(np.arccos(directions[0] @ directions[-1]), 1.0)
    gaps = [np.linalg.norm(a.end - b.end) for a, b in pairwise(rays)]
    assert max(gaps) < 0.2


def test_a_strand_turns_by_its_angle_in_all() -> None:
    bones = strand(pattern("arm"), 0 * UP, SIDE, UP, 3.0, (0.3, 0.2, 0.1), turn=1.4)
    first, last = (b.end - b.start for b in (bones[0], bones[-1]))
    turned = np.arccos(first @ last / np.linalg.norm(first) / np.linalg.norm(last))
    assert np.isclose(turned, 1.4 * (len(bones) - 1) / len(bones))
    assert np.isclose(sum(float(np.linalg.norm(b.end - b.start)) for b in bones), 3.0)
    assert bones[0].radii[0] == 0.3
    assert bones[-1].radii[1] == 0.1


def test_a_ring_is_even() -> None:
    directions = np.array(ring(5))
    assert np.allclose(directions.sum(axis=0), 0)
    assert np.allclose(np.linalg.norm(directions, axis=1), 1)
