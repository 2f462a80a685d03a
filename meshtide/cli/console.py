"""What the commands share: the two streams, common options, progress and reports."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape

from meshtide.errors import InputError, printable

if TYPE_CHECKING:
    from meshtide.spectral.cache import Cache


class Stream(Console):
    """One of the two streams: every print is a line, without codes that a terminal would obey but our own.

    A stream that cannot be written any more (a full device, a pipe that nobody reads) does not end the work; `fault`
    says what happened.
    """

    fault: OSError | None = None
    verbose = False  # whether -v asks for more

    def print(self, *objects: Any, **options: Any) -> None:
        """Print; letters that cannot be printed are written out."""
        if self.fault is None:
            try:
                super().print(*(printable(each) if isinstance(each, str) else each for each in objects), **options)
            except OSError as error:
                self.fault = error

    def on_broken_pipe(self) -> None:
        """Called by rich where nobody reads any more."""
        self.fault = BrokenPipeError()


# Lines are sentences to read or to pipe on, so they are never broken or coloured by content.
out = Stream(soft_wrap=True, highlight=False)
err = Stream(stderr=True, soft_wrap=True, highlight=False)

STANDARD_OUTPUT = Path("-")
SECONDS_BETWEEN_LINES = 30.0  # of progress, where there is no terminal


def _keep_for_report(path: Path | None) -> Path | None:
    """A report on standard output is alone there: what is said goes to standard error."""
    out.stderr = path == STANDARD_OUTPUT
    if path is not None and not path.parent.is_dir():  # said now, and not after the work
        raise InputError(f"{path}: the folder {path.parent} does not exist; create it first")
    return path


JsonOption = Annotated[
    Path | None,
    typer.Option(
        "--json",
        metavar="FILE",
        callback=_keep_for_report,
        help="Write the report as JSON; - is standard output, and what is said then goes to standard error.",
    ),
]
DataOption = Annotated[
    Path | None,
    typer.Option("--data", envvar="MESHTIDE_DATA", help="Where the relative paths of dataset cards start."),
]
CacheOption = Annotated[
    Path | None,
    typer.Option("--cache", envvar="MESHTIDE_CACHE", help="The cache folder, instead of the user's own."),
]
SourceArgument = Annotated[
    str, typer.Argument(metavar="SOURCE", help="A card's name or path, a folder of meshes, or a graph.")
]
DeviceOption = Annotated[str, typer.Option("--device", help="auto (cuda if there is one, else cpu), cpu, cuda or mps.")]
RecursiveOption = Annotated[bool, typer.Option("--recursive", "-r", help="Look into folders of folders too.")]
RefineOption = Annotated[
    bool | None,
    typer.Option(
        "--refine/--no-refine",
        help="Draw borders short and through hollows, by graph cut, or leave every vertex its most probable part.",
        show_default="--refine",
    ),
]
JobsOption = Annotated[int, typer.Option("--jobs", "-j", min=1, help="How many processes work side by side.")]


def be_quiet(wanted: bool) -> bool:
    """What is said to standard output is left away, and so are bars; what went wrong is said all the same."""
    out.quiet = wanted
    return wanted


def be_verbose(wanted: bool) -> bool:
    """More is said: every stage of the work, and of every piece how large and how sure it is."""
    if wanted and out.quiet:
        raise InputError("-q says less and -v says more; give one of them")
    out.verbose = wanted
    return wanted


def made_by() -> dict[str, Any]:
    """What made a report: versions, the machine's platform, and the command as it was given."""
    import platform
    import sys
    from importlib.metadata import PackageNotFoundError, version

    from meshtide import __version__

    versions = {"meshtide": __version__, "python": platform.python_version()}
    for package in ("numpy", "scipy", "torch"):
        with suppress(PackageNotFoundError):
            versions[package] = version(package)
    return {"versions": versions, "platform": platform.platform(), "command": ["meshtide", *sys.argv[1:]]}


def write_json(path: Path, content: Any) -> None:
    """Write a report with what made it, whole or not at all; `-` is standard output. A list is one of meshes."""
    from meshtide.files import write_atomically, write_standard_output

    content = {"made_by": made_by(), **(content if isinstance(content, dict) else {"meshes": content})}
    # What no UTF-8 can hold, as in names of files that have another encoding, becomes an escape that JSON knows.
    data = (json.dumps(content, indent=2, ensure_ascii=False) + "\n").encode("utf-8", "backslashreplace")
    if path == STANDARD_OUTPUT:
        write_standard_output(data)
    else:
        write_atomically(path, data)


def plain(fields: dict[str, Any]) -> dict[str, Any]:
    """Fields with paths as text, for JSON."""
    return {name: str(value) if isinstance(value, Path) else value for name, value in fields.items()}


@contextmanager
def progress(what: str, total: int) -> Iterator[Callable[..., None]]:
    """A bar on a terminal, a line now and then in a pipe; yields what moves it on by one, perhaps with other words."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    if out.quiet or total == 0:
        yield lambda words=what: None
    elif not err.is_terminal:
        yield _lines(what, total)
    else:
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        with Progress(*columns, console=err, transient=True) as bar:
            task = bar.add_task(what, total=total)
            yield lambda words=what: bar.update(task, advance=1, description=words)


def _lines(what: str, total: int) -> Callable[..., None]:
    """A line after every half minute."""
    done, started = 0, time.monotonic()
    said = started

    def step(words: str = what) -> None:
        nonlocal done, said
        done += 1
        now = time.monotonic()
        if now - said >= SECONDS_BETWEEN_LINES and done < total:
            said = now
            minutes = round((now - started) / done * (total - done) / 60)
            left = f"about {minutes:,} minutes left" if minutes > 1 else "about a minute left"
            err.print(f"{escape(words)}: {done:,} of {total:,}, {left}")

    return step


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
