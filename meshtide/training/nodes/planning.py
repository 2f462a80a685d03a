"""What one training on nodes is: which choices it has, and what they are if nobody makes them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from meshtide.data.nodes.card import COMPONENTS
from meshtide.data.nodes.features import usual_features
from meshtide.data.nodes.task import NodeTask
from meshtide.errors import InputError
from meshtide.networks.registry import usual_options
from meshtide.spectral.node_recipe import FEATURES, NodeRecipe
from meshtide.training.experiment import NODES, USUAL_NETWORK, Experiment, check_numbers, given
from meshtide.training.schedule import Schedule
from meshtide.words import known

USUAL_EIGENPAIRS = 64
# Chosen on validation nodes of a random split: docs/graphs.md.
USUAL_SCHEDULE: dict[str, Any] = {
    "epochs": 500, "learning_rate": 1e-2, "course": "constant", "optimiser": "adam", "weight_decay": 5e-4,
}  # fmt: skip
# Choices that mean something on surfaces alone, and what is said instead.
_MESHES_ONLY = {
    "setting": "is how meshes are trained on and tested",
    "test_source": "names other meshes; a graph has its own nodes to test on, which `splits` chooses",
    "vocabulary": "joins parts of meshes",
    "augmentation": "makes relatives of surfaces",
    "relatives": "counts relatives of surfaces",
    "strength": "says how unlike a surface its relatives are",
    "kind": "is of shapes",
    "shape": "names one of several meshes",
    "batch": "counts shapes of a step; every step on a graph sees the one there is",
    "sample": "looks at some vertices of a surface; every step on a graph sees all nodes",
    "start": "begins with a model of meshes",
}


def plan_nodes(
    task: NodeTask,
    source: str | Path | NodeTask,
    *,
    splits: str | None = None,
    component: str | None = None,
    network: str | None = None,
    operator: str | None = None,
    features: Any = None,
    eigenpairs: int | None = None,
    options: Mapping[str, Any] | None = None,
    epochs: int | None = None,
    precision: str | None = None,
    patience: int | None = None,
    class_weights: bool = False,
    average: float | None = None,
    optimiser: str | None = None,
    learning_rate: float | None = None,
    course: str | None = None,
    weight_decay: float | None = None,
    validate: bool | None = None,
    seed: int = 0,
    **meshes_only: Any,
) -> Experiment:
    """The experiment on a graph's nodes that these choices mean; whatever is None is decided here.

    >>> import numpy as np
    >>> task = NodeTask("path", [[0, 1], [1, 2]], np.eye(3), [0, 1, 1])
    >>> experiment = plan_nodes(task, task)
    >>> experiment.splits, experiment.recipe.features
    ('random', 'standardised')
    """
    refuse_meshes_only(meshes_only)
    check_numbers(eigenpairs=eigenpairs, epochs=epochs, patience=patience, seed=seed)
    if operator not in (None, "graph"):
        raise InputError(f"`operator={operator}` needs a surface; a graph that is no mesh has `operator=graph`")
    if component is not None:
        known(component, COMPONENTS, "component")
    if not (task.labels >= 0).any():
        raise InputError(f"{task.name}: no node has a class, so there is nothing to learn")
    name = network or USUAL_NETWORK
    asked = given(
        precision=precision, average=average, optimiser=optimiser, learning_rate=learning_rate, course=course,
        weight_decay=weight_decay, epochs=epochs,
    )  # fmt: skip
    schedule = Schedule(
        patience=patience, class_weights=class_weights, seed=seed, sample=None, **(USUAL_SCHEDULE | asked)
    )
    return Experiment(
        source=task.name if isinstance(source, NodeTask) else str(source),
        setting=NODES,
        test_source=None,
        vocabulary=None,
        network=name,
        options=usual_options(name, "graph", NODES, False) | dict(options or {}),
        recipe=NodeRecipe(int(task.features.shape[1]), eigenpairs or USUAL_EIGENPAIRS, features=_word(features, task)),
        schedule=schedule,
        augmentation=None,
        relatives=0,
        shape=None,
        start=None,
        validate=validate,
        splits=task.usual_split if splits is None else splits,
        component=component,
    )


def _word(features: Any, task: NodeTask) -> str:
    """How features are prepared."""
    if features is None:
        return usual_features(task)
    words = (features,) if isinstance(features, str) else tuple(features)
    if len(words) != 1 or words[0] not in FEATURES:
        raise InputError(f"`features`: a graph has its own, which are {', '.join(FEATURES)}; {words} is none of them")
    return str(words[0])


def refuse_meshes_only(choices: Mapping[str, Any]) -> None:
    """Refuse what a graph has no use for, unless it is what would be there without a word."""
    for name, value in choices.items():
        if name not in _MESHES_ONLY:
            raise TypeError(f"there is no choice '{name}'")
        if value is not None and value is not False and (name, value) != ("setting", "multi"):
            raise InputError(f"`{name}` {_MESHES_ONLY[name]}, and this source is a graph that is no mesh")
