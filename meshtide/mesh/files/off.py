"""Geomview OFF, with the comments, colours and odd spacing that real files have."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from meshtide.arrays import IntArray
from meshtide.errors import InputError
from meshtide.files import read_regular
from meshtide.mesh.files.raw import MOST_ELEMENTS, Polygons, parse_numbers

_COUNT = re.compile(rb"[0-9]{1,18}")
_COMMENT = re.compile(rb"#[^\n]*")
_HEADER = re.compile(rb"\A\s*(ST)?C?N?(4)?(n)?OFF(?![A-Za-z])[ \t]*(BINARY)?")


def read_off(path: Path) -> Polygons:
    """Read an OFF, COFF, NOFF or STOFF file in its own order; colours and normals are passed over."""
    text = _COMMENT.sub(b"", read_regular(path).replace(b"\r\n", b"\n").replace(b"\r", b"\n"))
    header = _HEADER.match(text)
    if header is None:
        raise InputError(f"{path}: does not begin with OFF; is it another format under this name?")
    if header[2] or header[3] or header[4]:
        raise InputError(f"{path}: is a binary or not three-dimensional OFF file; save it as plain OFF or PLY")
    lines = [line for line in text[header.end() :].split(b"\n") if line.strip()]
    counts = lines[0].split() if lines else []
    if len(counts) < 2 or not all(_COUNT.fullmatch(count) for count in counts[:2]):
        raise InputError(f"{path}: has no line with the number of vertices and faces; is the file damaged?")
    vertex_count, face_count = int(counts[0]), int(counts[1])
    if max(vertex_count, face_count) > min(MOST_ELEMENTS, len(text)):
        raise InputError(f"{path}: claims {vertex_count:,} vertices and {face_count:,} faces in {len(text):,} bytes")
    if len(lines) >= 1 + vertex_count + face_count:
        return _read_lines(lines[1:], vertex_count, face_count, path)
    return _read_stream(b" ".join(lines[1:]), vertex_count, face_count, path)


def _read_lines(lines: list[bytes], vertex_count: int, face_count: int, path: Path) -> Polygons:
    """The usual layout: a line a vertex, a line a face, with anything behind."""
    rows = [line.split()[:3] for line in lines[:vertex_count]]
    points = parse_numbers(b" ".join(b" ".join(row) for row in rows), np.float64, f"{path}: vertices")
    if len(points) != 3 * vertex_count:
        raise InputError(f"{path}: some of its {vertex_count:,} vertex lines have fewer than 3 numbers; damaged?")
    corners, sizes = _faces(lines[vertex_count:], face_count, f"{path}: faces")
    if (sizes < 0).any() or len(corners) != sizes.sum():
        raise InputError(f"{path}: some of its {face_count:,} face lines are shorter than they say; is it damaged?")
    return Polygons(points.reshape(-1, 3), corners, sizes)


def _faces(lines: list[bytes], face_count: int, place: str) -> tuple[IntArray, IntArray]:
    """The corners of the faces and how many each has; a colour may follow on a face's last line."""
    faces = [line.split() for line in lines[:face_count]]
    sizes = parse_numbers(b" ".join(face[0] for face in faces), np.int64, place).astype(np.int64)
    if len(sizes) < len(faces):  # numpy stops where a sign stands alone
        raise InputError(f"{place}: some do not begin with a number of corners; is the file damaged?")
    used = [face[1 : size + 1] for face, size in zip(faces, sizes.tolist(), strict=True)]
    if any(len(face) < size for face, size in zip(used, sizes.tolist(), strict=True)):
        used, sizes = _broken_faces(lines, face_count, place)
    corners = parse_numbers(b" ".join(b" ".join(face) for face in used), np.int64, place).astype(np.int64)
    return corners, sizes


def _broken_faces(lines: list[bytes], face_count: int, place: str) -> tuple[list[list[bytes]], IntArray]:
    """Faces whose corners go on in the next line."""
    faces: list[list[bytes]] = []
    sizes: list[int] = []
    missing = 0
    for line in lines:
        words = line.split()
        if not missing:
            if len(faces) == face_count:
                break
            missing = int(parse_numbers(words[0], np.int64, place)[0])
            sizes.append(missing)
            faces.append([])
            words = words[1:]
        faces[-1] += words[: max(missing, 0)]
        missing = sizes[-1] - len(faces[-1])
    if len(faces) < face_count:
        raise InputError(f"{place}: there are {len(faces):,} of the {face_count:,} that it claims; is it cut short?")
    return faces, np.array(sizes, dtype=np.int64)


def _read_stream(text: bytes, vertex_count: int, face_count: int, path: Path) -> Polygons:
    """Numbers without a line structure: possible only where nothing but coordinates and corners is stored."""
    numbers = parse_numbers(text, np.float64, str(path))
    if len(numbers) < 3 * vertex_count:
        raise InputError(f"{path}: has fewer than the {vertex_count:,} vertices it claims; is it cut short?")
    points, said = numbers[: 3 * vertex_count], numbers[3 * vertex_count :]
    with np.errstate(invalid="ignore"):
        rest = said.astype(np.int64)
    if (rest != said).any():
        raise InputError(f"{path}: has numbers that are not whole where vertex numbers should stand; is it damaged?")
    sizes: IntArray = np.zeros(face_count, dtype=np.int64)
    keep = np.ones(len(rest), dtype=bool)
    position = 0
    for face in range(face_count):
        if position >= len(rest) or not 0 <= rest[position] < len(rest) - position:
            raise InputError(f"{path}: ends within face {face:,} of {face_count:,}; is it cut short?")
        sizes[face], keep[position] = rest[position], False
        position += 1 + int(rest[position])
    return Polygons(points.reshape(-1, 3), rest[:position][keep[:position]], sizes)
