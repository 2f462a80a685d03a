"""Labels on edges, as MeshCNN writes them, made into labels on faces."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from meshtide.arrays import IntArray
from meshtide.errors import InputError
from meshtide.labels.labels import weighted_vote
from meshtide.mesh.mesh import Mesh


def meshcnn_edges(faces: IntArray) -> tuple[IntArray, IntArray]:
    """The edges (E, 2) in MeshCNN's order, and the edge (F, 3) that each side of a face is.

    An edge's number is its turn when the faces are walked in order, each with the sides (v0, v1), (v1, v2), (v2, v0).
    """
    sides = np.sort(faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
    keys = sides[:, 0] * (faces.max() + 1) + sides[:, 1]
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    turn = np.argsort(first)  # edges in the order of their first appearance
    number = np.empty(len(turn), dtype=np.int64)
    number[turn] = np.arange(len(turn))
    return sides[first[turn]], number[inverse].reshape(-1, 3)


def faces_from_edges(path: Path, values: IntArray, mesh: Mesh) -> tuple[IntArray, str]:
    """One part a face out of one part an edge: the part with the greatest length among the three sides."""
    edges, sides = meshcnn_edges(mesh.faces)
    if len(values) != len(edges):
        raise InputError(
            f"{path}: {len(values):,} edge labels for the {len(edges):,} edges of '{mesh.name}' "
            f"({len(mesh.vertices):,} vertices, {len(mesh.faces):,} faces); was the mesh re-exported after labelling?"
        )
    lengths = np.linalg.norm(mesh.vertices[edges[:, 0]] - mesh.vertices[edges[:, 1]], axis=1)
    owners = np.repeat(np.arange(len(mesh.faces)), 3)
    labels = weighted_vote(owners, values[sides].ravel(), lengths[sides].ravel(), len(mesh.faces))
    return labels, "made from edge labels: each face has the part with the greatest length among its sides"
