"""Procedural bodies: the same every time, closed, and labelled as their anatomy says."""

from __future__ import annotations

import subprocess
import sys
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from shapes import sphere, torus

from meshtide.arrays import FloatArray
from meshtide.data.figures import DEFECTS, KINDS, PARTS, VARIANTS, make_figure, make_plan, parts_of
from meshtide.data.figures.defects import apply_defect
from meshtide.data.figures.dice import Dice
from meshtide.data.figures.field import Field, distance
from meshtide.data.figures.generator import label_points
from meshtide.data.figures.skeleton import Bone, touching
from meshtide.data.figures.surface import (
    bad_vertices,
    closed_manifold,
    euler_characteristic,
    mended,
    split_edges,
    tidy_labels,
)
from meshtide.errors import InputError
from meshtide.labels.labels import Labels
from meshtide.mesh.mesh import Mesh
from meshtide.mesh.topology import edges_with_uses

MAY_MISS = {"tail", "ear", "neck"}  # of some animals, by design


@cache
def figure(kind: str, variant: str = "blended", seed: int = 3) -> tuple[Mesh, Labels]:
    return make_figure(kind, seed, variant, defects=False)


def regions(mesh: Mesh, labels: Labels, part: str) -> list[int]:
    """How many vertices each connected region of a part has."""
    mine = labels.values == labels.names.index(part)
    edges = mesh.edges()
    inside = edges[mine[edges].all(axis=1)]
    graph = coo_array((np.ones(len(inside)), (inside[:, 0], inside[:, 1])), shape=(len(mine), len(mine)))
    piece = connected_components(graph, directed=False)[1]
    return [int(count) for count in np.bincount(piece[mine]) if count]


def part_areas(mesh: Mesh, labels: Labels) -> dict[str, float]:
    areas = np.bincount(labels.to_faces(mesh).values, mesh.face_areas, len(labels.names)) / mesh.area
    return dict(zip(labels.names, areas, strict=True))


def volume(mesh: Mesh) -> float:
    a, b, c = (mesh.vertices[mesh.faces[:, corner]] for corner in range(3))
    return float((np.cross(a, b) * c).sum() / 6)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_closed_manifold_labelled_and_faces_outwards(kind: str, variant: str) -> None:
    mesh, labels = figure(kind, variant)
    assert closed_manifold(mesh.faces)
    assert (edges_with_uses(mesh.faces, len(mesh.vertices))[1] == 2).all()
    assert len(np.unique(mesh.faces)) == len(mesh.vertices)
    assert volume(mesh) > 0
    assert 1000 < len(mesh.vertices) < 8000
    assert labels.names == parts_of(kind)
    assert labels.unlabelled == 0
    labels.check_fits(mesh)
    missing = {part for part, count in labels.counts().items() if count == 0}
    assert missing <= (MAY_MISS if kind == "quadruped" else set())


def test_the_vocabulary_is_the_union_of_the_kinds() -> None:
    assert {part for kind in KINDS for part in parts_of(kind)} == set(PARTS)
    assert len(PARTS) == len(set(PARTS))


def test_the_same_arguments_give_the_same_figure_and_others_another() -> None:
    mesh, labels = figure("hand")
    again, same = make_figure("hand", 3, defects=False)
    np.testing.assert_array_equal(again.vertices, mesh.vertices)
    np.testing.assert_array_equal(again.faces, mesh.faces)
    np.testing.assert_array_equal(same.values, labels.values)
    for other in (figure("hand", seed=4)[0], figure("hand", "held-out")[0]):
        assert other.vertices.shape != mesh.vertices.shape or not np.allclose(other.vertices, mesh.vertices)
        # Another body, not the same one meshed again: the surface itself has another size.
        assert abs(other.area / mesh.area - 1) > 1e-3


def test_held_out_figures_come_from_another_field() -> None:
    assert make_plan("ant", 0).field.sharpness == 0
    assert make_plan("ant", 0, "held-out").field.sharpness > 0


def test_unknown_words_list_the_known_ones() -> None:
    with pytest.raises(InputError, match=r"'ghost'.*'humanoid'"):
        make_figure("ghost", 0)
    with pytest.raises(InputError, match=r"'mixed'.*'held-out'"):
        make_figure("hand", 0, "mixed")


@pytest.mark.parametrize(("kind", "part", "low", "high"), [
    ("humanoid", "head", 0.03, 0.4), ("humanoid", "torso", 0.15, 0.5), ("humanoid", "hand", 0.005, 0.1),
    ("humanoid", "upperleg", 0.08, 0.4), ("humanoid", "foot", 0.02, 0.25), ("quadruped", "torso", 0.2, 0.8),
    ("quadruped", "leg", 0.06, 0.6), ("bird", "torso", 0.1, 0.7), ("hand", "finger", 0.15, 0.7),
    ("octopus", "tentacle", 0.2, 0.9), ("ant", "leg", 0.15, 0.8), ("ant", "abdomen", 0.05, 0.6),
])  # fmt: skip
def test_parts_have_plausible_shares_of_the_surface(kind: str, part: str, low: float, high: float) -> None:
    for variant in VARIANTS:
        assert low < part_areas(*figure(kind, variant))[part] < high


@pytest.mark.parametrize(("kind", "part", "count"), [
    ("humanoid", "head", 1), ("humanoid", "hand", 2), ("humanoid", "foot", 2), ("humanoid", "lowerarm", 2),
    ("quadruped", "head", 1), ("quadruped", "torso", 1), ("quadruped", "neck", 1), ("bird", "head", 1),
    ("bird", "wing", 2), ("hand", "palm", 1), ("ant", "leg", 6), ("ant", "antenna", 2),
])  # fmt: skip
def test_parts_come_as_often_as_anatomy_has_them(kind: str, part: str, count: int) -> None:
    for variant in VARIANTS:
        mesh, labels = figure(kind, variant)
        if euler_characteristic(mesh.faces) == 2:  # else limbs touch, and parts may run together
            assert len(regions(mesh, labels, part)) == count


@pytest.mark.parametrize("seed", [1, 5])
def test_most_animals_stand_on_four_separate_legs(seed: int) -> None:
    mesh, labels = figure("quadruped", seed=seed)
    assert len(regions(mesh, labels, "leg")) == 4
    assert len(regions(mesh, labels, "tail")) <= 1


@pytest.mark.parametrize("kind", KINDS)
def test_no_region_is_an_island(kind: str) -> None:
    mesh, labels = figure(kind)
    for part in labels.names:
        sizes = regions(mesh, labels, part)
        assert len(sizes) <= 14
        assert all(size >= 4 or size == max(sizes) for size in sizes)


@pytest.mark.parametrize("variant", VARIANTS)
def test_points_on_a_bone_are_labelled_by_it_except_before_its_cut(variant: str) -> None:
    plan = make_plan("humanoid", 3, variant, defects=False)
    for bone in plan.bones:
        if bone.limb and bone.part in ("upperarm", "lowerleg") and bone.cut > 0:
            early, late = (bone.start + share * (bone.end - bone.start) for share in (0.5 * bone.cut, 0.6))
            parts = parts_of("humanoid")
            assert [parts[part] for part in label_points(plan, np.array([early, late]), parts)] == ["torso", "upperarm"]


def test_hands_lie_at_the_ends_of_the_arms() -> None:
    mesh, labels = figure("humanoid")
    plan = make_plan("humanoid", 3, defects=False)
    wrists = np.array([bone.end for bone in plan.bones if bone.part == "lowerarm"])
    hands = mesh.vertices[labels.values == labels.names.index("hand")]
    nearest = np.linalg.norm(hands[:, None] - wrists, axis=2).min(axis=1)
    assert nearest.max() < 0.35 * float(np.ptp(mesh.vertices, axis=0).max())
    assert len({int(i) for i in np.linalg.norm(hands[:, None] - wrists, axis=2).argmin(axis=1)}) == 2


def test_defects_are_a_minority_and_each_leaves_a_valid_figure() -> None:
    drawn = [make_plan("hand", seed).defect for seed in range(150)]
    assert 0.06 < np.mean([bool(defect) for defect in drawn]) < 0.26
    mesh, labels = figure("octopus")
    for defect in DEFECTS:
        whole = (mesh.vertices, mesh.faces, labels.values)
        vertices, faces, values = apply_defect(defect, whole, Dice("octopus", 1, "blended"))
        Labels(values, "vertices", labels.names).check_fits(Mesh(vertices, faces))
        opened = bool((edges_with_uses(faces, len(vertices))[1] == 1).any())
        assert opened == (defect in ("holes", "open base"))
        assert (len(vertices) > len(mesh.vertices)) == (defect == "pieces")


def test_a_coarse_figure_has_about_a_thousand_vertices() -> None:
    seed = next(seed for seed in range(200) if make_plan("hand", seed).defect == "coarse")
    mesh, _ = make_figure("hand", seed)
    assert 700 < len(mesh.vertices) < 1700


def test_a_lone_bone_has_its_surface_at_its_radius_in_both_fields() -> None:
    bone = Bone("x", np.zeros(3), np.array([0.0, 0.0, 1.0]), (0.2, 0.2), thin=np.array([0.0, 1.0, 0.0]), squash=0.5)
    points = np.array([[0.2, 0.0, 0.5], [0.0, 0.1, 0.5], [0.0, 0.0, 1.2], [0.4, 0.0, 0.5]])
    for field in (Field(), Field(sharpness=4.0)):
        np.testing.assert_allclose(field.at([bone], points)[:3], 0, atol=1e-4)
        assert field.at([bone], points)[3] > 0.1
    np.testing.assert_allclose(distance(bone, _axes(points))[3], 0.2, atol=1e-5)


def test_joining_bones_only_adds_and_never_reaches_further_than_the_blend() -> None:
    rng = np.random.default_rng(0)
    bones = [Bone("x", rng.normal(size=3), rng.normal(size=3), (0.2, 0.3), blend=0.5) for _ in range(4)]
    points = rng.normal(size=(500, 3))
    nearest = np.min([distance(bone, _axes(points)) for bone in bones], axis=0)
    joined = Field().at(bones, points)
    assert (joined <= nearest + 1e-5).all()
    assert (joined >= nearest - 3 * 0.25 * 0.5 * 0.25 - 1e-5).all()


def test_the_grid_and_the_points_see_the_same_field() -> None:
    plan = make_plan("hand", 1)
    grid = plan.field.sample(plan.bones, 0.06)
    near = np.argwhere(np.abs(grid.values) < 0.05)[::7]
    values = plan.field.at(plan.bones, grid.low + grid.step * near)
    np.testing.assert_allclose(grid.values[tuple(near.T)], values, atol=2e-4)


def test_manifold_check_finds_what_is_wrong_and_mending_heals_it() -> None:
    ball = sphere(2)
    assert closed_manifold(ball.faces)
    assert euler_characteristic(ball.faces) == 2
    assert euler_characteristic(torus().faces) == 0
    flipped = ball.faces.copy()
    flipped[7] = flipped[7][::-1]
    pinched = np.where(ball.faces == 100, 5, ball.faces)  # two far vertices become one
    for faces in (ball.faces[1:], flipped, pinched):
        assert bad_vertices(faces, len(ball.vertices)).any()
        vertices, healed = mended(ball.vertices, faces)
        assert closed_manifold(healed)
        assert len(vertices) > 0.8 * len(ball.vertices)


def test_splitting_edges_keeps_the_surface_and_its_closedness() -> None:
    ring = torus()
    vertices, faces = split_edges(ring.vertices, ring.faces, ring.vertices[:, 0] > 0)
    assert len(vertices) > len(ring.vertices)
    assert closed_manifold(faces)
    assert Mesh(vertices, faces).area == pytest.approx(ring.area)


def test_tidy_labels_removes_islands_only() -> None:
    ball = sphere(4)
    halves = (ball.vertices[:, 2] > 0).astype(np.int64)
    spotted = halves.copy()
    spotted[[int(ball.vertices[:, 2].argmax()), int(ball.vertices[:, 2].argmin())]] ^= 1
    np.testing.assert_array_equal(tidy_labels(spotted, ball.faces), halves)
    np.testing.assert_array_equal(tidy_labels(halves, ball.faces), halves)


def test_touching_sees_crossed_limbs() -> None:
    def leg(name: str, foot: float) -> list[Bone]:
        points = [np.array([x, 0.0, z]) for x, z in ((foot, 1.0), (foot, 0.6), (foot, 0.3), (foot, 0.0))]
        return [Bone("leg", a, b, (0.05, 0.05), limb=name) for a, b in pairwise(points)]

    assert not touching([*leg("left", 0.2), *leg("right", -0.2)])
    assert touching([*leg("left", 0.2), *leg("right", 0.22)])


def test_importing_is_cheap() -> None:
    code = "import sys, meshtide.data.figures; print({'torch', 'skimage', 'fast_simplification'} & set(sys.modules))"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "set()"


def _axes(points: FloatArray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    x, y, z = points.astype(np.float32).T
    return x, y, z
