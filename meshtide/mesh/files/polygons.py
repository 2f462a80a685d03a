"""Polygons to triangles and split corners to shared vertices, with the maps back."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from meshtide.arrays import IntArray
from meshtide.errors import InputError
from meshtide.mesh.files.ears import cut_ears, fan, is_convex
from meshtide.mesh.files.raw import Polygons
from meshtide.mesh.origin import Origin
from meshtide.mesh.raw import RawMesh
from meshtide.mesh.repair import weld

Points = NDArray[np.float64]

MOST_FANNED = 32  # corners of a polygon for which every fan is tried
MOST_WORK = 50_000**2  # squared corners of large polygons that are not convex: some seconds


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
        split = _split_rings if size <= MOST_FANNED else _split_large
        pieces.append(split(vertices, rings).reshape(-1, 3))
        owners.append(np.repeat(which, size - 2))
    if not pieces:
        return np.zeros((0, 3), dtype=np.int64), np.zeros(0, dtype=np.int64)
    owner = np.concatenate(owners)
    order = np.argsort(owner, kind="stable")
    return np.concatenate(pieces)[order], owner[order]


def _split_rings(vertices: Points, rings: IntArray) -> IntArray:
    """Polygons of one size as size - 2 triangles each, (n, size - 2, 3): fans where that is right, ears elsewhere."""
    count, size = rings.shape
    first = fan(size)
    result = rings[:, first]
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
            worst = _signed_areas(vertices, turned, first).min(axis=1)
            better = np.flatnonzero(usable)[worst > best[usable]]
            best[usable] = np.maximum(best[usable], worst)
            result[better] = np.roll(rings, -apex, axis=1)[better][:, first]
        good[usable] = best[usable] >= 0
    for index in np.flatnonzero(usable & ~good):
        result[index] = rings[index][cut_ears(vertices[rings[index]])]
    return result


def _split_large(vertices: Points, rings: IntArray) -> IntArray:
    """The same for polygons of so many corners that trying fans from each of them would take too long."""
    inside: NDArray[np.bool_] = np.asarray(((rings >= 0) & (rings < len(vertices))).all(axis=1))
    whole = [fine and bool(np.isfinite(vertices[ring]).all()) for ring, fine in zip(rings, inside, strict=True)]
    size = rings.shape[1]
    hard = sum(fine and not is_convex(vertices[ring]) for ring, fine in zip(rings, whole, strict=True))
    if hard * size**2 > MOST_WORK:
        raise InputError(
            f"polygons of {size:,} corners that are not convex ({hard:,} in it) are too many to cut into triangles; "
            "export it as triangles"
        )
    return np.stack(
        [ring[cut_ears(vertices[ring]) if fine else fan(size)] for ring, fine in zip(rings, whole, strict=True)]
    )


def _signed_areas(vertices: Points, rings: IntArray, triangles: IntArray) -> Points:
    """Twice the area of each triangle of a fan, negative where it turns against its polygon, (n, triangles)."""
    points = vertices[rings]  # (n, size, 3)
    points = points - points[:, :1]
    normal = np.cross(points, np.roll(points, -1, axis=1)).sum(axis=1)  # (n, 3)
    length = np.linalg.norm(normal, axis=1, keepdims=True)
    normal = normal / np.where(length > 0, length, 1)
    a, b, c = (points[:, triangles[:, corner]] for corner in range(3))
    return np.asarray(np.einsum("ntx,nx->nt", np.cross(b - a, c - a), normal))
