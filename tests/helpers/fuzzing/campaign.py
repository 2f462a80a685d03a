"""Many damaged files, one after another: which ones, what became of them, and the smallest that show each find."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random

from fuzzing.bases import bases
from fuzzing.handlers import HANDLERS
from fuzzing.mutations import mutated
from fuzzing.server import Case, Outcome, outcomes

KINDS = tuple(HANDLERS)
WHOLE_SHARE = 0.08  # of the meshes, which are segmented by the command line as well
MOST_TRIALS = 250  # to make a find smaller


@dataclass
class Row:
    """What became of the files of one kind."""

    verdicts: Counter[str] = field(default_factory=Counter)
    slowest: float = 0.0
    largest: float = 0.0

    def add(self, outcome: Outcome) -> None:
        self.verdicts[outcome.verdict] += 1
        self.slowest = max(self.slowest, outcome.seconds)
        self.largest = max(self.largest, outcome.megabytes)


@dataclass
class Tally:
    """What became of all of them, by kind, and the first case of every find."""

    rows: dict[str, Row] = field(default_factory=dict)
    finds: dict[tuple[str, str], tuple[Case, Outcome]] = field(default_factory=dict)

    def add(self, case: Case, outcome: Outcome) -> None:
        self.rows.setdefault("whole" if case.whole else case.kind, Row()).add(outcome)
        if outcome.verdict == "broke":
            self.finds.setdefault(outcome.signature, (case, outcome))


def make_case(seed: int, number: int, kinds: Sequence[str] = KINDS) -> Case:
    """The file of a number; the same seed and number make the same file on every machine."""
    random = Random(f"{seed}/{number}")
    kind = kinds[number % len(kinds)]
    pool = bases()[kind]
    data = mutated(kind, random.choice(pool), pool, random)
    return Case(f"{seed}-{number}", kind, data, kind.startswith("mesh") and random.random() < WHOLE_SHARE)


def run(seed: int, numbers: Sequence[int], kinds: Sequence[str] = KINDS) -> Iterator[tuple[Case, Outcome]]:
    """Handle the files of these numbers."""
    for start in range(0, len(numbers), 400):
        cases = [make_case(seed, number, kinds) for number in numbers[start : start + 400]]
        yield from zip(cases, outcomes(cases), strict=True)


def smaller(case: Case, outcome: Outcome) -> Case:
    """The smallest file found that breaks in the same way."""
    trials = 0
    block = len(case.data) // 2
    while block and trials < MOST_TRIALS:
        candidates = [
            replace(case, data=case.data[:at] + case.data[at + block :]) for at in range(0, len(case.data), block)
        ][: MOST_TRIALS - trials]
        trials += len(candidates)
        found = next(
            (one for one, what in zip(candidates, outcomes(candidates), strict=True) if same(what, outcome)), None
        )
        if found is None:
            block //= 2
        else:
            case, block = found, min(block, len(found.data) // 2)
    return case


def same(one: Outcome, other: Outcome) -> bool:
    """Whether two outcomes are the same find."""
    return one.verdict == other.verdict and one.signature == other.signature


def keep(case: Case, outcome: Outcome, folder: Path) -> Path:
    """Write a find into a folder, under a name that says what it is."""
    folder.mkdir(parents=True, exist_ok=True)
    stem, dot, suffix = case.kind.rpartition(".")
    path = folder / f"{stem}-{case.name}{'-whole' if case.whole else ''}{dot}{suffix}"
    path.write_bytes(case.data)
    path.with_name(f"{path.name}.said").write_text(f"{outcome.where}\n{outcome.sentence}\n", errors="replace")
    return path
