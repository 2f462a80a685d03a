"""Training: a readable loop that yields a record an epoch and never prints."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor, nn

from meshtide.errors import InputError
from meshtide.networks.graph import MeshGraph
from meshtide.networks.network import Diffusing, Network

# About as many steps as the figures in the README took; small collections get more epochs for it.
USUAL_STEPS = 2500
# bfloat16 keeps float32's range, so that neither small masses nor gradients vanish, and needs no scaling of the loss.
PRECISIONS = ("float32", "bfloat16")


@dataclass(frozen=True)
class Schedule:
    """How to train: how long, how fast, and on what of each shape; the defaults measured best on validation shapes."""

    epochs: int | None = None  # None: as many as make `steps`
    steps: int = USUAL_STEPS
    learning_rate: float = 5e-3
    weight_decay: float = 1e-2
    label_smoothing: float = 0.05
    class_weights: bool = False  # weigh a part by one over the square root of its share
    sample: int | None = 1000  # vertices of a shape that a step looks at; None is all
    precision: str = "float32"  # of the products in a step; validation and scores are in float32 whatever it says
    patience: int | None = None  # epochs without a better validation before stopping; None never stops early
    seed: int = 0

    def __post_init__(self) -> None:
        if self.precision not in PRECISIONS:
            raise InputError(f"precision {self.precision!r} is not known; there are {', '.join(PRECISIONS)}")

    def epochs_for(self, shapes: int) -> int:
        """The number of epochs for so many training shapes."""
        return self.epochs if self.epochs is not None else max(1, round(self.steps / shapes))


@dataclass(frozen=True, eq=False)
class Example:
    """A shape to learn from: one graph or several relatives of it, and the part of every vertex, -1 for none.

    Each relative is a graph of the same shape, perhaps with fewer of its vertices, and has targets of its own.
    """

    name: str
    graph: MeshGraph
    targets: Tensor  # (V,) int64
    relatives: tuple[tuple[MeshGraph, Tensor], ...] = ()


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
    weights of the epoch that did best on the validation shapes, or of the last one where there are none.
    """

    def __init__(
        self, network: Network, train: Sequence[Example], validation: Sequence[Example], schedule: Schedule
    ) -> None:
        if not any((example.targets >= 0).any() for example in train):
            raise InputError("no training shape has a labelled vertex; check the labels and the vocabulary")
        self.network, self.train, self.validation, self.schedule = network, train, validation, schedule
        self.epochs = schedule.epochs_for(len(train))
        self.epoch = 0
        self.random = torch.Generator().manual_seed(schedule.seed)
        self.weights = part_weights(train, network) if schedule.class_weights else None
        self.optimiser = torch.optim.AdamW(
            network.parameters(), lr=schedule.learning_rate, weight_decay=schedule.weight_decay
        )
        self.learning_rate = torch.optim.lr_scheduler.OneCycleLR(
            self.optimiser, schedule.learning_rate, total_steps=self.epochs * len(train) + 1
        )
        self.best: dict[str, Tensor] = {}
        self.best_accuracy, self.best_epoch = -1.0, 0

    def run(self) -> Iterator[Epoch]:
        """Train to the end, or until `patience` epochs brought nothing better."""
        patience = self.schedule.patience
        while self.epoch < self.epochs and not (patience and self.epoch - self.best_epoch >= patience):
            yield self.run_epoch()

    def run_epoch(self) -> Epoch:
        """One pass over the training shapes in random order."""
        self.network.train()
        losses, hits, count = 0.0, 0, 0
        for index in torch.randperm(len(self.train), generator=self.random).tolist():
            loss, right, seen = self._step(self.train[index])
            losses, hits, count = losses + loss, hits + right, count + seen
        self.epoch += 1
        accuracy = mean_accuracy(self.network, self.validation) if self.validation else None
        # Without validation shapes the newest weights are the best known.
        better = accuracy is None or accuracy > self.best_accuracy
        if better:
            self.best = {name: value.detach().clone() for name, value in self.network.state_dict().items()}
            self.best_accuracy, self.best_epoch = accuracy if accuracy is not None else -1.0, self.epoch
        return Epoch(
            self.epoch,
            self.epochs,
            losses / len(self.train),
            hits / max(count, 1),
            accuracy,
            float(self.learning_rate.get_last_lr()[0]),
            learned_times(self.network),
            better,
        )

    def keep_best(self) -> None:
        """Give the network the best weights seen."""
        if self.best:
            self.network.load_state_dict(self.best)

    def _step(self, example: Example) -> tuple[float, int, int]:
        """Learn from one shape; returns the loss, and how many of how many vertices were right."""
        graph, targets = self._view(example)
        if not (targets >= 0).any():
            return 0.0, 0, 0
        mixed = self.schedule.precision == "bfloat16"
        with torch.autocast(graph.device.type, torch.bfloat16, enabled=mixed):
            logits = self.network(graph)
        logits = logits.to(graph.features.dtype)
        loss = nn.functional.cross_entropy(
            logits, targets, weight=self.weights, ignore_index=-1, label_smoothing=self.schedule.label_smoothing
        )
        self.optimiser.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]  # torch has no types here
        self.optimiser.step()
        self.learning_rate.step()
        scored = targets >= 0
        right = int((logits.detach().argmax(dim=1) == targets)[scored].sum())
        return float(loss.detach()), right, int(scored.sum())

    def _view(self, example: Example) -> tuple[MeshGraph, Tensor]:
        """The shape or one of its relatives, at some of its vertices: another view every time."""
        choices = ((example.graph, example.targets), *example.relatives)
        graph, targets = choices[int(torch.randint(len(choices), (1,), generator=self.random))]
        size = self.schedule.sample
        if size is None or size >= graph.num_vertices or graph.recipe.operator != "surface":
            return graph, targets
        rows = torch.randperm(graph.num_vertices, generator=self.random)[:size].to(graph.device)
        return graph.sampled(rows), targets[rows]

    def state(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        """Everything needed to go on later: tensors, and numbers for JSON."""
        tensors = {f"network.{name}": value for name, value in self.network.state_dict().items()}
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
            "epochs": self.epochs,
            "best_accuracy": self.best_accuracy,
            "best_epoch": self.best_epoch,
            "shapes": self._names(),
            # Not the number of steps alone: one whose sample had no labels did not move the learning rate on.
            "learning_rate": self.learning_rate.state_dict(),
            "groups": optimiser["param_groups"],  # the learning rate's schedule turns more than one of its knobs
        }
        return {name: value.detach().cpu().contiguous() for name, value in tensors.items()}, numbers

    def restore(self, tensors: dict[str, Tensor], numbers: dict[str, Any]) -> None:
        """Go on from what `state` gave, as if nothing had happened."""
        if numbers["epochs"] != self.epochs:
            raise InputError(f"the stopped training has {numbers['epochs']} epochs and this one {self.epochs}")
        if numbers["shapes"] != self._names():
            raise InputError("the stopped training has other shapes to learn from than there are now")
        self.network.load_state_dict(_under(tensors, "network."))
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
        self.epoch, self.best_epoch = int(numbers["epoch"]), int(numbers["best_epoch"])
        self.best_accuracy = float(numbers["best_accuracy"])

    def _accelerator(self) -> Any:
        """torch's module for the device that trains, which has random numbers of its own; None on the processor."""
        device = next(self.network.parameters()).device
        return None if device.type == "cpu" else torch.get_device_module(device)

    def _names(self) -> list[list[str]]:
        return [[example.name for example in examples] for examples in (self.train, self.validation)]


def mean_accuracy(network: Network, examples: Sequence[Example]) -> float:
    """The mean over shapes of the fraction of their vertices that are right."""
    network.eval()
    accuracies = []
    with torch.no_grad():
        for example in examples:
            for graph, targets in ((example.graph, example.targets), *example.relatives):
                scored = targets >= 0
                if scored.any():
                    right = network(graph).argmax(dim=1) == targets
                    accuracies.append(float(right[scored].float().mean()))
    return sum(accuracies) / max(len(accuracies), 1)


def learned_times(network: Network) -> tuple[tuple[float, ...], ...]:
    """The diffusion times of every block, for networks that have such."""
    if not isinstance(network, Diffusing):
        return ()
    return tuple(tuple(times.tolist()) for times in network.diffusion_times())


def part_weights(examples: Sequence[Example], network: Network) -> Tensor:
    """One over the square root of each part's share of the training vertices, of mean 1; unseen parts have 1."""
    parts = network.parts
    counts = torch.zeros(parts)
    for example in examples:
        counts += torch.bincount(example.targets[example.targets >= 0].cpu(), minlength=parts)
    weights = torch.where(counts > 0, (counts / counts.sum()).clamp(min=1e-9).rsqrt(), torch.nan)
    weights = weights / weights.nanmean()
    return torch.nan_to_num(weights, nan=1.0).to(examples[0].targets.device)


def moved(example: Example, device: torch.device | str) -> Example:
    """The same example on another device."""
    relatives = tuple((graph.to(device), targets.to(device)) for graph, targets in example.relatives)
    return replace(example, graph=example.graph.to(device), targets=example.targets.to(device), relatives=relatives)


def _under(tensors: dict[str, Tensor], prefix: str) -> dict[str, Tensor]:
    return {name.removeprefix(prefix): value for name, value in tensors.items() if name.startswith(prefix)}
