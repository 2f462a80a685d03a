"""Stanford PLY, binary and text: points and polygons of any sizes, among whatever else the file holds."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from meshtide.arrays import IntArray
from meshtide.errors import InputError
from meshtide.mesh.files.ply_header import Element, Header, read_header
from meshtide.mesh.files.ply_rows import Column, read_columns
from meshtide.mesh.files.raw import Polygons

_CORNER_LISTS = ("vertex_indices", "vertex_index")


def read_ply(path: Path) -> Polygons:
    """Read a PLY file in its own order; a texture it names is not opened."""
    header = read_header(path)
    vertex, face = _vertices(header, path), header.find("face")
    corner_list = _corner_list(face, path) if face is not None and face.count else None
    wanted = {vertex.name: ("x", "y", "z"), "face": (corner_list,) if corner_list else ()}
    columns = read_columns(path, header, wanted)
    with np.errstate(invalid="ignore"):  # damaged numbers are for the doctor to find
        points = np.stack([columns["vertex", axis].values.astype(np.float64) for axis in "xyz"], axis=1)
    if corner_list is None:
        return Polygons(points, np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))
    corners = columns["face", corner_list]
    return Polygons(points, _whole(corners, path), corners.sizes)


def _vertices(header: Header, path: Path) -> Element:
    vertex = header.find("vertex")
    axes = [vertex.find(axis) for axis in "xyz"] if vertex else [None]
    if vertex is None or None in axes:
        found = ", ".join(repr(element.name[:40]) for element in header.elements[:10]) or "nothing"
        raise InputError(f"{path}: has no vertices with x, y and z (found: {found}); is it a mesh?")
    if any(axis and axis.count_kind for axis in axes):
        raise InputError(f"{path}: its vertices have lists for coordinates; re-export it as a plain mesh")
    return vertex


def _corner_list(face: Element, path: Path) -> str:
    """The list property that names the corners of each face."""
    named = [each for name in _CORNER_LISTS if (each := face.find(name))]
    if not named:
        found = ", ".join(repr(each.name[:40]) for each in face.properties[:10]) or "nothing"
        raise InputError(f"{path}: its faces have no vertex_indices (found: {found}); re-export it as a plain mesh")
    single = next((each for each in named if not each.count_kind), None)
    if single:
        raise InputError(f"{path}: '{single.name}' of its faces is one number where a list belongs; is it damaged?")
    return named[0].name


def _whole(corners: Column, path: Path) -> IntArray:
    """Vertex numbers as int64; a file may store them as floats."""
    with np.errstate(invalid="ignore"):
        numbers = corners.values.astype(np.int64)
    if corners.values.dtype.kind == "f" and (numbers != corners.values).any():
        raise InputError(f"{path}: has numbers that are not whole where vertex numbers should stand; is it damaged?")
    return numbers
