"""The command `remake`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from meshtide.cli.console import JobsOption, bars, out
from meshtide.errors import InputError
from meshtide.words import known

if TYPE_CHECKING:
    from meshtide.training.regions.train import Progress

MODELS = ("names", "regions", "kinds", "things", "programs")
FOLDERS = {"names": "name-bodies-2", "things": "thing-shapes-1"}  # in the cache


def remake(
    which: Annotated[
        str,
        typer.Argument(metavar="WHICH", help="names, regions, kinds, things or programs."),
    ],
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="MODEL", help="The .safetensors (programs: .json) file.")
    ],
    shapes: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Where the generated shapes are kept; else in the cache folder.")
    ] = None,
    jobs: JobsOption = 1,
) -> None:
    """Train again, from generated shapes alone, a model that ships: half an hour on an idle core, 2 to 6 GB of shapes.

    `names` gives the parts of six kinds of bodies their names; `regions` divides any mesh into parts without names;
    `kinds`, which begins with it, tells whether a shape is of a kind whose parts have names; `things`, which begins
    with that, gives the parts of chairs, cups, cars, fish and more their names. `programs` trains nothing: it records
    what the networks of these models do, so that numpy can ask them, and is wanted when a network has changed.
    """
    from meshtide.spectral.cache import default_folder

    known(which, MODELS, "model")
    suffix, what = (".json", "the programs'") if which == "programs" else (".safetensors", "a model's")
    if output.suffix != suffix:
        raise InputError(f"{output}: {what} file name ends in {suffix}")
    if not output.parent.is_dir():
        raise InputError(f"{output}: the folder {output.parent} does not exist; create it first")
    if which == "programs":
        _programs(output)
        return
    folder = shapes or default_folder() / FOLDERS.get(which, "region-shapes-1")
    with bars() as shown:
        {"names": _names, "regions": _regions, "kinds": _kinds, "things": _things}[which](
            folder, output, jobs, _teller(shown)
        )
    out.print(f"wrote {escape(str(output))}")


def _programs(output: Path) -> None:
    from meshtide.inference.recording import write_programs

    write_programs(output)
    out.print(f"wrote {escape(str(output))}")


def _names(folder: Path, output: Path, jobs: int, tell: Callable[[Progress], None]) -> None:
    from meshtide.training.names.train import train_names

    train_names(folder, jobs=jobs, report=tell).save(output, half=True)


def _regions(folder: Path, output: Path, jobs: int, tell: Callable[[Progress], None]) -> None:
    from meshtide.inference.regions.model import save_region_model
    from meshtide.training.regions.train import train_regions

    save_region_model(train_regions(folder, jobs=jobs, report=tell), output)


def _kinds(folder: Path, output: Path, jobs: int, tell: Callable[[Progress], None]) -> None:
    from meshtide.inference.recognise import save_recogniser
    from meshtide.inference.regions.model import trained_region_model
    from meshtide.training.recognition import train_kinds

    save_recogniser(train_kinds(folder, trained_region_model(), jobs=jobs, report=tell), output)


def _things(folder: Path, output: Path, jobs: int, tell: Callable[[Progress], None]) -> None:
    from meshtide.inference.recognise import trained_recogniser
    from meshtide.inference.things import save_namer
    from meshtide.training.things import train_things

    save_namer(train_things(folder, trained_recogniser(), jobs=jobs, report=tell), output)


def _teller(shown: Any) -> Callable[[Progress], None]:
    """A bar for each stage, moved on to where the training says it is."""
    bars_by_stage: dict[str, tuple[Any, list[int]]] = {}

    def tell(progress: Progress) -> None:
        if progress.stage not in bars_by_stage:
            bars_by_stage[progress.stage] = (shown(progress.stage, progress.total), [0])
        step, done = bars_by_stage[progress.stage]
        for _ in range(progress.done - done[0]):
            step()
        done[0] = progress.done

    return tell
