"""Regions as evidence for names: what a region's faces say together counts a little at each of them.

A network that names parts may waver along a limb that the network for regions sees as one piece. A region is no mould,
though: it may hold several named parts, and a part several regions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from meshtide.arrays import Probabilities
from meshtide.inference.predict import vertex_probabilities
from meshtide.inference.recognise import Recognition
from meshtide.inference.regions.regions import Regions, find_regions
from meshtide.mesh.measure import triangle_areas
from meshtide.mesh.mesh import Mesh

if TYPE_CHECKING:
    from meshtide.inference.model import About

# How much the mean of a region counts beside a vertex's own: of 0, ¼, ½, 1, 2 and 4 the best on generated bodies of the
# other variant, of every kind.
WEIGHT = 0.25
# Kinds with thin limbs. People and four-legged animals gain less than the third of a second that it takes is worth.
KINDS = ("bird", "hand", "octopus", "ant")
# A model that has learned from fewer shapes than these wavers: docs/training.md. What many teach is left as it is.
FEW = 40
LEAST = 1e-4  # no single vertex rules a part out for its whole region


def supported(
    probabilities: NDArray[np.float32], mesh: Mesh, kind: str | None, seen: Recognition | None = None
) -> NDArray[np.float32]:
    """Probabilities at the vertices, (V, P), with the evidence of the mesh's regions where the kind gains by it.

    What was seen of the shape before has a working surface, which is of use if it is that of this very mesh.
    """
    if kind not in KINDS:
        return probabilities
    usable = seen.prepared if seen is not None and _same(seen.prepared.surface.mesh, mesh) else None
    return with_evidence(probabilities, mesh, find_regions(mesh, prepared=usable))


def supported_own(probabilities: NDArray[np.float32], mesh: Mesh, about: About) -> NDArray[np.float32]:
    """Those of a model of one's own, (V, P), with evidence if it has learned from few shapes."""
    learned = about.trained_on.get("shapes")
    count = len(learned) if isinstance(learned, list) else 0
    if about.trained_on.get("setting") not in ("multi", "mixed") or not 0 < count < FEW:
        return probabilities
    return with_evidence(probabilities, mesh, find_regions(mesh))


def with_evidence(probabilities: Probabilities, mesh: Mesh, regions: Regions) -> NDArray[np.float32]:
    """Add to each vertex's logarithms a share of the mean of its regions'; parts that were ruled out stay so."""
    result = np.zeros(probabilities.shape, dtype=np.float32)
    possible = np.flatnonzero(probabilities.any(axis=0))
    logs = np.log(np.maximum(probabilities[:, possible], LEAST))  # (V, p)
    areas = triangle_areas(mesh.vertices, mesh.faces)
    faces = logs[mesh.faces].mean(axis=1) * areas[:, None]  # (F, p)
    sums = np.stack([np.bincount(regions.face_regions, column, regions.count) for column in faces.T], axis=1)
    whole = np.bincount(regions.face_regions, areas, regions.count)
    means = sums / np.maximum(whole, np.finfo(float).tiny)[:, None]  # (R, p)
    logs = logs + WEIGHT * vertex_probabilities(means[regions.face_regions], mesh)
    shares = np.exp(logs - logs.max(axis=1, keepdims=True))
    result[:, possible] = shares / shares.sum(axis=1, keepdims=True)
    return result


def _same(one: Mesh, two: Mesh) -> bool:
    """Whether two meshes have the same triangles at the same places, in one order."""
    return len(one.faces) == len(two.faces) and np.array_equal(one.vertices[one.faces], two.vertices[two.faces])
