"""A hook of mkdocs: the options of each command are those that the program has, so that no page can fall behind."""

from __future__ import annotations

import re
from typing import Any

import click
import typer

from meshtide.cli import app
from meshtide.cli.commands import name_value

_MARK = re.compile(r"<!-- options of ([\w-]+) -->")


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Put a table of options where a page asks for one."""
    return _MARK.sub(lambda found: options_of(found.group(1)), markdown)


def options_of(name: str) -> str:
    """The options of a command, and of each command below it, as tables in Markdown."""
    root = typer.main.get_command(app)
    command = root.get_command(click.Context(root), name)  # type: ignore[attr-defined]  # a group has it
    if command is None:
        raise KeyError(f"there is no command {name!r}; a page asks for its options")
    below = getattr(command, "commands", {})
    if not below:
        return _table(command)
    return "\n\n".join(f"## {name} {each}\n\n{below[each].help}\n\n{_table(below[each])}" for each in below)


def _table(command: click.Command) -> str:
    rows = [_row(parameter) for parameter in command.params if not getattr(parameter, "hidden", False)]
    return "\n".join(("| option | meaning |", "|---|---|", *rows))


def _row(parameter: click.Parameter) -> str:
    names = [*parameter.opts, *parameter.secondary_opts]
    shown = ", ".join(f"`{name}`" for name in names if name.startswith("-")) or f"`{parameter.metavar or names[0]}`"
    if shown.startswith("`-"):
        name_value(parameter)
        shown += f" {parameter.metavar}" if parameter.metavar else ""
    meaning = " ".join((getattr(parameter, "help", None) or "").split()).replace("|", "\\|")
    default = getattr(parameter, "show_default", None)
    known = default if isinstance(default, str) else parameter.default if default else None
    usual = f" Usually {known}." if known not in (None, "", False, True, ()) else ""
    return f"| {shown} | {meaning}{usual} |"
