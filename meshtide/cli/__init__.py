"""The command line: the only part that speaks. Heavy imports stand inside the commands that need them."""

from __future__ import annotations

import contextlib
import gc
import sys
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from rich.markup import escape

from meshtide import __version__
from meshtide.cli.commands import CONTEXT, Group, add
from meshtide.cli.compare import compare
from meshtide.cli.console import err, out
from meshtide.cli.evaluate import evaluate
from meshtide.cli.faults import leave, listen, sentence_about
from meshtide.cli.many import merge
from meshtide.cli.meshes import cache_app, demo, doctor
from meshtide.cli.numpy_alone import import_numpy_alone
from meshtide.cli.prepare import prepare
from meshtide.cli.remake import remake
from meshtide.cli.reproduce import reproduce
from meshtide.cli.segment import segment
from meshtide.cli.train import train
from meshtide.cli.view import view
from meshtide.cli.wording import in_options
from meshtide.errors import InputError
from meshtide.many.faults import is_out_of_memory

LESS = "give fewer or smaller meshes, or fewer --jobs"

COMMANDS = (demo, segment, view, train, evaluate, compare, doctor, prepare, merge, remake, reproduce)


def _print_version(wanted: bool) -> None:
    if wanted:
        out.print(f"meshtide {__version__}")
        raise typer.Exit


def root(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    """Mesh segmentation by learned diffusion: surface meshes in, labelled parts out."""


def program(asked: str | None = None) -> typer.Typer:
    """The command line with all commands, or with the one that was asked for alone: to make them all takes a while."""
    made = typer.Typer(
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        cls=Group,
        context_settings=CONTEXT,
        rich_markup_mode="markdown",
        help="Mesh segmentation by learned diffusion: surface meshes in, labelled parts out.",
    )
    made.callback()(root)
    chosen = [command for command in COMMANDS if command.__name__ == asked] or COMMANDS
    for command in chosen:
        add(made, command)
    if chosen is COMMANDS:
        made.add_typer(cache_app, name="cache")
    return made


def __getattr__(name: str) -> Any:
    """`app`, the command line with all commands, is made when somebody wants it."""
    if name != "app":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()["app"] = made = program()
    return made


def main() -> NoReturn:
    """Run the command line: 0 is done, 2 the input was wrong, 1 a fault of ours."""
    listen()
    # Looking for rings among what imports leave, every 700 objects as is usual, is a tenth of a small mesh's time.
    gc.set_threshold(20_000)
    code: Any = 0
    try:
        asked = sys.argv[1] if len(sys.argv) > 1 else None
        if any(command.__name__ == asked for command in COMMANDS):  # help needs no numpy
            import_numpy_alone()
        program(asked)()
    except InputError as error:
        err.print(f"[red]error:[/red] {escape(in_options(str(error)))}")
        code = 2
    except (MemoryError, RuntimeError, ImportError) as error:
        if not isinstance(error, MemoryError) and not is_out_of_memory(error):
            raise
        with contextlib.suppress(OSError, AttributeError):  # plainly: colours take memory, too
            sys.stderr.write(f"error: there is not enough memory; {LESS}\n")
        code = 2
    except BrokenPipeError:  # whoever read our output has seen enough
        pass
    except OSError as error:  # such as a name that is longer than any file's
        err.print(f"[red]error:[/red] {escape(sentence_about(Path(), error))}")
        code = 2
    except (
        SystemExit
    ) as end:  # how typer ends: with 1, and this in the place of the stream, where nobody reads its help
        code = 0 if type(sys.stdout).__name__ == "PacifyFlushWrapper" else end.code
    leave(code if isinstance(code, int) else 0 if code is None else 1)
