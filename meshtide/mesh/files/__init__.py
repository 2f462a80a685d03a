"""Mesh files: read them as meshes or as they stand, write them."""

from meshtide.mesh.files.loading import load_mesh, load_ready, save_mesh
from meshtide.mesh.files.reading import READABLE, read_polygons, read_raw
from meshtide.mesh.files.writing import WRITABLE, write_mesh_file

__all__ = [
    "READABLE",
    "WRITABLE",
    "load_mesh",
    "load_ready",
    "read_polygons",
    "read_raw",
    "save_mesh",
    "write_mesh_file",
]
