"""Eyes, teeth and clothes as shells of their own: the body under them is known, and each has the part it sits on."""

from __future__ import annotations

import numpy as np
import pytest
from shapes import figure

import meshtide as mt
from meshtide.data.figures.attire import with_attire
from meshtide.data.figures.dice import Dice
from meshtide.data.figures.objects import make_object
from meshtide.inference.shells import strip
from meshtide.mesh.topology import components

KINDS = ("humanoid", "quadruped", "hand", "octopus")


def dressed(kind: str, seed: int = 8201) -> tuple[mt.Mesh, mt.Labels, int]:
    """A body that wears shells, the truth, and how many of its vertices are the body's."""
    body, labels = mt.make_figure(kind, seed, "held-out", defects=False)
    mesh, all_labels = with_attire(body, labels, Dice("attire", seed, "held-out"))
    assert components(mesh.faces, len(mesh.vertices))[0] > 3
    return mesh, all_labels, len(body.vertices)


@pytest.mark.parametrize("kind", KINDS)
def test_a_body_is_known_under_what_it_wears(kind: str) -> None:
    mesh, truth, bare = dressed(kind)
    result = mt.segment(mesh)
    assert result.kind == kind
    right = np.array(result.parts)[result.labels.values] == np.array(truth.names)[truth.values]
    assert right[:bare].mean() > 0.8
    assert right[bare:].mean() > 0.75


def test_the_body_that_is_left_is_the_body_and_its_answers_are_those_it_has_alone() -> None:
    mesh, _, bare = dressed("humanoid")
    stripped = strip(mesh)
    assert stripped is not None
    np.testing.assert_array_equal(stripped.kept, np.arange(bare))
    alone = mt.segment(mt.Mesh(mesh.vertices[:bare], stripped.mesh.faces))
    np.testing.assert_array_equal(mt.segment(mesh).labels.values[:bare], alone.labels.values)


def test_a_small_shell_has_one_part() -> None:
    mesh, _, bare = dressed("humanoid")
    labels = mt.segment(mesh).labels.values
    shells = components(mesh.faces, len(mesh.vertices))[1]
    small = [shells == number for number in np.unique(shells[bare:]) if (shells == number).sum() < 60]
    assert small
    assert all(len(np.unique(labels[shell])) == 1 for shell in small)


def test_rows_travel_from_the_nearest_vertices() -> None:
    mesh, _, bare = dressed("hand")
    stripped = strip(mesh)
    assert stripped is not None
    rows = stripped.mesh.vertices.astype(np.float32)
    back = stripped.to_whole(rows)
    np.testing.assert_array_equal(back[:bare], rows)
    size = np.ptp(mesh.vertices, axis=0).max()
    assert np.linalg.norm(back[bare:] - mesh.vertices[bare:], axis=1).max() < 0.1 * size


def test_one_shell_and_shells_that_stand_by_themselves_are_left_alone() -> None:
    body = figure(2)[0]
    assert strip(body) is None
    far = mt.Mesh(body.vertices + 10 * np.ptp(body.vertices, axis=0).max(), body.faces)
    two = mt.Mesh(
        np.concatenate([body.vertices, far.vertices]), np.concatenate([body.faces, far.faces + len(body.vertices)])
    )
    assert strip(two) is None


def test_a_car_keeps_its_wheels() -> None:
    car = next(
        mesh
        for seed in range(901, 920)
        if components((mesh := make_object("car", seed, "held-out", defects=False).mesh).faces, len(mesh.vertices))[0]
        > 4
    )
    assert mt.segment(car).kind not in KINDS
