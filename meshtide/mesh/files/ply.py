"""Stanford PLY: binary files through plyfile, ascii ones line by line, many times faster than plyfile does it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from meshtide.arrays import IntArray
from meshtide.errors import InputError
from meshtide.mesh.files.raw import MOST_ELEMENTS, Polygons, parse_numbers

_CORNER_LISTS = ("vertex_indices", "vertex_index")


@dataclass(frozen=True)
class _Element:
    """One kind of element as the header declares it; a property is a list where its flag says so."""

    name: str
    count: int
    properties: tuple[tuple[str, bool], ...]


@dataclass(frozen=True)
class _Header:
    elements: tuple[_Element, ...]
    ascii: bool
    length: int  # bytes up to the data


def read_ply(path: Path) -> Polygons:
    """Read a PLY file in its own order; a texture it names is not opened."""
    header = _read_header(path)
    elements = {element.name: element for element in header.elements}
    vertex = elements.get("vertex")
    if vertex is None or not {"x", "y", "z"} <= {name for name, _ in vertex.properties}:
        found = ", ".join(elements) or "nothing"
        raise InputError(f"{path}: has no vertices with x, y and z (found: {found}); is it a mesh?")
    face = elements.get("face")
    if face is not None and face.count and not _corner_list(face):
        found = ", ".join(name for name, _ in face.properties)
        raise InputError(f"{path}: its faces have no vertex_indices (found: {found}); re-export it as a plain mesh")
    return _read_ascii(path, header) if header.ascii else _read_binary(path, header)


def _corner_list(face: _Element) -> str | None:
    return next((name for name, is_list in face.properties if is_list and name in _CORNER_LISTS), None)


def _read_header(path: Path) -> _Header:
    """The header, after checking that the counts fit into the file."""
    size = path.stat().st_size
    with path.open("rb") as file:
        start = file.read(1 << 20)
    end = re.search(rb"(?:^|[\r\n])end_header(\r\n|\n|\r|\Z)", start)
    if not start.startswith(b"ply") or end is None:
        raise InputError(f"{path}: has no PLY header; is it another format under this name?")
    elements: list[_Element] = []
    is_ascii = True
    for line in start[: end.start()].decode(errors="replace").splitlines():
        words = line.split()
        if words[:1] == ["format"]:
            is_ascii = words[1:2] == ["ascii"]
        elif words[:1] == ["element"] and len(words) == 3 and words[2].isdigit():
            elements.append(_Element(words[1], int(words[2]), ()))
            if int(words[2]) > min(size, MOST_ELEMENTS):
                raise InputError(f"{path}: claims {words[2]} elements '{words[1]}' in {size:,} bytes; is it cut short?")
        elif words[:1] == ["property"] and elements:
            last = elements[-1]
            elements[-1] = _Element(last.name, last.count, (*last.properties, (words[-1], words[1:2] == ["list"])))
    return _Header(tuple(elements), is_ascii, end.end())


def _read_ascii(path: Path, header: _Header) -> Polygons:
    lines = [line for line in path.read_bytes()[header.length :].splitlines() if line.strip()]
    points: NDArray[np.float64] = np.zeros((0, 3))
    corners = sizes = np.zeros(0, dtype=np.int64)
    for element in header.elements:
        rows, lines = lines[: element.count], lines[element.count :]
        if len(rows) < element.count and element.properties:
            raise InputError(f"{path}: has {len(rows):,} of {element.count:,} '{element.name}' lines; is it cut short?")
        if element.name == "vertex":
            points = _ascii_points(rows, element, path)
        elif element.name == "face" and element.count:
            corners, sizes = _ascii_faces(rows, element, path)
    return Polygons(points, corners, sizes)


def _ascii_points(rows: list[bytes], element: _Element, path: Path) -> NDArray[np.float64]:
    names = [name for name, _ in element.properties]
    columns = [names.index(axis) for axis in "xyz"]
    if any(is_list for _, is_list in element.properties[: max(columns)]):
        raise InputError(f"{path}: its vertices have lists before their coordinates; re-export it as a plain mesh")
    try:
        picked = [b" ".join([words[column] for column in columns]) for words in map(bytes.split, rows)]
    except IndexError:
        raise InputError(f"{path}: some vertex lines are shorter than the header says; is it damaged?") from None
    return parse_numbers(b" ".join(picked), np.float64, f"{path}: vertices").reshape(-1, 3)


def _ascii_faces(rows: list[bytes], element: _Element, path: Path) -> tuple[IntArray, IntArray]:
    wanted = _corner_list(element)
    words_of = [row.split() for row in rows]
    starts = [0] * len(rows)
    try:
        for name, is_list in element.properties:  # almost always the corners come first and this stops at once
            if name == wanted:
                break
            starts = [at + 1 + (int(words[at]) if is_list else 0) for at, words in zip(starts, words_of, strict=True)]
        sizes = np.array([int(words[at]) for at, words in zip(starts, words_of, strict=True)], dtype=np.int64)
    except (IndexError, ValueError, OverflowError):
        raise InputError(f"{path}: some face lines are not what the header says; is it damaged?") from None
    picked = [words[at + 1 : at + 1 + size] for at, size, words in zip(starts, sizes.tolist(), words_of, strict=True)]
    corners = parse_numbers(b" ".join(map(b" ".join, picked)), np.int64, f"{path}: faces").astype(np.int64)
    if (sizes < 0).any() or len(corners) != sizes.sum():
        raise InputError(f"{path}: some face lines are shorter than they say; is it damaged?")
    return corners, sizes


def _read_binary(path: Path, header: _Header) -> Polygons:
    elements = {element.name: element for element in _load_plyfile(path, header).elements}
    vertex = elements["vertex"]
    with np.errstate(invalid="ignore"):  # damaged numbers are for the doctor to find
        points = np.stack([np.asarray(vertex[axis], dtype=np.float64) for axis in "xyz"], axis=1)
    face = elements.get("face")
    if face is None or face.count == 0:
        return Polygons(points, np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))
    column = face[next(name for name in _CORNER_LISTS if name in face.data.dtype.names)]
    if column.dtype != object:  # all triangles, read in one piece
        triangles = np.array(column, dtype=np.int64)
        return Polygons(points, triangles.ravel(), np.full(len(triangles), triangles.shape[1], dtype=np.int64))
    sizes = np.array([len(row) for row in column], dtype=np.int64)
    return Polygons(points, np.concatenate(list(column)).astype(np.int64), sizes)


def _load_plyfile(path: Path, header: _Header) -> Any:
    from plyfile import PlyData, PlyParseError

    # Knowing that every face is a triangle lets plyfile map the file in one piece; where it is not so, it says so.
    face = next((element for element in header.elements if element.name == "face"), None)
    lists = [name for name, is_list in face.properties if is_list] if face else []
    attempts: list[dict[str, Any]] = [{"known_list_len": {"face": {lists[0]: 3}}}] if len(lists) == 1 else []
    for options in [*attempts, {}]:
        try:
            return PlyData.read(str(path), **options)
        except (PlyParseError, ValueError, IndexError, KeyError, OverflowError, MemoryError, UnicodeError) as error:
            problem = str(error).split("\n", 1)[0][:120] or type(error).__name__
    raise InputError(f"{path}: is no readable PLY file ({problem}); is it cut short or damaged?")
