"""A GLB comes back with its textures, normals and colours, and with its parts as nodes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh
from segmented_files import Given as File
from segmented_files import ready

from meshtide.inference.segmentation import Segmentation
from meshtide.mesh.files import load_mesh

PNG = b"\x89PNG\r\n\x1a\n not a real picture, which nobody opens "
# A square of two triangles, with its places in a texture, normals that point along z, and red and green.
POINTS = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], dtype="<f4")
PLACES = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], dtype="<f4")
NORMALS = np.array([[0, 0, 1]] * 4, dtype="<f4")
CORNERS = np.array([0, 1, 2, 0, 2, 3], dtype="<u4")
MIRRORED = [-2.0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 1, 0, 5, 0, 0, 1]  # by columns


def scene(folder: Path, uri: str | None = None, **changes: Any) -> Path:
    """A file with a square in two places, one of them mirrored and stretched."""
    pieces = [POINTS.tobytes(), PLACES.tobytes(), NORMALS.tobytes(), CORNERS.tobytes(), PNG]
    starts = np.cumsum([0, *map(len, pieces)])
    widths = ("VEC3", "VEC2", "VEC3", "SCALAR")
    header: dict[str, Any] = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0, 1]}],
        "nodes": [{"mesh": 0}, {"mesh": 0, "matrix": MIRRORED}],
        "meshes": [
            {"primitives": [{"attributes": {"POSITION": 0, "TEXCOORD_0": 1, "NORMAL": 2}, "indices": 3, "material": 0}]}
        ],
        "materials": [{"name": "wood", "pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}],
        "textures": [{"source": 0, "sampler": 0}],
        "samplers": [{"wrapS": 33071}],
        "images": [{"bufferView": 4, "mimeType": "image/png"} if uri is None else {"uri": uri}],
        "accessors": [
            {"bufferView": k, "componentType": 5125 if k == 3 else 5126, "count": 6 if k == 3 else 4, "type": width}
            for k, width in enumerate(widths)
        ],
        "bufferViews": [
            {"buffer": 0, "byteOffset": int(start), "byteLength": len(piece)}
            for start, piece in zip(starts, pieces, strict=False)
        ],
        "buffers": [{"byteLength": int(starts[-1])}],
    }
    header |= changes
    text, data = json.dumps(header).encode(), b"".join(pieces)
    text += b" " * (-len(text) % 4)
    data += b"\0" * (-len(data) % 4)
    numbers = [int(each).to_bytes(4, "little") for each in (2, 28 + len(text) + len(data), len(text), len(data))]
    content = b"".join([b"glTF", numbers[0], numbers[1], numbers[2], b"JSON", text, numbers[3], b"BIN\0", data])
    path = folder / "in.glb"
    path.write_bytes(content)
    return path


def written(path: Path, place: str = "out.glb") -> tuple[Segmentation, dict[str, Any], bytes]:
    """What is written of a scene: the segmentation, the header and the numbers."""
    answer = ready(File(path, [], []))
    object.__setattr__(answer, "source", path)
    target = path.parent / place
    target.parent.mkdir(exist_ok=True)
    answer.save(target)
    data = target.read_bytes()
    length = int.from_bytes(data[12:16], "little")
    return answer, json.loads(data[20 : 20 + length]), data[28 + length :]


def array(header: dict[str, Any], data: bytes, index: int) -> np.ndarray:
    accessor = header["accessors"][index]
    width = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}[accessor["type"]]
    start = header["bufferViews"][accessor["bufferView"]]["byteOffset"]
    kind = "<f4" if accessor["componentType"] == 5126 else "<u4"
    return np.frombuffer(data, kind, accessor["count"] * width, start).reshape(-1, width)


def corners_of(header: dict[str, Any], data: bytes) -> list[tuple[float, ...]]:
    """Every corner of every triangle of every node: its place, then its place in the texture, then its normal."""
    found = []
    for node in header["nodes"]:
        for primitive in header["meshes"][node["mesh"]]["primitives"]:
            assert primitive["material"] == 0
            rows = array(header, data, primitive["indices"])[:, 0]
            names = ("POSITION", "TEXCOORD_0", "NORMAL")
            whole = np.column_stack([array(header, data, primitive["attributes"][name])[rows] for name in names])
            found += [tuple(row) for row in whole.round(5).tolist()]
    return found


def test_textures_and_what_leads_to_them_are_kept(tmp_path: Path) -> None:
    answer, header, data = written(scene(tmp_path))
    assert header["materials"][0]["name"] == "wood"
    assert (header["textures"], header["samplers"]) == ([{"source": 0, "sampler": 0}], [{"wrapS": 33071}])
    view = header["bufferViews"][header["images"][0]["bufferView"]]
    assert data[view["byteOffset"] :][: view["byteLength"]] == PNG
    names = [each.name for each in answer.instances]
    assert [node["name"] for node in header["nodes"] if node["name"] != "unlabelled"] == names
    for node, instance in zip(header["nodes"], answer.instances, strict=False):
        assert node["extras"]["colour"] == answer.colours[instance.part_index]


def test_every_corner_keeps_its_place_in_the_texture_and_its_normal(tmp_path: Path) -> None:
    _, header, data = written(scene(tmp_path))
    wanted = []
    for matrix, order in ((np.eye(4), (0, 1, 2, 3, 4, 5)), (np.reshape(MIRRORED, (4, 4)).T, (2, 1, 0, 5, 4, 3))):
        places = POINTS @ matrix[:3, :3].T + matrix[:3, 3]  # mirrored triangles are turned around, normals stay
        rows = np.column_stack([places, PLACES, NORMALS])[CORNERS[list(order)]]
        wanted += [tuple(row) for row in rows.round(5).tolist()]
    assert sorted(corners_of(header, data)) == sorted(wanted)


def test_other_programs_and_we_read_what_is_written(tmp_path: Path) -> None:
    picture = scene(tmp_path, uri="data:image/png;base64,iVBORw0KGgo=")
    written(picture)
    assert load_mesh(tmp_path / "out.glb").area == pytest.approx(7)
    read = trimesh.load_scene(tmp_path / "out.glb", process=False)
    assert sum(geometry.area for geometry in read.geometry.values()) == pytest.approx(7)
    assert {type(geometry.visual).__name__ for geometry in read.geometry.values()} == {"TextureVisuals"}


def test_a_picture_beside_the_scene_is_named_as_seen_from_what_is_written(tmp_path: Path) -> None:
    (tmp_path / "wood.png").write_bytes(PNG)
    assert written(scene(tmp_path, uri="wood.png"), "parts/out.glb")[1]["images"] == [{"uri": "../wood.png"}]
    assert written(scene(tmp_path, uri="wood.png"))[1]["images"] == [{"uri": "wood.png"}]
    assert written(scene(tmp_path, uri="https://there/wood.png"), "parts/out.glb")[1]["images"] == [
        {"uri": "https://there/wood.png"}
    ]


@pytest.mark.parametrize(
    "changes",
    [
        {"textures": []},  # nothing to keep
        {"images": [{"bufferView": 40}]},
        {"images": [{"bufferView": 4}, 3]},
        {"materials": [{"roughness": float("nan")}]},
        {
            "accessors": [
                {"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3"},
                {"bufferView": 1, "componentType": 5126, "count": 400, "type": "VEC2"},
                {"bufferView": 2, "componentType": 5126, "count": 4, "type": "VEC3"},
                {"bufferView": 3, "componentType": 5125, "count": 6, "type": "SCALAR"},
            ]
        },
    ],
    ids=["no textures", "no such view", "no image", "not a number", "too long"],
)
def test_what_cannot_be_kept_is_written_in_the_colours_of_the_parts(tmp_path: Path, changes: dict[str, Any]) -> None:
    answer, header, _ = written(scene(tmp_path, **changes))
    assert {each["name"] for each in header["materials"]} <= {*answer.parts, "unlabelled"}
    assert "images" not in header


def test_colours_of_vertices_are_kept(tmp_path: Path) -> None:
    mesh = trimesh.creation.icosphere(2)
    mesh.visual.vertex_colors = np.random.default_rng(0).integers(0, 255, (len(mesh.vertices), 4), dtype=np.uint8)
    path = tmp_path / "in.glb"
    path.write_bytes(mesh.export(file_type="glb"))
    _, header, data = written(path)
    found = set()
    for node in header["nodes"]:
        (primitive,) = header["meshes"][node["mesh"]]["primitives"]
        both = (array(header, data, primitive["attributes"][name]) for name in ("POSITION", "COLOR_0"))
        found |= {tuple(row) for row in np.column_stack(list(both)).round(4).tolist()}
    read = trimesh.load(path, process=False, force="mesh")
    wanted = np.column_stack([read.vertices, read.visual.vertex_colors / 255]).round(4)
    np.testing.assert_allclose(sorted(found), sorted(map(tuple, wanted.tolist())), atol=1e-3)
