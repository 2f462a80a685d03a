"""From a mesh to its parts: the one call that most people need."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from meshtide.errors import InputError
from meshtide.inference.familiarity import doubts
from meshtide.inference.kinds import answer
from meshtide.inference.model import Model, load_model
from meshtide.inference.predict import vertex_probabilities
from meshtide.inference.refine import refine as refined
from meshtide.inference.segmentation import Segmentation
from meshtide.inference.shipped import default_model
from meshtide.labels.labels import Labels
from meshtide.mesh.decimation import simplify
from meshtide.mesh.doctor import load_ready
from meshtide.mesh.mesh import Mesh
from meshtide.networks.graph import mesh_graph
from meshtide.networks.registry import needs
from meshtide.spectral.cache import Cache

# Beyond this a mesh is simplified first. On bodies of 170,000 and 240,000 vertices 99.5 % get the part that the whole
# computation gives, in a sixth of the time; with 50,000 it would be 99.7 % in twice that.
MAX_VERTICES = 20_000


def segment(
    mesh: Mesh | str | Path,
    model: Model | str | Path | None = None,
    *,
    kind: str | None = None,
    refine: bool = False,
    max_vertices: int = MAX_VERTICES,
    cache: Cache | None = None,
    device: str = "cpu",
) -> Segmentation:
    """Divide a mesh, or the mesh in a file, into the parts that a model knows; without a model, into those of bodies.

    A file's mesh is mended where it must be; `mesh.origin` of the result leads back to the file's own elements. `kind`
    overrides what the shape is taken for, `refine` draws borders along creases (see
    meshtide.inference.refine), and a mesh of more than `max_vertices` is simplified on the way and the answer carried
    back to every vertex.
    """
    if not isinstance(model, Model):
        model = default_model() if model is None else load_model(model)
    mesh, remarks = (mesh, ()) if isinstance(mesh, Mesh) else load_ready(mesh)
    about = model.about
    if max_vertices < 4:
        raise InputError(f"max_vertices is {max_vertices}; a surface has at least 4")
    small, carrier = simplify(mesh, max_vertices)
    graph = mesh_graph(small, about.recipe, cache, extras=needs(about.network, about.options)).to(device)
    model.network.to(device)
    found = answer(model, graph, kind)
    found_here = vertex_probabilities(found.probabilities, small, about.on).astype(np.float32)
    probabilities = carrier.to_original(found_here)
    labels = probabilities.argmax(axis=1)
    if refine:  # on the small mesh, whose borders are those of the large one
        sharp = np.eye(len(about.parts), dtype=np.float32)[refined(small, found_here)]
        labels = carrier.to_original(sharp).argmax(axis=1)
    used = np.zeros(len(mesh.vertices), dtype=bool)
    used[mesh.faces] = True
    return Segmentation(
        mesh,
        Labels(np.where(used, labels, -1), "vertices", about.parts),
        probabilities,
        about.colours,
        found.kind,
        (*remarks, *doubts(model, graph, found)),
    )
