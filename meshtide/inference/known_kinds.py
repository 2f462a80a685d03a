"""The kinds whose parts have names: which of the models that ship names them, and which sorts of things they are.

The recogniser tells sorts of things apart, as the generator calls them, and knows nothing of names. Which sort is of
which kind stands here alone, so that a kind is added or widened without training the recogniser again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from meshtide.errors import InputError
from meshtide.inference.model import DEFAULT, shipped_model
from meshtide.words import listed

THINGS = "things"  # the model that names things, which reads what the recogniser reads


@dataclass(frozen=True)
class KnownKind:
    """A kind whose parts have names."""

    model: str  # the shipped model that names them: one of `SHIPPED`, or THINGS
    sorts: tuple[str, ...]  # what of all that the recogniser tells apart is of this kind
    reliable: bool = True  # else its parts have names only where the kind is asked for


KNOWN_KINDS: Mapping[str, KnownKind] = {
    "humanoid": KnownKind(
        DEFAULT,
        (
            "bodies.humanoid",
            "creatures.dressed",
            "creatures.seated",
            "creatures.teddy",
            "creatures.cartoon",
            "creatures.critter",
        ),
    ),
    "quadruped": KnownKind(DEFAULT, ("bodies.quadruped", "creatures.beast")),
    "bird": KnownKind(DEFAULT, ("bodies.bird", "creatures.bird")),
    "hand": KnownKind(DEFAULT, ("bodies.hand", "creatures.hand")),
    "octopus": KnownKind(DEFAULT, ("bodies.octopus", "creatures.octopus")),
    "ant": KnownKind(DEFAULT, ("bodies.ant",)),
    "chair": KnownKind(THINGS, ("objects.chair", "objects.stool", "objects.sofa"), reliable=False),
    "table": KnownKind(THINGS, ("objects.table",)),
    "lamp": KnownKind(THINGS, ("objects.lamp",)),
    "cup": KnownKind(THINGS, ("objects.mug",)),
    "bottle": KnownKind(THINGS, ("objects.bottle",)),
    "vase": KnownKind(THINGS, ("objects.vase",), reliable=False),
    "teapot": KnownKind(THINGS, ("objects.teapot",)),
    "airplane": KnownKind(THINGS, ("objects.airplane",)),
    "car": KnownKind(THINGS, ("objects.car", "objects.truck")),
    "glasses": KnownKind(THINGS, ("objects.glasses",)),
    "fish": KnownKind(THINGS, ("creatures.fish",)),
    "snake": KnownKind(THINGS, ("creatures.snake",)),
    "insect": KnownKind(THINGS, ("creatures.insect", "creatures.beetle")),
    "dinosaur": KnownKind(THINGS, ("creatures.saurian",), reliable=False),
    "bust": KnownKind(THINGS, ("creatures.bust",)),
    "face": KnownKind(THINGS, ("creatures.mask",), reliable=False),
}
KIND_OF: Mapping[str, str] = {sort: kind for kind, known in KNOWN_KINDS.items() for sort in known.sorts}


def known_kinds() -> dict[str, tuple[str, ...]]:
    """Every kind whose parts have names, with those names: what `segment` knows without a model of one's own.

    >>> import meshtide as mt
    >>> mt.known_kinds()["hand"]
    ('palm', 'finger')
    """
    # Here and not above: the network that names things is the recogniser's, which reads the table above.
    from meshtide.inference.things import default_namer

    return {
        kind: default_namer().kinds[kind] if known.model == THINGS else shipped_model(known.model).about.kinds[kind]
        for kind, known in KNOWN_KINDS.items()
    }


def known_kind(kind: str) -> KnownKind:
    """What is known of a kind; a word that is none raises InputError."""
    if kind not in KNOWN_KINDS:
        raise InputError(f"there is no kind '{kind}' whose parts have names; there are {listed(KNOWN_KINDS, most=60)}")
    return KNOWN_KINDS[kind]


def together_by_model(shares: Mapping[str, float]) -> dict[str, float]:
    """How likely the kinds of every model are together, given how likely each kind is."""
    together = dict.fromkeys((DEFAULT, THINGS), 0.0)
    for kind, share in shares.items():
        together[KNOWN_KINDS[kind].model] += share
    return together
