"""Meshes made ready for what follows: mended where their spectrum would otherwise show no shape."""

from __future__ import annotations

from pathlib import Path

from meshtide.errors import InputError
from meshtide.mesh.files import RawMesh, read_raw
from meshtide.mesh.mesh import Mesh, check_raw
from meshtide.mesh.repair import mend
from meshtide.mesh.topology import boundary_vertices, edges_with_uses

SOUP = "its {:,} triangles share no edge, not even where vertices lie together, so there is no surface to segment"


def load_ready(path: str | Path) -> tuple[Mesh, tuple[str, ...]]:
    """Load a mesh as the rest of meshtide wants it: mended where its spectrum would otherwise show no shape.

    Returns the mesh and a remark for each repair. Elements of the file are found again through `mesh.origin`.
    """
    return make_ready(read_raw(path), path)


def make_ready(raw: RawMesh, place: str | Path) -> tuple[Mesh, tuple[str, ...]]:
    """The same for a mesh that is already in memory; errors begin with `place`."""
    mended, steps = mend(raw, ("missing-vertices", "not-finite"))
    # A closed surface has no seams: looking for them once instead of thrice matters in a folder of hundreds.
    if boundary_vertices(mended.faces, len(mended.vertices)).any():
        mended, more = mend(mended, ("unwelded", "cracks"))
        steps += more
        if is_soup(mended):
            raise InputError(f"{place}: {SOUP.format(len(mended.faces))}")
    return check_raw(mended, place), tuple(step.done for step in steps)


def is_soup(joined: RawMesh) -> bool:
    """Whether no two faces share an edge although everything that lies together was welded."""
    return len(joined.faces) > 1 and bool((edges_with_uses(joined.faces, len(joined.vertices))[1] == 1).all())
