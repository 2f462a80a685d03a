"""Where networks compute: the processor, or a graphics card that is there."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

from meshtide.errors import InputError

if TYPE_CHECKING:
    import torch
    from torch import Tensor

DEVICES = ("auto", "cpu", "cuda", "mps")
PINNING = ("cuda",)  # devices that read memory faster where it cannot be swapped out


def choose_device(word: str) -> str:
    """The device that a word means on this machine; "auto" is cuda where there is one, else the processor.

    Apple's mps is taken only when it is asked for, as nothing here was ever run on one.

    >>> choose_device("cpu")
    'cpu'
    """
    if word == "cpu":  # which needs no look, and so no torch
        return word
    import torch

    present = {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    if word == "auto":
        return "cuda" if present["cuda"] else "cpu"
    if word not in present:
        raise InputError(f"`device={word}` is not known; there are {', '.join(DEVICES)}")
    if not present[word]:
        raise InputError(f"`device={word}`: this machine has none, or torch was installed without it; use cpu")
    return word


def carried(value: Tensor, device: torch.device | str) -> Tensor:
    """A tensor on another device, on the way there while this processor goes on where the device can do that."""
    import torch

    kind = torch.device(device).type
    if kind in PINNING and value.device.type == "cpu" and value.layout is torch.strided:
        value = value.pin_memory()
    # Only towards a device: what is read on the processor has to be there.
    return value.to(device, non_blocking=kind != "cpu")


def full_precision(kind: str) -> AbstractContextManager[object]:
    """Leave mixed precision for a while; nothing on devices that do not know it."""
    import torch

    return torch.autocast(kind, enabled=False) if is_mixed(kind) else nullcontext()


def mixed_precision(kind: str, wanted: bool) -> AbstractContextManager[object]:
    """Products in bfloat16, if that is wanted."""
    import torch

    if not wanted:
        return nullcontext()
    if not torch.amp.is_autocast_available(kind):
        raise InputError(f"`precision=bfloat16`: a {kind} device has no mixed precision; use float32")
    return torch.autocast(kind, torch.bfloat16)


def is_mixed(kind: str) -> bool:
    """Whether products are in mixed precision now; torch raises where it does not know a device."""
    import torch

    return torch.amp.is_autocast_available(kind) and torch.is_autocast_enabled(kind)
