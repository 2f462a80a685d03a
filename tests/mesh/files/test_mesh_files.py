"""Element i of a file is element i of the mesh, in every format, or a map says where it went."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import trimesh
from shapes import box, figure, sphere, torus

from meshtide.errors import InputError
from meshtide.mesh.files import WRITABLE, load_mesh, read_raw, save_mesh
from meshtide.mesh.mesh import Mesh

CUBE_QUADS = [[0, 3, 2, 1], [4, 5, 6, 7], [0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6], [3, 0, 4, 7]]
CUBE_POINTS = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]]


def shuffled(mesh: Mesh, seed: int = 0) -> Mesh:
    """The same shape with vertices and faces in an order that no loader would arrive at by itself."""
    random = np.random.default_rng(seed)
    order = random.permutation(len(mesh.vertices))
    place = np.argsort(order)
    return Mesh(mesh.vertices[order], place[random.permutation(mesh.faces)], mesh.name)


@pytest.mark.parametrize("suffix", WRITABLE)
def test_round_trip_keeps_every_element_in_its_place(tmp_path: Path, suffix: str) -> None:
    mesh = shuffled(figure(1)[0])
    path = tmp_path / f"body{suffix}"
    save_mesh(mesh, path)
    back = load_mesh(path)
    exact = suffix in (".obj", ".ply", ".off")
    expected = mesh.vertices if exact else mesh.vertices.astype(np.float32).astype(np.float64)
    np.testing.assert_array_equal(back.vertices[back.faces], expected[mesh.faces])
    if suffix == ".stl":  # a soup: the map leads from corner 3f + c to the welded vertex
        assert back.origin.vertex_count == 3 * len(mesh.faces)
        np.testing.assert_array_equal(back.origin.vertex_of.reshape(-1, 3), back.faces)
        assert len(back.vertices) == len(mesh.vertices)
    else:
        np.testing.assert_array_equal(back.vertices, expected)
        np.testing.assert_array_equal(back.faces, mesh.faces)


@pytest.mark.parametrize("suffix", WRITABLE)
def test_what_we_write_trimesh_reads(tmp_path: Path, suffix: str) -> None:
    mesh = shuffled(torus(12, 8))
    path = tmp_path / f"ring{suffix}"
    save_mesh(mesh, path)
    other = trimesh.load_mesh(path, process=False)
    np.testing.assert_allclose(other.vertices[other.faces], mesh.vertices[mesh.faces], atol=1e-6)


@pytest.mark.parametrize(("suffix", "options"), [(".obj", {}), (".off", {}), (".stl", {}), (".glb", {}), (".gltf", {}),
                                                 (".ply", {}), (".ply", {"encoding": "ascii"}),
                                                 (".stl", {"file_type": "stl_ascii"})])  # fmt: skip
def test_what_trimesh_writes_we_read(tmp_path: Path, suffix: str, options: dict[str, str]) -> None:
    mesh = shuffled(torus(12, 8))
    path = tmp_path / f"ring{suffix}"
    exported = trimesh.Trimesh(mesh.vertices, mesh.faces, process=False).export(**{"file_type": suffix[1:], **options})
    if isinstance(exported, dict):  # a .gltf comes with its buffers
        for name, content in exported.items():
            (tmp_path / ("ring.gltf" if name == "model.gltf" else name)).write_bytes(content)
    else:
        path.write_bytes(exported if isinstance(exported, bytes) else exported.encode())
    back = load_mesh(path)
    np.testing.assert_allclose(back.vertices[back.faces], mesh.vertices[mesh.faces], atol=1e-6)


def test_polygons_are_split_with_a_map_back(tmp_path: Path) -> None:
    path = tmp_path / "mixed.off"
    faces = [[0, 3, 2, 1], [4, 5, 6], [4, 6, 7], *CUBE_QUADS[2:]]
    rows = [" ".join(map(str, point)) for point in CUBE_POINTS] + [f"{len(f)} {' '.join(map(str, f))}" for f in faces]
    path.write_text(f"OFF\n8 {len(faces)} 0\n" + "\n".join(rows) + "\n")
    mesh = load_mesh(path)
    assert mesh.origin.face_of.tolist() == [0, 0, 1, 2, 3, 3, 4, 4, 5, 5, 6, 6]
    assert mesh.area == pytest.approx(6)
    for face, triangle in zip(mesh.origin.face_of, mesh.faces, strict=True):
        assert set(triangle.tolist()) <= set(faces[face])


def test_polygons_that_are_not_convex_keep_their_area(tmp_path: Path) -> None:
    star = [[np.cos(a) * r, np.sin(a) * r, 0] for a, r in zip(np.arange(10) * np.pi / 5, [2, 0.7] * 5, strict=True)]
    arrow = [[0, 0, 1], [2, 1, 1], [0, 2, 1], [0.7, 1, 1]]
    points = np.array([*star, *arrow])
    lines = [f"v {x} {y} {z}" for x, y, z in points] + ["f " + " ".join(map(str, range(1, 11))), "f 11 12 13 14"]
    path = tmp_path / "star.obj"
    path.write_text("\n".join(lines))
    mesh = load_mesh(path)
    for face, ring in ((0, points[:10]), (1, points[10:])):
        x, y, _ = ring.T
        shoelace = abs((x * np.roll(y, -1) - y * np.roll(x, -1)).sum()) / 2
        assert mesh.face_areas[mesh.origin.face_of == face].sum() == pytest.approx(shoelace)


def test_obj_seams_do_not_split_vertices(tmp_path: Path) -> None:
    lines = [f"v {x} {y} {z}" for x, y, z in CUBE_POINTS] + ["vt 0 0", "vt 1 0", "vt 1 1", "vt 0 1", "vn 0 0 1"]
    lines += ["mtllib /etc/passwd", "usemtl stone"]
    lines += ["f " + " ".join(f"{v + 1}/{c + 1}/1" for c, v in enumerate(quad)) for quad in CUBE_QUADS]
    path = tmp_path / "cube.obj"
    path.write_text("\n".join(lines))
    mesh = load_mesh(path)
    np.testing.assert_array_equal(mesh.vertices, CUBE_POINTS)
    assert mesh.origin.face_of.tolist() == np.repeat(np.arange(6), 2).tolist()


def test_obj_counts_backwards_and_continues_lines(tmp_path: Path) -> None:
    path = tmp_path / "odd.obj"
    lines = ["v 0 0 0", "v 1 0 0", "v 0 1 0", "f -3 -2 \\", " -1", "v 0 0 1 # tip", "f 1//7 -1//7 2//7 # side", ""]
    path.write_bytes("\r\n".join(lines).encode())
    assert load_mesh(path).faces.tolist() == [[0, 1, 2], [0, 3, 1]]


def test_obj_groups(tmp_path: Path) -> None:
    path = tmp_path / "grouped.obj"
    path.write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\ng left arm\nf 1 2 3\ng leg\nf 2 4 3\ng left arm\nf 1 2 4\n")
    raw = read_raw(path)
    assert raw.groups is not None
    assert raw.groups.tolist() == [0, 1, 0]
    assert raw.group_names == ("left arm", "leg")


def test_scenes_are_joined_with_a_map(tmp_path: Path) -> None:
    one, other = sphere(1), box()
    scene = trimesh.Scene()
    scene.add_geometry(trimesh.Trimesh(one.vertices, one.faces, process=False), geom_name="ball")
    scene.add_geometry(
        trimesh.Trimesh(other.vertices, other.faces, process=False),
        geom_name="crate",
        transform=trimesh.transformations.translation_matrix([5, 0, 0]),
    )
    path = tmp_path / "scene.glb"
    path.write_bytes(scene.export(file_type="glb"))
    mesh = load_mesh(path)
    assert [(piece.name, piece.faces) for piece in mesh.origin.pieces] == [("ball", 80), ("crate", 12)]
    np.testing.assert_allclose(mesh.vertices[-8:], other.vertices + [5, 0, 0], atol=1e-6)
    assert mesh.origin.face_of.tolist() == list(range(92))


def test_split_corners_of_a_glb_are_welded(tmp_path: Path) -> None:
    cube = box()
    split = trimesh.Trimesh(cube.vertices[cube.faces].reshape(-1, 3), np.arange(36).reshape(-1, 3), process=False)
    path = tmp_path / "split.glb"
    path.write_bytes(split.export(file_type="glb"))
    mesh = load_mesh(path)
    assert len(mesh.vertices) == 8
    np.testing.assert_array_equal(mesh.vertices[mesh.origin.vertex_of], cube.vertices[cube.faces].reshape(-1, 3))


def test_values_travel_to_the_file_and_back(tmp_path: Path) -> None:
    path = tmp_path / "ball.stl"
    save_mesh(sphere(1), path)
    mesh = load_mesh(path)
    values = np.arange(len(mesh.vertices))
    on_file = mesh.origin.vertices_to_file(values, -1)
    assert len(on_file) == 3 * len(mesh.faces)
    np.testing.assert_array_equal(mesh.origin.vertices_from_file(on_file, -1, len(mesh.vertices)), values)


def test_gltf_opens_nothing_outside_its_folder(tmp_path: Path) -> None:
    (tmp_path / "secret.bin").write_bytes(bytes(64))
    folder = tmp_path / "scene"
    folder.mkdir()
    for uri in ("../secret.bin", str(tmp_path / "secret.bin"), "%2e%2e/secret.bin", "file:///etc/passwd"):
        header = {"asset": {"version": "2.0"}, "buffers": [{"uri": uri, "byteLength": 64}]}
        (folder / "scene.gltf").write_text(json.dumps(header))
        with pytest.raises(InputError, match="outside its own folder"):
            load_mesh(folder / "scene.gltf")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("huge.ply", b"ply\nformat ascii 1.0\nelement vertex 999999999999\nproperty float x\nend_header\n"),
        ("huge.off", b"OFF\n999999999999 5 0\n"),
        ("huge.stl", bytes(80) + (2**32 - 1).to_bytes(4, "little")),
        ("huge.gltf", json.dumps({"asset": {"version": "2.0"}, "accessors": [{"count": 10**13}]}).encode()),
        ("deep.gltf", b"[" * 100_000),
        ("empty.off", b""),
        ("digits.off", b"OFF\n" + b"9" * 5000 + b" 5 0\n"),
        ("short.off", b"OFF\n3 1 0\n0 0 0\n1 0\n"),
        ("words.obj", b"v one two three\nf 1 2 3\n"),
        ("half.obj", b"v 1 2\nv 1 2\nv 2 3\nf 1 2 3\n"),
        ("fraction.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 2.5\n"),
        ("missing.off", b"OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 7\n"),
        ("points.obj", b"v 0 0 0\nv 1 0 0\n"),
        ("nan.obj", b"v 0 0 0\nv nan 0 0\nv 0 1 0\nf 1 2 3\n"),
        ("line.obj", b"v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n"),
        ("mesh.xyz", b"0 0 0\n"),
    ],
)
def test_bad_files_get_one_sentence_that_names_them(tmp_path: Path, name: str, content: bytes) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        load_mesh(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("suffix", [*WRITABLE, ".ascii.ply", ".ascii.stl"])
def test_damage_never_raises_anything_but_our_error(tmp_path: Path, suffix: str) -> None:
    mesh = sphere(1)
    path = tmp_path / f"ball.{suffix.rsplit('.', 1)[1]}"
    if suffix.startswith(".ascii"):
        kind = {"ply": {"file_type": "ply", "encoding": "ascii"}, "stl": {"file_type": "stl_ascii"}}[path.suffix[1:]]
        text = trimesh.Trimesh(mesh.vertices, mesh.faces, process=False).export(**kind)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    else:
        save_mesh(mesh, path)
    whole = path.read_bytes()
    random = np.random.default_rng(7)
    survived = 0
    for trial in range(120):
        data = bytearray(whole)
        if trial % 2:
            del data[random.integers(len(data)) :]
        else:
            for _ in range(random.integers(1, 6)):
                # Headers are where damage is most inventive.
                reach = len(data) if trial % 4 else min(len(data), 700)
                data[random.integers(reach)] = random.integers(256)
        path.write_bytes(data)
        try:
            load_mesh(path)
            survived += 1
        except InputError as error:
            assert str(path) in str(error)
    assert survived < 120


def test_writing_replaces_whole_files_or_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.off"
    save_mesh(box(), path)
    before = path.read_bytes()
    with pytest.raises(InputError, match="cannot write"):
        save_mesh(sphere(0), tmp_path / "a.xyz")
    with pytest.raises(InputError, match="does not exist"):
        save_mesh(sphere(0), tmp_path / "nowhere" / "a.off")
    assert path.read_bytes() == before
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.off"]


@pytest.mark.parametrize("suffix", [".stl", ".glb"])
def test_what_does_not_fit_into_32_bits_is_refused(tmp_path: Path, suffix: str) -> None:
    mesh = box()
    with pytest.raises(InputError, match="32-bit"):
        save_mesh(Mesh(mesh.vertices * 1e39, mesh.faces), tmp_path / f"x{suffix}")
    assert not list(tmp_path.iterdir())
    far = Mesh(np.append(mesh.vertices, [[1e300, 0, 0]], axis=0), mesh.faces)  # no face has that vertex
    if suffix == ".stl":
        save_mesh(far, tmp_path / "x.stl")
        assert load_mesh(tmp_path / "x.stl").area == pytest.approx(mesh.area)


def test_every_messy_file_is_read_or_refused_with_a_sentence(data_folder: Path) -> None:
    seen = 0
    for path in sorted((data_folder / "messy").rglob("*.*")):
        seen += 1
        try:
            raw = read_raw(path)
        except InputError as error:
            assert str(path) in str(error)
        else:
            assert len(raw.origin.face_of) == len(raw.faces)
    assert seen > 90
