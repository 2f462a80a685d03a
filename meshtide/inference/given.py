"""What `segment` takes: files, and meshes in memory, of our own and of other libraries, which are never imported."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from meshtide.arrays import FloatArray, IntArray
from meshtide.errors import InputError
from meshtide.mesh.files import load_ready
from meshtide.mesh.files.polygons import to_triangles
from meshtide.mesh.files.raw import Polygons
from meshtide.mesh.mesh import Mesh
from meshtide.mesh.origin import Origin, Piece
from meshtide.mesh.raw import RawMesh
from meshtide.mesh.ready import make_ready

ACCEPTED = (
    "a path, a meshtide.Mesh, a trimesh.Trimesh or Scene, a (vertices, faces) pair of arrays, "
    "a pyvista.PolyData or an open3d TriangleMesh"
)


@dataclass(frozen=True, eq=False)
class Given:
    """What was handed in, as a mesh to work with and the way back from its elements to those that were handed in."""

    mesh: Mesh
    origin: Origin  # from the mesh's elements to those that were handed in
    source: Path | Polygons  # where the points and polygons that were handed in can be had again
    remarks: tuple[str, ...] = ()  # what had to be mended


def take(thing: Any) -> Given:
    """Make what was handed in ready: polygons are split, seams welded, damage removed, and every map back is kept.

    A scene's elements are counted geometry after geometry in the order of its nodes (as `scene.to_mesh()` joins them),
    each moved to its place; those of a pyvista.PolyData are its points and the polygons of its `faces`.
    """
    if isinstance(thing, Mesh):
        return _taken_mesh(thing)
    if isinstance(thing, str | os.PathLike):
        path = Path(thing)
        mesh, remarks = load_ready(path)
        return Given(mesh, mesh.origin, path, remarks)
    polygons, name = polygons_of(thing)
    mesh, remarks = make_ready(to_triangles(polygons, name), name)
    return Given(mesh, mesh.origin, polygons, remarks)


def polygons_of(thing: Any) -> tuple[Polygons, str]:
    """Points and polygons of another library's mesh or of two arrays, and a name for messages."""
    if _is_a(thing, "trimesh", "Scene"):
        return _scene(thing), "scene"
    if _is_a(thing, "pyvista", "PolyData"):
        return _pyvista(thing), "mesh"
    if _is_a(thing, "open3d", "TriangleMesh"):
        return _open3d(thing), "mesh"
    if isinstance(thing, tuple | list) and len(thing) == 2:
        return _arrays(*thing), "mesh"
    if hasattr(thing, "vertices") and hasattr(thing, "faces"):  # trimesh.Trimesh, and whoever calls them so
        metadata = getattr(thing, "metadata", None)
        name = metadata.get("name") if isinstance(metadata, dict) else None
        return _arrays(thing.vertices, thing.faces), name if isinstance(name, str) and name else "mesh"
    hint = "; extract_surface() makes a PolyData of it" if hasattr(thing, "extract_surface") else ""
    kind = f"{type(thing).__module__}.{type(thing).__qualname__}".removeprefix("builtins.")
    raise InputError(f"found a {kind} where a mesh should be{hint}; wanted {ACCEPTED}")


def _taken_mesh(mesh: Mesh) -> Given:
    """A mesh of our own is used as it is unless seams must be welded; the answer is about its own elements."""
    counts = len(mesh.vertices), len(mesh.faces)
    polygons = Polygons(mesh.vertices, mesh.faces.ravel(), np.full(len(mesh.faces), 3, dtype=np.int64))
    own = Origin.identity(*counts)
    mended, remarks = make_ready(RawMesh(mesh.vertices, mesh.faces, mesh.name, own), mesh.name)
    if not remarks:
        return Given(mesh, own, polygons)
    origin = mended.origin
    to_file = mesh.origin.then(origin.vertex_of, origin.face_of, origin.twin_of)
    return Given(Mesh(mended.vertices, mended.faces, mesh.name, to_file), origin, polygons, remarks)


def _is_a(thing: Any, package: str, name: str) -> bool:
    """Whether a class of that name in that package is among the thing's own; the package need not be installed."""
    return any(each.__name__ == name and each.__module__.split(".")[0] == package for each in type(thing).__mro__)


def _scene(scene: Any) -> Polygons:
    """All triangles of a trimesh scene, moved to their places, in the order of its nodes."""
    vertices, faces, pieces, first = [np.zeros((0, 3))], [np.zeros((0, 3), dtype=np.int64)], [], 0
    for node in scene.graph.nodes_geometry:
        matrix, name = scene.graph[node]
        geometry = scene.geometry[name]
        if not (hasattr(geometry, "vertices") and hasattr(geometry, "faces")):
            continue  # points and paths are no surface
        points, matrix = _points(geometry.vertices), np.asarray(matrix, dtype=np.float64)
        triangles = np.asarray(geometry.faces, dtype=np.int64)
        if np.linalg.det(matrix[:3, :3]) < 0:  # a mirror turns every face inside out
            triangles = triangles[:, ::-1]
        vertices.append(points @ matrix[:3, :3].T + matrix[:3, 3])
        faces.append(triangles + first)
        pieces.append(Piece(str(node), len(points), len(triangles)))
        first += len(points)
    corners = np.concatenate(faces)
    sizes = np.full(len(corners), 3, dtype=np.int64)
    # Like a glTF file, a scene repeats a vertex wherever its normal, colour or texture differs.
    return Polygons(np.concatenate(vertices), corners.ravel(), sizes, True, pieces=tuple(pieces))


def _pyvista(data: Any) -> Polygons:
    if getattr(data, "n_strips", 0):
        raise InputError("the PolyData has triangle strips, which have no faces of their own; call triangulate() first")
    row = _whole_numbers(np.asarray(data.faces)).ravel()
    sizes = _padded_sizes(row)
    starts = np.cumsum(sizes + 1) - sizes  # of each polygon's corners in the row
    is_corner = np.ones(len(row), dtype=bool)
    is_corner[starts - 1] = False
    return Polygons(_points(data.points), row[is_corner], sizes)


def _padded_sizes(row: IntArray) -> IntArray:
    """The sizes of polygons that stand in one row, each behind its size."""
    if len(row) and row[0] >= 0:
        step = int(row[0]) + 1
        if len(row) % step == 0 and (row[::step] == row[0]).all():
            return np.full(len(row) // step, row[0], dtype=np.int64)
    sizes, place, numbers = [], 0, row.tolist()
    while place < len(numbers):
        sizes.append(numbers[place])
        place += numbers[place] + 1
        if sizes[-1] < 0 or place > len(numbers):
            raise InputError(
                f"the PolyData's faces are damaged at number {place - sizes[-1] - 1:,} of {len(numbers):,}"
            )
    return np.array(sizes, dtype=np.int64)


def _open3d(mesh: Any) -> Polygons:
    if hasattr(mesh, "triangles"):
        return _arrays(np.asarray(mesh.vertices), np.asarray(mesh.triangles))
    # The mesh of open3d.t.geometry, whose arrays may lie on a graphics card.
    return _arrays(mesh.vertex.positions.cpu().numpy(), mesh.triangle.indices.cpu().numpy())


def _arrays(vertices: Any, faces: Any) -> Polygons:
    """Vertices (N, 3) with faces (P, corners), or a list of polygons of any sizes."""
    points = _points(vertices)
    table = _table(faces)
    if table is not None:
        return Polygons(points, table.ravel(), np.full(len(table), table.shape[1], dtype=np.int64))
    rows = [_whole_numbers(np.asarray(row)).ravel() for row in faces]
    sizes = np.array([len(row) for row in rows], dtype=np.int64)
    return Polygons(points, np.concatenate([np.zeros(0, dtype=np.int64), *rows]), sizes)


def _table(faces: Any) -> IntArray | None:
    """Faces that all have the same number of corners, (P, corners); None where they differ."""
    faces = _to_host(faces)
    if isinstance(faces, Sequence) and len({len(row) for row in faces if hasattr(row, "__len__")}) > 1:
        return None
    found = np.asarray(faces)
    if found.dtype == object and found.ndim == 1:
        return None
    if found.size == 0:
        return np.zeros((0, 3), dtype=np.int64)
    if found.ndim != 2:
        raise InputError(f"faces are {found.dtype} {found.shape}; wanted vertex numbers, one row for each face")
    return _whole_numbers(found)


def _whole_numbers(values: Any) -> IntArray:
    if values.size == 0:
        return np.zeros(values.shape, dtype=np.int64)
    whole = values.dtype.kind in "iu" or (values.dtype.kind == "f" and bool((values == np.rint(values)).all()))
    if not whole or not np.isfinite(values).all():
        raise InputError(f"faces are {values.dtype} {values.shape}; wanted the vertices' numbers, from 0")
    return np.array(values, dtype=np.int64)


def _points(vertices: Any) -> FloatArray:
    """A copy, so that what happens to the caller's array later does not change the answer's files."""
    vertices = _to_host(vertices)
    try:
        points = np.array(vertices, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError("the vertices are no table of numbers; wanted x, y, z for each") from None
    if points.ndim != 2 or points.shape[1] != 3:
        raise InputError(f"vertices are {points.shape}; wanted (V, 3): x, y, z for each")
    return points


def _to_host(values: Any) -> Any:
    """A torch tensor as an array; anything else as it is."""
    return values.detach().cpu().numpy() if hasattr(values, "detach") else values
