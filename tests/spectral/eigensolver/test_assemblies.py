"""Objects of several pieces, as people model them: their spectra against dense LAPACK."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg
import trimesh
from threadpoolctl import threadpool_limits

from meshtide.mesh.mesh import Mesh
from meshtide.spectral.eigensolver import smallest_eigenpairs
from meshtide.spectral.spectrum import eigenbasis, laplacian

ASSEMBLIES, COUNT = 500, 96


def assembly(seed: int) -> Mesh:
    """Boxes, cylinders and balls, some of a dozen vertices and large, some of hundreds and small."""
    random = np.random.default_rng(seed)
    pieces = []
    for _ in range(random.integers(2, 8)):
        size = random.lognormal(0, 0.8, 3)
        make = [
            lambda size=size: trimesh.creation.box(size),
            lambda size=size: trimesh.creation.cylinder(size[0], size[1], sections=int(random.integers(4, 40))),
            lambda size=size: trimesh.creation.icosphere(subdivisions=int(random.integers(0, 3)), radius=size[0]),
        ][random.integers(3)]
        piece = make()
        piece.apply_translation(random.normal(0, 2, 3))
        pieces.append(piece)
    whole = trimesh.util.concatenate(pieces)
    return Mesh(np.array(whole.vertices), np.array(whole.faces), f"assembly-{seed}")


def test_random_assemblies_have_the_spectrum_that_lapack_finds() -> None:
    coarse = 0
    for seed in range(ASSEMBLIES):
        operator = laplacian(assembly(seed))
        used = np.flatnonzero(operator.mass > 0)
        matrix, mass = operator.matrix[:, used][used], operator.mass[used]
        found = smallest_eigenpairs(matrix, mass, COUNT)
        root = np.sqrt(mass)
        with threadpool_limits(limits=1):
            wanted = scipy.linalg.eigvalsh(matrix.toarray() / root[:, None] / root)[:COUNT]
        assert len(found.values) == min(COUNT, len(mass))
        np.testing.assert_allclose(found.values, wanted, rtol=1e-6, atol=1e-7 * wanted[-1])
        coarse += len(mass) < 2 * COUNT
    assert coarse > 20  # some have hardly more vertices than eigenpairs


@pytest.mark.parametrize("vertices", [8, 14])
def test_a_large_coarse_piece_beside_a_small_fine_one(vertices: int) -> None:
    # Nearly all of the area has a handful of vertices, so that the eigenpairs must come from the rest.
    plate = trimesh.creation.box((100.0, 100.0, 1.0)) if vertices == 8 else trimesh.creation.cylinder(60, 1, sections=6)
    statue = trimesh.creation.icosphere(subdivisions=3)
    whole = trimesh.util.concatenate([plate, statue])
    basis = eigenbasis(Mesh(np.array(whole.vertices), np.array(whole.faces)), 64)
    assert len(basis.values) == 64
    assert (basis.values[:2] < 1e-6 * basis.values[-1]).all()
    assert (np.diff(basis.values) >= -1e-9 * basis.values[-1]).all()
