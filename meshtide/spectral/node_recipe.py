"""What is computed for a graph that is no mesh; its features are given, where those of a mesh are computed."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields
from typing import Any

from meshtide.errors import InputError
from meshtide.spectral.recipe import MOST_EIGENPAIRS
from meshtide.words import known, listed

# As they are; every node's divided by their sum; every feature brought to mean 0 and spread 1 over the nodes.
FEATURES = ("given", "row-normalised", "standardised")
MOST_CHANNELS = 1_000_000  # far beyond use; a bound so that a damaged file cannot ask for a terabyte


@dataclass(frozen=True)
class NodeRecipe:
    """The number of eigenpairs of the graph operator and of features that every node has.

    >>> NodeRecipe(channels=1433).operator
    'graph'
    """

    channels: int
    k: int = 64
    operator: str = "graph"
    features: str = "given"  # how they are brought into shape, a word of `FEATURES`

    def __post_init__(self) -> None:
        for noun, value, most in (("channels", self.channels, MOST_CHANNELS), ("k", self.k, MOST_EIGENPAIRS)):
            if type(value) is not int or not 1 <= value <= most:
                raise InputError(f"`{noun}={value!r}`: should be a whole number from 1 to {most:,}")
        known(self.features, FEATURES, "features")
        if self.operator != "graph":
            raise InputError(
                f"operator {self.operator!r} needs a surface; a graph that is no mesh has `operator=graph`"
            )

    @staticmethod
    def of(content: dict[str, Any]) -> NodeRecipe:
        """The recipe in what `to_json` wrote, read as JSON; anything else raises InputError."""
        known_fields = [entry.name for entry in fields(NodeRecipe)]
        odd = sorted(set(content) ^ set(known_fields))
        if odd:
            raise InputError(f"a graph's recipe lacks, or should not have, {listed(odd)}")
        return NodeRecipe(**content)

    def to_json(self) -> str:
        """Write the recipe in its one canonical form: equal recipes give equal text."""
        return json.dumps(asdict(self), sort_keys=True, separators=(",", ":"))
