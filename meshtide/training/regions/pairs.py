"""Learning to judge pairs of patches, on shapes that the embedding has not seen."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from scipy import sparse

from meshtide.arrays import IntArray
from meshtide.inference.regions.cues import Patches, describe_patches, later_cues, pair_cues
from meshtide.inference.regions.embedding import RegionNet, embed
from meshtide.inference.regions.inputs import Inputs
from meshtide.inference.regions.pair_network import PairJudge, PairNet
from meshtide.inference.regions.pairs import spread
from meshtide.inference.regions.regions import PATCHES, divide
from meshtide.training.regions.embedding import Step
from meshtide.training.regions.examples import RegionExample


@dataclass(frozen=True)
class PairSchedule:
    """How to learn to judge pairs; the defaults made the model that ships."""

    steps: int = 4000
    shapes: int = 24  # in a step
    pairs: int = 256  # of each of them
    learning_rate: float = 3e-3
    weight_decay: float = 1e-3
    seed: int = 0


@dataclass(frozen=True, eq=False)
class Judged:
    """All pairs of patches of one shape: cues, and the share of each pair's faces that are of one part."""

    kind: str
    patches: Patches
    cues: NDArray[np.float16]  # (pairs, CUES)
    i: IntArray
    j: IntArray
    same: NDArray[np.float32]  # (pairs,)
    chance: NDArray[np.float32]  # (pairs,) of being drawn; it adds up to 1


def gather_pairs(example: RegionExample, network: RegionNet, count: int = PATCHES) -> Judged:
    """Divide a shape into patches and describe all pairs of them."""
    inputs = Inputs(*(array.astype(np.float32) for array in vars(example.inputs).values()))
    prepared = example.prepared()
    scale = float(network.log_scale.detach().exp())
    points = embed(network, inputs).numpy().astype(np.float64)
    patches = describe_patches(prepared, points, divide(prepared, points * scale, count))
    cues, i, j = pair_cues(prepared, patches, scale)
    areas = prepared.surface.areas
    shares = sparse.coo_array((areas, (patches.of_face, example.parts.astype(np.int64)))).toarray()
    shares = shares / shares.sum(axis=1, keepdims=True)
    same = np.einsum("np,np->n", shares[i], shares[j])
    # As the Rand error counts them, with some of all, so that small parts are learned too.
    mass = patches.masses[i] * patches.masses[j]
    chance = 0.7 * mass / mass.sum() + 0.3 / len(mass)
    return Judged(
        example.kind, patches, cues.astype(np.float16), i, j, same.astype(np.float32), chance.astype(np.float32)
    )


def train_judge(
    judged: Sequence[Judged], schedule: PairSchedule, report: Callable[[Step], None] | None = None
) -> PairJudge:
    """Train both networks of a judge, the second on what the first says of the same shapes."""
    torch.manual_seed(schedule.seed)
    judge = PairJudge()
    _train(judge.first, judged, [one.cues for one in judged], schedule, report)
    wider = [_with_later(one, judge.first) for one in judged]
    _train(judge.second, judged, wider, schedule, report)
    return judge.eval()


@torch.inference_mode()
def _with_later(one: Judged, first: PairNet) -> NDArray[np.float16]:
    logits = first(torch.from_numpy(one.cues.astype(np.float32))).numpy()
    later = later_cues(one.patches, spread(logits, one.i, one.j, one.patches.count))[one.i, one.j]
    return np.concatenate([one.cues, later.astype(np.float16)], axis=1)


def _train(
    network: PairNet, judged: Sequence[Judged], cues: Sequence[NDArray[np.float16]], schedule: PairSchedule,
    report: Callable[[Step], None] | None,
) -> None:  # fmt: skip
    random = np.random.default_rng(schedule.seed)
    _measure(network, cues)
    kinds = sorted({one.kind for one in judged})
    members = [[n for n, one in enumerate(judged) if one.kind == kind] for kind in kinds]
    bounds = [np.cumsum(one.chance, dtype=np.float64) for one in judged]
    optimiser = torch.optim.AdamW(network.parameters(), lr=schedule.learning_rate, weight_decay=schedule.weight_decay)
    pace = torch.optim.lr_scheduler.OneCycleLR(optimiser, schedule.learning_rate, total_steps=schedule.steps + 1)
    total, seen = 0.0, 0
    for step in range(1, schedule.steps + 1):
        inputs, targets = [], []
        for kind in random.integers(len(kinds), size=schedule.shapes):
            n = int(random.choice(members[kind]))
            rows = np.searchsorted(bounds[n], random.random(schedule.pairs) * bounds[n][-1]).clip(
                max=len(bounds[n]) - 1
            )
            inputs.append(cues[n][rows])
            targets.append(judged[n].same[rows])
        logits = network(torch.from_numpy(np.concatenate(inputs).astype(np.float32)))
        loss = torch.nn.functional.binary_cross_entropy_with_logits(logits, torch.from_numpy(np.concatenate(targets)))
        optimiser.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]  # torch has no types here
        optimiser.step()
        pace.step()
        total, seen = total + float(loss.detach()), seen + 1
        if report is not None and (step % 1000 == 0 or step == schedule.steps):
            report(Step(step, schedule.steps, total / seen))
            total, seen = 0.0, 0


@torch.no_grad()
def _measure(network: PairNet, cues: Iterable[NDArray[np.float16]]) -> None:
    rows = np.concatenate([one[:: max(1, len(one) // 500)] for one in cues]).astype(np.float64)
    network.mean.copy_(torch.from_numpy(rows.mean(axis=0)))
    network.spread.copy_(torch.from_numpy(np.maximum(rows.std(axis=0), 1e-3)))
