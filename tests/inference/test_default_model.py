"""The model that ships: small, made from generated bodies alone, and good on bodies it has never seen."""

from __future__ import annotations

from importlib import resources

import numpy as np
import pytest
import torch
from shapes import torus

from meshtide.data.figures import KINDS, make_figure, parts_of
from meshtide.inference.model import default_model
from meshtide.inference.segment import segment
from meshtide.mesh.mesh import Mesh
from meshtide.training.names.bodies import THINGS

NUMBER = 7001  # no body of this number was trained on or chosen by


@pytest.fixture(autouse=True, scope="module")
def _one_thread() -> None:
    torch.set_num_threads(1)


def test_it_is_small_and_says_where_it_comes_from() -> None:
    about = default_model().about
    assert (resources.files("meshtide") / "models" / "figures.safetensors").stat().st_size < 2_000_000
    assert about.trained_on["source"] == "figures"
    made = {name.removeprefix("common-").rpartition("-")[0] for name in about.trained_on["shapes"]}
    assert made == {*KINDS, *(thing.replace(" ", "_") for thing in THINGS)}
    assert {kind: set(parts) for kind, parts in about.kinds.items()} == {kind: set(parts_of(kind)) for kind in KINDS}
    assert about.scores["test"]["vertex_accuracy"] > 0.9


@pytest.mark.parametrize("kind", KINDS)
def test_it_knows_a_body_of_the_other_generator(kind: str) -> None:
    mesh, truth = make_figure(kind, NUMBER, "held-out", defects=False)
    result = segment(mesh)
    assert result.kind == kind
    right = np.array(result.parts)[result.labels.values] == np.array(truth.names)[truth.values]
    assert right.mean() > 0.8
    assert not result.warnings


def test_millimetres_turns_and_another_order_make_no_difference() -> None:
    mesh, _ = make_figure("humanoid", NUMBER, "held-out", defects=False)
    random = np.random.default_rng(0)
    turn, _ = np.linalg.qr(random.normal(size=(3, 3)))
    order = random.permutation(len(mesh.vertices))
    moved = Mesh(1000 * mesh.vertices[order] @ (turn * np.sign(np.linalg.det(turn))), np.argsort(order)[mesh.faces])
    same = segment(moved).labels.values == segment(mesh).labels.values[order]
    assert same.mean() > 0.995


def test_whoever_insists_on_a_wrong_kind_is_warned() -> None:
    # Among the parts of one kind a network may be sure of each vertex although the kind is wrong.
    for kind, wrong in (("hand", "octopus"), ("octopus", "humanoid"), ("bird", "quadruped")):
        mesh, _ = make_figure(kind, NUMBER, "held-out", defects=False)
        (said,) = segment(mesh, kind=wrong).warnings
        assert f"of it looks like parts of the kind {wrong}" in said


def test_it_says_when_it_does_not_know() -> None:
    ring = segment(torus(60, 40))
    assert ring.kind is None
    assert "like none of the kinds" in ring.reason
    # Whoever insists on a kind is warned.
    said = segment(torus(60, 40), kind="hand").warnings
    assert any("with care" in sentence for sentence in said)
