"""Labels that stand in the mesh file itself: a PLY property, or the groups of an OBJ."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from meshtide.errors import InputError
from meshtide.labels.files.contents import PerElement, Place, Sizes, check_is_file, check_part_count, whole_numbers
from meshtide.mesh.files.ply_header import Header, read_header
from meshtide.mesh.files.ply_rows import read_columns

# The properties that are taken for labels, the first one found in this order.
PLY_PROPERTIES = (
    "label", "labels", "part", "parts", "part_id", "segment", "segment_id", "segmentation", "seg", "class", "class_id",
    "category", "category_id",
)  # fmt: skip
_PLACES: dict[str, Place] = {"vertex": "vertices", "face": "faces"}


def read_ply_labels(path: Path, sizes: Sizes | None, on: Place | None = None) -> PerElement:
    """The label property of a PLY's vertices or faces."""
    header = _header(path)
    found = _labels_of(header)
    if on is not None:
        found = [place for place in found if _PLACES[place[0]] == on]
    if not found:
        raise InputError(f"{path}: has no label on vertices or faces; wanted one of {', '.join(PLY_PROPERTIES)}")
    if len({element for element, _ in found}) > 1:
        raise InputError(f"{path}: has labels on vertices and on faces; choose one with on='vertices' or on='faces'")
    element, name = min(found, key=lambda place: PLY_PROPERTIES.index(place[1]))
    values = whole_numbers(path, _column(path, header, element, name))
    notes = (f"labels are the property '{name}' of the {_PLACES[element]}",)
    return PerElement(path, values, None, _PLACES[element], notes=notes)


def read_obj_groups(path: Path, sizes: Sizes | None) -> PerElement:
    """The groups of an OBJ's faces."""
    from meshtide.mesh.files import read_raw

    raw = read_raw(path)
    if raw.groups is None or len(raw.group_names) < 2:
        raise InputError(f"{path}: has no groups that tell faces apart; wanted two or more 'g', 'o' or 'usemtl' names")
    check_part_count(path, len(raw.group_names))
    notes = ("labels are the groups of the OBJ file",)
    return PerElement(path, raw.groups.astype(np.int64), raw.group_names, "faces", 0, notes)


def label_properties(path: Path) -> list[tuple[str, str]]:
    """The (element, property) pairs of a PLY that are labels by their names."""
    return _labels_of(_header(path))


def _labels_of(header: Header) -> list[tuple[str, str]]:
    return [
        (element.name, each.name)
        for element in header.elements
        for each in element.properties
        if element.name in _PLACES and each.name in PLY_PROPERTIES and not each.count_kind
    ]


def _header(path: Path) -> Header:
    check_is_file(path)
    try:
        return read_header(path)
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror or error})") from error


def _column(path: Path, header: Header, element: str, name: str) -> NDArray[Any]:
    try:
        return read_columns(path, header, {element: (name,)})[element, name].values
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror or error})") from error
    except MemoryError:
        raise InputError(f"{path}: does not fit into memory; decimate it first") from None
