"""Mesh files of every awkward kind, segmentations of them and what should be read back; for the tests of outputs."""

from __future__ import annotations

import resource
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import trimesh
from shapes import box, figure

from meshtide.inference.segmentation import Segmentation
from meshtide.labels.colours import UNLABELLED, part_colours
from meshtide.labels.labels import Labels
from meshtide.mesh.files import load_ready, save_mesh
from meshtide.mesh.mesh import Mesh

PARTS = ("head", "upper arm", "tail")
HOSTILE = (
    "../../escape", "/etc/passwd", "a b", "a_b", "A_B", 'say "hi" \\', "头", "Füße", "CON", "...", "end_header",
    "TextureFile secret.png", "x" * 5000, "x" * 4999, "world", "unlabelled", "%s%n", "mtllib x.mtl", "</script>",
)  # fmt: skip


@dataclass(frozen=True)
class Given:
    """A file that a test wrote, and what stands in it by the test's own account."""

    path: Path
    points: list[list[float]]
    polygons: list[list[int]]
    seen: list[list[int]] | None = None  # the polygons as they come out, where some are no surface

    @property
    def written(self) -> list[list[int]]:
        return self.polygons if self.seen is None else self.seen


def obj_file(path: Path, points: list[list[float]], polygons: list[list[int]], seen: Any = None) -> Given:
    lines = ["v " + " ".join(map(repr, point)) for point in points]
    lines += ["f " + " ".join(str(corner + 1) for corner in polygon) for polygon in polygons]
    path.write_text("\n".join(lines) + "\n")
    return Given(path, points, polygons, seen)


def polygons_with_unused(folder: Path) -> Given:
    """A box of quads with one side in triangles and one cut to a pentagon, and vertices that no face names."""
    corners = [[x, y, z] for x in (0.0, 1.0) for y in (0.0, 1.0) for z in (0.0, 1.1)]
    points = [[9.1, 9.2, 9.3], *corners, [5.0, 5.0, 5.0], [0.5, 0.0, 1.1]]  # the last is on the edge from 2 to 6
    quads = [[1, 3, 7, 5], [1, 2, 4, 3], [5, 7, 8], [5, 8, 6], [3, 4, 8, 7], [1, 5, 6, 10, 2], [2, 10, 6, 8, 4]]
    return obj_file(folder / "polygons.obj", points, quads)


def soup(folder: Path) -> Given:
    mesh, _ = figure(0)
    mesh = Mesh(np.round(mesh.vertices, 1), mesh.faces)
    save_mesh(mesh, folder / "soup.stl")
    corners = mesh.vertices[mesh.faces].reshape(-1, 3).astype(np.float32)
    return Given(folder / "soup.stl", corners.tolist(), np.arange(len(corners)).reshape(-1, 3).tolist())


def seams(folder: Path) -> Given:
    """Every face has corners of its own, which load_ready welds."""
    mesh, _ = figure(0)
    corners = mesh.vertices[mesh.faces].reshape(-1, 3)
    return obj_file(folder / "seams.obj", corners.tolist(), np.arange(len(corners)).reshape(-1, 3).tolist())


def scene(folder: Path) -> Given:
    pieces = trimesh.Scene()
    mesh = box()
    for name, shift in (("one", 0.0), ("two", 3.0)):
        geometry = trimesh.Trimesh(mesh.vertices, mesh.faces, process=False)
        pieces.add_geometry(geometry, name, name, transform=trimesh.transformations.translation_matrix([shift, 0, 0]))
    (folder / "scene.glb").write_bytes(pieces.export(file_type="glb"))
    points = np.concatenate([mesh.vertices, mesh.vertices + [3, 0, 0]])
    return Given(folder / "scene.glb", points.tolist(), np.concatenate([mesh.faces, mesh.faces + 8]).tolist())


def damaged(folder: Path) -> Given:
    """Among good faces: one that names a missing vertex, one of two corners, one on a vertex that is no number."""
    mesh = box()
    points = [*mesh.vertices.tolist(), [float("nan"), 0.0, 0.0]]
    good = mesh.faces.tolist()
    polygons = [*good[:5], [2, 99, 3], [4, 5], [1, 8, 2], *good[5:]]
    seen = [*good[:5], [3, 3, 3], [5, 5, 5], [1, 8, 2], *good[5:]]
    return obj_file(folder / "damaged.obj", points, polygons, seen)


INPUTS: dict[str, Callable[[Path], Given]] = {
    "polygons": polygons_with_unused,
    "soup": soup,
    "seams": seams,
    "scene": scene,
    "damaged": damaged,
}


def guess(mesh: Mesh, names: tuple[str, ...] = PARTS, seed: int = 0) -> Segmentation:
    """Any answer, with some vertices that have none."""
    draw = np.random.default_rng(seed)
    values = draw.integers(-1, len(names), len(mesh.vertices))
    values[: len(names)] = np.arange(min(len(names), len(values)))
    probabilities = draw.dirichlet(np.ones(len(names)), len(mesh.vertices)).astype(np.float32)
    labels = Labels(values, "vertices", names)
    return Segmentation(mesh, labels, probabilities, part_colours(names), "animal", ("be careful",))


def ready(given: Given) -> Segmentation:
    return guess(load_ready(given.path)[0])


def vertex_answers(answer: Segmentation) -> list[tuple[int, float]]:
    """Label and confidence of each of the file's vertices, looked up one by one."""
    found = []
    for vertex in answer.origin.vertex_of.tolist():
        part = int(answer.mesh_labels.values[vertex]) if vertex >= 0 else -1
        found.append((part, float(answer.mesh_probabilities[vertex, part]) if part >= 0 else 0.0))
    return found


def face_answers(answer: Segmentation) -> list[tuple[int, float]]:
    """Label and confidence of each of the file's faces: those of its first triangle."""
    found = [(-1, 0.0)] * answer.origin.face_count
    for triangle in reversed(range(len(answer.mesh.faces))):
        label, sure = answer.mesh_face_labels.values[triangle], answer.mesh_face_confidence[triangle]
        found[int(answer.origin.face_of[triangle])] = (int(label), float(sure))
    return found


def rgb(answer: Segmentation, part: int) -> tuple[int, ...]:
    return tuple(bytes.fromhex((answer.colours[part] if part >= 0 else UNLABELLED)[1:]))


@contextmanager
def small_files_only(size: int) -> Iterator[None]:
    """The system stops every write after `size` bytes, as a full disk does."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
