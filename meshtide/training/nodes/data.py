"""The graph of an experiment, prepared for networks, and its nodes by what they are for."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from meshtide.data.nodes.task import NodeSplit, NodeTask
from meshtide.errors import InputError
from meshtide.networks.graph import MeshGraph
from meshtide.networks.node_graph import node_graph
from meshtide.spectral.node_recipe import NodeRecipe
from meshtide.training.experiment import Experiment
from meshtide.training.views import Example

Count = Callable[[str, int], Callable[[], None]]


@dataclass(frozen=True, eq=False)
class NodeData:
    """A task with its graph as networks read it."""

    task: NodeTask
    graph: MeshGraph
    targets: Tensor  # (V,) int64, the class of every node, -1 for none

    @property
    def parts(self) -> tuple[str, ...]:
        """The classes to learn."""
        return self.task.classes

    def split(self, experiment: Experiment) -> NodeSplit:
        """The split of the experiment's run: of several of a kind, runs of other seeds have others."""
        return self.task.split(experiment.splits or "", experiment.schedule.seed)

    def examples(self, experiment: Experiment) -> tuple[list[Example], list[Example], list[Example]]:
        """The graph three times, with the classes of those nodes that are to train, to validate and to test on."""
        split = self.split(experiment)
        if experiment.validate is False:
            both = torch.cat([torch.from_numpy(split.train), torch.from_numpy(split.validation)])
            split = replace(split, train=both.numpy(), validation=split.validation[:0])
        if not (self.task.labels[split.train] >= 0).any():
            raise InputError(f"{self.task.name}: the split '{split.name}' has no labelled node to learn from")
        train, validation, test = (
            [replace(self._example(), targets=self._only(torch.from_numpy(nodes)))]
            if (self.task.labels[nodes] >= 0).any()
            else []
            for nodes in (split.train, split.validation, split.test)
        )
        return train, validation, test

    def describe(self, experiment: Experiment) -> str:
        """Which nodes are for what, and which classes are learned, in a sentence."""
        split = self.split(experiment)
        counts = f"{len(split.train):,} nodes to train, {len(split.validation):,} to validate and {len(split.test):,}"
        known = ", ".join(self.parts) if len(self.parts) <= 12 else f"{', '.join(self.parts[:12])} …"
        return (
            f"{experiment.source}: {self.task.count:,} nodes and {len(self.task.edges):,} edges, {counts} to test on "
            f"(split {split.name}), {len(self.parts)} classes ({known})"
        )

    def _example(self) -> Example:
        return Example(self.task.name, self.graph, self.targets)

    def _only(self, nodes: Tensor) -> Tensor:
        targets = torch.full_like(self.targets, -1)
        targets[nodes] = self.targets[nodes]
        return targets


def gather_nodes(experiment: Experiment, task: NodeTask, progress: Count) -> NodeData:
    """Prepare a task's graph as the experiment's recipe says."""
    recipe = experiment.recipe
    if not isinstance(recipe, NodeRecipe):
        raise TypeError("an experiment on nodes has a recipe for them")
    count = progress("preparing", 1)
    data = NodeData(task, node_graph(task, recipe), torch.from_numpy(task.labels))
    count()
    return data


def fingerprint(task: NodeTask) -> str:
    """What tells a graph with its labels from any other: 32 hexadecimal digits."""
    digest = hashlib.blake2b(digest_size=16)
    for values in (task.edges, task.labels):
        digest.update(values.tobytes())
    return digest.hexdigest()
