"""Trainings that begin with a model's weights instead of random ones."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import nn

from meshtide.errors import InputError
from meshtide.inference.model import Model

# A model that knows bodies needs few steps to learn the parts of others, and small ones not to forget what it knows.
# Trained on 8 of 12 FourLeg shapes and checked on the other 4, in turn: 90.04 % of the vertices with about 500 steps at
# this rate, 90.06 with 1,200, 89.94 with 1,200 at five times the rate.
START_STEPS = 500
START_LEARNING_RATE = 1e-3


@torch.no_grad()
def take_over(network: nn.Module, parts: Sequence[str], model: Model) -> list[str]:
    """Give a network the weights of a model of the same build; returns the parts that the model knew by their names.

    The last layer has a row for each part. Parts of the same name take theirs over, the others stay random.
    """
    own, known = network.state_dict(), model.network.state_dict()
    if "last.weight" not in own:
        raise InputError(f"a {model.about.network} network has no layer of parts alone, so that --start is not for it")
    for name, value in known.items():
        if not name.startswith("last."):
            own[name].copy_(value)
    shared = [part for part in parts if part in model.about.parts]
    for part in shared:
        for name in ("last.weight", "last.bias"):
            own[name][list(parts).index(part)] = known[name][model.about.parts.index(part)]
    return shared
