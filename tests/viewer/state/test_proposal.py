"""Proposals: strokes on a few vertices become parts of the whole mesh, and never overwrite what was painted."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from scipy.spatial import cKDTree
from shapes import figure, torus
from small_models import RECIPE, model

from meshtide.errors import InputError
from meshtide.labels.labels import Labels
from meshtide.mesh.mesh import Mesh
from meshtide.networks.graph import MeshGraph, mesh_graph
from meshtide.spectral.recipe import GraphRecipe
from meshtide.viewer.state import Painting, Proposal, accept, propose

MESH, ON_FACES = figure(2)
PARTS = ("head", "torso", "limb")
TRUTH = Labels(np.minimum(ON_FACES, 2), "faces", PARTS).to_vertices(MESH).values  # arms and legs are limbs
QUICK = 1.25


@pytest.fixture(autouse=True, scope="module")
def _one_thread() -> None:
    torch.set_num_threads(1)


@pytest.fixture(scope="module")
def graph() -> MeshGraph:
    return mesh_graph(MESH, extras=("gradients",))


def strokes(left_only: bool = True) -> Painting:
    """Dabs on the head, the torso, and the middle and end of an arm and of a leg on the left; or on both sides."""
    painting = Painting(MESH, PARTS)
    limbs = [(-1.5, 0.5, 7.0), (-1.5, 0.5, 5.0), (0.5, 0.5, 2.0), (0.5, 0.5, 0.0)]
    if not left_only:
        limbs += [(3 - x, y, z) for x, y, z in limbs]
    places = {"head": [(1.5, 0.5, 12.0)], "torso": [(1.5, 0, 7.5)], "limb": limbs}
    for part, points in places.items():
        for point in points:
            painting.brush(int(np.linalg.norm(MESH.vertices - point, axis=1).argmin()), 1.2, part)
    return painting


@pytest.fixture(scope="module")
def proposal(graph: MeshGraph) -> Proposal:
    return propose(graph, strokes(), seconds=QUICK)


def test_strokes_on_one_side_say_the_same_of_the_other_side(proposal: Proposal) -> None:
    painting, found = strokes(), proposal.labels.values
    right = MESH.vertices[:, 0] > 2.8  # the right arm and a little of the right leg, which have no stroke
    assert not painting.painted[right].any()
    mirrored = cKDTree(MESH.vertices).query(MESH.vertices * [-1, 1, 1] + [3, 0, 0])[1]
    assert (found == found[mirrored])[right].mean() > 0.95
    assert (found == TRUTH)[~painting.painted].mean() > 0.75


def test_what_was_painted_is_proposed_as_painted(proposal: Proposal) -> None:
    painting = strokes()
    np.testing.assert_array_equal(proposal.labels.values[painting.painted], painting.values[painting.painted])
    assert (proposal.confidence[painting.painted] == 1).all()
    np.testing.assert_allclose(proposal.probabilities.sum(axis=1), 1, atol=1e-5)
    rows = np.arange(len(TRUTH))
    np.testing.assert_allclose(proposal.confidence, proposal.probabilities[rows, proposal.labels.values])


def test_confidence_tells_right_from_wrong(proposal: Proposal) -> None:
    right = proposal.labels.values == TRUTH
    assert proposal.confidence[right].mean() > proposal.confidence[~right].mean() + 0.05


def test_a_seed_gives_the_same_answer_and_leaves_other_randomness_alone(graph: MeshGraph, proposal: Proposal) -> None:
    torch.manual_seed(5)
    before = torch.get_rng_state()
    again = propose(graph, strokes(), seconds=QUICK)
    np.testing.assert_array_equal(again.probabilities, proposal.probabilities)
    assert torch.equal(torch.get_rng_state(), before)
    other = propose(graph, strokes(), seconds=QUICK, seed=1)
    assert not np.array_equal(other.probabilities, proposal.probabilities)


def test_accepting_is_one_step_and_never_overwrites(proposal: Proposal) -> None:
    painting = strokes()
    by_hand, values, steps = painting.painted.copy(), painting.values.copy(), painting.history.undo_count
    all_head = Labels(np.zeros_like(values), "vertices", PARTS)
    wrong = replace(proposal, labels=all_head)
    sure = proposal.confidence >= 0.8
    assert accept(painting, wrong, sure) == (sure & ~by_hand).sum() > 0
    np.testing.assert_array_equal(painting.values, np.where(by_hand, values, np.where(sure, 0, -1)))
    assert painting.history.undo_count == steps + 1
    painting.undo()
    np.testing.assert_array_equal(painting.values, values)
    accept(painting, proposal)
    np.testing.assert_array_equal(painting.values, proposal.labels.values)


def test_accepting_brings_parts_by_name_and_undo_takes_them_away(proposal: Proposal) -> None:
    painting = Painting(MESH, ("limb", "hat"))
    accept(painting, proposal)
    assert painting.names == ("limb", "hat", "head", "torso")
    found = np.array(painting.names)[painting.values]
    np.testing.assert_array_equal(found, np.array(PARTS)[proposal.labels.values])
    painting.undo()
    assert painting.names == ("limb", "hat")


def test_another_mesh_learns_from_what_was_painted_here(graph: MeshGraph) -> None:
    """The other one is turned, scaled, meshed anew and has its parts in another order."""
    mesh, on_faces = figure(3)
    other = Mesh(7 * mesh.vertices[:, [2, 0, 1]], mesh.faces, "other")
    bare = Painting(other, ("limb", "hat"))
    found = propose(mesh_graph(other), bare, others=[(graph, strokes(left_only=False))], seconds=QUICK)
    assert found.labels.names == ("limb", "hat", "head", "torso")
    truth = Labels(np.minimum(on_faces, 2), "faces", PARTS).to_vertices(mesh).values
    names = np.array(found.labels.names)[found.labels.values]
    assert (names == np.array(PARTS)[truth]).mean() > 0.8


def test_parts_that_are_not_painted_are_not_proposed(graph: MeshGraph) -> None:
    painting = strokes()
    painting.add_part("tail")
    painting.load(Labels(np.where(painting.values == 2, -1, painting.values), "vertices", painting.names))
    found = propose(graph, painting, seconds=0.25)
    assert found.labels.names == painting.names
    assert set(np.unique(found.labels.values)) <= {0, 1}
    assert not found.probabilities[:, 2:].any()


def test_vertices_of_no_face_get_nothing_unless_painted() -> None:
    mesh = torus()
    more = Mesh(np.concatenate([mesh.vertices, [[5.0, 5, 5], [6.0, 5, 5]]]), mesh.faces)
    painting = Painting(more, ("in", "out"))
    painting.brush(0, 0.4, "out")
    painting.brush(12, 0.4, "in")
    painting.brush(len(mesh.vertices), 0.4, "in")
    found = propose(mesh_graph(more), painting, seconds=0.25)
    assert found.labels.values[-2:].tolist() == [0, -1]
    assert found.confidence[-2:].tolist() == [1, 0]
    assert (found.labels.values[:-1] >= 0).all()


@pytest.mark.parametrize("on", ["vertices", "faces"])
def test_a_model_of_other_parts_can_be_the_start(on: str) -> None:
    start = model()
    if on == "faces":
        start.network.on = "faces"
        start = type(start)(start.network, type(start.about)(**vars(start.about) | {"on": "faces"}))
    found = propose(mesh_graph(MESH, RECIPE), strokes(), seconds=0.25, start=start)
    assert found.labels.names == PARTS
    with pytest.raises(InputError, match="another recipe"):
        propose(mesh_graph(MESH), strokes(), start=start)


def test_too_little_paint_is_said(graph: MeshGraph) -> None:
    painting = Painting(MESH, PARTS)
    with pytest.raises(InputError, match="nothing is painted; paint some of two parts"):
        propose(graph, painting)
    painting.brush(0, 1.0, "limb")
    with pytest.raises(InputError, match="only 'limb' is painted"):
        propose(graph, painting)
    with pytest.raises(InputError, match="different meshes"):
        propose(mesh_graph(torus()), painting)
    with pytest.raises(InputError, match="surface operator"):
        propose(mesh_graph(MESH, GraphRecipe(operator="graph")), strokes())
    with pytest.raises(InputError, match="no time"):
        propose(graph, strokes(), seconds=0)
