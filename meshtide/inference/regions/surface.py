"""A mesh as the search for regions sees it: of area 1, wound one way, with some thousand faces of a like size.

Large meshes are simplified and the answer is carried back. The large faces of coarse ones are split, as a network that
reads the surface place by place needs places; an original face still gets one answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from meshtide.arrays import FloatArray, IntArray
from meshtide.inference.regions.subdivision import split_long_edges
from meshtide.mesh.decimation import MAX_VERTICES, Carrier, simplify_by_way
from meshtide.mesh.measure import triangle_areas, unit_box
from meshtide.mesh.mesh import Mesh
from meshtide.mesh.repair import weld
from meshtide.mesh.topology import boundary_vertices, components, duplicate_faces, repeated_corner
from meshtide.mesh.winding import outward

FACES = 8000  # to which larger meshes are simplified; beyond, answers hardly change and the time grows
SLACK = 1.15  # a mesh with so many times more is left as it is
LONGEST = 0.05  # edges above this are split, on a surface of area 1; a typical one of 8,000 faces has 0.017


@dataclass(frozen=True, eq=False)
class Surface:
    """The working surface, and how its faces belong to those of the mesh."""

    vertices: FloatArray  # (v, 3), the middle of the surface at the origin
    faces: IntArray  # (f, 3)
    pieces: IntArray  # (f,) faces with one number came from one face of the mesh and get one answer
    mesh: Mesh
    kept: IntArray | None  # (pieces,) the mesh's face of every piece; None if the mesh was simplified
    carrier: Carrier | None  # what carries values at vertices back if it was

    @cached_property
    def normals(self) -> FloatArray:
        """Unit normals of the faces, (f, 3); any unit vector for a face without area."""
        a, b, c = (self.vertices[self.faces[:, corner]] for corner in range(3))
        normals = np.cross(b - a, c - a)
        lengths = np.linalg.norm(normals, axis=1, keepdims=True)
        return np.where(lengths > 0, normals / np.where(lengths > 0, lengths, 1), np.array([0.0, 0.0, 1.0]))

    @cached_property
    def areas(self) -> FloatArray:
        """The faces' shares of the area, (f,); they add up to 1 and none is quite 0."""
        areas = np.maximum(triangle_areas(self.vertices, self.faces), 1e-12)
        return np.asarray(areas / areas.sum())

    @cached_property
    def centres(self) -> FloatArray:
        """The middle of every face, (f, 3)."""
        return np.asarray(self.vertices[self.faces].mean(axis=1))

    @cached_property
    def shells(self) -> IntArray:
        """The connected component of every face, (f,)."""
        return components(self.faces, len(self.vertices))[1][self.faces[:, 0]]

    def unsimplified(self) -> Surface:
        """The whole mesh as a surface of area 1, none of its faces split or merged."""
        kept, vertices = np.arange(len(self.mesh.faces)), unit_box(self.mesh.vertices, self.mesh.faces)
        return _made(vertices, self.mesh.faces, kept, self.mesh, kept, None)

    def to_mesh(self, regions: IntArray) -> IntArray:
        """The region of every face of the mesh, (F,), from that of every working face, (f,)."""
        if self.kept is not None:
            return self._spread(regions)
        assert self.carrier is not None
        return _carried(self, regions, self.carrier)

    def _spread(self, regions: IntArray) -> IntArray:
        """Every piece's region to its face; faces that took no part have that of the nearest one."""
        assert self.kept is not None
        of_piece = np.zeros(len(self.kept), dtype=np.int64)
        of_piece[self.pieces] = regions
        result = np.full(len(self.mesh.faces), -1, dtype=np.int64)
        result[self.kept] = of_piece
        lost = np.flatnonzero(result < 0)
        if len(lost):
            from scipy.spatial import cKDTree

            centres = unit_box(self.mesh.vertices, self.mesh.faces)[self.mesh.faces].mean(axis=1)
            result[lost] = of_piece[cKDTree(centres[self.kept]).query(centres[lost])[1]]
        return result


def working_surface(mesh: Mesh, faces: int = FACES) -> Surface:
    """A mesh made ready for the search for regions."""
    mesh = _without_seams(mesh)
    sound = ~repeated_corner(mesh.faces) & ~duplicate_faces(mesh.faces, len(mesh.vertices))
    points = unit_box(mesh.vertices, mesh.faces)
    sound &= triangle_areas(points, mesh.faces) > 1e-16
    if sound.sum() > SLACK * faces:
        used = len(np.unique(mesh.faces[sound]))
        small, carrier = simplify_by_way(mesh, max(4, round(faces * used / int(sound.sum()))), MAX_VERTICES)
        if len(small.faces) < len(mesh.faces):
            points, corners = unit_box(small.vertices, small.faces), small.faces
            return _made(points, corners, np.arange(len(corners)), mesh, None, carrier)
    kept = np.flatnonzero(sound) if sound.any() else np.array([int(mesh.face_areas.argmax())])
    points = points / np.sqrt(triangle_areas(points, mesh.faces[kept]).sum())
    points, corners, parents = split_long_edges(points, mesh.faces[kept], LONGEST, round(SLACK * faces))
    return _made(points, corners, parents, mesh, kept, None)


def _without_seams(mesh: Mesh) -> Mesh:
    """The same faces with open borders that lie on each other joined: textures cut a surface where none ends."""
    open_ones = np.flatnonzero(boundary_vertices(mesh.faces, len(mesh.vertices)))
    first, number = weld(mesh.vertices[open_ones])
    if len(first) == len(open_ones):
        return mesh
    target = np.arange(len(mesh.vertices))
    target[open_ones] = open_ones[first[number]]
    return Mesh(mesh.vertices, target[mesh.faces], mesh.name)


def _made(
    points: FloatArray, faces: IntArray, pieces: IntArray, mesh: Mesh, kept: IntArray | None, carrier: Carrier | None
) -> Surface:
    if carrier is None:  # a carrier counts on every vertex being there
        used = np.unique(faces)
        number = np.zeros(len(points), dtype=np.int64)
        number[used] = np.arange(len(used))
        points, faces = points[used], number[faces]
    areas = triangle_areas(points, faces)
    middle = areas @ points[faces].mean(axis=1) / areas.sum()
    points = (points - middle) / np.sqrt(areas.sum())
    return Surface(points, outward(points, faces), pieces, mesh, kept, carrier)


def _carried(surface: Surface, regions: IntArray, carrier: Carrier) -> IntArray:
    """The region that has the largest share around a face's corners, for every face of the mesh, (F,).

    Shares at the small mesh's vertices are interpolated, so that borders run smoothly through the larger mesh.
    """
    count, faces = len(surface.vertices), surface.mesh.faces
    best = np.full(len(faces), -1.0, dtype=np.float32)
    result = np.zeros(len(faces), dtype=np.int64)
    around = np.bincount(surface.faces.ravel(), np.repeat(surface.areas, 3), count)
    for region in np.unique(regions):
        inside = np.repeat(surface.areas * (regions == region), 3)
        share = np.bincount(surface.faces.ravel(), inside, count) / np.maximum(around, 1e-300)
        here: NDArray[np.float32] = carrier.to_original(share.astype(np.float32))[faces].sum(axis=1)
        larger = here > best
        best[larger], result[larger] = here[larger], region
    return result
