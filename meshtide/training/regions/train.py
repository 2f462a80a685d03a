"""The model for regions, from nothing but generated shapes: one call makes what ships."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path

from meshtide.inference.regions.model import RegionAbout, RegionModel
from meshtide.training.regions.embedding import EmbeddingSchedule, Step, train_embedding
from meshtide.training.regions.examples import load_example
from meshtide.training.regions.pairs import PairSchedule, gather_pairs, train_judge
from meshtide.training.regions.training_set import load_training_set, make_training_set, recipes


@dataclass(frozen=True)
class RegionSchedule:
    """How to make a model for regions; the defaults made the one that ships."""

    seeds: int = 12  # shapes of every kind
    without: tuple[str, ...] = ()  # kinds left out, as "objects.chair": to see how it does on what it never saw
    embedding: EmbeddingSchedule = field(default_factory=EmbeddingSchedule)
    pairs: PairSchedule = field(default_factory=PairSchedule)
    # Chosen on people's divisions of four categories of the Princeton benchmark; all else on generated shapes.
    bias: float = 0.0
    slope: float = 1.0


@dataclass(frozen=True)
class Progress:
    """What is being done, and how far it is."""

    stage: str  # "shapes", "embedding", "patches" or "pairs"
    done: int
    total: int
    loss: float | None = None


def train_regions(
    folder: str | Path, schedule: RegionSchedule | None = None, *, jobs: int = 1,
    report: Callable[[Progress], None] | None = None,
) -> RegionModel:  # fmt: skip
    """Make the shapes, train the embedding on three quarters of them and the judge of pairs on the rest.

    Prepared shapes are kept in the folder, some three megabytes each, and used again. The same schedule gives the same
    model on the same machine.
    """
    schedule = schedule or RegionSchedule()
    tell = report or _silent
    wanted = list(recipes(schedule.seeds, without=schedule.without))
    paths = make_training_set(wanted, Path(folder), jobs=jobs, report=lambda d, t: tell(Progress("shapes", d, t)))
    examples, of_pairs = load_training_set(paths)
    about = RegionAbout(bias=schedule.bias, slope=schedule.slope, trained_on=asdict(schedule) | {"shapes": len(paths)})
    network = train_embedding(examples, schedule.embedding, _as_progress("embedding", tell))
    del examples
    judged = []
    for number, path in enumerate(of_pairs, start=1):
        judged.append(gather_pairs(load_example(path), network))
        tell(Progress("patches", number, len(of_pairs)))
    judge = train_judge(judged, schedule.pairs, _as_progress("pairs", tell))
    return RegionModel(network, judge, about)


def _as_progress(stage: str, tell: Callable[[Progress], None]) -> Callable[[Step], None]:
    return lambda step: tell(Progress(stage, step.step, step.steps, step.loss))


def _silent(_: Progress) -> None:
    pass
