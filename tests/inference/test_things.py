"""Things with names: chairs, cups and cars are named part by part, what is unknown stays without names."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import meshtide as mt
from meshtide.data.figures.objects import make_object
from meshtide.errors import InputError
from meshtide.inference.naming import on_mesh
from meshtide.inference.region_evidence import with_regions
from meshtide.inference.regions.surface import working_surface
from meshtide.inference.things import default_namer, load_namer, save_namer
from meshtide.inference.weights import state_of
from meshtide.training.regions.examples import make_example
from meshtide.training.thing_parts import THINGS
from meshtide.training.things import outputs_at

SEED = 7001  # no thing of this number was trained on or chosen by
CUP = "mug"  # as the generator calls it


def accuracy(result: mt.Segmentation, sort: str, kind: str, figure) -> float:
    """The share of the area that has its true name."""
    words = {word: name for name, members in THINGS[kind][sort].items() for word in members}
    truth = np.array([words[word] for word in figure.parts])[figure.face_parts]
    found = np.array(result.parts)[result.face_labels.values]
    areas = figure.mesh.face_areas
    return float(areas[truth == found].sum() / areas.sum())


@pytest.mark.parametrize(
    ("sort", "kind"), [("mug", "cup"), ("airplane", "airplane"), ("table", "table"), ("car", "car")]
)
def test_the_parts_of_a_thing_have_the_names_of_its_kind(sort: str, kind: str) -> None:
    figure = make_object(sort, SEED, "held-out", defects=False)
    result = mt.segment(figure.mesh, kind=kind)
    assert result.kind == kind
    assert result.parts == mt.known_kinds()[kind]
    assert accuracy(result, f"objects.{sort}", kind, figure) > 0.8
    assert all(instance.part in result.parts for instance in result.instances)


def test_most_things_are_taken_for_what_they_are_and_no_unknown_thing_for_another() -> None:
    known = [("bottle", "bottle"), ("lamp", "lamp"), ("teapot", "teapot"), ("airplane", "airplane")]
    taken = [mt.segment(make_object(sort, SEED + 1, "held-out", defects=False).mesh).kind for sort, _ in known]
    assert sum(kind == wanted for kind, (_, wanted) in zip(taken, known, strict=True)) >= 3
    assert all(kind in (wanted, None) for kind, (_, wanted) in zip(taken, known, strict=True))
    for sort in ("gear", "microscope", "bicycle", "guitar"):
        result = mt.segment(make_object(sort, SEED, "held-out", defects=False).mesh)
        assert result.kind is None
        assert "none of the kinds" in result.reason


def test_turning_and_scaling_change_nothing() -> None:
    mesh = make_object(CUP, SEED, "held-out", defects=False).mesh
    turn = np.linalg.qr(np.random.default_rng(4).normal(size=(3, 3)))[0]
    turn *= np.sign(np.linalg.det(turn))
    moved = mt.Mesh(1000 * mesh.vertices @ turn.T - 3, mesh.faces)
    first, second = mt.segment(mesh, kind="cup"), mt.segment(moved, kind="cup")
    assert (first.face_labels.values == second.face_labels.values).mean() > 0.97


def test_every_word_of_the_generator_has_one_name_and_every_name_a_word() -> None:
    for kind, sorts in THINGS.items():
        assert default_namer().kinds[kind]
        for sort, names in sorts.items():
            words = [word for members in names.values() for word in members]
            assert len(words) == len(set(words)), sort
    figure = make_object(CUP, 1)
    example = make_example(figure.mesh, figure.face_parts, "objects.mug", dense=False)
    kind, outputs = outputs_at(example, default_namer().kinds)
    columns = default_namer().columns("cup")
    assert kind == "cup"
    assert set(outputs) == {columns.start, columns.start + 1}


def test_values_travel_to_every_face_of_large_and_coarse_meshes() -> None:
    for mesh in (make_object("valve", 3).mesh, mt.make_figure("hand", 1, defects=False)[0]):
        surface = working_surface(mesh, faces=600)
        rows = np.abs(surface.centres) / np.abs(surface.centres).sum(axis=1, keepdims=True)
        there = on_mesh(surface, rows)
        assert there.shape == (len(mesh.faces), 3)
        np.testing.assert_allclose(there.sum(axis=1), 1, atol=1e-3)


def test_regions_move_a_lone_face_and_no_weight_changes_nothing() -> None:
    scores = np.log(np.array([[0.9, 0.1]] * 9 + [[0.45, 0.55]] + [[0.2, 0.8]] * 3))
    regions = np.array([0] * 10 + [-1] * 3)
    areas = np.ones(len(scores))
    np.testing.assert_allclose(with_regions(scores, regions, areas, 0.0), scores, atol=1e-9)
    moved = with_regions(scores, regions, areas, 1.0)
    assert moved[9].argmax() == 0
    np.testing.assert_allclose(moved[10:], scores[10:], atol=1e-9)
    np.testing.assert_allclose(np.exp(moved).sum(axis=1), 1)


def test_a_namer_comes_back_as_it_was_saved_and_other_files_are_a_sentence(tmp_path: Path) -> None:
    namer, path = default_namer(), tmp_path / "things.safetensors"
    save_namer(namer, path)
    again = load_namer(path)
    assert again.kinds == namer.kinds
    one, other = state_of(namer.network), state_of(again.network)
    assert one.keys() == other.keys()
    assert all(np.array_equal(each, other[name]) for name, each in one.items())
    path.write_bytes(b"\x08\0\0\0\0\0\0\0{}      ")
    with pytest.raises(InputError, match="is no model that names things"):
        load_namer(path)
