"""Names for the parts of things that are made of pieces, or of no bones at all: chairs, cups, cars, fish.

The network is the recogniser's with other outputs: for every face the parts of every kind, and one for a thing of no
kind. It reads what the recogniser has computed already, pieces that only lie near each other included. As it says what
kind a thing is too, a thing has names only where both agree.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import safetensors
from numpy.typing import NDArray

from meshtide.errors import InputError
from meshtide.files import write_atomically
from meshtide.inference.recognise import MOST_BYTES, SIZES, checked_size, kind_sizes
from meshtide.inference.recorded import (
    Recorded,
    asked,
    places_name,
    recorded,
    shipped_about,
    shipped_bytes,
    shipped_weights,
)
from meshtide.inference.regions.inputs import Inputs
from meshtide.inference.weights import halved, saved, state_of, widened
from meshtide.labels.labels import check_names

if TYPE_CHECKING:
    from meshtide.inference.kind_network import KindNet

FILE = "things.safetensors"
KEY = "meshtide-things"  # of our entry in the safetensors metadata
VOTERS = 4.0  # how many independent votes the faces of a shape are worth
NOTHING = "nothing"  # the last output


@dataclass(frozen=True, eq=False)
class Namer:
    """A trained network, and the kinds with the parts that its outputs are, one after the other."""

    network: KindNet | Recorded
    kinds: Mapping[str, tuple[str, ...]]

    def scores(self, inputs: Inputs) -> NDArray[np.float64]:
        """The log-probability of every output at every face, (f, outputs)."""
        return asked(self.network, **inputs.arrays()).astype(np.float64)

    def shares(self, scores: NDArray[np.float64], areas: NDArray[np.floating]) -> dict[str, float]:
        """How likely each kind is by the vote of the faces; what is missing to 1 is the share of none."""
        weights = areas / areas.sum()
        of_kinds = [np.logaddexp.reduce(scores[:, self.columns(kind)], axis=1) for kind in self.kinds]
        votes = VOTERS * np.array([weights @ each for each in (*of_kinds, scores[:, -1])])
        shares = np.exp(votes - votes.max())
        return dict(zip(self.kinds, (shares / shares.sum()).tolist(), strict=False))

    def parts(self, scores: NDArray[np.float64], kind: str) -> NDArray[np.float64]:
        """The log-probability of every part of a kind at every face, (f, parts), given that it is of that kind."""
        mine = scores[:, self.columns(kind)]
        return np.asarray(mine - np.logaddexp.reduce(mine, axis=1, keepdims=True))

    def columns(self, kind: str) -> slice:
        """Which outputs are the parts of a kind."""
        first = 0
        for name, parts in self.kinds.items():
            if name == kind:
                return slice(first, first + len(parts))
            first += len(parts)
        raise KeyError(kind)


def outputs_of(kinds: Mapping[str, tuple[str, ...]]) -> int:
    """How many outputs a network for these kinds has."""
    return sum(map(len, kinds.values())) + 1


def save_namer(namer: Namer, path: str | Path) -> None:
    """Write a namer as a safetensors file in half precision."""
    kinds = {kind: list(parts) for kind, parts in namer.kinds.items()}
    about = {"kinds": kinds, **dict(zip(SIZES, kind_sizes(namer.network), strict=True))}
    write_atomically(Path(path), saved(halved(state_of(namer.network)), {KEY: json.dumps(about)}))


def load_namer(path: str | Path) -> Namer:
    """Read what `save_namer` wrote; anything else raises InputError."""
    from meshtide.inference.kind_network import KindNet

    path = Path(path)
    try:
        if path.stat().st_size > MOST_BYTES:
            raise InputError(f"{path}: is too large for a model that names things; get or train it again")
        with safetensors.safe_open(path, framework="pt") as file:
            about = json.loads((file.metadata() or {})[KEY])
            tensors = widened({name: file.get_tensor(name) for name in file.keys()})  # noqa: SIM118  # not a dict
        kinds = {str(kind): tuple(map(str, parts)) for kind, parts in dict(about["kinds"]).items()}
        for parts in kinds.values():
            check_names(parts)
        sizes = [checked_size(each) for each in (outputs_of(kinds), *(about[name] for name in SIZES))]
        network = KindNet(*sizes)
        network.load_state_dict(tensors)
    except (OSError, KeyError, ValueError, TypeError, RuntimeError, safetensors.SafetensorError) as error:
        raise InputError(
            f"{path}: is no model that names things ({str(error)[:120]}); get or train it again"
        ) from error
    return Namer(network.eval(), kinds)


@lru_cache(maxsize=1)
def default_namer() -> Namer:
    """The model that names things and comes with meshtide, trained on generated shapes alone; it answers by numpy."""
    data = shipped_bytes(FILE)
    about = shipped_about(data, KEY)
    network = recorded(places_name("kinds", *(about[size] for size in SIZES)), shipped_weights(data))
    if network is None:
        with resources.as_file(resources.files("meshtide") / "models" / FILE) as place:
            return load_namer(place)
    return Namer(network, {kind: tuple(parts) for kind, parts in about["kinds"].items()})
