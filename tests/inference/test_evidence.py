"""Regions as evidence for names: a vertex that wavers follows its region, and no part comes back that was ruled out."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from shapes import figure, sphere
from small_models import PARTS, model

import meshtide as mt
from meshtide.data.figures import make_figure
from meshtide.inference.evidence import FEW, WEIGHT, supported, supported_own, with_evidence
from meshtide.inference.recognise import recognise
from meshtide.inference.regions.regions import Regions, find_regions
from meshtide.labels.labels import Labels
from meshtide.mesh.mesh import Mesh


def halves(mesh: Mesh) -> Regions:
    above = mesh.vertices[mesh.faces].mean(axis=1)[:, 2] > 0
    return Regions(above.astype(np.int64), np.ones(2), ())


def test_a_vertex_that_wavers_follows_its_region() -> None:
    mesh = sphere(3)
    up = mesh.vertices[:, 2] > 0
    probabilities = np.where(up[:, None], (0.9, 0.1, 0.0), (0.1, 0.9, 0.0)).astype(np.float32)
    top = int(mesh.vertices[:, 2].argmax())
    probabilities[top] = (0.45, 0.55, 0.0)
    found = with_evidence(probabilities, mesh, halves(mesh))
    assert found[top].argmax() == 0
    np.testing.assert_allclose(found.sum(axis=1), 1, atol=1e-5)
    assert (found[:, 2] == 0).all()
    # One that is sure stays what it is: a region may hold several parts.
    probabilities[top] = (0.1, 0.9, 0.0)
    assert with_evidence(probabilities, mesh, halves(mesh))[top].argmax() == 1


def test_the_evidence_is_the_regions_mean_logarithm() -> None:
    mesh = sphere(3)
    random = np.random.default_rng(0).dirichlet(np.ones(3), len(mesh.vertices))
    one = Regions(np.zeros(len(mesh.faces), dtype=np.int64), np.ones(1), ())
    areas = mesh.face_areas / mesh.face_areas.sum()
    mean = areas @ np.log(np.maximum(random, 1e-4))[mesh.faces].mean(axis=1)
    wanted = random * np.exp(WEIGHT * mean)
    np.testing.assert_allclose(with_evidence(random, mesh, one), wanted / wanted.sum(axis=1)[:, None], atol=1e-3)


def test_what_was_prepared_is_used_if_it_is_of_the_same_mesh(monkeypatch: pytest.MonkeyPatch) -> None:
    body, _ = make_figure("hand", 3, "held-out", defects=False)
    other, _ = make_figure("hand", 4, "held-out", defects=False)
    seen = recognise(body)
    uniform = np.full((len(body.vertices), 2), 0.5, dtype=np.float32)
    given = []

    def watched(mesh, *, prepared=None):
        given.append(prepared)
        return Regions(np.zeros(len(mesh.faces), dtype=np.int64), np.ones(1), ())

    monkeypatch.setattr("meshtide.inference.evidence.find_regions", watched)
    supported(uniform, body, "hand", seen)
    supported(np.full((len(other.vertices), 2), 0.5, dtype=np.float32), other, "ant", seen)
    assert given == [seen.prepared, None]
    assert supported(uniform, body, "humanoid", seen) is uniform
    assert len(given) == 2


def own(shapes: int, setting: str = "multi") -> mt.Model:
    """An untrained model that says it has learned from so many shapes."""
    return model(trained_on={"shapes": [str(number) for number in range(shapes)], "setting": setting})


def wavering(shapes: int, mesh: Mesh) -> mt.Model:
    """The same, of an opinion that changes from place to place on this mesh."""
    made = own(shapes)
    graph = mt.mesh_graph(mesh, made.about.mesh_recipe)
    with torch.no_grad():
        made.network.normalise.measure([graph])
        logits = made.network(graph)
        made.network.last.weight *= 4 / logits.std()
        made.network.last.bias -= made.network(graph).mean(dim=0)
    return made


def test_a_model_of_few_shapes_hears_regions_and_others_do_not() -> None:
    mesh = figure(2)[0]
    random = np.random.default_rng(0).dirichlet(np.ones(len(PARTS)), len(mesh.vertices)).astype(np.float32)
    wanted = with_evidence(random, mesh, find_regions(mesh))
    for setting in ("multi", "mixed"):
        np.testing.assert_array_equal(supported_own(random, mesh, own(FEW - 1, setting).about), wanted)
    assert np.abs(wanted - random).max() > 0.01
    # One that has seen a part of this very shape is no such model, nor is one of which nothing is known.
    for other in (own(FEW), own(1, "single"), own(0), model()):
        assert supported_own(random, mesh, other.about) is random


def test_segment_and_evaluate_take_the_evidence_where_borders_are_refined(tmp_path: Path) -> None:
    mesh = figure(2)[0]
    few, many = wavering(12, mesh), wavering(FEW, mesh)
    with_regions, plain = mt.segment(mesh, few), mt.segment(mesh, many)
    wanted = with_evidence(plain.probabilities, mesh, find_regions(mesh))
    np.testing.assert_allclose(with_regions.probabilities, wanted, atol=1e-5)
    np.testing.assert_array_equal(mt.segment(mesh, few, refine=False).probabilities, plain.probabilities)
    # What segment answers is right by evaluate, when that is what is written beside the mesh.
    mt.save_mesh(mesh, tmp_path / "body.ply")
    mt.write_labels(Labels(with_regions.labels.values, "vertices", PARTS), tmp_path / "body.txt", mesh)
    found = [mt.evaluate(each, tmp_path).vertex_accuracy for each in (few, many)]
    assert found[0] == 1.0
    assert found[1] < 1.0
