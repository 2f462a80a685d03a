"""Valid mesh files that few programs write: polygons, several components, strips, sparse accessors, odd dialects."""

from __future__ import annotations

import base64
import json
import struct
import zlib
from itertools import pairwise
from typing import Any

import numpy as np
from plain_ply import Plain, written
from shapes import box, sphere

CUBE = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]]
QUADS = [[0, 3, 2, 1], [4, 5, 6, 7], [0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6], [3, 0, 4, 7]]
PENTAGONS = [[0, 3, 2, 1], [4, 5, 6], [4, 6, 7], *QUADS[2:]]


def _rows(points: Any, extra: str = "") -> list[str]:
    return [" ".join(map(repr, map(float, point))) + extra for point in points]


def _obj() -> list[bytes]:
    negative = [
        line for quad in QUADS for line in (*(f"v {' '.join(map(str, CUBE[c]))}" for c in quad), "f -4 -3 -2 -1")
    ]
    textured = ["mtllib cube.mtl", "o cube", *("v " + row for row in _rows(CUBE, " 0.5 0.5 0.5"))]
    textured += ["vt 0 0", "vt 1 0", "vt 1 1", "vt 0 1", "vn 0 0 1", "s 1"]
    for number, quad in enumerate(QUADS):
        textured += [f"g side{number % 3}", f"usemtl m{number % 2}"]
        textured.append("f " + " ".join(f"{corner + 1}/{at + 1}/1" for at, corner in enumerate(quad)))
    star = [
        f"v {np.cos(a) * r:.4f} {np.sin(a) * r:.4f} 0" for a, r in zip(np.arange(10) * 0.628, [2, 0.7] * 5, strict=True)
    ]
    star += ["f " + " ".join(map(str, range(1, 11))), "f 1 2 3 \\", " 4", "l 1 2 3", "p 1"]
    return ["\n".join(negative).encode(), "\r\n".join(textured).encode(), "\n".join(star).encode()]


def _off() -> list[bytes]:
    body = [*_rows(CUBE), *(f"{len(face)} {' '.join(map(str, face))}" for face in PENTAGONS)]
    plain = ["OFF", "# a cube", f"8 {len(PENTAGONS)} 0", *body]
    coloured = [
        "COFF",
        "8 6 12",
        *_rows(CUBE, " 255 0 0 255"),
        *(f"4 {' '.join(map(str, q))} 0.5 0.5 0.5" for q in QUADS),
    ]
    normal = ["NOFF 8 6 0", *_rows(CUBE, " 0 0 1"), *(f"4 {' '.join(map(str, q))}" for q in QUADS)]
    textured = ["STOFF", "8 6 0", *_rows(CUBE, " 0.5 0.5"), *(f"4 {' '.join(map(str, q))} 3 # side" for q in QUADS)]
    return ["\n".join(lines).encode() for lines in (plain, coloured, normal, textured)] + [
        "\n".join([*plain[:3], " ".join(plain[3:])]).encode()
    ]


def _stl() -> list[bytes]:
    mesh = box()
    facets = []
    for solid in range(2):
        facets.append(f"solid part{solid}")
        for corners in (mesh.vertices[mesh.faces] + 3 * solid).tolist():
            facets += [
                "facet normal 0 0 1",
                "outer loop",
                *(f"vertex {x} {y} {z}" for x, y, z in corners),
                "endloop",
                "endfacet",
            ]
        facets.append(f"endsolid part{solid}")
    rows = b"".join(
        struct.pack("<12fH", 0, 0, 1, *map(float, corners), 7) for corners in mesh.vertices[mesh.faces].reshape(-1, 9)
    )
    return ["\n".join(facets).encode(), b"solid in name only".ljust(80) + struct.pack("<I", 12) + rows]


def _ply() -> list[bytes]:
    vertex = [("float", "x"), ("float", "y"), ("float", "z"), ("uchar", "red"), ("short", "label")]
    points = [(float(x), float(y), float(z), 7, at % 3) for at, (x, y, z) in enumerate(CUBE)]
    face = [("uchar", "int", "vertex_indices"), ("uchar", "float", "texcoord"), ("int", "label")]
    polygons = [([*each], [0.5] * (at % 3), at % 3) for at, each in enumerate(PENTAGONS)]
    several = Plain(
        {
            "camera": [("double", "focus")],
            "face": face,
            "edge": [("int", "vertex1"), ("int", "vertex2")],
            "vertex": vertex,
        },
        {"camera": [(1.5,)], "face": polygons, "edge": [(0, 1), (1, 2)], "vertex": points},
        ["TextureFile secret.png"],
    )
    triangles = [([a, b, c],) for a, b, c in box().faces.tolist()]
    narrow = Plain(
        {"vertex": [("double", axis) for axis in "xyz"], "face": [("ushort", "ushort", "vertex_index")]},
        {"vertex": [tuple(map(float, point)) for point in box().vertices], "face": triangles},
    )
    styles = ("ascii", "binary_little_endian", "binary_big_endian")
    return [
        written(plain, style, "\r\n" if style == "ascii" else "\n") for plain in (several, narrow) for style in styles
    ]


def gltf_scene(mode: int = 4, sparse: bool = False, data_uri: bool = False) -> tuple[dict[str, Any], bytes]:
    """A scene of two nodes with one mesh, its triangles listed, in a strip or in a fan, and its buffer."""
    mesh = sphere(0)
    points = mesh.vertices.astype("<f4").tobytes()
    corners = mesh.faces.astype("<u2").ravel() if mode == 4 else np.arange(12, dtype="<u2")
    changed = np.array([1, 5], dtype="<u2").tobytes() + np.array([[0, 0, 2], [0, 2, 0]], dtype="<f4").tobytes()
    buffer = points + corners.tobytes() + changed
    places = [0, len(points), len(points) + 2 * len(corners), len(points) + 2 * len(corners) + 4, len(buffer)]
    views = [{"buffer": 0, "byteOffset": a, "byteLength": b - a} for a, b in pairwise(places)]
    position: dict[str, Any] = {"bufferView": 0, "componentType": 5126, "count": 12, "type": "VEC3"}
    position |= {"min": [-1, -1, -1], "max": [1, 1, 1]}
    if sparse:
        places_of = {"bufferView": 2, "componentType": 5123}
        position["sparse"] = {"count": 2, "indices": places_of, "values": {"bufferView": 3}}
    primitive = {"attributes": {"POSITION": 0}, "indices": 1, "mode": mode, "material": 0}
    said: dict[str, Any] = {
        "asset": {"version": "2.0", "generator": "by hand"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [
            {"name": "root", "children": [1, 2]},
            {"mesh": 0, "translation": [3, 0, 0], "rotation": [0, 0, 0.7071068, 0.7071068], "scale": [1, 2, 1]},
            {"mesh": 0, "matrix": [-1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]},
        ],
        "meshes": [{"name": "ball", "primitives": [primitive, {"attributes": {"POSITION": 0}, "mode": 0}]}],
        "accessors": [position, {"bufferView": 1, "componentType": 5123, "count": len(corners), "type": "SCALAR"}],
        "bufferViews": views,
        "buffers": [{"byteLength": len(buffer)}],
        "materials": [{"name": "red"}],
    }
    if data_uri:
        said["buffers"][0]["uri"] = "data:application/octet-stream;base64," + base64.b64encode(buffer).decode()
    return said, buffer


def glb_of(said: bytes, buffer: bytes) -> bytes:
    """A GLB of a JSON chunk, as it is, and a binary chunk."""
    text = said + b" " * (-len(said) % 4)
    length = 12 + 8 + len(text) + 8 + len(buffer)
    head = struct.pack("<4sIII4s", b"glTF", 2, length, len(text), b"JSON")
    return head + text + struct.pack("<I4s", len(buffer), b"BIN\0") + buffer


def _scenes() -> list[tuple[str, bytes]]:
    found = []
    for mode, sparse in ((4, False), (5, False), (6, True), (4, True)):
        said, _ = gltf_scene(mode, sparse, data_uri=True)
        found.append(("mesh.gltf", json.dumps(said).encode()))
        said, buffer = gltf_scene(mode, sparse)
        found.append(("mesh.glb", glb_of(json.dumps(said).encode(), buffer)))
    return found


def vtk_texts() -> list[bytes]:
    """Legacy VTK files of text, of an old and of a new version."""
    head = ["ASCII", "DATASET POLYDATA", "POINTS 8 float", *_rows(CUBE)]
    room = sum(len(face) + 1 for face in PENTAGONS)
    old = ["# vtk DataFile Version 2.0", "a cube", *head, f"POLYGONS {len(PENTAGONS)} {room}"]
    old += [f"{len(face)} {' '.join(map(str, face))}" for face in PENTAGONS]
    old += [f"CELL_DATA {len(PENTAGONS)}", "SCALARS label int 1", "LOOKUP_TABLE default", *"0122010"]
    old += ["POINT_DATA 8", "NORMALS n float", *_rows(CUBE), "FIELD FieldData 1", "label 1 8 int", "0 1 0 1 0 1 0 1"]
    new = ["# vtk DataFile Version 5.1", "a cube", *head, "METADATA", "INFORMATION 0", "", "POLYGONS 7 24"]
    new += ["OFFSETS vtktypeint64", "0 4 8 12 16 20 24", "CONNECTIVITY vtktypeint64"]
    new += [" ".join(map(str, quad)) for quad in QUADS]
    return ["\n".join(lines).encode() for lines in (old, new)]


def vtp_texts() -> list[bytes]:
    """VTK's XML of text, of compressed numbers within it, and of raw numbers behind it."""

    def file(arrays: list[str], more: str = "", behind: bytes = b"") -> bytes:
        points, corners, ends = arrays
        return (
            (
                '<?xml version="1.0"?>\n<VTKFile type="PolyData" version="1.0" byte_order="LittleEndian" '
                f'header_type="UInt32"{more}>\n'
                '<PolyData><Piece NumberOfPoints="8" NumberOfPolys="6" NumberOfVerts="0" NumberOfLines="0"'
                ' NumberOfStrips="0">\n'
                f'<Points><DataArray type="Float32" NumberOfComponents="3" {points}</DataArray></Points>\n'
                f'<Polys><DataArray type="Int32" Name="connectivity" {corners}</DataArray>\n'
                f'<DataArray type="Int32" Name="offsets" {ends}</DataArray></Polys>\n</Piece></PolyData>'
            ).encode()
            + behind
            + b"</VTKFile>\n"
        )

    numbers = [np.array(CUBE, dtype="<f4"), np.array(QUADS, dtype="<i4"), np.arange(4, 28, 4, dtype="<i4")]
    text = [f'format="ascii">{" ".join(map(str, each.ravel().tolist()))}' for each in numbers]
    packed = []
    for each in numbers:
        block = zlib.compress(each.tobytes())
        head = struct.pack("<4I", 1, len(each.tobytes()), 0, len(block))
        packed.append(f'format="binary">{base64.b64encode(head).decode()}{base64.b64encode(block).decode()}')
    raw, places = b"", []
    for each in numbers:
        places.append(f'format="appended" offset="{len(raw)}">')
        raw += struct.pack("<I", each.nbytes) + each.tobytes()
    behind = b'<AppendedData encoding="raw">_' + raw + b"</AppendedData>"
    return [file(text), file(packed, ' compressor="vtkZLibDataCompressor"'), file(places, behind=behind)]


EXOTIC: list[tuple[str, bytes]] = [
    *(("mesh.obj", each) for each in _obj()),
    *(("mesh.off", each) for each in _off()),
    *(("mesh.stl", each) for each in _stl()),
    *(("mesh.ply", each) for each in _ply()),
    *_scenes(),
]
