"""glTF scenes: every way to store triangles is read as the specification says, and nothing small becomes large."""

from __future__ import annotations

import json
import resource
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh
from shapes import box, sphere

from meshtide.errors import InputError
from meshtide.mesh.files import load_mesh, read_polygons, read_raw

FLOAT, BYTE, SHORT, UINT = 5126, 5121, 5123, 5125


class Builder:
    """A small GLB, piece by piece."""

    def __init__(self) -> None:
        self.binary = b""
        self.views: list[dict[str, Any]] = []
        self.accessors: list[dict[str, Any]] = []
        self.header: dict[str, Any] = {"asset": {"version": "2.0"}, "meshes": [], "nodes": []}

    def view(self, values: Any, kind: str, **more: Any) -> int:
        data = np.asarray(values, dtype=kind).tobytes()
        self.views.append({"buffer": 0, "byteOffset": len(self.binary), "byteLength": len(data), **more})
        self.binary += data + bytes(-len(data) % 4)
        return len(self.views) - 1

    def accessor(self, **fields: Any) -> int:
        self.accessors.append(fields)
        return len(self.accessors) - 1

    def points(self, values: Any) -> int:
        view = self.view(values, "<f4")
        return self.accessor(bufferView=view, componentType=FLOAT, count=len(values), type="VEC3")

    def numbers(self, values: Any, kind: str = "<u2", code: int = SHORT) -> int:
        view = self.view(values, kind)
        return self.accessor(bufferView=view, componentType=code, count=len(values), type="SCALAR")

    def mesh(self, *primitives: dict[str, Any], **more: Any) -> int:
        self.header["meshes"].append({"primitives": list(primitives), **more})
        return len(self.header["meshes"]) - 1

    def node(self, **fields: Any) -> int:
        self.header["nodes"].append(fields)
        return len(self.header["nodes"]) - 1

    def write(self, path: Path, **more: Any) -> Path:
        header = {"bufferViews": self.views, "accessors": self.accessors, "buffers": [{"byteLength": len(self.binary)}]}
        text = json.dumps({**self.header, **header, **more}).encode()
        text += b" " * (-len(text) % 4)
        chunks = len(text).to_bytes(4, "little") + b"JSON" + text
        chunks += len(self.binary).to_bytes(4, "little") + b"BIN\0" + self.binary
        path.write_bytes(b"glTF" + (2).to_bytes(4, "little") + (12 + len(chunks)).to_bytes(4, "little") + chunks)
        return path


CORNERS = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 2, 0]]


def one_primitive(path: Path, **fields: Any) -> Any:
    built = Builder()
    points = built.points(CORNERS)
    numbers = fields.pop("numbers", None)
    if numbers is not None:
        fields["indices"] = built.numbers(numbers)
    built.node(mesh=built.mesh({"attributes": {"POSITION": points}, **fields}))
    return read_polygons(built.write(path))


def test_strips_and_fans_are_triangles_as_the_specification_winds_them(tmp_path: Path) -> None:
    path = tmp_path / "x.glb"
    strip = one_primitive(path, mode=5, numbers=[1, 2, 0, 3, 4])
    assert strip.corners.reshape(-1, 3).tolist() == [[1, 2, 0], [2, 3, 0], [0, 3, 4]]
    fan = one_primitive(path, mode=6)
    assert fan.corners.reshape(-1, 3).tolist() == [[1, 2, 0], [2, 3, 0], [3, 4, 0]]
    normals = np.cross(*np.diff(fan.vertices[fan.corners.reshape(-1, 3)], axis=1).transpose(1, 0, 2))
    assert (normals[:, 2] >= 0).all()
    lines = one_primitive(path, mode=1, numbers=[0, 1])
    assert len(lines.sizes) == 0


def test_sparse_accessors_move_the_points_that_they_name(tmp_path: Path) -> None:
    built = Builder()
    changes = {
        "count": 2,
        "indices": {"bufferView": built.view([1, 3], "u1"), "componentType": BYTE},
        "values": {"bufferView": built.view([[7, 0, 0], [0, 8, 0]], "<f4")},
    }
    dense = built.view(CORNERS, "<f4")
    moved = built.accessor(bufferView=dense, componentType=FLOAT, count=5, type="VEC3", sparse=changes)
    from_nothing = built.accessor(componentType=FLOAT, count=5, type="VEC3", sparse=changes)
    numbers = built.numbers([0, 1, 2, 0, 2, 3])
    for points in (moved, from_nothing):
        built.node(mesh=built.mesh({"attributes": {"POSITION": points}, "indices": numbers}))
    read = read_polygons(built.write(tmp_path / "sparse.glb"))
    wanted = np.array(CORNERS, dtype=float)
    wanted[[1, 3]] = [[7, 0, 0], [0, 8, 0]]
    np.testing.assert_array_equal(read.vertices[:5], wanted)
    np.testing.assert_array_equal(read.vertices[5:], [[0, 0, 0], [7, 0, 0], [0, 0, 0], [0, 8, 0], [0, 0, 0]])


def test_instances_stand_in_the_order_of_the_nodes_with_their_parents_places(tmp_path: Path) -> None:
    built = Builder()
    ball, crate = sphere(0), box()
    meshes = []
    for each in (ball, crate):
        points, numbers = built.points(each.vertices), built.numbers(each.faces.ravel())
        meshes.append(built.mesh({"attributes": {"POSITION": points}, "indices": numbers}))
    built.node(mesh=meshes[1], translation=[10, 0, 0])
    built.node(mesh=meshes[0], scale=[2, 2, 2], rotation=[0, 0, np.sqrt(0.5), np.sqrt(0.5)])
    built.node(mesh=meshes[1], matrix=[-1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 5, 1], children=[0])
    path = built.write(tmp_path / "order.glb", scenes=[{"nodes": [2, 1]}])
    read = read_polygons(path)
    assert [piece.vertices for piece in read.pieces] == [8, 12, 8]
    mirrored = crate.vertices * [-1, 1, 1] + [0, 0, 5]
    np.testing.assert_allclose(read.vertices[:8], mirrored - [10, 0, 0], atol=1e-6)
    x, y, z = ball.vertices.T
    np.testing.assert_allclose(read.vertices[8:20], 2 * np.stack([-y, x, z], axis=1), atol=1e-6)
    np.testing.assert_allclose(read.vertices[20:], mirrored, atol=1e-6)
    # trimesh agrees on the surface, mirrors turned right side out.
    other = trimesh.load_scene(path, process=False).to_mesh()
    ours = trimesh.Trimesh(read.vertices, read.corners.reshape(-1, 3), process=False)
    assert ours.volume == pytest.approx(other.volume, rel=1e-5)
    assert ours.volume > 0


def test_primitives_that_share_their_points_have_them_once(tmp_path: Path) -> None:
    built = Builder()
    points = built.points(CORNERS)
    faces = [built.numbers([0, 1, 2]), built.numbers([0, 2, 3]), built.numbers([0, 3, 9])]
    built.node(mesh=built.mesh(*({"attributes": {"POSITION": points}, "indices": face} for face in faces), name="m"))
    built.node(mesh=0, translation=[5, 0, 0])
    raw = read_polygons(built.write(tmp_path / "shared.glb"))
    assert len(raw.vertices) == 10
    assert raw.corners.tolist() == [0, 1, 2, 0, 2, 3, -1, -1, -1, 5, 6, 7, 5, 7, 8, -1, -1, -1]
    assert [piece.name for piece in raw.pieces] == ["m", "m_1", "m_2"] * 2


def test_quantized_positions_are_read(tmp_path: Path) -> None:
    built = Builder()
    view = built.view([[0, 0, 0, 0], [32767, 0, 0, 0], [0, -32767, 0, 0]], "<i2", byteStride=8)
    points = built.accessor(bufferView=view, componentType=5122, count=3, type="VEC3", normalized=True)
    built.node(mesh=built.mesh({"attributes": {"POSITION": points}}))
    read = read_polygons(built.write(tmp_path / "q.glb", extensionsRequired=["KHR_mesh_quantization"]))
    assert read.vertices.tolist() == [[0, 0, 0], [1, 0, 0], [0, -1, 0]]


@pytest.mark.parametrize("kind", ["instances", "accessors", "sparse", "claims"])
def test_little_files_do_not_become_large_meshes(tmp_path: Path, kind: str) -> None:
    built = Builder()
    points = built.points(np.random.default_rng(0).random((3000, 3)))
    if kind == "instances":
        mesh = built.mesh({"attributes": {"POSITION": points}})
        for _ in range(1000):
            built.node(mesh=mesh)
    elif kind == "accessors":
        for _ in range(1000):
            alias = built.accessor(**built.accessors[points])
            built.node(mesh=built.mesh({"attributes": {"POSITION": alias}}))
    else:
        huge = 10**9 if kind == "sparse" else 10**13
        built.accessors[points] = {"componentType": FLOAT, "count": huge - huge % 3, "type": "VEC3"}
        built.node(mesh=built.mesh({"attributes": {"POSITION": points}}))
    path = built.write(tmp_path / "bomb.glb")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(InputError, match=r"are the most for a file of this size"):
        read_raw(path)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50_000  # kilobytes


def test_a_link_that_leads_out_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    folder = tmp_path / "scene"
    folder.mkdir()
    corners = np.array(CORNERS[:3], dtype="<f4").tobytes()
    (tmp_path / "secret.bin").write_bytes(corners)
    (folder / "own.bin").write_bytes(corners)
    header = {
        "asset": {"version": "2.0"}, "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
        "accessors": [{"bufferView": 0, "componentType": FLOAT, "count": 3, "type": "VEC3"}],
        "bufferViews": [{"buffer": 0, "byteLength": 36}],
    }  # fmt: skip
    (folder / "out.bin").symlink_to(tmp_path / "secret.bin")
    (folder / "up").symlink_to(tmp_path)
    (folder / "in.bin").symlink_to("own.bin")
    for uri, inside in (("out.bin", False), ("up/secret.bin", False), ("in.bin", True)):
        (folder / "x.gltf").write_text(json.dumps({**header, "buffers": [{"uri": uri, "byteLength": 36}]}))
        if inside:
            assert len(load_mesh(folder / "x.gltf").vertices) == 3
        else:
            with pytest.raises(InputError, match="outside its own folder"):
                load_mesh(folder / "x.gltf")


@pytest.mark.parametrize(
    "change",
    [
        {"scenes": [False]},
        {"scenes": [{"nodes": [0, 0]}]},
        {"nodes": [{"mesh": 0, "children": [0]}], "scenes": [{"nodes": [0]}]},
        {"nodes": [{"mesh": 0, "matrix": [1, 2, 3, 4]}]},
        {"nodes": [{"mesh": 0, "scale": [10**400, 1, 1]}]},
        {"nodes": [{"mesh": 0.0}]},
        {"nodes": 3},
        {"meshes": [{"primitives": [{"attributes": {}}]}]},
        {"meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "mode": "x"}]}]},
        {"meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "mode": [4]}]}]},
        {"accessors": [{"bufferView": 0, "componentType": [5126], "count": 3, "type": "VEC3"}]},
        {"accessors": [{"bufferView": 0, "componentType": FLOAT, "count": -3, "type": "VEC3"}]},
        {"accessors": [{"bufferView": 0, "componentType": FLOAT, "count": 9, "type": "VEC3"}]},
        {"bufferViews": [{"buffer": 0, "byteLength": 60, "byteStride": 1}]},
        {"buffers": [{"uri": "data:,abc"}]},
        {"buffers": [{"uri": "a" * 5000}]},
        {"extensionsRequired": ["KHR_draco_mesh_compression"]},
        {"nodes": [{"mesh": 0, "extensions": {"EXT_mesh_gpu_instancing": {}}}]},
    ],
    ids=str,
)
def test_damage_is_named_in_one_sentence(tmp_path: Path, change: dict[str, Any]) -> None:
    built = Builder()
    built.node(mesh=built.mesh({"attributes": {"POSITION": built.points(CORNERS[:3])}}))
    with pytest.raises(InputError, match=r"x\.glb: ") as caught:
        load_mesh(built.write(tmp_path / "x.glb", **change))
    assert "\n" not in str(caught.value)
