"""What a network says of a graph, as probabilities on vertices or on faces."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from meshtide.arrays import Probabilities
from meshtide.errors import InputError
from meshtide.labels.labels import Element
from meshtide.mesh.measure import relative_areas
from meshtide.mesh.mesh import Mesh

if TYPE_CHECKING:
    from meshtide.networks.graph import MeshGraph
    from meshtide.networks.network import Network


def predict(network: Network, graph: MeshGraph) -> NDArray[np.float32]:
    """The probability of each part at each vertex, (V, P), or at each face for a network that answers on faces."""
    import torch

    from meshtide.networks.turning import probabilities

    modes = {module: module.training for module in network.modules()}
    network.eval()
    try:
        # Not inference_mode: what a graph computes once and keeps would then be of no use to training.
        with torch.no_grad():
            there = graph.to(next(iter(network.parameters())).device)
            found = probabilities(network, there).cpu().numpy().astype(np.float32, copy=False)
    finally:
        for module, mode in modes.items():
            module.training = mode
    return checked_scores(np.asarray(found), graph.name)


def checked_scores(found: NDArray[np.float32], name: str) -> NDArray[np.float32]:
    """What a network gave for a shape, if they are numbers."""
    if not np.isfinite(found).all():
        raise InputError(f"{name}: the network gives infinite or undefined scores; did its training diverge?")
    return found


def face_probabilities(probabilities: Probabilities, mesh: Mesh, on: Element = "vertices") -> Probabilities:
    """Probabilities on the faces, (F, P): the mean of the corners'."""
    if on == "faces":
        return probabilities
    return np.asarray(probabilities.astype(np.float64)[mesh.faces].mean(axis=1))


def vertex_probabilities(probabilities: Probabilities, mesh: Mesh, on: Element = "faces") -> Probabilities:
    """Probabilities on the vertices, (V, P): the mean of the faces' around each, weighted by area.

    A vertex whose faces have no area, or that has none, gets zeros.
    """
    if on == "vertices":
        return probabilities
    areas, count = relative_areas(mesh), len(mesh.vertices)
    corners, weights = mesh.faces.ravel(), np.repeat(areas, 3)
    sums = [np.bincount(corners, weights * np.repeat(column, 3), count) for column in probabilities.T]
    whole = np.bincount(corners, weights, count)
    return np.stack(sums, axis=1) / np.where(whole > 0, whole, 1.0)[:, None]
