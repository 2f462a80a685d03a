"""Commands about meshes and what is computed from them: demo, doctor, prepare, cache."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from meshtide.cli.commands import CONTEXT, Group, add
from meshtide.cli.console import (
    CacheOption,
    DataOption,
    JobsOption,
    JsonOption,
    RecursiveOption,
    err,
    out,
    plain,
    progress,
    write_json,
)
from meshtide.cli.faults import sentence_about
from meshtide.errors import InputError
from meshtide.files import make_folder

if TYPE_CHECKING:
    from meshtide.data.finding import Problem
    from meshtide.mesh.doctor import Diagnosis
    from meshtide.mesh.raw import RawMesh
    from meshtide.spectral.batch import Outcome

cache_app = typer.Typer(
    cls=Group,
    no_args_is_help=True,
    context_settings=CONTEXT,
    help="Look after the cache of computed eigenbases and features.",
)

_COLOURS = {"good": "green", "usable": "green", "repairable": "yellow", "unusable": "red"}


def demo(
    folder: Annotated[Path, typer.Option("-o", "--output", metavar="DIR", help="The folder to fill.")] = Path("demo"),
) -> None:
    """Make a few bodies, divide them into parts with the model that ships, and draw them."""
    from meshtide.output.demo import run_demo

    for path, result in run_demo(folder):
        if result is None:
            out.print(f"wrote {escape(str(path))}")
        else:
            present = [name for name, count in result.face_labels.counts().items() if count]
            out.print(f"[bold]{escape(str(path))}[/bold]: {result.kind}, {', '.join(present)}")
    out.print(
        f"Look at [bold]{escape(str(folder / 'parts.png'))}[/bold], open a .glb in any viewer, and try "
        "[bold]meshtide segment YOUR_MESH -o parts.glb[/bold]."
    )


def doctor(
    meshes: Annotated[list[Path], typer.Argument(metavar="MESH", help="Mesh files, or folders of them.")],
    fix: Annotated[bool, typer.Option("--fix", help="Repair what can be repaired and write it to --output.")] = False,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="OUT", help="A file for one mesh, a folder for several.")
    ] = None,
    recursive: RecursiveOption = False,
    report: JsonOption = None,
) -> None:
    """Say what is wrong with meshes, what it means for segmentation, and repair it with --fix.

    The verdict is good, usable (remarks only), repairable (by --fix) or unusable; the exit code is 2 if one is
    unusable.
    """
    if fix != (output is not None):
        raise InputError("--fix and --output go together: --fix -o OUT writes the repaired mesh to OUT")
    paths = mesh_files(meshes, recursive)
    several = len(paths) > 1 or paths != meshes
    entries: list[dict[str, Any]] = []
    stopped = False
    try:
        with progress("examining", len(paths) if len(paths) > 10 else 0) as step:
            for path in paths:
                entries.append(_examine(path, _repaired_path(path, output, several) if output else None))
                step()
    except KeyboardInterrupt:
        stopped = True
        err.print(f"stopped; {len(entries):,} of {len(paths):,} files were examined")
    unusable = sum(entry["verdict"] == "unusable" or "error" in entry for entry in entries)
    if several:
        counts = {verdict: sum(entry["verdict"] == verdict for entry in entries) for verdict in _COLOURS}
        out.print(f"{len(entries)} files: " + ", ".join(f"{n} {verdict}" for verdict, n in counts.items() if n))
    if report:
        write_json(report, entries)
    if stopped or unusable:
        raise typer.Exit(130 if stopped else 2)


def prepare(
    source: Annotated[str, typer.Argument(metavar="SOURCE", help="A card's name or path, or a folder of meshes.")],
    jobs: JobsOption = 1,
    eigenpairs: Annotated[int, typer.Option("--eigenpairs", "-k", min=1, help="Eigenpairs for each shape.")] = 128,
    operator: Annotated[str, typer.Option("--operator", help="surface or graph.")] = "surface",
    data: DataOption = None,
    cache: CacheOption = None,
    report: JsonOption = None,
) -> None:
    """Compute and cache the eigenbasis and features of every shape of a collection.

    Mismatches between meshes and labels are reported before anything is computed. Bad shapes do not stop the others;
    they are listed at the end, and the exit code is then 2.
    """
    from meshtide.data.collection import open_collection
    from meshtide.data.generated import make_many
    from meshtide.spectral.batch import prepare_meshes
    from meshtide.spectral.recipe import GraphRecipe

    recipe = GraphRecipe(operator=operator, k=eigenpairs)
    collection = open_collection(source, data=data)
    missing = [shape.mesh_path for shape in collection.missing(collection.shapes)]
    with progress("generating", len(missing)) as step:
        for _ in make_many(missing, jobs):
            step()
    with progress("checking", len(collection.shapes)) as step:
        problems = collection.check(progress=lambda *_: step())
    _print_problems(problems)
    paths = [shape.mesh_path for shape in collection.shapes]
    outcomes: list[Outcome] = []
    stopped = False
    try:
        with progress("preparing", len(paths)) as step:
            for outcome in prepare_meshes(paths, recipe, cache, jobs=jobs):
                outcomes.append(outcome)
                step()
    except KeyboardInterrupt:
        stopped = True
        err.print(f"stopped; {len(outcomes):,} of {len(paths):,} shapes were prepared and are kept")
    bad = _summarise(outcomes, problems)
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


def cache_info(cache: CacheOption = None) -> None:
    """Say where the cache is and how much it holds."""
    from meshtide.spectral.cache import Cache

    info = Cache(cache).info()
    out.print(f"{escape(str(info.folder))}: {info.entries:,} entries, {info.bytes / 1e6:,.1f} MB")
    if info.damaged or info.temporary:
        out.print(
            f"{info.damaged:,} damaged files set aside, {info.temporary:,} left by interrupted runs; "
            "`meshtide cache clear` removes them too"
        )


def cache_clear(cache: CacheOption = None) -> None:
    """Remove every entry; files that are not the cache's own stay."""
    from meshtide.spectral.cache import Cache

    store = Cache(cache)
    out.print(f"removed {store.clear():,} files from {escape(str(store.folder))}")


def cache_verify(cache: CacheOption = None) -> None:
    """Check every entry's checksum and contents; the exit code is 2 if one is damaged."""
    from meshtide.spectral.cache import Cache

    store = Cache(cache)
    good, damaged = 0, 0
    with progress("verifying", store.info().entries) as step:
        for path, verdict in store.verify():
            good, damaged = good + (verdict == "good"), damaged + (verdict != "good")
            if verdict != "good":
                out.print(f"{escape(str(path))}: {escape(verdict)}")
            step()
    out.print(f"{good:,} good, {damaged:,} damaged" + ("; the next use rebuilds them" if damaged else ""))
    if damaged:
        raise typer.Exit(2)


for _command, _name in ((cache_info, "info"), (cache_clear, "clear"), (cache_verify, "verify")):
    add(cache_app, _command, _name)


def mesh_files(given: Iterable[Path], recursive: bool = False) -> list[Path]:
    """The files that were named, and the meshes inside folders that were named; in their folders too if recursive."""
    from meshtide.mesh.files import READABLE

    paths: list[Path] = []
    for path in given:
        if path.is_dir():
            inside = [file for file in _files_in(path, recursive) if file.suffix.lower() in READABLE]
            if not inside:
                deeper = "" if recursive else "; --recursive looks into its folders too"
                raise InputError(f"{path}: has no mesh file in it; known are {', '.join(READABLE)}{deeper}")
            paths.extend(inside)
        else:
            paths.append(path)
    return paths


def _files_in(folder: Path, recursive: bool) -> Iterator[Path]:
    """The files of a folder in order, its own before those of its folders; nothing hidden, no linked folders."""
    try:
        every = sorted(folder.iterdir())
    except OSError as error:
        raise InputError(f"{folder}: cannot be read ({error.strerror or error})") from error
    seen = [each for each in every if not each.name.startswith(".")]
    yield from (each for each in seen if not each.is_dir())
    for each in seen if recursive else []:
        if each.is_dir() and not each.is_symlink():
            yield from _files_in(each, recursive)


def _examine(path: Path, repaired: Path | None) -> dict[str, Any]:
    """Diagnose one file, speak about it, write its repaired form; returns the entry for the report."""
    from meshtide.mesh.doctor import diagnose
    from meshtide.mesh.files import read_raw

    try:
        raw = read_raw(path)
        diagnosis = diagnose(raw)
    except Exception as error:  # whatever one file does costs that file alone
        sentence = InputError(sentence_about(path, error)).without(path)
        out.print(f"[bold]{escape(str(path))}[/bold]: [red]unusable[/red]")
        out.print(f"  - {escape(sentence)}")
        return {"file": str(path), "verdict": "unusable", "findings": [{"kind": "unreadable", "sentence": sentence}]}
    _print_diagnosis(path, diagnosis)
    entry = {"file": str(path), **diagnosis.to_json()}
    if repaired is None or diagnosis.verdict == "unusable":
        return entry
    return entry | _repair(raw, diagnosis, repaired)


def _repair(raw: RawMesh, diagnosis: Diagnosis, target: Path) -> dict[str, Any]:
    """Write the repaired form of a mesh; returns what the report says of it."""
    from meshtide.mesh.doctor import repair
    from meshtide.mesh.files import save_mesh

    try:
        mended, steps = repair(raw, diagnosis)
        make_folder(target.parent)
        save_mesh(mended, target)
    except Exception as error:  # whatever one file does costs that file alone
        sentence = sentence_about(target, error)
        err.print(f"[red]failed:[/red] {escape(sentence)}")
        return {"error": sentence}
    done = "; ".join(step.done for step in steps) or "nothing needed repair"
    out.print(f"  [green]wrote[/green] {escape(str(target))}: {done}")
    return {"written": str(target), "repairs": [step.done for step in steps]}


def _repaired_path(path: Path, output: Path, several: bool) -> Path:
    """Where the repaired form of a file goes; a .gltf, which we do not write, becomes a .glb."""
    if not several and not output.is_dir():
        return output
    return output / (f"{path.stem}.glb" if path.suffix.lower() == ".gltf" else path.name)


def _print_diagnosis(path: Path, diagnosis: Diagnosis) -> None:
    colour = _COLOURS[diagnosis.verdict]
    out.print(
        f"[bold]{escape(str(path))}[/bold]: [{colour}]{diagnosis.verdict}[/{colour}], "
        f"{diagnosis.vertices:,} vertices, {diagnosis.faces:,} triangles"
    )
    for finding in diagnosis.findings:
        out.print(f"  - {escape(finding.sentence)}")


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
        err.print(f"[red]failed[/red] {escape(outcome.remarks[0])}")
    if mismatches:
        err.print(f"[red]{len(mismatches)} problems[/red] with the collection's files are listed above")
    return bool(failed or mismatches)
