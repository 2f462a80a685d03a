"""Random labels in every format: what was written is read, on the element that it was written for."""

from __future__ import annotations

import json
import tempfile
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some
from plain_ply import Plain, written
from random_files import Drawn, polygon_meshes

from meshtide.errors import InputError
from meshtide.labels.files import read_labels, write_labels
from meshtide.labels.labels import Labels
from meshtide.mesh.files import load_mesh
from meshtide.mesh.mesh import Mesh

NAMES = some.text(some.characters(codec="utf-8", exclude_categories=("C", "Zl", "Zp")), min_size=1, max_size=12)
SAFE = NAMES.map(str.strip).filter(lambda name: bool(name) and name.isprintable())


@some.composite
def labelled(draw: Any) -> tuple[Drawn, list[str], list[int], list[int]]:
    """Polygons that are a surface, part names, and a part or -1 for each polygon and for each point."""
    drawn: Drawn = draw(polygon_meshes(some.integers(-9, 9).map(float)).filter(is_surface))
    names = draw(some.lists(SAFE, min_size=1, max_size=5, unique=True))
    part = some.integers(-1, len(names) - 1)
    counts = len(drawn.polygons), len(drawn.points)
    return drawn, names, *(draw(some.lists(part, min_size=count, max_size=count)) for count in counts)


def is_surface(drawn: Drawn) -> bool:
    points = np.array(drawn.points)
    a, b, c = (points[[polygon[at] for polygon in drawn.polygons]] for at in range(3))
    return bool(np.linalg.norm(np.cross(b - a, c - a), axis=1).sum() > 0)


def loaded(drawn: Drawn, folder: Path) -> Mesh:
    """The polygons as a mesh of triangles that knows its file."""
    lines = ["OFF", f"{len(drawn.points)} {len(drawn.polygons)} 0", *(" ".join(map(repr, p)) for p in drawn.points)]
    lines += [f"{len(polygon)} {' '.join(map(str, polygon))}" for polygon in drawn.polygons]
    (folder / "mesh.off").write_text("\n".join(lines))
    return load_mesh(folder / "mesh.off")


@pytest.mark.parametrize("name", ["x.txt", "x.npz", "x.json", "x_labels.txt", "x.seg", "x.npy"])
@pytest.mark.parametrize("on", ["faces", "vertices"])
@given(case=labelled())
def test_what_is_written_reads_back(name: str, on: Any, case: tuple[Drawn, list[str], list[int], list[int]]) -> None:
    drawn, names, of_polygons, of_points = case
    if on == "vertices" and name in ("x_labels.txt", "x.seg"):
        return  # formats of faces
    with tempfile.TemporaryDirectory() as folder:
        mesh = loaded(drawn, Path(folder))
        values = np.array(of_polygons)[mesh.origin.face_of] if on == "faces" else np.array(of_points)
        labels, path = Labels(values, on, tuple(names)), Path(folder) / name
        try:
            write_labels(labels, path, mesh)
        except InputError as error:
            assert "would be read back as something else" in str(error)
            assert name == "x_labels.txt"
            return
        named = name not in ("x.seg", "x.npy")
        try:
            back = read_labels(path, mesh, on=on, base=None if named else 0)
        except InputError as error:  # nothing is labelled: a list of numbers without one, and no part
            assert max(values) < 0
            assert "nothing" in str(error) or "empty" in str(error)
            return
        assert back.on == on
        np.testing.assert_array_equal(back.values, values)
        if named:
            assert back.names == tuple(names)
        else:
            assert back.names == tuple(f"part {number}" for number in range(max(values) + 1)) or max(values) < 0


@given(labelled(), some.sampled_from(["ascii", "binary_little_endian", "binary_big_endian"]), some.booleans())
def test_labels_in_a_ply(case: tuple[Drawn, list[str], list[int], list[int]], style: str, on_faces: bool) -> None:
    drawn, _, of_polygons, of_points = case
    faces: list[tuple[str, ...]] = [("uchar", "int", "vertex_indices")]
    points: list[tuple[str, ...]] = [("double", axis) for axis in "xyz"]
    face_rows: list[tuple[Any, ...]] = [(polygon,) for polygon in drawn.polygons]
    point_rows: list[tuple[Any, ...]] = [tuple(point) for point in drawn.points]
    if on_faces:
        faces, face_rows = [("int", "part"), *faces], [(p, *row) for p, row in zip(of_polygons, face_rows, strict=True)]
    else:
        points = [*points, ("short", "label")]
        point_rows = [(*row, part) for row, part in zip(point_rows, of_points, strict=True)]
    plain = Plain({"vertex": points, "face": faces}, {"vertex": point_rows, "face": face_rows})
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.ply"
        path.write_bytes(written(plain, style))
        mesh = load_mesh(path)
        back = read_labels(path, mesh, base=0)
    assert back.on == ("faces" if on_faces else "vertices")
    wanted = np.array(of_polygons)[mesh.origin.face_of] if on_faces else of_points
    np.testing.assert_array_equal(back.values, wanted)


@given(polygon_meshes(some.integers(-9, 9).map(float)).filter(is_surface))
def test_groups_of_an_obj(drawn: Drawn) -> None:
    lines = [f"v {' '.join(map(repr, point))}" for point in drawn.points]
    for polygon, group in zip(drawn.polygons, drawn.groups, strict=True):
        lines += [f"g {group}", "f " + " ".join(str(corner + 1) for corner in polygon)]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.obj"
        path.write_text("\n".join(lines), encoding="utf-8")
        mesh = load_mesh(path)
        if len(set(drawn.groups)) < 2:
            with pytest.raises(InputError, match="no groups"):
                read_labels(path, mesh)
            return
        back = read_labels(path, mesh)
    assert [back.names[value] for value in back.values] == [drawn.groups[face] for face in mesh.origin.face_of]


@given(polygon_meshes(some.integers(-9, 9).map(float), most_corners=3).filter(is_surface), some.data())
def test_labels_of_edges(drawn: Drawn, data: Any) -> None:
    """Each face has the part with the greatest length among its sides, edges in the order of the faces."""
    turns: dict[frozenset[int], int] = {}
    for a, b, c in drawn.polygons:
        for side in ((a, b), (b, c), (c, a)):
            turns.setdefault(frozenset(side), len(turns))
    parts = data.draw(some.lists(some.integers(0, 3), min_size=len(turns), max_size=len(turns)))
    with tempfile.TemporaryDirectory() as folder:
        mesh = loaded(drawn, Path(folder))
        path = Path(folder) / "x.eseg"
        path.write_text("\n".join(map(str, parts)))
        back = read_labels(path, mesh, base=0)
    for (a, b, c), found in zip(drawn.polygons, back.values.tolist(), strict=True):
        lengths: dict[int, float] = defaultdict(float)
        for side in ((a, b), (b, c), (c, a)):
            one, other = (np.array(drawn.points[corner]) for corner in side)
            lengths[parts[turns[frozenset(side)]]] += float(np.linalg.norm(one - other))
        longest = max(lengths.values())
        assert lengths[found] >= longest * (1 - 1e-8)
        assert found == min(part for part, length in lengths.items() if length >= longest * (1 - 1e-8))


@pytest.mark.parametrize("write", [
    lambda values: "\n".join(map(str, values)).encode(),
    lambda values: "\r\n".join(f" {value} " for value in values).encode() + b"\r\n\r\n",
    lambda values: ("# made elsewhere\n" + "\n".join(f"{value}.0" for value in values)).encode(),
    lambda values: json.dumps(values).encode(),
    lambda values: json.dumps({"labels": values, "on": "faces"}).encode(),
])  # fmt: skip
@given(case=labelled(), shift=some.sampled_from([0, 1]))
def test_numbers_of_other_programs(
    write: Callable[[list[int]], bytes], case: tuple[Drawn, list[str], list[int], list[int]], shift: int
) -> None:
    drawn, names, of_polygons, _ = case
    content = write([value + shift if value >= 0 else -1 for value in of_polygons])
    with tempfile.TemporaryDirectory() as folder:
        mesh = loaded(drawn, Path(folder))
        path = Path(folder) / ("x.json" if content[:1] in b"[{" else "x.txt")
        path.write_bytes(content)
        back = read_labels(path, mesh, on="faces", base=shift, names=names)
    np.testing.assert_array_equal(back.values, np.array(of_polygons)[mesh.origin.face_of])
