"""The model that ships, models by name, and trainings that begin with a model's weights instead of random ones."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from importlib import resources
from pathlib import Path

import torch
from torch import nn

from meshtide.checkpoint import Model, load_model
from meshtide.errors import InputError

# A model that knows bodies needs few steps to learn the parts of others, and small ones not to forget what it knows.
# Trained on 8 of 12 FourLeg shapes and checked on the other 4, in turn: 90.04 % of the vertices with about 500 steps at
# this rate, 90.06 with 1,200, 89.94 with 1,200 at five times the rate.
START_STEPS = 500
START_LEARNING_RATE = 1e-3


@lru_cache(maxsize=1)
def default_model() -> Model:
    """The model that comes with meshtide: parts of people, animals and more, trained on generated bodies alone."""
    with resources.as_file(resources.files("meshtide") / "models" / "figures.safetensors") as place:
        return load_model(place)


def named_model(name: str | Path) -> Model:
    """The model in a file; the word "default", where no file has that name, is the one that ships."""
    return default_model() if str(name) == "default" and not Path(name).exists() else load_model(name)


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
