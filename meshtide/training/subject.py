"""What is learned, meshes or a graph's nodes: told apart once, and alike for whoever trains or compares."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from meshtide.data.nodes.opening import is_node_source, open_node_task
from meshtide.data.nodes.task import NodeTask
from meshtide.errors import InputError
from meshtide.spectral.cache import Cache
from meshtide.training.experiment import Experiment, plan
from meshtide.training.nodes.data import NodeData, gather_nodes
from meshtide.training.nodes.planning import plan_nodes
from meshtide.training.sources import Data, Progress, describe, gather

Gathered = Data | NodeData


class Subject(Protocol):
    """A source that experiments are planned on, and that gives what they learn from."""

    def plan(self, **choices: Any) -> Experiment:
        """The experiment that some choices mean here."""

    def gather(
        self, experiment: Experiment, *, cache: Cache | None, jobs: int, extras: tuple[str, ...] | None,
        stream: bool | None, progress: Progress,
    ) -> Gathered:  # fmt: skip
        """Everything that the experiment reads."""


@dataclass(frozen=True)
class Meshes:
    """A collection of meshes, opened when its shapes are gathered."""

    source: str | Path
    data: str | Path | None

    def plan(self, **choices: Any) -> Experiment:
        """The experiment that some choices mean here."""
        return plan(self.source, **choices)

    def gather(
        self, experiment: Experiment, *, cache: Cache | None, jobs: int, extras: tuple[str, ...] | None,
        stream: bool | None, progress: Progress,
    ) -> Data:  # fmt: skip
        """Every shape, by way of the cache."""
        return gather(
            experiment, data=self.data, cache=cache, jobs=jobs, extras=extras, stream=stream, progress=progress
        )


@dataclass(frozen=True, eq=False)
class Nodes:
    """A graph that is no mesh, opened at once, as its features decide what is usual."""

    source: str | Path | NodeTask
    task: NodeTask

    def plan(self, **choices: Any) -> Experiment:
        """The experiment that some choices mean here."""
        return plan_nodes(self.task, self.source, **choices)

    def gather(
        self, experiment: Experiment, *, cache: Cache | None, jobs: int, extras: tuple[str, ...] | None,
        stream: bool | None, progress: Progress,
    ) -> NodeData:  # fmt: skip
        """The graph with its eigenbasis."""
        if stream:
            raise InputError(f"{experiment.source}: is one graph, which is not streamed; leave out `stream`")
        return gather_nodes(experiment, self.task, progress)


def description(experiment: Experiment, gathered: Gathered) -> str:
    """What is for what and what is learned, in a sentence."""
    return gathered.describe(experiment) if isinstance(gathered, NodeData) else describe(experiment, gathered)


def subject_of(
    source: str | Path | NodeTask, data: str | Path | None, component: str | None = None, splits: str | None = None
) -> Subject:
    """What a source holds; `component` and `splits` are choices about graphs."""
    if not is_node_source(source):
        return Meshes(source, data)  # type: ignore[arg-type]  # a task is a node source
    return Nodes(source, open_node_task(source, data=data, component=component, splits=splits))
