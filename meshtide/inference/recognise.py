"""What kind of thing a shape is, or that it is none whose parts have names.

A network of the make that finds regions looks at every face and says which of all the things that the generator makes
it may belong to; the faces of a shape vote. Most of these things have no names for their parts, and their votes
together are those for "none": so a teapot is no bird, although it has something like a head.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
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
from meshtide.inference.regions.embedding import ArrowBlock, Places
from meshtide.inference.regions.inputs import ARROWS, NUMBERS, Inputs, Prepared, prepare_surface
from meshtide.inference.regions.surface import working_surface
from meshtide.mesh.mesh import Mesh

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
        numbers = self.first((places.numbers - self.mean) / self.spread)
        arrows = self.first_arrows(places.arrows)
        for block in self.blocks:
            numbers, arrows = block(numbers, arrows, places)
        lengths = arrows.square().sum(dim=1).clamp(min=1e-6).sqrt()
        result: Tensor = self.head(torch.cat([numbers, lengths], dim=1))
        return result


def pooled(scores: Tensor, weights: Tensor) -> Tensor:
    """The vote of faces (N, sorts) with their shares of the area, (N,), as logits of the sorts."""
    return VOTERS * (weights @ torch.log_softmax(scores, dim=1))


@dataclass(frozen=True, eq=False)
class Recogniser:
    """A trained network, the sorts of things it knows, and which of them are of a kind whose parts have names."""

    network: KindNet
    sorts: tuple[str, ...]
    named: Mapping[str, str]  # sort -> kind

    @torch.inference_mode()
    def shares(self, inputs: Inputs) -> tuple[dict[str, float], float]:
        """How likely each kind is, and how likely it is that the shape is of none of them; all add up to 1."""
        weights = torch.from_numpy(inputs.areas / inputs.areas.sum())
        votes = torch.softmax(pooled(self.network(Places.of(inputs)), weights), dim=0).double().numpy()
        kinds = dict.fromkeys(self.named.values(), 0.0)
        none = 0.0
        for sort, share in zip(self.sorts, votes.tolist(), strict=True):
            if sort in self.named:
                kinds[self.named[sort]] += share
            else:
                none += share
        return kinds, none


def save_recogniser(recogniser: Recogniser, path: str | Path) -> None:
    """Write a recogniser as a safetensors file."""
    network = recogniser.network
    about = {
        "sorts": recogniser.sorts,
        "named": dict(recogniser.named),
        "channels": network.first.out_features,
        "arrows": network.first_arrows.out_features,
        "blocks": len(network.blocks),
    }
    data = safetensors.torch.save(network.state_dict(), {KEY: json.dumps(about)})
    write_atomically(Path(path), data)


def load_recogniser(path: str | Path) -> Recogniser:
    """Read what `save_recogniser` wrote; anything else raises InputError."""
    path = Path(path)
    try:
        if path.stat().st_size > MOST_BYTES:
            raise InputError(f"{path}: is too large for a recogniser of kinds; get or train it again")
        with safetensors.safe_open(path, framework="pt") as file:
            about = json.loads((file.metadata() or {})[KEY])
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118  # not a dict
        sorts = tuple(map(str, about["sorts"]))
        named = {str(sort): str(kind) for sort, kind in dict(about["named"]).items() if sort in sorts}
        sizes = [_size(each) for each in (len(sorts), about["channels"], about["arrows"], about["blocks"])]
        network = KindNet(*sizes)
        network.load_state_dict(tensors)
    except (OSError, KeyError, ValueError, TypeError, RuntimeError, safetensors.SafetensorError) as error:
        raise InputError(f"{path}: is no recogniser of kinds ({str(error)[:120]}); get or train it again") from error
    return Recogniser(network.eval(), sorts, named)


@lru_cache(maxsize=1)
def default_recogniser() -> Recogniser:
    """The recogniser that comes with meshtide, trained on generated shapes alone."""
    with resources.as_file(resources.files("meshtide") / "models" / "kinds.safetensors") as place:
        return load_recogniser(place)


def _size(value: Any) -> int:
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
