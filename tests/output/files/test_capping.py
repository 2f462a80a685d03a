"""Capped pieces are closed, and their volumes add up to that of the whole."""

from __future__ import annotations

import manifold3d
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from shapes import box, figure, sphere, torus

from meshtide.arrays import FloatArray, IntArray
from meshtide.mesh.mesh import Mesh
from meshtide.output.files.capping import capped


def open_edges(faces: IntArray) -> int:
    edges = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
    there, back = {tuple(edge) for edge in edges.tolist()}, {tuple(edge[::-1]) for edge in edges.tolist()}
    return len(there ^ back)


def crowded_edges(faces: IntArray) -> int:
    """Edges with more than two triangles."""
    edges = np.sort(np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]]), axis=1)
    return int((np.unique(edges, axis=0, return_counts=True)[1] > 2).sum())


def volume(vertices: FloatArray, faces: IntArray) -> float:
    a, b, c = (vertices[faces[:, corner]] for corner in range(3))
    return float((a * np.cross(b, c)).sum() / 6)


def halves(mesh: Mesh, normal: FloatArray, level: float) -> list[IntArray]:
    above = mesh.vertices[mesh.faces].mean(axis=1) @ normal > level
    return [faces for faces in (mesh.faces[above], mesh.faces[~above]) if len(faces)]


@settings(max_examples=40, deadline=None, derandomize=True)
@given(shape=some.sampled_from(["sphere", "torus", "figure", "box"]), seed=some.integers(0, 10**6))
def test_pieces_are_closed_and_their_volumes_add_up(shape: str, seed: int) -> None:
    mesh = {"sphere": sphere(3), "torus": torus(24, 12), "figure": figure(1)[0], "box": box()}[shape]
    draw = np.random.default_rng(seed)
    normal = draw.normal(size=3)
    pieces = halves(mesh, normal / np.linalg.norm(normal), draw.uniform(-0.3, 0.3))
    closed = [capped(mesh.vertices, faces) for faces in pieces]
    assert [open_edges(faces) for _, faces in closed] == [0] * len(closed)
    assert [crowded_edges(faces) for _, faces in closed] == [0] * len(closed)
    if len(pieces) == 2:
        # Both sides of a cut are capped by the same triangles.
        assert sum(volume(*each) for each in closed) == pytest.approx(volume(mesh.vertices, mesh.faces))


def test_a_tube_gets_rings_and_not_discs() -> None:
    mesh = torus(48, 24)
    far = np.linalg.norm(mesh.vertices[mesh.faces].mean(axis=1)[:, :2], axis=1) > 1.0
    outer = mesh.faces[far]  # the outer half of the ring: two loops on different planes, one above the other
    vertices, faces = capped(mesh.vertices, outer)
    assert open_edges(faces) == 0
    flat = mesh.faces[np.abs(mesh.vertices[mesh.faces].mean(axis=1)[:, 2]) > 0.2]
    top = flat[mesh.vertices[flat].mean(axis=1)[:, 2] > 0]  # cut off by a plane: an annulus inside an annulus
    vertices, faces = capped(mesh.vertices, top)
    assert open_edges(faces) == 0
    caps = faces[len(top) :]
    middle = vertices[caps].mean(axis=1)
    assert (np.linalg.norm(middle[:, :2], axis=1) > 0.5).all()  # none across the hole of the ring
    assert 0 < volume(vertices, faces) < volume(mesh.vertices, mesh.faces) / 2


def test_printing_software_takes_the_pieces() -> None:
    mesh, _ = figure(2)
    for faces in halves(mesh, np.array([0.0, 0.0, 1.0]), 0.4):
        vertices, closed = capped(mesh.vertices, faces)
        used, numbered = np.unique(closed, return_inverse=True)
        solid = manifold3d.Manifold(
            manifold3d.Mesh(vertices[used].astype(np.float32), numbered.reshape(-1, 3).astype(np.uint32))
        )
        assert solid.status() == manifold3d.Error.NoError
        assert solid.volume() == pytest.approx(volume(vertices, closed), rel=1e-4)


def test_what_is_closed_stays_as_it_is() -> None:
    mesh = sphere(2)
    vertices, faces = capped(mesh.vertices, mesh.faces)
    assert np.array_equal(vertices, mesh.vertices)
    assert np.array_equal(faces, mesh.faces)


def test_loops_that_touch_in_a_vertex_are_two() -> None:
    mesh = sphere(3)
    keep = np.ones(len(mesh.faces), dtype=bool)
    keep[0] = False
    others = (mesh.faces == mesh.faces[0, 0]).any(axis=1) & ~(mesh.faces == mesh.faces[0, 1]).any(axis=1)
    others &= ~(mesh.faces == mesh.faces[0, 2]).any(axis=1)
    keep[np.flatnonzero(others)[0]] = False  # shares one vertex with the first hole
    _, faces = capped(mesh.vertices, mesh.faces[keep])
    assert sorted(map(sorted, faces.tolist())) == sorted(map(sorted, mesh.faces.tolist()))
