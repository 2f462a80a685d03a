"""The paper's table of meshes: one shape, other people, other animals; as the paper has it, and as meshtide does."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from meshtide.errors import InputError
from meshtide.paper.bench import Bench
from meshtide.paper.printed import sections
from meshtide.paper.table import Cell, Found, Report
from meshtide.spectral.cache import Cache
from meshtide.training.run import Watch
from meshtide.training.train import train

RUNS = 3
SETTINGS: Mapping[str, Mapping[str, Any]] = {
    "single": {"setting": "single"},
    "multi": {"setting": "multi"},
    "mixed": {"setting": "mixed", "test_source": "shrec07-fourleg", "vocabulary": "limbs"},
}
# What the paper's text says of its meshes: five heat kernel signatures and the operator of graphs, no coordinates.
PAPERS: Mapping[str, Any] = {"operator": "graph", "features": "hks5"}
NETWORKS = ("tide-m", "tide-s", "gcn", "grand")


@dataclass(frozen=True)
class Way:
    """A way to train in a setting, and the row that the paper has for it."""

    label: str
    network: str
    choices: Mapping[str, Any]


WAYS = (
    *(Way(f"{network}, 5 HKS, graph operator", network, PAPERS) for network in NETWORKS),
    *(Way(f"{network}, meshtide's usual", network, {}) for network in NETWORKS),
)


def meshes(bench: Bench) -> Report:
    """Table 3."""
    section = sections()["meshes"]
    cells: list[Cell] = []
    notes: dict[str, None] = {}
    ways = [way for way in WAYS if not bench.networks or way.network in bench.networks]
    for setting in bench.chosen(tuple(SETTINGS)):
        for way in ways[:1] if bench.fast else ways:
            printed = section.figure(way.network, setting)
            count = 1 if bench.fast else bench.runs or RUNS
            try:
                found = [_accuracy(bench, setting, way, seed) for seed in range(count)]
            except InputError as error:
                notes[f"{setting}: {error}"] = None
                cells.append(Cell(setting, way.label, printed, note="no data"))
                continue
            cells.append(Cell(setting, way.label, printed, Found.of([100 * each for each in found])))
    return Report("meshes", section.title, section.where, tuple(cells), notes=tuple(notes), judged=not bench.fast)


def _accuracy(bench: Bench, setting: str, way: Way, seed: int) -> float:
    """The vertex accuracy of one training, run now if it was not before."""
    choices = {**SETTINGS[setting], **way.choices, "network": way.network, "seed": seed}
    if bench.fast:
        choices["epochs"] = 3 if setting == "single" else 1
    key = json.dumps({"meshes": "faust", **choices}, sort_keys=True)
    known = bench.records.find(key)
    if known is not None:
        return float(known["vertex_accuracy"])
    seconds: list[float] = []
    model = train(
        "faust", data=bench.graphs.data, cache=Cache(), watch=Watch(done=lambda run: seconds.append(run.seconds)),
        **choices,
    )  # fmt: skip
    accuracy = float(model.about.scores["test"]["vertex_accuracy"])
    bench.records.add(key, {"vertex_accuracy": accuracy, "seconds": sum(seconds)})
    bench.told(f"{setting}, {way.label}, seed {seed}: {accuracy:.2%} ({sum(seconds):.0f} s)")
    return accuracy
