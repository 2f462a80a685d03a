"""Random points and polygons, and files of them in every dialect, written as plainly as the formats are described."""

from __future__ import annotations

import json
import struct
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from fuzzing.exotic import glb_of
from hypothesis import strategies as some

NEWLINES = ("\n", "\r\n", "\r")
COORDINATES = some.one_of(
    some.floats(-10, 10),
    some.integers(-3, 3).map(float),
    some.floats(allow_nan=False, allow_infinity=False),
)
SINGLES = some.one_of(
    some.floats(-10, 10, width=32), some.integers(-3, 3).map(float), some.floats(-(2.0**100), 2.0**100, width=32)
)


@dataclass
class Drawn:
    """Points and polygons, each polygon of three corners at least, which all differ."""

    points: list[list[float]]
    polygons: list[list[int]]
    groups: list[str] = field(default_factory=list)  # of each polygon


@some.composite
def polygon_meshes(draw: Any, coordinates: Any = COORDINATES, most_corners: int = 7) -> Drawn:
    """Points anywhere, some at one place, and polygons of any sizes over them."""
    points = draw(some.lists(some.lists(coordinates, min_size=3, max_size=3), min_size=7, max_size=16))
    numbers = some.permutations(range(len(points)))
    polygon = some.builds(lambda order, size: order[:size], numbers, some.integers(3, most_corners))
    polygons = draw(some.lists(polygon, min_size=1, max_size=12))
    names = some.sampled_from(["left arm", "leg", "bein", "ß", "x#1"])
    return Drawn(points, polygons, [draw(names) for _ in polygons])


@some.composite
def obj_text(draw: Any, drawn: Drawn) -> str:
    """An OBJ in any dialect: colours, textures, normals, numbers from the end, continued lines, comments, groups."""
    tail, textured = (
        draw(some.sampled_from(["", " 1.0", " 0.5 0.5 0.5"])),
        draw(some.sampled_from(["", "/1", "//2", "/1/2"])),
    )
    later = draw(some.integers(0, len(drawn.points)))  # so many points stand behind the first faces that may
    lines = [f"v {' '.join(map(repr, point))}{tail}" for point in drawn.points[: len(drawn.points) - later]]
    rest = [f"v {' '.join(map(repr, point))}{tail}" for point in drawn.points[len(drawn.points) - later :]]
    lines += ["vt 0 0", "vn 0 0 1", "s off", "mtllib none.mtl", "", "# f 1 2 3"]
    before = ""
    for polygon, group in zip(drawn.polygons, drawn.groups, strict=True):
        here = len(drawn.points) - later
        if max(polygon) >= here:
            lines += rest
            here, later, rest = len(drawn.points), 0, []
        if group != before:
            lines, before = [*lines, f"g {group}"], group
        from_end = draw(some.booleans())
        numbers = [corner - here if from_end else corner + 1 for corner in polygon]
        gap = draw(some.sampled_from([" ", "  ", "\t", " \\\n "]))
        lines.append(
            "f " + gap.join(f"{number}{textured}" for number in numbers) + draw(some.sampled_from(["", " ", " # side"]))
        )
    return "\n".join([*lines, *rest, ""]).replace("\n", draw(some.sampled_from(NEWLINES)))


@some.composite
def off_text(draw: Any, drawn: Drawn) -> str:
    """An OFF with or without colours, normals or texture coordinates, with comments and blank lines."""
    kind, tail = draw(
        some.sampled_from(
            [("", ""), ("C", " 255 0 0 255"), ("N", " 0.0 0.0 1.0"), ("ST", " 0.5 0.5"), ("CN", " 0 0 1 9 9 9 9")]
        )
    )
    count = f"{len(drawn.points)} {len(drawn.polygons)} {draw(some.sampled_from(['0', '12']))}"
    lines = [f"{kind}OFF{draw(some.sampled_from([chr(10), ' ']))}{count}"]
    lines += [" ".join(map(repr, point)) + tail for point in drawn.points]
    for polygon in drawn.polygons:
        lines.append(
            f"{len(polygon)} {' '.join(map(str, polygon))}"
            + draw(some.sampled_from(["", " 255 0 0", " 0.5 0.5 0.5", " # side"]))
        )
    for _ in range(draw(some.integers(0, 3))):
        lines.insert(draw(some.integers(1, len(lines))), draw(some.sampled_from(["", "# 3 0 1 2", "  "])))
    return "\n".join([*lines, ""]).replace("\n", draw(some.sampled_from(NEWLINES)))


@dataclass
class Primitive:
    """Points and corner numbers of a primitive of a glTF, its mode, and the triangles that it should become."""

    points: list[list[float]]
    corners: list[int]
    mode: int

    def triangles(self) -> list[list[int]]:
        """What the specification says, one triangle after another."""
        c = self.corners
        if self.mode == 4:
            return [c[at : at + 3] for at in range(0, len(c), 3)]
        if self.mode == 6:
            return [[c[at + 1], c[at + 2], c[0]] for at in range(len(c) - 2)]
        return [[c[at], c[at + 1 + at % 2], c[at + 2 - at % 2]] for at in range(len(c) - 2)]


@some.composite
def primitives(draw: Any) -> Primitive:
    points = draw(some.lists(some.lists(SINGLES, min_size=3, max_size=3), min_size=3, max_size=9))
    mode = draw(some.sampled_from([4, 4, 5, 6]))
    corners = draw(some.lists(some.integers(0, len(points) - 1), min_size=3, max_size=12))
    return Primitive(points, corners[: len(corners) // 3 * 3] if mode == 4 else corners, mode)


@dataclass
class Scene:
    """Meshes of primitives, and nodes: the mesh and the shift of each, in the file's order."""

    meshes: list[list[Primitive]]
    nodes: list[tuple[int, list[float]]]


@some.composite
def scenes(draw: Any) -> Scene:
    meshes = draw(some.lists(some.lists(primitives(), min_size=1, max_size=2), min_size=1, max_size=3))
    shift = some.lists(some.integers(-9, 9).map(float), min_size=3, max_size=3)
    return Scene(
        meshes, draw(some.lists(some.tuples(some.integers(0, len(meshes) - 1), shift), min_size=1, max_size=4))
    )


@some.composite
def gltf_bytes(draw: Any, scene: Scene) -> bytes:
    """A GLB with accessors that are dense or sparse, interleaved or not, with numbers of any width."""
    data, views, accessors, meshes = bytearray(), [], [], []

    def view(content: bytes, **more: Any) -> int:
        data.extend(b"\0" * (-len(data) % 4))
        views.append({"buffer": 0, "byteOffset": len(data), "byteLength": len(content), **more})
        data.extend(content)
        return len(views) - 1

    for each in scene.meshes:
        listed = []
        for primitive in each:
            points = np.array(primitive.points, dtype="<f4")
            stride = draw(some.sampled_from([12, 16, 28]))
            rows = np.zeros((len(points), stride), dtype=np.uint8)
            rows[:, :12] = points.view(np.uint8).reshape(-1, 12)
            accessor: dict[str, Any] = {"componentType": 5126, "count": len(points), "type": "VEC3"}
            if draw(some.booleans()):  # one point stands in a sparse accessor, and the dense ones are wrong there
                at = draw(some.integers(0, len(points) - 1))
                rows[at] = 0
                changed = {"bufferView": view(struct.pack("<H", at)), "componentType": 5123}
                accessor["sparse"] = {
                    "count": 1,
                    "indices": changed,
                    "values": {"bufferView": view(points[at].tobytes())},
                }
            accessor["bufferView"] = view(rows.tobytes(), **({} if stride == 12 else {"byteStride": stride}))
            code, kind = draw(some.sampled_from([(5121, "<u1"), (5123, "<u2"), (5125, "<u4")]))
            corners = {"bufferView": view(np.array(primitive.corners, dtype=kind).tobytes()), "componentType": code}
            accessors += [accessor, {**corners, "count": len(primitive.corners), "type": "SCALAR"}]
            attributes = {"POSITION": len(accessors) - 2}
            listed.append({"attributes": attributes, "indices": len(accessors) - 1, "mode": primitive.mode})
        meshes.append({"primitives": listed})
    nodes = [{"mesh": mesh, "translation": shift} for mesh, shift in scene.nodes]
    said = {
        "asset": {"version": "2.0"}, "scenes": [{"nodes": list(range(len(nodes)))}], "nodes": nodes, "meshes": meshes,
        "accessors": accessors, "bufferViews": views, "buffers": [{"byteLength": len(data)}],
    }  # fmt: skip
    return glb_of(json.dumps(said).encode(), bytes(data))
