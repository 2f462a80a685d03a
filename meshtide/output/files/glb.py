"""GLB: a scene with one named, coloured mesh for each instance of a part.

Written here and not by trimesh, as plain meshes are: trimesh rounds a material's colour to 256 steps of linear light,
which makes dark colours one, gives the nodes no `extras`, and finds neither coordinates beyond 32 bits nor files beyond
the 4 GB that a GLB can have.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from meshtide.arrays import FloatArray, IntArray
from meshtide.errors import InputError
from meshtide.inference.segmentation import Segmentation
from meshtide.mesh.topology import used_vertices
from meshtide.output.files.as_given import UNLABELLED_NAME, palette

_FLOAT, _UINT32, VERTEX_BUFFER, INDEX_BUFFER = 5126, 5125, 34962, 34963  # numbers of the glTF 2.0 specification
_LONGEST = 2**32 - 1  # bytes that a GLB can say it has
_FAR = 100.0  # shapes farther from the origin than this many sizes are stored around their own middle


def glb_bytes(segmentation: Segmentation, path: Path) -> bytes:
    """Instances in order, so those of a part stand together, then what has none."""
    colours = palette(segmentation)
    middle = middle_of(segmentation)
    scene = empty_scene()
    data: list[bytes] = []
    for index, vertices, faces in pieces_with_faces(segmentation, with_unlabelled=True):
        points = add_array(scene, data, single(vertices - middle, path), VERTEX_BUFFER)
        corners = add_array(scene, data, faces.astype("<u4").ravel(), INDEX_BUFFER)
        add_node(scene, named(segmentation, index), [{"attributes": {"POSITION": points}, "indices": corners}], middle)
        _paint(scene, segmentation, colours)
    return container_bytes(scene, data, path)


def empty_scene() -> dict[str, Any]:
    """The JSON of a scene to which nodes are added."""
    return {
        "asset": {"version": "2.0", "generator": "meshtide"},
        "scene": 0,
        "scenes": [{"nodes": []}],
        "nodes": [],
        "meshes": [],
        "materials": [],
        "accessors": [],
        "bufferViews": [],
    }


def pieces_with_faces(
    segmentation: Segmentation, *, with_unlabelled: bool
) -> Iterator[tuple[int, FloatArray, IntArray]]:
    """Each instance as it is drawn: its index, the vertices that its triangles use, and these, numbered by those."""
    mesh, pieces, count = segmentation.outlined.mesh, segmentation.outlined.face_instances, len(segmentation.instances)
    number: IntArray = np.empty(len(mesh.vertices), dtype=np.int64)
    # Sorted once: to look through all faces for every piece would take too long where there are thousands of them.
    order = np.argsort(pieces, kind="stable")
    ends = np.cumsum(np.bincount(pieces + 1, minlength=count + 1))  # slot 0: without a part
    for index in [*range(count), *([-1] if with_unlabelled else [])]:
        faces = mesh.faces[order[ends[index] if index >= 0 else 0 : ends[index + 1]]]
        if len(faces):
            used = np.unique(faces)  # not used_vertices, which looks at all vertices: there may be thousands of parts
            number[used] = np.arange(len(used))
            yield index, mesh.vertices[used], number[faces]


def named(segmentation: Segmentation, index: int) -> dict[str, Any]:
    """The name of an instance's node and mesh, and what they say of it; -1 is what has no part."""
    if index < 0:
        return {"name": UNLABELLED_NAME, "extras": {"part": None, "index": -1, "instance": -1}}
    found = segmentation.instances[index]
    extras = {"part": found.part, "index": found.part_index, "instance": index, "number": found.number}
    return {"name": found.name, "extras": extras}


def add_node(scene: dict[str, Any], told: dict[str, Any], primitives: list[dict[str, Any]], middle: FloatArray) -> None:
    """A node and its mesh under one name, stored around a middle."""
    index = len(scene["nodes"])
    scene["scenes"][0]["nodes"].append(index)
    scene["nodes"].append({**told, "mesh": index, **({"translation": middle.tolist()} if middle.any() else {})})
    scene["meshes"].append({**told, "primitives": primitives})


def _paint(scene: dict[str, Any], segmentation: Segmentation, colours: NDArray[np.uint8]) -> None:
    """Give the last mesh the material of its part, which all of the part's instances share and which stand together."""
    part = scene["meshes"][-1]["extras"]["index"]
    name = segmentation.parts[part] if part >= 0 else UNLABELLED_NAME
    extras = {"part": name if part >= 0 else None, "index": part}
    if not scene["materials"] or scene["materials"][-1]["extras"] != extras:
        shade = {"baseColorFactor": [*_linear(colours[part]), 1.0], "metallicFactor": 0.0, "roughnessFactor": 0.8}
        # Open surfaces are seen from behind as well.
        material = {"name": name, "extras": extras, "pbrMetallicRoughness": shade, "doubleSided": True}
        scene["materials"].append(material)
    scene["meshes"][-1]["primitives"][0]["material"] = len(scene["materials"]) - 1


def add_array(scene: dict[str, Any], data: list[bytes], array: NDArray[Any], target: int) -> int:
    """Add 32-bit numbers, one or a row for each element, and return the number of their accessor."""
    accessor: dict[str, Any] = {
        "bufferView": add_bytes(scene, data, array.tobytes(), target),
        "count": len(array),
        "componentType": _FLOAT if array.dtype.kind == "f" else _UINT32,
        "type": "SCALAR" if array.ndim == 1 else f"VEC{array.shape[1]}",
    }
    if accessor["type"] == "VEC3":  # which positions must have
        accessor |= {"min": array.min(axis=0).tolist(), "max": array.max(axis=0).tolist()}
    scene["accessors"].append(accessor)
    return len(scene["accessors"]) - 1


def add_bytes(scene: dict[str, Any], data: list[bytes], content: bytes, target: int | None = None) -> int:
    """Add bytes, and return the number of the view of them."""
    before = scene["bufferViews"][-1]["byteOffset"] + len(data[-1]) if data else 0
    view = {"buffer": 0, "byteOffset": before, "byteLength": len(content)}
    scene["bufferViews"].append(view | ({} if target is None else {"target": target}))
    data.append(content + b"\0" * (-len(content) % 4))
    return len(scene["bufferViews"]) - 1


def container_bytes(scene: dict[str, Any], data: list[bytes], path: Path) -> bytes:
    """The file that holds a scene and its numbers."""
    scene["buffers"] = [{"byteLength": sum(map(len, data))}]
    text = json.dumps(scene, allow_nan=False).encode("ascii")
    text += b" " * (-len(text) % 4)
    length = sum(map(len, data))  # a multiple of 4, as every view is filled up
    total = 12 + 8 + len(text) + 8 + length
    if total > _LONGEST:
        raise InputError(f"{path}: would have {total:,} bytes, more than a GLB can hold; write a .ply instead")
    head = [b"glTF", _number(2), _number(total), _number(len(text)), b"JSON", text, _number(length), b"BIN\0"]
    return b"".join([*head, *data])


def _number(value: int) -> bytes:
    return value.to_bytes(4, "little")


def _linear(colour: NDArray[np.uint8]) -> list[float]:
    """glTF wants light, not the sRGB numbers of "#rrggbb"."""
    value = colour / 255
    return [float(x) for x in np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)]


def single(points: FloatArray, path: Path) -> NDArray[np.float32]:
    """Points as a GLB can hold them."""
    with np.errstate(over="ignore"):
        single = points.astype("<f4")
    if not np.isfinite(single).all():
        raise InputError(f"{path}: the coordinates are too large for the 32-bit numbers of a GLB; write a .ply instead")
    return single


def middle_of(segmentation: Segmentation) -> FloatArray:
    """Where the shape is stored around: the origin, unless 32 bits would lose the shape so far from it."""
    mesh = segmentation.mesh
    used = used_vertices(mesh.faces, len(mesh.vertices))
    low, high = mesh.vertices[used].min(axis=0), mesh.vertices[used].max(axis=0)
    middle = low / 2 + high / 2
    far = float(np.abs(middle).max()) > _FAR * float((high / 2 - low / 2).max())
    return np.asarray(np.round(middle) if far else np.zeros(3))
