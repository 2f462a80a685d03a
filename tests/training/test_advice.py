"""What is said before a training begins: whether validation can be trusted, and whether a start would do better."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from labelled_folders import write_figures
from shapes import figure

from meshtide.labels.files import write_labels
from meshtide.labels.labels import Labels
from meshtide.mesh.files import save_mesh
from meshtide.training.advice import advice
from meshtide.training.evaluate import evaluate
from meshtide.training.experiment import Experiment, plan
from meshtide.training.sources import Data, gather
from meshtide.training.train import train


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_figures(tmp_path_factory.mktemp("own"), 5)


def begun(folder: Path, **choices: object) -> tuple[Experiment, Data]:
    experiment = plan(folder, eigenpairs=8, **choices)  # type: ignore[arg-type]  # a mixed bag by design
    return experiment, gather(experiment)


def said(folder: Path, **choices: object) -> str:
    return " ".join(advice(*begun(folder, **choices)))


def test_few_shapes_are_all_learned_from_unless_validation_is_asked_for(folder: Path) -> None:
    for choices, counts in (
        ({}, (5, 0)),
        ({"validate": True}, (4, 1)),
        ({"validate": False}, (5, 0)),
        ({"patience": 3}, (4, 1)),  # which is about validation, and asks for it
    ):
        _, data = begun(folder, **choices)
        assert (len(data.train), len(data.validation)) == counts


def test_enough_validation_shapes_are_kept_back(tmp_path: Path) -> None:
    folder = write_figures(tmp_path / "many", 1)
    (mesh,) = (path for path in folder.iterdir() if path.suffix in (".off", ".ply", ".obj"))
    (labels,) = (path for path in folder.iterdir() if path.stem == mesh.stem and path != mesh)
    for number in range(39):
        for path in (mesh, labels):
            (folder / f"copy{number:02}{path.suffix}").write_bytes(path.read_bytes())
    experiment, data = begun(folder)
    assert (len(data.train), len(data.validation)) == (32, 8)
    assert "validation" not in " ".join(advice(experiment, data))


def test_too_little_validation_is_said(folder: Path) -> None:
    assert "`folds=3` would tell" in said(folder)
    experiment, data = begun(folder)
    tested = " ".join(advice(experiment, replace(data, test=data.train)))
    assert "all are learned from" in tested
    assert "folds" not in tested
    assert "1 shape is too few to trust the validation" in said(folder, validate=True)
    assert "validation" not in said(folder, validate=False)
    assert said(folder, setting="single") == ""


def test_validation_that_cannot_be_is_said(tmp_path: Path) -> None:
    folder = write_figures(tmp_path / "two", 2)
    assert "validation was asked for, and of fewer than 3 shapes none can be kept" in said(folder, validate=True)
    assert "asked for" not in said(folder)


def test_a_start_is_named_where_the_model_that_ships_knows_the_parts(folder: Path, tmp_path: Path) -> None:
    assert "knows 'head', 'leg', 'torso' already: `start=default`" in said(folder)
    for choices in ({"start": "default"}, {"setting": "single"}):
        assert "start=default" not in " ".join(advice(plan(folder, **choices), begun(folder)[1]))
    lamps = tmp_path / "lamps"
    lamps.mkdir()
    mesh, parts = figure(1)
    save_mesh(mesh, lamps / "a.off")
    write_labels(Labels(parts, "faces", ("head", "shade", "cable", "foot")), lamps / "a.txt", mesh)
    assert "start=default" not in said(lamps)


def test_what_takes_no_part_is_said(tmp_path: Path) -> None:
    folder = write_figures(tmp_path / "own", 4)
    assert "left out" not in said(folder)
    save_mesh(figure(1)[0], folder / "bare.obj")
    assert "'bare.obj' has no labels of its own and is left out: 4 meshes have labels" in said(folder)
    (folder / "baer.seg").write_text("0\n1\n")  # meant for bare.obj
    assert "'baer.seg' is a label file without a mesh of that name, and not used" in said(folder)
    mesh = figure(1)[0]
    save_mesh(mesh, folder / "empty.obj")
    write_labels(Labels(np.full(len(mesh.faces), -1), "faces", ("head",)), folder / "empty.json", mesh)
    assert "the labels of 'empty' name no part that is learned" in said(folder)


def test_how_numbers_were_understood_is_said(tmp_path: Path) -> None:
    mesh, parts = figure(1)
    for number in range(3):
        save_mesh(mesh, tmp_path / f"{number}.obj")
        (tmp_path / f"{number}.seg").write_text("\n".join(map(str, parts)))
    assert "part numbers count from 0, over 3 files" in said(tmp_path)


def test_what_is_not_scored_is_said(tmp_path: Path) -> None:
    folder = write_figures(tmp_path / "own", 2)
    model = train(folder, epochs=1, eigenpairs=8)
    assert evaluate(model, folder).notes == ()
    save_mesh(figure(1)[0], folder / "bare.obj")
    (note,) = evaluate(model, folder).notes
    assert note == "'bare.obj' has no labels of its own and is left out: 2 meshes have labels"


def test_labels_that_look_like_a_mistake_are_said(tmp_path: Path) -> None:
    folder = write_figures(tmp_path / "own", 3)
    assert "another mesh" not in said(folder)
    mesh, parts = figure(2)
    save_mesh(mesh, folder / "strewn.obj")
    strewn = np.random.default_rng(0).permutation(parts)
    write_labels(Labels(strewn, "faces", ("head", "torso", "leg", "Tail")), folder / "strewn.json", mesh)
    told = said(folder)
    assert "the labels of 'strewn' change from each element to the next" in told
    assert "'strewn' alone" in told


def test_numbers_without_a_mesh_are_labels_and_a_text_is_none(tmp_path: Path) -> None:
    folder = write_figures(tmp_path / "own", 2)
    (folder / "readme.txt").write_text("These are figures.\n" * 30)
    assert "without a mesh" not in said(folder)
    (folder / "lost.txt").write_text("0\n1\n" * 20)
    assert "'lost.txt' is a label file without a mesh of that name, and not used" in said(folder)


def test_a_file_of_nothing_but_unlabelled_elements_is_no_other_way_of_labelling(tmp_path: Path) -> None:
    folder = write_figures(tmp_path / "own", 2)
    mesh = figure(1)[0]
    save_mesh(mesh, folder / "empty.obj")
    (folder / "empty.txt").write_text("-1\n" * len(mesh.faces))
    assert "the labels of 'empty' name no part that is learned" in said(folder)
