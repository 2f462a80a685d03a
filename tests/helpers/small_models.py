"""Small untrained models that know several kinds."""

from __future__ import annotations

import torch

from meshtide.inference.model import About, Model
from meshtide.networks.registry import build_network
from meshtide.spectral.recipe import GraphRecipe

PARTS = ("head", "torso", "arm", "leg", "tail")
KINDS = {"animal": ("head", "torso", "leg", "tail"), "person": ("head", "torso", "arm", "leg")}
RECIPE = GraphRecipe(k=24)


def model(**about: object) -> Model:
    torch.manual_seed(0)
    network = build_network("tide-m", RECIPE.channels, len(PARTS), width=8, blocks=1)
    colours = ("#000000", "#111111", "#222222", "#333333", "#444444")
    return Model(network.eval(), About("tide-m", {"width": 8, "blocks": 1}, RECIPE, PARTS, colours, **about))
