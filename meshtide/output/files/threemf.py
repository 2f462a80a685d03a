"""3MF, for slicers: an object for each instance, closed along its cuts, with its name and the colour of its part."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from meshtide.errors import InputError
from meshtide.inference.segmentation import Segmentation
from meshtide.output.files.as_given import UNLABELLED_NAME, palette
from meshtide.output.files.capping import capped
from meshtide.output.files.glb import pieces_with_faces


def threemf_bytes(segmentation: Segmentation, path: Path) -> bytes:
    """Instances in order, then what has none; the numbers of the mesh are taken for millimetres."""
    library = _library(path)
    wrapper = library.get_wrapper()
    model = wrapper.CreateModel()
    model.SetUnit(library.ModelUnit.MilliMeter)
    colours = palette(segmentation)
    group = model.AddBaseMaterialGroup()
    materials: dict[int, int] = {}
    for index, vertices, faces in pieces_with_faces(segmentation, with_unlabelled=True):
        found = segmentation.instances[index] if index >= 0 else None
        part = found.part_index if found else -1
        if part not in materials:
            red, green, blue = (int(value) for value in colours[part])
            materials[part] = group.AddMaterial(
                found.part if found else UNLABELLED_NAME, wrapper.RGBAToColor(red, green, blue, 255)
            )
        each = model.AddMeshObject()
        each.SetName(found.name if found else UNLABELLED_NAME)
        points, triangles = capped(vertices, faces)
        if not np.isfinite(points.astype(np.float32)).all():
            raise InputError(f"{path}: the coordinates are too large for the 32-bit numbers of a 3MF; write a .ply")
        each.SetGeometry(_table(library.Position, points, "f4"), _table(library.Triangle, triangles, "u4"))
        each.SetObjectLevelProperty(group.GetUniqueResourceID(), materials[part])
        model.AddBuildItem(each, wrapper.GetIdentityTransform())
    return bytes(model.QueryWriter("3mf").WriteToBuffer())


def _table(kind: Any, rows: Any, number: str) -> Any:
    """An array as the library's own array of structures."""
    return (kind * len(rows)).from_buffer_copy(np.ascontiguousarray(rows, dtype=number))


def _library(path: Path) -> Any:
    try:
        import lib3mf
    except ImportError as error:
        raise InputError(f"{path}: 3MF files need lib3mf; pip install -c constraints.txt lib3mf") from error
    return lib3mf
