"""How far the work on one mesh is: a line that stands on a terminal while it lasts, lines with -v."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.markup import escape

from meshtide.cli.console import SECONDS_BETWEEN_LINES, err, out
from meshtide.stages import listening
from meshtide.words import shown


@contextmanager
def every_stage() -> Iterator[None]:
    """A line for every stage, with the seconds since the beginning; what -v asks for."""
    started = time.monotonic()
    with listening(lambda words: err.print(f"[dim]{time.monotonic() - started:6.1f} s[/dim]  {escape(words)}")):
        yield


@contextmanager
def shown_stages(name: str) -> Iterator[None]:
    """The stage that the work on one mesh is at; in a pipe those alone that begin after half a minute without one."""
    name = shown(name)
    if out.verbose or out.quiet:
        yield
    elif err.is_terminal:
        with (
            err.status(escape(name)) as status,
            listening(lambda words: status.update(escape(f"{name}: {shown(words)}"))),
        ):
            yield
    else:
        with listening(_Seldom(name)):
            yield


class _Seldom:
    """Prints a stage where a while has passed since the last line."""

    def __init__(self, name: str) -> None:
        self.name, self.said = name, time.monotonic()

    def __call__(self, words: str) -> None:
        now = time.monotonic()
        if now - self.said >= SECONDS_BETWEEN_LINES:
            self.said = now
            err.print(escape(f"{self.name}: {words}"))
