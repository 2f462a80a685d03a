"""Labels that stand in a VTK file itself: whole numbers on its cells or points, perhaps with names as field data."""

from __future__ import annotations

from pathlib import Path

from meshtide.errors import InputError
from meshtide.labels.files.contents import PerElement, Place, Sizes, whole_numbers
from meshtide.labels.files.mesh_files import PLY_PROPERTIES
from meshtide.mesh.files.vtk_data import VtkSurface
from meshtide.mesh.files.vtk_legacy import read_vtk_surface
from meshtide.mesh.files.vtk_xml import read_vtp_surface

_READERS = {".vtk": read_vtk_surface, ".vtp": read_vtp_surface}
VTK_SUFFIXES = tuple(_READERS)


def read_vtk_labels(path: Path, sizes: Sizes | None, on: Place | None = None) -> PerElement:
    """The array called label (or part, segment, class …) of a VTK file's cells, else of its points."""
    surface = _READERS[path.suffix.lower()](path)
    found = labels_of(surface)
    places = [on] if on is not None else ["faces", "vertices"]
    place, name = next(((place, found[place]) for place in places if place in found), ("", ""))
    if not place:
        raise InputError(f"{path}: has no label on its cells or points; wanted an array called label or part")
    values = whole_numbers(path, (surface.on_cells if place == "faces" else surface.on_points)[name])
    names = surface.words.get("parts")
    fits = names is not None and int(values.max(initial=-1)) < len(names) and len(set(names)) == len(names)
    notes = (f"labels are the array '{name}' of the {'cells' if place == 'faces' else 'points'}",)
    return PerElement(path, values, names if fits else None, place, 0 if fits else None, notes)  # type: ignore[arg-type]


def has_vtk_labels(path: Path) -> bool:
    """Whether a VTK file has such an array."""
    return bool(labels_of(_READERS[path.suffix.lower()](path)))


def labels_of(surface: VtkSurface) -> dict[str, str]:
    """The array that is taken for labels on faces, and the one on vertices, as far as there are such."""
    found = {}
    for place, arrays in (("faces", surface.on_cells), ("vertices", surface.on_points)):
        names = [name for name in PLY_PROPERTIES if name in arrays and arrays[name].ndim == 1]
        if names:
            found[place] = names[0]
    return found
