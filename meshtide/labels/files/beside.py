"""Find which label file belongs to which mesh of a folder."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from meshtide.errors import InputError
from meshtide.labels.files.mesh_files import label_properties, read_obj_groups
from meshtide.labels.files.reading import label_suffixes
from meshtide.labels.files.vtk import VTK_SUFFIXES, has_vtk_labels

_PERHAPS_LABELS = (".txt", ".json")  # without a mesh they may be anything
_HEADER = [b"#", b"meshtide", b"labels"]  # of those that we write
_NUMBER = re.compile(rb"-?\d{1,4}")
_GLANCE, _FEW_LINES = 4096, 20  # bytes that are looked at, and numbers in them that may be something else
_GROUP_LINE = re.compile(rb"^[ \t]*(g|o|usemtl)[ \t]+([^\r\n]+)", re.MULTILINE)


@dataclass
class Beside:
    """The label files of a folder's meshes."""

    of: dict[Path, list[Path]] = field(default_factory=dict)  # mesh -> its label files, none or several perhaps
    without_mesh: list[Path] = field(default_factory=list)


def labels_beside(meshes: list[Path], files: list[Path]) -> Beside:
    """The label file of x.obj is x.txt, x_labels.txt, x.seg, … in the same folder.

    Only where no mesh has one, the labels inside the mesh files count: groups that mean materials would otherwise mix
    with the parts of the label files.
    """
    beside = Beside({mesh: [] for mesh in meshes})
    by_stem: dict[str, list[Path]] = {}
    for mesh in meshes:
        by_stem.setdefault(mesh.stem, []).append(mesh)
    suffixes = label_suffixes()
    for file in files:
        if file.suffix.lower() not in suffixes:
            continue
        owners = by_stem.get(file.stem) or by_stem.get(file.stem.removesuffix("_labels"), [])
        for mesh in owners:
            beside.of[mesh].append(file)
        if not owners and _is_of_labels(file):
            beside.without_mesh.append(file)
    if not any(beside.of.values()):
        beside.of = {mesh: [mesh] if has_own_labels(mesh) else [] for mesh in meshes}
    return beside


def _is_of_labels(file: Path) -> bool:
    """Whether a file without a mesh is surely one of labels, by its suffix, its name or its first lines."""
    if file.suffix.lower() not in _PERHAPS_LABELS or file.stem.endswith("_labels"):
        return True
    try:
        with file.open("rb") as opened:
            lines = opened.read(_GLANCE).split()
    except OSError:
        return False
    return lines[:3] == _HEADER or (len(lines) > _FEW_LINES and all(map(_NUMBER.fullmatch, lines[:-1])))


def has_own_labels(mesh: Path) -> bool:
    """Whether a mesh file holds labels itself: a label property, or OBJ groups that tell faces apart."""
    suffix = mesh.suffix.lower()
    try:
        if suffix == ".ply":
            return bool(label_properties(mesh))
        if suffix in VTK_SUFFIXES:
            return has_vtk_labels(mesh)
        if suffix != ".obj" or not _names_groups(mesh):
            return False
        read_obj_groups(mesh, None)
    except InputError:
        return False
    return True


def _names_groups(mesh: Path) -> bool:
    """Whether an OBJ has two group names of a kind; much faster than reading its faces."""
    try:
        found = set(_GROUP_LINE.findall(mesh.read_bytes()))
    except OSError:
        return False
    return any(sum(kind == key for kind, _ in found) > 1 for key in (b"g", b"o", b"usemtl"))
