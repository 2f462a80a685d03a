"""People's divisions: found beside meshes and in Princeton's folders, and laid on the mesh face by face."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from shapes import box, figure

from meshtide.data.divisions import find_divided_meshes, read_division
from meshtide.errors import InputError
from meshtide.mesh.files import load_mesh, save_mesh


def write(path: Path, numbers: list[int]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{number}\n" for number in numbers))


@pytest.mark.parametrize("place", ["off", "seg", "off/seg", "elsewhere"])
def test_divisions_are_found_where_people_keep_them(tmp_path: Path, place: str) -> None:
    mesh = box()
    for name in ("2", "10", "1[x]"):
        (tmp_path / "off").mkdir(exist_ok=True)
        save_mesh(mesh, tmp_path / "off" / f"{name}.off")
    faces = len(mesh.faces)
    for person in range(3):
        write(tmp_path / place / "10" / f"10_{person}.seg", [person] * faces)
    write(tmp_path / place / "2.seg", [7] * faces)
    write(tmp_path / place / "1[x]_0.seg", [0] * faces)
    named = tmp_path / place if place == "elsewhere" else None
    found = find_divided_meshes(tmp_path / "off", named)
    assert {each.mesh_path.name: len(each.seg_paths) for each in found} == {"1[x].off": 1, "2.off": 1, "10.off": 3}
    assert [each.mesh_path.stem for each in found][1:] == ["2", "10"]


def test_a_division_is_about_the_faces_of_the_file(tmp_path: Path) -> None:
    # A quad and a triangle: the quad's two triangles share its region.
    (tmp_path / "m.off").write_text("OFF\n5 2 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n2 0 1\n4 0 1 2 3\n3 1 4 2\n")
    write(tmp_path / "m.seg", [4, 9])
    mesh = load_mesh(tmp_path / "m.off")
    assert sorted(read_division(tmp_path / "m.seg", mesh).tolist()) == [4, 4, 9]


def test_what_does_not_fit_is_said(tmp_path: Path) -> None:
    mesh, _ = figure(1)
    save_mesh(mesh, tmp_path / "a.off")
    with pytest.raises(InputError, match=r"none of its 1 meshes has a \.seg file"):
        find_divided_meshes(tmp_path)
    with pytest.raises(InputError, match="is no folder of meshes"):
        find_divided_meshes(tmp_path / "none")
    with pytest.raises(InputError, match=r"is no folder of \.seg files"):
        find_divided_meshes(tmp_path, tmp_path / "none")
    write(tmp_path / "a.seg", [1, 2, 3])
    with pytest.raises(InputError, match="3 region numbers for the"):
        read_division(tmp_path / "a.seg", load_mesh(tmp_path / "a.off"))
    assert np.array_equal(find_divided_meshes(tmp_path)[0].seg_paths, (tmp_path / "a.seg",))
