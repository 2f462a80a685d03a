"""Wavefront OBJ: `v` and `f` lines, and the groups that faces stand in.

Read here and not by trimesh, which splits vertices at texture and normal seams, sorts faces by material and opens the
files that `mtllib` names. Vertex i is the i-th `v` line and face i the i-th `f` line, always.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from meshtide.arrays import IntArray
from meshtide.errors import InputError
from meshtide.files import read_regular
from meshtide.mesh.files.raw import Polygons, parse_numbers

FACE = (b"f ", b"f\t")  # how a line that is a face begins
_TEXTURE_AND_NORMAL = re.compile(rb"/[^\s]*")


@dataclass
class _Lines:
    """The lines that matter, sorted by kind."""

    vertices: list[bytes] = field(default_factory=list)
    faces: list[bytes] = field(default_factory=list)
    relative: dict[int, int] = field(default_factory=dict)  # face with negative numbers -> vertices before it
    marks: dict[bytes, list[tuple[int, str]]] = field(default_factory=dict)  # g, o, usemtl -> (first face, name)


def read_obj(path: Path) -> Polygons:
    """Read an OBJ file in its own order; texture coordinates, normals and materials are passed over."""
    lines = _sort_lines(read_regular(path))
    corners, sizes = _corners(lines, path)
    groups, names = _groups(lines, len(sizes))
    return Polygons(_points(lines.vertices, path), corners, sizes, groups=groups, group_names=names)


def _sort_lines(data: bytes) -> _Lines:
    data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").replace(b"\\\n", b" ")
    lines = _Lines()
    for line in data.split(b"\n"):
        line = line.strip()
        if line[:2] in (b"v ", b"v\t"):
            lines.vertices.append(line[2:].partition(b"#")[0].rstrip() if b"#" in line else line[2:])
        elif line[:2] in FACE:
            if b"-" in line:
                lines.relative[len(lines.faces)] = len(lines.vertices)
            lines.faces.append(line[2:].partition(b"#")[0])
        elif line[:1] in (b"g", b"o", b"u"):
            key, _, name = line.partition(b" ")
            if key in (b"g", b"o", b"usemtl"):
                lines.marks.setdefault(key, []).append((len(lines.faces), name.strip().decode(errors="replace")))
    return lines


def _points(lines: list[bytes], path: Path) -> NDArray[np.float64]:
    """The first three numbers of each `v` line; a weight or a colour may follow."""
    if not lines:
        return np.zeros((0, 3))
    widths = {line.count(b" ") for line in lines}
    if len(widths) == 1 and b"\t" not in lines[0]:
        numbers = parse_numbers(b" ".join(lines), np.float64, f"{path}: vertices")
        width = len(numbers) // len(lines)
        if width >= 3 and len(numbers) == width * len(lines) and len(lines[0].split()) == width:
            return numbers.reshape(-1, width)[:, :3]
    rows = [line.split()[:3] for line in lines]
    short = next((index for index, row in enumerate(rows) if len(row) < 3), None)
    if short is not None:
        raise InputError(f"{path}: vertex {short + 1} has {len(rows[short])} coordinates, not 3; is the file damaged?")
    joined = b" ".join(b" ".join(row) for row in rows)
    return parse_numbers(joined, np.float64, f"{path}: vertices").reshape(-1, 3)


def _corners(lines: _Lines, path: Path) -> tuple[IntArray, IntArray]:
    """Vertex numbers from 0, and how many each face has; OBJ counts from 1, and from the end with negative numbers."""
    sizes = np.array([len(line.split()) for line in lines.faces], dtype=np.int64)
    text = _TEXTURE_AND_NORMAL.sub(b"", b" ".join(lines.faces))
    numbers = parse_numbers(text, np.int64, f"{path}: faces").astype(np.int64)
    if len(numbers) != sizes.sum():
        raise InputError(f"{path}: faces hold {len(numbers):,} numbers where {sizes.sum():,} were meant; damaged?")
    starts = np.concatenate([[0], np.cumsum(sizes)])
    for face, before in lines.relative.items():
        part = numbers[starts[face] : starts[face + 1]]
        part[part < 0] += before + 1
    return numbers - 1, sizes


def _groups(lines: _Lines, face_count: int) -> tuple[IntArray | None, tuple[str, ...]]:
    """Each face's group, by the first of `g`, `o` and `usemtl` that tells faces apart."""
    for key in (b"g", b"o", b"usemtl"):
        marks = lines.marks.get(key, [])
        numbers: dict[str, int] = {}
        groups = np.full(face_count, -1, dtype=np.int64)
        ends = [first for first, _ in marks[1:]] + [face_count]
        for (first, name), end in zip(marks, ends, strict=True) if marks else ():
            if first < end:
                groups[first:end] = numbers.setdefault(name or "default", len(numbers))
        if len(np.unique(groups)) > 1:
            return groups, tuple(numbers)
    return None, ()
