"""Several networks trained on the same shapes and scored on the same others, as a table that survives interruption."""

from __future__ import annotations

import hashlib
import json
import statistics
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from meshtide.errors import InputError
from meshtide.networks.registry import NETWORKS, build_network
from meshtide.training.experiment import Experiment, usual_options
from meshtide.training.scores import FIGURES, summarise
from meshtide.words import known

MOST_BYTES = 2**24  # of a comparison's file, far beyond use


@dataclass(frozen=True)
class Result:
    """What one network with one seed gave; figures are fractions."""

    network: str
    seed: int
    parameters: int
    seconds: float
    validation_accuracy: float | None
    vertex_accuracy: float
    face_accuracy: float
    area_accuracy: float
    mean_iou: float


@dataclass(frozen=True)
class Row:
    """A network's results over all its seeds."""

    network: str
    parameters: int
    seeds: tuple[int, ...]
    seconds: float  # of a run, the mean
    validation_accuracy: float | None
    figures: dict[str, dict[str, float]]  # as `summarise` gives them


@dataclass
class Comparison:
    """Results as they come in, of one experiment but for its network; its seed is the first one."""

    experiment: Experiment
    results: list[Result] = field(default_factory=list)

    def has(self, network: str, seed: int) -> bool:
        """Whether this network was run with this seed."""
        return any((result.network, result.seed) == (network, seed) for result in self.results)

    def rows(self, networks: Iterable[str]) -> list[Row]:
        """A row for every network that has results, in the order given."""
        found = ((name, [result for result in self.results if result.network == name]) for name in networks)
        return [_row(name, results) for name, results in found if results]

    def digest(self) -> str:
        """What tells this comparison from one on other shapes or with other settings."""
        common = replace(self.experiment, network="", options={})
        return hashlib.blake2b(repr(common).encode(), digest_size=16).hexdigest()

    def to_json(self, networks: Iterable[str]) -> dict[str, Any]:
        """The whole comparison in what JSON can hold."""
        return {
            "source": self.experiment.source,
            "setting": self.experiment.setting,
            "digest": self.digest(),
            "tested_on": self.experiment.test_source or self.experiment.source,
            "operator": self.experiment.recipe.operator,
            "networks": [asdict(row) for row in self.rows(networks)],
            "runs": [asdict(result) for result in self.results],
        }

    def take_up(self, path: Path) -> None:
        """Begin with the results in a file that an earlier comparison wrote; one with other settings is refused."""
        try:
            if path.stat().st_size > MOST_BYTES:
                raise InputError(f"{path}: is too large for a comparison's report; give the file that --json wrote")
            content = json.loads(path.read_text(encoding="utf-8"))
            digest, results = content["digest"], [_result(entry) for entry in content["runs"]]
        except FileNotFoundError:
            return
        except (OSError, ValueError, TypeError, KeyError, RecursionError) as error:
            raise InputError(f"{path}: is no report of a comparison; remove it or compare without --resume") from error
        if digest != self.digest():
            raise InputError(f"{path}: belongs to a comparison with other arguments; use those, or remove the file")
        self.results = results


def chosen_networks(words: str | None, operator: str) -> tuple[str, ...]:
    """The networks that a list with commas names; without one all that work with the operator."""
    if words is None:
        return tuple(name for name in NETWORKS if name != "diffusionnet" or operator == "surface")
    names = tuple(dict.fromkeys(word.strip() for word in words.split(",") if word.strip()))
    if not names:
        raise InputError(f"--networks {words!r} names none; there are {', '.join(NETWORKS)}")
    for name in names:
        known(name, NETWORKS, "network")
    return names


def with_network(experiment: Experiment, network: str) -> Experiment:
    """The same experiment for another network, with the options that this one usually has.

    The network is built once to see that it can be: nobody wants to hear of a missing package after hours.
    """
    operator = experiment.recipe.operator
    options = usual_options(network, operator, experiment.setting, experiment.augmentation is not None)
    build_network(network, 1, 1, operator=operator, **options)
    return replace(experiment, network=network, options=options)


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


def _result(entry: Any) -> Result:
    """A result from JSON; what is none raises ValueError, TypeError or KeyError."""
    numbers = {name: entry[name] for name in ("seconds", *FIGURES)}
    checked = entry["validation_accuracy"]
    if not all(isinstance(value, float | int) for value in numbers.values()):
        raise TypeError("a figure is no number")
    return Result(
        known(str(entry["network"]), NETWORKS, "network"),
        int(entry["seed"]),
        int(entry["parameters"]),
        validation_accuracy=None if checked is None else float(checked),
        **numbers,
    )
