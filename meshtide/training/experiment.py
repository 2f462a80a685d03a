"""One training from sources to a scored model: the paper's single, multi and mixed settings, and anyone's folder."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from meshtide.data.augmentation import Augmentation
from meshtide.data.collection import Collection, Shape, open_collection
from meshtide.data.generated import make_many
from meshtide.errors import InputError
from meshtide.inference.familiarity import limits
from meshtide.inference.model import About, Model
from meshtide.inference.predict import predict
from meshtide.inference.shipped import named_model
from meshtide.labels.colours import part_colours
from meshtide.labels.labels import Labels
from meshtide.networks.registry import build_network, needs
from meshtide.spectral.batch import prepare_meshes
from meshtide.spectral.cache import Cache
from meshtide.spectral.recipe import GraphRecipe
from meshtide.training.examples import (
    LabelledShape,
    ShapeSplit,
    load_shapes,
    split_shapes,
    split_vertices,
    with_relatives,
)
from meshtide.training.loop import Epoch, Example, Settings, Training, moved
from meshtide.training.scores import Score, combine, score_shape
from meshtide.training.start import START_LEARNING_RATE, START_STEPS, take_over
from meshtide.words import known

SETTINGS = ("single", "multi", "mixed")
# These read eigenvectors alone and can learn from some of a shape's vertices; the others need every neighbour.
SAMPLING_NETWORKS = ("tide-m", "tide-s", "diffusionnet")
Progress = Callable[[str, int], Callable[[], None]]  # (what, total) -> the function that counts one
Lessons = tuple[list[Example], list[Example]]  # to learn from, and to choose the epoch by


@dataclass(frozen=True)
class Experiment:
    """Everything that decides what a training gives; two equal experiments give equal models."""

    source: str
    setting: str = "multi"
    test_source: str | None = None
    vocabulary: str | None = None
    network: str = "tide-m"
    options: dict[str, Any] = field(default_factory=dict)
    recipe: GraphRecipe = field(default_factory=GraphRecipe)
    settings: Settings = field(default_factory=Settings)
    augmentation: Augmentation | None = None
    relatives: int = 4
    shape: str | None = None  # the one of the single setting; the first training shape if None
    start: str | None = None  # the model to begin with, as `named_model` takes it; random weights if None
    validate: bool = True  # False: learn from the validation shapes too, and keep the last epoch

    def __post_init__(self) -> None:
        known(self.setting, SETTINGS, "setting")
        if self.setting == "mixed" and self.test_source is None:
            raise InputError("the mixed setting trains on one source and tests on another: name it with --test")
        if self.augmentation and self.recipe.operator != "surface":
            raise InputError("--augment changes the surface, which the graph operator does not see; leave one of them")


@dataclass(frozen=True, eq=False)
class Data:
    """The shapes of an experiment, loaded and split."""

    collection: Collection
    tested: Collection
    train: list[LabelledShape]
    validation: list[LabelledShape]
    test: list[LabelledShape]

    @property
    def parts(self) -> tuple[str, ...]:
        """The parts to learn."""
        return self.collection.parts


def usual_options(network: str, operator: str, setting: str, augments: bool) -> dict[str, Any]:
    """What a network is built with unless somebody asks for something else.

    Gradients gained a point on validation shapes, and lost several among relatives. Dropout gained a tenth on the
    validation vertices of a single shape, which every step sees whole; samples of many shapes need none.
    """
    if not network.startswith("tide-") or operator != "surface":
        return {}
    options: dict[str, Any] = {} if augments else {"gradients": True}
    return options | ({"dropout": 0.5} if setting == "single" else {})


def begun_with(experiment: Experiment, start: str) -> Experiment:
    """The same experiment with a trained model to begin with, which brings its network and recipe and needs less."""
    about = named_model(start).about
    settings = replace(experiment.settings, steps=START_STEPS, learning_rate=START_LEARNING_RATE)
    return replace(
        experiment, network=about.network, options=about.options, recipe=about.recipe, settings=settings, start=start
    )


def gather(
    experiment: Experiment,
    *,
    data: Path | None,
    cache: Cache | None,
    jobs: int = 1,
    extras: tuple[str, ...] | None = None,
    progress: Progress = lambda *_: lambda: None,
) -> Data:
    """Open the sources, split them by shape, and load every shape by way of the cache, which `jobs` processes fill.

    `extras` are those of `mesh_graph`, where other networks than the experiment's will read the shapes too.
    """
    collection, tested = _open(experiment, data)
    split = split_shapes(collection, experiment.settings.seed)
    if experiment.setting == "single":
        split = ShapeSplit((_single_shape(collection, split, experiment.shape),), (), ())
    elif experiment.test_source is not None:
        named = [shape for shape in tested.shapes if shape.label_path is not None]
        split = replace(split, test=tuple(named))
    if not experiment.validate:
        split = replace(split, train=split.train + split.validation, validation=())
    if extras is None:
        extras = needs(experiment.network, experiment.options)
    make_missing(collection, (*split.train, *split.validation), jobs, progress)
    make_missing(tested, split.test, jobs, progress)
    if jobs > 1 and cache is not None:
        paths = [shape.mesh_path for shape in (*split.train, *split.validation, *split.test)]
        count = progress("preparing", len(paths))
        for _ in prepare_meshes(paths, experiment.recipe, cache.folder, jobs=jobs):
            count()  # what failed is said by the loading that follows
    count = progress("loading", len(split.train) + len(split.validation) + len(split.test))
    loaded = [
        load_shapes(owner, shapes, experiment.recipe, cache, extras, count)
        for owner, shapes in ((collection, split.train), (collection, split.validation), (tested, split.test))
    ]
    return Data(collection, tested, *loaded)


def make_missing(collection: Collection, shapes: Sequence[Shape], jobs: int, progress: Progress) -> None:
    """Generate those shapes that are generated and were not yet."""
    missing = collection.missing(shapes)
    count = progress("generating", len(missing))
    for _ in make_many([shape.mesh_path for shape in missing], jobs):
        count()


def _open(experiment: Experiment, data: Path | None) -> tuple[Collection, Collection]:
    """The training and the test collection in a vocabulary that both have."""
    collection = open_collection(experiment.source, data=data, vocabulary=experiment.vocabulary)
    if experiment.test_source is None or experiment.setting == "single":
        return collection, collection
    tested = open_collection(experiment.test_source, data=data)
    shared = [
        name
        for name, vocabulary in collection.vocabularies.items()
        if name in tested.vocabularies and tested.vocabularies[name].names == vocabulary.names
    ]
    chosen = experiment.vocabulary or max(shared, key=lambda name: len(tested.vocabularies[name].names), default=None)
    if chosen not in shared:
        raise InputError(
            f"{collection.name} and {tested.name} share no vocabulary{f' {chosen!r}' if chosen else ''}; "
            f"both have: {', '.join(shared) or 'none'}"
        )
    return (
        open_collection(experiment.source, data=data, vocabulary=chosen),
        open_collection(experiment.test_source, data=data, vocabulary=chosen),
    )


def _single_shape(collection: Collection, split: ShapeSplit, name: str | None) -> Any:
    if name is None:
        return split.train[0]
    found = [shape for shape in collection.shapes if shape.name == name and shape.label_path is not None]
    if not found:
        raise InputError(f"{collection.name}: has no labelled shape '{name}'")
    return found[0]


def prepare_training(
    experiment: Experiment,
    data: Data,
    *,
    device: str = "cpu",
    jobs: int = 1,
    lessons: Lessons | None = None,
    progress: Progress = lambda *_: lambda: None,
) -> tuple[Training, list[Example]]:
    """A training ready to run, and the examples to test on: those of `data`, or the test half of the single shape.

    `lessons` are what `make_lessons` gave for this experiment, or for one that differs in its network alone.
    """
    torch.manual_seed(experiment.settings.seed)
    recipe = experiment.recipe
    network = build_network(
        experiment.network, recipe.channels, len(data.parts), operator=recipe.operator, **experiment.options
    )
    seed = experiment.settings.seed
    if experiment.setting == "single":
        train, validation, test = ([example] for example in split_vertices(data.train[0].example, seed))
    else:
        train, validation = lessons or make_lessons(experiment, data, jobs=jobs, progress=progress)
        test = [shape.example for shape in data.test]
    if experiment.start is not None:
        take_over(network, data.parts, named_model(experiment.start))
    else:
        network.normalise.measure(
            [graph for example in train for graph in (example.graph, *(graph for graph, _ in example.relatives))]
        )
    network.to(device)
    settings = experiment.settings
    if experiment.setting == "single":
        settings = replace(settings, sample=None, epochs=settings.epochs or 500)
    if experiment.network not in SAMPLING_NETWORKS:
        settings = replace(settings, sample=None)
    ready = Training(network, [moved(e, device) for e in train], [moved(e, device) for e in validation], settings)
    return ready, [moved(example, device) for example in test]


def make_lessons(
    experiment: Experiment, data: Data, *, jobs: int = 1, progress: Progress = lambda *_: lambda: None
) -> Lessons:
    """Training and validation examples, both with relatives where shapes are augmented."""
    if experiment.augmentation is None:
        return [shape.example for shape in data.train], [shape.example for shape in data.validation]
    edges = experiment.network not in SAMPLING_NETWORKS
    count = progress("making relatives", experiment.relatives * len(data.train) + len(data.validation))
    seed = experiment.settings.seed
    train = with_relatives(
        data.train, experiment.augmentation, experiment.relatives, seed=2 * seed, jobs=jobs, whole=edges, progress=count
    )
    validation = with_relatives(
        data.validation, experiment.augmentation, 1, seed=2 * seed + 1, jobs=jobs, whole=edges, progress=count
    )
    return train, validation


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


def trained_model(
    experiment: Experiment,
    training: Training,
    data: Data,
    score: Score | None,
    history: Sequence[Epoch],
    started: float,
) -> Model:
    """The trained network with everything about it that a file should tell."""
    figures = (
        {}
        if score is None
        else {name: getattr(score, name) for name in ("vertex_accuracy", "face_accuracy", "area_accuracy", "mean_iou")}
    )
    trained_on = {
        "source": experiment.source,
        "setting": experiment.setting,
        "vocabulary": data.collection.vocabulary.name,
        "shapes": [shape.example.name for shape in data.train],
        "tested_on": experiment.test_source or experiment.source,
        "start": experiment.start,
        "seed": experiment.settings.seed,
        "epochs": training.epoch,
        "best_epoch": training.best_epoch,
        "settings": asdict(experiment.settings),
        "relatives": experiment.relatives if experiment.augmentation else 0,
        "augmentation": asdict(experiment.augmentation) if experiment.augmentation else None,
        "seconds": round(time.perf_counter() - started, 1),
    }
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
    trained_on["familiar"] = limits(model, (shape.example.graph for shape in data.validation))
    accuracy = [epoch.validation_accuracy for epoch in history if epoch.best and epoch.validation_accuracy is not None]
    scores = {"test": figures, "validation_accuracy": float(np.float32(accuracy[-1])) if accuracy else None}
    return replace(model, about=replace(about, trained_on=trained_on, scores=scores))


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
