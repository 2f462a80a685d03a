"""Labels that look like a mistake: two spellings of one part, a part of one shape alone, labels of another mesh."""

from __future__ import annotations

import numpy as np
import pytest
from shapes import figure

from meshtide.labels.labels import Element, Labels
from meshtide.mesh.mesh import Mesh
from meshtide.training.label_doubts import doubts_of_names, is_scattered, spelled_alike


def counted(*shapes: tuple[int, ...]) -> list[np.ndarray]:
    return [np.array(each) for each in shapes]


def test_spellings_of_one_part_are_found_and_numbers_are_no_spellings() -> None:
    found = spelled_alike(["Palm", "palm", "finger", "fingers", "upper_arm", "upper arm", "part 1", "part 11", "torso"])
    assert found == [["Palm", "palm"], ["finger", "fingers"], ["upper_arm", "upper arm"]]
    (sentence,) = doubts_of_names(["leg", "legs"], ["a", "b"], counted((1, 0), (0, 1)))
    assert sentence.startswith("'leg', 'legs' are learned as 2 parts")


def test_a_part_that_one_shape_has_alone_is_named_with_the_shape() -> None:
    counts = counted((5, 5, 0), (5, 5, 0), (0, 5, 5))
    (sentence,) = doubts_of_names(["part 0", "part 1", "part 2"], ["a", "b", "c"], counts)
    assert sentence == "'part 2' occurs in 'c' alone: are its labels those of the others?"
    assert doubts_of_names(["part 0", "part 1", "part 2"], ["a", "c"], counts[1:]) == []
    assert doubts_of_names(["head", "leg"], ["a", "b", "c"], counted((1, 1), (1, 1), (1, 0))) == []


def test_a_single_part_is_said() -> None:
    (sentence,) = doubts_of_names(["part 0"], ["a", "b", "c"], counted((3,), (3,), (3,)))
    assert "the only part" in sentence


@pytest.mark.parametrize("on", ["vertices", "faces"])
def test_labels_of_another_order_are_told_from_those_of_this_mesh(on: Element) -> None:
    mesh, parts = figure(2)
    labels = Labels(parts, "faces", ("a", "b", "c", "d"))
    labels = labels if on == "faces" else labels.to_vertices(mesh)
    assert not is_scattered(labels, mesh)
    shuffled = np.random.default_rng(0).permutation(labels.values)
    assert is_scattered(Labels(shuffled, on, labels.names), mesh)
    half = np.where(np.arange(len(shuffled)) % 2, shuffled, -1)  # what has no label tells nothing
    assert not is_scattered(Labels(np.where(half >= 0, 0, -1), on, labels.names), mesh)


def test_few_faces_are_never_called_scattered() -> None:
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], float)
    mesh = Mesh(corners, np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]), "tetrahedron")
    assert not is_scattered(Labels(np.arange(4), "faces", ("a", "b", "c", "d")), mesh)
