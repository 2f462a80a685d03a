"""The generated shapes that regions are learned from."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("meshtide.data.figures.objects")
pytest.importorskip("meshtide.data.figures.creatures")

from meshtide.errors import InputError
from meshtide.training.regions.embedding import EmbeddingSchedule
from meshtide.training.regions.pairs import PairSchedule
from meshtide.training.regions.train import RegionSchedule, train_regions
from meshtide.training.regions.training_set import (
    SOURCES,
    Recipe,
    load_training_set,
    make_figure_of,
    make_training_set,
    recipes,
)


def test_every_kind_is_there_as_often_and_names_differ():
    wanted = list(recipes(3))
    assert len(wanted) == 3 * sum(map(len, SOURCES.values()))
    assert len({recipe.name for recipe in wanted}) == len(wanted)
    fewer = list(recipes(3, without=("objects.chair",)))
    assert len(wanted) - len(fewer) == 3
    assert not any(recipe.kind == "chair" for recipe in fewer)


def test_an_unknown_source_is_named():
    with pytest.raises(InputError, match="no source of figures 'clouds'"):
        make_figure_of("clouds", "cumulus", 0)


def test_shapes_are_made_once(tmp_path):
    wanted = [Recipe("objects", "stool", seed) for seed in range(4)]
    told = []
    paths = make_training_set(wanted, tmp_path, report=lambda done, total: told.append((done, total)))
    assert [path.stem for path in paths] == [recipe.name for recipe in wanted]
    assert told[-1] == (4, 4)
    before = [path.stat().st_mtime_ns for path in paths]
    assert make_training_set(wanted, tmp_path) == paths
    assert [path.stat().st_mtime_ns for path in paths] == before
    examples, of_pairs = load_training_set(paths)
    assert [example.name for example in examples] != []
    assert [path.stem for path in of_pairs] == ["objects.stool-blended-3"]


def test_one_call_makes_a_model(tmp_path):
    kinds = tuple(f"{source}.{kind}" for source, all_of in SOURCES.items() for kind in all_of if kind != "stool")
    stages = []
    schedule = RegionSchedule(4, kinds, EmbeddingSchedule(steps=2, sample=64), PairSchedule(steps=2))
    model = train_regions(tmp_path, schedule, report=lambda progress: stages.append(progress.stage))
    assert list(dict.fromkeys(stages)) == ["shapes", "embedding", "patches", "pairs"]
    assert model.about.trained_on["shapes"] == 4
    assert np.isfinite(model.scale)
