"""Score what a model says of a graph's nodes."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from meshtide.arrays import IntArray
from meshtide.data.nodes.opening import GraphSource
from meshtide.data.nodes.task import NodeSplit, NodeTask
from meshtide.errors import InputError
from meshtide.inference.model import About, Model, load_model
from meshtide.inference.nodes import NodeClasses, classify_nodes
from meshtide.training.nodes.data import fingerprint
from meshtide.training.nodes.scores import NodeScore, score_nodes
from meshtide.words import known, listed

WHICH = ("train", "validation", "test", "all")


def evaluate_nodes(
    model: Model | str | Path,
    source: GraphSource,
    *,
    split: str | None = None,
    component: str | None = None,
    device: str = "auto",
    data: str | Path | None = None,
) -> NodeScore:
    """Score a model on a graph's nodes; see `evaluate`."""
    if not isinstance(model, Model):
        model = load_model(model)
    found = classify_nodes(model, source, component=component, device=device, data=data)
    return score_classes(found, model.about, split)


def score_classes(found: NodeClasses, about: About, split: str | None = None) -> NodeScore:
    """The score of classes that a model found, on those nodes that `split` names.

    On the graph that the model has learned from these are without a word the nodes to test on of the same split, so
    that none is scored that was learned from; on any other graph all nodes that have a class.
    """
    task = found.task
    own = about.trained_on.get("splits") if about.trained_on.get("graph") == fingerprint(task) else None
    if own is not None and str(own).partition(":")[0] not in task.split_names():
        raise InputError(f"{task.name}: the model has learned from the split '{own}', which is not known here")
    which = known(split or ("test" if own is not None else "all"), WHICH, "split")
    truth = _truth(task, about.parts)
    if which == "all":
        return score_nodes(truth, found.probabilities, about.parts, "all with a class")
    chosen = task.split(own or "")
    only = np.full_like(truth, -1)
    nodes = _part(chosen, which)
    only[nodes] = truth[nodes]
    return score_nodes(only, found.probabilities, about.parts, f"{which} of {chosen.name}")


def _part(split: NodeSplit, which: str) -> IntArray:
    return {"train": split.train, "validation": split.validation, "test": split.test}[which]


def _truth(task: NodeTask, classes: tuple[str, ...]) -> IntArray:
    """The nodes' classes as numbers of the model's."""
    place = {name: number for number, name in enumerate(classes)}
    used = np.unique(task.labels[task.labels >= 0]).tolist()
    unknown = [task.classes[number] for number in used if task.classes[number] not in place]
    if unknown:
        raise InputError(
            f"{task.name}: has the classes {listed(unknown, 5)}, and the model knows {listed(classes, 10)}; "
            "it was trained on other classes"
        )
    numbers = np.array([place.get(name, -1) for name in task.classes] + [-1])
    return np.asarray(numbers[task.labels], dtype=np.int64)
