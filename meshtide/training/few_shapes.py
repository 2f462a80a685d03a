"""What is usual only where few shapes are learned from, which is known once these are found."""

from __future__ import annotations

from dataclasses import replace

from meshtide.inference.evidence import FEW
from meshtide.inference.regions.model import trained_region_model
from meshtide.networks.network import Network
from meshtide.networks.registry import USUAL_ARROWS
from meshtide.networks.second_reader import SecondReader
from meshtide.spectral.recipe import USUAL_FEATURES, GraphRecipe
from meshtide.spectral.signatures import hks_times
from meshtide.training.experiment import Experiment
from meshtide.training.nodes.data import NodeData
from meshtide.training.subject import Gathered

USUAL_OPTIONS = {"gradients": True, "arrows": USUAL_ARROWS}


def settled(experiment: Experiment, data: Gathered) -> Experiment:
    """The experiment with a second reader where few shapes are learned from and nothing else was chosen of the network.

    A dozen shapes teach TIDE little of what surfaces are like; the second reader has seen many (docs/training.md).
    """
    recipe = experiment.recipe
    if isinstance(data, NodeData) or not isinstance(recipe, GraphRecipe) or len(data.train) >= FEW:
        return experiment
    usual = (experiment.network, experiment.options) == ("tide-m", USUAL_OPTIONS) and experiment.start is None
    if not usual or experiment.setting == "single" or recipe.features != USUAL_FEATURES or recipe.times != hks_times():
        return experiment
    return replace(experiment, options=experiment.options | {"second_reader": True})


def begin_second_reader(network: Network) -> None:
    """Give a network's second reader, if it has one, the weights of the network for regions that ships."""
    second = getattr(network, "second", None)
    if isinstance(second, SecondReader):
        second.take(trained_region_model().network.state_dict())  # type: ignore[union-attr]  # it is in torch
