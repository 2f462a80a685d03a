"""Borders between regions."""

from __future__ import annotations

import numpy as np
from shapes import sphere

from meshtide.inference.regions.borders import straighten
from meshtide.inference.regions.subdivision import split_long_edges
from meshtide.inference.regions.surface import working_surface
from meshtide.mesh.mesh import Mesh
from meshtide.mesh.winding import neighbours


def border_length(surface, regions):
    pairs, ends, _ = neighbours(surface.faces, len(surface.vertices))
    apart = regions[pairs[:, 0]] != regions[pairs[:, 1]]
    return np.linalg.norm(surface.vertices[ends[apart, 0]] - surface.vertices[ends[apart, 1]], axis=1).sum()


def test_a_ragged_border_becomes_short():
    surface = working_surface(sphere(4))
    noise = 0.015 * np.random.default_rng(0).normal(size=len(surface.faces))
    ragged = (surface.centres[:, 2] + noise > 0).astype(int)
    straight = straighten(surface, ragged)
    assert border_length(surface, straight) < 0.5 * border_length(surface, ragged)
    far = np.abs(surface.centres[:, 2]) > 0.08
    assert np.array_equal(straight[far], ragged[far])


def ell():
    """A body with one hollow edge along y, its faces small: two legs of an L, seen from the side."""
    outline = np.array([[0, 0], [2, 0], [2, 1], [1, 1], [1, 2], [0, 2]], dtype=float)
    rows = np.concatenate([np.column_stack([outline[:, 0], np.full(6, y), outline[:, 1]]) for y in (0.0, 1.0)])
    caps = [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]]
    sides = [f for k in range(6) for f in ([k, (k + 1) % 6, 6 + k], [(k + 1) % 6, 6 + (k + 1) % 6, 6 + k])]
    faces = np.array(caps + [[6 + a, 6 + c, 6 + b] for a, b, c in caps] + sides)
    vertices, faces, _ = split_long_edges(rows, faces, 0.12, 20_000)
    return Mesh(vertices, faces)


def test_a_border_near_a_hollow_moves_into_it():
    surface = working_surface(ell())
    mesh = ell()
    centres = mesh.vertices[mesh.faces].mean(axis=1)[surface.kept][surface.pieces]
    off = (centres[:, 2] > 1.08).astype(int)  # a little above the hollow edge at x = z = 1
    moved = straighten(surface, off)
    inner = (np.abs(centres[:, 0] - 1) < 1e-6) & (centres[:, 2] > 1)  # the upright face above the hollow
    assert off[inner].mean() < 0.95
    assert moved[inner].mean() == 1.0


def test_a_border_beside_a_sharp_edge_moves_onto_it():
    surface = working_surface(ell())
    mesh = ell()
    centres = mesh.vertices[mesh.faces].mean(axis=1)[surface.kept][surface.pieces]
    top = centres[:, 2] > 2 - 1e-6
    below = (top | (centres[:, 2] > 1.93)).astype(int)  # a little below the edges at z = 2
    moved = straighten(surface, below)
    assert not np.array_equal(below == 1, top)
    np.testing.assert_array_equal(moved == 1, top)


def test_one_region_and_thin_regions_stay_as_they_are():
    surface = working_surface(sphere(4))
    whole = np.zeros(len(surface.faces), dtype=int)
    assert np.array_equal(straighten(surface, whole), whole)
    thin = (np.abs(surface.centres[:, 2]) < 0.02).astype(int)
    assert set(straighten(surface, thin)) == {0, 1}
