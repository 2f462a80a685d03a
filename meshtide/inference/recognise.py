"""What kind of thing a shape is, or that it is none whose parts have names.

A network of the make that finds regions looks at every face and says which of all the things that the generator makes
it may belong to; the faces of a shape vote. Most of these things have no names for their parts, and their votes
together are those for "none": so a teapot is no bird, although it has something like a head.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Any

import safetensors
import safetensors.torch
import torch
from torch import Tensor, nn

from meshtide.errors import InputError
from meshtide.files import write_atomically
from meshtide.inference.known_kinds import KIND_OF, KNOWN_KINDS
from meshtide.inference.regions.embedding import ArrowBlock, Places
from meshtide.inference.regions.inputs import ARROWS, NUMBERS, Inputs, Prepared, prepare_surface
from meshtide.inference.regions.surface import working_surface
from meshtide.inference.weights import halved, widened
from meshtide.mesh.mesh import Mesh
from meshtide.words import shown

KEY = "meshtide-kinds"  # of our entry in the safetensors metadata
VOTERS = 4.0  # how many independent votes the faces of a shape are worth
MOST_BYTES = 2**22
MOST_SIZE = 512  # channels, arrows, blocks or sorts that a file may ask for


class KindNet(nn.Module):
    """Faces to scores of the sorts of things they may belong to: TIDE on numbers and arrows, and a small MLP."""

    mean: Tensor
    spread: Tensor

    def __init__(self, sorts: int, channels: int, arrows: int, blocks: int) -> None:
        super().__init__()
        self.register_buffer("mean", torch.zeros(NUMBERS))
        self.register_buffer("spread", torch.ones(NUMBERS))
        self.first = nn.Linear(NUMBERS, channels)
        self.first_arrows = nn.Linear(ARROWS, arrows, bias=False)
        self.blocks = nn.ModuleList(ArrowBlock(channels, arrows) for _ in range(blocks))
        self.head = nn.Sequential(nn.Linear(channels + arrows, 96), nn.ReLU(), nn.Dropout(0.1), nn.Linear(96, sorts))

    def forward(self, places: Places) -> Tensor:
        """Scores of every sort at every face, (N, sorts)."""
        result: Tensor = self.head(self.features(places))
        return result

    def features(self, places: Places) -> Tensor:
        """What the head reads at every face, (N, channels + arrows)."""
        numbers = self.first((places.numbers - self.mean) / self.spread)
        arrows = self.first_arrows(places.arrows)
        for block in self.blocks:
            numbers, arrows = block(numbers, arrows, places)
        lengths = arrows.square().sum(dim=1).clamp(min=1e-6).sqrt()
        return torch.cat([numbers, lengths], dim=1)


def pooled(scores: Tensor, weights: Tensor) -> Tensor:
    """The vote of faces (N, sorts) with their shares of the area, (N,), as logits of the sorts."""
    return VOTERS * (weights @ torch.log_softmax(scores, dim=1))


@dataclass(frozen=True, eq=False)
class Recogniser:
    """A trained network and the sorts of things it knows; which kinds they are of is said in `known_kinds`."""

    network: KindNet
    sorts: tuple[str, ...]

    @torch.inference_mode()
    def shares(self, inputs: Inputs) -> tuple[dict[str, float], float]:
        """How likely each kind is, and how likely it is that the shape is of none of them; all add up to 1."""
        weights = torch.from_numpy(inputs.areas / inputs.areas.sum())
        votes = torch.softmax(pooled(self.network(Places.of(inputs)), weights), dim=0).double().numpy()
        kinds = dict.fromkeys(KNOWN_KINDS, 0.0)
        none = 0.0
        for sort, share in zip(self.sorts, votes.tolist(), strict=True):
            if sort in KIND_OF:
                kinds[KIND_OF[sort]] += share
            else:
                none += share
        return kinds, none


def save_recogniser(recogniser: Recogniser, path: str | Path) -> None:
    """Write a recogniser as a safetensors file in half precision."""
    network = recogniser.network
    about = {
        "sorts": recogniser.sorts,
        "channels": network.first.out_features,
        "arrows": network.first_arrows.out_features,
        "blocks": len(network.blocks),
    }
    data = safetensors.torch.save(halved(network.state_dict()), {KEY: json.dumps(about)})
    write_atomically(Path(path), data)


def load_recogniser(path: str | Path) -> Recogniser:
    """Read what `save_recogniser` wrote; anything else raises InputError."""
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
    """The recogniser that comes with meshtide, trained on generated shapes alone."""
    with resources.as_file(resources.files("meshtide") / "models" / "kinds.safetensors") as place:
        return load_recogniser(place)


def checked_size(value: Any) -> int:
    """A size that a file asks for, if a network may have it."""
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= MOST_SIZE:
        raise ValueError(f"a size of {value!r}")
    return value


@dataclass(frozen=True, eq=False)
class Recognition:
    """What a shape was recognised as, with the working surface that was computed for it."""

    shares: dict[str, float]  # kind -> how likely it is
    none: float  # how likely it is that the shape is of no kind with names
    prepared: Prepared


def recognise(mesh: Mesh) -> Recognition:
    """Look at a whole mesh and say what kind of thing it is."""
    prepared = prepare_surface(working_surface(mesh))
    return Recognition(*default_recogniser().shares(prepared.inputs), prepared)
