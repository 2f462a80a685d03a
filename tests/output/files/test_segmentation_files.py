"""Other programs read what is written, and element i of it is element i of the file that the mesh came from."""

from __future__ import annotations

import doctest
import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import trimesh
from plain_ply import read_plain
from segmented_files import (
    HOSTILE,
    INPUTS,
    PARTS,
    Given,
    face_answers,
    guess,
    obj_file,
    polygons_with_unused,
    ready,
    rgb,
    small_files_only,
    vertex_answers,
)
from shapes import box, figure

from meshtide.errors import InputError
from meshtide.inference.segmentation import Segmentation
from meshtide.labels.files import read_labels
from meshtide.labels.labels import Labels
from meshtide.mesh.files import load_mesh, load_ready
from meshtide.mesh.mesh import Mesh
from meshtide.output.files import naming
from meshtide.output.files.splitting import split_parts
from meshtide.output.saving import SUFFIXES, write_segmentation


def group_words(answer: Segmentation) -> list[str]:
    """The OBJ group of each of the file's faces."""
    names = [*(instance.name.replace(" ", "_") for instance in answer.instances), "unlabelled"]
    return [names[index] for index in answer.face_instances]


@pytest.fixture(params=INPUTS)
def given(request: pytest.FixtureRequest, tmp_path: Path) -> Given:
    return INPUTS[request.param](tmp_path)


def test_ply_has_the_file_with_an_answer_on_every_element(given: Given, tmp_path: Path) -> None:
    answer = ready(given)
    write_segmentation(answer, tmp_path / "out.ply", source=given.path)
    read = read_plain(tmp_path / "out.ply")
    vertex, face = read["vertex"], read["face"]
    np.testing.assert_array_equal(np.stack([vertex[axis] for axis in "xyz"], 1), given.points)
    assert face["vertex_indices"] == given.written
    for element, expected in ((vertex, vertex_answers(answer)), (face, face_answers(answer))):
        assert list(zip(element["label"], element["confidence"], strict=True)) == expected
        colours = list(zip(*(element[band] for band in ("red", "green", "blue")), strict=True))
        assert colours == [rgb(answer, part) for part, _ in expected]
    assert list(vertex["instance"]) == answer.vertex_instances.tolist()
    assert list(face["instance"]) == answer.face_instances.tolist()
    told = [f"instance {i} {instance.name}" for i, instance in enumerate(answer.instances)]
    assert read.comments == [*(f"part {i} {name} {answer.colours[i]}" for i, name in enumerate(PARTS)), *told]
    assert {-1, 0, 1, 2} <= set(vertex["label"])


def test_trimesh_opens_the_ply_with_both_kinds_of_colours(given: Given, tmp_path: Path) -> None:
    answer = ready(given)
    write_segmentation(answer, tmp_path / "out.ply", source=given.path)
    if {len(polygon) for polygon in given.written} != {3}:
        pytest.skip("trimesh reads binary PLY of one polygon size only")
    read = trimesh.load_mesh(tmp_path / "out.ply", process=False)
    np.testing.assert_array_equal(read.vertices, given.points)
    assert read.faces.tolist() == given.written
    assert read.visual.vertex_colors[:, :3].tolist() == [[*rgb(answer, p)] for p, _ in vertex_answers(answer)]
    with (tmp_path / "out.ply").open("rb") as file:
        by_face = trimesh.exchange.ply.load_ply(file, prefer_color="face")["face_colors"]
    assert by_face[:, :3].tolist() == [[*rgb(answer, p)] for p, _ in face_answers(answer)]


def test_our_own_reader_finds_the_labels_in_ply_and_obj(given: Given, tmp_path: Path) -> None:
    answer = ready(given)
    for suffix in (".ply", ".obj"):
        write_segmentation(answer, tmp_path / f"out{suffix}", source=given.path)
    mesh = load_ready(tmp_path / "out.ply")[0]
    labels = np.array([label for label, _ in vertex_answers(answer)])
    expected = mesh.origin.vertices_from_file(labels, -1, len(mesh.vertices))
    assert read_labels(tmp_path / "out.ply", mesh, on="vertices").values.tolist() == expected.tolist()
    mesh = load_ready(tmp_path / "out.obj")[0]
    groups, faces = read_labels(tmp_path / "out.obj", mesh), group_words(answer)
    found = [groups.names[group] for group in groups.values]
    assert found == [faces[face] for face in mesh.origin.face_of]


def test_obj_has_the_file_with_every_face_in_the_group_of_its_instance(given: Given, tmp_path: Path) -> None:
    answer = ready(given)
    write_segmentation(answer, tmp_path / "out.obj", source=given.path)
    words = {0: "head", 1: "upper_arm", 2: "tail", -1: "unlabelled"}
    points, polygons, groups, materials, group, material = [], [], [], [], "", ""
    for line in (tmp_path / "out.obj").read_text().splitlines():
        key, *rest = line.split()
        if key == "v":
            points.append([float(word) for word in rest])
        elif key == "f":
            polygons.append([int(word) - 1 for word in rest])
            groups.append(group)
            materials.append(material)
        elif key in ("g", "usemtl"):
            group, material = (rest[0], material) if key == "g" else (group, rest[0])
        else:
            assert key == "#" or line == "mtllib out.mtl"
    np.testing.assert_array_equal(points, given.points)
    assert polygons == given.written
    assert materials == [words[part] for part, _ in face_answers(answer)]
    assert groups == group_words(answer)


def test_trimesh_opens_the_obj_with_the_materials_beside_it(given: Given, tmp_path: Path) -> None:
    answer = ready(given)
    write_segmentation(answer, tmp_path / "out.obj", source=given.path)
    read = trimesh.load_scene(tmp_path / "out.obj", process=False, group_material=True)
    triangles: dict[int, int] = dict.fromkeys((-1, 0, 1, 2), 0)
    for polygon, (part, _) in zip(given.written, face_answers(answer), strict=True):
        triangles[part] += len(polygon) - 2
    found = {geometry.visual.material.name: geometry for geometry in read.geometry.values()}
    names = ("head", "upper_arm", "tail", "unlabelled")
    wanted = {name: triangles[part] for part, name in zip((0, 1, 2, -1), names, strict=True) if triangles[part]}
    assert {name: len(geometry.faces) for name, geometry in found.items()} == wanted
    for part, name in zip((0, 1, 2, -1), names, strict=True):
        if name in found:
            assert tuple(found[name].visual.material.diffuse[:3]) == rgb(answer, part)


def test_glb_has_a_named_coloured_mesh_for_each_instance(given: Given, tmp_path: Path) -> None:
    answer = ready(given)
    write_segmentation(answer, tmp_path / "out.glb", source=given.path)
    read = trimesh.load_scene(tmp_path / "out.glb", process=False)
    mesh, piece_of = answer.outlined.mesh, answer.outlined.face_instances
    names = {
        index: answer.instances[index].name if index >= 0 else "unlabelled" for index in np.unique(piece_of).tolist()
    }
    assert set(read.geometry) == set(names.values()) == set(read.graph.nodes_geometry)
    assert len(names) == len(answer.instances) + (-1 in names)
    for index, name in names.items():
        geometry, faces = read.geometry[name], mesh.faces[piece_of == index]
        part = answer.instances[index].part_index if index >= 0 else -1
        np.testing.assert_array_equal(geometry.triangles, mesh.vertices[faces].astype(np.float32))
        assert len(geometry.vertices) == len(np.unique(faces))
        material = geometry.visual.material
        linear = [(c / 255 + 0.055) ** 2.4 / 1.055**2.4 if c > 10 else c / 255 / 12.92 for c in rgb(answer, part)]
        np.testing.assert_allclose(material.baseColorFactor[:3] / 255, linear, atol=1 / 254)
        assert material.name == (PARTS[part] if part >= 0 else "unlabelled")
        said = {"part": None if part < 0 else PARTS[part], "index": part, "instance": index}
        assert said.items() <= geometry.metadata.items()


def test_glb_tells_dark_colours_apart(tmp_path: Path) -> None:
    answer = guess(figure(1)[0])
    answer = replace(answer, colours=tuple(f"#{number:02x}0000" for number in range(1, len(answer.parts) + 1)))
    write_segmentation(answer, tmp_path / "out.glb")
    data = (tmp_path / "out.glb").read_bytes()
    materials = json.loads(data[20 : 20 + int.from_bytes(data[12:16], "little")])["materials"]
    reds = {round(each["pbrMetallicRoughness"]["baseColorFactor"][0] * 12.92 * 255, 6) for each in materials}
    assert {1.0, 2.0, 3.0} <= reds


def test_glb_obeys_the_rules_of_the_format(tmp_path: Path) -> None:
    write_segmentation(guess(figure(1)[0]), tmp_path / "out.glb")
    data = (tmp_path / "out.glb").read_bytes()
    numbers = np.frombuffer(data[:20], "<u4")
    assert (data[:4], numbers[1], numbers[2], data[16:20]) == (b"glTF", 2, len(data), b"JSON")
    start = 20 + int(numbers[3])
    header = json.loads(data[20:start])
    length = int.from_bytes(data[start : start + 4], "little")
    assert data[start + 4 : start + 8] == b"BIN\0"
    assert start % 4 == length % 4 == 0
    assert start + 8 + length == len(data)
    assert header["buffers"] == [{"byteLength": length}]
    views = header["bufferViews"]
    assert [view["byteOffset"] for view in views] == np.cumsum([0, *(v["byteLength"] for v in views)])[:-1].tolist()
    assert sum(view["byteLength"] for view in views) == length
    for accessor in header["accessors"]:
        view = views[accessor["bufferView"]]
        width = 12 if accessor["type"] == "VEC3" else 4
        assert accessor["count"] * width == view["byteLength"]
        if width == 12:
            points = np.frombuffer(data, "<f4", accessor["count"] * 3, start + 8 + view["byteOffset"]).reshape(-1, 3)
            assert (accessor["min"], accessor["max"]) == (points.min(0).tolist(), points.max(0).tolist())


def test_a_shape_far_from_the_origin_keeps_its_detail_in_a_glb(tmp_path: Path) -> None:
    mesh, _ = figure(0)
    far = guess(Mesh(mesh.vertices + [5e6, -4e5, 100.0], mesh.faces))
    write_segmentation(far, tmp_path / "far.glb")
    back = load_mesh(tmp_path / "far.glb")
    one, other = (np.sort(mesh.vertices[mesh.faces].reshape(-1, 3), axis=0) for mesh in (back, far.outlined.mesh))
    np.testing.assert_allclose(one, other, atol=1e-5, rtol=0)


def test_lists_and_arrays_are_those_of_the_file(given: Given, tmp_path: Path) -> None:
    answer = ready(given)
    for suffix in (".seg", ".txt", ".npz"):
        write_segmentation(answer, tmp_path / f"out{suffix}", source=given.path)
    vertices, faces = vertex_answers(answer), face_answers(answer)
    assert np.loadtxt(tmp_path / "out.seg", dtype=int).tolist() == answer.face_instances.tolist()
    assert np.loadtxt(tmp_path / "out.txt", dtype=int).tolist() == [part for part, _ in vertices]
    with np.load(tmp_path / "out.npz", allow_pickle=False) as arrays:
        assert list(zip(arrays["labels"].tolist(), arrays["confidence"].tolist(), strict=True)) == vertices
        assert list(zip(arrays["face_labels"].tolist(), arrays["face_confidence"].tolist(), strict=True)) == faces
        assert (tuple(arrays["names"]), str(arrays["on"])) == (PARTS, "vertices")
        assert arrays["instances"].tolist() == answer.vertex_instances.tolist()
        assert arrays["face_instances"].tolist() == answer.face_instances.tolist()
        assert arrays["instance_names"].tolist() == [instance.name for instance in answer.instances]
        rows = arrays["probabilities"]
    assert rows.shape == (len(given.points), len(PARTS))
    for row, vertex in zip(rows, answer.mesh.origin.vertex_of.tolist(), strict=True):
        np.testing.assert_array_equal(row, answer.mesh_probabilities[vertex] if vertex >= 0 else 0)
    assert read_labels(tmp_path / "out.npz", answer.mesh).names == PARTS


def test_json_adds_up(given: Given, tmp_path: Path) -> None:
    answer = ready(given)
    write_segmentation(answer, tmp_path / "out.json", source=given.path)
    said = json.loads((tmp_path / "out.json").read_text())
    vertices, faces = vertex_answers(answer), face_answers(answer)
    assert (said["vertices"], said["faces"]) == (len(given.points), len(given.polygons))
    assert (said["kind"], said["warnings"]) == ("animal", ["be careful"])
    assert list(said["parts"]) == list(PARTS)
    triangles = answer.mesh.vertices[answer.mesh.faces]
    areas = trimesh.triangles.area(triangles)
    owner = np.array([faces[face][0] for face in answer.mesh.origin.face_of])
    for part, row in [*enumerate(said["parts"].values()), (-1, said["unlabelled"])]:
        assert row["vertices"] == sum(label == part for label, _ in vertices)
        assert row["faces"] == sum(label == part for label, _ in faces)
        assert row["area"] == pytest.approx(areas[owner == part].sum())
        assert row["share"] == pytest.approx(row["area"] / areas.sum())
        if part >= 0:
            sure, weights = answer.mesh_face_confidence[owner == part], areas[owner == part]
            assert row["confidence"] == pytest.approx(np.average(sure, weights=weights), rel=1e-5)
            assert (row["index"], row["colour"]) == (part, answer.colours[part])
    for index, row in enumerate(said["instances"]):
        own = answer.face_instances[answer.mesh.origin.face_of] == index
        assert (row["faces"], row["vertices"]) == (
            int((answer.face_instances == index).sum()),
            int((answer.vertex_instances == index).sum()),
        )
        assert row["area"] == pytest.approx(areas[own].sum())
        assert row["centroid"] == pytest.approx(np.average(triangles[own].mean(axis=1), axis=0, weights=areas[own]))
        assert row["box"] == [triangles[own].min(axis=(0, 1)).tolist(), triangles[own].max(axis=(0, 1)).tolist()]
    for part, name in enumerate(PARTS):
        mine = [row for row in said["instances"] if row["part"] == name]
        assert [row["number"] for row in mine] == list(range(1, len(mine) + 1))
        if len(mine) == 1:  # the same said of the part and of its only piece
            assert mine[0]["confidence"] == pytest.approx(said["parts"][name]["confidence"], rel=1e-6)
        assert sum(row["area"] for row in mine) == pytest.approx(said["parts"][name]["area"])
        assert sum(row["faces"] for row in mine) == said["parts"][name]["faces"] == sum(p == part for p, _ in faces)


def test_json_is_valid_for_absent_parts_and_sizes_beyond_numbers(tmp_path: Path) -> None:
    answer = guess(Mesh(box().vertices * 1e200, box().faces, "huge\udc80"))
    labels = Labels(np.where(np.arange(8) < 4, 0, 1), "vertices", PARTS)
    write_segmentation(replace(answer, mesh_labels=labels), tmp_path / "out.json")
    said = json.loads((tmp_path / "out.json").read_text(), parse_constant=pytest.fail)
    assert said["parts"]["tail"] | {"colour": ""} == {
        "index": 2,
        "colour": "",
        "vertices": 0,
        "faces": 0,
        "area": 0,
        "share": 0,
        "confidence": None,
    }
    assert said["area"] is None
    assert said["parts"]["head"]["share"] + said["parts"]["upper arm"]["share"] == pytest.approx(1)
    with pytest.raises(InputError, match="32-bit"):
        write_segmentation(answer, tmp_path / "out.glb")


def test_without_a_source_the_mesh_itself_is_written(tmp_path: Path) -> None:
    answer = guess(figure(0)[0])
    write_segmentation(answer, tmp_path / "out.ply")
    read = read_plain(tmp_path / "out.ply")
    np.testing.assert_array_equal(np.stack([read["vertex"][axis] for axis in "xyz"], 1), answer.mesh.vertices)
    np.testing.assert_array_equal(np.stack(read["face"]["vertex_indices"]), answer.mesh.faces)
    np.testing.assert_array_equal(read["vertex"]["label"], answer.labels.values)
    np.testing.assert_array_equal(read["face"]["label"], answer.face_labels.values)


def test_polygons_of_any_size_are_kept(tmp_path: Path) -> None:
    """A prism over 300 corners: its two caps need more than a byte to count, its sides are quads, in many chunks."""
    turn = np.linspace(0, 2 * np.pi, 300, endpoint=False)
    ring = np.stack([np.cos(turn), np.sin(turn)], axis=1)
    points = [[x, y, z] for z in (0.0, 1.0) for x, y in ring.tolist()]
    sides = [[i, (i + 1) % 300, 300 + (i + 1) % 300, 300 + i] for i in range(300)]
    polygons = [list(range(299, -1, -1)), *sides, list(range(300, 600))]
    given = obj_file(tmp_path / "prism.obj", points, polygons)
    answer = guess(load_mesh(given.path))
    write_segmentation(answer, tmp_path / "out.ply", source=given.path)
    read = read_plain(tmp_path / "out.ply")
    assert read["face"]["vertex_indices"] == polygons
    assert read["face"]["label"] == [part for part, _ in face_answers(answer)]


def test_chunks_join_without_a_gap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given = polygons_with_unused(tmp_path)
    answer = ready(given)
    whole = {}
    for name in ("whole", "pieces"):
        for suffix in (".ply", ".obj"):
            write_segmentation(answer, tmp_path / f"out{suffix}", source=given.path)
            whole[name, suffix] = (tmp_path / f"out{suffix}").read_bytes()
        for module in ("ply", "obj"):
            monkeypatch.setattr(f"meshtide.output.files.{module}._CHUNK", 2)
    for suffix in (".ply", ".obj"):
        assert whole["whole", suffix] == whole["pieces", suffix]


def test_another_file_than_the_segmented_one_is_noticed(tmp_path: Path) -> None:
    given = polygons_with_unused(tmp_path)
    answer = ready(given)
    given.path.write_text(given.path.read_text() + "v 0 0 0\n")
    for suffix in (".ply", ".obj"):
        with pytest.raises(InputError, match=r"12 vertices and 7 faces, but .* 11 and 7"):
            write_segmentation(answer, tmp_path / f"out{suffix}", source=given.path)
        with pytest.raises(InputError, match="no such file"):
            write_segmentation(answer, tmp_path / f"out{suffix}", source=tmp_path / "gone.obj")
        with pytest.raises(InputError, match="no such file"):
            write_segmentation(answer, tmp_path / f"out{suffix}", source=tmp_path / "x.docx")
    assert [file.name for file in tmp_path.iterdir()] == ["polygons.obj"]


def test_the_source_itself_can_be_replaced(tmp_path: Path) -> None:
    given = polygons_with_unused(tmp_path)
    answer = ready(given)
    write_segmentation(answer, given.path, source=given.path)
    back = read_labels(given.path, load_mesh(given.path)).values
    assert len(load_mesh(given.path).vertices) == len(given.points)
    assert len(np.unique(back)) == len({part for part, _ in face_answers(answer)})


def test_what_cannot_be_written_is_said(tmp_path: Path) -> None:
    answer = guess(box())
    with pytest.raises(InputError, match=r"'\.docx'.*\.ply, \.glb, \.obj, \.npz, \.json, \.seg, \.txt"):
        write_segmentation(answer, tmp_path / "x.docx")
    with pytest.raises(InputError, match="#rrggbb"):
        write_segmentation(replace(answer, colours=("red", "#000000", "#000000")), tmp_path / "x.ply")
    with pytest.raises(InputError, match="#rrggbb"):
        write_segmentation(replace(answer, colours=("#000000",)), tmp_path / "x.obj")
    with pytest.raises(InputError, match="plainer"):
        write_segmentation(answer, tmp_path / "x\ny.obj")
    for suffix in SUFFIXES:
        with pytest.raises(InputError, match="does not exist"):
            write_segmentation(answer, tmp_path / "no" / f"x{suffix}")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_write_that_fails_midway_leaves_the_old_file(tmp_path: Path, suffix: str) -> None:
    path, materials = tmp_path / f"x{suffix}", tmp_path / "x.mtl"
    path.write_bytes(b"old")
    materials.write_bytes(b"old materials")
    with small_files_only(700), pytest.raises(InputError, match="cannot be written"):
        write_segmentation(guess(figure(1)[0], ("head", *"abcdefg")[: 2 if suffix == ".obj" else 8]), path)
    assert path.read_bytes() == b"old"
    assert materials.read_bytes() == b"old materials"
    assert {file.name for file in tmp_path.iterdir()} == {path.name, "x.mtl"}


def test_no_materials_are_left_behind_by_an_obj_that_failed(tmp_path: Path) -> None:
    (tmp_path / "x.obj").mkdir()
    with pytest.raises(InputError, match="is a folder"):
        write_segmentation(guess(box()), tmp_path / "x.obj")
    assert [file.name for file in tmp_path.iterdir()] == ["x.obj"]


@pytest.mark.parametrize("suffix", [".ply", ".obj", ".off", ".stl", ".glb"])
def test_split_parts_divides_the_surface(tmp_path: Path, suffix: str) -> None:
    answer = guess(figure(0)[0])
    (tmp_path / "mine.txt").write_text("mine")
    (tmp_path / f"head_1{suffix}").write_text("old")
    files = split_parts(answer, tmp_path, suffix)
    assert [file.stem for file in files] == [instance.name.replace(" ", "_") for instance in answer.instances]
    assert {file.suffix for file in files} == {suffix}
    assert {file.name for file in tmp_path.iterdir()} == {"mine.txt", *(file.name for file in files)}
    for index, file in enumerate(files):
        drawn = answer.outlined
        read, faces = trimesh.load_mesh(file, process=False), drawn.mesh.faces[drawn.face_instances == index]
        np.testing.assert_allclose(read.triangles, drawn.mesh.vertices[faces], atol=1e-6)
        assert len(read.vertices) == (3 * len(faces) if suffix == ".stl" else len(np.unique(faces)))


def test_split_parts_replaces_all_or_nothing(tmp_path: Path) -> None:
    answer = guess(figure(1)[0])
    (tmp_path / "head_1.ply").write_text("old")
    with small_files_only(700), pytest.raises(InputError, match="cannot be written"):
        split_parts(answer, tmp_path)
    (tmp_path / "tail_1.ply").mkdir()
    with pytest.raises(InputError, match="is a folder"):
        split_parts(answer, tmp_path)
    with pytest.raises(InputError, match=r"'\.\./x'.*\.obj, \.ply"):
        split_parts(answer, tmp_path, "../x")
    with pytest.raises(InputError, match="cannot be written there"):
        split_parts(answer, tmp_path / "head_1.ply")
    assert (tmp_path / "head_1.ply").read_text() == "old"
    assert {file.name for file in tmp_path.iterdir()} == {"head_1.ply", "tail_1.ply"}


def hostile() -> Segmentation:
    mesh, _ = figure(1)
    return guess(mesh, HOSTILE, seed=3)


def test_hostile_names_stay_in_their_folder(tmp_path: Path) -> None:
    answer = hostile()
    folder = tmp_path / "deep" / "er"
    files = split_parts(answer, folder)
    assert len(files) == len(answer.instances) >= len({instance.part for instance in answer.instances}) == len(HOSTILE)
    assert sorted(folder.iterdir()) == sorted(files)
    assert [path for path in tmp_path.rglob("*") if path.is_file() and path.parent != folder] == []
    for index, file in enumerate(files):
        assert len(load_mesh(file).faces) == int((answer.outlined.face_instances == index).sum())


def test_hostile_names_break_no_format(tmp_path: Path) -> None:
    answer = hostile()
    for suffix in SUFFIXES:
        write_segmentation(answer, tmp_path / f"x{suffix}")
    counts = {name: int((answer.face_labels.values == part).sum()) for part, name in enumerate(HOSTILE)}
    ply = read_plain(tmp_path / "x.ply")
    np.testing.assert_array_equal(ply["face"]["label"], answer.face_labels.values)
    assert len(trimesh.load_mesh(tmp_path / "x.ply", process=False).faces) == len(answer.mesh.faces)
    shown = [comment.removeprefix(f"part {i} ")[:-8] for i, comment in enumerate(ply.comments[: len(HOSTILE)])]
    for name, text in zip(HOSTILE, shown, strict=True):
        assert text.encode().decode("unicode_escape") == (name if len(name) < 60 else name[:60] + "...")
    scene = trimesh.load_scene(tmp_path / "x.glb", process=False)
    found = Counter()
    for geometry in scene.geometry.values():
        found[geometry.metadata["index"], geometry.metadata["part"]] += len(geometry.faces)
    part_of = np.array([*(each.part_index for each in answer.instances), -1])[answer.outlined.face_instances]
    drawn = {name: int((part_of == part).sum()) for part, name in enumerate(HOSTILE)}
    assert {name: found[part, name] for part, name in enumerate(HOSTILE)} == drawn
    materials = trimesh.load_scene(tmp_path / "x.obj", process=False, group_material=True).geometry.values()
    unlabelled = answer.face_labels.unlabelled
    assert sorted(len(g.faces) for g in materials) == sorted([*counts.values(), *([unlabelled] if unlabelled else [])])
    said = json.loads((tmp_path / "x.json").read_text())
    assert {name: row["faces"] for name, row in said["parts"].items()} == counts
    with np.load(tmp_path / "x.npz", allow_pickle=False) as arrays:
        assert tuple(arrays["names"]) == HOSTILE
    assert np.loadtxt(tmp_path / "x.txt", dtype=int).tolist() == answer.labels.values.tolist()


def test_safe_words_are_safe_and_all_different() -> None:
    names = [
        *HOSTILE,
        "a\nb",
        "a\0b",
        "a-2",
        "a/b",
        "a",
        "a",
        "",
        "..",
        "-rf",
        ".hidden",
        "nul",
        "\ud800",
        *["头头"] * 50,
    ]
    words = naming.safe_words(names)
    assert len({word.lower() for word in words}) == len(names)
    assert all(0 < len(word) < 80 for word in words)
    assert all(set(word) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") for word in words)
    assert not {"con", "nul"} & {word.lower() for word in words}
    assert not any(word.startswith("-") for word in words)
    assert naming.safe_words(["head", "upperarm", "left-leg_2"]) == ("head", "upperarm", "left-leg_2")
    assert doctest.testmod(naming).failed == 0


def test_real_files_come_back_as_they_are(data_folder: Path, tmp_path: Path) -> None:
    found = sorted(path for suffix in (".ply", ".obj", ".off") for path in data_folder.rglob(f"*{suffix}"))[:1]
    if not found:
        pytest.skip("no mesh files in MESHTIDE_DATA")
    raw = trimesh.load_mesh(found[0], process=False, maintain_order=True)
    answer = guess(load_ready(found[0])[0])
    write_segmentation(answer, tmp_path / "out.ply", source=found[0])
    read = read_plain(tmp_path / "out.ply")
    np.testing.assert_allclose(np.stack([read["vertex"][axis] for axis in "xyz"], 1), raw.vertices, atol=1e-6)
    assert read["vertex"]["label"] == [part for part, _ in vertex_answers(answer)]
