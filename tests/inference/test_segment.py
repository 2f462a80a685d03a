"""From a mesh or a file to parts: every element has an answer, and large meshes get that of small ones."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from shapes import figure, sphere
from small_models import KINDS, PARTS, model

from meshtide.data.figures.objects import make_object
from meshtide.errors import InputError
from meshtide.inference.model import Model, save_model
from meshtide.inference.refine import refine
from meshtide.inference.segment import segment
from meshtide.mesh.files import save_mesh
from meshtide.mesh.mesh import Mesh
from meshtide.spectral.cache import Cache


@pytest.fixture(autouse=True, scope="module")
def _one_thread() -> None:
    torch.set_num_threads(1)


@pytest.fixture(scope="module")
def known() -> Model:
    return model(kinds=KINDS)


def test_every_vertex_has_a_part_and_how_sure_that_is(known: Model) -> None:
    mesh = figure(2)[0]
    result = segment(mesh, known)
    assert result.mesh is mesh
    assert result.parts == PARTS
    assert result.kind in KINDS
    np.testing.assert_allclose(result.probabilities.sum(axis=1), 1, atol=1e-5)
    chosen = result.probabilities[np.arange(len(mesh.vertices)), result.labels.values]
    np.testing.assert_array_equal(result.confidence, chosen)
    assert len(result.face_labels.values) == len(result.face_confidence) == len(mesh.faces)


def test_borders_are_refined_unless_that_is_turned_off(known: Model) -> None:
    mesh = figure(2)[0]
    plain, usual = segment(mesh, known, refine=False), segment(mesh, known)
    np.testing.assert_array_equal(plain.labels.values, plain.probabilities.argmax(axis=1))
    np.testing.assert_array_equal(plain.confidence, plain.probabilities.max(axis=1))
    np.testing.assert_array_equal(usual.labels.values, refine(mesh, usual.probabilities))
    assert (usual.labels.values != plain.labels.values).any()


def test_vertices_that_no_face_uses_have_no_part(known: Model) -> None:
    mesh = figure(1)[0]
    more = Mesh(np.concatenate([mesh.vertices, [[9.0, 9.0, 9.0]]]), mesh.faces)
    result = segment(more, known)
    assert result.labels.values[-1] == -1
    assert result.confidence[-1] == 0
    np.testing.assert_array_equal(result.labels.values[:-1], segment(mesh, known).labels.values)


def test_a_file_is_mended_and_the_answer_fits_the_file(known: Model, tmp_path: Path) -> None:
    mesh = figure(1)[0]
    torn = Mesh(mesh.vertices[mesh.faces].reshape(-1, 3), np.arange(3 * len(mesh.faces)).reshape(-1, 3))
    save_mesh(torn, tmp_path / "torn.ply")
    save_mesh(mesh, tmp_path / "whole.ply")
    result, whole = segment(tmp_path / "torn.ply", known), segment(tmp_path / "whole.ply", known)
    assert any("weld" in warning for warning in result.warnings)
    assert len(result.labels) == len(torn.vertices)
    np.testing.assert_array_equal(result.labels.values, whole.labels.values[mesh.faces].ravel())


def test_a_given_kind_and_a_model_from_a_file(known: Model, tmp_path: Path) -> None:
    save_model(known, tmp_path / "model.safetensors")
    for kind, missing in (("animal", "arm"), ("person", "tail")):
        result = segment(figure(1)[0], tmp_path / "model.safetensors", kind=kind)
        assert result.kind == kind
        assert PARTS.index(missing) not in result.labels.values
    with pytest.raises(InputError, match="does not know the kind"):
        segment(figure(1)[0], known, kind="plant")
    with pytest.raises(InputError, match="at least 4"):
        segment(figure(1)[0], known, max_vertices=3)


def test_a_simplified_mesh_gives_nearly_the_answer_of_the_whole(known: Model) -> None:
    mesh = figure(3)[0]
    whole, carried = segment(mesh, known), segment(mesh, known, max_vertices=len(mesh.vertices) // 4)
    assert len(carried.labels) == len(mesh.vertices)
    assert np.abs(whole.probabilities - carried.probabilities).mean() < 0.02
    assert (whole.labels.values == carried.labels.values).mean() > 0.95


def test_refining_shortens_the_borders(known: Model) -> None:
    mesh = sphere(3)
    edges = mesh.edges()
    plain, fine = (segment(mesh, known, refine=refine).labels.values for refine in (False, True))
    cut = [np.count_nonzero(values[edges[:, 0]] != values[edges[:, 1]]) for values in (plain, fine)]
    assert cut[1] <= cut[0]


def test_the_second_time_comes_from_the_cache(known: Model, tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache")
    first, second = (segment(figure(2)[0], known, cache=cache) for _ in range(2))
    assert cache.info().entries == 1
    np.testing.assert_array_equal(first.probabilities, second.probabilities)


@pytest.mark.parametrize(("sure", "doubted"), [(0.55, True), (0.9, False)])
def test_a_thing_that_is_barely_taken_for_its_kind_is_named_with_a_doubt(
    monkeypatch, sure: float, doubted: bool
) -> None:
    monkeypatch.setattr("meshtide.inference.segment.likeliest_thing", lambda seen: ("cup", sure))
    result = segment(make_object("mug", 3, "held-out").mesh)
    assert result.kind == "cup"
    assert any("something else than a cup" in sentence for sentence in result.warnings) == doubted
