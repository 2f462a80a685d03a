"""Label files: every format on files written here, on real ones where they are, and on broken ones."""

from __future__ import annotations

import io
import json
import os
import tracemalloc
import zipfile
from pathlib import Path

import numpy as np
import pytest
from shapes import box, sphere

from meshtide.errors import InputError
from meshtide.labels.files import detect_part_base, parse_labels, read_labels, write_labels
from meshtide.labels.files.edges import meshcnn_edges
from meshtide.labels.labels import Labels
from meshtide.mesh.files import load_mesh, save_mesh
from meshtide.mesh.mesh import Mesh

DATA = Path(os.environ.get("MESHTIDE_DATA", "/nowhere"))
needs_faust = pytest.mark.skipif(not (DATA / "faust").is_dir(), reason="MESHTIDE_DATA has no faust")
needs_shrec = pytest.mark.skipif(not (DATA / "shrec07" / "FourLeg").is_dir(), reason="MESHTIDE_DATA has no shrec07")

BOX = box()  # 8 vertices, 12 faces
ON_FACES = [0, 0, 0, 1, 1, 1, 2, 2, 2, 2, 2, -1]
QUADS = "".join(f"v {x} {y} {z}\n" for x, y, z in BOX.vertices) + "f 1 2 3 4\nf 5 6 7 8\nf 1 2 6 5\n"


def put(folder: Path, name: str, contents: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(contents if isinstance(contents, bytes) else contents.encode())
    return path


def lines(values: object) -> str:
    return "\n".join(str(value) for value in values) + "\n"  # type: ignore[attr-defined]


def npy(array: np.ndarray, **options: bool) -> bytes:
    stream = io.BytesIO()
    np.save(stream, array, **options)
    return stream.getvalue()


def npz(**arrays: object) -> bytes:
    stream = io.BytesIO()
    np.savez_compressed(stream, **arrays)  # type: ignore[arg-type]
    return stream.getvalue()


def named(labels: Labels) -> list[str | None]:
    return [None if value < 0 else labels.names[value] for value in labels.values]


# --- one label an element


@pytest.mark.parametrize("name", ["x.txt", "x.seg", "x.TXT"])
def test_numbers_a_line(tmp_path: Path, name: str) -> None:
    path = put(tmp_path, name, "\ufeff# made by hand\r\n\r\n" + lines(ON_FACES).replace("\n", "\r\n"))
    labels = read_labels(path, BOX)
    assert labels.on == "faces"
    assert labels.values.tolist() == ON_FACES
    assert labels.names == ("part 0", "part 1", "part 2")
    assert labels.notes == ("part numbers count from 0",)


def test_whole_floats_are_numbers(tmp_path: Path) -> None:
    path = put(tmp_path, "x.txt", lines(["1.0", "2.000e+00", *[1] * 6]))
    assert read_labels(path, BOX).values.tolist() == [0, 1, 0, 0, 0, 0, 0, 0]
    assert read_labels(path, BOX).on == "vertices"


def test_names_a_line(tmp_path: Path) -> None:
    path = put(tmp_path, "x.txt", lines(["-1", *["left arm"] * 3, *["head"] * 4]))
    labels = read_labels(path, BOX)
    assert named(labels) == [None, *["left arm"] * 3, *["head"] * 4]
    assert read_labels(path, BOX, names=("head", "tail", "left arm")).values.tolist() == [-1, 2, 2, 2, 0, 0, 0, 0]
    with pytest.raises(InputError, match="'left arm'"):
        read_labels(path, BOX, names=("head",))


def test_a_number_has_one_name_wherever_the_counting_starts(tmp_path: Path) -> None:
    path = put(tmp_path, "x.txt", lines([1, 2] * 6))
    alone, told = read_labels(path, BOX), read_labels(path, BOX, base=0)
    assert alone.notes == ("part numbers count from 1 (no 0 among them)",)
    assert alone.values.tolist() == [0, 1] * 6
    assert told.values.tolist() == [1, 2] * 6
    assert named(alone) == named(told) == ["part 1", "part 2"] * 6


def test_the_base_is_that_of_all_files_together() -> None:
    assert detect_part_base([np.array([1, 2]), np.array([0, 1])])[0] == 0
    assert detect_part_base([np.array([1, 2]), np.array([-1, 3])])[0] == 1
    assert detect_part_base([np.array([-1])])[0] == 0


def test_given_names_are_for_the_numbers(tmp_path: Path) -> None:
    path = put(tmp_path, "x.seg", lines([1, 2, 3] * 4))
    assert named(read_labels(path, BOX, names=("a", "b", "c"))) == ["a", "b", "c"] * 4
    four = read_labels(path, BOX, names=("a", "b", "c", "d"))
    assert named(four) == ["b", "c", "d"] * 4
    assert "assumed to count from 0" in four.notes[0]
    with pytest.raises(InputError, match="only 2 names"):
        read_labels(path, BOX, names=("a", "b"))
    with pytest.raises(InputError, match="base is 2"):
        read_labels(path, BOX, base=2)


def test_far_apart_numbers_allocate_nothing(tmp_path: Path) -> None:
    labels = read_labels(put(tmp_path, "x.seg", lines([0, 999_999] * 6)), BOX)
    assert labels.names == ("part 0", "part 999999")
    assert labels.values.tolist() == [0, 1] * 6


def test_as_many_vertices_as_faces_is_said(tmp_path: Path) -> None:
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], dtype=float)
    tetrahedron = Mesh(corners, np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]))
    path = put(tmp_path, "x.txt", lines([0, 1, 1, 0]))
    labels = read_labels(path, tetrahedron)
    assert labels.on == "faces"
    assert any("assumed to be on faces" in note for note in labels.notes)
    assert read_labels(path, tetrahedron, on="vertices").on == "vertices"
    seg = put(tmp_path, "x.seg", lines([0, 1, 1, 0]))
    assert read_labels(seg, tetrahedron).notes == ("part numbers count from 0",)


@pytest.mark.parametrize("shape", [(12,), (12, 1)])
@pytest.mark.parametrize("kind", [np.int8, np.uint64, np.float32, ">i4"])
def test_npy(tmp_path: Path, shape: tuple[int, ...], kind: object) -> None:
    path = put(tmp_path, "x.npy", npy(np.arange(12).reshape(shape).astype(kind)))  # type: ignore[call-overload]
    assert read_labels(path, BOX).values.tolist() == list(range(12))


def test_npz_prefers_the_known_keys_then_what_fits(tmp_path: Path) -> None:
    ones, twos = np.arange(12) % 2, np.arange(12) % 3
    known = put(tmp_path, "a.npz", npz(other=twos, labels=ones, names=np.array(["x", "y"])))
    assert named(read_labels(known, BOX)) == ["x", "y"] * 6
    fitting = put(tmp_path, "b.npz", npz(other=twos, faces=np.zeros((12, 3), int), more=np.arange(99)))
    assert read_labels(fitting, BOX).values.tolist() == twos.tolist()
    with pytest.raises(InputError, match=r"several arrays could be the labels .*'one' .*'two'"):
        read_labels(put(tmp_path, "c.npz", npz(one=ones, two=twos)), BOX)
    with pytest.raises(InputError, match="no array could be the labels"):
        read_labels(put(tmp_path, "d.npz", npz(one=ones[:5])), BOX)


def test_json_labels(tmp_path: Path) -> None:
    flat = put(tmp_path, "a.json", json.dumps(["x", None, "y", "y", "x", "x", "x", "x"]))
    assert named(read_labels(flat, BOX)) == ["x", None, "y", "y", "x", "x", "x", "x"]
    said = put(tmp_path, "b.json", json.dumps({"labels": [0, 1.0, None, 1] * 3, "names": ["p", "q"], "on": "faces"}))
    assert named(read_labels(said, BOX)) == ["p", "q", None, "q"] * 3
    with pytest.raises(InputError, match="its labels are on faces"):
        read_labels(said, BOX, on="vertices")


# --- lists of elements


def test_json_lists_where_the_alphabetically_first_part_wins(tmp_path: Path) -> None:
    path = put(tmp_path, "x.json", json.dumps({"z": [0, 1, 2, 3], "a": [3, 4, 5, 3], "m": [3, 6, 7, 0]}))
    labels = read_labels(path, BOX)
    assert named(labels) == ["m", "z", "z", "a", "a", "a", "m", "m"]
    assert labels.names == ("z", "a", "m")
    assert "2 vertices stand in more than one part; the alphabetically first part has them" in labels.notes


def test_json_lists_say_or_show_where_they_are(tmp_path: Path) -> None:
    exact = put(tmp_path, "a.json", json.dumps({"a": list(range(1, 13))}))
    labels = read_labels(exact, BOX)
    assert labels.on == "faces"
    assert labels.notes == ("face numbers count from 1 (largest is 12 = number of faces)",)
    few = put(tmp_path, "b.json", json.dumps({"a": [2, 3]}))
    with pytest.raises(InputError, match='add "on"'):
        read_labels(few, BOX)
    labels = read_labels(few, BOX, on="faces")
    assert np.flatnonzero(labels.values == 0).tolist() == [2, 3]
    assert labels.notes[0] == "face numbers are assumed to count from 0"
    assert "10 faces stand in no part" in labels.notes[1]
    said = put(tmp_path, "c.json", json.dumps({"on": "vertices", "a": [1, 2], "b": []}))
    assert named(read_labels(said, BOX, base=1)) == ["a", "a", *[None] * 6]


def test_shrec_lists(tmp_path: Path) -> None:
    path = put(tmp_path, "x_labels.txt", "torso\r\n1 2 3 4\r\nleft leg\r\n5 6 12\r\ntail\r\n\r\nhead \r\n7 8 9 10")
    labels = read_labels(path, BOX)
    assert labels.on == "faces"
    assert labels.counts() == {"torso": 4, "left leg": 3, "tail": 0, "head": 4}
    assert named(labels)[10:] == [None, "left leg"]
    assert labels.notes == (
        "face numbers count from 1 (largest is 12 = number of faces)",
        "1 faces stand in no part and are unlabelled",
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a\n1 2 3\nb\n3 4\n", "number 3 stands twice"),
        ("a\n1 2\nb\n13\n", "number 13"),
        ("a\n1 2\n3 4\n", "line 3 has numbers"),
        ("a\nb\n3 4\n", "line 2 says 'b'"),
        ("a\n1 2\nb", "cut short"),
        ("a\n1 99999999999999999999\nb\n3\n", "line 2"),
    ],
)
def test_broken_shrec_lists(tmp_path: Path, text: str, said: str) -> None:
    path = put(tmp_path, "x_labels.txt", text)
    with pytest.raises(InputError, match=said) as refused:
        read_labels(path, BOX)
    assert str(path) in str(refused.value)


# --- edges, PLY and OBJ


def test_meshcnn_edges_are_numbered_by_first_appearance() -> None:
    faces = np.array([[5, 2, 0], [2, 5, 1]])
    edges, sides = meshcnn_edges(faces)
    assert edges.tolist() == [[2, 5], [0, 2], [0, 5], [1, 5], [1, 2]]
    assert sides.tolist() == [[0, 1, 2], [0, 3, 4]]


def test_edge_labels_become_those_of_the_longest_sides(tmp_path: Path) -> None:
    mesh = Mesh(np.array([[0, 0, 0], [3, 0, 0], [0, 4, 0]], dtype=float), np.array([[0, 1, 2]]))  # sides 3, 5, 4
    assert named(read_labels(put(tmp_path, "x.eseg", "0\n1\n0\n"), mesh)) == ["part 0"]  # 3 + 4 > 5
    labels = read_labels(put(tmp_path, "y.eseg", "0\n1\n-1\n"), mesh, on="faces")
    assert named(labels) == ["part 1"]
    assert "edge labels" in labels.notes[-1]
    with pytest.raises(InputError, match="2 edge labels for the 3 edges"):
        read_labels(put(tmp_path, "z.eseg", "0\n1\n"), mesh)


def ply(vertex_labels: list[int] | None, face_labels: list[int] | None, property_name: str = "label") -> str:
    header = ["ply", "format ascii 1.0", "element vertex 8", *(f"property float {axis}" for axis in "xyz")]
    header += [f"property int {property_name}"] * (vertex_labels is not None) + ["element face 12"]
    header += ["property list uchar int vertex_indices"]
    header += [f"property uchar {property_name}"] * (face_labels is not None)
    rows = [(*point, *([] if vertex_labels is None else [vertex_labels[at]])) for at, point in enumerate(BOX.vertices)]
    rows += [(3, *face, *([] if face_labels is None else [face_labels[at]])) for at, face in enumerate(BOX.faces)]
    return lines([*header, "end_header", *(" ".join(map(str, row)) for row in rows)])


@pytest.mark.parametrize("property_name", ["label", "class_id", "segment"])
def test_ply_properties(tmp_path: Path, property_name: str) -> None:
    on_vertices = put(tmp_path, "v.ply", ply(list(range(8)), None, property_name))
    labels = read_labels(on_vertices, load_mesh(on_vertices))
    assert labels.on == "vertices"
    assert labels.values.tolist() == list(range(8))
    on_faces = put(tmp_path, "f.ply", ply(None, list(range(12)), property_name))
    assert read_labels(on_faces, load_mesh(on_faces)).values.tolist() == list(range(12))


def test_ply_that_has_no_labels_or_two(tmp_path: Path) -> None:
    both = put(tmp_path, "b.ply", ply(list(range(8)), list(range(12))))
    with pytest.raises(InputError, match="choose one"):
        read_labels(both, BOX)
    assert read_labels(both, BOX, on="faces").on == "faces"
    with pytest.raises(InputError, match="has no label on"):
        read_labels(put(tmp_path, "n.ply", ply(None, None)), BOX)
    with pytest.raises(InputError, match="cut short"):
        read_labels(put(tmp_path, "h.ply", ply(list(range(8)), None).replace("vertex 8", "vertex 99999999999")), BOX)
    with pytest.raises(InputError, match="fewer than the 12 'face' rows"):
        read_labels(put(tmp_path, "t.ply", ply(None, list(range(12)))[:-30]), BOX)


def test_obj_groups_are_those_of_the_polygons(tmp_path: Path) -> None:
    text = QUADS.replace("f 1 2 3 4", "g top\nf 1 2 3 4\ng side").replace("f 1 2 6 5", "g top\nf 1 2 6 5")
    path = put(tmp_path, "x.obj", text)
    mesh = load_mesh(path)
    assert len(mesh.faces) == 6
    assert named(read_labels(path, mesh)) == ["top", "top", "side", "side", "top", "top"]
    with pytest.raises(InputError, match="no groups"):
        read_labels(put(tmp_path, "y.obj", "g all\n" + QUADS), mesh)


# --- whose elements


def test_labels_of_polygons_reach_their_triangles(tmp_path: Path) -> None:
    mesh = load_mesh(put(tmp_path, "x.obj", QUADS))
    of_file = read_labels(put(tmp_path, "a.seg", lines([0, 1, 2])), mesh)
    of_mesh = read_labels(put(tmp_path, "b.seg", lines([0, 0, 1, 1, 2, 2])), mesh)
    assert of_file.values.tolist() == of_mesh.values.tolist() == [0, 0, 1, 1, 2, 2]
    listed = read_labels(put(tmp_path, "c_labels.txt", "a\n1 3\nb\n2\n"), mesh)
    assert named(listed) == ["a", "a", "b", "b", "a", "a"]
    triangles = read_labels(put(tmp_path, "d_labels.txt", "a\n1 3 5\nb\n2 4 6\n"), mesh)
    assert named(triangles) == ["a", "b"] * 3
    with pytest.raises(InputError, match=r"5 labels on faces for 8 vertices and 6 faces \(in its file 8 and 3\)"):
        read_labels(put(tmp_path, "e.seg", lines([0] * 5)), mesh)


def test_labels_of_stl_corners_reach_the_welded_vertices(tmp_path: Path) -> None:
    save_mesh(BOX, tmp_path / "x.stl")
    mesh = load_mesh(tmp_path / "x.stl")
    assert len(mesh.vertices) == 8
    corners = read_labels(put(tmp_path, "x.txt", lines(mesh.origin.vertex_of)), mesh)
    assert corners.on == "vertices"
    assert corners.values.tolist() == list(range(8))
    write_labels(corners, tmp_path / "y.npy", mesh)
    assert len(np.load(tmp_path / "y.npy", allow_pickle=False)) == 36


def test_a_length_that_fits_nothing_says_all_counts(tmp_path: Path) -> None:
    path = put(tmp_path, "x.txt", lines([0] * 10))
    with pytest.raises(InputError, match=r"10 labels for 8 vertices and 12 faces .*re-exported") as refused:
        read_labels(path, BOX)
    assert str(refused.value).startswith(f"{path}: ")


# --- broken files


def huge_header(shape: str) -> bytes:
    text = f"{{'descr': '<i8', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode()


def zipped(name: str, data: bytes) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, data)
    return stream.getvalue()


OBJECTS = npy(np.array([{"a": 1}] * 12, dtype=object), allow_pickle=True)
BROKEN: dict[str, bytes] = {
    "empty.txt": b"",
    "blank.txt": b"\n \n",
    "comment.txt": b"# nothing\n",
    "binary.txt": b"0\n1\n\xff\xfe\n",
    "mixed.txt": lines([0, 1, "x", *[0] * 9]).encode(),
    "fraction.txt": lines([0, 0.5, *[0] * 10]).encode(),
    "negative.txt": lines([0, -2, *[0] * 10]).encode(),
    "large.txt": lines([0, 1_000_001, *[0] * 10]).encode(),
    "digits.txt": b"9" * 5000 + b"\n",
    "names.seg": lines(["head"] * 12).encode(),
    "control.txt": lines(["a\x1b[2J"] * 12).encode(),
    "header.txt": b'# meshtide labels {"on": 3}\n' + lines(ON_FACES).encode(),
    "empty.npy": b"",
    "text.npy": b"hello, this is no array at all",
    "pickled.npy": OBJECTS,
    "text_array.npy": npy(np.array(["a"] * 12)),
    "fraction.npy": npy(np.linspace(0, 1, 12)),
    "nan.npy": npy(np.full(12, np.nan)),
    "matrix.npy": npy(np.zeros((12, 3), int)),
    "number.npy": npy(np.array(3)),
    "nothing.npy": npy(np.zeros(0, int)),
    "truncated.npy": npy(np.zeros(12, int))[:-8],
    "huge.npy": huge_header("(1000000000000,)"),
    "minus.npy": huge_header("(-1,)"),
    "odd.npy": huge_header("'x'"),
    "long.npy": huge_header("(12,)" + " " * 12_000),
    "code.npy": huge_header("__import__('os')"),
    "unsigned.npy": npy(np.full(12, 2**63, dtype=np.uint64)),
    "empty.npz": b"",
    "text.npz": b"hello",
    "truncated.npz": npz(labels=np.arange(12))[:-40],
    "pickled.npz": zipped("labels.npy", OBJECTS),
    "huge.npz": zipped("labels.npy", huge_header("(1000000000000,)")),
    "bomb.npz": zipped("labels.npy", huge_header("(5000000,)") + bytes(40_000_000)),
    "short.npz": zipped("labels.npy", huge_header("(12,)")),
    "noarray.npz": zipped("readme.txt", b"hello"),
    "names.npz": npz(labels=np.arange(12), names=np.array(["a"] * 12)),
    "empty.json": b"",
    "cut.json": b'{"a": [1, 2',
    "deep.json": b"[" * 100_000,
    "number.json": b"3",
    "null.json": b"null",
    "nested.json": b"[[0], [1]]",
    "text.json": b'{"a": "b"}',
    "fraction.json": b'{"a": [0.5]}',
    "minus.json": b'{"on": "faces", "a": [-1]}',
    "far.json": b'{"on": "faces", "a": [99999999999999999999999]}',
    "out.json": b'{"on": "faces", "a": [0, 12]}',
    "on.json": b'{"on": "edges", "a": [0, 1]}',
    "mixed.json": json.dumps([0, "a"] * 6).encode(),
    "true.json": json.dumps([True] * 12).encode(),
    "names.json": json.dumps({"labels": [0] * 12, "names": "ab"}).encode(),
    "digits.json": b"[" + b"9" * 5000 + b"]",
    "infinite.json": b"[Infinity]",
    "empty.eseg": b"",
    "empty.ply": b"",
    "empty.obj": b"",
    "x.mat": b"",
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_files_are_input_errors_that_name_the_file(tmp_path: Path, name: str) -> None:
    path = put(tmp_path, name, BROKEN[name])
    with pytest.raises(InputError) as refused:
        read_labels(path, BOX)
    assert str(refused.value).startswith(f"{path}: ")
    assert "\n" not in str(refused.value)
    assert "\x1b" not in str(refused.value)


def test_a_header_without_end_is_not_unpacked(tmp_path: Path) -> None:
    """A header that claims 4 GB of blanks, of which the file, a thousandth as long, has a good part."""
    bomb = b"\x93NUMPY\x02\x00\xff\xff\xff\xff" + b" " * 100_000_000
    path = put(tmp_path, "x.npz", zipped("labels.npy", bomb))
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match="cannot be read as"):
            read_labels(path, BOX)
        assert tracemalloc.get_traced_memory()[1] < 5_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("claim", ["(1000000000000,)", "(19000000,)"])
def test_an_array_that_is_not_there_takes_no_memory(tmp_path: Path, claim: str) -> None:
    for path in (put(tmp_path, "x.npz", zipped("labels.npy", huge_header(claim))),
                 put(tmp_path, "x.npy", huge_header(claim))):  # fmt: skip
        tracemalloc.start()
        try:
            with pytest.raises(InputError, match=r"more than the mesh has|cannot be read as"):
                parse_labels(path, None)
            assert tracemalloc.get_traced_memory()[1] < 5_000_000
        finally:
            tracemalloc.stop()


@pytest.mark.parametrize("suffix", ["txt", "seg", "npy", "npz", "json", "eseg", "ply", "obj"])
def test_missing_files_and_folders(tmp_path: Path, suffix: str) -> None:
    (tmp_path / f"folder.{suffix}").mkdir()
    for name in (f"missing.{suffix}", f"folder.{suffix}"):
        with pytest.raises(InputError, match=name):
            read_labels(tmp_path / name, BOX)


def test_lines_are_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="line 3 says 'x'"):
        read_labels(put(tmp_path, "a.txt", BROKEN["mixed.txt"]), BOX)
    with pytest.raises(InputError, match="line 3 is not UTF-8"):
        read_labels(put(tmp_path, "b.txt", BROKEN["binary.txt"]), BOX)


def test_too_many_parts_are_refused(tmp_path: Path) -> None:
    mesh = sphere(5)  # 10,242 vertices
    with pytest.raises(InputError, match="10,242 different parts"):
        read_labels(put(tmp_path, "x.npy", npy(np.arange(len(mesh.vertices)))), mesh)


# --- real files


@needs_faust
def test_the_smpl_lists_are_the_published_partition() -> None:
    mesh = load_mesh(DATA / "faust" / "tr_reg_000.ply")
    lists = read_labels(DATA / "faust" / "smpl_vert_segmentation.json", mesh)
    assert lists.on == "vertices"
    assert any(note.startswith("496 vertices stand in more than one part") for note in lists.notes)
    assert named(lists) == named(read_labels(DATA / "faust" / "parts24.npz", mesh))
    twelve = read_labels(DATA / "faust" / "segmentations12.npz", mesh)
    assert twelve.names == tuple(f"part {number}" for number in range(12))


@needs_shrec
def test_shrec_labels_cover_every_face() -> None:
    mesh = load_mesh(DATA / "shrec07" / "FourLeg" / "381.off")
    labels = read_labels(DATA / "shrec07" / "FourLeg" / "381_labels.txt", mesh)
    assert labels.unlabelled == 0
    assert set(labels.names) <= {"head", "neck", "torso", "leg", "tail", "earhorn"}
    assert labels.notes == (f"face numbers count from 1 (largest is {len(mesh.faces):,} = number of faces)",)
    for path in sorted((DATA / "shrec07" / "seg" / "381").glob("*.seg"))[:3]:
        assert read_labels(path, mesh).on == "faces"


def test_text_that_is_no_text_gets_a_sentence(tmp_path: Path) -> None:
    names = np.array(["head", "tail"])
    names.view(np.uint32)[1] = 0x110000  # beyond the last letter there is
    path = tmp_path / "box.npz"
    np.savez(path, labels=np.arange(12) % 2, names=names)
    with pytest.raises(InputError, match=r"box\.npz: cannot be read as \.npz \(text with numbers that stand for no"):
        read_labels(path, BOX)
