"""Writers: a file is replaced whole or not at all."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from meshtide.arrays import IntArray
from meshtide.errors import InputError
from meshtide.files import write_atomically
from meshtide.mesh.measure import face_normals, unit

Points = NDArray[np.float64]


def write_mesh_file(path: Path, vertices: Points, faces: IntArray) -> None:
    """Write OBJ, PLY, OFF, STL or GLB by the suffix, keeping the order of vertices and faces."""
    writer = _WRITERS.get(path.suffix.lower())
    if writer is None:
        raise InputError(f"{path}: cannot write '{path.suffix}' files; choose one of {', '.join(_WRITERS)}")
    used = vertices[faces] if path.suffix.lower() == ".stl" else vertices  # an STL has no others
    if path.suffix.lower() in _SINGLE and not np.isfinite(_single(used)).all():
        raise InputError(f"{path}: the coordinates are too large for the 32-bit numbers of this format; write a .ply")
    write_atomically(path, writer(vertices, faces))


def _single(vertices: Points) -> NDArray[np.float32]:
    with np.errstate(over="ignore"):
        return vertices.astype(np.float32)


def _obj(vertices: Points, faces: IntArray) -> bytes:
    points = "\n".join(f"v {x!r} {y!r} {z!r}" for x, y, z in vertices.tolist())
    triangles = "\n".join(f"f {a} {b} {c}" for a, b, c in (faces + 1).tolist())
    return f"{points}\n{triangles}\n".encode()


def _off(vertices: Points, faces: IntArray) -> bytes:
    points = "\n".join(f"{x!r} {y!r} {z!r}" for x, y, z in vertices.tolist())
    triangles = "\n".join(f"3 {a} {b} {c}" for a, b, c in faces.tolist())
    return f"OFF\n{len(vertices)} {len(faces)} 0\n{points}\n{triangles}\n".encode()


def _ply(vertices: Points, faces: IntArray) -> bytes:
    """Little-endian binary; 64-bit coordinates only where 32 would change them."""
    kind = ("float", "<f4") if np.array_equal(_single(vertices), vertices) else ("double", "<f8")
    header = (
        f"ply\nformat binary_little_endian 1.0\nelement vertex {len(vertices)}\n"
        + "".join(f"property {kind[0]} {axis}\n" for axis in "xyz")
        + f"element face {len(faces)}\nproperty list uchar int vertex_indices\nend_header\n"
    )
    rows = np.empty(len(faces), dtype=[("size", "u1"), ("corners", "<i4", 3)])
    rows["size"], rows["corners"] = 3, faces
    return header.encode() + vertices.astype(kind[1]).tobytes() + rows.tobytes()


def _stl(vertices: Points, faces: IntArray) -> bytes:
    from meshtide.mesh.files.stl import FACET

    rows = np.zeros(len(faces), dtype=FACET)
    rows["normal"], rows["corners"] = unit(face_normals(vertices, faces)), vertices[faces]
    return b"meshtide".ljust(80, b"\0") + len(faces).to_bytes(4, "little") + rows.tobytes()


def _glb(vertices: Points, faces: IntArray) -> bytes:
    """Triangles without colours, which trimesh writes well."""
    import trimesh

    exported = trimesh.Trimesh(vertices, faces, process=False, validate=False).export(file_type="glb")
    if not isinstance(exported, bytes):
        raise TypeError(f"trimesh exported {type(exported).__name__} instead of bytes")
    return exported


_WRITERS: dict[str, Callable[[Points, IntArray], bytes]] = {
    ".obj": _obj,
    ".ply": _ply,
    ".off": _off,
    ".stl": _stl,
    ".glb": _glb,
}
WRITABLE = tuple(_WRITERS)
_SINGLE = (".stl", ".glb")  # formats of 32-bit numbers
