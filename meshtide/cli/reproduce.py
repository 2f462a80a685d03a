"""The command `reproduce`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from meshtide.cli.console import DataOption, err, out
from meshtide.cli.running import words
from meshtide.files import write_atomically

if TYPE_CHECKING:
    from meshtide.paper.table import Report


def reproduce(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="A table or figure, `all` of them, or `list` to see what there is.")
    ],
    runs: Annotated[
        int | None, typer.Option(min=1, show_default="10 on small graphs, else 3", help="Runs of every figure.")
    ] = None,
    graphs: Annotated[str | None, typer.Option(help="These graphs or settings alone, with commas.")] = None,
    networks: Annotated[str | None, typer.Option(help="These networks alone, with commas.")] = None,
    fast: Annotated[bool, typer.Option("--fast", help="A short look at everything; its figures mean nothing.")] = False,
    report: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Add every run to this file of JSON lines.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Take the runs that the --json file has.")] = False,
    output: Annotated[Path, typer.Option("-o", "--output", metavar="FOLDER", help="Where figures are written.")] = Path(
        "reproduced"
    ),
    page: Annotated[
        Path | None, typer.Option("--markdown", metavar="FILE", help="Write the tables to this page too.")
    ] = None,
    data: DataOption = None,
) -> None:
    """Run a table or figure of the paper, and put the paper's figures beside those found here.

    Each line has the paper's mean, the one found here with the deviation over the runs, and the difference. Ctrl-C
    loses the run that is under way; with --json the others are kept and --resume goes on.
    """
    from meshtide.paper.reproduce import TABLES, contents
    from meshtide.paper.reproduce import reproduce as reproduced

    if name == "list":
        for key, title, where in contents():
            out.print(escape(f"{key:13} {title} ({where})"))
        return
    reports: list[Report] = []
    try:
        for key in TABLES if name == "all" else (name,):
            reports.append(
                reproduced(
                    key, runs=runs, data=data, report=report, resume=resume or bool(reports), fast=fast, output=output,
                    graphs=words(graphs) or (), networks=words(networks) or (),
                    told=lambda sentence: err.print(escape(sentence), highlight=False),
                )
            )  # fmt: skip
            for line in (*reports[-1].as_text().splitlines(), ""):
                out.print(escape(line), highlight=False, soft_wrap=True)
    except KeyboardInterrupt:
        kept = "" if report is None else f"; --resume goes on with the runs that {report} has"
        err.print(escape(f"stopped; the run that was under way is lost{kept}"))
        raise typer.Exit(130) from None
    if page is not None:
        write_atomically(page, "\n".join(each.as_markdown() for each in reports).encode())
