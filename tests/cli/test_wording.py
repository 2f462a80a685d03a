"""Every argument that a library error names is an option that some command has."""

from __future__ import annotations

import re
from pathlib import Path

import meshtide
from meshtide.cli import app
from meshtide.cli.wording import _OPTIONS, in_options


def command_options() -> set[str]:
    import typer

    commands = typer.main.get_command(app).commands.values()
    return {word for command in commands for option in command.params for word in option.opts}


def test_the_words_are_options_that_exist() -> None:
    known = command_options()
    assert set(_OPTIONS.values()) <= known


def test_library_sentences_name_no_options() -> None:
    root = Path(meshtide.__file__).parent
    library = [path for path in root.rglob("*.py") if path.relative_to(root).parts[0] not in ("cli", "__main__.py")]
    assert len(library) > 100
    raised = re.compile(r"InputError\((?:[^()]|\([^()]*\))*\)", re.S)
    guilty = [
        f"{path.relative_to(root)}: {call}"
        for path in library
        for call in raised.findall(path.read_text(encoding="utf-8"))
        if re.search(r"(?<![\w-])--[a-z]", call.replace("`meshtide doctor --fix`", ""))
    ]
    assert not guilty


def test_what_is_no_argument_stays() -> None:
    assert (
        in_options("run `meshtide doctor --fix`; a `spline` is none")
        == "run `meshtide doctor --fix`; a `spline` is none"
    )
    assert in_options("give a `kind`") == "give a --kind"
