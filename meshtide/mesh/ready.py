"""Meshes made ready for what follows: mended where their spectrum would otherwise show no shape."""

from __future__ import annotations

from pathlib import Path

from meshtide.errors import InputError
from meshtide.mesh.mesh import Mesh
from meshtide.mesh.raw import RawMesh
from meshtide.mesh.repair import mend
from meshtide.mesh.topology import boundary_vertices, edges_with_uses

SOUP = "its {:,} triangles share no edge, not even where vertices lie together, so there is no surface to segment"


def make_ready(raw: RawMesh, place: str | Path) -> tuple[Mesh, tuple[str, ...]]:
    """A mesh as the rest of meshtide wants it, and a remark for each repair; errors begin with `place`.

    The elements as they were are found again through the origin of the new mesh.
    """
    mended, steps = mend(raw, ("missing-vertices", "not-finite"))
    # A closed surface has no seams: looking for them once instead of thrice matters in a folder of hundreds.
    if boundary_vertices(mended.faces, len(mended.vertices)).any():
        mended, more = mend(mended, ("unwelded", "cracks"))
        steps += more
        if is_soup(mended):
            raise InputError(f"{place}: {SOUP.format(len(mended.faces))}")
    return mended.checked(place), tuple(step.done for step in steps)


def is_soup(joined: RawMesh) -> bool:
    """Whether no two faces share an edge although everything that lies together was welded."""
    return len(joined.faces) > 1 and bool((edges_with_uses(joined.faces, len(joined.vertices))[1] == 1).all())
