"""Memory that is free inside the process goes back to the system, which Linux's allocator does not do by itself."""

from __future__ import annotations

import ctypes
import sys
import time

SECONDS = 5.0  # at the most so often: it takes some milliseconds

_last = 0.0


def give_back() -> None:
    """Return what many arrays of many sizes have left in pieces; without it a process grows with every mesh it sees."""
    global _last
    now = time.monotonic()
    if not sys.platform.startswith("linux") or now - _last < SECONDS:
        return
    _last = now
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # which only the GNU library has
    if trim is not None:
        trim(0)
