"""How to train: how long, how fast, with what."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

from meshtide.errors import InputError
from meshtide.words import known

# About as many steps as the figures in the README took; small collections get more epochs for it.
USUAL_STEPS = 2500
# bfloat16 keeps float32's range, so that neither small masses nor gradients vanish, and needs no scaling of the loss.
PRECISIONS = ("float32", "bfloat16")
OPTIMISERS = ("adamw", "adam", "adamax")
# How the learning rate goes: up to it and down to nothing, or always the same.
COURSES = ("one-cycle", "constant")


@dataclass(frozen=True)
class Schedule:
    """How to train: how long, how fast, and on what of each shape; the defaults measured best on validation shapes."""

    epochs: int | None = None  # None: as many as make `steps`
    steps: int = USUAL_STEPS  # of one shape each
    learning_rate: float = 5e-3  # the highest, where it is not constant
    course: str = "one-cycle"  # of the learning rate
    optimiser: str = "adamw"
    weight_decay: float = 1e-2
    label_smoothing: float = 0.05
    class_weights: bool = False  # weigh a part by one over the square root of its share
    batch: int = 1  # shapes of a step, whose gradients are averaged
    sample: int | None = 1000  # vertices of a shape that a step looks at; None is all
    precision: str = "float32"  # of the products in a step; validation and scores are in float32 whatever it says
    patience: int | None = None  # epochs without a better validation before stopping; None never stops early
    average: float = 0.0  # the weights are the mean over about this last share of the steps so far; 0 is no mean
    seed: int = 0

    def __post_init__(self) -> None:
        if not 0 <= self.average <= 1:
            raise InputError(f"`average={self.average}` is out of range; it should be from 0 to 1")
        known(self.precision, PRECISIONS, "precision")
        known(self.optimiser, OPTIMISERS, "optimiser")
        known(self.course, COURSES, "course")
        if self.batch < 1:
            raise InputError(f"`batch={self.batch}` is too small; it should be 1 or more")
        if not self.learning_rate > 0:
            raise InputError(f"`learning_rate={self.learning_rate}` should be more than 0")
        if not 0 <= self.weight_decay < 1:
            raise InputError(f"`weight_decay={self.weight_decay}` is out of range; it should be from 0 to 1")

    def steps_of(self, shapes: int) -> int:
        """The number of steps of an epoch."""
        return -(-shapes // self.batch)

    def epochs_for(self, shapes: int) -> int:
        """The number of epochs for so many training shapes."""
        return self.epochs if self.epochs is not None else max(1, round(self.steps / shapes))


def rate_factor(batch: int) -> float:
    """What the learning rate is multiplied by for steps of so many shapes: docs/gpu.md."""
    return math.sqrt(batch)


def optimiser_of(schedule: Schedule, parameters: Iterable[nn.Parameter]) -> torch.optim.Optimizer:
    """The optimiser of a schedule."""
    kinds: dict[str, Any] = {
        "adamw": torch.optim.AdamW,
        "adam": torch.optim.Adam,
        "adamax": torch.optim.Adamax,
    }
    made: torch.optim.Optimizer = kinds[schedule.optimiser](
        parameters, lr=schedule.learning_rate, weight_decay=schedule.weight_decay
    )
    return made


def course_of(schedule: Schedule, optimiser: torch.optim.Optimizer, steps: int) -> torch.optim.lr_scheduler.LRScheduler:
    """What moves the learning rate after every step."""
    if schedule.course == "constant":
        return torch.optim.lr_scheduler.ConstantLR(optimiser, factor=1.0, total_iters=0)
    return torch.optim.lr_scheduler.OneCycleLR(optimiser, schedule.learning_rate, total_steps=steps + 1)
