"""What the network for regions reads at every face, none of which depends on where the shape is, how it is turned or
how large it is: numbers that stay the same, and arrows that turn with the shape.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from meshtide.arrays import FloatArray
from meshtide.inference.regions.links import Links, find_links
from meshtide.inference.regions.surface import Surface
from meshtide.mesh.mesh import Mesh
from meshtide.spectral.curvature import CURVATURE_TIMES, curvature, heat_displacements
from meshtide.spectral.eigensolver import smallest_eigenpairs
from meshtide.spectral.signatures import hks_times, log_hks
from meshtide.spectral.spectrum import Eigenbasis, laplacian
from meshtide.spectral.thickness import Inside, Thickness

EIGENPAIRS = 96
HKS_TIMES = hks_times(12)
NUMBERS = len(HKS_TIMES) + 2 * len(CURVATURE_TIMES) + 4
ARROWS = 2 + len(CURVATURE_TIMES)

Floats = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Inputs:
    """What a network reads of a surface, face by face."""

    rates: Floats  # (K,) eigenvalues of the Laplacian, bridges included
    vectors: Floats  # (f, K) its eigenvectors in the middle of every face
    areas: Floats  # (f,)
    numbers: Floats  # (f, NUMBERS)
    arrows: Floats  # (f, 3, ARROWS)

    def arrays(self) -> dict[str, Floats]:
        """What a network is asked with."""
        return {
            "rates": self.rates,
            "vectors": self.vectors,
            "weights": self.areas,
            "numbers": self.numbers,
            "arrows": self.arrows,
        }


@dataclass(frozen=True, eq=False)
class Prepared:
    """A surface with all that is computed of it before a network is asked."""

    surface: Surface
    links: Links
    inside: Inside
    thickness: Thickness
    inputs: Inputs


def prepare_surface(surface: Surface, k: int = EIGENPAIRS) -> Prepared:
    """Compute a surface's bridges, rays and inputs."""
    links, inside = find_links(surface), Inside(surface.vertices, surface.faces)
    thickness = inside.thickness(surface.normals)
    operator = laplacian(Mesh(surface.vertices, surface.faces, surface.mesh.name))
    matrix = operator.matrix + links.stiffness(surface) if len(links.gaps) else operator.matrix
    used = np.flatnonzero(operator.mass > 0)
    if len(used) < len(operator.mass):
        matrix = matrix.tocsr()[used].tocsc()[:, used]
    pairs = smallest_eigenpairs(matrix, operator.mass[used], min(k, len(used)))
    vectors = np.zeros((len(operator.mass), len(pairs.values)))
    vectors[used] = pairs.vectors
    basis = Eigenbasis(pairs.values, vectors, operator.mass, "surface", 1)
    displacements = heat_displacements(operator.matrix, operator.mass, surface.vertices)
    return Prepared(surface, links, inside, thickness, _inputs(surface, thickness, basis, displacements))


def _inputs(surface: Surface, thickness: Thickness, basis: Eigenbasis, displacements: FloatArray) -> Inputs:
    faces, normals, areas = surface.faces, surface.normals, surface.areas
    vectors = _at_faces(basis.vectors, faces)
    moved = _at_faces(displacements.reshape(len(displacements), -1), faces).reshape(len(faces), -1, 3)
    logs = np.log(thickness.lengths)
    # The thickness of the surroundings: heat after a time in which it crosses a finger.
    smooth = vectors @ (np.exp(-2e-3 * basis.values) * (vectors.T @ (areas * logs)))
    share = np.bincount(surface.shells, areas)[surface.shells]
    numbers = np.column_stack([
        _at_faces(log_hks(basis, HKS_TIMES), faces), curvature(moved, normals), logs,
        np.clip(smooth, np.log(1e-3), 0.5), thickness.hits, np.log(np.maximum(share, 1e-6)),
    ])  # fmt: skip
    arrows = np.concatenate([surface.centres[:, :, None], normals[:, :, None], moved.transpose(0, 2, 1)], axis=2)
    single = np.float32
    return Inputs(
        basis.values.astype(single), vectors.astype(single), areas.astype(single), numbers.astype(single),
        np.ascontiguousarray(arrows, dtype=single),
    )  # fmt: skip


def _at_faces(values: FloatArray, faces: NDArray[np.int64]) -> FloatArray:
    """Values at vertices (v, …) averaged over the corners of every face."""
    return np.asarray((values[faces[:, 0]] + values[faces[:, 1]] + values[faces[:, 2]]) / 3)
