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
    last = next(name for name, module in network.named_modules() if module is own)
    weights = network.state_dict()
    for name, value in model.network.state_dict().items():
        if not name.startswith(f"{last}."):
            weights[name].copy_(value)
    shared = [part for part in parts if part in model.about.parts]
    for part in shared:
        row, their_row = list(parts).index(part), model.about.parts.index(part)
        own.weight[row], own.bias[row] = known.weight[their_row], known.bias[their_row]
    return shared
