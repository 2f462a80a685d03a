"""What all commands have in common: the look of their help, --quiet, --verbose, and how they are made."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from contextlib import nullcontext
from functools import wraps
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from meshtide.cli.console import be_quiet, be_verbose
from meshtide.cli.stages import every_stage

CONTEXT = {"help_option_names": ["-h", "--help"]}
# What stands behind an option whose value has no name of its own.
_VALUES: dict[type, str] = {int: "N", float: "X", Path: "PATH", str: "WORD", bool: ""}
QuietOption = Annotated[
    bool,
    typer.Option(
        "-q", "--quiet", callback=be_quiet, is_eager=True, help="Say nothing but what went wrong; files are written."
    ),
]
VerboseOption = Annotated[
    bool,
    typer.Option("-v", "--verbose", callback=be_verbose, help="Say more: every stage with its time, and every piece."),
]


class _Named:
    """Help that names values as people do, and nothing behind an option that takes none."""

    def get_params(self, ctx: Any) -> Any:
        """The arguments and options, that of the help among them."""
        parameters = super().get_params(ctx)  # type: ignore[misc]  # the class beside this one has it
        for parameter in parameters:
            name_value(parameter)
        return parameters


class Command(_Named, TyperCommand):
    """A command with such help."""


class Group(_Named, TyperGroup):
    """The program itself, or a command that has commands."""


def name_value(parameter: Any) -> None:
    """Say what stands behind an option, in the help as in the pages."""
    if parameter.param_type_name != "option":
        parameter.display_type_rich = _no_type  # its name says what it is
    elif parameter.metavar is None:
        kind = getattr(getattr(parameter, "type_descriptor", None), "annotation", None)
        if getattr(parameter, "is_flag", False):
            kind = bool
        parameter.metavar = _VALUES.get(kind) if isinstance(kind, type) else None


def _no_type(ctx: Any) -> str:
    return ""


def add(app: typer.Typer, function: Callable[..., Any], name: str | None = None) -> None:
    """Make a function a command of an app, with the options that all commands have."""
    app.command(name, cls=Command, context_settings=CONTEXT)(_with_common(function))


def _with_common(function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def run(*args: Any, quiet: bool = False, verbose: bool = False, **options: Any) -> Any:
        with every_stage() if verbose else nullcontext():
            return function(*args, **options)

    signature = inspect.signature(function, eval_str=True)
    more = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=False, annotation=option)
        for name, option in (("quiet", QuietOption), ("verbose", VerboseOption))
    ]
    parameters = [*signature.parameters.values(), *more]
    run.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]  # what typer reads
    run.__annotations__ = {each.name: each.annotation for each in parameters}
    return run
