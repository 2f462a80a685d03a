"""glTF and GLB scenes through trimesh, joined into one surface; textures are never opened."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import unquote

import numpy as np

from meshtide.errors import InputError
from meshtide.mesh.files.raw import MOST_ELEMENTS, Polygons
from meshtide.mesh.origin import Piece

_MAGIC, _JSON_CHUNK = b"glTF", b"JSON"


def read_gltf(path: Path) -> Polygons:
    """Read every triangle of a scene, moved to its place, geometry after geometry."""
    data = path.read_bytes()
    buffers = _check_header(_header(data, path), len(data), path)
    scene = _load_scene(data, path, buffers)
    parts = _placed_parts(scene)
    total = sum(len(vertices) + len(faces) for _, vertices, faces in parts)
    if total > MOST_ELEMENTS:
        raise InputError(f"{path}: its scene repeats its meshes into {total:,} elements; export it without instances")
    offsets = np.cumsum([0, *(len(vertices) for _, vertices, _ in parts)])
    vertices = np.concatenate([np.zeros((0, 3)), *(vertices for _, vertices, _ in parts)])
    faces = [faces + offset for (_, _, faces), offset in zip(parts, offsets[:-1], strict=True)]
    corners = np.concatenate([np.zeros(0, dtype=np.int64), *(each.ravel() for each in faces)])
    pieces = tuple(Piece(name, len(vertices), len(faces)) for name, vertices, faces in parts)
    # glTF repeats a vertex wherever its normal, colour or texture differs.
    sizes = np.full(len(corners) // 3, 3, dtype=np.int64)
    groups = np.repeat(np.arange(len(pieces)), [piece.faces for piece in pieces]) if len(pieces) > 1 else None
    names = tuple(f"{piece.name}" for piece in pieces) if groups is not None else ()
    return Polygons(vertices, corners, sizes, True, groups, names, pieces if len(pieces) > 1 else ())


def _header(data: bytes, path: Path) -> dict[str, Any]:
    """The JSON of a .gltf, or the first chunk of a .glb."""
    text = data
    if data[:4] == _MAGIC:
        length = int.from_bytes(data[12:16], "little")
        text = data[20 : 20 + length]
        if data[16:20] != _JSON_CHUNK or len(text) != length:
            raise InputError(f"{path}: its header is incomplete; is the file cut short?")
        if int.from_bytes(data[4:8], "little") != 2:
            raise InputError(f"{path}: is glTF version {data[4]}; export it as version 2")
    try:
        header = json.loads(text)
    except (ValueError, RecursionError):
        raise InputError(f"{path}: has no glTF header; is it another format under this name?") from None
    if not isinstance(header, dict) or "asset" not in header:
        raise InputError(f"{path}: has no glTF header; is it another format under this name?")
    return header


def _check_header(header: dict[str, Any], size: int, path: Path) -> dict[str, bytes]:
    """Refuse claims the data cannot hold and buffers outside the folder; returns the external buffers' contents."""
    used = str(header.get("extensionsRequired", []))
    for word in ("draco", "meshopt", "quantization"):
        if word in used:
            raise InputError(f"{path}: its geometry is compressed ({used}); export it without compression")
    buffers = {}
    for buffer in _dicts(header, "buffers", path):
        uri = buffer.get("uri")
        if isinstance(uri, str) and not uri.startswith("data:"):
            buffers[uri] = _sibling(path, uri).read_bytes()
            size += len(buffers[uri])
    for accessor in _dicts(header, "accessors", path):
        count = accessor.get("count", 0)
        if not isinstance(count, int) or not 0 <= count <= size:
            raise InputError(f"{path}: claims {count} elements in {size:,} bytes; is it damaged?")
    return buffers


def _dicts(header: dict[str, Any], key: str, path: Path) -> list[dict[str, Any]]:
    found = header.get(key, [])
    if not isinstance(found, list) or not all(isinstance(item, dict) for item in found):
        raise InputError(f"{path}: its '{key}' is not a list of objects; is it damaged?")
    return found


def _sibling(path: Path, uri: str) -> Path:
    """A file that the scene names, which must lie in the scene's own folder or below."""
    name = PurePosixPath(unquote(uri))
    if name.is_absolute() or ".." in name.parts or "\\" in str(name) or re.match(r"[A-Za-z][A-Za-z0-9+.-]*:", uri):
        raise InputError(f"{path}: names the buffer {uri[:60]!r} outside its own folder, which is not opened")
    found = path.parent / name
    if not found.is_file():
        raise InputError(f"{path}: its buffer {uri[:60]!r} is not there; keep the two files together or export a .glb")
    return found


def _load_scene(data: bytes, path: Path, buffers: dict[str, bytes]) -> Any:
    import trimesh

    kind = "glb" if data[:4] == _MAGIC else "gltf"
    try:
        return trimesh.load_scene(
            io.BytesIO(data), file_type=kind, resolver=buffers, skip_materials=True, process=False, validate=False
        )
    # trimesh lets whatever the damage provokes through: there is no smaller set that a broken file can raise.
    except (
        ValueError,
        TypeError,
        LookupError,
        AssertionError,
        AttributeError,
        ArithmeticError,
        MemoryError,
        RuntimeError,
        RecursionError,
    ) as error:
        cause = str(error).split("\n", 1)[0][:120] or type(error).__name__
        raise InputError(f"{path}: cannot be read as a glTF scene ({cause}); is it cut short or damaged?") from error


def _placed_parts(scene: Any) -> list[tuple[str, Any, Any]]:
    """Name, moved vertices and faces of every mesh in the scene, in the order in which the file lists the meshes."""
    import trimesh

    order = {name: index for index, name in enumerate(scene.geometry)}
    # Nodes of one mesh stay in the order in which the scene was walked.
    found = [scene.graph[node] for node in scene.graph.nodes_geometry]
    placed = sorted(((order[name], name, matrix) for matrix, name in found), key=lambda entry: entry[0])
    if not placed:  # a library of meshes that no scene shows
        placed = [(index, name, np.eye(4)) for name, index in order.items()]
    parts = []
    for _, name, matrix in placed:
        geometry = scene.geometry[name]
        if isinstance(geometry, trimesh.Trimesh):
            moved = trimesh.transformations.transform_points(geometry.vertices, matrix)
            faces = np.asarray(geometry.faces, dtype=np.int64)
            if np.linalg.det(matrix[:3, :3]) < 0:  # a mirror turns every face inside out
                faces = faces[:, ::-1]
            parts.append((name, np.asarray(moved, dtype=np.float64), faces))
    return parts
