"""What a training gave: its score on test shapes, and the model with everything about it that a file should tell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np

from meshtide.data.collection import Collection
from meshtide.inference.familiarity import limits
from meshtide.inference.model import About, Model
from meshtide.inference.predict import predict
from meshtide.labels.colours import part_colours
from meshtide.labels.labels import Labels
from meshtide.training.experiment import Experiment
from meshtide.training.loop import Training
from meshtide.training.nodes.data import NodeData, fingerprint
from meshtide.training.nodes.scores import NodeScore, score_nodes
from meshtide.training.scores import Score, combine, score_shape
from meshtide.training.sources import Data
from meshtide.training.streaming import counts_of, examples_of, kinds_in, names_of
from meshtide.training.subject import Gathered
from meshtide.training.views import Example


def score_test(
    training: Training, data: Gathered, test: Sequence[Example], experiment: Experiment
) -> Score | NodeScore | None:
    """The score on test shapes, on the test vertices of one, or on test nodes; None where there are none."""
    if not test:
        return None
    if isinstance(data, NodeData):
        probabilities = predict(training.network, test[0].graph)
        targets = test[0].targets.cpu().numpy()
        return score_nodes(targets, probabilities, data.parts, f"test of {data.split(experiment).name}")
    setting = experiment.setting
    shapes = zip(data.train, test, strict=True) if setting == "single" else ((each, each.example) for each in data.test)
    scores = []
    for shape, example in shapes:
        probabilities = predict(training.network, example.graph)
        # In the single setting only the test vertices are truth; elsewhere the labels as they were made.
        truth = shape.labels
        if setting == "single":
            truth = Labels(example.targets.cpu().numpy(), "vertices", data.parts)
        scores.append(score_shape(example.name, probabilities, truth, shape.mesh, parts=data.parts))
    return combine(scores, data.parts)


def trained_model(
    experiment: Experiment, training: Training, data: Gathered, score: Score | NodeScore | None, seconds: float
) -> Model:
    """The trained network with everything about it that a file should tell."""
    about = About(
        experiment.network,
        experiment.options,
        experiment.recipe,
        data.parts,
        part_colours(data.parts),
        kinds={} if isinstance(data, NodeData) else kinds_of(data),
        vocabularies={} if isinstance(data, NodeData) else joinable(data.collection),
    )
    model = Model(training.network.cpu(), about)
    learned = (
        _nodes_learned(experiment, data) if isinstance(data, NodeData) else _shapes_learned(experiment, data, model)
    )
    trained_on = {
        "source": experiment.source,
        "setting": experiment.setting,
        **learned,
        "start": experiment.start,
        "seed": experiment.schedule.seed,
        "epochs": training.epoch,
        "best_epoch": training.best_epoch,
        "schedule": asdict(experiment.schedule),
        "relatives": experiment.relatives,
        "augmentation": asdict(experiment.augmentation) if experiment.augmentation else None,
        "seconds": round(seconds, 1),
    }
    accuracy = validation_accuracy(training)
    scores = {
        "test": {} if score is None else score.metrics,
        "validation_accuracy": None if accuracy is None else float(np.float32(accuracy)),
    }
    return Model(model.network, replace(about, trained_on=trained_on, scores=scores))


def _shapes_learned(experiment: Experiment, data: Data, model: Model) -> dict[str, Any]:
    """Which shapes a model has learned from, and how their features spread."""
    return {
        "vocabulary": data.collection.vocabulary.name,
        "shapes": names_of(data.train),
        "validation_shapes": len(data.validation),
        "tested_on": experiment.test_source or experiment.source,
        "familiar": limits(model, (example.graph for example in examples_of(data.validation))),
    }


def _nodes_learned(experiment: Experiment, data: NodeData) -> dict[str, Any]:
    """Which graph a model has learned, and which nodes of it."""
    return {
        "vocabulary": "own",
        "shapes": [data.task.name],
        "validation_shapes": 0,
        "splits": data.split(experiment).name,
        "component": experiment.component,
        "graph": fingerprint(data.task),
    }


def validation_accuracy(training: Training) -> float | None:
    """That of the epoch that was kept; None where there are no validation shapes."""
    return training.best_accuracy if training.validation and training.best_epoch else None


def kinds_of(data: Data) -> dict[str, tuple[str, ...]]:
    """The parts that the training shapes of each kind have; empty unless there are several kinds."""
    found: dict[str, set[int]] = {}
    kinds = kinds_in(data.train)
    if len({kind for kind in kinds if kind is not None}) < 2:
        return {}
    for kind, counts in zip(kinds, counts_of(data.train, len(data.parts)), strict=True):
        if kind is not None:
            found.setdefault(kind, set()).update(counts.nonzero().ravel().tolist())
    return {kind: tuple(data.parts[part] for part in sorted(parts)) for kind, parts in sorted(found.items())}


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
