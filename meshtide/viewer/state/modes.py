"""The ways to look at a mesh other than in the colours of its parts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from meshtide.viewer.state.item import Item
from meshtide.viewer.state.layers import Layer, difference_layer, scale_layer

MODES = (
    "prediction", "instances", "truth", "difference", "confidence", "hks", "eigenfunction", "painting", "proposal",
    "support",
)  # fmt: skip
ABOUT_INSTANCES = ("prediction", "instances", "confidence")  # modes in which a click chooses one


@dataclass
class Choices:
    """What a mode shows beyond its name; numbers out of range are brought back into it."""

    hks: int = 8  # of the recipe's times
    eigenfunction: int = 1  # 0 is the constant one
    block: int = 0
    channel: int = 0
    time: float | None = None  # of the support; None is the learned one
    kind: str = "derivative"  # of the support
    crisp: bool = True  # show parts on faces, with sharp borders, also where labels are on vertices
    hidden: set[str] = field(default_factory=set)  # names of parts and of instances


def _difference(item: Item, choices: Choices, vertex: int | None) -> Layer:
    if item.truth is None or item.prediction is None:
        raise ValueError("a difference needs truth and prediction")
    there = item.prediction.face_labels if item.truth.on == "faces" else item.prediction.labels
    return difference_layer(item, item.truth, there)


def _confidence(item: Item, choices: Choices, vertex: int | None) -> Layer:
    if item.prediction is None:
        raise ValueError("a confidence needs a prediction")
    return scale_layer(item.prediction.confidence, "confidence")


def _hks(item: Item, choices: Choices, vertex: int | None) -> Layer:
    """The logarithm of the heat that stays, relative to heat spread evenly."""
    times = item.graph.mesh_recipe.times
    vectors, mass = item.graph.vectors.cpu().numpy(), item.graph.mass.cpu().numpy()
    decay = np.exp(-times[_within(choices.hks, len(times))] * item.graph.rates.cpu().numpy())
    heat = (vectors**2 @ decay) * mass.sum()
    return scale_layer(np.where(mass > 0, np.log(np.maximum(heat, 0.1)), 0.0), "hks")


def _eigenfunction(item: Item, choices: Choices, vertex: int | None) -> Layer:
    vectors = item.graph.vectors.cpu().numpy()
    return scale_layer(vectors[:, _within(choices.eigenfunction, vectors.shape[1])], "eigenfunction")


def _support(item: Item, choices: Choices, vertex: int | None) -> Layer:
    if vertex is None:
        raise ValueError("a support needs a selected vertex")
    spread = item.support.spread()
    block = _within(choices.block, max(len(spread), 1))
    channel = _within(choices.channel, len(spread[block])) if spread else 0
    values = item.support.values(vertex, block=block, channel=channel, time=choices.time, kind=choices.kind)
    return scale_layer(values, "support")


LAYERS: dict[str, Callable[[Item, Choices, int | None], Layer]] = {
    "difference": _difference,
    "confidence": _confidence,
    "hks": _hks,
    "eigenfunction": _eigenfunction,
    "support": _support,
}


def _within(number: int, count: int) -> int:
    return min(max(number, 0), count - 1)
