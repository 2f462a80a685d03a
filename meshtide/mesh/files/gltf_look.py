"""How a glTF looks: textures, materials, and what its vertices have beside their places; kept and never opened."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from meshtide.errors import InputError
from meshtide.mesh.files.gltf import Part, all_parts
from meshtide.mesh.files.gltf_accessors import vectors
from meshtide.mesh.files.gltf_container import Container

_ATTRIBUTE = re.compile(r"(NORMAL|TANGENT|TEXCOORD_\d|COLOR_\d)\Z")
_TABLES = ("materials", "textures", "samplers")
_EXTENSION = re.compile(r"(KHR_materials_|KHR_texture_|EXT_texture_)\w+\Z")


@dataclass(frozen=True, eq=False)
class Covering:
    """What one primitive has: the vertices and faces of the file that are its own, attributes, and its material."""

    first: int  # of its vertices
    attributes: dict[str, NDArray[np.float32]]  # a row for each of its vertices
    vertices: int
    faces: int
    material: int | None


@dataclass(frozen=True, eq=False)
class Look:
    """What a scene has beside its surface."""

    coverings: list[Covering]  # in the order of the file's faces
    tables: dict[str, list[dict[str, Any]]]  # materials, textures and samplers as they stand in the file
    images: list[tuple[dict[str, Any], bytes | None]]  # with the bytes of those that lie in it
    extensions: list[str]


def look_of(path: Path) -> Look | None:
    """How a scene looks, if it has textures or colours of its vertices; None also where that is damaged."""
    try:
        return _look(Container(path))
    except InputError:
        return None


def _look(container: Container) -> Look | None:
    tables = {key: [container.entry(key, i) for i in range(len(container.table(key)))] for key in _TABLES}
    parts = all_parts(container)
    if not tables["textures"] and not any("COLOR_0" in part.primitive["attributes"] for part in parts):
        return None
    images = [_image(container, index) for index in range(len(container.table("images")))]
    try:  # what no other program could read is left away
        json.dumps([tables, [image for image, _ in images]], allow_nan=False)
    except (ValueError, RecursionError):
        return None
    used = [name for name in container.table("extensionsUsed") if isinstance(name, str) and _EXTENSION.match(name)]
    return Look(_coverings(container, parts, len(tables["materials"])), tables, images, used)


def _coverings(container: Container, parts: list[Part], materials: int) -> list[Covering]:
    found: list[Covering] = []
    first = end = 0
    for part in parts:
        if not part.shares:
            first, end = end, end + part.vertices
        material = part.primitive.get("material")
        known = type(material) is int and 0 <= material < materials
        found.append(
            Covering(first, _attributes(container, part), part.vertices, part.faces, material if known else None)
        )
    return found


def _attributes(container: Container, part: Part) -> dict[str, NDArray[np.float32]]:
    """Normals, colours and places in textures; directions are turned as the primitive is."""
    found = {}
    matrix = part.matrix[:3, :3]
    for name, index in part.primitive["attributes"].items():
        if not _ATTRIBUTE.match(name):
            continue
        rows = vectors(container, index)
        if len(rows) != part.vertices or not np.isfinite(rows).all():
            raise container.refusal(f"its {name} does not fit its vertices")
        if name == "NORMAL":
            rows = _unit(rows[:, :3] @ _cofactors(matrix).T)
        elif name == "TANGENT" and rows.shape[1] == 4:
            side = np.sign(np.linalg.det(matrix)) or 1.0
            rows = np.column_stack([_unit(rows[:, :3] @ matrix.T), side * rows[:, 3]])
        found[name] = rows.astype(np.float32)
    return found


def _cofactors(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """What turns normals where a matrix moves points, up to their length; there where it has no inverse, too."""
    columns = [np.cross(matrix[:, (k + 1) % 3], matrix[:, (k + 2) % 3]) for k in range(3)]
    return np.stack(columns, axis=1) * (np.sign(np.linalg.det(matrix)) or 1.0)


def _unit(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.where(lengths > 0, rows / np.where(lengths > 0, lengths, 1.0), [0.0, 0.0, 1.0])


def _image(container: Container, index: int) -> tuple[dict[str, Any], bytes | None]:
    image = container.entry("images", index)
    if image.get("bufferView") is None:
        return image, None
    view = container.entry("bufferViews", image["bufferView"])
    buffer = container.buffer(view.get("buffer"))
    start, length = container.whole(view, "byteOffset", 0), container.whole(view, "byteLength")
    if start + length > len(buffer):
        raise container.refusal(f"its image {index} is cut short")
    return image, buffer[start : start + length]
