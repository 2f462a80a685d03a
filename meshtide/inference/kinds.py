"""Kinds of shapes: one model may know people, animals and more, each kind with parts of its own.

A vertex alone cannot tell an arm from a foreleg; all vertices together can. So the shape votes on its kind, and then
every vertex chooses among that kind's parts: a person gets no tail.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from meshtide.arrays import Probabilities
from meshtide.errors import InputError
from meshtide.inference.model import About, Model
from meshtide.inference.predict import predict
from meshtide.inference.reading import Reading, said_of
from meshtide.labels.labels import Vocabulary
from meshtide.stages import doing
from meshtide.words import listed

if TYPE_CHECKING:
    from meshtide.networks.graph import MeshGraph

FLOOR = 1e-3  # no single vertex rules a kind out


@dataclass(frozen=True, eq=False)
class Answer:
    """What a model says of a graph: the probability of every part at every vertex, and the kind it was taken for."""

    probabilities: NDArray[np.float32]  # (V, parts); zero for the parts of other kinds
    kind: str | None
    votes: dict[str, float]  # kind -> its share of the vote; these add up to 1
    rival: str | None = None  # another kind, where the look of the whole and the vote of the parts differ
    explained: float = 1.0  # the share of all probability that fell on the kind's parts before others were ruled out
    sureness: float = 1.0  # the mean over the surface of the likeliest part's probability, before that too
    unknown: float = 0.0  # how likely it is that the shape is of no kind with names, where that was asked


def answer(
    model: Model, graph: MeshGraph | Reading, kind: str | None = None, prior: Mapping[str, float] | None = None
) -> Answer:
    """Ask a model about a graph; `kind` overrides the vote, and a `prior` is what else is known of the kinds."""
    check_kind(model.about, kind)
    doing("naming the parts")
    if isinstance(graph, Reading):
        return weighed(model, said_of(model.recorded, graph), graph.mass, kind, prior)
    return weighed(model, predict(model.network, graph), graph.mass.cpu().numpy(), kind, prior)


def check_kind(about: About, kind: str | None) -> None:
    """Raise InputError for a kind that a model does not know."""
    if kind is not None and kind not in about.kinds:
        known = f"it knows {listed(about.kinds)}" if about.kinds else "it knows one kind only; leave `kind` out"
        raise InputError(f"the model does not know the kind '{kind}'; {known}")


def weighed(
    model: Model,
    probabilities: NDArray[np.float32],
    mass: NDArray[np.float32],
    kind: str | None = None,
    prior: Mapping[str, float] | None = None,
) -> Answer:
    """What a model's probabilities of all parts at the vertices, with their masses, say together."""
    about = model.about
    sureness = float(mass @ probabilities.max(axis=1) / mass.sum())
    if not about.kinds:
        return Answer(probabilities, None, {}, sureness=sureness)
    votes = vote(probabilities, mass, about.parts, about.kinds)
    opinions = {_largest(votes)}
    if prior is not None:
        opinions.add(_largest(prior))
        votes = _together(votes, prior)
    chosen = kind or _largest(votes)
    rival = next(iter(opinions - {chosen}), None) if kind is None else None
    return Answer(
        restricted(probabilities, about.parts, about.kinds[chosen]),
        chosen,
        votes,
        rival,
        explained(probabilities, mass, about.parts, about.kinds[chosen]),
        sureness,
        0.0 if prior is None else unknown(1.0 - sum(prior.values()), sureness, familiar(model, "sureness", 0.0)),
    )


def familiar(model: Model, name: str, otherwise: float) -> float:
    """What a model's file says of the shapes that are familiar to it, see `meshtide.inference.familiarity`."""
    known = model.about.trained_on.get("familiar")
    value = known.get(name) if isinstance(known, dict) else None
    return float(value) if isinstance(value, int | float) else otherwise


def unknown(none: float, sureness: float, least: float) -> float:
    """How likely it is that a shape is of no kind with names, by the look of the whole and the sureness of its parts.

    A network that names parts is seldom sure of a thing without names, even where the look of the whole takes it for a
    body: the odds of the look are multiplied by how much rarer such a sureness is among bodies. `least` is what few
    bodies fall short of; where it is not known (0) the look alone decides.
    """
    if least <= 0:
        return min(1.0, max(0.0, none))
    none = min(MOST_CERTAIN, max(1 - MOST_CERTAIN, none))
    odds = none / (1 - none) * float(np.exp(STEEPNESS * (least - SLACK - sureness)))
    return odds / (1 + odds)


def explained(
    probabilities: Probabilities, mass: NDArray[np.floating], parts: Sequence[str], allowed: Sequence[str]
) -> float:
    """The mean over the surface of the probability that falls on some of the parts."""
    return float(mass @ probabilities[:, _columns(parts, allowed)].sum(axis=1) / mass.sum())


def _largest(shares: Mapping[str, float]) -> str:
    return max(shares, key=lambda name: shares[name])


def vote(
    probabilities: Probabilities, mass: NDArray[np.floating], parts: Sequence[str], kinds: Mapping[str, Sequence[str]]
) -> dict[str, float]:
    """How well each kind explains a shape, as shares that add up to 1.

    A kind explains a vertex as far as the vertex's probability falls on the kind's parts; the mean logarithm of that
    over the surface is the kind's score. Vertices are far from independent, so that they are counted as few.
    """
    weights = mass / mass.sum()
    names = list(kinds)
    scores = np.array(
        [
            weights @ np.log(np.maximum(probabilities[:, _columns(parts, kinds[name])].sum(axis=1), FLOOR))
            for name in names
        ]
    )
    shares = np.exp(VOTERS * (scores - scores.max()))
    return dict(zip(names, (shares / shares.sum()).tolist(), strict=True))


def _together(votes: dict[str, float], prior: Mapping[str, float]) -> dict[str, float]:
    """Two opinions on the kind as one, shares that add up to 1; neither rules a kind out alone.

    The look of the whole counts a quarter: on bodies of the generator's other variant the vote of the parts is right
    more often.
    """
    both = {name: (share + FLOOR) * (prior.get(name, 0.0) + LOOK_FLOOR) ** LOOK for name, share in votes.items()}
    return {name: share / sum(both.values()) for name, share in both.items()}


LOOK, LOOK_FLOOR = 0.25, 0.1
MOST_CERTAIN = 0.9998  # the look of the whole is never believed beyond this
# Chosen on generated bodies and things of the other variant.
STEEPNESS, SLACK = 27.0, 0.15
VOTERS = 20.0  # how many independent votes the vertices of a shape are worth


def restricted(probabilities: Probabilities, parts: Sequence[str], allowed: Sequence[str]) -> NDArray[np.float32]:
    """The probabilities given that only some of the parts are possible; rows add up to 1."""
    result = np.zeros_like(probabilities, dtype=np.float32)
    columns = _columns(parts, allowed)
    chosen = np.maximum(probabilities[:, columns], 1e-12)
    result[:, columns] = chosen / chosen.sum(axis=1, keepdims=True)
    return result


def grouped(
    probabilities: Probabilities, parts: Sequence[str], vocabulary: Vocabulary
) -> tuple[NDArray[np.float32], tuple[str, ...]]:
    """Probabilities in the parts of a vocabulary that joins `parts`, and their names.

    What the vocabulary does not score, if anything, becomes one part more: a vertex that is taken for a tail is not
    taken for the torso.
    """
    names, groups = vocabulary.names, list(vocabulary.parts.values())
    others = tuple(part for part in parts if vocabulary.index_of().get(part, -1) < 0)
    if others:
        names, groups = (*names, "other" if "other" not in names else "other parts"), [*groups, others]
    columns = [probabilities[:, _columns(parts, group)].sum(axis=1) for group in groups]
    return np.stack(columns, axis=1).astype(np.float32), names


def _columns(parts: Sequence[str], some: Sequence[str]) -> list[int]:
    return [index for index, part in enumerate(parts) if part in some]
