"""Memory of the process: whether there is room for more, and giving back what is free inside of it."""

from __future__ import annotations

import ctypes
import mmap
import sys
import time

SECONDS = 5.0  # at the most so often: it takes some milliseconds

_last = 0.0


def need(size: int) -> None:
    """Raise MemoryError unless the process may have so many bytes more: libraries in C die of what they do not get."""
    try:
        mmap.mmap(-1, size).close()  # no more than a promise
    except OSError:
        raise MemoryError(f"no room for {size:,} bytes") from None


def give_back() -> None:
    """Return what many arrays of many sizes have left in pieces; without it a process grows with every mesh it sees.

    Linux's allocator does not do that by itself.
    """
    global _last
    now = time.monotonic()
    if not sys.platform.startswith("linux") or now - _last < SECONDS:
        return
    _last = now
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # which only the GNU library has
    if trim is not None:
        trim(0)
