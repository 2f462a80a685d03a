"""The answer of `segment` moves with the mesh: renumbered, turned, scaled, torn apart, and beside other pieces."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from shapes import box, sphere, torus
from threadpoolctl import threadpool_limits

import meshtide as mt
from meshtide.arrays import FloatArray, IntArray
from meshtide.inference.segmentation import Segmentation

SAME = 0.97  # of the vertices: rounding may move a border by a vertex


@pytest.fixture(scope="module")
def body() -> mt.Mesh:
    return mt.make_figure("quadruped", 12, "held-out", defects=False)[0]


@pytest.fixture(scope="module")
def named(body: mt.Mesh) -> Segmentation:
    return mt.segment(body)


@pytest.fixture(scope="module")
def unnamed(body: mt.Mesh) -> Segmentation:
    return mt.segment(body, unnamed=True)


def turned(seed: int) -> FloatArray:
    matrix, _ = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))
    return np.asarray(matrix * np.sign(np.linalg.det(matrix)))


def agreement(one: IntArray, other: IntArray) -> float:
    """The share of elements that go with each other, whatever the numbers of the parts are."""
    table = np.zeros((one.max() + 2, other.max() + 2), dtype=np.int64)
    np.add.at(table, (one + 1, other + 1), 1)
    return float(table.max(axis=1).sum() / len(one))


def test_renumbered_vertices_and_faces_keep_their_parts(
    body: mt.Mesh, named: Segmentation, unnamed: Segmentation
) -> None:
    draw = np.random.default_rng(1)
    order, rows = draw.permutation(len(body.vertices)), draw.permutation(len(body.faces))
    place = np.argsort(order)  # where each old vertex went
    again = mt.Mesh(body.vertices[order], place[body.faces[rows]])
    found = mt.segment(again)
    assert found.kind == named.kind
    assert (found.labels.values[place] == named.labels.values).mean() > SAME
    assert agreement(unnamed.face_labels.values[rows], mt.segment(again, unnamed=True).face_labels.values) > SAME


def test_turned_moved_and_scaled_it_has_the_same_parts(
    body: mt.Mesh, named: Segmentation, unnamed: Segmentation
) -> None:
    again = mt.Mesh(1e3 * body.vertices @ turned(2) + [5e3, -2e3, 7e2], body.faces)
    found = mt.segment(again)
    assert found.kind == named.kind
    assert (found.labels.values == named.labels.values).mean() > SAME
    assert agreement(unnamed.face_labels.values, mt.segment(again, unnamed=True).face_labels.values) > 0.93


def test_a_scale_of_two_changes_nothing_at_all(body: mt.Mesh, named: Segmentation) -> None:
    found = mt.segment(mt.Mesh(8 * body.vertices, body.faces))
    assert np.array_equal(found.labels.values, named.labels.values)
    assert np.allclose(found.probabilities, named.probabilities, atol=1e-4)


def test_torn_into_triangles_every_corner_has_its_vertex_s_part(body: mt.Mesh, named: Segmentation) -> None:
    corners = np.arange(3 * len(body.faces)).reshape(-1, 3)
    torn = mt.segment((body.vertices[body.faces].reshape(-1, 3), corners))
    assert (torn.labels.values.reshape(-1, 3) == named.labels.values[body.faces]).mean() > SAME


@settings(max_examples=6, deadline=None, derandomize=True)
@given(seed=some.integers(0, 10**6), count=some.integers(1, 6))
def test_random_assemblies_have_an_answer_for_every_element(seed: int, count: int) -> None:
    draw = np.random.default_rng(seed)
    vertices, faces, first = [], [], 0
    for _ in range(count):
        piece = (sphere(2), torus(16, 8), box())[draw.integers(3)]
        vertices.append(piece.vertices * draw.uniform(0.2, 2, 3) @ turned(seed) + draw.normal(size=3))
        faces.append(piece.faces + first)
        first += len(piece.vertices)
    result = mt.segment((np.concatenate(vertices), np.concatenate(faces)))
    assert (result.labels.values >= 0).all()
    assert (result.face_labels.values >= 0).all()
    assert np.allclose(result.probabilities.sum(axis=1), 1, atol=1e-3)
    assert len(result.face_instances) == sum(map(len, faces))
    assert sum(result.shares.values()) == pytest.approx(1)


def test_a_ball_is_divided_alike_whatever_the_number_of_threads() -> None:
    ball = sphere(1)  # which may be cut anywhere, so that the last digit of a sum decides where
    found = []
    for threads in (1, 2):
        with threadpool_limits(limits=threads):
            found.append(mt.segment(ball, count=2).face_labels.values)
    assert (found[0] == found[1]).all()
