"""glTF and GLB scenes, joined into one surface; textures are never opened.

Read here and not by trimesh, which passes over sparse accessors, fans and strips, and repeats shared meshes before
anyone could ask how large the whole becomes. Skins and morph targets are left as they are at rest.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from meshtide.arrays import IntArray
from meshtide.mesh.files.gltf_accessors import count_of, positions, vertex_numbers
from meshtide.mesh.files.gltf_container import Container
from meshtide.mesh.files.gltf_nodes import placed_meshes
from meshtide.mesh.files.raw import MOST_ELEMENTS, Polygons
from meshtide.mesh.origin import Piece

# Vertices and triangles of a scene, instances counted: this many, or one for every two bytes. A scene without
# instances has at least five bytes for each.
MOST_REPEATED, BYTES_FOR_EACH = 2_000_000, 2
ELEMENTS_OF_A_PART = 20  # that each part counts as for itself: empty ones take room too
MOST_LETTERS = 500  # of a name
_TRIANGLES, _STRIP, _FAN = 4, 5, 6
_NO_SURFACE = (0, 1, 2, 3)  # points and lines


@dataclass(frozen=True, eq=False)
class Part:
    """One primitive of one placed mesh."""

    name: str
    matrix: NDArray[np.float64]  # (4, 4)
    primitive: dict[str, Any]  # as the file has it
    points: Any  # the number of an accessor
    corners: Any  # that of another; None: the points in their order
    mode: int
    shares: bool  # the points are those of the primitive before it
    vertices: int  # of the accessor
    faces: int


def read_gltf(path: Path) -> Polygons:
    """Read every triangle of a scene, moved to its place: node after node as the file lists them.

    Where primitives of one mesh share their points, these are the file's vertices once for every node.
    """
    container = Container(path)
    _refuse_compression(container)
    for buffer in range(len(container.table("buffers"))):
        container.buffer(buffer)  # so that the files beside it count
    parts = all_parts(container)
    vertices, faces = _joined(container, parts)
    pieces = tuple(Piece(part.name, 0 if part.shares else part.vertices, part.faces) for part in parts)
    groups = np.repeat(np.arange(len(pieces)), [piece.faces for piece in pieces]) if len(pieces) > 1 else None
    names = tuple(piece.name for piece in pieces) if groups is not None else ()
    sizes = np.full(len(faces), 3, dtype=np.int64)
    # glTF repeats a vertex wherever its normal, colour or texture differs, so its corners are split.
    return Polygons(vertices, faces.ravel(), sizes, True, groups, names, pieces if len(pieces) > 1 else ())


def _refuse_compression(container: Container) -> None:
    for name in map(str, container.table("extensionsRequired")):
        if any(word in name.lower() for word in ("draco", "meshopt")):
            raise container.refusal(f"its geometry is compressed ({name}); export it without compression")
        if "instancing" in name.lower():
            raise container.refusal(f"its meshes are repeated by {name}, which is not read; export it without")


def all_parts(container: Container) -> list[Part]:
    """Every primitive of every placed mesh, unless a few bytes make the scene large; nothing is allocated for them."""
    most = min(max(MOST_REPEATED, container.size // BYTES_FOR_EACH), MOST_ELEMENTS)
    parts: list[Part] = []
    of_mesh: dict[int, list[Part]] = {}  # looked at once, however often a mesh is placed
    total = 0
    for placed in placed_meshes(container):
        if placed.mesh not in of_mesh:
            of_mesh[placed.mesh] = list(_parts(container, placed.mesh))
        for part in of_mesh[placed.mesh]:
            parts.append(replace(part, matrix=placed.matrix))
            total += (0 if part.shares else part.vertices) + part.faces + ELEMENTS_OF_A_PART
            if total > most:
                raise container.refusal(
                    f"its {container.size:,} bytes claim or repeat more than {most:,} vertices and triangles, which "
                    "are the most for a file of this size; is it damaged, or can it be exported without instances?"
                )
    return parts


def _parts(container: Container, number: int) -> Iterator[Part]:
    """The primitives of a mesh that are surfaces, with their sizes; nothing of them is read yet."""
    mesh = container.entry("meshes", number)
    said, primitives = mesh.get("name"), mesh.get("primitives", [])
    if not isinstance(primitives, list) or not all(isinstance(each, dict) for each in primitives):
        raise container.refusal(f"mesh {number} has no list of primitives; is it damaged?")
    name = said[:MOST_LETTERS] if isinstance(said, str) and said else f"mesh {number}"
    before: Part | None = None
    count = 0
    for primitive in primitives:
        mode = primitive.get("mode", _TRIANGLES)
        attributes = primitive.get("attributes")
        if mode in _NO_SURFACE:
            continue
        if mode not in (_TRIANGLES, _STRIP, _FAN) or not isinstance(attributes, dict):
            raise container.refusal(f"mesh {number} has a primitive that is none of glTF 2.0; is it damaged?")
        extensions = primitive.get("extensions")
        if isinstance(extensions, dict) and any("draco" in each.lower() for each in extensions):
            raise container.refusal("its geometry is compressed (Draco); export it without compression")
        points, corners = attributes.get("POSITION"), primitive.get("indices")
        vertices = count_of(container, points)
        length = vertices if corners is None else count_of(container, corners)
        if mode == _TRIANGLES and length % 3:
            raise container.refusal(f"mesh {number} has {length:,} corners, which make no whole triangles")
        faces = length // 3 if mode == _TRIANGLES else max(length - 2, 0)
        shares = before is not None and before.points == points
        called = f"{name}_{count}" if count else name
        before = Part(called, np.eye(4), primitive, points, corners, mode, shares, vertices, faces)
        count += 1
        yield before


def _joined(container: Container, parts: list[Part]) -> tuple[NDArray[np.float64], IntArray]:
    """All points in their places and all triangles, filled into arrays of their final size."""
    vertices = np.zeros((sum(part.vertices for part in parts if not part.shares), 3))
    faces: IntArray = np.zeros((sum(part.faces for part in parts), 3), dtype=np.int64)
    start, end, row = 0, 0, 0
    for part in parts:
        if not part.shares:
            start, end = end, end + part.vertices
            with np.errstate(over="ignore", invalid="ignore"):
                moved = positions(container, part.points) @ part.matrix[:3, :3].T + part.matrix[:3, 3]
            vertices[start:end] = moved
        here = faces[row : row + part.faces]
        here[:] = _triangles(container, part)
        here[(here >= part.vertices).any(axis=1)] = -1 - start  # another part's vertices are not meant
        here += start
        row += part.faces
    return vertices, faces


def _triangles(container: Container, part: Part) -> IntArray:
    """The triangles of a primitive in terms of its own points, (F, 3)."""
    corners = np.arange(part.vertices) if part.corners is None else vertex_numbers(container, part.corners)
    if part.mode == _TRIANGLES:
        triangles = corners.reshape(-1, 3)
    else:
        i = np.arange(part.faces)
        odd = i % 2
        order = (i + 1, i + 2, 0 * i) if part.mode == _FAN else (i, i + 1 + odd, i + 2 - odd)
        triangles = corners[np.stack(order, axis=1)]
    mirrored = np.linalg.det(part.matrix[:3, :3]) < 0  # a mirror turns every face inside out
    return triangles[:, ::-1] if mirrored else triangles
