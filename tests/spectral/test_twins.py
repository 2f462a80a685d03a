"""Twins: the share of like places that lie elsewhere, against its definition and on bodies where it is known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from shapes import figure, sphere

from meshtide.mesh.mesh import Mesh
from meshtide.spectral.recipe import GraphRecipe
from meshtide.spectral.signatures import log_hks
from meshtide.spectral.spectrum import Eigenbasis, eigenbasis
from meshtide.spectral.twins import LIKENESS, REACH, twins

TIMES = GraphRecipe().times


def plain(basis: Eigenbasis) -> np.ndarray:
    """Σ_y m w(x, y) (1 - c(x, y)) / Σ_y m w(x, y) over all y, as it is defined."""
    looks = log_hks(basis, TIMES)
    apart = ((looks[:, None] - looks[None]) ** 2).mean(axis=2)
    kernel = basis.vectors @ (np.exp(-2 * REACH * basis.frequencies)[:, None] * basis.vectors.T)
    nearness = kernel / np.sqrt(np.outer(kernel.diagonal(), kernel.diagonal()))
    columns = []
    for width in LIKENESS:
        like = basis.mass * np.exp(-apart / (2 * width**2))
        columns.append((like * (1 - nearness)).sum(axis=1) / like.sum(axis=1))
    return np.stack(columns, axis=1)


def side_by_side(*meshes: Mesh) -> Mesh:
    """Meshes that do not touch, as one."""
    starts = np.cumsum([0, *(len(mesh.vertices) for mesh in meshes)])
    points = [mesh.vertices + 10.0 * number for number, mesh in enumerate(meshes)]
    return Mesh(np.concatenate(points), np.concatenate([m.faces + s for m, s in zip(meshes, starts, strict=False)]))


def test_it_is_what_the_definition_says() -> None:
    basis = eigenbasis(figure(2)[0], k=64)
    errors = np.abs(twins(basis, TIMES) - plain(basis))
    assert errors.max() < 0.12  # of a place that few others are like, and not all of these are landmarks
    assert errors.mean() < 0.01


@pytest.mark.parametrize("copies", [2, 4])
def test_of_like_bodies_that_do_not_touch_all_but_one_are_elsewhere(copies: int) -> None:
    ball = sphere(2)
    shares = twins(eigenbasis(side_by_side(*[ball] * copies), k=16 * copies), TIMES)
    # On a sphere all places look alike, and what lies elsewhere of its own is the same everywhere.
    within = shares * copies - (copies - 1)
    assert within.min() > 0
    assert within.max() < 1
    np.testing.assert_allclose(within, within.mean(), atol=0.06)


def test_a_body_that_there_is_once_has_no_twin() -> None:
    small, large = sphere(2, radius=0.5), sphere(2)
    first = slice(0, len(small.vertices))
    once = twins(eigenbasis(side_by_side(small, large), k=32), TIMES)[first, 0]
    twice = twins(eigenbasis(side_by_side(small, small, large), k=48), TIMES)[first, 0]
    assert once.max() < 0.5 < twice.min()


def test_neither_signs_nor_numbering_nor_scale_count() -> None:
    mesh = figure(2)[0]
    basis = eigenbasis(mesh, k=48)
    found = twins(basis, TIMES)
    signs = np.where(np.arange(48) % 3 == 0, -1.0, 1.0)
    np.testing.assert_allclose(twins(replace(basis, vectors=basis.vectors * signs), TIMES), found, atol=1e-5)
    order = np.random.default_rng(0).permutation(len(mesh.vertices))
    other = replace(basis, vectors=basis.vectors[order], mass=basis.mass[order])
    np.testing.assert_allclose(twins(other, TIMES), found[order], atol=0.02)  # twins may change places among landmarks
    larger = eigenbasis(Mesh(7 * mesh.vertices, mesh.faces), k=48)
    np.testing.assert_allclose(twins(larger, TIMES), found, atol=1e-2)


def test_a_vertex_without_mass_has_none() -> None:
    mesh = sphere(1)
    basis = eigenbasis(Mesh(np.concatenate([mesh.vertices, [[9.0, 9.0, 9.0]]]), mesh.faces), k=16)
    assert (twins(basis, TIMES)[-1] == 0).all()
