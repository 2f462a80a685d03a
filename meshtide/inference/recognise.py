"""What kind of thing a shape is, or that it is none whose parts have names.

A network of the make that finds regions looks at every face and says which of all the things that the generator makes
it may belong to; the faces of a shape vote. Most of these things have no names for their parts, and their votes
together are those for "none": so a teapot is no bird, although it has something like a head.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import safetensors

from meshtide.errors import InputError
from meshtide.files import write_atomically
from meshtide.inference.known_kinds import KIND_OF, KNOWN_KINDS
from meshtide.inference.recorded import (
    PROGRAMS,
    Recorded,
    asked,
    places_name,
    recorded,
    shipped_about,
    shipped_bytes,
    shipped_weights,
    weight_of,
)
from meshtide.inference.regions.inputs import Inputs, Prepared, prepare_surface
from meshtide.inference.regions.surface import working_surface
from meshtide.inference.weights import halved, saved, state_of, widened
from meshtide.mesh.mesh import Mesh
from meshtide.spectral.cache import Cache, answer_key
from meshtide.stages import doing
from meshtide.words import shown

if TYPE_CHECKING:
    from meshtide.inference.kind_network import KindNet
    from meshtide.inference.regions.embedding import RegionNet

FILE = "kinds.safetensors"
SIZES = ("channels", "arrows", "blocks")
KEY = "meshtide-kinds"  # of our entry in the safetensors metadata
VOTERS = 4.0  # how many independent votes the faces of a shape are worth
MOST_BYTES = 2**22
RECOGNITION_VERSION = 1  # one more whenever a surface is prepared otherwise, so that nothing old is remembered
MOST_SIZE = 512  # channels, arrows, blocks or sorts that a file may ask for


def pooled(logs: Any, weights: Any) -> Any:
    """The vote of faces, log-probabilities (N, sorts), with their shares of the area, (N,), as logits of the sorts."""
    return VOTERS * (weights @ logs)


@dataclass(frozen=True, eq=False)
class Recogniser:
    """A trained network and the sorts of things it knows; which kinds they are of is said in `known_kinds`."""

    network: KindNet | Recorded
    sorts: tuple[str, ...]

    def shares(self, inputs: Inputs) -> tuple[dict[str, float], float]:
        """How likely each kind is, and how likely it is that the shape is of none of them; all add up to 1."""
        logits = pooled(asked(self.network, **inputs.arrays()), inputs.areas / inputs.areas.sum())
        votes = np.exp(logits.astype(np.float64) - logits.max())
        kinds = dict.fromkeys(KNOWN_KINDS, 0.0)
        none = 0.0
        for sort, share in zip(self.sorts, (votes / votes.sum()).tolist(), strict=True):
            if sort in KIND_OF:
                kinds[KIND_OF[sort]] += share
            else:
                none += share
        return kinds, none


def save_recogniser(recogniser: Recogniser, path: str | Path) -> None:
    """Write a recogniser as a safetensors file in half precision."""
    about = {"sorts": recogniser.sorts, **dict(zip(SIZES, kind_sizes(recogniser.network), strict=True))}
    write_atomically(Path(path), saved(halved(state_of(recogniser.network)), {KEY: json.dumps(about)}))


def load_recogniser(path: str | Path) -> Recogniser:
    """Read what `save_recogniser` wrote; anything else raises InputError."""
    from meshtide.inference.kind_network import KindNet

    path = Path(path)
    try:
        if path.stat().st_size > MOST_BYTES:
            raise InputError(f"{path}: is too large for a recogniser of kinds; get or train it again")
        with safetensors.safe_open(path, framework="pt") as file:
            about = json.loads((file.metadata() or {})[KEY])
            tensors = widened({name: file.get_tensor(name) for name in file.keys()})  # noqa: SIM118  # not a dict
        sorts = tuple(map(str, about["sorts"]))
        sizes = [checked_size(each) for each in (len(sorts), about["channels"], about["arrows"], about["blocks"])]
        network = KindNet(*sizes)
        network.load_state_dict(tensors)
    except (OSError, KeyError, ValueError, TypeError, RuntimeError, safetensors.SafetensorError) as error:
        cause = shown(str(error), 120)
        raise InputError(f"{path}: is no recogniser of kinds ({cause}); get or train it again") from error
    return Recogniser(network.eval(), sorts)


@lru_cache(maxsize=1)
def default_recogniser() -> Recogniser:
    """The recogniser that comes with meshtide, trained on generated shapes alone; where it can it answers by numpy."""
    data = shipped_bytes(FILE)
    about = shipped_about(data, KEY)
    network = recorded(places_name("kinds", *(about[size] for size in SIZES)), shipped_weights(data))
    return trained_recogniser() if network is None else Recogniser(network, tuple(about["sorts"]))


def trained_recogniser() -> Recogniser:
    """The same with its network in torch, to learn from."""
    with resources.as_file(resources.files("meshtide") / "models" / FILE) as place:
        return load_recogniser(place)


def kind_sizes(network: KindNet | RegionNet | Recorded) -> tuple[int, int, int]:
    """The channels, arrows and blocks of a network."""
    names = state_of(network).keys()
    blocks = {name.split(".")[1] for name in names if name.startswith("blocks.")}
    return len(weight_of(network, "first.weight")), len(weight_of(network, "first_arrows.weight")), len(blocks)


def checked_size(value: Any) -> int:
    """A size that a file asks for, if a network may have it."""
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= MOST_SIZE:
        raise ValueError(f"a size of {value!r}")
    return value


@dataclass(frozen=True, eq=False)
class Recognition:
    """What a shape was recognised as."""

    shares: dict[str, float]  # kind -> how likely it is
    none: float  # how likely it is that the shape is of no kind with names
    mesh: Mesh  # the shape

    @cached_property
    def prepared(self) -> Prepared:
        """The working surface; what was recognised before is remembered without it, and few need it."""
        return prepare_surface(working_surface(self.mesh))


def recognise(mesh: Mesh, cache: Cache | None = None) -> Recognition:
    """Look at a whole mesh and say what kind of thing it is, by way of a cache if one is given."""
    key = None if cache is None else answer_key(mesh, _maker())
    known = None if cache is None or key is None else cache.answer(key)
    if known is not None and known.keys() == {"shares", "none"} and known["shares"].keys() == KNOWN_KINDS.keys():
        return Recognition(known["shares"], known["none"], mesh)
    doing("looking at what it is")
    prepared = prepare_surface(working_surface(mesh))
    shares, none = default_recogniser().shares(prepared.inputs)
    seen = Recognition(shares, none, mesh)
    seen.__dict__["prepared"] = prepared  # where cached_property looks first
    if cache is not None and key is not None:
        cache.keep_answer(key, {"shares": shares, "none": none})
    return seen


@lru_cache(maxsize=1)
def _maker() -> str:
    """What shapes a recognition besides the mesh: the weights, the program, and how surfaces are prepared."""
    files = hashlib.blake2b(shipped_bytes(FILE) + shipped_bytes(PROGRAMS), digest_size=16)
    return f"recognition {RECOGNITION_VERSION}, {files.hexdigest()}"
