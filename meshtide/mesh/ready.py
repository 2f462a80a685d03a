"""Meshes made ready for what follows: mended where their spectrum would otherwise show no shape."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from meshtide.errors import InputError
from meshtide.mesh.mesh import Mesh
from meshtide.mesh.raw import RawMesh
from meshtide.mesh.repair import mend
from meshtide.mesh.topology import boundary_vertices, edges_with_uses, used_vertices
from meshtide.stages import doing

SMALLEST, LARGEST = 1e-15, 1e15  # sizes of meshes that are taken as they are
SOUP = "its {:,} triangles share no edge, not even where vertices lie together, so there is no surface to segment"


def make_ready(raw: RawMesh, place: str | Path) -> tuple[Mesh, tuple[str, ...]]:
    """A mesh as the rest of meshtide wants it, and a remark for each repair; errors begin with `place`.

    The elements as they were are found again through the origin of the new mesh.
    """
    doing(f"examining {len(raw.faces):,} triangles")
    mended, steps = mend(raw, ("missing-vertices", "not-finite", "doubled-faces"))
    # A closed surface has no seams: looking for them once instead of thrice matters in a folder of hundreds.
    if boundary_vertices(mended.faces, len(mended.vertices)).any():
        mended, more = mend(mended, ("unwelded", "cracks"))
        steps += more
        if is_soup(mended):
            raise InputError(f"{place}: {SOUP.format(len(mended.faces))}")
    return mended.checked(place), tuple(step.done for step in steps)


def at_usual_scale(mesh: Mesh) -> Mesh:
    """The mesh, or where it is so huge or tiny that squares of its size are no numbers, its likeness of size one.

    It is scaled by a power of two, which changes no digit of the coordinates. Vertices of no face may lie anywhere and
    are moved onto the surface.
    """
    corners = mesh.vertices[mesh.faces.ravel()]
    half = float((corners.max(axis=0) / 2 - corners.min(axis=0) / 2).max())
    if SMALLEST < half < LARGEST:
        return mesh
    power = -round(math.log2(half))
    used = used_vertices(mesh.faces, len(mesh.vertices))
    points = np.where(used[:, None], mesh.vertices, corners[0])
    return Mesh(np.ldexp(points, power), mesh.faces, mesh.name, mesh.origin)


def is_soup(joined: RawMesh) -> bool:
    """Whether no two faces share an edge although everything that lies together was welded."""
    return len(joined.faces) > 1 and bool((edges_with_uses(joined.faces, len(joined.vertices))[1] == 1).all())
