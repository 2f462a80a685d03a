"""What commands about many meshes share, and the command `merge`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

from meshtide.cli.console import JobsOption as JobsOption
from meshtide.cli.console import JsonOption, out, write_json
from meshtide.cli.wording import in_options
from meshtide.errors import InputError
from meshtide.many.remote import files_at, is_url

_MANY = "Many meshes"
SchedulerOption = Annotated[
    str | None,
    typer.Option(
        "--scheduler",
        metavar="tcp://HOST:PORT",
        rich_help_panel=_MANY,
        help="A Dask scheduler, whose workers do the work; they see the same files.",
    ),
]
MemoryOption = Annotated[
    float | None,
    typer.Option("--memory", metavar="GB", rich_help_panel=_MANY, help="The most that each process may take (Linux)."),
]
ShardOption = Annotated[
    str | None,
    typer.Option("--shard", metavar="I/N", rich_help_panel=_MANY, help="One of N shares of the meshes: 0/N to N-1/N."),
]
ManifestOption = Annotated[
    Path | None,
    typer.Option(
        "--manifest", metavar="FILE", rich_help_panel=_MANY, help="Append a line of JSON as soon as a mesh is done."
    ),
]
ResumeOption = Annotated[
    bool,
    typer.Option(
        "--resume", rich_help_panel=_MANY, help="Leave away what --manifest has as done; go on with the rest."
    ),
]


def merge(
    manifests: Annotated[list[Path], typer.Argument(metavar="MANIFEST", help="What --manifest wrote, of all shards.")],
    report: JsonOption = None,
) -> None:
    """Join the manifests of several shards or runs into one report, in the order of the inputs.

    Each mesh is in it once. Of `evaluate` the scores are those of one run over all shapes. The exit code is 2 if a mesh
    has failed and was not done since.
    """
    from meshtide.many.manifest import merged

    lines = merged(manifests)
    failed = [line for line in lines if line["outcome"] != "done"]
    seconds = sum(line["seconds"] or 0 for line in lines)
    out.print(f"{len(lines) - len(failed):,} of {len(lines):,} meshes done, in {seconds / 3600:,.2f} hours of work")
    told = [in_options(str(line["entry"].get("error", line["path"]))) for line in failed]
    for sentence in told:
        out.print(f"  not: {escape(sentence)}")
    content = _scores(lines, told) if any("score" in line["entry"] for line in lines) else None
    if report:
        write_json(report, [in_words(line["entry"]) for line in lines] if content is None else content)
    if failed:
        raise typer.Exit(2)


def _scores(lines: list[dict[str, Any]], failed: list[str]) -> dict[str, Any]:
    """The report of an evaluation, from what its shards have noted of each shape."""
    from meshtide.cli.evaluate import print_score
    from meshtide.training.merging import merged_score

    score, about = merged_score(lines)
    print_score(score)
    return {
        **score.to_json(),
        "setting": "evaluate",
        **{name: about[name] for name in ("network", "operator", "source", "split", "seed")},
        "parts_vocabulary": about["vocabulary"],
        "failed": failed,
    }


def in_words(entry: dict[str, Any]) -> dict[str, Any]:
    """An entry of a report whose error is in the words of the command line."""
    return entry | {"error": in_options(str(entry["error"]))} if "error" in entry else entry


def mesh_places(given: Sequence[str], recursive: bool = False) -> list[Path | str]:
    """The files that were named and those in folders that were named, here or at an address."""
    from meshtide.cli.meshes import mesh_files
    from meshtide.mesh.files import READABLE

    places: list[Path | str] = []
    for text in given:
        if not is_url(text):
            places.extend(mesh_files([Path(text)], recursive, alone=len(given) == 1))
            continue
        inside = files_at(text, READABLE, recursive)
        if inside == []:
            raise InputError(f"{text}: has no mesh file in it; known are {', '.join(READABLE)}")
        places.extend([text] if inside is None else inside)
    return places
