"""What goes wrong, in sentences: with one mesh of several, and with the streams that a command speaks to."""

from __future__ import annotations

import os
import signal
import sys
import warnings
from pathlib import Path
from typing import Any, NoReturn

from rich.console import Console
from rich.markup import escape

from meshtide.cli.console import err, out
from meshtide.cli.wording import in_options
from meshtide.many import faults


def sentence_about(path: Path, error: Exception) -> str:
    """What went wrong with one mesh, in the words of the command line."""
    return in_options(faults.sentence_about(path, error))


def listen() -> None:
    """Set up the streams, warnings and signals of a command."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal may know fewer letters than names have; none of them is worth a traceback.
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")
    warnings.showwarning = _tell
    # Of the console that prints the help, too, which would end with 1.
    Console.on_broken_pipe = _nobody_reads  # type: ignore[assignment, method-assign]
    for name in ("SIGTERM", "SIGHUP"):  # as Ctrl-C: what was done is reported
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, signal.default_int_handler)


def _nobody_reads(console: Console) -> None:
    """Whoever read our output has seen enough, of the help too."""
    out.fault = BrokenPipeError()


def leave(code: int) -> NoReturn:
    """End with this code, unless what was said could not be written."""
    fault = out.fault
    try:
        sys.stdout.flush()
    except OSError as error:
        fault = fault or error
    if fault is not None:
        # Python would try again on its way out, and complain.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        if not isinstance(fault, BrokenPipeError):  # else whoever read our output has seen enough
            err.print(f"[red]error:[/red] standard output cannot be written ({escape(str(fault.strerror or fault))})")
            code = code or 2
    if err.fault is not None:
        sys.stderr = None  # Python knows what to do without one
    sys.exit(code)


def _tell(message: Warning | str, category: type[Warning], *_: Any, **__: Any) -> None:
    """A warning of ours is a sentence for users; those of other libraries are about code and not about meshes."""
    if category.__module__.partition(".")[0] == "meshtide":
        err.print(f"[yellow]note:[/yellow] {escape(in_options(str(message)))}")
