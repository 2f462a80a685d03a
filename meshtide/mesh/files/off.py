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
    faces = [line.split() for line in lines[vertex_count : vertex_count + face_count]]
    sizes = parse_numbers(b" ".join(face[0] for face in faces), np.int64, f"{path}: faces").astype(np.int64)
    used = [face[1 : size + 1] for face, size in zip(faces, sizes.tolist(), strict=True)]
    corners = parse_numbers(b" ".join(b" ".join(face) for face in used), np.int64, f"{path}: faces").astype(np.int64)
    if (sizes < 0).any() or len(corners) != sizes.sum():
        raise InputError(f"{path}: some of its {face_count:,} face lines are shorter than they say; is it damaged?")
    return Polygons(points.reshape(-1, 3), corners, sizes)


def _read_stream(text: bytes, vertex_count: int, face_count: int, path: Path) -> Polygons:
    """Numbers without a line structure: possible only where nothing but coordinates and corners is stored."""
    numbers = parse_numbers(text, np.float64, str(path))
    if len(numbers) < 3 * vertex_count:
        raise InputError(f"{path}: has fewer than the {vertex_count:,} vertices it claims; is it cut short?")
    points, rest = numbers[: 3 * vertex_count], numbers[3 * vertex_count :].astype(np.int64)
    sizes: IntArray = np.zeros(face_count, dtype=np.int64)
    keep = np.ones(len(rest), dtype=bool)
    position = 0
    for face in range(face_count):
        if position >= len(rest) or rest[position] < 0 or position + rest[position] >= len(rest):
            raise InputError(f"{path}: ends within face {face:,} of {face_count:,}; is it cut short?")
        sizes[face], keep[position] = rest[position], False
        position += 1 + int(rest[position])
    return Polygons(points.reshape(-1, 3), rest[:position][keep[:position]], sizes)
