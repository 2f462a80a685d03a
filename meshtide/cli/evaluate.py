"""The command `evaluate`, and what `train` shares with it."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from meshtide.cli.console import (
    CacheOption,
    DataOption,
    DeviceOption,
    JsonOption,
    SourceArgument,
    bars,
    cache_of,
    err,
    out,
    write_json,
)

if TYPE_CHECKING:
    from meshtide.training.scores import Score


def evaluate(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="A model that `train` wrote, or 'default'.")],
    source: SourceArgument,
    split: Annotated[str | None, typer.Option(help="Which shapes; test if there are such, else all.")] = None,
    parts: Annotated[str | None, typer.Option("--parts", metavar="VOCABULARY", help="The parts to score in.")] = None,
    kind: Annotated[str | None, typer.Option(help="Take every shape for this kind instead of letting it vote.")] = None,
    confusion: Annotated[Path | None, typer.Option(metavar="PNG", help="Draw the confusion of parts.")] = None,
    device: DeviceOption = "auto",
    data: DataOption = None,
    cache: CacheOption = None,
    report: JsonOption = None,
) -> None:
    """Score a model on a labelled collection."""
    from meshtide.inference.model import load_model
    from meshtide.training.evaluate import evaluate as scored

    started = time.perf_counter()
    loaded = load_model(model)
    with bars() as shown:
        score = scored(
            loaded,
            source,
            split=split,
            vocabulary=parts,
            kind=kind,
            device=device,
            data=data,
            cache=cache_of(cache),
            progress=shown,
        )
    about = loaded.about
    out.print(
        f"{escape(str(model))}: {about.network}, {about.recipe.operator} operator, trained on "
        f"{about.trained_on.get('source', 'an unknown source')}; tested on {escape(source)}, split {score.split}, "
        f"vocabulary {score.vocabulary}"
    )
    print_score(score)
    if confusion:
        draw_confusion(score, confusion)
    if report:
        content = {
            **score.to_json(),
            "network": about.network,
            "operator": about.recipe.operator,
            "setting": "evaluate",
            "source": source,
            "split": score.split,
            "parts_vocabulary": score.vocabulary,
            "seed": about.trained_on.get("seed"),
            "trained_on": about.trained_on,
            "seconds": round(time.perf_counter() - started, 2),
        }
        write_json(report, content)


def print_score(score: Score) -> None:
    """Say the four metrics."""
    out.print(
        f"vertex accuracy {score.vertex_accuracy:.2%}, face accuracy {score.face_accuracy:.2%}, area accuracy "
        f"{score.area_accuracy:.2%}, mean IoU {score.mean_iou:.2%} over {len(score.shapes)} shapes"
    )
    for note in score.notes:
        err.print(escape(note))


def draw_confusion(score: Score, path: Path) -> None:
    """Draw the confusion of parts and say where."""
    from meshtide.output.plots import plot_confusion

    plot_confusion(score, path)
    out.print(f"wrote {escape(str(path))}")
