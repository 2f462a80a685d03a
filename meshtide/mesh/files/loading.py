"""The door by which meshes come in from files and go out to them."""

from __future__ import annotations

from pathlib import Path

from meshtide.mesh.files.reading import read_raw
from meshtide.mesh.files.writing import write_mesh_file
from meshtide.mesh.mesh import Mesh
from meshtide.mesh.ready import make_ready


def load_mesh(path: str | Path) -> Mesh:
    """Read an OBJ, PLY, OFF, STL, GLB or GLTF file; element i of the file is element i of the mesh.

    Where that cannot be (polygons become triangles, the corners of STL and glTF are welded, scenes are joined),
    `mesh.origin` maps between the two. A file whose geometry cannot be used raises InputError.
    """
    return read_raw(path).checked(path)


def load_ready(path: str | Path) -> tuple[Mesh, tuple[str, ...]]:
    """Read a mesh file as the rest of meshtide wants it: mended where its spectrum would otherwise show no shape.

    Returns the mesh and a remark for each repair. Elements of the file are found again through `mesh.origin`.
    """
    return make_ready(read_raw(path), path)


def save_mesh(mesh: Mesh, path: str | Path) -> None:
    """Write a mesh as OBJ, PLY, OFF, STL or GLB, by suffix; an existing file is replaced whole or not at all."""
    write_mesh_file(Path(path), mesh.vertices, mesh.faces)
