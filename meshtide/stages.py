"""What is being done just now, for somebody who waits: the library says it, and it is heard where somebody listens."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_listener: ContextVar[Callable[[str], None] | None] = ContextVar("listener", default=None)


def doing(words: str) -> None:
    """Say what begins now."""
    listener = _listener.get()
    if listener is not None:
        listener(words)


@contextmanager
def listening(listener: Callable[[str], None]) -> Iterator[None]:
    """Hear the stages of all that is done inside, in this process.

    >>> heard = []
    >>> with listening(heard.append):
    ...     doing("reading horse.obj")
    >>> doing("writing horse.glb")
    >>> heard
    ['reading horse.obj']
    """
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)
