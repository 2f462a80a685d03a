"""Large meshes made small, and the answers found on the small one carried back to every vertex of the large one.

Decimation merges vertices along edges, so every original vertex has a vertex of the simplified mesh that it went into.
Its place on the simplified surface is searched from there, from triangle to neighbouring triangle: unlike the nearest
place in space it never lies on another component, nor on the far side of a thin sheet.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from meshtide.arrays import FloatArray, IntArray
from meshtide.errors import InputError
from meshtide.mesh.measure import extent, face_normals, triangle_areas, vertex_normals
from meshtide.mesh.mesh import Mesh
from meshtide.mesh.thinning import in_groups, sharp_vertices
from meshtide.mesh.topology import duplicate_faces, repeated_corner, used_vertices, without_unused
from meshtide.stages import doing

# The decimator's thresholds are absolute. In a box of this size it neither merges blindly nor falls short.
BOX = 10.0
AGGRESSIONS = (7.0, 5.0, 3.0)  # how eagerly it merges what it refused at first; gentler ones for what the first ruins
LEAST_AREA = 0.7  # of the original's: with less the shape is ruined, though smoothing noise away may take some
MOST_VERTICES = 4  # times those wanted; the slivers of CAD models can refuse to be merged
# Beyond this a mesh is simplified first. On bodies of 170,000 and 240,000 vertices 99.5 % get the part that the whole
# computation gives, in a sixth of the time; with 50,000 it would be 99.7 % in twice that.
MAX_VERTICES = 20_000
FINE = 12  # times those wanted: a mesh with more vertices is thinned before edges are merged one by one,
THINNED = 6  # to about so many times those wanted
CHUNK = 1 << 13  # vertices whose places are searched at once; bounds the memory
FAR_LARGER = 3  # times more vertices than the mesh by whose way one goes, before that pays
STEPS = 6  # how often a search may move on to a neighbouring vertex's triangles
OPPOSITE = 100 * BOX**2  # added to the squared distance of a place that faces the other way: any other is better

Floats = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Carrier:
    """For every original vertex a place on the simplified mesh: three of its vertices, and how much each counts."""

    corners: NDArray[np.int32]  # (V, 3)
    weights: Floats  # (V, 3); rows add up to 1
    vertex_count: int  # of the simplified mesh
    before: Carrier | None = None  # from where these vertices stand for others, to the mesh before an earlier step

    @staticmethod
    def identity(count: int) -> Carrier:
        """The carrier of a mesh that was left as it is."""
        corners = np.repeat(np.arange(count, dtype=np.int32)[:, None], 3, axis=1)
        return Carrier(corners, np.tile(np.array([1, 0, 0], dtype=np.float32), (count, 1)), count)

    def to_original(self, values: NDArray[Any], chunk: int = CHUNK) -> NDArray[Any]:
        """Values (v, …) at the simplified mesh's vertices, interpolated at the original ones, (V, …).

        Rows that add up to one still do. Floating kinds are kept; whole numbers become float32.
        """
        values = np.asarray(values)
        if len(values) != self.vertex_count:
            raise InputError(
                f"{len(values):,} values for the {self.vertex_count:,} vertices of the simplified mesh; "
                "wanted one row for each of these, not of the original's"
            )
        if self.before is not None:
            return self.before.to_original(replace(self, before=None).to_original(values, chunk), chunk)
        kind = values.dtype if values.dtype.kind == "f" else np.dtype(np.float32)
        result = np.empty((len(self.corners), *values.shape[1:]), dtype=kind)
        shape = (-1, *[1] * (values.ndim - 1))
        for start in range(0, len(self.corners), chunk):
            rows = slice(start, start + chunk)
            result[rows] = sum(self.weights[rows, k].reshape(shape) * values[self.corners[rows, k]] for k in range(3))
        return result

    def most_like(self) -> IntArray:
        """For every vertex of the simplified mesh the original one whose place is nearest to it, (v,)."""
        order = np.argsort(self.weights.ravel(), kind="stable")  # of those for one vertex the last is kept
        nearest = np.zeros(self.vertex_count, dtype=np.int64)
        nearest[self.corners.ravel()[order]] = order // 3
        return nearest


@dataclass(frozen=True, eq=False)
class _Small:
    """A simplified surface, and for each vertex of the original the one that it went into, -1 if it vanished."""

    vertices: FloatArray  # (v, 3)
    faces: IntArray  # (f, 3)
    vertex_of: IntArray  # (V,)

    @property
    def area(self) -> float:
        return float(triangle_areas(self.vertices, self.faces).sum())


def simplify_by_way(mesh: Mesh, vertices: int, by_way: int) -> tuple[Mesh, Carrier]:
    """As `simplify`, but a mesh of many times more vertices goes by way of one of `by_way`, which is kept with it.

    Whoever asks for that one as well, as the naming of parts does, need not wait for it twice.
    """
    if len(mesh.vertices) <= FAR_LARGER * by_way:
        return simplify(mesh, vertices)
    middle, to_mesh = simplify_once(mesh, by_way)
    small, to_middle = simplify(middle, vertices)
    return small, replace(to_middle, before=to_mesh)


def simplify_once(mesh: Mesh, vertices: int) -> tuple[Mesh, Carrier]:
    """As `simplify`; the answer for a mesh is kept for as long as the mesh is."""
    kept = _KEPT.get(mesh)
    if kept is not None and kept[0] == vertices:
        return kept[1:]
    small, carrier = simplify(mesh, vertices)
    if small is not mesh:  # which would hold itself, and never be given back
        _KEPT[mesh] = vertices, small, carrier
    return small, carrier


_KEPT: WeakKeyDictionary[Mesh, tuple[int, Mesh, Carrier]] = WeakKeyDictionary()


def simplify(mesh: Mesh, vertices: int) -> tuple[Mesh, Carrier]:
    """The mesh with about so many vertices, by quadric decimation, and what carries values back from it.

    A mesh that uses no more is returned as it is; one that so few would ruin keeps up to four times as many.
    Vertices that no face uses, and components too small to be kept, have the values of the nearest place.
    """
    if vertices < 4:
        raise InputError(f"{mesh.name}: simplified to {vertices:,} vertices; wanted 4 or more, as a solid has")
    used = used_vertices(mesh.faces, len(mesh.vertices))
    if np.count_nonzero(used) <= vertices:
        return mesh, Carrier.identity(len(mesh.vertices))
    doing(f"simplifying {len(mesh.vertices):,} vertices to {vertices:,}")
    low, high = extent(mesh.vertices if used.all() else mesh.vertices[used])
    half = float((high / 2 - low / 2).max())  # halves: the size of a huge mesh may overflow
    # Vertices without a face may lie anywhere, and their squared distance must be a number.
    points = np.clip((mesh.vertices / 2 - low / 2) / half, -1e6, 1e6) * BOX
    area = float(triangle_areas(points, mesh.faces).sum())
    small = _thinned_and_decimated(points, mesh.faces, vertices, area)
    if small.area < LEAST_AREA * area or len(small.vertices) > MOST_VERTICES * vertices:
        small = _decimated_with_care(points, mesh.faces, vertices, area)
    if not small.area > 0:
        raise InputError(
            f"{mesh.name}: nothing is left of its {len(mesh.faces):,} faces at {vertices:,} vertices; ask for more"
        )
    carrier = _carrier(points, mesh.faces, small)
    return Mesh((small.vertices / BOX * half + low / 2) * 2, small.faces, mesh.name), carrier


def _thinned_and_decimated(points: FloatArray, faces: IntArray, vertices: int, area: float) -> _Small:
    """As `_decimated`, but vertices of very fine meshes are joined in groups first: merging each takes long."""
    if len(points) <= FINE * vertices:
        return _decimated(points, faces, vertices)
    cell = np.sqrt(area / (THINNED * vertices))
    thin = _cleaned(_Small(*in_groups(points, faces, cell, sharp_vertices(points, faces))))
    if len(thin.vertices) > FINE * vertices:  # sharp nearly everywhere, as noise is
        thin = _cleaned(_Small(*in_groups(points, faces, cell)))
    if thin.area < LEAST_AREA * area:  # crumpled at a finer scale than that of the groups
        return _decimated(points, faces, vertices)
    small = _decimated(thin.vertices, thin.faces, vertices)
    number = np.append(small.vertex_of, -1)  # one more: the index -1 stays -1
    return _Small(small.vertices, small.faces, number[thin.vertex_of])


def _decimated(points: FloatArray, faces: IntArray, vertices: int, aggression: float = AGGRESSIONS[0]) -> _Small:
    """Edges merged one after the other, those first that change the surface least."""
    from fast_simplification import simplify as decimate

    used, faces = without_unused(faces, len(points))
    target = round(vertices * len(faces) / len(used))
    vertex_of = np.full(len(points), -1, dtype=np.int64)
    if target >= len(faces):
        vertex_of[used] = np.arange(len(used))
        return _cleaned(_Small(points[used], faces, vertex_of))
    narrow = faces.astype(np.int32)
    found, triangles, merged = decimate(points[used], narrow, None, target, aggression, return_collapses=True)
    into = _followed(merged.astype(np.int64), len(used))
    # Triangles keep their order, so those whose corners stayed apart are, row by row, the triangles found.
    survivors = into[faces]
    survivors = survivors[~repeated_corner(survivors)]
    number = np.full(len(used), -1, dtype=np.int64)
    if len(survivors) == len(triangles):  # else every place is searched from the nearest vertex
        number[survivors.ravel()] = triangles.ravel()
    vertex_of[used] = number[into]
    return _cleaned(_Small(np.asarray(found, dtype=np.float64), triangles.astype(np.int64), vertex_of))


def _decimated_with_care(points: FloatArray, faces: IntArray, vertices: int, area: float) -> _Small:
    """The best of several ways, for faces that touch but share no vertices, and for shapes that resist or suffer."""
    welded = _clustered(points, faces, 1e-9 * BOX)
    tries = [_decimated(welded.vertices, welded.faces, vertices, aggression) for aggression in AGGRESSIONS]
    tries = [_Small(each.vertices, each.faces, each.vertex_of[welded.vertex_of]) for each in tries]
    tries.append(_cleaned(_clustered(points, faces, np.sqrt(area / (2 * vertices)))))
    small = [each for each in tries if len(each.vertices) <= MOST_VERTICES * vertices] or tries[-1:]
    return next((each for each in small if each.area >= LEAST_AREA * area), max(small, key=lambda each: each.area))


def _clustered(points: FloatArray, faces: IntArray, cell: float) -> _Small:
    """All vertices in one cell of a grid made one, in their middle."""
    _, cell_of = np.unique(np.rint(points / cell), axis=0, return_inverse=True)
    cell_of = cell_of.ravel()
    middles = np.stack([np.bincount(cell_of, column) for column in points.T], axis=1) / np.bincount(cell_of)[:, None]
    return _Small(middles, cell_of[faces][~repeated_corner(cell_of[faces])], cell_of)


def _followed(merged: IntArray, count: int) -> IntArray:
    """For each vertex the one that it ended in, when the second of each pair (M, 2) went into the first."""
    into = np.arange(count)
    into[merged[:, 1]] = merged[:, 0]
    while not np.array_equal(further := into[into], into):
        into = further
    return into


def _cleaned(small: _Small) -> _Small:
    """Without faces that have no area or stand there twice, and without the vertices that only these used."""
    keep = triangle_areas(small.vertices, small.faces) > 0
    keep &= ~repeated_corner(small.faces) & ~duplicate_faces(small.faces, len(small.vertices))
    used, faces = without_unused(small.faces[keep], len(small.vertices))
    number = np.full(len(small.vertices) + 1, -1, dtype=np.int64)  # one more: the index -1 stays -1
    number[used] = np.arange(len(used))
    return _Small(small.vertices[used], faces, number[small.vertex_of])


def _carrier(points: FloatArray, faces: IntArray, small: _Small, chunk: int = CHUNK) -> Carrier:
    """The place of every original vertex (V, 3), searched from the vertex that it went into."""
    search = _Search.on(small)
    normals = vertex_normals(points, faces).astype(np.float32)
    starts = _starts(points, faces, normals, small)
    corners, weights = np.empty(points.shape, dtype=np.int32), np.empty(points.shape, dtype=np.float32)
    for start in range(0, len(points), chunk):
        rows = slice(start, start + chunk)
        corners[rows], weights[rows] = search.places(points[rows].astype(np.float32), normals[rows], starts[rows])
    return Carrier(corners, weights, len(small.vertices))


def _starts(points: FloatArray, faces: IntArray, normals: Floats, small: _Small) -> IntArray:
    """Where each vertex's search starts: what it went into, else what neighbours did, else the nearest, (V,)."""
    starts = small.vertex_of.copy()
    open_faces = faces[(starts[faces] < 0).any(axis=1)]
    while len(open_faces):
        best = starts[open_faces].max(axis=1)
        lost = (starts[open_faces] < 0) & (best >= 0)[:, None]
        if not lost.any():
            break
        starts[open_faces[lost]] = np.broadcast_to(best[:, None], lost.shape)[lost]
        open_faces = open_faces[(starts[open_faces] < 0).any(axis=1)]
    vanished = starts < 0
    starts[vanished] = _nearest_vertices(points[vanished], normals[vanished], small)
    return starts


def _nearest_vertices(points: FloatArray, normals: Floats, small: _Small) -> IntArray:
    """The simplified vertex nearest to each point (N, 3) among those that face the same way, else among all, (N,)."""
    from scipy.spatial import cKDTree

    tree, facing = cKDTree(small.vertices), vertex_normals(small.vertices, small.faces).astype(np.float32)
    nearest = np.empty(len(points), dtype=np.int64)
    for start in range(0, len(points), CHUNK):
        rows = slice(start, start + CHUNK)
        distances, found = tree.query(points[rows], k=list(range(1, min(8, len(facing)) + 1)))
        opposite = np.einsum("nx,nkx->nk", normals[rows], facing[found]) < 0
        best = np.where(opposite, np.inf, distances).argmin(axis=1)
        nearest[rows] = np.take_along_axis(np.asarray(found), best[:, None], axis=1)[:, 0]
    return nearest


@dataclass(frozen=True, eq=False)
class _Search:
    """A surface with the triangles around each vertex: those of vertex i stand in ring[first[i] : first[i + 1]]."""

    corners: Floats  # (f, 3, 3) coordinates
    normals: Floats  # (f, 3)
    faces: IntArray  # (f, 3)
    ring: IntArray  # (3f,)
    first: IntArray  # (v + 1,)

    @staticmethod
    def on(small: _Small) -> _Search:
        """The search on a simplified surface."""
        corners, normals = small.vertices[small.faces], face_normals(small.vertices, small.faces)
        ring = np.argsort(small.faces.ravel(), kind="stable") // 3
        first = np.append(0, np.cumsum(np.bincount(small.faces.ravel(), minlength=len(small.vertices))))
        return _Search(corners.astype(np.float32), normals.astype(np.float32), small.faces, ring, first)

    def places(self, points: Floats, normals: Floats, starts: IntArray) -> tuple[NDArray[np.int32], Floats]:
        """The nearest place to each point that can be walked to from its start: vertices and weights, (N, 3)."""
        best = np.full(len(points), np.inf)
        faces, weights = np.zeros(len(points), dtype=np.int64), np.zeros((len(points), 3), dtype=np.float32)
        walking, at = np.arange(len(points)), starts
        for _ in range(STEPS):
            face, share, score = self._best_around(points[walking], normals[walking], at)
            better = score < best[walking]
            gained = walking[better]
            best[gained], faces[gained], weights[gained] = score[better], face[better], share[better]
            towards = self.faces[face, share.argmax(axis=1)]
            onwards = better & (towards != at)
            walking, at = walking[onwards], towards[onwards]
            if len(walking) == 0:
                break
        return self.faces[faces].astype(np.int32), weights

    def _best_around(self, points: Floats, normals: Floats, at: IntArray) -> tuple[IntArray, Floats, FloatArray]:
        """Among the triangles around a vertex the one with the best place: its number, the weights, and the score."""
        sizes = self.first[at + 1] - self.first[at]
        begin = np.cumsum(sizes) - sizes
        owner = np.repeat(np.arange(len(at)), sizes)
        triangles = self.ring[np.arange(len(owner)) - begin[owner] + self.first[at][owner]]
        weights, squares = _closest(points[owner], self.corners[triangles])
        scores = squares + np.where(_dot(normals[owner], self.normals[triangles]) < 0, OPPOSITE, 0.0)
        lowest = np.minimum.reduceat(scores, begin)
        hits = np.flatnonzero(scores == lowest[owner])[::-1]  # reversed: of several the first is written last
        chosen = np.empty(len(at), dtype=np.int64)
        chosen[owner[hits]] = hits
        return triangles[chosen], weights[chosen], lowest


def _closest(points: Floats, corners: Floats) -> tuple[Floats, Floats]:
    """The place in each triangle (N, 3, 3) nearest to each point: its barycentric weights (N, 3), squared distance."""
    a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
    weights, squares = np.zeros_like(points), np.full(len(points), np.inf, dtype=np.float32)
    for tail, head, order in ((a, b, (0, 1, 2)), (b, c, (2, 0, 1)), (c, a, (1, 2, 0))):
        along, offset = head - tail, points - tail
        share = np.clip(_dot(along, offset) / np.maximum(_dot(along, along), np.finfo(np.float32).tiny), 0, 1)
        apart = offset - share[:, None] * along
        nearer = _dot(apart, apart) < squares
        full = np.stack([1 - share, share, np.zeros_like(share)], axis=1)[:, order]
        weights[nearer], squares[nearer] = full[nearer], _dot(apart, apart)[nearer]
    ab, ac, ap = b - a, c - a, points - a
    bb, bc, cc, pb, pc = _dot(ab, ab), _dot(ab, ac), _dot(ac, ac), _dot(ap, ab), _dot(ap, ac)
    square = bb * cc - bc * bc  # (2 · area)²
    v, w = cc * pb - bc * pc, bb * pc - bc * pb
    inside = (v > 0) & (w > 0) & (v + w < square)
    v, w = v[inside] / square[inside], w[inside] / square[inside]
    apart = ap[inside] - v[:, None] * ab[inside] - w[:, None] * ac[inside]
    weights[inside], squares[inside] = np.stack([1 - v - w, v, w], axis=1), _dot(apart, apart)
    return weights, squares


def _dot(one: Floats, other: Floats) -> Floats:
    return np.asarray(np.einsum("nx,nx->n", one, other))
