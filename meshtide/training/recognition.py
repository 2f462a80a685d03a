"""Train the recogniser of kinds: generated shapes whose parts have names among everything else that is generated."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from meshtide.arrays import FloatArray
from meshtide.inference.kind_network import KindNet
from meshtide.inference.known_kinds import KIND_OF, KNOWN_KINDS
from meshtide.inference.model import DEFAULT
from meshtide.inference.recognise import Recogniser, kind_sizes, pooled
from meshtide.inference.recorded import Recorded
from meshtide.inference.regions.embedding import Places, RegionNet
from meshtide.inference.regions.inputs import Inputs
from meshtide.inference.regions.model import RegionModel
from meshtide.inference.weights import state_of
from meshtide.training.regions.examples import load_example
from meshtide.training.regions.train import Progress
from meshtide.training.regions.training_set import Recipe, make_training_set, recipes

# Seen in training no oftener than what has no names, though their parts have a kind's: toys, and animals upright.
SELDOM = ("creatures.teddy", "creatures.cartoon", "creatures.critter")
OFTEN = {sort: kind for sort, kind in KIND_OF.items() if KNOWN_KINDS[kind].model == DEFAULT and sort not in SELDOM}


@dataclass(frozen=True)
class RecognitionSchedule:
    """How to train a recogniser; the defaults made the one that ships."""

    seeds: int = 12  # shapes of every sort
    named_seeds: int = 60  # and so many more of each that is named
    steps: int = 6000
    batch: int = 6  # shapes in a step
    sample: int = 350  # faces of each
    kept: int = 2500  # faces of a shape that are kept in memory
    learning_rate: float = 3e-3  # of the head; the rest, which begins with the network for regions, has a third of it
    weight_decay: float = 0.02
    average: float = 0.995
    without_thickness: float = 0.08  # share of shapes that are seen as open sheets
    unnamed: float = 0.5  # share of shapes without names in a step
    seed: int = 0


def train_kinds(
    folder: str | Path,
    regions: RegionModel,
    schedule: RecognitionSchedule | None = None,
    *,
    jobs: int = 1,
    report: Callable[[Progress], None] = lambda _: None,
) -> Recogniser:
    """Make the shapes, which are kept in the folder, and train a recogniser that begins with a model for regions."""
    schedule = schedule or RecognitionSchedule()
    wanted = [*recipes(schedule.seeds), *_more_named(schedule)]
    paths = make_training_set(wanted, Path(folder), jobs=jobs, report=lambda d, t: report(Progress("shapes", d, t)))
    random = np.random.default_rng(schedule.seed)
    examples = [(example.kind, _kept(example.inputs, schedule, random)) for example in map(load_example, paths)]
    return train_recogniser(examples, regions.network, schedule, report)


def train_recogniser(
    examples: Sequence[tuple[str, Inputs]],
    begin: RegionNet | Recorded,
    schedule: RecognitionSchedule,
    report: Callable[[Progress], None] = lambda _: None,
) -> Recogniser:
    """Train on shapes with the sorts they are of, as "bodies.ant"; the averaged weights are kept."""
    torch.manual_seed(schedule.seed)
    random = np.random.default_rng(schedule.seed)
    sorts = tuple(sorted({sort for sort, _ in examples}))
    network = _begun_with(begin, len(sorts))
    averaged = torch.optim.swa_utils.AveragedModel(
        network,
        multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(schedule.average),  # type: ignore[no-untyped-call]  # untyped in torch
    )
    optimiser, pace = _optimiser(network, schedule)
    chances = _chances([sort for sort, _ in examples], schedule.unnamed)
    network.train()
    for step in range(1, schedule.steps + 1):
        drawn = [examples[number] for number in random.choice(len(examples), schedule.batch, p=chances)]
        losses = [_loss(network, inputs, sorts.index(sort), schedule, random) for sort, inputs in drawn]
        loss = torch.stack(losses).mean()
        optimiser.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]  # torch has no types here
        nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimiser.step()
        pace.step()
        averaged.update_parameters(network)
        if step % 100 == 0 or step == schedule.steps:
            report(Progress("kinds", step, schedule.steps, float(loss.detach())))
    network.load_state_dict(averaged.module.state_dict())
    return Recogniser(network.eval(), sorts)


def _begun_with(begin: RegionNet | Recorded, sorts: int) -> KindNet:
    """A network whose layers, all but the last ones, are those of a network for regions."""
    network = KindNet(sorts, *kind_sizes(begin))
    own = network.state_dict()
    own.update({name: value for name, value in state_of(begin).items() if name in own})
    network.load_state_dict(own)
    return network


def _optimiser(
    network: KindNet, schedule: RecognitionSchedule
) -> tuple[torch.optim.Optimizer, torch.optim.lr_scheduler.OneCycleLR]:
    head = set(network.head.parameters())
    rates = [schedule.learning_rate / 3, schedule.learning_rate]
    groups = [[each for each in network.parameters() if each not in head], list(head)]
    optimiser = torch.optim.AdamW(
        [{"params": group, "lr": rate} for group, rate in zip(groups, rates, strict=True)],
        weight_decay=schedule.weight_decay,
    )
    return optimiser, torch.optim.lr_scheduler.OneCycleLR(optimiser, rates, schedule.steps + 1, pct_start=0.1)


def _loss(
    network: KindNet, inputs: Inputs, sort: int, schedule: RecognitionSchedule, random: np.random.Generator
) -> Tensor:
    """How wrong single faces are, and how wrong their vote is."""
    size = schedule.sample
    areas = inputs.areas.astype(np.float64)
    rows = random.choice(len(areas), size, p=areas / areas.sum())
    numbers = torch.from_numpy(inputs.numbers[rows].astype(np.float32))
    if random.random() < schedule.without_thickness:
        numbers[:, -4:-1] = 0.0  # as below an open sheet
    weights = torch.full((size,), 1 / size)
    places = Places(
        torch.from_numpy(inputs.rates),
        torch.from_numpy(inputs.vectors[rows].astype(np.float32)),
        weights,
        numbers,
        torch.from_numpy(inputs.arrows[rows].astype(np.float32)),
    )
    scores = network(places)
    logs = torch.log_softmax(scores, dim=1)
    single = nn.functional.cross_entropy(scores, torch.full((size,), sort), label_smoothing=0.05)
    vote = nn.functional.cross_entropy(pooled(logs, weights)[None], torch.tensor([sort]), label_smoothing=0.05)
    return single + vote / 2


def _kept(inputs: Inputs, schedule: RecognitionSchedule, random: np.random.Generator) -> Inputs:
    """Some of a shape's faces, drawn by area and then counted alike, in half precision: thousands must fit."""
    areas = inputs.areas.astype(np.float64)
    rows = random.choice(len(areas), schedule.kept, p=areas / areas.sum())
    half = np.float16
    return Inputs(
        inputs.rates,
        inputs.vectors[rows].astype(half),
        np.full(schedule.kept, 1 / schedule.kept, dtype=np.float32),
        inputs.numbers[rows].astype(half),
        inputs.arrows[rows].astype(half),
    )


def _more_named(schedule: RecognitionSchedule) -> list[Recipe]:
    """Further shapes of the sorts that are named, so that they are known in all their variety."""
    first = 100  # beyond the seeds that all sorts have
    places = [sort.split(".", 1) for sort in OFTEN]
    return [
        Recipe(source, kind, seed) for seed in range(first, first + schedule.named_seeds) for source, kind in places
    ]


def _chances(sorts: Sequence[str], unnamed: float) -> FloatArray:
    """How often each shape is drawn: every named kind alike, and all that is unnamed together as often as asked."""
    kinds = [OFTEN.get(sort, "") for sort in sorts]
    names = sorted(set(kinds) - {""})
    shares = {name: (1 - unnamed) / len(names) for name in names} | {"": unnamed}
    chances = np.array([shares[kind] / kinds.count(kind) for kind in kinds])
    return np.asarray(chances / chances.sum())
