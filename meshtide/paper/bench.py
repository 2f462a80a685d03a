"""Runs trials, or takes what was run before, and sums up a method's runs on a graph."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from meshtide.errors import InputError
from meshtide.paper.printed import Section
from meshtide.paper.records import Records
from meshtide.paper.table import Cell, Found
from meshtide.paper.trial import TIDE, Graphs, Outcome, Trial, run_trial

# Runs of a table's cell: many on graphs that take seconds.
USUAL_RUNS = {"cora": 10, "citeseer": 10, "photo": 10, "cornell": 10, "texas": 10, "wisconsin": 10}
OTHER_RUNS = 3
CHOICE_RUNS = 2  # of every number of blocks, by whose validation one is chosen
FAST_EPOCHS = 15


@dataclass(frozen=True)
class Method:
    """A row of a table: a network as that table has it."""

    row: str  # its name in the paper's figures
    label: str  # its name for people
    network: str
    options: Mapping[str, Any] = field(default_factory=dict)
    training: Mapping[str, Any] = field(default_factory=dict)
    blocks: tuple[int, ...] = ()  # validation chooses among these

    def trial(self, graph: str, blocks: int | None, **more: Any) -> Trial:
        """A trial of this method with so many blocks."""
        options = dict(self.options) | ({} if blocks is None else {"blocks": blocks})
        return Trial(graph, self.network, tuple(sorted(options.items())), tuple(sorted(self.training.items())), **more)


def tide(times: str, *, blocks: tuple[int, ...] = (1,), row: str = "", label: str = "", **options: Any) -> Method:
    """TIDE as in the paper: "m" has a time for every channel, "s" one for all."""
    name = f"tide-{times}"
    return Method(row or name, label or f"TIDE-{times}", name, dict(TIDE) | options, blocks=blocks)


# As in its own paper features are dropped too: validation on Cora and Citeseer is 0.8 points better for it.
GCN = Method("gcn", "GCN", "gcn", {"blocks": 2, "feature_dropout": 0.5})
GAT = Method("gat", "GAT", "gat", {"blocks": 2})
GRAND = Method("grand", "GRAND", "grand", {"blocks": 1})
GCNII = Method("gcnii", "GCNII", "gcnii", {"blocks": 8})
# So does the code of ACM: with it and that code's first weights validation on Cora is 80 instead of 72, for every seed.
ACM = Method("acm", "ACM", "acm", {"blocks": 2, "feature_dropout": 0.5})
# As the paper says of its own: TIDE's block with plain heat in place of its derivative.
DIFFUSIONNET = Method("diffusionnet", "DiffusionNet", "diffusionnet", {"blocks": 1, "gradients": False, "mlp": False})
DECAYING_GCN = Method(
    "",
    "GCN, Adam, weight decay 5e-4",
    "gcn",
    {"blocks": 2, "feature_dropout": 0.5},
    {"optimiser": "adam", "weight_decay": 5e-4},
)


@dataclass(frozen=True, eq=False)
class Bench:
    """Where and how the experiments run."""

    graphs: Graphs
    records: Records
    output: Path  # the folder of figures
    runs: int | None = None  # of every cell; None as usual
    only: tuple[str, ...] = ()  # the graphs to look at; empty is all
    networks: tuple[str, ...] = ()  # the networks to run; empty is all
    fast: bool = False  # a look at everything, at sizes that give no figures to speak of
    told: Callable[[str], None] = lambda sentence: None

    def chosen(self, graphs: Sequence[str]) -> tuple[str, ...]:
        """Those of a table's graphs that are wanted; of a fast run the first alone."""
        found = tuple(name for name in graphs if not self.only or name in self.only)
        return found[:1] if self.fast else found

    def methods_of(self, methods: Sequence[Method]) -> list[Method]:
        """Those of a table's methods that are wanted; of a fast run the first two."""
        found = [method for method in methods if not self.networks or method.network in self.networks]
        return found[:2] if self.fast else found

    def outcome(self, trial: Trial) -> Outcome:
        """What a trial gives, run now if it was not before."""
        trial = replace(trial, epochs=FAST_EPOCHS) if self.fast else trial
        known = self.records.outcome(trial)
        if known is not None:
            return known
        outcome = run_trial(trial, self.graphs)
        self.records.add_outcome(trial, outcome)
        self.told(
            f"{trial.graph}, {trial.network} {_shown(trial)}, seed {trial.seed}: validation {outcome.validation:.2%}, "
            f"test {outcome.test:.2%} ({outcome.seconds:.0f} s)"
        )
        return outcome

    def outcomes(self, method: Method, graph: str, **more: Any) -> tuple[list[Outcome], int | None]:
        """The runs of a method on a graph, with as many blocks as did best on validation; and how many these are."""
        count = 1 if self.fast else self.runs or USUAL_RUNS.get(graph, OTHER_RUNS)
        blocks = self._best_blocks(method, graph, min(count, CHOICE_RUNS), more)
        return [self.outcome(method.trial(graph, blocks, seed=seed, **more)) for seed in range(count)], blocks

    def cell(self, section: Section, method: Method, graph: str, **more: Any) -> Cell:
        """A method's figure on a graph beside the paper's, or why there is none."""
        printed = section.figure(method.row, graph)
        try:
            self.graphs.task(graph)
        except InputError as error:
            return Cell(graph, method.label, printed, note=f"data not found: {error}")
        outcomes, blocks = self.outcomes(method, graph, **more)
        note = f"{blocks} block{'s' if blocks != 1 else ''}" if len(method.blocks) > 1 else ""
        return Cell(graph, method.label, printed, Found.of([100 * each.test for each in outcomes]), note)

    def _best_blocks(self, method: Method, graph: str, runs: int, more: Mapping[str, Any]) -> int | None:
        if not method.blocks:
            return None
        if len(method.blocks) == 1 or self.fast:
            return method.blocks[0]

        def validation(blocks: int) -> float:
            trials = [method.trial(graph, blocks, seed=seed, **more) for seed in range(runs)]
            return statistics.fmean(self.outcome(trial).validation for trial in trials)

        return max(method.blocks, key=validation)


def _shown(trial: Trial) -> str:
    """What of a trial's options is worth a word."""
    usual = dict(TIDE)
    words = [f"{name} {value}" for name, value in trial.options if usual.get(name) != value]
    return ", ".join([*words, *(["zeroed"] if trial.zeroed else []), *([trial.split] if trial.split else [])])
