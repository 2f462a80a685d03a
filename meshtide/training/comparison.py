"""Several networks trained on the same shapes and scored on the same others, as a table that survives interruption."""

from __future__ import annotations

import hashlib
import json
import statistics
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Unpack

from meshtide.data.nodes.task import NodeTask
from meshtide.errors import InputError
from meshtide.files import read_regular, write_atomically
from meshtide.networks.device import choose_device
from meshtide.networks.registry import needs, network_record, networks_for, parameter_count, reads_arrows
from meshtide.spectral.cache import Cache
from meshtide.spectral.recipe import ARROWS, GraphRecipe
from meshtide.training.experiment import Choices, Experiment, with_seed
from meshtide.training.nodes.data import NodeData
from meshtide.training.nodes.scores import NODE_METRICS
from meshtide.training.run import SILENT, Lessons, Run, Watch, check_network, make_lessons, run_once
from meshtide.training.scores import METRICS, summarise
from meshtide.training.subject import Gathered, subject_of

MOST_BYTES = 2**24  # of a comparison's file, far beyond use


@dataclass(frozen=True)
class Result:
    """What one network with one seed gave; metrics are fractions."""

    network: str
    seed: int
    parameters: int
    seconds: float
    validation_accuracy: float | None
    metrics: dict[str, float]  # of a `Score` or a `NodeScore`

    def to_json(self) -> dict[str, Any]:
        """Everything on one level, in what JSON can hold."""
        content: dict[str, Any] = asdict(self)
        metrics: dict[str, Any] = content.pop("metrics")
        return content | metrics


@dataclass(frozen=True)
class Row:
    """A network's results over all its seeds."""

    network: str
    parameters: int
    seeds: tuple[int, ...]
    seconds: float  # of a run, the mean
    validation_accuracy: float | None
    metrics: dict[str, dict[str, float]]  # as `summarise` gives them

    @property
    def main(self) -> dict[str, float]:
        """Mean and deviation of the metric that counts most."""
        return next(iter(self.metrics.values()))


@dataclass(repr=False)
class Comparison:
    """Results as they come in, of one experiment but for its network; its seed is the first one.

    >>> from meshtide.training.experiment import plan
    >>> Comparison(plan("figures"), ("tide-m", "gcn"))
    Comparison(figures: no results yet)
    """

    experiment: Experiment  # with the usual network, whichever are compared
    networks: tuple[str, ...]
    results: list[Result] = field(default_factory=list)

    def __repr__(self) -> str:
        means = [f"{row.network} {row.main['mean']:.2%}" for row in self.rows()]
        return f"Comparison({self.experiment.source}: {', '.join(means) or 'no results yet'})"

    def has(self, network: str, seed: int) -> bool:
        """Whether this network was run with this seed."""
        return any((result.network, result.seed) == (network, seed) for result in self.results)

    def rows(self) -> list[Row]:
        """A row for every network that has results, in the order of the comparison."""
        found = ((name, [result for result in self.results if result.network == name]) for name in self.networks)
        return [_row(name, results) for name, results in found if results]

    def digest(self) -> str:
        """What tells this comparison from one on other shapes or with other choices."""
        common = replace(self.experiment, network="", options={})
        return hashlib.blake2b(repr(common).encode(), digest_size=16).hexdigest()

    def to_json(self) -> dict[str, Any]:
        """The whole comparison in what JSON can hold."""
        return {
            "source": self.experiment.source,
            "setting": self.experiment.setting,
            "digest": self.digest(),
            "tested_on": self.experiment.test_source or self.experiment.source,
            "operator": self.experiment.recipe.operator,
            "networks": [asdict(row) for row in self.rows()],
            "runs": [result.to_json() for result in self.results],
        }

    def save(self, path: str | Path) -> None:
        """Write the comparison as JSON, whole or not at all."""
        write_atomically(
            Path(path),
            (json.dumps(self.to_json(), indent=2, ensure_ascii=False) + "\n").encode("utf-8", "backslashreplace"),
        )

    def take_up(self, path: str | Path) -> None:
        """Begin with the results in a file that an earlier comparison wrote; one with other choices is refused."""
        path = Path(path)
        try:
            if not path.exists():
                return
            content = json.loads(read_regular(path, MOST_BYTES).decode())
            digest, results = content["digest"], [_read_result(entry) for entry in content["runs"]]
        except (OSError, OverflowError, ValueError, TypeError, KeyError, RecursionError) as error:
            raise InputError(f"{path}: is not the report of a comparison; remove it, or leave out `resume`") from error
        if digest != self.digest():
            raise InputError(f"{path}: belongs to a comparison with other arguments; use those, or remove the file")
        self.results = results


def compare(
    source: str | Path | NodeTask,
    *,
    networks: Sequence[str] | None = None,
    seeds: int = 3,
    report: str | Path | None = None,
    resume: bool = False,
    device: str = "auto",
    jobs: int = 1,
    data: str | Path | None = None,
    cache: Cache | None = None,
    watch: Watch = SILENT,
    **choices: Unpack[Choices],
) -> Comparison:
    """Train several networks on the same shapes and score them on the same test shapes.

    `networks` are names, or None for all that work with the operator. Shapes, features, relatives and steps are the
    same for all of them and chosen as for `train`; width, depth and dropout are each network's own. The `report` is
    written anew after every run, and `resume=True` does the runs that it lacks.

    >>> import tempfile
    >>> import meshtide as mt
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     mesh, labels = mt.make_figure("hand", 1)
    ...     mt.save_mesh(mesh, f"{folder}/hand.ply")
    ...     mt.write_labels(labels, f"{folder}/hand.txt", mesh)
    ...     comparison = mt.compare(
    ...         folder, setting="single", networks=["tide-m", "gcn"], seeds=1, epochs=1, eigenpairs=16
    ...     )
    >>> [(row.network, row.parameters) for row in comparison.rows()]
    [('tide-m', 116682), ('gcn', 1218)]
    """
    for word in ("network", "options", "start"):
        if word in choices:
            raise InputError(f"`{word}` is for one network; compare takes `networks`, each as it usually is")
    subject = subject_of(source, data, choices.get("component"), choices.get("splits"))
    common = subject.plan(**choices)
    names = _chosen(networks, common.recipe.operator)
    if choices.get("features") is None and not all(map(reads_arrows, names)):  # all should read the same
        choices["features"] = _without_arrows(common)
        common = subject.plan(**choices)
    experiments = [subject.plan(**choices, network=name) for name in names]
    for each in experiments:
        check_network(each)
    comparison = Comparison(common, names)
    if resume:
        if report is None:
            raise InputError("`resume` goes on with the report of an earlier comparison: name it with `report`")
        comparison.take_up(report)
    place = choose_device(device)
    extras = tuple(sorted({extra for each in experiments for extra in needs(each.network, each.options)}))
    loaded = subject.gather(common, cache=cache, jobs=jobs, extras=extras, stream=None, progress=watch.progress)
    if not (common.on_one_graph or isinstance(loaded, NodeData) or loaded.test):
        raise InputError(
            f"{common.source}: has no test shapes to compare networks on; name other shapes with `test_source`"
        )
    if isinstance(loaded, NodeData) and not loaded.examples(common)[2]:
        raise InputError(f"{common.source}: no node to test on has a class; choose other `splits`")
    watch.loaded(common, loaded)
    try:
        for number in range(common.schedule.seed, common.schedule.seed + seeds):
            _run_all(comparison, [with_seed(each, number) for each in experiments], loaded, place, jobs, report, watch)
    except KeyboardInterrupt:  # what was under way is lost, what was done is not
        if watch.interrupted is None:
            raise
        watch.interrupted()
    return comparison


def _without_arrows(experiment: Experiment) -> tuple[str, ...] | None:
    """What every network can read of the usual features; None where they have no arrows."""
    features = experiment.recipe.features
    if not isinstance(experiment.recipe, GraphRecipe) or ARROWS not in features:
        return None
    return tuple(word for word in features if word != ARROWS)


def _run_all(
    comparison: Comparison,
    experiments: Sequence[Experiment],
    data: Gathered,
    device: str,
    jobs: int,
    report: str | Path | None,
    watch: Watch,
) -> None:
    """Run the experiments of one seed, which share their relatives, and write the report after each."""
    made: dict[bool, Lessons] = {}
    for experiment in experiments:
        if comparison.has(experiment.network, experiment.schedule.seed):
            continue
        samples = network_record(experiment.network).samples
        if not (experiment.on_one_graph or isinstance(data, NodeData) or samples in made):
            made[samples] = make_lessons(experiment, data, jobs=jobs, progress=watch.progress)
        run = run_once(
            experiment,
            data,
            device=device,
            jobs=jobs,
            lessons=made.get(samples),
            watch=replace(watch, interrupted=None),
        )
        comparison.results.append(_result(experiment, run))
        watch.done(run)
        if report is not None:
            comparison.save(report)


def _chosen(networks: Sequence[str] | None, operator: str) -> tuple[str, ...]:
    """The networks that are named, each once; without names all that work with the operator."""
    if networks is None:
        return networks_for(operator)
    names = tuple(dict.fromkeys((networks,) if isinstance(networks, str) else networks))
    if not names:
        raise InputError(f"`networks` names none; there are {', '.join(networks_for(operator))}")
    for name in names:
        network_record(name)
    return names


def _result(experiment: Experiment, run: Run) -> Result:
    if run.score is None:
        raise InputError(f"{experiment.source}: no test shape has labels to score against")
    return Result(
        experiment.network,
        run.seed,
        parameter_count(run.model.network),
        run.seconds,
        run.validation_accuracy,
        run.score.metrics,
    )


def _row(network: str, results: list[Result]) -> Row:
    checked = [result.validation_accuracy for result in results if result.validation_accuracy is not None]
    return Row(
        network,
        results[0].parameters,
        tuple(result.seed for result in results),
        statistics.fmean(result.seconds for result in results),
        statistics.fmean(checked) if checked else None,
        summarise(results),
    )


def _read_result(entry: Any) -> Result:
    """A result from JSON; anything else raises ValueError, TypeError or KeyError."""
    names = NODE_METRICS if NODE_METRICS[0] in entry else METRICS
    numbers = {name: entry[name] for name in ("seconds", *names)}
    checked = entry["validation_accuracy"]
    if not all(isinstance(value, float | int) for value in numbers.values()):
        raise TypeError("a metric is not a number")
    return Result(
        network_record(str(entry["network"])).name,
        int(entry["seed"]),
        int(entry["parameters"]),
        float(numbers.pop("seconds")),
        None if checked is None else float(checked),
        numbers,
    )
