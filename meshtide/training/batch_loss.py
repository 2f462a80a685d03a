"""The loss of a step, and what an epoch adds up of it, without waiting for the device."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from meshtide.networks.device import mixed_precision
from meshtide.networks.network import Network
from meshtide.training.schedule import Schedule
from meshtide.training.views import Lesson

READ_AFTER = 1000  # steps, so that an epoch of very many keeps no more than their numbers


class BatchLoss(nn.Module):
    """The mean over shapes of the cross entropy of each; a module, as that is what torch spreads over processes."""

    def __init__(self, network: Network, weights: Tensor | None, schedule: Schedule) -> None:
        super().__init__()
        self.network, self.weights, self.schedule = network, weights, schedule

    def forward(self, lessons: Sequence[Lesson], shapes: float) -> tuple[Tensor, Tensor, Tensor]:
        """The sum of the losses of all shapes over `shapes`, that sum itself, and how many vertices are right."""
        found = [self._lesson(lesson) for lesson in lessons]
        if not found:  # this process has no share in the step, but all take it together
            nothing = next(iter(self.network.parameters())).sum() * 0.0
            return nothing, nothing.detach(), nothing.detach().long()
        total = found[0][0]
        for loss, _ in found[1:]:
            total = total + loss
        right = torch.stack([hits for _, hits in found]).sum() if len(found) > 1 else found[0][1]
        return total / shapes, total.detach(), right

    def _lesson(self, lesson: Lesson) -> tuple[Tensor, Tensor]:
        graph, targets = lesson.graph, lesson.targets
        with mixed_precision(graph.device.type, self.schedule.precision == "bfloat16"):
            logits = self.network(graph)
        logits = logits.to(graph.features.dtype)
        right = (logits.detach().argmax(dim=1) == targets) & (targets >= 0)
        return self.loss(logits, targets, graph.shapes), right.sum()

    def loss(self, logits: Tensor, targets: Tensor, shapes: int) -> Tensor:
        """The sum over shapes of the mean over the labelled vertices of each, which their parts may weigh."""
        how = {"weight": self.weights, "ignore_index": -1, "label_smoothing": self.schedule.label_smoothing}
        if shapes == 1:
            logits, targets = _labelled(logits, targets)
            return nn.functional.cross_entropy(logits, targets, **how)  # type: ignore[arg-type]  # a mixed bag
        losses = nn.functional.cross_entropy(logits, targets, reduction="none", **how)  # type: ignore[arg-type]
        counts = (targets >= 0).to(losses.dtype)
        if self.weights is not None:
            counts = counts * self.weights[targets.clamp(min=0)]
        return (losses.reshape(shapes, -1).sum(dim=1) / counts.reshape(shapes, -1).sum(dim=1)).sum()


def _labelled(logits: Tensor, targets: Tensor) -> tuple[Tensor, Tensor]:
    """The rows with a target, where these are few and the processor has them; another device would have to be asked."""
    if targets.device.type != "cpu":
        return logits, targets
    rows = (targets >= 0).nonzero().ravel()
    return (logits[rows], targets[rows]) if 2 * len(rows) < len(targets) else (logits, targets)


class Numbers:
    """Numbers of steps: they stay on the device, which is asked for them now and then.

    They are written into an array that is there from the first step on. A small tensor of every step, kept between the
    large ones that come and go, would let no gap grow together again, and memory would grow with the steps.
    """

    def __init__(self) -> None:
        self._told: list[float] = []
        self._waiting, self._count = torch.empty(0), 0

    def add(self, number: Tensor) -> None:
        """Keep one more."""
        if not len(self._waiting):
            self._waiting = number.new_empty(READ_AFTER)
        self._waiting[self._count] = number
        self._count += 1
        if self._count == READ_AFTER:
            self._ask()

    def read(self) -> list[float]:
        """All that were added since the last reading."""
        self._ask()
        told, self._told = self._told, []
        return told

    def _ask(self) -> None:
        self._told += self._waiting[: self._count].cpu().tolist()
        self._count = 0


class Tally:
    """Losses and hits of an epoch."""

    def __init__(self) -> None:
        self._losses, self._hits = Numbers(), Numbers()
        self.loss, self.right, self.seen = 0.0, 0, 0

    def add(self, loss: Tensor, right: Tensor, seen: int) -> None:
        """Count a step."""
        self._losses.add(loss)
        self._hits.add(right)
        self.seen += seen

    def read(self) -> None:
        """Ask the device for what it has, and add that up."""
        self.loss += sum(self._losses.read())
        self.right += int(sum(self._hits.read()))
