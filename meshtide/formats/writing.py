"""Writers: a file is replaced whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from meshtide.errors import InputError
from meshtide.origin import IntArray

Points = NDArray[np.float64]


def write_mesh_file(path: Path, vertices: Points, faces: IntArray) -> None:
    """Write OBJ, PLY, OFF, STL or GLB by the suffix, keeping the order of vertices and faces."""
    writer = _WRITERS.get(path.suffix.lower())
    if writer is None:
        raise InputError(f"{path}: cannot write '{path.suffix}' files; choose one of {', '.join(_WRITERS)}")
    write_atomically(path, writer(vertices, faces))


def write_atomically(path: Path, data: bytes) -> None:
    """Put `data` under `path` in one step, so that no reader and no crash ever meets half a file."""
    if not path.parent.is_dir():
        raise InputError(f"{path}: the folder {path.parent} does not exist; create it first")
    if path.is_dir():
        raise InputError(f"{path}: is a folder; give a file name")
    try:
        handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror})") from error
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        # mkstemp makes files private; give them what any new file of this user would have.
        mask = os.umask(0)
        os.umask(mask)
        Path(temporary).chmod(path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~mask)
        Path(temporary).replace(path)
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror})") from error
    finally:
        Path(temporary).unlink(missing_ok=True)


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
    kind = ("float", "<f4") if np.array_equal(vertices.astype(np.float32), vertices) else ("double", "<f8")
    header = (
        f"ply\nformat binary_little_endian 1.0\nelement vertex {len(vertices)}\n"
        + "".join(f"property {kind[0]} {axis}\n" for axis in "xyz")
        + f"element face {len(faces)}\nproperty list uchar int vertex_indices\nend_header\n"
    )
    rows = np.empty(len(faces), dtype=[("size", "u1"), ("corners", "<i4", 3)])
    rows["size"], rows["corners"] = 3, faces
    return header.encode() + vertices.astype(kind[1]).tobytes() + rows.tobytes()


def _stl(vertices: Points, faces: IntArray) -> bytes:
    from meshtide.formats.stl import FACET

    rows = np.zeros(len(faces), dtype=FACET)
    corners = vertices[faces]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    lengths = np.linalg.norm(normals, axis=1, keepdims=True)
    rows["normal"] = normals / np.where(lengths > 0, lengths, 1)
    rows["corners"] = corners
    return b"meshtide".ljust(80, b"\0") + len(faces).to_bytes(4, "little") + rows.tobytes()


def _glb(vertices: Points, faces: IntArray) -> bytes:
    import trimesh

    exported = trimesh.Trimesh(vertices, faces, process=False, validate=False).export(file_type="glb")
    if not isinstance(exported, bytes):
        raise TypeError(f"trimesh exported {type(exported).__name__} instead of bytes")
    return exported


_WRITERS: dict[str, Callable[[Points, IntArray], bytes]] = {
    ".obj": _obj, ".ply": _ply, ".off": _off, ".stl": _stl, ".glb": _glb,
}  # fmt: skip
WRITABLE = tuple(_WRITERS)
