"""Trainings that begin with a model's weights instead of random ones."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from meshtide.errors import InputError
from meshtide.inference.model import Model
from meshtide.networks.network import Network

# A model that knows bodies needs few steps to learn the parts of others. What it does not know needs more of them, and
# larger ones: 500 at a rate of 1e-3 have 85.4 % of the faces of generated airplanes and 83.6 of FourLeg's (8 of 12 to
# learn, 4 to check), these have 88.5 and 84.5.
START_STEPS = 1000
START_LEARNING_RATE = 5e-3
SECOND_LAYER = "second.last"  # of TIDE with a second reader


@torch.no_grad()
def take_over(network: Network, parts: Sequence[str], model: Model) -> list[str]:
    """Give a network the weights of a model of the same build; returns the parts that the model knew by their names.

    The last layer has a row for each part. Parts of the same name take theirs over, the others stay random.
    """
    own, known = network.part_layer, model.network.part_layer
    if own is None or known is None:
        raise InputError(
            f"`start`: a {model.about.network} network has no last layer with a row for each part, which is what "
            "another training can go on with; start with a TIDE model"
        )
    weights, theirs = network.state_dict(), model.network.state_dict()
    # A second reader has a layer for parts of its own.
    layers = [name for name, module in network.named_modules() if module is own or name == SECOND_LAYER]
    shared = [part for part in parts if part in model.about.parts]
    rows, their_rows = [list(parts).index(part) for part in shared], [model.about.parts.index(part) for part in shared]
    for name, value in theirs.items():
        if name.rpartition(".")[0] in layers:
            weights[name][rows] = value[their_rows]
        else:
            weights[name].copy_(value)
    return shared
