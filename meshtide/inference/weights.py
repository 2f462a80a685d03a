"""The bytes of a model file and the tensors in them, with nothing run and nothing trusted."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from meshtide.errors import InputError
from meshtide.inference.recorded import Recorded
from meshtide.words import listed

if TYPE_CHECKING:
    from torch import Tensor

KEY = "meshtide"  # of our entry in the safetensors metadata
MOST_BYTES = 2**30  # far beyond use


def bytes_of(path: Path) -> bytes:
    """All bytes of a model file; a folder, a device or a file too large for a model raises InputError."""
    try:
        if path.is_dir():
            raise InputError(f"{path}: is a folder; give the model file in it")
        if path.exists() and not path.is_file():
            raise InputError(f"{path}: is a device or a pipe and not a file; give a model file")
        size = path.stat().st_size
        if size > MOST_BYTES:
            raise InputError(f"{path}: has {size:,} bytes and a model at most {MOST_BYTES:,}; is it another file?")
        return path.read_bytes()
    except FileNotFoundError as error:
        raise InputError(f"{path}: no such file; give a model that `meshtide train` made") from error
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from error


def tensors_of(data: bytes) -> dict[str, Tensor]:
    """The tensors in a file's bytes; an InputError is a sentence about the file without its name."""
    if not data:
        raise InputError("is empty; was a download or a copy cut short?")
    if data.startswith((b"PK\x03\x04", b"\x80")) and data[8:9] != b"{":
        raise InputError(
            "is a pickled PyTorch file, which could run anything when read; give a model that `meshtide train` made"
        )
    import safetensors.torch

    try:
        return safetensors.torch.load(data)
    except Exception as error:  # whatever a damaged header does to safetensors, it is the file's fault
        if data[8:9] == b"{":
            raise InputError(f"is a damaged or shortened model ({error}); copy or train it again") from error
        raise InputError("is not a safetensors file; give a model that `meshtide train` made") from error


def state_of(network: Any) -> dict[str, Tensor]:
    """The weights of a network, in memory of their own."""
    import torch

    if isinstance(network, Recorded):
        return {name: torch.from_numpy(each.copy()) for name, each in network.weights.items()}
    # Copies: safetensors takes no tensors that share memory, which layers that share weights have.
    return {
        name: value.detach().cpu().clone(memory_format=torch.contiguous_format)
        for name, value in network.state_dict().items()
    }


def saved(tensors: Mapping[str, Tensor], metadata: dict[str, str]) -> bytes:
    """A safetensors file."""
    import safetensors.torch

    return safetensors.torch.save(dict(tensors), metadata)


def halved(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Weights as models that ship hold them, single precision rounded to half; beyond its range is an InputError."""
    import torch

    rounded = {name: each.half() if each.dtype == torch.float32 else each for name, each in tensors.items()}
    for name, each in rounded.items():
        if not each.isfinite().all():
            raise InputError(f"its '{name}' has values that half precision cannot hold")
    return rounded


def widened(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Weights as they are computed with: whatever was kept in half precision is single again."""
    import torch

    return {name: each.float() if each.dtype == torch.float16 else each for name, each in tensors.items()}


def description_of(data: bytes) -> str:
    """Our JSON in the header of a file that safetensors could read."""
    size = int.from_bytes(data[:8], "little")
    metadata = json.loads(data[8 : 8 + size]).get("__metadata__") or {}
    if KEY not in metadata:
        raise InputError(
            "is a safetensors file of another program, as it does not say which network it is for; "
            "give a model that `meshtide train` made"
        )
    return str(metadata[KEY])


def check_tensors(found: dict[str, Tensor], wanted: dict[str, Tensor]) -> None:
    """Raise InputError unless the tensors are, by name, shape and type, those of the network, and are numbers."""
    odd = sorted(found.keys() ^ wanted.keys())
    if odd:
        raise InputError(
            f"its weights are not those of its network; {listed(odd, most=3)} are missing or too many; "
            "was it changed, or made by another version?"
        )
    for name, tensor in found.items():
        if tensor.shape != wanted[name].shape or tensor.dtype != wanted[name].dtype:
            raise InputError(
                f"its '{name}' is {tensor.dtype} {tuple(tensor.shape)} and should be {wanted[name].dtype} "
                f"{tuple(wanted[name].shape)}; was it changed, or made by another version?"
            )
        if not tensor.isfinite().all():
            raise InputError(f"its '{name}' has infinite or undefined values; did its training diverge?")
