"""The command `evaluate`, and what `train` shares with it."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from meshtide.cli.console import (
    CacheOption,
    DataOption,
    DeviceOption,
    JsonOption,
    RefineOption,
    SourceArgument,
    bars,
    cache_of,
    err,
    out,
    write_json,
)
from meshtide.cli.many import JobsOption, ManifestOption, MemoryOption, ResumeOption, SchedulerOption, ShardOption
from meshtide.cli.order import check_model_before_source
from meshtide.cli.wording import in_options
from meshtide.errors import InputError

if TYPE_CHECKING:
    from meshtide.inference.model import Model
    from meshtide.training.nodes.scores import NodeScore
    from meshtide.training.scores import Score


def evaluate(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="A model that `train` wrote, or 'default'.")],
    source: SourceArgument,
    split: Annotated[str | None, typer.Option(help="Which shapes; test if there are such, else all.")] = None,
    parts: Annotated[str | None, typer.Option("--parts", metavar="VOCABULARY", help="The parts to score in.")] = None,
    kind: Annotated[str | None, typer.Option(help="Take every shape for this kind instead of letting it vote.")] = None,
    refine: RefineOption = None,
    confusion: Annotated[Path | None, typer.Option(metavar="PNG", help="Draw the confusion of parts.")] = None,
    regions: Annotated[
        bool,
        typer.Option("--regions", help="Divide a folder's meshes without names; score against people's .seg files."),
    ] = False,
    component: Annotated[
        str | None,
        typer.Option("--component", help="Of a graph: all, or largest: the nodes of the largest connected component."),
    ] = None,
    predictions: Annotated[
        Path | None,
        typer.Option("--predictions", metavar="CSV", help="Write the class of every node of a graph that is no mesh."),
    ] = None,
    segmentations: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Where the .seg files are, if not beside the meshes.")
    ] = None,
    jobs: JobsOption = 1,
    scheduler: SchedulerOption = None,
    memory: MemoryOption = None,
    shard: ShardOption = None,
    manifest: ManifestOption = None,
    resume: ResumeOption = False,
    device: DeviceOption = "auto",
    data: DataOption = None,
    cache: CacheOption = None,
    report: JsonOption = None,
) -> None:
    """Score a model on a labelled collection, or with `--regions` the division into parts without names.

    On a graph that is no mesh nodes are scored, and `--predictions` writes a class for each of them.

    A shape that cannot be scored does not stop the others; those are listed at the end, and the exit code is then 2.

    `meshtide evaluate default off/ --regions --segmentations seg/` scores as the Princeton benchmark does.
    """
    check_model_before_source(str(model), source)
    from meshtide.inference.model import load_model
    from meshtide.many.engine import Engine
    from meshtide.many.tasks import EmptyShardError, Many
    from meshtide.training.evaluate import evaluate as scored

    many = Many.of(Engine(jobs, scheduler, memory), shard, manifest, resume)
    if regions:
        if not many.is_plain:
            raise InputError("--regions is done here, one mesh after the other: leave out --jobs, --shard and the like")
        _evaluate_regions(model, Path(source), segmentations, report)
        return
    if segmentations is not None:
        raise InputError("--segmentations goes with --regions")
    failed: list[str] = []
    started = time.perf_counter()
    loaded = load_model(model)
    if predictions is not None:
        _write_classes(loaded, source, predictions, component, device, data)
    try:
        with bars() as shown:
            score = scored(
                loaded, source, split=split, vocabulary=parts, kind=kind, component=component,
                **({} if refine is None else {"refine": refine}), device=device, data=data, cache=cache_of(cache),
                progress=shown, many=many, failed=failed.append,
            )  # fmt: skip
    except EmptyShardError as empty:
        out.print(escape(str(empty)))
        return
    about, vocabulary = loaded.about, getattr(score, "vocabulary", None)
    out.print(
        f"{escape(str(model))}: {about.network}, {about.recipe.operator} operator, trained on "
        f"{about.trained_on.get('source', 'an unknown source')}; tested on {escape(source)}, split {score.split}"
        + ("" if vocabulary is None else f", vocabulary {vocabulary}")
    )
    print_score(score)
    if confusion:
        draw_confusion(score, confusion)
    if report:
        more = {"trained_on": about.trained_on, "seconds": round(time.perf_counter() - started, 2)}
        _write_report(report, score, loaded, source, more, failed)
    _tell_failed(failed)


def _write_report(
    path: Path, score: Score | NodeScore, model: Model, source: str, more: dict[str, Any], failed: list[str]
) -> None:
    about = model.about
    content = {
        **score.to_json(),
        "network": about.network,
        "operator": about.recipe.operator,
        "setting": "evaluate",
        "source": source,
        "split": score.split,
        "parts_vocabulary": getattr(score, "vocabulary", None),
        "seed": about.trained_on.get("seed"),
        **more,
        "failed": [in_options(sentence) for sentence in failed],
    }
    write_json(path, content)


def _tell_failed(failed: list[str]) -> None:
    """List what could not be scored, and end with the exit code for that."""
    for sentence in failed:
        err.print(f"[red]failed:[/red] {escape(in_options(sentence))}")
    if failed:
        err.print(f"{len(failed):,} shapes could not be scored, and the figures are without them")
        raise typer.Exit(2)


def _write_classes(
    model: Model, source: str, path: Path, component: str | None, device: str, data: Path | None
) -> None:
    """Write the class of every node, and stop there where none has a class to score against."""
    from meshtide.data.nodes.opening import is_node_source
    from meshtide.inference.nodes import classify_nodes

    if not is_node_source(source):
        raise InputError(f"--predictions is about graphs that are no meshes, and {source} is none; see `segment`")
    found = classify_nodes(model, source, component=component, device=device, data=data)
    found.save(path)
    out.print(f"wrote {escape(str(path))}: a class for each of {found.task.count:,} nodes")
    if not (found.task.labels >= 0).any():
        raise typer.Exit


def _evaluate_regions(model: Path, folder: Path, segmentations: Path | None, report: Path | None) -> None:
    """Score the division into parts without names, mesh by mesh."""
    from meshtide.training.evaluate_regions import evaluate_regions

    if str(model) != "default":
        raise InputError("--regions scores the model that ships; give 'default' as the model")
    with bars() as shown:
        found = evaluate_regions(folder, segmentations, progress=shown)
    for score in found.meshes:
        out.print(
            f"{escape(score.name)}: Rand error {score.rand:.3f}, {score.regions} parts, people see {score.others:.1f}"
        )
    mean = found.mean
    people = "" if found.people != found.people else f" (people against each other {found.people:.3f})"
    out.print(
        f"{len(found.meshes)} meshes, {found.divisions} divisions by people: Rand error {mean.rand:.3f}{people}, "
        f"consistency errors {mean.global_consistency:.3f} global and {mean.local_consistency:.3f} local, "
        f"cut discrepancy {mean.cut_discrepancy:.3f}"
    )
    if report:
        write_json(report, found.to_json())


def metric_words(name: str) -> str:
    """A metric's name as people say it."""
    return name.replace("_", " ").replace("iou", "IoU").replace("f1", "F1")


def main_metric(metrics: dict[str, float]) -> str:
    """The metric that counts most, with its name."""
    name, value = next(iter(metrics.items()))
    return f"{metric_words(name)} {value:.2%}"


def print_score(score: Score | NodeScore) -> None:
    """Say the metrics."""
    from meshtide.training.nodes.scores import NodeScore

    if isinstance(score, NodeScore):
        words = ", ".join(f"{metric_words(name)} {value:.2%}" for name, value in score.metrics.items())
        out.print(f"{words} of {score.count:,} nodes ({escape(score.split)})")
        return
    out.print(
        f"vertex accuracy {score.vertex_accuracy:.2%}, face accuracy {score.face_accuracy:.2%}, area accuracy "
        f"{score.area_accuracy:.2%}, mean IoU {score.mean_iou:.2%} over {len(score.shapes)} shapes"
    )
    for note in score.notes:
        err.print(escape(note))


def draw_confusion(score: Score | NodeScore, path: Path) -> None:
    """Draw the confusion of parts and say where."""
    from meshtide.output.plots import plot_confusion

    plot_confusion(score, path)
    out.print(f"wrote {escape(str(path))}")
