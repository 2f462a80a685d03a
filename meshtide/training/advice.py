"""What a person should hear before a training begins: how much its shapes can tell, and what may do better."""

from __future__ import annotations

from meshtide.data.finding import WITHOUT_MESH, left_out, unlabelled_names
from meshtide.inference.model import default_model
from meshtide.training.experiment import Experiment
from meshtide.training.label_doubts import doubts_of_names, scattered
from meshtide.training.nodes.data import NodeData
from meshtide.training.sources import ENOUGH_TO_VALIDATE, Data
from meshtide.training.streaming import Stream, counts_of, names_of
from meshtide.training.subject import Gathered
from meshtide.words import listed


def advice(experiment: Experiment, data: Gathered) -> list[str]:
    """Sentences about a training that is to begin; most need none."""
    if isinstance(data, NodeData):
        return []
    said = [_of_validation(experiment, data), _of_start(experiment, data)]
    return [*_of_labels(experiment, data), *(sentence for sentence in said if sentence)]


def _of_labels(experiment: Experiment, data: Data) -> list[str]:
    """What of a source takes no part in the training, though it lies there, and how its labels were understood."""
    if experiment.setting == "single":
        return list(data.collection.notes)
    bare = unlabelled_names(data.collection.shapes)
    twice = [problem.sentence for problem in data.collection.findings if "label files" in problem.sentence]
    alone = [problem.path.name for problem in data.collection.findings if problem.sentence == WITHOUT_MESH]
    every = [*names_of(data.train), *names_of(data.validation)]
    counts = [*counts_of(data.train, len(data.parts)), *counts_of(data.validation, len(data.parts))]
    empty = [name for name, found in zip(every, counts, strict=True) if int(found.sum()) == 0]
    sentences = list(data.collection.notes)
    if bare:
        sentences.append(left_out(bare, len(every) + len(data.test)))
    if twice:
        sentences.append(f"of these {len(twice):,} {twice[0]}")
    if alone:
        which = "is a label file" if len(alone) == 1 else "are label files"
        sentences.append(f"{listed(alone, most=5)} {which} without a mesh of that name, and not used")
    if empty:
        sentences.append(
            f"the labels of {listed(empty, most=5)} name no part that is learned, so nothing is learned from"
        )
    sentences += doubts_of_names(data.parts, every, [count.numpy() for count in counts])
    strewn = [
        name
        for shapes in (data.train, data.validation, data.test)
        if not isinstance(shapes, Stream)  # whose meshes are not here
        for name in scattered(shapes)
    ]
    if strewn:
        sentences.append(
            f"the labels of {listed(strewn, most=5)} change from each element to the next: they may belong to another "
            "mesh, or to this one before its elements were put in another order"
        )
    return sentences


def _of_validation(experiment: Experiment, data: Data) -> str:
    """Whether what is kept for validation is enough to choose an epoch by."""
    count = len(data.validation)
    if experiment.setting == "single" or count >= ENOUGH_TO_VALIDATE:
        return ""
    if count:
        shapes = "1 shape is" if count == 1 else f"{count} shapes are"
        return (
            f"{shapes} too few to trust the validation: the score jumps from epoch to epoch, and so does the choice of "
            "one; `validate=False` learns from all shapes instead"
        )
    if experiment.validate:
        return "validation was asked for, and of fewer than 3 shapes none can be kept for it: all are learned from"
    if experiment.validate is None:
        said = "there are too few shapes to keep some for validation, so that all are learned from"
        if data.test:
            return said
        return (
            f"{said}; how good the model is on new ones `folds=3` would tell, in four times the time, or other shapes "
            "as `test_source`"
        )
    return ""


def _of_start(experiment: Experiment, data: Data) -> str:
    """Whether the model that ships knows these parts and would be the better way to begin."""
    if experiment.start is not None or experiment.setting == "single" or experiment.schedule.epochs is not None:
        return ""
    known = max(default_model().about.kinds.values(), key=lambda parts: len(set(parts) & set(data.parts)))
    shared = [part for part in data.parts if part in known]
    if len(shared) < 2 or 2 * len(shared) <= len(data.parts):
        return ""
    return (
        f"the model that ships knows {listed(shared)} already: `start=default` begins with it, takes less than half "
        "the time and mostly does better on shapes of such a kind"
    )
