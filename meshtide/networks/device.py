"""Where networks compute: the processor, or a graphics card that is there."""

from __future__ import annotations

from meshtide.errors import InputError

DEVICES = ("auto", "cpu", "cuda", "mps")


def choose_device(word: str) -> str:
    """The device that a word means on this machine; "auto" is cuda where there is one, else the processor.

    Apple's mps is taken only when it is asked for, as nothing here was ever run on one.

    >>> choose_device("cpu")
    'cpu'
    """
    import torch

    present = {"cpu": True, "cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    if word == "auto":
        return "cuda" if present["cuda"] else "cpu"
    if word not in present:
        raise InputError(f"`device={word}` is not known; there are {', '.join(DEVICES)}")
    if not present[word]:
        raise InputError(f"`device={word}`: this machine has none, or torch was installed without it; use cpu")
    return word
