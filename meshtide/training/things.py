"""Train the model that names the parts of things: generated things with names among all that have none.

It begins with the recogniser, which knows what thing a face is of. First only the head learns, from what the rest says
of some faces of every shape, which takes seconds; then all of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from meshtide.arrays import FloatArray, IntArray
from meshtide.data.figures.creatures.catalogue import CREATURES
from meshtide.data.figures.objects.kinds import KINDS as OBJECTS
from meshtide.inference.kind_network import KindNet
from meshtide.inference.recognise import Recogniser, kind_sizes
from meshtide.inference.recorded import Recorded
from meshtide.inference.regions.embedding import Places
from meshtide.inference.regions.inputs import Inputs
from meshtide.inference.things import VOTERS, Namer, outputs_of
from meshtide.inference.weights import state_of
from meshtide.training.regions.examples import RegionExample, load_example
from meshtide.training.regions.train import Progress
from meshtide.training.regions.training_set import SOURCES, Recipe, make_training_set
from meshtide.training.thing_parts import THINGS, parts_of_kind

UNNAMED = -1  # of a face whose part has no name


@dataclass(frozen=True)
class ThingsSchedule:
    """How to train the model that names things; the defaults made the one that ships."""

    seeds: int = 12  # shapes of every sort with names
    other_seeds: int = 2  # of every other sort
    head_steps: int = 1500  # in which the head alone learns
    head_batch: int = 8  # shapes in such a step
    looks: int = 2  # how often other faces of a shape are drawn for the head
    steps: int = 2000  # in which all of it learns
    batch: int = 6  # shapes in a step
    sample: int = 300  # faces of each
    kept: int = 2000  # faces of a shape that are kept in memory
    learning_rate: float = 3e-3  # of the head alone; then it has half of it and the rest a third
    weight_decay: float = 0.02
    average: float = 0.995
    without_thickness: float = 0.08  # share of shapes that are seen as open sheets
    other: float = 0.3  # share of shapes without names in a step
    seed: int = 0


@dataclass(frozen=True, eq=False)
class Thing:
    """Some faces of a shape, and what each is."""

    kind: str  # "" for none
    inputs: Inputs  # areas are what each face stands for
    outputs: NDArray[np.int16]  # (N,) the network's output for each face, or UNNAMED


def train_things(
    folder: str | Path,
    recogniser: Recogniser,
    schedule: ThingsSchedule | None = None,
    *,
    jobs: int = 1,
    report: Callable[[Progress], None] = lambda _: None,
) -> Namer:
    """Make the shapes, which are kept in the folder, and train a namer that begins with a recogniser."""
    schedule = schedule or ThingsSchedule()
    paths = make_training_set(
        wanted_shapes(schedule.seeds, schedule.other_seeds),
        Path(folder),
        named=True,
        jobs=jobs,
        report=lambda done, total: report(Progress("shapes", done, total)),
    )
    random = np.random.default_rng(schedule.seed)
    kinds = {kind: parts_of_kind(kind) for kind in THINGS}
    things = [kept_faces(load_example(path), kinds, schedule.kept, random) for path in paths]
    return train_namer(things, kinds, recogniser.network, schedule, report)


def wanted_shapes(seeds: int, other_seeds: int, *, first: int = 0, variant: str = "blended") -> list[Recipe]:
    """So many shapes of every sort that has names, and so many of every other sort."""
    named = {sort for sorts in THINGS.values() for sort in sorts}
    return [
        Recipe(source, sort, first + number, variant)
        for number in range(max(seeds, other_seeds))
        for source, sorts in SOURCES.items()
        for sort in sorts
        if number < (seeds if f"{source}.{sort}" in named else other_seeds)
    ]


def outputs_at(example: RegionExample, kinds: Mapping[str, Sequence[str]]) -> tuple[str, IntArray]:
    """The kind of a shape, "" for none, and the network's output for every face, (f,)."""
    last = sum(map(len, kinds.values()))
    kind = next((kind for kind in kinds if example.kind in THINGS[kind]), "")
    if not kind:
        return "", np.full(len(example.parts), last)
    source, _, sort = example.kind.partition(".")
    words = OBJECTS[sort].parts if source == "objects" else CREATURES[sort].parts
    names = {word: name for name, members in THINGS[kind][example.kind].items() for word in members}
    first = sum(len(parts) for other, parts in list(kinds.items())[: list(kinds).index(kind)])
    table = [first + kinds[kind].index(names[word]) if word in names else UNNAMED for word in words]
    return kind, np.array(table)[example.parts]


def train_namer(
    things: Sequence[Thing],
    kinds: Mapping[str, tuple[str, ...]],
    begin: KindNet | Recorded,
    schedule: ThingsSchedule,
    report: Callable[[Progress], None] = lambda _: None,
) -> Namer:
    """Train on shapes whose faces have names; the averaged weights are kept."""
    torch.manual_seed(schedule.seed)
    random = np.random.default_rng(schedule.seed)
    network = _begun_with(begin, outputs_of(kinds))
    chances = _chances([thing.kind for thing in things], schedule.other)
    _learn_head(network, things, kinds, chances, schedule, random, report)
    averaged = torch.optim.swa_utils.AveragedModel(
        network,
        multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(schedule.average),  # type: ignore[no-untyped-call]  # untyped in torch
    )
    optimiser, pace = _optimiser(network, schedule)
    network.train()
    for step in range(1, schedule.steps + 1):
        drawn = [things[number] for number in random.choice(len(things), schedule.batch, p=chances)]
        losses = []
        for thing in drawn:
            places, wanted = _drawn(thing, schedule.sample, schedule.without_thickness, random)
            losses.append(_loss(network(places), wanted, places.weights, thing.kind, kinds))
        loss = torch.stack(losses).mean()
        optimiser.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]  # torch has no types here
        nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimiser.step()
        pace.step()
        averaged.update_parameters(network)
        if step % 100 == 0 or step == schedule.steps:
            report(Progress("things", step, schedule.steps, float(loss.detach())))
    network.load_state_dict(averaged.module.state_dict())
    return Namer(network.eval(), kinds)


def _learn_head(
    network: KindNet,
    things: Sequence[Thing],
    kinds: Mapping[str, tuple[str, ...]],
    chances: FloatArray,
    schedule: ThingsSchedule,
    random: np.random.Generator,
    report: Callable[[Progress], None],
) -> None:
    """Train the head on what the rest of the network, which stays as it is, says of some faces of every shape."""
    network.eval()
    seen = []
    for number, thing in enumerate(things, start=1):
        for _ in range(schedule.looks):
            places, wanted = _drawn(thing, 2 * schedule.sample, schedule.without_thickness, random)
            with torch.no_grad():
                seen.append((network.features(places), wanted, places.weights))
        if number % 25 == 0 or number == len(things):
            report(Progress("features", number, len(things)))
    network.head.train()
    optimiser = torch.optim.AdamW(network.head.parameters(), schedule.learning_rate, weight_decay=schedule.weight_decay)
    pace = torch.optim.lr_scheduler.OneCycleLR(
        optimiser, schedule.learning_rate, schedule.head_steps + 1, pct_start=0.1
    )
    for step in range(1, schedule.head_steps + 1):
        losses = []
        for number in random.choice(len(things), schedule.head_batch, p=chances):
            features, wanted, weights = seen[number * schedule.looks + int(random.integers(schedule.looks))]
            losses.append(_loss(network.head(features), wanted, weights, things[number].kind, kinds))
        loss = torch.stack(losses).mean()
        optimiser.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]  # torch has no types here
        optimiser.step()
        pace.step()
        if step % 100 == 0 or step == schedule.head_steps:
            report(Progress("head", step, schedule.head_steps, float(loss.detach())))


def _drawn(thing: Thing, size: int, without_thickness: float, random: np.random.Generator) -> tuple[Places, Tensor]:
    """Some faces of a shape, and the output wanted for each."""
    inputs = thing.inputs
    rows = random.choice(len(inputs.areas), size, replace=False)
    numbers = torch.from_numpy(inputs.numbers[rows].astype(np.float32))
    if random.random() < without_thickness:
        numbers[:, -4:-1] = 0.0  # as below an open sheet
    places = Places(
        torch.from_numpy(inputs.rates),
        torch.from_numpy(inputs.vectors[rows].astype(np.float32)),
        torch.from_numpy(inputs.areas[rows] / inputs.areas[rows].sum()),
        numbers,
        torch.from_numpy(inputs.arrows[rows].astype(np.float32)),
    )
    return places, torch.from_numpy(thing.outputs[rows].astype(np.int64))


def _loss(scores: Tensor, wanted: Tensor, weights: Tensor, kind: str, kinds: Mapping[str, tuple[str, ...]]) -> Tensor:
    """How wrong single faces are, and how wrong their vote on the kind is."""
    scores = torch.log_softmax(scores, dim=1)
    single = nn.functional.nll_loss(scores, wanted, ignore_index=UNNAMED) - 0.05 * scores.mean()
    sizes = [len(parts) for parts in kinds.values()] + [1]
    of_kinds = torch.stack([torch.logsumexp(each, dim=1) for each in torch.split(scores, sizes, dim=1)], dim=1)
    number = list(kinds).index(kind) if kind else len(kinds)
    vote = nn.functional.cross_entropy(
        (VOTERS * (weights @ of_kinds))[None], torch.tensor([number]), label_smoothing=0.05
    )
    return single + vote / 2


def kept_faces(
    example: RegionExample, kinds: Mapping[str, tuple[str, ...]], kept: int, random: np.random.Generator
) -> Thing:
    """Some of a shape's faces in half precision, half drawn by area, half the same number from every part."""
    kind, outputs = outputs_at(example, kinds)
    areas = example.inputs.areas.astype(np.float64)
    areas = areas / areas.sum()
    numbered = outputs - outputs.min()
    of_part = np.bincount(numbered, areas)
    even = areas / np.maximum(of_part, 1e-9)[numbered] / max(1, int((of_part > 0).sum()))
    chance = 0.5 * areas + 0.5 * even / even.sum()
    chance /= chance.sum()
    rows = random.choice(len(areas), kept, p=chance)
    inputs, half = example.inputs, np.float16
    single = np.float32
    return Thing(
        kind,
        Inputs(
            inputs.rates,
            inputs.vectors[rows].astype(half),
            (areas[rows] / chance[rows] / kept).astype(single),
            inputs.numbers[rows].astype(half),
            inputs.arrows[rows].astype(half),
        ),
        outputs[rows].astype(np.int16),
    )


def _begun_with(begin: KindNet | Recorded, outputs: int) -> KindNet:
    """A network that is the recogniser's but for the last layer."""
    network = KindNet(outputs, *kind_sizes(begin))
    own = network.state_dict()
    own.update({name: value for name, value in state_of(begin).items() if own[name].shape == value.shape})
    network.load_state_dict(own)
    return network


def _optimiser(
    network: KindNet, schedule: ThingsSchedule
) -> tuple[torch.optim.Optimizer, torch.optim.lr_scheduler.OneCycleLR]:
    head = set(network.head.parameters())
    rates = [schedule.learning_rate / 3, schedule.learning_rate / 2]
    groups = [[each for each in network.parameters() if each not in head], list(head)]
    optimiser = torch.optim.AdamW(
        [{"params": group, "lr": rate} for group, rate in zip(groups, rates, strict=True)],
        weight_decay=schedule.weight_decay,
    )
    return optimiser, torch.optim.lr_scheduler.OneCycleLR(optimiser, rates, schedule.steps + 1, pct_start=0.1)


def _chances(kinds: Sequence[str], other: float) -> FloatArray:
    """How often each shape is drawn: every kind alike, and all that has no names together as often as asked."""
    names = sorted(set(kinds) - {""})
    shares = {name: (1 - other) / len(names) for name in names} | {"": other}
    chances = np.array([shares[kind] / kinds.count(kind) for kind in kinds])
    return np.asarray(chances / chances.sum())
