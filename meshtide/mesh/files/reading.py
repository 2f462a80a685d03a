"""Read a mesh file of any format: what it holds, in its own order, with nothing checked but that it can be read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from meshtide.errors import InputError
from meshtide.mesh.files.gltf import read_gltf
from meshtide.mesh.files.obj import read_obj
from meshtide.mesh.files.off import read_off
from meshtide.mesh.files.ply import read_ply
from meshtide.mesh.files.polygons import to_triangles
from meshtide.mesh.files.raw import Polygons
from meshtide.mesh.files.stl import read_stl
from meshtide.mesh.files.vtk_legacy import read_vtk
from meshtide.mesh.files.vtk_xml import read_vtp
from meshtide.mesh.raw import RawMesh
from meshtide.stages import doing

_READERS: dict[str, Callable[[Path], Polygons]] = {
    ".obj": read_obj,
    ".ply": read_ply,
    ".off": read_off,
    ".stl": read_stl,
    ".glb": read_gltf,
    ".gltf": read_gltf,
    ".vtk": read_vtk,
    ".vtp": read_vtp,
}
READABLE = tuple(_READERS)
SMALLER = "simplify it in another program first"


def read_raw(path: str | Path) -> RawMesh:
    """Read a mesh file by its suffix as triangles; the arrays are what the file says, right or wrong."""
    doing(f"reading {Path(path).name}")
    polygons = read_polygons(path)
    try:
        return to_triangles(polygons, Path(path).stem)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
    except MemoryError:
        count = len(polygons.vertices)
        raise InputError(f"{path}: its {count:,} vertices do not fit into memory; {SMALLER}") from None


def read_polygons(path: str | Path) -> Polygons:
    """Read a mesh file by its suffix with its polygons as they stand there, neither split nor welded."""
    path = Path(path)
    reader = _READERS.get(path.suffix.lower())
    try:
        folder, there = path.is_dir(), path.exists()
    except (OSError, ValueError) as error:  # a name that no file can have
        raise InputError(f"{path}: cannot be read ({getattr(error, 'strerror', None) or error})") from None
    if folder:
        raise InputError(f"{path}: is a folder; name a mesh file in it")
    if not there:
        raise InputError(f"{path}: no such file")
    if reader is None:
        raise InputError(f"{path}: '{path.suffix}' is not a mesh format; use one of {', '.join(READABLE)}")
    try:
        return reader(path)
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror or error})") from error
    except MemoryError:
        size = path.stat().st_size
        raise InputError(f"{path}: its {size:,} bytes are too many to be read into memory; {SMALLER}") from None
