"""Whatever stands around them in a PLY file, its points, polygons and labels are read as they were written."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from plain_ply import CODES, Plain, read_plain, written
from shapes import sphere

from meshtide.errors import InputError
from meshtide.labels.files import parse_labels
from meshtide.mesh.files import read_polygons, save_mesh
from meshtide.mesh.mesh import Mesh

STYLES = ("ascii", "binary_little_endian", "binary_big_endian")
WHOLE = [kind for kind in CODES if kind not in ("float", "double")]


def values_of(kind: str) -> Any:
    """Every number that a type of PLY can hold; a float of 32 bits is one that text can name as well."""
    if kind in ("float", "double"):
        width = 32 if kind == "float" else 64
        return some.floats(width=width, allow_nan=False, allow_infinity=False)
    bits = {"b": 8, "h": 16, "i": 32}[CODES[kind].lower()]
    low = 0 if CODES[kind].isupper() else -(2 ** (bits - 1))
    return some.integers(low, low + 2**bits - 1)


@some.composite
def extras(draw: Any, prefix: str) -> list[tuple[tuple[str, ...], Any]]:
    """Properties that no mesh needs, single ones and lists of every type, each with what draws its values."""
    found: list[tuple[tuple[str, ...], Any]] = []
    for number in range(draw(some.integers(0, 2))):
        kind, name = draw(some.sampled_from(sorted(CODES))), f"{prefix}{number}"
        if draw(some.booleans()):
            found.append(((draw(some.sampled_from(WHOLE)), kind, name), some.lists(values_of(kind), max_size=4)))
        else:
            found.append(((kind, name), values_of(kind)))
    return found


@some.composite
def plain_files(draw: Any) -> Plain:
    """Points, polygons of several sizes and labels, in any order among other elements and properties."""
    coordinate, count_kind = draw(some.sampled_from(["float", "double"])), draw(some.sampled_from(WHOLE))
    corner, list_name = draw(some.sampled_from(WHOLE)), draw(some.sampled_from(["vertex_indices", "vertex_index"]))
    even = draw(some.one_of(some.none(), some.integers(0, 6)))
    sizes = some.integers(0, 6) if even is None else some.just(even)
    corners = sizes.flatmap(lambda size: some.lists(some.integers(0, 19), min_size=size, max_size=size))
    wanted = {
        "vertex": [((coordinate, axis), values_of(coordinate)) for axis in "xyz"],
        "face": [((count_kind, corner, list_name), corners), (("short", "label"), some.integers(-1, 300))],
        "tristrips": [],
    }
    plain = Plain(comments=["end_header is not here"])
    for name in draw(some.permutations(list(wanted))):
        columns = draw(some.permutations([*wanted[name], *draw(extras("extra"))]))
        if columns:
            plain.properties[name] = [each for each, _ in columns]
            plain.rows[name] = draw(some.lists(some.tuples(*(values for _, values in columns)), max_size=8))
    return plain


@settings(max_examples=150, deadline=None)
@given(plain_files(), some.sampled_from(STYLES), some.sampled_from(["\n", "\r\n", "\r"]))
def test_points_polygons_and_labels_are_found_among_anything(plain: Plain, style: str, newline: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.ply"
        path.write_bytes(written(plain, style, newline))
        polygons = read_polygons(path)
        face = plain["face"]
        corners = face["vertex_indices"] if "vertex_indices" in face else face["vertex_index"]
        points = [list(point) for point in zip(*(plain["vertex"][axis] for axis in "xyz"), strict=True)]
        assert polygons.vertices.tolist() == points
        assert polygons.sizes.tolist() == [len(each) for each in corners]
        assert polygons.corners.tolist() == [corner for each in corners for corner in each]
        if face["label"]:
            assert parse_labels(path, None).values.tolist() == face["label"]  # type: ignore[union-attr]


@settings(max_examples=80, deadline=None)
@given(plain_files(), some.sampled_from(STYLES), some.data())
def test_damage_is_a_sentence(plain: Plain, style: str, data: Any) -> None:
    whole = bytearray(written(plain, style))
    for _ in range(data.draw(some.integers(0, 4))):
        whole[data.draw(some.integers(0, len(whole) - 1))] = data.draw(some.integers(0, 255))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.ply"
        path.write_bytes(whole[: data.draw(some.integers(0, len(whole)))])
        for read in (read_polygons, lambda path: parse_labels(path, None)):
            try:
                read(path)
            except InputError as error:
                assert str(error).startswith(f"{path}: ")
                assert str(error).isprintable()


@settings(max_examples=50, deadline=None)
@given(some.integers(0, 2**32 - 1), some.sampled_from([np.float32, np.float64]))
def test_a_written_mesh_is_what_others_read(seed: int, kind: type) -> None:
    random = np.random.default_rng(seed)
    points = random.normal(size=(random.integers(3, 30), 3)).astype(kind)
    faces = np.stack([random.choice(len(points), 3, replace=False) for _ in range(random.integers(1, 40))])
    with tempfile.TemporaryDirectory() as folder:
        save_mesh(Mesh(points, faces), Path(folder) / "x.ply")
        read = read_plain(Path(folder) / "x.ply")
        back = read_polygons(Path(folder) / "x.ply")
    np.testing.assert_array_equal(np.stack([read["vertex"][axis] for axis in "xyz"], axis=1), points)
    assert read["face"]["vertex_indices"] == faces.tolist()
    assert read.properties["vertex"][0][0] == ("float" if kind is np.float32 else "double")
    np.testing.assert_array_equal(back.vertices, points)
    np.testing.assert_array_equal(back.corners, faces.ravel())


MESH = "element vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
FACE = "element face 1\nproperty list uchar int vertex_indices\n"
ROWS = np.array([0, 0, 0, 1, 0, 0, 0, 1, 0], "<f4").tobytes() + b"\3" + np.arange(3, dtype="<i4").tobytes()


def binary(header: str, rows: bytes = ROWS) -> bytes:
    return f"ply\nformat binary_little_endian 1.0\n{header}end_header\n".encode() + rows


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (binary(MESH.replace("3", "²") + FACE), "claims '²' elements 'vertex'"),
        (binary(MESH.replace("3", "9" * 5000) + FACE), "claims '9999"),
        (binary(MESH.replace("3", "-3") + FACE), "claims '-3'"),
        (binary(MESH.replace("vertex 3", "ver\x1b]0;X\x07 99999") + FACE), r"elements 'ver\\x1b]0;X\\x07'"),
        (binary(MESH + MESH + FACE), "two elements 'vertex'"),
        (binary(MESH.replace("float y", "float x") + FACE), "two properties 'x'"),
        (binary(MESH.replace("float y", "list uchar float y") + FACE), "lists for coordinates"),
        (binary(MESH.replace("float y", "half y") + FACE), "'property half y'"),
        (binary(MESH.replace("float y", "float") + FACE), "'property float'"),
        (binary(MESH + FACE.replace("uchar", "float")), "'property list float int vertex_indices'"),
        (binary(MESH + FACE.replace("list uchar int", "int")), "one number where a list belongs"),
        (binary(MESH + "element face 1\nproperty int vertex_indices\nproperty list uchar int vertex_index\n"),
         "one number where a list belongs"),
        (binary(MESH + FACE.replace("vertex_indices", "corners")), r"no vertex_indices \(found: 'corners'\)"),
        (binary("property float x\n" + MESH + FACE), "header line 'property float x'"),
        (binary(MESH + "elemnt face 1\n"), "header line 'elemnt face 1'"),
        (binary(MESH + FACE).replace(b"binary_little_endian", b"binary_middle_endian"), "binary_middle_endian"),
        (binary(MESH + FACE).replace(b"format binary_little_endian 1.0\n", b""), "names no format"),
        (binary(MESH + FACE).replace(b"element face", b"format ascii 1.0\nelement face"), "'format ascii 1.0'"),
        (binary(MESH + FACE, ROWS[:-1]), "fewer than the 1 'face' rows"),
        (binary(MESH + FACE, ROWS[:30]), "fewer than the 3 'vertex' rows"),
        (binary(MESH + FACE.replace("uchar", "char"), ROWS[:36] + b"\xff" + ROWS[37:]), "negative length"),
        (binary(MESH + FACE.replace("uchar", "uint"), ROWS[:36] + b"\xff" * 16), "fewer than the 1 'face' rows"),
        (binary(MESH + FACE.replace("int", "float"), ROWS[:37] + np.array([0, 1, 1.5], "<f4").tobytes()), "not whole"),
        (binary(MESH + FACE.replace("int", "float"), ROWS[:37] + np.array([0, 1, np.nan], "<f4").tobytes()),
         "not whole"),
        (b"ply\n" + b"comment " * 3_000_000, "no PLY header"),
        (b"plywood\nformat ascii 1.0\nend_header\n", "no PLY header"),
    ],
)  # fmt: skip
def test_hostile_files_get_a_sentence(tmp_path: Path, content: bytes, says: str) -> None:
    path = tmp_path / "x.ply"
    path.write_bytes(content)
    with pytest.raises(InputError, match=says) as caught:
        read_polygons(path)
    assert len(str(caught.value)) < len(str(path)) + 200


def test_a_claim_takes_no_memory(tmp_path: Path) -> None:
    """Lists that claim four thousand million values are refused before anything is allocated for them."""
    lists = "".join(f"property list uint double extra{i}\n" for i in range(1000))
    rows = binary(MESH + FACE + "element strips 20\n" + lists, ROWS + b"\xff" * 4000)
    (tmp_path / "rows.ply").write_bytes(rows)
    (tmp_path / "one.ply").write_bytes(binary(MESH + FACE.replace("uchar", "uint"), ROWS[:36] + b"\xff" * 4000))
    script = (
        "import resource, sys, pathlib\n"
        "from meshtide.mesh.files import read_polygons\n"
        f"resource.setrlimit(resource.RLIMIT_AS, ({2**31}, {2**31}))\n"
        "for name in sys.argv[1:]:\n"
        "    try: read_polygons(name)\n"
        "    except Exception as error: print(type(error).__name__, error)\n"
    )
    files = [str(tmp_path / "rows.ply"), str(tmp_path / "one.ply")]
    done = subprocess.run([sys.executable, "-c", script, *files], capture_output=True, text=True, check=True)
    first, second = done.stdout.splitlines()
    assert "InputError" in first
    assert "fewer than the 20 'strips' rows" in first
    assert "InputError" in second
    assert "fewer than the 1 'face' rows" in second


NAMES = {
    "i1": ("char", "int8"), "u1": ("uchar", "uint8"), "i2": ("short", "int16"), "u2": ("ushort", "uint16"),
    "i4": ("int", "int32"), "u4": ("uint", "uint32"), "f4": ("float", "float32"), "f8": ("double", "float64"),
}  # fmt: skip


@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind, names in NAMES.items() for name in names])
@pytest.mark.parametrize("order", "<>")
def test_every_type_has_its_range_under_both_names(tmp_path: Path, kind: str, name: str, order: str) -> None:
    bounds = np.finfo(kind) if kind[0] == "f" else np.iinfo(kind)
    rows = np.array([[bounds.min, 1, bounds.max]] * 3, order + kind)
    style = "binary_little_endian" if order == "<" else "binary_big_endian"
    header = f"ply\nformat {style} 1.0\n{MESH.replace('float', name)}element mark 7\nend_header\n"
    (tmp_path / "x.ply").write_bytes(header.encode() + rows.tobytes())
    np.testing.assert_array_equal(read_polygons(tmp_path / "x.ply").vertices, rows.astype(float))


def test_rows_behind_old_line_ends_may_begin_with_a_newline(tmp_path: Path) -> None:
    header = binary(MESH.replace("float", "uchar"), b"").replace(b"\n", b"\r")
    (tmp_path / "x.ply").write_bytes(header + b"\n23456789")
    assert read_polygons(tmp_path / "x.ply").vertices.ravel().tolist() == [10, *range(50, 58)]


@pytest.mark.parametrize("row", ["-1 0 1 2", "4 0 1 2", "3 0 1.5 2", "3 0 one 2", "²", "9" * 5000])
def test_damaged_lines_get_a_sentence(tmp_path: Path, row: str) -> None:
    points = "0 0 0\n1 0 0\n0 1 0\n"
    (tmp_path / "x.ply").write_text(f"ply\nformat ascii 1.0\n{MESH}{FACE}end_header\n{points}{row}\n", "utf-8")
    with pytest.raises(InputError, match="damaged"):
        read_polygons(tmp_path / "x.ply")


def test_headers_may_be_long(tmp_path: Path) -> None:
    """A file with thousands of named parts has a comment for each of them."""
    mesh = sphere(1)
    save_mesh(mesh, tmp_path / "x.ply")
    data = (tmp_path / "x.ply").read_bytes()
    (tmp_path / "x.ply").write_bytes(data.replace(b"element", b"comment a part\n" * 200_000 + b"element", 1))
    np.testing.assert_array_equal(read_polygons(tmp_path / "x.ply").vertices, mesh.vertices)
