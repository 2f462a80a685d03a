"""The parts that a mesh was divided into: what `segment` gives, and what files and pictures are made of."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from meshtide.labels.labels import Labels
from meshtide.mesh.mesh import Mesh


@dataclass(frozen=True, eq=False)
class Segmentation:
    """A mesh with a part at every vertex, how sure that is, and the colours to show it in.

    `mesh.origin` leads back to the file: vertex i and face i of the file have the answer that it maps them to.
    """

    mesh: Mesh
    labels: Labels  # on vertices
    probabilities: NDArray[np.float32]  # (V, parts), in the order of labels.names; rows add up to 1
    colours: tuple[str, ...]  # "#rrggbb" for each part
    kind: str | None = None  # what the shape was taken for, where the model knows several kinds
    warnings: tuple[str, ...] = ()  # sentences for people: what to be careful about

    @property
    def parts(self) -> tuple[str, ...]:
        """The names of all parts that the model knows, present or not."""
        return self.labels.names

    @cached_property
    def confidence(self) -> NDArray[np.float32]:
        """The probability of the part that each vertex was given, (V,); 0 where it was given none."""
        rows = np.arange(len(self.labels))
        chosen = self.probabilities[rows, np.maximum(self.labels.values, 0)]
        return np.where(self.labels.values >= 0, chosen, np.float32(0)).astype(np.float32)

    @cached_property
    def face_labels(self) -> Labels:
        """The same parts on faces."""
        return self.labels.to_faces(self.mesh)

    @cached_property
    def face_confidence(self) -> NDArray[np.float32]:
        """The mean over a face's corners of the probability of the face's part, (F,); 0 where it has none."""
        parts = self.face_labels.values
        corners = self.probabilities[self.mesh.faces, np.maximum(parts, 0)[:, None]]
        return np.where(parts >= 0, corners.mean(axis=1), np.float32(0)).astype(np.float32)
