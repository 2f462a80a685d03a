"""Commands about meshes and what is kept of them: demo, doctor, cache."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from meshtide.cli.commands import CONTEXT, Group, add
from meshtide.cli.console import (
    CacheOption,
    JsonOption,
    RecursiveOption,
    err,
    out,
    progress,
    write_json,
)
from meshtide.cli.faults import sentence_about
from meshtide.errors import InputError
from meshtide.files import make_folder

if TYPE_CHECKING:
    from meshtide.mesh.doctor import Diagnosis
    from meshtide.mesh.raw import RawMesh

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


def mesh_files(given: Sequence[Path], recursive: bool = False, *, alone: bool | None = None) -> list[Path]:
    """The files that were named, and the meshes inside folders that were named; in their folders too if recursive.

    A folder without meshes ends the command if it is given alone; among others it is a file that cannot be used.
    """
    from meshtide.mesh.files import READABLE

    alone = len(given) == 1 if alone is None else alone
    paths: list[Path] = []
    for path in given:
        if path.is_dir():
            inside = [file for file in _files_in(path, recursive) if file.suffix.lower() in READABLE]
            if not inside and alone:
                deeper = "" if recursive else "; --recursive looks into its folders too"
                raise InputError(f"{path}: has no mesh file in it; known are {', '.join(READABLE)}{deeper}")
            paths.extend(inside or [path])
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
