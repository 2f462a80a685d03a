"""Mending triangle arrays step by step, each step with its index maps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from meshtide.arrays import FloatArray, IntArray
from meshtide.mesh.measure import unit_box
from meshtide.mesh.raw import RawMesh
from meshtide.mesh.topology import boundary_vertices, duplicate_faces, repeated_corner, used_vertices

# Boundary vertices nearer to each other than this share of the shape's size are one vertex that rounding tore apart.
CRACK = 1e-6


@dataclass(frozen=True)
class Step:
    """One repair: what it is called, and what it did, as the end of the sentence "repaired: …"."""

    kind: str
    done: str


def mend(raw: RawMesh, kinds: tuple[str, ...]) -> tuple[RawMesh, tuple[Step, ...]]:
    """Apply the named repairs, in the order in which each prepares the ground for the next."""
    steps: list[Step] = []
    for kind, repair in _REPAIRS.items():
        if kind in kinds:
            raw, done = repair(raw)
            if done:
                steps.append(Step(kind, done))
    return raw, tuple(steps)


def weld(vertices: FloatArray) -> tuple[IntArray, IntArray]:
    """Vertices at exactly one place become one: the first of each, in order, and the new number of every old one."""
    # Adding 0 turns -0.0 into 0.0, which compares equal but has other bytes; vertices that are not numbers stay alone.
    rows = np.ascontiguousarray(vertices + 0.0).view(np.dtype((np.void, 24))).ravel()
    _, first, inverse = np.unique(rows, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return first[order], rank[inverse.ravel()]


def seam_map(raw: RawMesh) -> IntArray:
    """The vertex that each vertex becomes when coincident boundary vertices are joined, (V,)."""
    target = np.arange(len(raw.vertices))
    open_ones = np.flatnonzero(boundary_vertices(raw.faces, len(raw.vertices)))
    if len(open_ones):
        first, number = weld(raw.vertices[open_ones])
        target[open_ones] = open_ones[first[number]]
    return target


def crack_map(raw: RawMesh) -> IntArray:
    """Like seam_map, but for boundary vertices that lie within CRACK of each other."""
    target = np.arange(len(raw.vertices))
    open_ones = np.flatnonzero(boundary_vertices(raw.faces, len(raw.vertices)))
    if len(open_ones) == 0:
        return target
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components
    from scipy.spatial import cKDTree

    points = unit_box(raw.vertices, raw.faces)[open_ones]
    pairs = cKDTree(points).query_pairs(CRACK, output_type="ndarray")
    graph = coo_array((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=(len(points), len(points)))
    _, piece = connected_components(graph, directed=False)
    _, first = np.unique(piece, return_index=True)
    target[open_ones] = open_ones[first[piece]]
    return target


def _keep_faces(raw: RawMesh, keep: NDArray[np.bool_]) -> RawMesh:
    origin = raw.origin.then(np.arange(len(raw.vertices)), np.flatnonzero(keep))
    return replace(raw, faces=raw.faces[keep], origin=origin)


def _keep_vertices(raw: RawMesh, keep: NDArray[np.bool_]) -> RawMesh:
    """Leave out vertices that no face names."""
    number = np.where(keep, np.cumsum(keep) - 1, -1)
    origin = raw.origin.then(number, np.arange(len(raw.faces)))
    return replace(raw, vertices=raw.vertices[keep], faces=number[raw.faces], origin=origin)


def _join(raw: RawMesh, target: IntArray) -> RawMesh:
    """Replace every vertex by its target and leave out those that were joined into another."""
    stays = target == np.arange(len(target))
    number = np.cumsum(stays) - 1
    new = number[target]
    origin = raw.origin.then(new, np.arange(len(raw.faces)))
    return replace(raw, vertices=raw.vertices[stays], faces=new[raw.faces], origin=origin)


def _drop_foreign(raw: RawMesh) -> tuple[RawMesh, str]:
    if not raw.faces.size or (raw.faces.min() >= 0 and raw.faces.max() < len(raw.vertices)):
        return raw, ""
    keep = np.asarray(((raw.faces >= 0) & (raw.faces < len(raw.vertices))).all(axis=1))
    return _keep_faces(raw, keep), _counted(
        int((~keep).sum()),
        "face that named a missing vertex was removed",
        "faces that named missing vertices were removed",
    )


def _drop_infinite(raw: RawMesh) -> tuple[RawMesh, str]:
    if np.isfinite(raw.vertices).all():
        return raw, ""
    finite = np.asarray(np.isfinite(raw.vertices).all(axis=1))
    mended = _keep_vertices(_keep_faces(raw, np.asarray(finite[raw.faces].all(axis=1))), finite)
    return mended, _counted(
        int((~finite).sum()),
        "vertex whose coordinates are not numbers was removed with its faces",
        "vertices whose coordinates are not numbers were removed with their faces",
    )


def _drop_doubled(raw: RawMesh) -> tuple[RawMesh, str]:
    """Leave out faces that lie on others; what is found for these is theirs too."""
    from meshtide.mesh.doubled import doubled_faces

    twin, target = doubled_faces(raw)
    keep = twin == np.arange(len(twin))
    if keep.all():
        return raw, ""
    stays = target == np.arange(len(target))
    number = (np.cumsum(stays) - 1)[target]
    origin = raw.origin.then(number, np.flatnonzero(keep), twin)
    single = replace(raw, vertices=raw.vertices[stays], faces=number[raw.faces[keep]], origin=origin)
    return single, _counted(
        int((~keep).sum()),
        "face that lies on another was left out and has that one's part",
        "faces that lie on others were left out and have the parts of these",
    )


def _join_seams(raw: RawMesh) -> tuple[RawMesh, str]:
    joined = _join(raw, seam_map(raw))
    count = len(raw.vertices) - len(joined.vertices)
    return joined, _counted(count, "vertex was welded to another at its place", "vertices were welded along seams")


def _join_cracks(raw: RawMesh) -> tuple[RawMesh, str]:
    joined = _join(raw, crack_map(raw))
    count = len(raw.vertices) - len(joined.vertices)
    return joined, _counted(count, "vertex was welded across a crack", "vertices were welded across cracks")


def _drop_repeated(raw: RawMesh) -> tuple[RawMesh, str]:
    bad = repeated_corner(raw.faces)
    return _keep_faces(raw, ~bad), _counted(
        int(bad.sum()), "face with a repeated corner was removed", "faces with repeated corners were removed"
    )


def _drop_duplicates(raw: RawMesh) -> tuple[RawMesh, str]:
    bad = duplicate_faces(raw.faces, len(raw.vertices))
    return _keep_faces(raw, ~bad), _counted(
        int(bad.sum()), "duplicate face was removed", "duplicate faces were removed"
    )


def _drop_unreferenced(raw: RawMesh) -> tuple[RawMesh, str]:
    used = used_vertices(raw.faces, len(raw.vertices))
    return _keep_vertices(raw, used), _counted(
        int((~used).sum()), "vertex without a face was removed", "vertices without a face were removed"
    )


def _counted(count: int, one: str, many: str) -> str:
    return "" if count == 0 else f"{count:,} {one if count == 1 else many}"


_REPAIRS: dict[str, Callable[[RawMesh], tuple[RawMesh, str]]] = {
    "missing-vertices": _drop_foreign,
    "not-finite": _drop_infinite,
    "doubled-faces": _drop_doubled,
    "unwelded": _join_seams,
    "cracks": _join_cracks,
    "repeated-corners": _drop_repeated,
    "duplicate-faces": _drop_duplicates,
    "unreferenced": _drop_unreferenced,
}
REPAIRABLE = tuple(_REPAIRS)
