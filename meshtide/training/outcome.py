"""What a training gave: its score on test shapes, and the model with everything about it that a file should tell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace

import numpy as np

from meshtide.data.collection import Collection
from meshtide.inference.familiarity import limits
from meshtide.inference.model import About, Model
from meshtide.inference.predict import predict
from meshtide.labels.colours import part_colours
from meshtide.labels.labels import Labels
from meshtide.training.experiment import Experiment
from meshtide.training.loop import Example, Training
from meshtide.training.scores import METRICS, Score, combine, score_shape
from meshtide.training.sources import Data


def score_test(training: Training, data: Data, test: Sequence[Example], setting: str) -> Score | None:
    """The score on test shapes, or in the single setting on the test vertices; None where there are none."""
    if not test:
        return None
    shapes = data.train if setting == "single" else data.test
    scores = []
    for shape, example in zip(shapes, test, strict=True):
        probabilities = predict(training.network, example.graph)
        # In the single setting only the test vertices are truth; elsewhere the labels as they were made.
        truth = shape.labels
        if setting == "single":
            truth = Labels(example.targets.cpu().numpy(), "vertices", data.parts)
        scores.append(score_shape(example.name, probabilities, truth, shape.mesh, parts=data.parts))
    return combine(scores, data.parts)


def trained_model(experiment: Experiment, training: Training, data: Data, score: Score | None, seconds: float) -> Model:
    """The trained network with everything about it that a file should tell."""
    about = About(
        experiment.network,
        experiment.options,
        experiment.recipe,
        data.parts,
        part_colours(data.parts),
        kinds=kinds_of(data),
        vocabularies=joinable(data.collection),
    )
    model = Model(training.network.cpu(), about)
    trained_on = {
        "source": experiment.source,
        "setting": experiment.setting,
        "vocabulary": data.collection.vocabulary.name,
        "shapes": [shape.example.name for shape in data.train],
        "tested_on": experiment.test_source or experiment.source,
        "start": experiment.start,
        "seed": experiment.schedule.seed,
        "epochs": training.epoch,
        "best_epoch": training.best_epoch,
        "schedule": asdict(experiment.schedule),
        "relatives": experiment.relatives,
        "augmentation": asdict(experiment.augmentation) if experiment.augmentation else None,
        "seconds": round(seconds, 1),
        "familiar": limits(model, (shape.example.graph for shape in data.validation)),
    }
    accuracy = validation_accuracy(training)
    scores = {
        "test": {} if score is None else {metric: getattr(score, metric) for metric in METRICS},
        "validation_accuracy": None if accuracy is None else float(np.float32(accuracy)),
    }
    return replace(model, about=replace(about, trained_on=trained_on, scores=scores))


def validation_accuracy(training: Training) -> float | None:
    """That of the epoch that was kept; None where there are no validation shapes."""
    return training.best_accuracy if training.validation and training.best_epoch else None


def kinds_of(data: Data) -> dict[str, tuple[str, ...]]:
    """The parts that the training shapes of each kind have; empty unless there are several kinds."""
    found: dict[str, set[int]] = {}
    for shape in data.train:
        if shape.kind is not None:
            found.setdefault(shape.kind, set()).update(np.unique(shape.example.targets.numpy()).tolist())
    if len(found) < 2:
        return {}
    return {kind: tuple(data.parts[part] for part in sorted(parts - {-1})) for kind, parts in sorted(found.items())}


def joinable(collection: Collection) -> dict[str, dict[str, tuple[str, ...]]]:
    """The vocabularies of a collection that join the parts of the one it is in."""
    own = collection.vocabulary
    if any(members != (part,) for part, members in own.parts.items()):
        return {}
    return {
        name: {**other.parts, "unscored": other.unscored}
        for name, other in collection.vocabularies.items()
        if other.known == own.known and name != own.name
    }
