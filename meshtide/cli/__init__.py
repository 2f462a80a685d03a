"""The command line: the only part that speaks. Heavy imports stand inside the commands that need them."""

from __future__ import annotations

import sys
from typing import Annotated, NoReturn

import typer
from rich.markup import escape

from meshtide import __version__
from meshtide.cli.compare import compare
from meshtide.cli.console import err, out
from meshtide.cli.evaluate import evaluate
from meshtide.cli.meshes import cache_app, demo, doctor, prepare
from meshtide.cli.remake import remake
from meshtide.cli.segment import segment
from meshtide.cli.train import train
from meshtide.cli.view import view
from meshtide.cli.wording import in_options
from meshtide.errors import InputError

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
    rich_markup_mode="markdown",
    help="Mesh segmentation by learned diffusion: surface meshes in, labelled parts out.",
)
for command in (demo, segment, view, train, evaluate, compare, doctor, prepare, remake):
    app.command()(command)
app.add_typer(cache_app, name="cache")


def _print_version(wanted: bool) -> None:
    if wanted:
        out.print(f"meshtide {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    """Mesh segmentation by learned diffusion: surface meshes in, labelled parts out."""


def main() -> NoReturn:
    """Run the command line: 0 is done, 2 the input was wrong, 1 a fault of ours."""
    try:
        app()
    except InputError as error:
        err.print(f"[red]error:[/red] {escape(in_options(str(error)))}")
        sys.exit(2)
    except BrokenPipeError:  # whoever read our output has seen enough
        sys.stderr.close()
        sys.exit(0)
    sys.exit(0)
