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

    >>> import meshtide as mt
    >>> corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    >>> mt.save_mesh(mt.Mesh(corners, [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]), "corner.stl")
    >>> mt.load_mesh("corner.stl")  # an STL repeats a vertex for every face
    Mesh('corner': 4 vertices, 4 faces, 1 x 1 x 1, from 12 vertices and 4 faces)
    """
    return read_raw(path).checked(path)


def load_ready(path: str | Path) -> tuple[Mesh, tuple[str, ...]]:
    """Read a mesh file as the rest of meshtide wants it: mended where its spectrum would otherwise show no shape.

    Returns the mesh and a remark for each repair. Elements of the file are found again through `mesh.origin`.
    """
    return make_ready(read_raw(path), path)


def save_mesh(mesh: Mesh, path: str | Path) -> None:
    """Write a mesh as OBJ, PLY, OFF, STL or GLB, by suffix; an existing file is replaced whole or not at all.

    >>> import meshtide as mt
    >>> mt.save_mesh(mt.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]]), "triangle.off")
    """
    write_mesh_file(Path(path), mesh.vertices, mesh.faces)
