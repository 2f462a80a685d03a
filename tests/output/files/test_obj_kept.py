"""An OBJ comes back with its textures, normals, materials, groups and objects, and with its parts as groups."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from segmented_files import Given as File
from segmented_files import ready

import meshtide as mt
from meshtide.inference.segmentation import Segmentation
from meshtide.mesh.files import read_polygons

SQUARES = """# a comment
mtllib wood.mtl
o desk
v 0 0 0
v 1 0 0
v 1 1 0
v 0 1 0
v 2 0 0
v 2 1 0
vt 0 0
vt 1 0
vt 1 1
vn 0 0 1
g left side
usemtl oak
f 1/1/1 2/2/1 3/3/1 4/1/1
g right
usemtl ash
s 1
f 2//1 5//1 \\
6//1
f -5 -1 -4
"""


def written(folder: Path, text: str, place: str = "out") -> tuple[Segmentation, str, Path]:
    folder.mkdir(exist_ok=True)
    source = folder / "in.obj"
    source.write_text(text)
    (folder / "wood.mtl").write_text("newmtl oak\nnewmtl ash\n")
    answer = ready(File(source, [], []))
    object.__setattr__(answer, "source", source)
    (folder / place).mkdir(exist_ok=True)
    path = folder / place / "parts.obj"
    answer.save(path)
    return answer, path.read_text(), path


def test_everything_is_kept_and_parts_are_groups(tmp_path: Path) -> None:
    _, text, path = written(tmp_path, SQUARES)
    for line in ("o desk", "vt 1 1", "vn 0 0 1", "usemtl oak", "usemtl ash", "s 1", "f 1/1/1 2/2/1 3/3/1 4/1/1"):
        assert line in text.splitlines()
    assert "mtllib ../wood.mtl" in text
    assert not path.with_suffix(".mtl").exists()
    before, after = read_polygons(tmp_path / "in.obj"), read_polygons(path)
    assert np.array_equal(before.vertices, after.vertices)
    assert np.array_equal(before.corners, after.corners)
    assert np.array_equal(before.sizes, after.sizes)
    groups = [line.split()[1:] for line in text.splitlines() if line.startswith("g ")]
    assert groups[0][1:] == ["left", "side"]
    assert all(group[1:] == ["right"] for group in groups[1:])


def test_each_face_is_in_the_group_of_its_instance(tmp_path: Path) -> None:
    answer, text, _ = written(tmp_path, SQUARES)
    names, now, found = [instance.name.replace(" ", "_") for instance in answer.instances], "", []
    for line in text.splitlines():
        now = line.split()[1] if line.startswith("g ") else now
        found += [now] if line.startswith("f ") else []
    assert found == [names[index] if index >= 0 else "unlabelled" for index in answer.face_instances]


def test_without_materials_faces_get_those_of_their_parts(tmp_path: Path) -> None:
    text = re.sub("(usemtl|mtllib).*\n", "", SQUARES)
    _, out, path = written(tmp_path, text)
    assert "mtllib parts.mtl" in out
    assert path.with_suffix(".mtl").is_file()
    assert "vt 1 1" in out
    assert out.count("usemtl") == out.count("\ng ")


@pytest.mark.parametrize(
    "text", ["v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nf 1/1 2/1 3/1\nf 1 2\n", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"]
)
def test_a_file_with_no_more_or_with_no_surface_is_written_anew(tmp_path: Path, text: str) -> None:
    _, out, _ = written(tmp_path, text)
    assert "vt" not in out
    assert "mtllib parts.mtl" in out


def test_the_same_folder_needs_no_path(tmp_path: Path) -> None:
    _, text, _ = written(tmp_path, SQUARES, ".")
    assert "mtllib wood.mtl" in text


def test_segment_keeps_it_too(tmp_path: Path) -> None:
    body = mt.make_figure("hand", 3, "held-out", defects=False)[0]
    lines = [f"v {x} {y} {z}" for x, y, z in body.vertices.tolist()] + ["vt 0.5 0.5"]
    lines += [f"f {a}/1 {b}/1 {c}/1" for a, b, c in (body.faces + 1).tolist()]
    (tmp_path / "hand.obj").write_text("\n".join(lines))
    mt.segment(tmp_path / "hand.obj").save(tmp_path / "parts.obj")
    text = (tmp_path / "parts.obj").read_text()
    assert text.count("vt 0.5 0.5") == 1
    assert "g palm" in text
