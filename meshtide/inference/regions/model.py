"""The model for regions as one safetensors file: the embedding, the judge of pairs and, as JSON, what they are."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from safetensors import SafetensorError, safe_open

from meshtide import __version__
from meshtide.errors import InputError
from meshtide.files import write_atomically
from meshtide.inference.recorded import (
    Recorded,
    places_name,
    recorded,
    shipped_about,
    shipped_bytes,
    shipped_weights,
    weight_of,
)
from meshtide.inference.regions.pairs import RecordedJudge
from meshtide.inference.weights import halved, saved, state_of, widened
from meshtide.words import shown

if TYPE_CHECKING:
    import torch

    from meshtide.inference.regions.embedding import RegionNet
    from meshtide.inference.regions.pair_network import PairJudge

FORMAT = 1
FILE = "regions.safetensors"
KEY = "meshtide-regions"
MOST_BYTES = 2**26


@dataclass(frozen=True)
class RegionAbout:
    """How the networks are built, and where the model comes from."""

    channels: int = 96
    arrows: int = 24
    blocks: int = 4
    outputs: int = 24
    bias: float = 0.0  # added to all logits, and what they are multiplied by: the two constants
    slope: float = 1.0  # that make people's idea of a part out of the generator's
    trained_on: dict[str, Any] = field(default_factory=dict)
    version: str = __version__
    format: int = FORMAT

    @property
    def sizes(self) -> tuple[int, int, int, int]:
        """What the network for places is built with."""
        return self.channels, self.arrows, self.blocks, self.outputs


@dataclass(frozen=True, eq=False)
class RegionModel:
    """All that is needed to divide a mesh into regions."""

    network: RegionNet | Recorded
    judge: PairJudge | RecordedJudge
    about: RegionAbout

    @property
    def scale(self) -> float:
        """What an embedded distance is multiplied by to become a logit."""
        return float(np.exp(weight_of(self.network, "log_scale")))


@lru_cache(maxsize=1)
def default_region_model() -> RegionModel:
    """The model for regions that comes with meshtide, trained on generated shapes alone; it answers by numpy."""
    data = shipped_bytes(FILE)
    about = RegionAbout(**shipped_about(data, KEY))
    network = recorded(places_name("regions", *about.sizes), shipped_weights(data, "network."))
    first, second = (recorded("pairs", shipped_weights(data, f"judge.{name}.")) for name in ("first", "second"))
    if network is None or first is None or second is None:
        return trained_region_model()
    return RegionModel(network, RecordedJudge(first, second), about)


def trained_region_model() -> RegionModel:
    """The same with its networks in torch, to learn from."""
    with resources.as_file(resources.files("meshtide") / "models" / FILE) as place:
        return load_region_model(place)


def save_region_model(model: RegionModel, path: str | Path) -> None:
    """Write a model as one safetensors file in half precision, replaced whole or not at all."""
    networks = {"network.": model.network, "judge.first.": model.judge.first, "judge.second.": model.judge.second}
    tensors = {f"{prefix}{name}": each for prefix, one in networks.items() for name, each in state_of(one).items()}
    text = json.dumps(asdict(model.about), sort_keys=True, allow_nan=False)
    write_atomically(Path(path), saved(halved(tensors), {KEY: text}))


def load_region_model(path: str | Path) -> RegionModel:
    """Read what `save_region_model` wrote; nothing in the file is run, and what does not fit raises InputError."""
    path = Path(path)
    if not path.is_file():
        raise InputError(f"{path}: no such file; give a model for regions")
    if path.stat().st_size > MOST_BYTES:
        raise InputError(f"{path}: is larger than any model for regions; is it another file?")
    try:
        with safe_open(str(path), framework="pt") as file:
            text = (file.metadata() or {}).get(KEY)
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118  # it is no dictionary
    except (SafetensorError, OSError, RuntimeError, TypeError, ValueError, KeyError) as error:
        raise InputError(f"{path}: is no safetensors file, or a damaged one ({error})") from error
    if text is None:
        raise InputError(f"{path}: is a safetensors file, but no model for regions")
    return _built(path, _about(path, text), widened(tensors))


def _about(path: Path, text: str) -> RegionAbout:
    try:
        about = RegionAbout(**json.loads(text))
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(
            f"{path}: its description cannot be read ({shown(str(error), 200)}); get or train it again"
        ) from error
    sizes = about.sizes
    if about.format != FORMAT:
        raise InputError(f"{path}: is a model of format {shown(repr(about.format))} and this meshtide reads {FORMAT}")
    if not all(type(size) is int and 1 <= size <= 512 for size in sizes) or about.outputs < 3:
        raise InputError(
            f"{path}: asks for a network of sizes {shown(repr(sizes))}, which none has; get or train it again"
        )
    return about


def _built(path: Path, about: RegionAbout, tensors: dict[str, torch.Tensor]) -> RegionModel:
    import torch

    from meshtide.inference.regions.embedding import RegionNet
    from meshtide.inference.regions.pair_network import PairJudge

    # Building draws random numbers; loading a model must not change what comes after it.
    with torch.random.fork_rng(devices=[]):
        network, judge = RegionNet(*about.sizes), PairJudge()
    try:
        network.load_state_dict(_under(tensors, "network."))
        judge.load_state_dict(_under(tensors, "judge."))
    except (RuntimeError, TypeError, ValueError) as error:
        raise InputError(f"{path}: its weights are not those of its networks; was it changed?") from error
    # Behind the check of their sizes: torch fails at tensors of more than 64 dimensions.
    if not all(bool(torch.isfinite(each).all()) for one in (network, judge) for each in one.state_dict().values()):
        raise InputError(f"{path}: some of its weights are not finite numbers; did its training diverge?")
    return RegionModel(network.eval(), judge.eval(), about)


def _under(tensors: dict[str, torch.Tensor], prefix: str) -> dict[str, torch.Tensor]:
    return {name.removeprefix(prefix): value for name, value in tensors.items() if name.startswith(prefix)}
