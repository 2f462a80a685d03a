"""Instances: the pieces that a person counts, whatever the order of the faces."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import trimesh
from scipy.spatial import cKDTree
from segmented_files import INPUTS, guess, obj_file, ready
from shapes import box, figure, sphere

from meshtide.data.figures import make_figure
from meshtide.errors import InputError
from meshtide.inference.instances import CRUMB
from meshtide.inference.segment import segment
from meshtide.inference.segmentation import Segmentation
from meshtide.labels.colours import part_colours
from meshtide.labels.files import read_labels
from meshtide.labels.labels import Labels
from meshtide.mesh.files import load_ready
from meshtide.mesh.mesh import Mesh
from meshtide.output.files.splitting import split_parts


def answered(mesh: Mesh, labels: Labels) -> Segmentation:
    """A segmentation that is sure of the given parts on vertices."""
    rows = np.eye(len(labels.names), dtype=np.float32)[labels.values]
    return Segmentation(mesh, labels, rows, part_colours(labels.names))


def several(*meshes: Mesh) -> Mesh:
    """Meshes side by side in one, nothing welded."""
    starts = np.cumsum([0, *(len(mesh.vertices) for mesh in meshes)])
    faces = [mesh.faces + start for mesh, start in zip(meshes, starts, strict=False)]
    return Mesh(np.concatenate([mesh.vertices for mesh in meshes]), np.concatenate(faces))


def moved(mesh: Mesh, shift: tuple[float, float, float], size: float = 1.0) -> Mesh:
    return Mesh(size * mesh.vertices + shift, mesh.faces)


def one_part(mesh: Mesh, name: str = "bolt") -> Segmentation:
    return answered(mesh, Labels(np.zeros(len(mesh.vertices), dtype=int), "vertices", (name,)))


@pytest.mark.parametrize("seed", [2, 3, 9100, 9103])
def test_a_quadruped_has_four_legs_and_one_head(seed: int) -> None:
    mesh, truth = make_figure("quadruped", seed, "held-out", defects=False)
    for result in (answered(mesh, truth), segment(mesh)):
        counts = Counter(instance.part for instance in result.instances)
        assert counts["leg"] == 4
        assert counts["torso"] == counts["head"] == counts["neck"] == 1
        legs = [instance for instance in result.instances if instance.part == "leg"]
        assert [leg.name for leg in legs] == ["leg 1", "leg 2", "leg 3", "leg 4"]
        assert [leg.number for leg in legs] == [1, 2, 3, 4]
        assert [leg.area for leg in legs] == sorted((leg.area for leg in legs), reverse=True)
        assert next(instance.name for instance in result.instances if instance.part == "torso") == "torso"
        # Their lowest points are four different feet.
        lows = np.array([leg.box[0][2] for leg in legs])
        assert lows.max() < np.median(mesh.vertices[:, 2])


@pytest.mark.parametrize("kind", INPUTS)
def test_every_face_is_in_one_instance_of_its_part(kind: str, tmp_path: Path) -> None:
    answer = ready(INPUTS[kind](tmp_path))
    part_of = np.array([*(instance.part_index for instance in answer.instances), -1])
    np.testing.assert_array_equal(part_of[answer.face_instances], answer.face_labels.values)
    np.testing.assert_array_equal(part_of[answer.mesh_face_instances], answer.mesh_face_labels.values)
    found = np.unique(answer.mesh_face_instances)
    assert found[found >= 0].tolist() == list(range(len(answer.instances)))
    named = answer.vertex_instances >= 0
    np.testing.assert_array_equal(part_of[answer.vertex_instances][named], answer.labels.values[named])
    present = np.isin(answer.labels.values, part_of[:-1])
    np.testing.assert_array_equal(named, present)  # none only where its part has no face at all
    assert sum(instance.share for instance in answer.instances) <= 1 + 1e-9


def test_numbers_measure_the_pieces() -> None:
    mesh = several(box((1, 2, 3)), moved(box(), (5, 0, 0)), moved(box(), (9, 0, 0), 2.0))
    result = one_part(mesh)
    assert [instance.area for instance in result.instances] == pytest.approx([24, 22, 6])
    assert [instance.share for instance in result.instances] == pytest.approx([24 / 52, 22 / 52, 6 / 52])
    assert [instance.name for instance in result.instances] == ["bolt 1", "bolt 2", "bolt 3"]
    assert np.allclose(
        [instance.centroid for instance in result.instances], [[10, 1, 1], [0.5, 1, 1.5], [5.5, 0.5, 0.5]]
    )
    assert result.instances[1].box == ((0, 0, 0), (1, 2, 3))
    assert {instance.confidence for instance in result.instances} == {1.0}


def test_permuting_faces_permutes_the_answer() -> None:
    mesh, draw = figure(2)[0], np.random.default_rng(1)
    mesh = Mesh(mesh.vertices + draw.normal(0, 1e-3, mesh.vertices.shape), mesh.faces)  # no two distances are equal
    answer = guess(mesh, seed=5)
    for turn in range(3):
        order, faces = draw.permutation(len(mesh.vertices)), draw.permutation(len(mesh.faces))
        corners = np.argsort(order)[mesh.faces[faces]]
        other = Mesh(mesh.vertices[order], np.roll(corners, turn, axis=1))
        labels = Labels(answer.mesh_labels.values[order], "vertices", answer.parts)
        same = Segmentation(other, labels, answer.mesh_probabilities[order], answer.colours)
        np.testing.assert_array_equal(same.mesh_face_instances, answer.mesh_face_instances[faces])
        np.testing.assert_array_equal(same.mesh_vertex_instances, answer.mesh_vertex_instances[order])
        assert [instance.name for instance in same.instances] == [instance.name for instance in answer.instances]


def test_equally_large_pieces_are_told_apart_by_their_places() -> None:
    row = [moved(box(), (3.0 * number, 0, 0)) for number in range(5)]
    one, other = one_part(several(*row)), one_part(several(*row[::-1]))
    assert np.allclose(*([instance.centroid for instance in each.instances] for each in (one, other)))
    assert one.instances[0].centroid[0] < one.instances[4].centroid[0]


def test_shells_that_touch_are_one_piece_and_loose_ones_are_not() -> None:
    stacked = several(box(), moved(box(), (1, 0, 0)))  # two closed boxes with a side in common
    assert [instance.name for instance in one_part(stacked).instances] == ["bolt"]
    corner = several(box(), moved(box(), (1, 1, 1)))  # a single point in common
    assert len(one_part(corner).instances) == 2
    apart = several(box(), moved(box(), (1.01, 0, 0)))
    assert len(one_part(apart).instances) == 2


def test_crumbs_go_to_the_nearest_piece_of_their_part() -> None:
    small = (CRUMB * 0.9) ** 0.5
    mesh = several(box(), moved(box(), (10, 0, 0)), moved(box(), (8, 0, 0), small))
    result = one_part(mesh)
    assert len(result.instances) == 2
    assert result.mesh_face_instances[24:].tolist() == [result.mesh_face_instances[12]] * 12
    larger = several(box(), moved(box(), (10, 0, 0)), moved(box(), (8, 0, 0), (CRUMB * 1.1) ** 0.5))
    assert len(one_part(larger).instances) == 3
    bolts = several(*(moved(box(), (2.0 * number, 0, 0)) for number in range(100)))
    assert len(one_part(bolts).instances) == 100  # small in all, but none is a crumb of another


def test_a_vertex_among_other_parts_takes_the_nearest_piece() -> None:
    mesh = sphere(3)
    values = np.where(mesh.vertices[:, 2] > 0.3, 1, 0)
    lonely = int(mesh.vertices[:, 2].argmin())
    values[lonely] = 1
    result = answered(mesh, Labels(values, "vertices", ("body", "cap")))
    assert [instance.name for instance in result.instances] == ["body", "cap"]
    assert result.vertex_instances[lonely] == 1
    assert 1 not in result.mesh_face_labels.values[(mesh.faces == lonely).any(axis=1)]


def test_a_polygon_is_in_one_instance_even_where_damage_tears_it(tmp_path: Path) -> None:
    """Of a hexagon's four triangles the two with the damaged corner go; what is left meets in a point alone."""
    turn = np.linspace(0, 2 * np.pi, 6, endpoint=False)
    points = np.stack([np.cos(turn), np.sin(turn), np.zeros(6)], axis=1).tolist()
    points[3] = [float("nan"), 0.0, 0.0]
    given = obj_file(tmp_path / "torn.obj", [*points, [2.0, 2.0, 0.0]], [[0, 1, 2, 3, 4, 5], [1, 6, 2]])
    mesh = load_ready(given.path)[0]
    assert len(mesh.faces) == 3
    result = one_part(mesh)
    np.testing.assert_array_equal(result.mesh_face_instances, result.face_instances[result.origin.face_of])
    assert len(result.instances) == 1


def test_names_that_meet_are_told_apart() -> None:
    mesh = several(box(), moved(box(), (3, 0, 0)), moved(box(), (6, 0, 0)))
    values = np.repeat([0, 0, 1], 8)
    result = answered(mesh, Labels(values, "vertices", ("leg", "leg 1")))
    assert [instance.name for instance in result.instances] == ["leg (1)", "leg 2", "leg 1"]


def test_parts_without_faces_have_no_instance_and_unlabelled_faces_none() -> None:
    mesh = figure(1)[0]
    nothing = answered(mesh, Labels(np.full(len(mesh.vertices), -1), "vertices", ("head",)))
    assert nothing.instances == ()
    assert set(nothing.face_instances.tolist()) == set(nothing.vertex_instances.tolist()) == {-1}
    assert "no parts" in repr(nothing)


def test_sizes_beyond_numbers() -> None:
    for size in (1e200, 1e-200):
        result = one_part(several(moved(box(), (0, 0, 0), size), moved(box(), (5 * size, 0, 0), size)))
        assert [instance.share for instance in result.instances] == pytest.approx([0.5, 0.5])
        assert result.instances[1].centroid[0] == pytest.approx(5.5 * size)


def test_every_format_tells_four_legs_apart(tmp_path: Path) -> None:
    result = segment(make_figure("quadruped", 2, "held-out", defects=False)[0])
    legs = [index for index, instance in enumerate(result.instances) if instance.part == "leg"]
    wanted = {f"leg {number}" for number in (1, 2, 3, 4)}
    for suffix in (".glb", ".obj", ".seg", ".npz", ".json", ".ply"):
        result.save(tmp_path / f"x{suffix}")
    scene = trimesh.load_scene(tmp_path / "x.glb", process=False)
    assert {name for name in scene.graph.nodes_geometry if name.startswith("leg")} == wanted
    for name in wanted:
        own = result.outlined.face_instances == next(i for i in legs if result.instances[i].name == name)
        assert len(scene.geometry[name].faces) == own.sum()
    groups = read_labels(tmp_path / "x.obj", result.mesh)
    assert {name for name in groups.names if name.startswith("leg")} == {name.replace(" ", "_") for name in wanted}
    numbers = np.loadtxt(tmp_path / "x.seg", dtype=int)
    np.testing.assert_array_equal(numbers, result.face_instances)
    pieces = read_labels(tmp_path / "x.seg", result.mesh, base=0)
    assert len(pieces.names) == len(result.instances)
    with np.load(tmp_path / "x.npz", allow_pickle=False) as arrays:
        assert set(arrays["instance_names"][np.unique(arrays["face_instances"])]) >= wanted
        np.testing.assert_array_equal(arrays["labels"][np.isin(arrays["instances"], legs)], result.parts.index("leg"))
    rows = json.loads((tmp_path / "x.json").read_text())["instances"]
    assert wanted == {row["name"] for row in rows if row["part"] == "leg"}
    assert b"property int instance" in (tmp_path / "x.ply").read_bytes()[:4000]
    assert {path.stem for path in split_parts(result, tmp_path / "split")} >= {
        name.replace(" ", "_") for name in wanted
    }


# Regions


def test_regions_are_instances_the_largest_first(tmp_path: Path) -> None:
    mesh = several(box(), moved(box(), (4, 0, 0), 3.0), moved(box(), (9, 0, 0), 2.0))
    regions = np.repeat([0, 5, 2], 12)
    regions[0] = -1
    result = Segmentation.of_regions(mesh, regions, [0.7, 0.0, 0.8, 0.0, 0.0, 0.9], warnings=("look",))
    assert result.parts == tuple(instance.name for instance in result.instances) == ("part 1", "part 2", "part 3")
    assert [instance.area for instance in result.instances] == pytest.approx([54, 24, 5.5])
    assert [instance.confidence for instance in result.instances] == pytest.approx([0.9, 0.8, 0.7])
    assert result.face_instances.tolist() == [-1, *[2] * 11, *[0] * 12, *[1] * 12]
    assert result.labels.values.tolist() == [*[2] * 8, *[0] * 8, *[1] * 8]
    np.testing.assert_allclose(result.probabilities.sum(axis=1), 1, atol=1e-6)
    assert len(set(result.colours)) == 3
    result.save(tmp_path / "out.json")
    said = json.loads((tmp_path / "out.json").read_text())
    assert [instance["name"] for instance in said["instances"]] == ["part 1", "part 2", "part 3"]
    assert said["warnings"] == ["look"]


def test_a_region_in_two_places_is_one_instance() -> None:
    mesh = several(box(), moved(box(), (4, 0, 0)))
    result = Segmentation.of_regions(mesh, np.zeros(24, dtype=int), names=("seat",))
    assert [instance.name for instance in result.instances] == ["seat"]
    assert result.mean_confidence == 1


def test_regions_that_do_not_fit_are_refused() -> None:
    mesh = box()
    for regions in (np.zeros(11, dtype=int), np.zeros(12), np.full(12, -2)):
        with pytest.raises(InputError, match="wanted a whole number for each"):
            Segmentation.of_regions(mesh, regions)
    with pytest.raises(InputError, match="from 0 to 1"):
        Segmentation.of_regions(mesh, np.arange(12) % 3, [0.5, 0.5])
    with pytest.raises(InputError, match="names for regions"):
        Segmentation.of_regions(mesh, np.arange(12) % 3, names=("a", "b"))


def test_fine_and_coarse_meshings_count_alike() -> None:
    """Instances of the figure's true parts, level after level: two arms, two legs."""
    for level in (1, 2, 3):
        mesh, faces = figure(level)
        labels = Labels(faces, "faces", ("head", "torso", "arm", "leg")).to_vertices(mesh)
        found = Counter(instance.part for instance in answered(mesh, labels).instances)
        assert found == {"head": 1, "torso": 1, "arm": 2, "leg": 2}


def test_a_crumb_is_nearer_to_its_piece_than_to_any_other() -> None:
    answer = guess(figure(2)[0], seed=8)
    middles = answer.mesh.vertices[answer.mesh.faces].mean(axis=1)
    for part in range(len(answer.parts)):
        mine = answer.mesh_face_labels.values == part
        numbers = answer.mesh_face_instances[mine]
        _, near = cKDTree(middles[mine]).query(middles[mine], k=2)
        assert (numbers[near[:, 1]] == numbers).mean() > 0.5
