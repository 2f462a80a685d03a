"""Polygons to triangles and split corners to shared vertices, with the maps back."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from meshtide.arrays import IntArray
from meshtide.mesh.files.raw import Polygons
from meshtide.mesh.origin import Origin
from meshtide.mesh.raw import RawMesh
from meshtide.mesh.repair import weld

Points = NDArray[np.float64]


def to_triangles(polygons: Polygons, name: str) -> RawMesh:
    """Triangulate, and weld where the format had to split vertices; polygons of fewer than 3 corners give nothing."""
    faces, face_of = triangulate(polygons.vertices, polygons.corners, polygons.sizes)
    vertices = polygons.vertices
    vertex_of = np.arange(len(vertices))
    if polygons.split:
        kept, vertex_of = weld(vertices)
        vertices = vertices[kept]
        inside = (faces >= 0) & (faces < len(vertex_of))
        faces = np.where(inside, vertex_of[np.where(inside, faces, 0)] if len(vertex_of) else faces, faces)
    origin = Origin(vertex_of, face_of, len(polygons.sizes), polygons.pieces)
    return RawMesh(vertices, faces, name, origin, polygons.groups, polygons.group_names)


def triangulate(vertices: Points, corners: IntArray, sizes: IntArray) -> tuple[IntArray, IntArray]:
    """Triangles in the order of their polygons, and the polygon of each."""
    starts = np.cumsum(sizes) - sizes
    if len(sizes) and (sizes == 3).all():
        return corners.reshape(-1, 3), np.arange(len(sizes))
    pieces: list[IntArray] = []
    owners: list[IntArray] = []
    for size in np.unique(sizes[sizes >= 3]).tolist():
        which = np.flatnonzero(sizes == size)
        rings = corners[starts[which, None] + np.arange(size)]  # (n, size)
        pieces.append(_split_rings(vertices, rings).reshape(-1, 3))
        owners.append(np.repeat(which, size - 2))
    if not pieces:
        return np.zeros((0, 3), dtype=np.int64), np.zeros(0, dtype=np.int64)
    owner = np.concatenate(owners)
    order = np.argsort(owner, kind="stable")
    return np.concatenate(pieces)[order], owner[order]


def _split_rings(vertices: Points, rings: IntArray) -> IntArray:
    """Polygons of one size as size - 2 triangles each, (n, size - 2, 3): fans where that is right, ears elsewhere."""
    count, size = rings.shape
    fan = np.stack([np.zeros(size - 2, dtype=np.int64), np.arange(1, size - 1), np.arange(2, size)], axis=1)
    result = rings[:, fan]
    if size == 3:
        return result
    usable: NDArray[np.bool_] = np.asarray(((rings >= 0) & (rings < len(vertices))).all(axis=1))
    with np.errstate(invalid="ignore", over="ignore"):
        usable[usable] &= np.isfinite(vertices[rings[usable]]).all(axis=(1, 2))
        good = np.zeros(count, dtype=bool)
        # The apex whose worst triangle is largest: for a quad the better diagonal, for a convex polygon always good.
        best = np.full(count, -np.inf)
        for apex in range(2 if size == 4 else size):
            turned = np.roll(rings, -apex, axis=1)[usable]
            worst = _signed_areas(vertices, turned, fan).min(axis=1)
            better = np.flatnonzero(usable)[worst > best[usable]]
            best[usable] = np.maximum(best[usable], worst)
            result[better] = np.roll(rings, -apex, axis=1)[better][:, fan]
        good[usable] = best[usable] >= 0
    for index in np.flatnonzero(usable & ~good):
        result[index] = rings[index][_cut_ears(vertices[rings[index]])]
    return result


def _signed_areas(vertices: Points, rings: IntArray, fan: IntArray) -> Points:
    """Twice the area of each triangle of a fan, negative where it turns against its polygon, (n, triangles)."""
    points = vertices[rings]  # (n, size, 3)
    points = points - points[:, :1]
    normal = np.cross(points, np.roll(points, -1, axis=1)).sum(axis=1)  # (n, 3)
    length = np.linalg.norm(normal, axis=1, keepdims=True)
    normal = normal / np.where(length > 0, length, 1)
    a, b, c = (points[:, fan[:, corner]] for corner in range(3))
    return np.asarray(np.einsum("ntx,nx->nt", np.cross(b - a, c - a), normal))


def _cut_ears(ring: Points) -> IntArray:
    """Triangles of one polygon that is not convex, (size - 2, 3), by cutting off one ear after another."""
    flat = _flatten(ring)
    left = list(range(len(ring)))
    triangles = []
    while len(left) > 3:
        ear = next((i for i in range(len(left)) if _is_ear(flat, left, i)), 0)
        triangles.append([left[ear - 1], left[ear], left[(ear + 1) % len(left)]])
        left.pop(ear)
    return np.array([*triangles, left])


def _flatten(ring: Points) -> Points:
    """A polygon in its own plane, counter-clockwise, (size, 2)."""
    points = ring - ring.mean(axis=0)
    normal = np.cross(points, np.roll(points, -1, axis=0)).sum(axis=0)
    _, _, axes = np.linalg.svd(points - np.outer(points @ normal, normal) / max(float(normal @ normal), 1e-300))
    flat = points @ axes[:2].T
    after = np.roll(flat, -1, axis=0)
    area = (flat[:, 0] * after[:, 1] - flat[:, 1] * after[:, 0]).sum()
    return np.asarray(flat if area >= 0 else flat * [1, -1])


def _is_ear(flat: Points, left: list[int], i: int) -> bool:
    a, b, c = flat[left[i - 1]], flat[left[i]], flat[left[(i + 1) % len(left)]]
    if _turn(a, b, c) <= 0:
        return False
    others = [flat[j] for j in left if j not in (left[i - 1], left[i], left[(i + 1) % len(left)])]
    return not any(_turn(a, b, p) >= 0 and _turn(b, c, p) >= 0 and _turn(c, a, p) >= 0 for p in others)


def _turn(a: Points, b: Points, c: Points) -> float:
    return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))
