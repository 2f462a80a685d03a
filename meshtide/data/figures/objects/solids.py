"""Objects with sharp edges: solids joined exactly (`solid`), or only put together (`shells`)."""

from __future__ import annotations

from typing import Any

import numpy as np

from meshtide.arrays import FloatArray, IntArray
from meshtide.data.figures.dice import Dice
from meshtide.data.figures.meshing import Surface, decimate
from meshtide.data.figures.objects.blending import owners
from meshtide.data.figures.objects.model import Model, Solid
from meshtide.mesh.measure import triangle_areas, vertex_normals


def solid_surface(model: Model, segments: int, target: int, dice: Dice) -> tuple[Surface, IntArray]:
    """The union of the solids without its holes, closed, and the piece that each face belongs to."""
    whole, piece_of = _united(model, segments)
    if whole.num_vert() > target:  # many round solids: fewer facets each
        whole, piece_of = _united(model, max(6, int(0.8 * segments * target / whole.num_vert())))
    again = dice.chance(0.4) and len(whole.decompose()) == 1  # meshed anew, instead of as booleans leave it
    fineness = 2.5 if again else 1.0
    mesh = _refined([whole], int(fineness * target))[0].to_mesh()
    faces = mesh.tri_verts.astype(np.int64)
    runs = np.diff(mesh.run_index) // 3
    piece = np.repeat([piece_of[int(number)] for number in mesh.run_original_id], runs).astype(np.int64)
    vertices = mesh.vert_properties[:, :3].astype(np.float64)
    if (piece < 0).any():  # the walls of holes without a piece of their own
        holes = piece < 0
        piece[holes] = owners(model, vertices[faces[holes]].mean(axis=1), 0.0)
    if again and len(vertices) > 1.2 * target:
        return _meshed_anew((vertices, faces), piece, target, dice)
    return (shaken((vertices, faces), dice), faces), piece


def _united(model: Model, segments: int) -> tuple[Any, dict[int, int]]:
    """All solids joined, and which piece each of the union's originals belongs to (-1 for a hole of no piece)."""
    whole: Any = None
    piece_of: dict[int, int] = {}
    numbers = {piece: number for number, piece in enumerate(model.pieces())}
    for solid in model.solids:
        new = _manifold(solid, segments).as_original()
        piece_of[new.original_id()] = -1 if solid.piece is None else numbers[solid.piece]
        whole = new if whole is None else (whole - new if solid.cuts else whole + new)
    return _largest(whole), piece_of


def _meshed_anew(surface: Surface, piece: IntArray, target: int, dice: Dice) -> tuple[Surface, IntArray]:
    """Decimated to irregular triangles; a new face takes the piece of the nearest old one that looks its way."""
    from scipy.spatial import cKDTree

    vertices, faces = decimate(surface, target, dice)
    scale = 0.3 * float(np.sqrt(triangle_areas(*surface).sum() / target))
    places = [np.hstack([points[corners].mean(axis=1), scale * _face_normals(points, corners)])
              for points, corners in (surface, (vertices, faces))]  # fmt: skip
    return (vertices, faces), piece[cKDTree(places[0]).query(places[1])[1]]


def _face_normals(vertices: FloatArray, faces: IntArray) -> FloatArray:
    a, b, c = (vertices[faces[:, corner]] for corner in range(3))
    direct = np.cross(b - a, c - a)
    return np.asarray(direct / np.maximum(np.linalg.norm(direct, axis=1, keepdims=True), 1e-15))


def shell_surface(model: Model, segments: int, target: int, dice: Dice) -> tuple[Surface, IntArray]:
    """Every solid as a shell of its own, holes cut where they belong; some thin plates have one side only."""
    numbers = {piece: number for number, piece in enumerate(model.pieces())}
    shells = _apart(model, segments)
    count = sum(shell.num_vert() for _, shell in shells)
    if count > target:
        shells = _apart(model, max(6, int(0.8 * segments * target / count)))
    shells = [(solid, shell) for solid, shell in shells if not shell.is_empty()]
    fine = _refined([shell for _, shell in shells], target)
    sheets = dice.chance(0.3)
    parts: list[tuple[FloatArray, IntArray, int]] = []
    for (solid, _), shell in zip(shells, fine, strict=True):
        if solid.piece is None:
            continue
        mesh = shell.to_mesh()
        vertices, faces = mesh.vert_properties[:, :3].astype(np.float64), mesh.tri_verts.astype(np.int64)
        if sheets and _is_thin(solid):
            faces = faces[_upper(vertices, faces, solid)]
        parts.append((vertices, faces, numbers[solid.piece]))
    return _together(parts, dice)


def _apart(model: Model, segments: int) -> list[tuple[Solid, Any]]:
    """Every solid with the holes that later steps cut into it."""
    shells: list[tuple[Solid, Any]] = []
    for solid in model.solids:
        new = _manifold(solid, segments)
        if solid.cuts:
            shells = [(one, shell - new) if _meet(one, solid) else (one, shell) for one, shell in shells]
        else:
            shells.append((solid, new))
    return shells


def _together(parts: list[tuple[FloatArray, IntArray, int]], dice: Dice) -> tuple[Surface, IntArray]:
    starts = np.cumsum([0, *(len(vertices) for vertices, _, _ in parts)])
    faces = np.concatenate([own + start for (_, own, _), start in zip(parts, starts, strict=False)])
    piece = np.concatenate([np.full(len(own), number, dtype=np.int64) for _, own, number in parts])
    used, corners = np.unique(faces, return_inverse=True)
    vertices = np.concatenate([points for points, _, _ in parts])[used]
    faces = corners.reshape(-1, 3).astype(np.int64)
    return (shaken((vertices, faces), dice), faces), piece


def shaken(surface: Surface, dice: Dice) -> FloatArray:
    """Vertices moved a little inside flat places, so that a grid of triangles does not look like one."""
    vertices, faces = surface
    slide = dice.pick({0.0: 1.2, 0.1: 1, 0.22: 1})
    if slide == 0:
        return vertices
    normals = vertex_normals(vertices, faces)
    face = _face_normals(vertices, faces)
    flat = np.ones(len(vertices))
    shortest = np.full(len(vertices), np.inf)
    height = (
        2
        * triangle_areas(vertices, faces)
        / np.maximum(np.linalg.norm(vertices[faces] - vertices[np.roll(faces, 1, axis=1)], axis=2).max(axis=1), 1e-15)
    )
    for corner in range(3):
        np.minimum.at(flat, faces[:, corner], (normals[faces[:, corner]] * face).sum(axis=1))
        np.minimum.at(shortest, faces[:, corner], height)
    amount = slide * np.where(flat > 0.999, shortest, 0.0)
    noise = np.clip(dice.rng.normal(size=vertices.shape), -1.5, 1.5)
    noise -= (noise * normals).sum(axis=1, keepdims=True) * normals
    return np.asarray(vertices + noise * amount[:, None])


def _manifold(solid: Solid, segments: int) -> Any:
    placed = solid.placed
    return placed.shape.solid(segments).transform(np.concatenate([placed.frame, placed.at[:, None]], axis=1))


def _largest(whole: Any) -> Any:
    """The main piece with every other that is no crumb."""
    from manifold3d import Manifold

    pieces = whole.decompose()
    if len(pieces) < 2:
        return whole
    biggest = max(piece.surface_area() for piece in pieces)
    return Manifold.compose([piece for piece in pieces if piece.surface_area() > 0.02 * biggest])


def _refined(solids: list[Any], target: int) -> list[Any]:
    """Solids with long edges split, to about `target` vertices together."""
    area = sum(solid.surface_area() for solid in solids)
    length = 1.35 * float(np.sqrt(area / (0.433 * 2 * target)))  # equilateral triangles, two a vertex
    for _ in range(3):  # slender bars of many facets need longer edges
        fine = [solid.refine_to_length(length) for solid in solids]
        count = sum(solid.num_vert() for solid in fine)
        if count < 1.5 * target:
            break
        length *= count / target
    return fine


def _meet(one: Solid, two: Solid) -> bool:
    (low, high), (near, far) = one.placed.bounds(), two.placed.bounds()
    return bool((low < far).all() and (near < high).all())


def _is_thin(solid: Solid) -> bool:
    low, high = solid.placed.shape.bounds
    size = np.sort(high - low)
    return bool(size[0] < 0.12 * size[1])


def _upper(vertices: FloatArray, faces: IntArray, solid: Solid) -> np.ndarray:
    """Which faces look along the thin direction of a solid."""
    low, high = solid.placed.shape.bounds
    normal = solid.placed.frame[:, int(np.argmin(high - low))]
    keep = _face_normals(vertices, faces) @ normal > 0.5
    return keep if keep.any() else np.ones(len(faces), dtype=bool)
