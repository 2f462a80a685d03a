"""What went wrong with one mesh of many, in a sentence; whatever it was, it costs that mesh alone."""

from __future__ import annotations

from pathlib import Path

from meshtide.errors import InputError, printable
from meshtide.words import shown

_OF_TORCH = ("not enough memory", "can't allocate memory", "out of memory")  # on Windows, on Linux, on a GPU
_OF_LOADING = ("cannot allocate memory", "failed to map segment")
NO_MEMORY = "there is not enough memory for it; give fewer `max_vertices`, or simplify it in another program first"


def sentence_about(path: Path | str, error: Exception) -> str:
    """What went wrong with one mesh."""
    if isinstance(error, InputError):
        return str(error)
    if isinstance(error, MemoryError) or is_out_of_memory(error):
        return printable(f"{path}: {NO_MEMORY}")
    if isinstance(error, OSError):
        return printable(f"{error.filename or path}: cannot be read or written ({error.strerror or error})")
    what = shown(f"{type(error).__name__}: {error}", 300)
    return printable(f"{path}: meshtide has a fault here ({what}); please report it with the file")


def is_our_fault(error: Exception) -> bool:
    """Whether the user could do nothing about it."""
    return not isinstance(error, InputError | OSError | MemoryError) and not is_out_of_memory(error)


def is_out_of_memory(error: Exception) -> bool:
    """Whether torch or the loader of libraries found too little memory; neither has an exception of its own for it."""
    said = str(error).lower()
    signs = _OF_LOADING if isinstance(error, ImportError) else _OF_TORCH if isinstance(error, RuntimeError) else ()
    return any(sign in said for sign in signs)
