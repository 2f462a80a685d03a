"""Generated shapes as examples for regions: what the network reads of them, and which faces are of one part."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from meshtide.arrays import FloatArray, IntArray
from meshtide.inference.regions.inputs import Inputs, Prepared, prepare_surface
from meshtide.inference.regions.surface import Surface, working_surface
from meshtide.mesh.mesh import Mesh


@dataclass(frozen=True, eq=False)
class RegionExample:
    """A prepared shape and the part of every working face, (f,), numbered from 0."""

    name: str
    kind: str
    vertices: NDArray[np.float32]  # (v, 3) of the working surface
    faces: NDArray[np.int32]  # (f, 3)
    pieces: NDArray[np.int32]  # (f,)
    parts: NDArray[np.int16]  # (f,)
    inputs: Inputs

    def prepared(self) -> Prepared:
        """The shape as inference sees it, all that is not stored computed anew."""
        vertices, faces = self.vertices.astype(np.float64), self.faces.astype(np.int64)
        pieces = self.pieces.astype(np.int64)
        mesh = Mesh(vertices, faces, self.name)
        surface = Surface(vertices, faces, pieces, mesh, np.arange(int(pieces.max()) + 1), None)
        from meshtide.inference.regions.links import find_links
        from meshtide.spectral.thickness import Inside

        inside = Inside(vertices, faces)
        return Prepared(surface, find_links(surface), inside, inside.thickness(surface.normals), self.inputs)


def make_example(mesh: Mesh, instances: IntArray, kind: str, *, dense: bool = True) -> RegionExample:
    """Prepare a labelled mesh, with the part of every face, (F,), numbered anew unless they are not to be `dense`."""
    surface = working_surface(mesh)
    prepared = prepare_surface(surface)
    parts = parts_of_surface(surface, instances)
    parts = np.unique(parts, return_inverse=True)[1] if dense else parts
    return RegionExample(
        mesh.name, kind, surface.vertices.astype(np.float32), surface.faces.astype(np.int32),
        surface.pieces.astype(np.int32), parts.astype(np.int16), prepared.inputs,
    )  # fmt: skip


def parts_of_surface(surface: Surface, values: IntArray) -> IntArray:
    """Values at the faces of a mesh at those of its working surface, (f,)."""
    if surface.kept is not None:
        return np.asarray(values[surface.kept][surface.pieces])
    from scipy.spatial import cKDTree

    # The working surface was moved and scaled; its faces are sought in the mesh by place and by direction.
    centres, normals = _centres_and_normals(surface.mesh)
    low, high = centres.min(axis=0), centres.max(axis=0)
    wanted, box = surface.centres, np.stack([surface.centres.min(axis=0), surface.centres.max(axis=0)])
    scale = np.linalg.norm(box[1] - box[0]) / np.linalg.norm(high - low)
    moved = (centres - (low + high) / 2) * scale + box.mean(axis=0)
    near: IntArray = np.asarray(cKDTree(moved).query(wanted, k=list(range(1, min(6, len(moved)) + 1)))[1])
    agreeing = np.abs(np.einsum("fx,fkx->fk", surface.normals, normals[near]))
    gaps = np.linalg.norm(moved[near] - wanted[:, None], axis=2)
    best = (gaps - 0.01 * agreeing).argmin(axis=1)
    return np.asarray(values[near[np.arange(len(near)), best]])


def _centres_and_normals(mesh: Mesh) -> tuple[FloatArray, FloatArray]:
    a, b, c = (mesh.vertices[mesh.faces[:, corner]] for corner in range(3))
    normals = np.cross(b - a, c - a)
    return (a + b + c) / 3, normals / np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-300)


def save_example(example: RegionExample, path: Path) -> None:
    """Write an example as npz, in half precision where that is enough."""
    half = np.float16
    np.savez(
        path, vertices=example.vertices, faces=example.faces, pieces=example.pieces, parts=example.parts,
        rates=example.inputs.rates, vectors=example.inputs.vectors.astype(half), areas=example.inputs.areas,
        numbers=example.inputs.numbers.astype(half), arrows=example.inputs.arrows.astype(half),
        kind=np.array(example.kind), name=np.array(example.name),
    )  # fmt: skip


def load_example(path: Path) -> RegionExample:
    """Read what `save_example` wrote; the large arrays stay in half precision."""
    with np.load(path) as file:
        held: dict[str, Any] = {name: file[name] for name in file.files}
    inputs = Inputs(*(held[name] for name in ("rates", "vectors", "areas", "numbers", "arrows")))
    return RegionExample(
        str(held["name"]), str(held["kind"]), held["vertices"], held["faces"], held["pieces"], held["parts"], inputs
    )
