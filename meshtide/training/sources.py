"""The shapes of an experiment: its sources opened in one vocabulary, split by shape, and loaded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from meshtide.data.collection import Collection, open_collection
from meshtide.data.finding import Shape
from meshtide.data.generated import make_many
from meshtide.data.loading import Loading
from meshtide.errors import InputError
from meshtide.networks.registry import needs
from meshtide.spectral.batch import prepare_meshes
from meshtide.spectral.cache import Cache
from meshtide.training.examples import LabelledShape, ShapeSplit, load_shapes, split_shapes
from meshtide.training.experiment import Experiment
from meshtide.training.opening import is_too_much, streamed

# Fewer validation shapes than these say little of an epoch, and teach more than they tell.
ENOUGH_TO_VALIDATE = 8

Progress = Callable[[str, int], Callable[[], None]]  # (what, total) -> the function that counts one


def no_progress(what: str, total: int) -> Callable[[], None]:
    """Count without telling anybody."""
    return lambda: None


@dataclass(frozen=True, eq=False)
class Data:
    """The shapes of an experiment, loaded and split."""

    collection: Collection
    tested: Collection
    train: Sequence[LabelledShape]
    validation: Sequence[LabelledShape]
    test: Sequence[LabelledShape]

    @property
    def parts(self) -> tuple[str, ...]:
        """The parts to learn."""
        return self.collection.parts


def gather(
    experiment: Experiment,
    *,
    data: str | Path | None = None,
    cache: Cache | None = None,
    jobs: int = 1,
    extras: tuple[str, ...] | None = None,
    stream: bool | None = None,
    progress: Progress = no_progress,
) -> Data:
    """Open the sources, split them by shape, and load every shape by way of the cache, which `jobs` processes fill.

    `extras` are those of `mesh_graph`, where other networks than the experiment's will read the shapes too. With
    `stream` shapes are not kept but read when they are wanted; if it is None, those of shards are, and those of a
    collection that would take more than half of the free memory.
    """
    collection, tested = _open(experiment, data)
    split = split_shapes(collection, experiment.schedule.seed)
    if experiment.setting == "single":
        split = ShapeSplit((_single_shape(collection, split, experiment.shape),), (), ())
    elif experiment.test_source is not None:
        named = [shape for shape in tested.shapes if shape.label_path is not None]
        split = replace(split, test=tuple(named))
    if not _validates(experiment, split):
        split = replace(split, train=split.train + split.validation, validation=())
    if extras is None:
        extras = needs(experiment.network, experiment.options)
    make_missing(collection, (*split.train, *split.validation), jobs, progress)
    make_missing(tested, split.test, jobs, progress)
    if jobs > 1 and cache is not None and collection.store is None:
        paths = [shape.mesh_path for shape in (*split.train, *split.validation, *split.test)]
        count = progress("preparing", len(paths))
        for _ in prepare_meshes(paths, experiment.mesh_recipe, cache.folder, jobs=jobs):
            count()  # what failed is said by the loading that follows
    recipe = experiment.mesh_recipe
    owned = ((collection, split.train), (collection, split.validation), (tested, split.test))
    loadings = [(Loading(owner, recipe, cache, extras), shapes) for owner, shapes in owned]
    if stream is None:
        stream = collection.store is not None or is_too_much(*loadings)
    loaded = streamed(loadings, jobs, progress) if stream else _in_memory(loadings, progress)
    return Data(collection, tested, *loaded)


def _in_memory(loadings: Sequence[tuple[Loading, Sequence[Shape]]], progress: Progress) -> list[list[LabelledShape]]:
    count = progress("loading", sum(len(shapes) for _, shapes in loadings))
    return [load_shapes(how.collection, shapes, how.recipe, how.cache, how.extras, count) for how, shapes in loadings]


def make_missing(collection: Collection, shapes: Sequence[Shape], jobs: int, progress: Progress) -> None:
    """Generate those shapes that are generated and were not yet."""
    missing = collection.missing(shapes)
    count = progress("generating", len(missing))
    for _ in make_many([shape.mesh_path for shape in missing], jobs):
        count()


def _validates(experiment: Experiment, split: ShapeSplit) -> bool:
    """Whether validation shapes choose the epoch, as asked, and unasked where they are enough for it."""
    if experiment.validate is None:
        return len(split.validation) >= ENOUGH_TO_VALIDATE or experiment.schedule.patience is not None
    return experiment.validate


def _open(experiment: Experiment, data: str | Path | None) -> tuple[Collection, Collection]:
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


def _single_shape(collection: Collection, split: ShapeSplit, name: str | None) -> Shape:
    if name is None:
        return split.train[0]
    found = [shape for shape in collection.shapes if shape.name == name and shape.label_path is not None]
    if not found:
        raise InputError(f"{collection.name}: has no labelled shape '{name}'")
    return found[0]


def describe(experiment: Experiment, data: Data) -> str:
    """Which shapes are for what, and which parts are learned, in a sentence."""
    names = f"{len(data.train)} training, {len(data.validation)} validation and {len(data.test)} test shapes"
    if experiment.setting == "single":
        names = f"20, 30 and 50 % of the vertices of {data.train[0].example.name} to train, validate and test"
    where = f" of {experiment.test_source}" if experiment.test_source else ""
    return f"{experiment.source}: {names}{where}, {len(data.parts)} parts ({', '.join(data.parts)})"
