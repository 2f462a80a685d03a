"""The command `segment`."""

from __future__ import annotations

from collections import Counter
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from meshtide.cli.console import (
    STANDARD_OUTPUT,
    CacheOption,
    DeviceOption,
    JsonOption,
    RecursiveOption,
    RefineOption,
    cache_of,
    err,
    out,
    progress,
    write_json,
)
from meshtide.cli.many import (
    JobsOption,
    ManifestOption,
    MemoryOption,
    ResumeOption,
    SchedulerOption,
    ShardOption,
    in_words,
    mesh_places,
)
from meshtide.cli.order import check_no_models, check_no_outputs
from meshtide.cli.stages import shown_stages
from meshtide.cli.wording import in_options
from meshtide.errors import InputError
from meshtide.many.remote import place_of, pure
from meshtide.words import shown

if TYPE_CHECKING:
    from meshtide.inference.model import Model

MOST_SHOWN = 60  # parts in one line


def segment(
    meshes: Annotated[
        list[str] | None, typer.Argument(metavar="MESH", help="Mesh files, or folders of them; addresses (s3://…) too.")
    ] = None,
    output: Annotated[
        list[str] | None,
        typer.Option(
            "-o",
            "--output",
            metavar="OUT",
            help="A .ply, .glb, .obj, .seg, .txt, .npz, .json, .png, .html, .vtp, .vtk or .3mf file, or a folder for "
            ".ply files; may be given several times. For several meshes a folder, or a path with {name}, such as "
            "parts/{name}.glb.",
        ),
    ] = None,
    model: Annotated[
        Path | None, typer.Option(metavar="MODEL", help="A model that `train` wrote, instead of the one that ships.")
    ] = None,
    kind: Annotated[str | None, typer.Option(help="What the shapes are, instead of letting each vote.")] = None,
    unnamed: Annotated[
        bool, typer.Option("--unnamed", help="Parts without names, whatever the shape is: part 1, part 2, …")
    ] = False,
    count: Annotated[int | None, typer.Option("--count", min=1, help="Exactly so many parts, without names.")] = None,
    detail: Annotated[
        float | None, typer.Option("--detail", help="More parts without names (2) or fewer (0.5); 1 is usual.")
    ] = None,
    refine: RefineOption = None,
    sides: Annotated[
        bool, typer.Option("--sides", help="Left and right of paired parts: left upperarm, front left leg, …")
    ] = False,
    split_parts: Annotated[
        Path | None,
        typer.Option("--split-parts", metavar="DIR", help="Write every piece of a part as a mesh of its own, too."),
    ] = None,
    cap: Annotated[bool, typer.Option("--cap", help="Close the cuts of these pieces, so that they print.")] = False,
    max_vertices: Annotated[
        int | None,
        typer.Option("--max-vertices", min=4, help="Larger meshes are simplified on the way; 20000 if not said."),
    ] = None,
    recursive: RecursiveOption = False,
    jobs: JobsOption = 1,
    scheduler: SchedulerOption = None,
    memory: MemoryOption = None,
    shard: ShardOption = None,
    manifest: ManifestOption = None,
    resume: ResumeOption = False,
    kinds: Annotated[bool, typer.Option("--kinds", help="Print the kinds and parts with names, and stop.")] = False,
    device: DeviceOption = "cpu",
    cache: CacheOption = None,
    report: JsonOption = None,
) -> None:
    """Divide meshes into parts, named where a name is known: no ground truth, no training, no GPU needed.

    Parts have names on people, animals, birds, hands, octopuses, ants, and on tables, lamps, cups, bottles, teapots,
    airplanes, cars, glasses, fish, insects, snakes and busts; with --kind on more (--kinds lists them). Anything else
    is divided as a person would divide it, into part 1, part 2 and so on; a line says which it was and why. A file that
    cannot be used does not stop the others; those are listed at the end, and the exit code is then 2.
    """
    from meshtide.inference.model import load_model
    from meshtide.many.engine import Engine
    from meshtide.many.tasks import Many
    from meshtide.networks.device import choose_device
    from meshtide.output.collection import How, plan, segment_tasks

    chosen = None if model is None else load_model(model)
    if kinds:
        _print_kinds(chosen)
        return
    if not meshes:
        raise InputError("which meshes? give files or folders, and -o for what to write")
    check_no_models(meshes)
    check_no_outputs(meshes, output or [])
    if cap and split_parts is None:
        raise InputError("--cap is about the pieces of --split-parts; give that as well (a .3mf is always closed)")
    many = Many.of(Engine(jobs, scheduler, memory), shard, manifest, resume)
    places = mesh_places(meshes, recursive)
    several = len(places) > 1 or [str(place) for place in places] != meshes
    tasks = plan(
        places,
        [place_of(each) for each in output or []],
        split_parts,
        several=several,
        shard=many.shard,
    )
    options: dict[str, Any] = {
        "kind": kind,
        "unnamed": unnamed,
        "count": count,
        "detail": detail,
        "sides": sides,
        "device": choose_device(device),
        "cache": cache_of(cache),
    }
    # What is not said is left to the library, which decides it once.
    options |= {"refine": refine} if refine is not None else {}
    options |= {"max_vertices": max_vertices} if max_vertices is not None else {}
    how = How(chosen, options, cap, manifest=many.manifest is not None)
    found: dict[int, dict[str, Any]] = {}
    stopped = False
    try:
        alone = nullcontext() if several or not tasks else shown_stages(str(tasks[0].source))
        with alone, progress("segmenting", len(tasks) if several else 0) as step:
            for order, entry in segment_tasks(tasks, how, many.engine, many.manifest, how.fingerprint(output or ())):
                found[order] = in_words(entry)
                _print_entry(found[order])
                step()
    except KeyboardInterrupt:
        stopped = True
        err.print(f"stopped; {len(found):,} of {len(tasks):,} meshes were done")
    entries = [found[order] for order in sorted(found)]
    _finish(entries, several and (bool(entries) or not stopped), report)
    if stopped:
        raise typer.Exit(130)
    if not output and split_parts is None and report is None and any("error" not in entry for entry in entries):
        out.print(escape(_how_to_look(places, meshes, several)))


def _how_to_look(places: list[Path | str], given: list[str], several: bool) -> str:
    """What to do next for somebody who asked for no file."""
    if several:
        return f"Nothing was written; -o parts/{{name}}.html makes a page of each to look at: {_again(given)} …"
    name = f"{pure(places[0]).stem}.html"
    return f"Nothing was written. To look at it: {_again(given)} -o {name}, or meshtide view {given[0]}"


def _again(given: list[str]) -> str:
    return f"meshtide segment {' '.join(given)}"


def _print_entry(entry: dict[str, Any]) -> None:
    """Say what became of one mesh."""
    if "error" in entry:
        err.print(f"[red]failed:[/red] {escape(entry['error'])}")
        return
    pieces = Counter(instance["part"] for instance in entry["instances"])
    shares = {name: part["share"] for name, part in entry["parts"].items() if part["faces"]}
    told = [f"{pieces[name]} {shown(name)}" if pieces[name] > 1 else shown(name) for name in shares]
    parts = [f"{escape(each)} {share or 0:.0%}" for each, share in zip(told, shares.values(), strict=True)]
    rest = [f"{len(parts) - MOST_SHOWN} more"] if len(parts) > MOST_SHOWN else []
    taken = f"{escape(shown(entry['kind']))}: " if entry["kind"] else ""
    sure = "was done before" if "resumed" in entry else f"{entry['seconds']:.1f} s"
    words = ", ".join([*parts[:MOST_SHOWN], *rest])
    out.print(f"[bold]{escape(entry['file'])}[/bold]: {taken}{words}; confidence {entry['confidence']:.0%}, {sure}")
    if entry["reason"]:
        out.print(f"  {escape(entry['reason'])}")
    for piece in entry["instances"] if out.verbose else []:
        out.print(escape(f"  {shown(piece['name'])}: {_told(piece)}"))
    for warning in entry["warnings"]:
        err.print(f"  [yellow]note:[/yellow] {escape(in_options(warning))}")
    for target in [] if "resumed" in entry else entry["written"]:
        out.print(f"  wrote {escape(target)}")


def _told(piece: dict[str, Any]) -> str:
    """How large a piece is, and how sure it is."""
    sure = "" if piece["confidence"] is None else f", {piece['confidence']:.0%} sure"
    return f"{piece['share'] or 0:.1%} of the area, {piece['faces']:,} faces{sure}"


def _finish(entries: list[dict[str, Any]], several: bool, report: Path | None) -> None:
    failed = [entry for entry in entries if "error" in entry]
    if several:
        out.print(f"{len(entries) - len(failed)} of {len(entries)} meshes segmented")
        for entry in failed:
            out.print(f"  not: {escape(entry['error'])}")
    if report:
        write_json(report, entries)
        if report != STANDARD_OUTPUT:
            out.print(f"wrote {escape(str(report))}")
    if failed:
        raise typer.Exit(1 if any("fault" in entry for entry in failed) else 2)


def _print_kinds(model: Model | None) -> None:
    """The parts that a model knows, or, without one, those of all models that ship."""
    from meshtide.inference.known_kinds import known_kinds

    if model is not None and not model.about.kinds:
        out.print(", ".join(escape(shown(part)) for part in model.about.parts))
    for kind, parts in (known_kinds() if model is None else model.about.kinds).items():
        out.print(f"[bold]{escape(shown(kind))}[/bold]: {', '.join(escape(shown(part)) for part in parts)}")
