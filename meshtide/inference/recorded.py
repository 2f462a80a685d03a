"""The networks that ship, asked without torch.

Importing torch takes longer than all else that a small mesh needs. So what each of these networks does was recorded as
a program (`meshtide.networks.program`), which stands beside the weights in models/programs.json and which numpy
follows. The network remains the only definition: `meshtide remake programs` records it again, and a test compares both
on random weights and inputs. What has no program, or may have been changed since, answers by torch.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Any

import numpy as np
import safetensors.numpy
from numpy.typing import NDArray

from meshtide.networks.program import Program

PROGRAMS = "programs.json"


@dataclass(frozen=True, eq=False)
class Recorded:
    """A network that answers by its program; `asked` asks it."""

    program: Program
    weights: Mapping[str, NDArray[np.float32]]


def asked(network: Any, **arrays: NDArray[np.float32]) -> NDArray[np.float32]:
    """What a network answers about arrays, recorded or not."""
    if isinstance(network, Recorded):
        return network.program.run(network.weights, arrays)
    from meshtide.inference.forms import asked_in_torch

    return asked_in_torch(network, arrays)


def weight_of(network: Any, name: str) -> NDArray[np.float32]:
    """Some learned numbers of a network, recorded or not."""
    if isinstance(network, Recorded):
        return network.weights[name]
    found: NDArray[np.float32] = network.state_dict()[name].detach().cpu().numpy()
    return found


def recorded(name: str, weights: Mapping[str, NDArray[np.float32]]) -> Recorded | None:
    """A network with these weights, if its program is known by this name."""
    program = _programs().get(name)
    return None if program is None else Recorded(program, weights)


def places_name(network: str, *sizes: int) -> str:
    """What the program of a network that reads a prepared surface is called."""
    return f"{network} of {' '.join(map(str, sizes))}"


def surface_name(network: str, options: Mapping[str, Any]) -> str:
    """What the program of a network that reads a graph by the surface operator is called."""
    return f"{network} {json.dumps(dict(options), sort_keys=True)}"


def shipped_bytes(name: str) -> bytes:
    """A file of models/."""
    return (resources.files("meshtide") / "models" / name).read_bytes()


def shipped_weights(data: bytes, prefix: str = "") -> dict[str, NDArray[np.float32]]:
    """The weights whose names begin so, in a file that ships; single again where they were kept in half precision."""
    return {
        name.removeprefix(prefix): each.astype(np.float32)
        for name, each in safetensors.numpy.load(data).items()
        if name.startswith(prefix)
    }


def shipped_about(data: bytes, key: str) -> Any:
    """The JSON in the header of a file that ships."""
    size = int.from_bytes(data[:8], "little")
    return json.loads(json.loads(data[8 : 8 + size])["__metadata__"][key])


@lru_cache(maxsize=1)
def _programs() -> dict[str, Program]:
    return {name: Program.of(rows) for name, rows in json.loads(shipped_bytes(PROGRAMS)).items()}
