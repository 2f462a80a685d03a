"""The command `prepare`."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from meshtide.cli.console import CacheOption, DataOption, JsonOption, err, out, plain, progress, write_json
from meshtide.cli.many import (
    JobsOption,
    ManifestOption,
    MemoryOption,
    ResumeOption,
    SchedulerOption,
    ShardOption,
)
from meshtide.cli.wording import in_options
from meshtide.errors import InputError

if TYPE_CHECKING:
    from meshtide.data.collection import Collection
    from meshtide.data.finding import Problem, Shape
    from meshtide.many.tasks import Many
    from meshtide.spectral.batch import Outcome
    from meshtide.spectral.recipe import GraphRecipe


def prepare(
    source: Annotated[str, typer.Argument(metavar="SOURCE", help="A card's name or path, or a folder of meshes.")],
    eigenpairs: Annotated[int, typer.Option("--eigenpairs", "-k", min=1, help="Eigenpairs for each shape.")] = 128,
    operator: Annotated[str, typer.Option("--operator", help="surface or graph.")] = "surface",
    features: Annotated[
        str | None,
        typer.Option(metavar="WORD,…", show_default="those that train reads", help="Features of every vertex."),
    ] = None,
    shards: Annotated[
        str | None,
        typer.Option("--shards", metavar="DIR", help="Pack all labelled shapes into tar files that train reads."),
    ] = None,
    half: Annotated[bool, typer.Option("--half", help="With --shards: eigenvectors in half precision.")] = False,
    jobs: JobsOption = 1,
    scheduler: SchedulerOption = None,
    memory: MemoryOption = None,
    shard: ShardOption = None,
    manifest: ManifestOption = None,
    resume: ResumeOption = False,
    data: DataOption = None,
    cache: CacheOption = None,
    report: JsonOption = None,
) -> None:
    """Compute and cache the eigenbasis and features of every shape of a collection.

    Mismatches between meshes and labels are reported before anything is computed. Bad shapes do not stop the others;
    they are listed at the end, and the exit code is then 2.

    `--shards DIR` packs everything that train reads of a shape into tar files: `meshtide train DIR` then streams shapes
    of which no memory would hold all.
    """
    from meshtide.data.collection import open_collection
    from meshtide.data.generated import make_many
    from meshtide.many.engine import Engine
    from meshtide.many.remote import place_of
    from meshtide.many.tasks import Many
    from meshtide.spectral.recipe import GraphRecipe, usual_features

    chosen = usual_features(operator) if features is None else tuple(word.strip() for word in features.split(","))
    recipe = GraphRecipe(operator=operator, k=eigenpairs, features=chosen)
    if half and shards is None:
        raise InputError("--half is about what --shards writes; give that as well")
    many = Many.of(Engine(jobs, scheduler, memory), shard, manifest, resume)
    collection = open_collection(source, data=data)
    if collection.store is not None:
        raise InputError(f"{source}: holds shards, whose shapes are prepared; train reads them as they are")
    shares = [(order, shape) for order, shape in enumerate(collection.shapes) if many.has(shape.name)]
    shapes = [shape for _, shape in shares]
    missing = [shape.mesh_path for shape in collection.missing(shapes)]
    with progress("generating", len(missing)) as step:
        for _ in make_many(missing, jobs):
            step()
    problems = _checked(collection, shapes, many)
    _print_problems(problems)
    outcomes, stopped = _prepared(shares, recipe, cache, many)
    bad = _summarise(outcomes, problems)
    if shards is not None and not stopped:
        gone = [problem.path for problem in problems if problem.serious]
        gone += [Path(outcome.path) for outcome in outcomes if outcome.status == "failed"]
        _pack(collection, place_of(shards), recipe, cache, many, half=half, left_out=gone)
    if report:
        write_json(
            report,
            {
                "source": source,
                "recipe": json.loads(recipe.to_json()),
                "shapes": [plain(vars(outcome)) for outcome in outcomes],
                "problems": [plain(vars(problem)) for problem in problems],
            },
        )
    if stopped or bad:
        raise typer.Exit(130 if stopped else 2)


def _checked(collection: Collection, shapes: list[Shape], many: Many) -> tuple[Problem, ...]:
    """What does not fit of the files of some shapes."""
    with progress("checking", len(shapes)) as step:
        chosen = None if many.shard is None else shapes
        return collection.check(progress=lambda *_: step(), shapes=chosen, engine=many.engine)


def _prepared(
    shares: list[tuple[int, Shape]], recipe: GraphRecipe, cache: Path | None, many: Many
) -> tuple[list[Outcome], bool]:
    """The outcomes in the order of the inputs, as far as they are known, and whether Ctrl-C ended it."""
    from meshtide.spectral.batch import prepare_meshes

    outcomes: list[Outcome] = []
    stopped = False
    paths, orders = [shape.mesh_path for _, shape in shares], [order for order, _ in shares]
    try:
        with progress("preparing", len(paths)) as step:
            for outcome in prepare_meshes(
                paths, recipe, cache, engine=many.engine, manifest=many.manifest, orders=orders
            ):
                outcomes.append(outcome)
                step()
    except KeyboardInterrupt:
        stopped = True
        err.print(f"stopped; {len(outcomes):,} of {len(paths):,} shapes were prepared and are kept")
    return sorted(outcomes, key=lambda outcome: outcome.order), stopped


def _pack(
    collection: Collection, folder: Path | str, recipe: GraphRecipe, cache: Path | None, many: Many, *, half: bool,
    left_out: list[Path],
) -> None:  # fmt: skip
    """Write the shards and say how large they are."""
    from meshtide.data.shards.writing import tar_tasks, write_shards

    tasks = tar_tasks(collection, folder, many.shard, left_out)
    size = 0
    with progress("packing", len(tasks)) as step:
        for _, written in write_shards(collection, tasks, recipe, cache, half=half, engine=many.engine):
            size += written
            step()
    shapes = sum(len(task.shapes) for task in tasks)
    out.print(
        f"packed {shapes:,} labelled shapes into {len(tasks):,} files, {size / 1e6:,.1f} MB: {escape(str(folder))}"
    )


def _print_problems(problems: Iterable[Problem]) -> None:
    for problem in problems:
        colour = "red" if problem.serious else "yellow"
        err.print(f"[{colour}]{escape(str(problem.path))}[/{colour}]: {escape(problem.sentence)}")


def _summarise(outcomes: list[Outcome], problems: Iterable[Problem]) -> bool:
    """Say what was done and list what was not; returns whether anything was wrong."""
    for outcome in outcomes:
        if outcome.status != "failed":
            for remark in outcome.remarks:
                err.print(f"[yellow]{escape(str(outcome.path))}[/yellow]: {escape(remark)}")
    counts = {status: sum(o.status == status for o in outcomes) for status in ("computed", "cached", "failed")}
    out.print(
        f"{len(outcomes):,} shapes: {counts['computed']:,} computed, {counts['cached']:,} were cached already, "
        f"{counts['failed']:,} failed"
    )
    failed = [o for o in outcomes if o.status == "failed"]
    mismatches = [problem for problem in problems if problem.serious]
    for outcome in failed:
        err.print(f"[red]failed[/red] {escape(in_options(outcome.remarks[0]))}")
    if mismatches:
        err.print(f"[red]{len(mismatches)} problems[/red] with the collection's files are listed above")
    return bool(failed or mismatches)
