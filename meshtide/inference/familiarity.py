"""Whether a shape is like those that a model was trained on: a model answers about anything, and should say so."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from meshtide.inference.kinds import Answer, answer
from meshtide.inference.model import Model
from meshtide.networks.graph import MeshGraph

# How far beyond anything that validation shapes show a shape must lie to be called strange. Features of a few dozen
# shapes leave much room for others of the same kinds.
SURENESS_MARGIN, STRANGENESS_MARGIN = 0.05, 0.5


@dataclass(frozen=True)
class Impression:
    """How a shape looks to a model: how sure the answer is, and how unusual the features."""

    sureness: float  # the mean over the surface of the chosen part's probability
    strangeness: float  # the mean over the surface of the squared features in units of the training set's spread


def impression(model: Model, graph: MeshGraph, found: Answer) -> Impression:
    """Look at a shape as the model does."""
    mass = graph.mass.cpu().double().numpy()
    weights = mass / mass.sum()
    normalised = model.network.normalise(graph.features).cpu().double().numpy()
    sureness = weights @ found.probabilities.max(axis=1)
    return Impression(float(sureness), float(weights @ np.mean(normalised**2, axis=1)))


def limits(model: Model, graphs: Iterable[MeshGraph]) -> dict[str, float]:
    """What is still familiar, from shapes that the model was not trained on; empty if there are none."""
    seen = [impression(model, graph, answer(model, graph)) for graph in graphs]
    if not seen:
        return {}
    return {
        "sureness": min(each.sureness for each in seen) * (1 - SURENESS_MARGIN),
        "strangeness": max(each.strangeness for each in seen) * (1 + STRANGENESS_MARGIN),
    }


def doubts(model: Model, graph: MeshGraph, found: Answer) -> tuple[str, ...]:
    """Sentences about why the answer may be worth little; none for a shape like those of the training."""
    said = []
    if found.rival is not None:
        said.append(f"its parts may also be those of the kind {found.rival}, which `kind={found.rival}` would give")
    known = model.about.trained_on.get("familiar") or {}
    known = known if isinstance(known, dict) else {}
    seen = impression(model, graph, found)
    if seen.sureness < _number(known, "sureness", 0.0):
        said.append(f"the model is unsure about this shape (mean confidence {seen.sureness:.0%})")
    if seen.strangeness > _number(known, "strangeness", np.inf):
        said.append("its surface is unlike anything the model was trained on")
    if not said:
        return ()
    return (f"{' and '.join(said)}; take the parts with care",)


def _number(known: dict[str, object], name: str, otherwise: float) -> float:
    value = known.get(name)
    return float(value) if isinstance(value, int | float) else otherwise
