"""One training of the paper's experiments on graphs: what it is made of, and what it gives."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from scipy import sparse

from meshtide.data.nodes.features import prepared_features, usual_features
from meshtide.data.nodes.opening import open_node_task
from meshtide.data.nodes.task import Features, NodeSplit, NodeTask
from meshtide.errors import InputError
from meshtide.networks.graph import MeshGraph
from meshtide.networks.node_graph import features_tensor, graph_from_edges
from meshtide.networks.registry import build_network
from meshtide.training.loop import Training, learned_times, mean_accuracy
from meshtide.training.schedule import Schedule
from meshtide.training.views import Example

EIGENPAIRS = 64
EPOCHS = 500
# The paper's network: one convolution a block instead of an MLP, α = β = t = 0 at first, dropout of what is diffused,
# heat as it is printed.
TIDE: Mapping[str, Any] = {"mlp": False, "beginning": "zero", "diffused_dropout": 0.5, "heat": "printed"}
# Its training: no smoothing, no weight decay, the same learning rate throughout, all nodes in every step.
TRAINING: Mapping[str, Any] = {
    "learning_rate": 0.01, "course": "constant", "optimiser": "adamax", "weight_decay": 0.0, "label_smoothing": 0.0,
    "sample": None,
}  # fmt: skip


@dataclass(frozen=True)
class Trial:
    """A network, a graph and a seed; two equal trials give the same."""

    graph: str  # as `open_node_task` takes it
    network: str
    options: tuple[tuple[str, Any], ...] = ()  # of the network
    training: tuple[tuple[str, Any], ...] = ()  # of the schedule, where it is not the paper's
    zeroed: bool = False  # whether nodes that are not learned from have no features
    split: str = ""  # the usual one of the graph
    epochs: int = EPOCHS
    seed: int = 0

    def key(self) -> str:
        """The trial as text: equal trials have equal keys."""
        said = {
            "graph": self.graph, "network": self.network, "options": dict(self.options), "zeroed": self.zeroed,
            "training": dict(self.training), "split": self.split, "epochs": self.epochs, "seed": self.seed,
        }  # fmt: skip
        return json.dumps(said, sort_keys=True)


@dataclass(frozen=True)
class Outcome:
    """What a trial gave at the epoch that did best on the validation nodes; accuracies are fractions."""

    validation: float
    test: float
    epoch: int
    seconds: float
    times: tuple[tuple[float, ...], ...] = ()  # learned by every block, at that epoch
    course: tuple[tuple[float, ...], ...] = ()  # of the first block's times at a few channels, every tenth epoch


class Graphs:
    """The graphs of the experiments, each read and prepared once."""

    def __init__(self, data: str | None) -> None:
        self.data = data
        self._tasks: dict[str, NodeTask] = {}
        self._prepared: dict[str, MeshGraph] = {}

    def task(self, name: str) -> NodeTask:
        """A graph with its labels; raises InputError that says where to get it if it is not there."""
        if name not in self._tasks:
            self._tasks[name] = open_node_task(name, data=self.data)
        return self._tasks[name]

    def prepared(self, name: str) -> MeshGraph:
        """A graph as networks read it, with the paper's features."""
        if name not in self._prepared:
            self._prepared.clear()  # one graph at a time is used, and some are large
            task = self.task(name)
            how = usual_features(task)
            features = prepared_features(task.features, how, task.name)
            self._prepared[name] = graph_from_edges(task.edges, features, eigenpairs=EIGENPAIRS, name=name)
        return self._prepared[name]


def run_trial(trial: Trial, graphs: Graphs) -> Outcome:
    """Train and score as the paper does."""
    started = time.perf_counter()
    task, graph = graphs.task(trial.graph), graphs.prepared(trial.graph)
    split = task.split(trial.split, trial.seed)
    if trial.zeroed:
        graph = replace(graph, features=_zeroed(task, split))
    threads = torch.get_num_threads()
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(trial.seed)
        torch.set_num_threads(1)
        try:
            training = _training(trial, graph, task, split)
            course = [
                _at_some_channels(epoch.times) for epoch in training.run() if epoch.epoch % 10 == 1 and epoch.times
            ]
            training.keep_best()
            test = mean_accuracy(training.network, [_example(graph, task, split.test)])
        finally:
            torch.set_num_threads(threads)
    times = learned_times(training.network)
    seconds = round(time.perf_counter() - started, 2)
    return Outcome(training.best_accuracy, test, training.best_epoch, seconds, times, tuple(course))


def _training(trial: Trial, graph: MeshGraph, task: NodeTask, split: NodeSplit) -> Training:
    if not len(split.train) or not len(split.validation) or not len(split.test):
        raise InputError(f"{task.name}: the split '{split.name}' lacks nodes to train, to validate or to test on")
    network = build_network(
        trial.network, graph.num_channels, len(task.classes), operator="graph", **dict(trial.options)
    )
    if usual_features(task) == "standardised":
        network.normalise.measure([graph])
    schedule = Schedule(**{**TRAINING, **dict(trial.training), "epochs": trial.epochs, "seed": trial.seed})
    return Training(network, [_example(graph, task, split.train)], [_example(graph, task, split.validation)], schedule)


def _example(graph: MeshGraph, task: NodeTask, nodes: Any) -> Example:
    """The graph with the classes of some of its nodes."""
    targets = np.full(task.count, -1)
    targets[nodes] = task.labels[nodes]
    return Example(task.name, graph, torch.from_numpy(targets))


def _zeroed(task: NodeTask, split: NodeSplit) -> torch.Tensor:
    """Features of the nodes that are learned from; those of all others are 0."""
    kept = np.zeros(task.count, dtype=np.float32)
    kept[split.train] = 1
    features: Features = prepared_features(task.features, usual_features(task), task.name)
    if isinstance(features, np.ndarray):
        return torch.from_numpy(features * kept[:, None])
    known: Any = sparse.csr_array(sparse.diags_array(kept) @ features)
    known.eliminate_zeros()
    return features_tensor(known, task.name)


def _at_some_channels(times: tuple[tuple[float, ...], ...]) -> tuple[float, ...]:
    """The first block's times at the channels that the paper's figure shows."""
    return tuple(times[0][channel] for channel in (5, 10, 30, 60) if channel < len(times[0]))
