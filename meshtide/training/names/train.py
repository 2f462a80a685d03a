"""The model of names, from nothing but generated bodies: one call makes what ships."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from meshtide.data.collection import open_collection
from meshtide.data.figures import KINDS, PARTS, parts_of
from meshtide.data.generated import FIGURES
from meshtide.inference.familiarity import limits
from meshtide.inference.kinds import answer
from meshtide.inference.model import About, Model
from meshtide.labels.colours import part_colours
from meshtide.networks.network import Network
from meshtide.networks.registry import build_network, usual_options
from meshtide.training.names.bodies import RECIPE, THINGS, Body, BodyNumber, make_bodies
from meshtide.training.outcome import joinable
from meshtide.training.regions.train import Progress

THING = "thing"  # how things of all sorts are called together
MOST_GRADIENT = 1.0  # norms beyond it are cut: a few noisy bodies have slopes of any size


@dataclass(frozen=True)
class NamesSchedule:
    """How to train the model of names; the defaults made the one that ships."""

    bodies: int = 360  # of every kind, of any build
    each_common: int = 3  # for so many of these one more, of the common build
    first: int = 2001
    held_out: int = 12  # of every kind, of the generator's other variant: to score, and to know what is familiar
    first_held_out: int = 3001
    things: int = 3  # of every sort that is no body, to go on with
    steps: int = 20_000
    later_steps: int = 6_000  # with things among the bodies
    sample: int = 700  # vertices of a body that a step looks at
    learning_rate: float = 4e-3
    later_rate: float = 1.5e-3
    weight_decay: float = 1e-2
    label_smoothing: float = 0.05
    within_kind: float = 1.0  # weight of the loss among the parts of the body's own kind
    average: float = 0.25  # the weights are the mean over about this last share of the steps
    # How often each kind is drawn, beside the others: people and animals are the most diverse.
    shares: Mapping[str, float] = field(
        default_factory=lambda: {"humanoid": 2.0, "quadruped": 2.0, "bird": 1.3, THING: 2.8}
    )
    seed: int = 0


def train_names(
    folder: str | Path, schedule: NamesSchedule | None = None, *, begin: Model | None = None, jobs: int = 1,
    report: Callable[[Progress], None] = lambda _: None,
) -> Model:  # fmt: skip
    """Train on bodies of every kind, which are made in the folder and used again, and go on with things among them.

    Of things the network learns to be sure of nothing, so that the sureness of its parts tells a body from a teapot.

    `begin` is a model to go on with, instead of random weights. The same schedule gives the same model on the same
    machine.
    """
    schedule = schedule or NamesSchedule()

    def tell(done: int, total: int) -> None:
        report(Progress("bodies", done, total))

    bodies = list(make_bodies(list(to_learn(schedule)), Path(folder), jobs=jobs, report=tell))
    start = begin or fresh_model(bodies, schedule.seed)
    network = train_network(bodies, start, schedule, report)
    bodies += make_bodies(list(no_bodies(schedule)), Path(folder), jobs=jobs, report=tell)
    later = replace(schedule, steps=schedule.later_steps, learning_rate=schedule.later_rate)
    network = train_network(bodies, Model(network, start.about), later, report)
    names = [body.name for body in bodies]
    del bodies
    held_out = make_bodies(list(to_judge(schedule)), Path(folder), jobs=jobs, report=tell)
    return described(network, start, list(held_out), names, schedule)


def fresh_model(bodies: Sequence[Body], seed: int = 0) -> Model:
    """A model with random weights that has measured its inputs on the bodies, as `meshtide train` would build it."""
    options = usual_options("tide-m", RECIPE.operator, "multi", relatives=False, arrows=True)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        network = build_network("tide-m", RECIPE.channels, len(PARTS), operator=RECIPE.operator, **options)
    network.normalise.measure(body.graph() for body in bodies)
    vocabularies = joinable(open_collection(FIGURES))
    return Model(network, About("tide-m", options, RECIPE, PARTS, part_colours(PARTS), vocabularies=vocabularies))


def to_learn(schedule: NamesSchedule) -> Iterator[BodyNumber]:
    """The bodies to learn from."""
    for number in range(schedule.first, schedule.first + schedule.bodies):
        yield from (BodyNumber(kind, number) for kind in KINDS)
        if (number - schedule.first) % schedule.each_common == 0:
            yield from (BodyNumber(kind, number, common=True) for kind in KINDS)


def no_bodies(schedule: NamesSchedule) -> Iterator[BodyNumber]:
    """Things of every sort."""
    for number in range(schedule.first, schedule.first + schedule.things):
        yield from (BodyNumber(sort, number) for sort in THINGS)


def to_judge(schedule: NamesSchedule) -> Iterator[BodyNumber]:
    """The bodies to score on, of any build, and half as many of the common one."""
    first = schedule.first_held_out
    for number in range(first, first + schedule.held_out):
        yield from (BodyNumber(kind, number, held_out=True) for kind in KINDS)
    for number in range(first, first + schedule.held_out // 2):
        yield from (BodyNumber(kind, number, held_out=True, common=True) for kind in KINDS)


def train_network(
    bodies: Sequence[Body], start: Model, schedule: NamesSchedule,
    report: Callable[[Progress], None] = lambda _: None,
) -> Network:  # fmt: skip
    """Go on with a model on bodies drawn by kind; the averaged weights are kept."""
    random = np.random.default_rng(schedule.seed)
    chances = _chances([THING if body.is_thing else body.kind for body in bodies], schedule.shares)
    network, kept = copy.deepcopy(start.network), copy.deepcopy(start.network)
    optimiser = torch.optim.AdamW(network.parameters(), lr=schedule.learning_rate, weight_decay=schedule.weight_decay)
    pace = torch.optim.lr_scheduler.OneCycleLR(optimiser, schedule.learning_rate, schedule.steps + 1)
    network.train()
    losses: list[float] = []
    for step in range(1, schedule.steps + 1):
        body = bodies[int(random.choice(len(bodies), p=chances))]
        rows = torch.from_numpy(random.permutation(len(body.targets))[: schedule.sample])
        loss = _loss(network(body.graph(rows)), body, rows, start.about.parts, schedule)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]  # torch has no types here
        nn.utils.clip_grad_norm_(network.parameters(), MOST_GRADIENT)
        optimiser.step()
        pace.step()
        _average(kept, network, schedule.average * step)
        losses.append(float(loss.detach()))
        if step % 500 == 0 or step == schedule.steps:
            report(Progress("names", step, schedule.steps, float(np.mean(losses[-500:]))))
    return kept.eval()


def _loss(logits: Tensor, body: Body, rows: Tensor, parts: Sequence[str], schedule: NamesSchedule) -> Tensor:
    """How wrong the parts are among those of all kinds, and among those of the body's own."""
    if body.is_thing:  # as far from any part as from any other
        return -logits.log_softmax(dim=1).mean()
    targets = in_order(body.targets[rows], parts)
    if not (targets >= 0).any():
        return logits.sum() * 0.0
    smoothing = schedule.label_smoothing
    loss = nn.functional.cross_entropy(logits, targets, ignore_index=-1, label_smoothing=smoothing)
    columns = torch.tensor([parts.index(part) for part in parts_of(body.kind)])
    own = torch.full((len(parts) + 1,), -1)  # the last one, which is that of -1, stays -1
    own[columns] = torch.arange(len(columns))
    within = nn.functional.cross_entropy(logits[:, columns], own[targets], ignore_index=-1, label_smoothing=smoothing)
    return loss + schedule.within_kind * within


def in_order(targets: Tensor, parts: Sequence[str]) -> Tensor:
    """A body's targets in the order that a model has its parts in."""
    return torch.tensor([*(parts.index(part) for part in PARTS), -1])[targets]


@torch.no_grad()
def _average(kept: Network, network: Network, steps: float) -> None:
    """Move the kept weights towards the newest, as `Training` does."""
    share = min(1.0, 1.0 / steps)
    for mean, newest in zip(kept.parameters(), network.parameters(), strict=True):
        mean.lerp_(newest, share)


def _chances(kinds: Sequence[str], shares: Mapping[str, float]) -> np.ndarray:
    """How often each body is drawn."""
    chances = np.array([shares.get(kind, 1.0) / kinds.count(kind) for kind in kinds])
    return np.asarray(chances / chances.sum())


def described(network: Network, start: Model, held_out: list[Body], names: list[str], schedule: NamesSchedule) -> Model:
    """The model with everything about it that its file should tell."""
    about = replace(start.about, kinds={kind: parts_of(kind) for kind in KINDS}, trained_on={}, scores={})
    model = Model(network, about)
    trained_on = {
        "source": FIGURES, "shapes": names,
        "schedule": asdict(schedule), "familiar": limits(model, (body.graph() for body in held_out)),
    }  # fmt: skip
    return Model(network, replace(about, trained_on=trained_on, scores={"test": score(model, held_out)}))


def score(model: Model, held_out: Sequence[Body]) -> dict[str, Any]:
    """Vertex accuracy and share of right kinds by the vote of parts, of every kind and in the mean over kinds."""
    found: dict[str, list[tuple[float, float]]] = {}
    for body in held_out:
        said = answer(model, body.graph())
        targets = in_order(body.targets, model.about.parts).numpy()
        right = float((said.probabilities.argmax(axis=1) == targets)[targets >= 0].mean())
        found.setdefault(body.kind, []).append((right, float(said.kind == body.kind)))
    means = {kind: np.mean(values, axis=0).tolist() for kind, values in found.items()}
    overall = np.mean(list(means.values()), axis=0).tolist()
    return {
        "vertex_accuracy": overall[0], "kinds_right": overall[1], "shapes": len(held_out),
        "by_kind": {kind: values[0] for kind, values in means.items()},
        "kinds_right_by_kind": {kind: values[1] for kind, values in means.items()},
    }  # fmt: skip
