"""GLB: a scene with one named, coloured mesh for each part."""

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
from meshtide.output.files.as_given import UNLABELLED_NAME, palette, triangle_parts

_FLOAT, _UINT32, _VERTEX_BUFFER, _INDEX_BUFFER = 5126, 5125, 34962, 34963  # numbers of the glTF 2.0 specification
_LONGEST = 2**32 - 1  # bytes that a GLB can say it has
_FAR = 100.0  # shapes farther from the origin than this many sizes are stored around their own middle


def glb_bytes(segmentation: Segmentation, path: Path) -> bytes:
    """Parts in the order of their names, then what has none; a part without faces is left out."""
    colours = palette(segmentation)
    middle = _middle(segmentation)
    scene: dict[str, Any] = {
        "asset": {"version": "2.0", "generator": "meshtide"},
        "scene": 0,
        "scenes": [{"nodes": []}],
        "nodes": [],
        "meshes": [],
        "materials": [],
        "accessors": [],
        "bufferViews": [],
    }
    data: list[bytes] = []
    for part, vertices, faces in parts_with_faces(segmentation, with_unlabelled=True):
        points = _single(vertices - middle, path)
        name = segmentation.parts[part] if part >= 0 else UNLABELLED_NAME
        _add_part(scene, {"name": name, "extras": {"part": name if part >= 0 else None, "index": part}}, colours[part])
        if middle.any():
            scene["nodes"][-1]["translation"] = middle.tolist()
        _add_array(scene, data, points, _VERTEX_BUFFER)
        _add_array(scene, data, faces.astype("<u4").ravel(), _INDEX_BUFFER)
    scene["buffers"] = [{"byteLength": sum(map(len, data))}]
    return _container(scene, data, path)


def parts_with_faces(
    segmentation: Segmentation, *, with_unlabelled: bool
) -> Iterator[tuple[int, FloatArray, IntArray]]:
    """Each part that has triangles: its number, the vertices they use, and the triangles numbered by these."""
    mesh, parts = segmentation.mesh, triangle_parts(segmentation)
    number: IntArray = np.empty(len(mesh.vertices), dtype=np.int64)
    # Sorted once: to look through all faces for every part would take too long where there are thousands of parts.
    order = np.argsort(parts, kind="stable")
    ends = np.cumsum(np.bincount(parts + 1, minlength=len(segmentation.parts) + 1))  # slot 0: without a part
    for part in [*range(len(segmentation.parts)), *([-1] if with_unlabelled else [])]:
        faces = mesh.faces[order[ends[part] if part >= 0 else 0 : ends[part + 1]]]
        if len(faces):
            used = np.unique(faces)
            number[used] = np.arange(len(used))
            yield part, mesh.vertices[used], number[faces]


def _add_part(scene: dict[str, Any], named: dict[str, Any], colour: NDArray[np.uint8]) -> None:
    """A node, a mesh and a material under one name; the mesh's arrays are the next two accessors."""
    index, accessor = len(scene["nodes"]), len(scene["accessors"])
    scene["scenes"][0]["nodes"].append(index)
    scene["nodes"].append({**named, "mesh": index})
    primitive = {"attributes": {"POSITION": accessor}, "indices": accessor + 1, "material": index}
    scene["meshes"].append({**named, "primitives": [primitive]})
    shade = {"baseColorFactor": [*_linear(colour), 1.0], "metallicFactor": 0.0, "roughnessFactor": 0.8}
    # Open surfaces are seen from behind as well.
    scene["materials"].append({**named, "pbrMetallicRoughness": shade, "doubleSided": True})


def _add_array(scene: dict[str, Any], data: list[bytes], array: NDArray[Any], target: int) -> None:
    is_points = target == _VERTEX_BUFFER
    accessor: dict[str, Any] = {
        "bufferView": len(scene["bufferViews"]),
        "count": len(array),
        "componentType": _FLOAT if is_points else _UINT32,
        "type": "VEC3" if is_points else "SCALAR",
    }
    if is_points:
        accessor |= {"min": array.min(axis=0).tolist(), "max": array.max(axis=0).tolist()}
    scene["accessors"].append(accessor)
    offset = sum(map(len, data))
    scene["bufferViews"].append({"buffer": 0, "byteOffset": offset, "byteLength": array.nbytes, "target": target})
    data.append(array.tobytes())


def _container(scene: dict[str, Any], data: list[bytes], path: Path) -> bytes:
    text = json.dumps(scene, allow_nan=False).encode("ascii")
    text += b" " * (-len(text) % 4)
    length = sum(map(len, data))  # a multiple of 4, as all numbers in it are
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


def _single(points: FloatArray, path: Path) -> NDArray[np.float32]:
    with np.errstate(over="ignore"):
        single = points.astype("<f4")
    if not np.isfinite(single).all():
        raise InputError(f"{path}: the coordinates are too large for the 32-bit numbers of a GLB; write a .ply instead")
    return single


def _middle(segmentation: Segmentation) -> FloatArray:
    """Where the shape is stored around: the origin, unless 32 bits would lose the shape so far from it."""
    mesh = segmentation.mesh
    used = np.zeros(len(mesh.vertices), dtype=bool)
    used[mesh.faces.ravel()] = True
    low, high = mesh.vertices[used].min(axis=0), mesh.vertices[used].max(axis=0)
    middle = low / 2 + high / 2
    far = float(np.abs(middle).max()) > _FAR * float((high / 2 - low / 2).max())
    return np.asarray(np.round(middle) if far else np.zeros(3))
