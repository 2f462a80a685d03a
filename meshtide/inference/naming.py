"""From a thing's surface to its parts with names, at every face and vertex of its mesh."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from meshtide.arrays import FloatArray
from meshtide.inference.given import Given
from meshtide.inference.predict import face_probabilities, vertex_probabilities
from meshtide.inference.recognise import Recognition
from meshtide.inference.region_evidence import with_regions
from meshtide.inference.regions.inputs import Prepared
from meshtide.inference.regions.regions import find_regions
from meshtide.inference.regions.surface import Surface
from meshtide.inference.segmentation import Segmentation
from meshtide.inference.things import Namer, default_namer
from meshtide.labels.colours import part_colours
from meshtide.labels.labels import Labels
from meshtide.mesh.measure import relative_areas
from meshtide.mesh.mesh import Mesh

# How much the mean of a face's region counts beside what the face itself is taken for.
REGION_WEIGHT = 0.25
# How sure recogniser and namer must be together, as the root of the product, for a thing to have names.
SURE = 0.5


def likeliest_thing(seen: Recognition, namer: Namer | None = None) -> tuple[str, float]:
    """The kind of thing that recogniser and namer take a shape for together, and how sure the two are."""
    namer = namer or default_namer()
    theirs = namer.shares(namer.scores(seen.prepared.inputs), seen.prepared.inputs.areas)
    together = {kind: float(np.sqrt(share * seen.shares.get(kind, 0.0))) for kind, share in theirs.items()}
    kind = max(together, key=lambda each: together[each])
    return kind, together[kind]


def name_thing(given: Given, prepared: Prepared, kind: str, reason: str, namer: Namer | None = None) -> Segmentation:
    """The parts of a thing of a kind."""
    namer = namer or default_namer()
    mesh, names = given.mesh, namer.kinds[kind]
    scores = namer.parts(namer.scores(prepared.inputs), kind)
    at_faces = on_mesh(prepared.surface, np.exp(scores))
    regions = find_regions(mesh, prepared=prepared).face_regions
    sharpened = with_regions(np.log(np.maximum(at_faces, 1e-6)), regions, relative_areas(mesh), REGION_WEIGHT)
    labels = sharpened.argmax(axis=1)
    probabilities = vertex_probabilities(np.exp(sharpened), mesh)
    return Segmentation(
        mesh,
        Labels(labels, "faces", names).to_vertices(mesh),
        probabilities.astype(np.float32),
        part_colours(names),
        kind,
        given.remarks,
        given.origin,
        given.source,
        mesh_regions=labels,
        reason=reason,
    )


def on_mesh(surface: Surface, values: NDArray[np.float64]) -> FloatArray:
    """Probabilities at the working faces (f, P) as probabilities at the faces of the mesh (F, P)."""
    if surface.carrier is not None:
        small = Mesh(surface.vertices, surface.faces)
        carried = surface.carrier.to_original(vertex_probabilities(values, small).astype(np.float32))
        return np.asarray(face_probabilities(carried, surface.mesh), dtype=np.float64)
    assert surface.kept is not None
    count = len(surface.kept)
    whole = np.maximum(np.bincount(surface.pieces, surface.areas, count), 1e-300)
    sums = [np.bincount(surface.pieces, surface.areas * column, count) for column in values.T]
    of_pieces = np.stack(sums, axis=1) / whole[:, None]
    # Faces that took no part have what the nearest one has.
    place = surface.to_mesh(surface.pieces)
    return np.asarray(of_pieces[place])
