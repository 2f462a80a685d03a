"""What the commands share: the two streams, common options, progress and reports."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

if TYPE_CHECKING:
    from meshtide.spectral.cache import Cache

# Lines are sentences to read or to pipe on, so they are never broken or coloured by content.
out = Console(soft_wrap=True, highlight=False)
err = Console(stderr=True, soft_wrap=True, highlight=False)

JsonOption = Annotated[Path | None, typer.Option("--json", metavar="FILE", help="Write the report as JSON.")]
DataOption = Annotated[
    Path | None,
    typer.Option("--data", envvar="MESHTIDE_DATA", help="Where the relative paths of dataset cards start."),
]
CacheOption = Annotated[
    Path | None,
    typer.Option("--cache", envvar="MESHTIDE_CACHE", help="The cache folder, instead of the user's own."),
]
SourceArgument = Annotated[str, typer.Argument(metavar="SOURCE", help="A card's name or path, or a folder of meshes.")]
DeviceOption = Annotated[str, typer.Option("--device", help="auto (cuda if there is one, else cpu), cpu, cuda or mps.")]
JobsOption = Annotated[int, typer.Option("--jobs", "-j", min=1, help="How many processes work side by side.")]


def write_json(path: Path, content: Any) -> None:
    """Write a report, whole or not at all."""
    from meshtide.files import write_atomically

    write_atomically(path, (json.dumps(content, indent=2, ensure_ascii=False) + "\n").encode())


def plain(fields: dict[str, Any]) -> dict[str, Any]:
    """Fields with paths as text, for JSON."""
    return {name: str(value) if isinstance(value, Path) else value for name, value in fields.items()}


@contextmanager
def progress(what: str, total: int) -> Iterator[Callable[..., None]]:
    """A bar on a terminal, nothing in a pipe; yields the function that moves it on by one, perhaps with other words."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=err, transient=True, disable=not err.is_terminal or total == 0) as bar:
        task = bar.add_task(what, total=total)
        yield lambda words=what: bar.update(task, advance=1, description=words)


@contextmanager
def bars() -> Iterator[Callable[[str, int], Callable[..., None]]]:
    """Bars that the library asks for by name and length; a new one takes the place of the one before."""
    with ExitStack() as shown:

        def begin(what: str, total: int) -> Callable[..., None]:
            shown.close()
            return shown.enter_context(progress(what, total))

        yield begin


def cache_of(folder: Path | None) -> Cache:
    """The cache in a folder, or the user's own."""
    from meshtide.spectral.cache import Cache

    return Cache(folder)
