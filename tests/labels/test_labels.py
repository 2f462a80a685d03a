"""Labels: what they refuse, how they are renamed and mapped, and how they travel between vertices and faces."""

from __future__ import annotations

import pickle
import time

import numpy as np
import pytest
from shapes import FIGURE_PARTS, box, figure, sphere, torus

from meshtide.errors import InputError
from meshtide.labels.labels import Labels, Vocabulary, weighted_vote
from meshtide.mesh.mesh import Mesh

AB = ("a", "b")


def permuted(mesh: Mesh, order: np.ndarray) -> Mesh:
    """The same surface with its vertices in another order: vertex order[i] comes i-th."""
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    return Mesh(mesh.vertices[order], place[mesh.faces])


@pytest.mark.parametrize(
    ("values", "names", "said"),
    [
        ([0, 2], AB, "run from 0 to 2"),
        ([-2, 0], AB, "from -2"),
        ([[0], [1]], AB, "one dimension"),
        ([0.0, 1.0], AB, "whole numbers"),
        ([0], ("a", "a"), "occur twice"),
        ([0], ("",), "cannot be used"),
        ([0], (" a",), "cannot be used"),
        ([0], ("\x1b[31m",), "cannot be used"),
        ([0], (7,), "cannot be used"),
    ],
)
def test_wrong_labels_are_refused(values: list[object], names: tuple[str, ...], said: str) -> None:
    with pytest.raises(InputError, match=said):
        Labels(np.array(values), "faces", names)


def test_labels_are_on_vertices_or_faces() -> None:
    with pytest.raises(InputError, match="'vertices' or on 'faces'"):
        Labels(np.array([0]), "edges", AB)  # type: ignore[arg-type]


def test_counts_leave_out_the_unlabelled() -> None:
    labels = Labels(np.array([0, -1, 0, -1, 1], dtype=np.int8), "faces", ("a", "b", "c"))
    assert labels.counts() == {"a": 2, "b": 1, "c": 0}
    assert labels.unlabelled == 2
    assert labels.values.dtype == np.int64
    assert labels.renamed(("x", "y", "z")).counts() == {"x": 2, "y": 1, "z": 0}
    with pytest.raises(InputError, match="2 names for 3 parts"):
        labels.renamed(AB)


def test_a_vocabulary_joins_parts_and_leaves_some_unscored() -> None:
    labels = Labels(np.array([0, 1, 2, 3, -1]), "faces", ("neck", "tail", "torso", "head"))
    limbs = Vocabulary("limbs", {"head": ("head", "neck"), "torso": ("torso",)}, ("tail",))
    assert labels.mapped(limbs).values.tolist() == [0, -1, 1, 0, -1]
    assert labels.mapped(limbs).names == ("head", "torso")
    assert pickle.loads(pickle.dumps(limbs)).names == limbs.names  # noqa: S301  # our own bytes


def test_a_part_unknown_to_the_vocabulary_is_named_unless_nothing_has_it() -> None:
    labels = Labels(np.array([0, 1]), "faces", ("head", "horn", "wing"))
    with pytest.raises(InputError, match="'horn'") as refused:
        labels.mapped(Vocabulary.of("own", ["head"]))
    assert "'wing'" not in str(refused.value)
    with pytest.raises(InputError, match="stands in two parts"):
        Vocabulary("v", {"a": ("x",), "b": ("x",)})


def test_labels_of_another_mesh_are_refused() -> None:
    with pytest.raises(InputError, match="5 labels on faces for 8 vertices and 12 faces"):
        Labels(np.zeros(5, dtype=int), "faces", AB).to_vertices(box())


@pytest.mark.parametrize("mesh", [box(), sphere(2), torus(12, 6)])
def test_constant_labels_stay_constant(mesh: Mesh) -> None:
    on_faces = Labels(np.ones(len(mesh.vertices), dtype=int), "vertices", AB).to_faces(mesh)
    assert on_faces.on == "faces"
    assert set(on_faces.values.tolist()) == {1}
    assert set(on_faces.to_vertices(mesh).values.tolist()) == {1}
    assert on_faces.to_faces(mesh) is on_faces


def test_permuting_vertices_permutes_the_answer() -> None:
    rng = np.random.default_rng(3)
    mesh, parts = figure(1)
    order = rng.permutation(len(mesh.vertices))
    other = permuted(mesh, order)
    faces = Labels(parts, "faces", FIGURE_PARTS)
    vertices = Labels(rng.integers(-1, 4, len(mesh.vertices)), "vertices", FIGURE_PARTS)
    there = Labels(vertices.values[order], "vertices", FIGURE_PARTS)
    assert np.array_equal(faces.to_vertices(other).values, faces.to_vertices(mesh).values[order])
    assert np.array_equal(there.to_faces(other).values, vertices.to_faces(mesh).values)


def test_permuting_faces_and_turning_their_corners_changes_nothing() -> None:
    rng = np.random.default_rng(4)
    mesh = sphere(2)  # full of exact ties
    order = rng.permutation(len(mesh.faces))
    other = Mesh(mesh.vertices, np.roll(mesh.faces[order], 1, axis=1))
    faces = Labels(rng.integers(-1, 3, len(mesh.faces)), "faces", ("a", "b", "c"))
    vertices = Labels(rng.integers(-1, 3, len(mesh.vertices)), "vertices", ("a", "b", "c"))
    there = Labels(faces.values[order], "faces", faces.names)
    assert np.array_equal(there.to_vertices(other).values, faces.to_vertices(mesh).values)
    assert np.array_equal(vertices.to_faces(other).values, vertices.to_faces(mesh).values[order])


def test_area_weighs_more_than_number() -> None:
    # Vertex 0 has one large face (b) and two small ones (a).
    vertices = np.array([[0, 0, 0], [9, 0, 0], [0, 9, 0], [-1, 1, 0], [-1, 0, 0]], dtype=float)
    mesh = Mesh(vertices, np.array([[0, 1, 2], [0, 2, 3], [0, 3, 4]]))
    assert mesh.face_areas[0] > mesh.face_areas[1:].sum()
    assert Labels(np.array([1, 0, 0]), "faces", AB).to_vertices(mesh).values[0] == 1


def test_the_widest_corner_decides_between_three_parts_and_turns_are_equal() -> None:
    vertices = np.array([[0, 0, 0], [4, 0, 0], [2, 0.1, 0]], dtype=float)  # widest at vertex 2
    names = ("a", "b", "c")
    for turn in range(3):
        mesh = Mesh(vertices, np.roll([[0, 1, 2]], turn, axis=1))
        assert Labels(np.array([0, 1, 2]), "vertices", names).to_faces(mesh).values.tolist() == [2]
        assert Labels(np.array([0, 1, -1]), "vertices", names).to_faces(mesh).values.tolist() == [0]
        assert Labels(np.array([1, 1, 2]), "vertices", names).to_faces(mesh).values.tolist() == [1]
        assert Labels(np.array([-1, 1, -1]), "vertices", names).to_faces(mesh).values.tolist() == [1]
        assert Labels(np.array([-1, -1, -1]), "vertices", names).to_faces(mesh).values.tolist() == [-1]


def test_unlabelled_faces_vote_for_nothing() -> None:
    mesh = box()
    values = np.full(12, -1)
    values[0] = 1
    on_vertices = Labels(values, "faces", AB).to_vertices(mesh).values
    assert np.array_equal(np.flatnonzero(on_vertices == 1), np.sort(mesh.faces[0]))
    assert (on_vertices == -1).sum() == 5


def test_there_and_back_keeps_the_interior_of_parts() -> None:
    mesh, parts = figure(3)
    vertices = Labels(parts, "faces", FIGURE_PARTS).to_vertices(mesh)
    back = vertices.to_faces(mesh).to_vertices(mesh)
    one, other = mesh.edges().T
    border = np.zeros(len(mesh.vertices), dtype=bool)
    across = vertices.values[one] != vertices.values[other]
    border[one[across]] = border[other[across]] = True
    assert np.array_equal(back.values[~border], vertices.values[~border])
    assert (back.values == vertices.values).mean() > 0.99


def test_votes_that_differ_by_rounding_are_ties() -> None:
    weights = np.array([0.1, 0.2, 0.3])  # 0.1 + 0.2 is a little more than 0.3
    assert weighted_vote(np.zeros(3, dtype=int), np.array([1, 1, 0]), weights, 2).tolist() == [0, -1]


def test_a_third_of_a_million_faces_take_no_time() -> None:
    mesh = sphere(7)  # 327,680 faces
    labels = Labels(np.arange(len(mesh.vertices)) % 24, "vertices", tuple(f"p{n}" for n in range(24)))
    start = time.process_time()
    labels.to_faces(mesh).to_vertices(mesh)
    assert time.process_time() - start < 5
