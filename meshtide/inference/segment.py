"""From a mesh to its parts: the one call that most people need."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from meshtide.errors import InputError
from meshtide.inference.familiarity import doubts
from meshtide.inference.given import take
from meshtide.inference.kinds import answer
from meshtide.inference.model import Model, load_model
from meshtide.inference.predict import vertex_probabilities
from meshtide.inference.refine import refine as refined
from meshtide.inference.segmentation import Segmentation
from meshtide.labels.labels import Labels
from meshtide.mesh.decimation import simplify
from meshtide.mesh.topology import used_vertices
from meshtide.networks.graph import mesh_graph
from meshtide.networks.registry import needs
from meshtide.spectral.cache import Cache

# Beyond this a mesh is simplified first. On bodies of 170,000 and 240,000 vertices 99.5 % get the part that the whole
# computation gives, in a sixth of the time; with 50,000 it would be 99.7 % in twice that.
MAX_VERTICES = 20_000


def segment(
    mesh: Any,
    model: Model | str | Path | None = None,
    *,
    kind: str | None = None,
    refine: bool = False,
    max_vertices: int = MAX_VERTICES,
    cache: Cache | None = None,
    device: str = "cpu",
) -> Segmentation:
    """Divide a mesh into the parts that a model knows; without a model, into those of bodies.

    `mesh` is a path, a Mesh, a trimesh.Trimesh or Scene, a pair of arrays (vertices, faces), a pyvista.PolyData or an
    open3d TriangleMesh. It is mended where it must be, and the answer is about the elements that were handed in: the
    corners of an STL, the polygons of an OBJ, the points of a PolyData. A scene's elements are counted geometry after
    geometry, in the order of its nodes.

    `model` is a Model, a file that `Model.save` wrote, or "default" for the one that ships. `kind` overrides what the
    shape is taken for, `refine` draws borders along creases (see meshtide.inference.refine), and a mesh of more than
    `max_vertices` is simplified on the way and the answer carried back to every vertex.

    >>> import meshtide as mt
    >>> body, _ = mt.make_figure("humanoid", 3, "held-out", defects=False)
    >>> result = mt.segment((body.vertices, body.faces))
    >>> result.kind, len(result.labels) == len(body.vertices)
    ('humanoid', True)
    """
    if not isinstance(model, Model):
        model = load_model("default" if model is None else model)
    if max_vertices < 4:
        raise InputError(f"`max_vertices` is {max_vertices}; a surface has at least 4")
    given, about = take(mesh), model.about
    small, carrier = simplify(given.mesh, max_vertices)
    graph = mesh_graph(small, about.recipe, cache, extras=needs(about.network, about.options)).to(device)
    model.network.to(device)
    found = answer(model, graph, kind)
    found_here = vertex_probabilities(found.probabilities, small, about.on).astype(np.float32)
    probabilities = carrier.to_original(found_here)
    labels = probabilities.argmax(axis=1)
    if refine:  # on the small mesh, whose borders are those of the large one
        sharp = np.eye(len(about.parts), dtype=np.float32)[refined(small, found_here)]
        labels = carrier.to_original(sharp).argmax(axis=1)
    used = used_vertices(given.mesh.faces, len(given.mesh.vertices))
    return Segmentation(
        given.mesh,
        Labels(np.where(used, labels, -1), "vertices", about.parts),
        probabilities,
        about.colours,
        found.kind,
        (*given.remarks, *doubts(model, graph, found)),
        given.origin,
        given.source,
    )
