"""Folds: every shape is scored once, by a training that did not see it."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import run
from labelled_folders import write_figures

import meshtide as mt
from meshtide.errors import InputError
from meshtide.training.folds import fold_score
from meshtide.training.run import Watch
from meshtide.training.scores import Score
from meshtide.training.sources import gather

SMALL = {"eigenpairs": 24, "options": {"width": 16, "blocks": 2}, "epochs": 12}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_figures(tmp_path_factory.mktemp("own"), 5)


def test_every_shape_is_scored_once_by_a_training_without_it(folder: Path) -> None:
    from meshtide.training.experiment import plan

    experiment = plan(folder, **SMALL)
    learned: list[set[str]] = []
    watch = Watch(begun=lambda _, training: learned.append({example.name for example in training.train}))
    data = gather(experiment)
    score = fold_score(experiment, data, 2, watch=watch)
    every = {shape.example.name for shape in data.train}
    assert sorted(shape.name for shape in score.shapes) == sorted(every)
    assert sorted(map(len, learned)) == [2, 3]
    assert learned[0] | learned[1] == every
    names = [shape.name for shape in score.shapes]
    assert set(names[:3]) == every - learned[0]
    assert 0.5 < score.vertex_accuracy <= 1


def test_a_model_says_what_its_folds_told(folder: Path, tmp_path: Path) -> None:
    told: list[Score] = []
    model = mt.train(folder, **SMALL, folds=2, output=tmp_path / "m.safetensors", watch=Watch(folds=told.append))
    assert len(model.about.trained_on["shapes"]) == 5
    assert model.about.scores["folds"]["count"] == 2
    assert model.about.scores["folds"]["vertex_accuracy"] == told[0].vertex_accuracy
    assert mt.load_model(tmp_path / "m.safetensors").about == model.about
    for choices in ({"folds": 1}, {"folds": 2, "setting": "single"}, {"folds": 6}):
        with pytest.raises(InputError, match="`folds"):
            mt.train(folder, **{**SMALL, **choices})


def test_the_command_line_prints_them(folder: Path, tmp_path: Path) -> None:
    done = run("train", folder, "-o", "m.safetensors", "--epochs", "3", "--width", "8", "-k", "16", "--folds", "2",
               cwd=tmp_path)  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "on shapes that were left out, by 2 folds: vertex accuracy" in done.stdout
