"""Whether a shape is like those that a model was trained on: a model answers about anything, and should say so."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from meshtide.inference.kinds import Answer, answer, familiar
from meshtide.inference.model import Model
from meshtide.inference.reading import Reading
from meshtide.inference.recorded import weight_of

if TYPE_CHECKING:
    from meshtide.networks.graph import MeshGraph

# How far beyond anything that validation shapes show a shape must lie to be called strange. Features of a few dozen
# shapes leave much room for others of the same kinds.
SURENESS_MARGIN, STRANGENESS_MARGIN = 0.05, 0.5
# Of many validation shapes the least sure ones are wrong themselves, and no measure of what is familiar. Generated ones
# are surer than real ones will be.
MANY, RARE, RARE_MARGIN = 40, 0.05, 0.1
# Whoever is this sure of another kind, or that it is none, should be heard.
UNKNOWN, RIVAL_SHARE = 0.25, 0.2


@dataclass(frozen=True)
class Impression:
    """How a shape looks to a model: how sure the answer is, how well its kind fits, how unusual its features are."""

    sureness: float  # the mean over the surface of the likeliest part's probability, of all kinds
    explained: float  # the share of the probability that the kind's parts had before the others were ruled out
    strangeness: float  # the mean over the surface of the squared features in units of the training set's spread


def impression(model: Model, graph: MeshGraph | Reading, found: Answer) -> Impression:
    """Look at a shape as the model does."""
    features, masses = (_on_host(each) for each in (graph.features, graph.mass))
    masses = masses.astype(np.float64)
    weights = masses / masses.sum()
    network = model.recorded or model.network
    mean, spread = (weight_of(network, f"normalise.{name}") for name in ("mean", "spread"))
    normalised = ((features - mean) / spread).astype(np.float64)
    return Impression(found.sureness, found.explained, float(weights @ np.mean(normalised**2, axis=1)))


def _on_host(values: Any) -> NDArray[np.float32]:
    """A tensor as an array; an array as it is."""
    found: NDArray[np.float32] = values.cpu().numpy() if hasattr(values, "cpu") else values
    return found


def limits(model: Model, graphs: Iterable[MeshGraph]) -> dict[str, float]:
    """What is still familiar, from shapes that the model was not trained on; empty if there are none."""
    seen = [impression(model, graph, answer(model, graph)) for graph in graphs]
    if not seen:
        return {}
    return {
        "sureness": _least([each.sureness for each in seen]),
        "explained": _least([each.explained for each in seen]),
        "strangeness": max(each.strangeness for each in seen) * (1 + STRANGENESS_MARGIN),
    }


def _least(values: Sequence[float]) -> float:
    """What few of many shapes fall short of, or somewhat less than the least of few."""
    if len(values) >= MANY:
        return float(np.quantile(values, RARE)) * (1 - RARE_MARGIN)
    return min(values) * (1 - SURENESS_MARGIN)


def doubts(model: Model, graph: MeshGraph | Reading, found: Answer) -> tuple[str, ...]:
    """Sentences about why the answer may be worth little; none for a shape like those of the training."""
    seen = impression(model, graph, found)
    said = _doubts_of_kind(found, familiar(model, "explained", 0.0))
    if seen.sureness < familiar(model, "sureness", 0.0):
        said.append(f"the model is unsure about this shape (mean confidence {seen.sureness:.0%})")
    if seen.strangeness > familiar(model, "strangeness", np.inf):
        said.append("its surface is unlike anything the model was trained on")
    if not said:
        return ()
    return (f"{' and '.join(said)}; take the parts with care",)


def _doubts_of_kind(found: Answer, least: float) -> list[str]:
    """What speaks against the kind: parts of others, before these were ruled out, and the look of the whole."""
    said = []
    others = {kind: share for kind, share in found.votes.items() if kind != found.kind}
    second = max(others, key=lambda kind: others[kind], default=None)
    rival = found.rival or (second if second is not None and others[second] >= RIVAL_SHARE else None)
    if rival is not None:
        said.append(f"its parts may also be those of the kind {rival}, which `kind={rival}` would give")
    if found.explained < least:
        said.append(f"only {found.explained:.0%} of it looks like parts of the kind {found.kind}")
    if found.unknown >= UNKNOWN:
        said.append(f"it may be of no kind whose parts have names ({found.unknown:.0%} sure)")
    return said
