"""Learning the embedding: pairs of faces, of one part or of two."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from meshtide.arrays import IntArray
from meshtide.inference.regions.embedding import Places, RegionNet
from meshtide.training.regions.examples import RegionExample


@dataclass(frozen=True)
class EmbeddingSchedule:
    """How to learn the embedding; the defaults made the model that ships."""

    steps: int = 20_000
    sample: int = 512  # faces of a shape that a step looks at
    learning_rate: float = 3e-3
    weight_decay: float = 1e-2
    average: float = 0.999  # how slowly the averaged weights follow, which are the ones kept
    near: float = 0.12  # pairs nearer than about this count more: they decide where borders run
    near_weight: float = 4.0
    without_thickness: float = 0.08  # share of steps that see an open sheet instead of a body
    seed: int = 0


@dataclass(frozen=True)
class Step:
    """Where the training stands."""

    step: int
    steps: int
    loss: float  # mean over the steps since the last report


def train_embedding(
    examples: Sequence[RegionExample], schedule: EmbeddingSchedule, report: Callable[[Step], None] | None = None,
    network: RegionNet | None = None,
) -> RegionNet:  # fmt: skip
    """Train a network on examples and return it with its averaged weights."""
    torch.manual_seed(schedule.seed)
    random = np.random.default_rng(schedule.seed)
    network = network or RegionNet()
    _measure(network, examples)
    averaged = torch.optim.swa_utils.AveragedModel(
        network,
        multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(schedule.average),  # type: ignore[no-untyped-call]  # untyped in torch
    )
    optimiser = torch.optim.AdamW(network.parameters(), lr=schedule.learning_rate, weight_decay=schedule.weight_decay)
    pace = torch.optim.lr_scheduler.OneCycleLR(
        optimiser, schedule.learning_rate, total_steps=schedule.steps + 1, pct_start=0.15
    )
    network.train()
    total, seen = 0.0, 0
    order = _draws(examples, random)
    for step in range(1, schedule.steps + 1):
        loss = _loss(network, examples[next(order)], schedule, random)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]  # torch has no types here
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimiser.step()
        pace.step()
        averaged.update_parameters(network)
        total, seen = total + float(loss.detach()), seen + 1
        if report is not None and (step % 500 == 0 or step == schedule.steps):
            report(Step(step, schedule.steps, total / seen))
            total, seen = 0.0, 0
    network.load_state_dict(averaged.module.state_dict())
    return network.eval()


def _draws(examples: Sequence[RegionExample], random: np.random.Generator) -> Iterator[int]:
    """Numbers of examples without end: every kind as often, every example of a kind as often."""
    kinds = sorted({example.kind for example in examples})
    members = [[n for n, example in enumerate(examples) if example.kind == kind] for kind in kinds]
    while True:
        for kind in random.permutation(len(kinds)):
            yield int(random.choice(members[kind]))


def _loss(
    network: RegionNet, example: RegionExample, schedule: EmbeddingSchedule, random: np.random.Generator
) -> Tensor:
    rows, weights = _sampled(example, schedule.sample, random)
    inputs = example.inputs
    numbers = torch.from_numpy(inputs.numbers[rows].astype(np.float32))
    if random.random() < schedule.without_thickness:
        # Thickness, that of the surroundings, and the share of rays that met anything: as below an open sheet.
        numbers[:, -4:-1] = 0.0
    places = Places(
        torch.from_numpy(inputs.rates), torch.from_numpy(inputs.vectors[rows].astype(np.float32)),
        torch.from_numpy(weights), numbers, torch.from_numpy(inputs.arrows[rows].astype(np.float32)),
    )  # fmt: skip
    points = network(places)
    parts = torch.from_numpy(example.parts[rows].astype(np.int64))
    same = (parts[:, None] == parts).float()
    where = places.arrows[:, :, 0]
    gap = torch.cdist(where, where)
    weight = 1 + schedule.near_weight * torch.exp(-((gap / schedule.near) ** 2))
    loss = torch.nn.functional.binary_cross_entropy_with_logits(
        network.logits(points, points), same, weight=weight, reduction="sum"
    )
    return loss / weight.sum()


def _sampled(example: RegionExample, size: int, random: np.random.Generator) -> tuple[IntArray, NDArray[np.float32]]:
    """Some faces and what each stands for: half drawn by area, half the same number from every part."""
    areas = example.inputs.areas.astype(np.float64)
    areas = areas / areas.sum()
    parts = example.parts
    of_part = np.bincount(parts, areas)
    even = areas / np.maximum(of_part, 1e-9)[parts] / max(1, int((of_part > 0).sum()))
    chance = 0.5 * areas + 0.5 * even / even.sum()
    rows = random.choice(len(areas), size=size, p=chance / chance.sum())
    weights = areas[rows] / chance[rows]
    return rows, (weights / weights.sum()).astype(np.float32)


@torch.no_grad()
def _measure(network: RegionNet, examples: Sequence[RegionExample]) -> None:
    """Take mean and spread of the input numbers from the examples."""
    moments = np.zeros((2, network.mean.shape[0]))
    for example in examples:
        values = example.inputs.numbers.astype(np.float64)
        areas = example.inputs.areas.astype(np.float64)
        moments += np.stack([areas @ values, areas @ values**2]) / areas.sum() / len(examples)
    mean, square = moments
    network.mean.copy_(torch.from_numpy(mean))
    network.spread.copy_(torch.from_numpy(np.sqrt(np.maximum(square - mean**2, 1e-6))))
