"""Regions as evidence for names: a vertex that wavers follows its region, and no part comes back that was ruled out."""

from __future__ import annotations

import numpy as np
import pytest
from shapes import sphere

from meshtide.data.figures import make_figure
from meshtide.inference.evidence import WEIGHT, supported, with_evidence
from meshtide.inference.recognise import recognise
from meshtide.inference.regions.regions import Regions
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
