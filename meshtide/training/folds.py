"""How good a model will be on new shapes, where there are too few to keep some back: told by folds."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from meshtide.errors import InputError
from meshtide.training.experiment import Experiment
from meshtide.training.run import Watch, run_once
from meshtide.training.scores import Score, ShapeScore, combine
from meshtide.training.sources import Data
from meshtide.training.streaming import chosen, joined


def check_folds(experiment: Experiment, folds: int) -> None:
    """Refuse what no folds can be made of."""
    if experiment.setting not in ("multi", "mixed"):
        raise InputError(f"`folds` divide shapes, and the setting {experiment.setting!r} has none to divide")
    if folds < 2:
        raise InputError(f"`folds={folds}` is too small; it should be 2 or more")


def fold_score(
    experiment: Experiment, data: Data, folds: int, *, device: str = "cpu", jobs: int = 1, watch: Watch
) -> Score:
    """The score of every shape by a training that did not see it; each of the trainings leaves out its share of them.

    Shapes to test on have no part in it. It takes about as many times as long as one training.
    """
    shapes = joined(data.train, data.validation)
    if folds > len(shapes):
        raise InputError(f"`folds={folds}` for {len(shapes)} shapes; there cannot be more folds than shapes")
    order = np.random.default_rng(experiment.schedule.seed).permutation(len(shapes))
    scores: list[ShapeScore] = []
    for number in range(folds):
        held = set(order[number::folds].tolist())
        rest = [index for index in range(len(shapes)) if index not in held]
        part = replace(data, train=chosen(shapes, rest), validation=[], test=chosen(shapes, sorted(held)))
        run = run_once(experiment, part, device=device, jobs=jobs, watch=replace(watch, interrupted=None))
        assert isinstance(run.score, Score)  # as there are shapes to test on
        scores += run.score.shapes
    return combine(scores, data.parts)
