"""Training: a readable loop that yields a record an epoch and never prints."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from meshtide.errors import InputError
from meshtide.networks.network import Diffusing, Network, Stacking
from meshtide.networks.turning import probabilities
from meshtide.training.batch_loss import BatchLoss, Numbers, Tally
from meshtide.training.distributed import ALONE, Team, current_team
from meshtide.training.placing import Place
from meshtide.training.schedule import Schedule, course_of, optimiser_of
from meshtide.training.sharing import step_of, steps_of
from meshtide.training.streaming import counts_of, names_of
from meshtide.training.views import Example, View, lessons_of


@dataclass(frozen=True)
class Epoch:
    """What one pass over the training shapes gave; accuracies are fractions of the vertices with a target."""

    epoch: int
    epochs: int
    loss: float
    train_accuracy: float
    validation_accuracy: float | None
    learning_rate: float
    times: tuple[tuple[float, ...], ...]
    best: bool


class Training:
    """A network on its way: everything that has to survive an interruption is in `state()`.

    Iterate over `run()`; afterwards, and whenever that is interrupted, `keep_best()` leaves the network with the
    weights of the epoch that did best on the validation shapes, or of the last one where there are none. With
    `Schedule.average` these are means of the weights of late steps, in validation too.
    """

    def __init__(
        self, network: Network, train: Sequence[Example], validation: Sequence[Example], schedule: Schedule
    ) -> None:
        if not any((example.targets >= 0).any() for example in train):
            raise InputError("no training shape has a labelled vertex; check the labels and the vocabulary")
        self.network, self.train, self.validation, self.schedule = network, train, validation, schedule
        self.epochs = schedule.epochs_for(len(train))
        self.epoch = self.step = 0
        # The network whose weights are validated and kept: the one that learns, or a mean of what that one was.
        self.kept = copy.deepcopy(network) if schedule.average else network
        self.random = torch.Generator().manual_seed(schedule.seed)
        self.team = current_team()
        self.team.check_batch(schedule.batch)
        self.place = Place(device_of(network))
        self.weights = part_weights(train, network) if schedule.class_weights else None
        self.loss = self.team.spread(BatchLoss(network, self.weights, schedule))
        self.optimiser = optimiser_of(schedule, network.parameters())
        self.learning_rate = course_of(schedule, self.optimiser, self.epochs * schedule.steps_of(len(train)))
        self.best: dict[str, Tensor] = {}
        self.best_accuracy, self.best_epoch = -1.0, 0

    def run(self) -> Iterator[Epoch]:
        """Train to the end, or until `patience` epochs brought nothing better."""
        patience = self.schedule.patience
        self.team.part_random_numbers(self.schedule.seed, self.epoch)
        while self.epoch < self.epochs and not (patience and self.epoch - self.best_epoch >= patience):
            yield self.run_epoch()

    def run_epoch(self) -> Epoch:
        """One pass over the training shapes in random order."""
        self.network.train()
        tally = Tally()
        order = torch.randperm(len(self.train), generator=self.random).tolist()
        for views, taught in steps_of(self.train, order, self.schedule, self.team, self.random):
            self._learn(views, taught, tally)
        tally.read()
        loss, right, seen = self.team.total(tally.loss, tally.right, tally.seen)
        self.epoch += 1
        accuracy = mean_accuracy(self.kept, self.validation, self.place, self.team) if self.validation else None
        # Without validation shapes the newest weights are the best known.
        better = accuracy is None or accuracy > self.best_accuracy
        if better:
            self.best = {name: value.detach().clone() for name, value in self.kept.state_dict().items()}
            self.best_accuracy, self.best_epoch = accuracy if accuracy is not None else -1.0, self.epoch
        return Epoch(
            self.epoch,
            self.epochs,
            loss / len(self.train),
            right / max(seen, 1),
            accuracy,
            float(self.learning_rate.get_last_lr()[0]),
            learned_times(self.network),
            better,
        )

    def keep_best(self) -> None:
        """Give the network the best weights seen."""
        if self.best:
            self.network.load_state_dict(self.best)

    def _step(self, examples: Sequence[Example], tally: Tally) -> None:
        """Learn from some shapes at once."""
        self._learn(*step_of(examples, self.schedule, self.team, self.random), tally)

    def _learn(self, mine: Sequence[View], taught: int, tally: Tally) -> None:
        """Take a step of `taught` shapes, of which these are for this process; nothing here waits for the device."""
        if not taught:
            return
        lessons = lessons_of(mine, self.place, stacks=isinstance(self.network, Stacking) and self.network.stacks)
        # Processes have the mean of their gradients, and each the losses of its shapes.
        loss, total, right = self.loss(lessons, taught / self.team.size)
        self.optimiser.zero_grad(set_to_none=True)
        loss.backward()
        self.optimiser.step()
        self.learning_rate.step()
        self._average()
        tally.add(total, right, sum(view.labelled for view in mine))

    @torch.no_grad()
    def _average(self) -> None:
        """Move the kept weights towards the newest, by 1 / (share · step): the mean of the last share of the steps.

        Of the n steps so far, step i then counts in proportion to i^(1/share - 1): for a quarter to its third power. So
        the mean forgets the beginning, and is a mean at whatever epoch a training is stopped or judged.
        """
        self.step += 1
        if self.kept is not self.network:
            part = min(1.0, 1.0 / (self.schedule.average * self.step))
            torch._foreach_lerp_(list(self.kept.parameters()), list(self.network.parameters()), part)

    def state(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        """Everything needed to go on later: tensors, and numbers for JSON."""
        tensors = {f"network.{name}": value for name, value in self.network.state_dict().items()}
        if self.kept is not self.network:
            tensors |= {f"kept.{name}": value for name, value in self.kept.state_dict().items()}
        tensors |= {f"best.{name}": value for name, value in self.best.items()}
        optimiser = self.optimiser.state_dict()
        for index, moments in optimiser["state"].items():
            tensors |= {f"optimiser.{index}.{name}": torch.as_tensor(value) for name, value in moments.items()}
        tensors["random"] = self.random.get_state()
        tensors["global_random"] = torch.get_rng_state()
        if (accelerator := self._accelerator()) is not None:
            tensors["device_random"] = accelerator.get_rng_state()
        numbers = {
            "epoch": self.epoch,
            "step": self.step,
            "epochs": self.epochs,
            "best_accuracy": self.best_accuracy,
            "best_epoch": self.best_epoch,
            "shapes": self._names(),
            # Not the number of steps alone: one whose sample had no labels did not move the learning rate on.
            "learning_rate": self.learning_rate.state_dict(),
            "groups": optimiser["param_groups"],  # the learning rate's schedule turns more than one of its knobs
        }
        return {name: value.detach().cpu().contiguous() for name, value in tensors.items()}, numbers

    def check(self, numbers: dict[str, Any]) -> None:
        """Raise InputError where `state` was that of a training of another length, or on other shapes."""
        if numbers["epochs"] != self.epochs:
            raise InputError(f"the stopped training has {numbers['epochs']!s:.9} epochs and this one {self.epochs}")
        if numbers["shapes"] != self._names():
            raise InputError("the stopped training has other shapes to learn from than there are now")

    def restore(self, tensors: dict[str, Tensor], numbers: dict[str, Any]) -> None:
        """Go on from what `state` gave, as if nothing had happened."""
        self.check(numbers)
        self.network.load_state_dict(_under(tensors, "network."))
        if self.kept is not self.network:
            self.kept.load_state_dict(_under(tensors, "kept."))
        self.best = _under(tensors, "best.")
        moments: dict[int, dict[str, Tensor]] = {}
        for name, value in _under(tensors, "optimiser.").items():
            index, _, key = name.partition(".")
            moments.setdefault(int(index), {})[key] = value
        self.optimiser.load_state_dict({"state": moments, "param_groups": numbers["groups"]})
        self.learning_rate.load_state_dict(numbers["learning_rate"])
        self.random.set_state(tensors["random"])
        torch.set_rng_state(tensors["global_random"])
        accelerator = self._accelerator()
        if accelerator is not None and "device_random" in tensors:
            accelerator.set_rng_state(tensors["device_random"])
        self.epoch, self.step = int(numbers["epoch"]), int(numbers["step"])
        self.best_epoch = int(numbers["best_epoch"])
        self.best_accuracy = float(numbers["best_accuracy"])

    def _accelerator(self) -> Any:
        """torch's module for the device that trains, which has random numbers of its own; None on the processor."""
        device = device_of(self.network)
        return None if device.type == "cpu" else torch.get_device_module(device)

    def _names(self) -> list[list[str]]:
        return [names_of(examples) for examples in (self.train, self.validation)]


def mean_accuracy(
    network: Network, examples: Sequence[Example], place: Place | None = None, team: Team = ALONE
) -> float:
    """The mean over shapes of the fraction of their vertices that are right; of a team each does its share."""
    network.eval()
    place = place or Place(device_of(network))
    found = Numbers()
    with torch.no_grad():
        for example in team.share(examples):
            for graph, targets in ((example.graph, example.targets), *example.relatives):
                rows = (targets >= 0).nonzero().ravel()
                if len(rows):
                    answers = probabilities(network, place.whole(graph), place.sent(rows)).argmax(dim=1)
                    found.add((answers == place.sent(targets[rows])).sum().float() / len(rows))
    accuracies = found.read()
    total, count = team.total(sum(accuracies), len(accuracies))
    return total / max(count, 1)


def device_of(network: Network) -> torch.device:
    """Where a network's weights are."""
    return next(iter(network.parameters())).device


def learned_times(network: Network) -> tuple[tuple[float, ...], ...]:
    """The diffusion times of every block, for networks that have such."""
    if not isinstance(network, Diffusing):
        return ()
    return tuple(tuple(times.cpu().tolist()) for times in network.diffusion_times())


def part_weights(examples: Sequence[Example], network: Network) -> Tensor:
    """One over the square root of each part's share of the training vertices, of mean 1; unseen parts have 1."""
    parts = network.parts
    counts = torch.zeros(parts)
    for found in counts_of(examples, parts):
        counts += found
    weights = torch.where(counts > 0, (counts / counts.sum()).clamp(min=1e-9).rsqrt(), torch.nan)
    weights = weights / weights.nanmean()
    return torch.nan_to_num(weights, nan=1.0).to(device_of(network))


def _under(tensors: dict[str, Tensor], prefix: str) -> dict[str, Tensor]:
    return {name.removeprefix(prefix): value for name, value in tensors.items() if name.startswith(prefix)}
