"""Labels that stand in the mesh file itself: a PLY property, or the groups of an OBJ."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np

from meshtide.errors import InputError
from meshtide.labels.files.contents import PerElement, Place, Sizes, check_part_count, whole_numbers

# The properties that are taken for labels, the first one found in this order.
PLY_PROPERTIES = (
    "label", "labels", "part", "parts", "part_id", "segment", "segment_id", "segmentation", "seg", "class", "class_id",
    "category", "category_id",
)  # fmt: skip
_PLACES: dict[str, Place] = {"vertex": "vertices", "face": "faces"}


def read_ply_labels(path: Path, sizes: Sizes | None, on: Place | None = None) -> PerElement:
    """The label property of a PLY's vertices or faces."""
    found = label_properties(path)
    if on is not None:
        found = [place for place in found if _PLACES[place[0]] == on]
    if not found:
        raise InputError(f"{path}: has no label on vertices or faces; wanted one of {', '.join(PLY_PROPERTIES)}")
    if len({element for element, _ in found}) > 1:
        raise InputError(f"{path}: has labels on vertices and on faces; choose one with on='vertices' or on='faces'")
    element, name = min(found, key=lambda place: PLY_PROPERTIES.index(place[1]))
    values = whole_numbers(path, np.asarray(_ply_property(path, element, name)))
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
    """The (element, property) pairs of a PLY's header that are labels by their names."""
    found, element = [], ""
    for words in _header_lines(path):
        if words[0] == "element" and len(words) == 3:
            element = words[1]
        elif words[0] == "property" and len(words) == 3 and element in _PLACES and words[2] in PLY_PROPERTIES:
            found.append((element, words[2]))
    return found


def _header_lines(path: Path) -> list[list[str]]:
    """The header's lines as words, after checking that the file is as long as it claims at least."""
    if not path.is_file():
        raise InputError(f"{path}: no such file")
    size = path.stat().st_size
    with path.open("rb") as file:
        start = file.read(1 << 20)
    end = re.search(rb"(?:^|[\r\n])end_header\s", start)
    if not start.startswith(b"ply") or end is None:
        raise InputError(f"{path}: has no PLY header; is it another format under this name?")
    lines = [line.split() for line in start[: end.start()].decode(errors="replace").splitlines() if line.strip()]
    for words in lines:
        if words[0] == "element" and (len(words) != 3 or not words[2].isdecimal() or int(words[2][:18]) > size):
            raise InputError(f"{path}: claims '{' '.join(words)[:80]}' in {size:,} bytes; is it cut short?")
    return lines


def _ply_property(path: Path, element: str, name: str) -> Any:
    """One column of a PLY; plyfile's own errors are about the file."""
    from plyfile import PlyData, PlyParseError

    # Told that every face is a triangle, plyfile reads the file in one piece; where it is not so, it says so.
    lists = [words[-1] for words in _header_lines(path) if words[:2] == ["property", "list"]]
    attempts = [{"face": {lists[0]: 3}}] if len(lists) == 1 else []
    problem = ""
    for known in [*attempts, {}]:
        try:
            return PlyData.read(str(path), known_list_len=known)[element][name]
        except (PlyParseError, ValueError, ArithmeticError, LookupError, TypeError, OSError, MemoryError) as error:
            problem = str(error).partition("\n")[0][:120] or type(error).__name__
    raise InputError(f"{path}: cannot be read as PLY ({problem}); is it damaged?")
