"""People's divisions of meshes into unnamed regions: Princeton's `.seg` files, and how they are found for a mesh.

A `.seg` file has a number for each face of the mesh's file. Which number is meant by none; two files agree where they
join the same faces.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from meshtide.arrays import IntArray
from meshtide.errors import InputError
from meshtide.labels.files import Sizes, parse_labels
from meshtide.labels.files.contents import PerElement
from meshtide.labels.files.survey import natural_key
from meshtide.mesh.files import READABLE
from meshtide.mesh.mesh import Mesh

SUFFIX = ".seg"


@dataclass(frozen=True)
class DividedMesh:
    """A mesh file and the files of the people who divided it."""

    mesh_path: Path
    seg_paths: tuple[Path, ...]


def find_divided_meshes(folder: str | Path, segmentations: str | Path | None = None) -> list[DividedMesh]:
    """The meshes of a folder that have `.seg` files, in natural order.

    For a mesh `12.off` these are `12.seg` and `12_0.seg`, `12_1.seg` …, beside the mesh or in `segmentations`, there or
    in a folder `12` of it, as the Princeton benchmark has them.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise InputError(f"{folder}: is no folder of meshes")
    places = [Path(segmentations)] if segmentations is not None else [folder, folder / "seg", folder.parent / "seg"]
    if segmentations is not None and not places[0].is_dir():
        raise InputError(f"{places[0]}: is no folder of {SUFFIX} files")
    meshes = sorted(
        (path for path in folder.iterdir() if path.suffix.lower() in READABLE), key=lambda path: natural_key(path.name)
    )
    found = [DividedMesh(path, tuple(_seg_files(path.stem, places))) for path in meshes]
    divided = [each for each in found if each.seg_paths]
    if not divided:
        raise InputError(
            f"{folder}: none of its {len(meshes):,} meshes has a {SUFFIX} file beside it or in "
            f"{' or '.join(str(place) for place in places)}; name the folder of {SUFFIX} files"
        )
    return divided


def read_division(path: str | Path, mesh: Mesh) -> IntArray:
    """The region of each of the mesh's triangles, from a `.seg` file about the faces of the mesh's file."""
    contents = parse_labels(path, Sizes.of(mesh))
    if not isinstance(contents, PerElement) or len(contents.values) != mesh.origin.face_count:
        count = len(contents.values) if isinstance(contents, PerElement) else 0
        raise InputError(
            f"{path}: {count:,} region numbers for the {mesh.origin.face_count:,} faces of {mesh.name}; "
            "was it made for another mesh?"
        )
    return np.asarray(mesh.origin.faces_from_file(np.asarray(contents.values)), dtype=np.int64)


def _seg_files(stem: str, places: Sequence[Path]) -> list[Path]:
    """The files of one mesh in the first place that has any."""
    for place in places:
        found = [place / f"{stem}{SUFFIX}", *place.glob(f"{_literal(stem)}_*{SUFFIX}")]
        found += (place / stem).glob(f"{_literal(stem)}_*{SUFFIX}")
        files = sorted({path for path in found if path.is_file()}, key=lambda path: natural_key(path.name))
        if files:
            return files
    return []


def _literal(name: str) -> str:
    """A name in which nothing is a wildcard."""
    return "".join(f"[{sign}]" if sign in "*?[" else sign for sign in name)
