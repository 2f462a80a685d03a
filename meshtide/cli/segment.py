"""The command `segment`."""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from meshtide.cli.console import CacheOption, DeviceOption, JsonOption, cache_of, err, out, progress, write_json
from meshtide.cli.meshes import mesh_files
from meshtide.cli.wording import in_options
from meshtide.errors import InputError

if TYPE_CHECKING:
    from meshtide.inference.model import Model
    from meshtide.inference.segmentation import Segmentation

NAME = "{name}"  # stands for an input's name in the path of an output
USUAL_SUFFIX = ".ply"


def segment(
    meshes: Annotated[list[Path] | None, typer.Argument(metavar="MESH", help="Mesh files, or folders of them.")] = None,
    output: Annotated[
        list[Path] | None,
        typer.Option(
            "-o",
            "--output",
            metavar="OUT",
            help="A .ply, .glb, .obj, .seg, .txt, .npz, .json, .png or .html file, or a folder for .ply files; may be "
            "given several times. For several meshes a folder, or a path with {name} such as parts/{name}.glb.",
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
    refine: Annotated[
        bool, typer.Option("--refine/--no-refine", help="Draw borders shorter and along creases, by graph cut.")
    ] = False,
    split_parts: Annotated[
        Path | None,
        typer.Option("--split-parts", metavar="DIR", help="Write every piece of a part as a mesh of its own, too."),
    ] = None,
    max_vertices: Annotated[
        int | None,
        typer.Option("--max-vertices", min=4, help="Larger meshes are simplified on the way; 20000 if not said."),
    ] = None,
    parts: Annotated[bool, typer.Option("--parts", help="Print the parts that the model knows, and stop.")] = False,
    device: DeviceOption = "cpu",
    cache: CacheOption = None,
    report: JsonOption = None,
) -> None:
    """Divide meshes into parts, named where a name is known: no ground truth, no training, no GPU needed.

    The model that ships names the parts of people, four-legged animals, birds, hands, octopuses and ants. Anything else
    is divided as a person would divide it, into part 1, part 2 and so on; a line says which it was and why. A file that
    cannot be used does not stop the others; those are listed at the end, and the exit code is then 2.
    """
    from meshtide.inference.model import load_model
    from meshtide.networks.device import choose_device

    chosen = load_model("default" if model is None else model)
    if parts:
        _print_parts(chosen)
        return
    if not meshes:
        raise InputError("which meshes? give files or folders, and -o for what to write")
    if not output and split_parts is None and report is None:
        raise InputError("where to? give -o OUT, such as -o parts.glb or -o folder/, or --split-parts or --json")
    paths = mesh_files(meshes)
    several = len(paths) > 1 or any(path.is_dir() for path in meshes)
    names = _names(paths)
    targets = {path: _targets(path, names[path], output or [], several) for path in paths}
    _check_targets(paths, targets)
    place = choose_device(device)
    options: dict[str, Any] = {
        "kind": kind,
        "unnamed": unnamed,
        "count": count,
        "detail": detail,
        "refine": refine,
        "device": place,
        "cache": cache_of(cache),
    }
    if max_vertices is not None:
        options["max_vertices"] = max_vertices
    entries = []
    with progress("segmenting", len(paths) if several else 0) as step:
        for path in paths:
            folder = None if split_parts is None else split_parts / names[path] if several else split_parts
            entries.append(_segment_file(path, targets[path], folder, None if model is None else chosen, options))
            step()
    _finish(entries, several, report)


def _segment_file(
    path: Path, targets: list[Path], folder: Path | None, model: Model | None, options: dict[str, Any]
) -> dict[str, Any]:
    """Segment one file and write what was asked for; returns its entry in the report."""
    from meshtide.inference.segment import segment as segmented
    from meshtide.output.files.numbers import summary
    from meshtide.output.files.splitting import split_parts

    started = time.perf_counter()
    try:
        result = segmented(path, model, **options)
        for target in targets:
            target.parent.mkdir(parents=True, exist_ok=True)
            result.save(target)
        written = [*targets, *(split_parts(result, folder) if folder is not None else ())]
    except InputError as error:
        sentence = in_options(str(error))
        err.print(f"[red]failed:[/red] {escape(sentence)}")
        return {"file": str(path), "error": sentence}
    except OSError as error:
        err.print(f"[red]failed:[/red] {escape(str(path))}: cannot be written ({error.strerror})")
        return {"file": str(path), "error": f"{path}: cannot be written ({error.strerror})"}
    seconds = time.perf_counter() - started
    _print_result(path, result, written, seconds)
    return {
        "file": str(path),
        **summary(result),
        "written": [str(target) for target in written],
        "seconds": round(seconds, 3),
    }


def _print_result(path: Path, result: Segmentation, written: list[Path], seconds: float) -> None:
    pieces = Counter(instance.part for instance in result.instances)
    told = [f"{pieces[name]} {name}" if pieces[name] > 1 else name for name in result.shares]
    shares = ", ".join(f"{escape(each)} {share:.0%}" for each, share in zip(told, result.shares.values(), strict=True))
    taken = f"{result.kind}: " if result.kind else ""
    sure = f"confidence {result.mean_confidence:.0%}"
    out.print(f"[bold]{escape(str(path))}[/bold]: {taken}{shares}; {sure}, {seconds:.1f} s")
    if result.reason:
        out.print(f"  {escape(result.reason)}")
    for warning in result.warnings:
        err.print(f"  [yellow]note:[/yellow] {escape(in_options(warning))}")
    for target in written:
        out.print(f"  wrote {escape(str(target))}")


def _finish(entries: list[dict[str, Any]], several: bool, report: Path | None) -> None:
    failed = [entry for entry in entries if "error" in entry]
    if several:
        out.print(f"{len(entries) - len(failed)} of {len(entries)} meshes segmented")
        for entry in failed:
            out.print(f"  not: {escape(entry['error'])}")
    if report:
        write_json(report, entries)
        out.print(f"wrote {escape(str(report))}")
    if failed:
        raise typer.Exit(2)


def _print_parts(model: Model) -> None:
    about = model.about
    if not about.kinds:
        out.print(", ".join(escape(part) for part in about.parts))
    for kind, parts in about.kinds.items():
        out.print(f"[bold]{escape(kind)}[/bold]: {', '.join(escape(part) for part in parts)}")


def _names(paths: list[Path]) -> dict[Path, str]:
    """A name for each file's outputs: its stem, or all of its name where two have the same stem."""
    stems = Counter(path.stem for path in paths)
    return {path: path.stem if stems[path.stem] == 1 else path.name for path in paths}


def _targets(path: Path, name: str, outputs: list[Path], several: bool) -> list[Path]:
    """The files to write for one input."""
    from meshtide.output.saving import SUFFIXES

    targets = []
    for output in outputs:
        if NAME in str(output):
            target = Path(str(output).replace(NAME, name))
        elif output.is_dir() or output.suffix == "":
            target = output / f"{name}{USUAL_SUFFIX}"
        elif several:
            raise InputError(f"{output}: is one file for several meshes; give a folder, or a path with {NAME} in it")
        else:
            target = output
        if target.suffix.lower() not in SUFFIXES:
            raise InputError(f"{target}: cannot write '{target.suffix}'; there are {', '.join(SUFFIXES)}")
        targets.append(target)
    return targets


def _check_targets(paths: list[Path], targets: dict[Path, list[Path]]) -> None:
    """Refuse, before anything is computed, to write over an input or twice to the same place."""
    inputs = {path.resolve() for path in paths}
    seen: set[Path] = set()
    for path, wanted in targets.items():
        for target in wanted:
            place = target.resolve()
            if place in inputs:
                raise InputError(f"{target}: is one of the meshes to read; write somewhere else")
            if place in seen:
                raise InputError(f"{target}: would be written twice, the second time for {path}; give another -o")
            seen.add(place)
