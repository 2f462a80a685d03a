"""The command `evaluate`, and what `train` shares with it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from meshtide.cli.console import CacheOption, DataOption, JsonOption, err, out, progress, write_json
from meshtide.errors import InputError

if TYPE_CHECKING:
    from meshtide.spectral.cache import Cache
    from meshtide.training.scores import Score

SourceArgument = Annotated[str, typer.Argument(metavar="SOURCE", help="A card's name or path, or a folder of meshes.")]
DeviceOption = Annotated[str, typer.Option("--device", help="auto, cpu, cuda or mps.")]


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
    from meshtide.inference.shipped import named_model
    from meshtide.training.evaluate import evaluate_model

    started = time.perf_counter()
    loaded = named_model(model)
    with bars() as shown:
        score, chosen, vocabulary = evaluate_model(
            loaded,
            source,
            split=split,
            vocabulary=parts,
            data=data,
            cache=cache_of(cache),
            kind=kind,
            device=choose_device(device),
            progress=shown,
        )
    about = loaded.about
    out.print(
        f"{escape(str(model))}: {about.network}, {about.recipe.operator} operator, trained on "
        f"{about.trained_on.get('source', 'an unknown source')}; tested on {escape(source)}, split {chosen}, "
        f"vocabulary {vocabulary}"
    )
    print_score(score)
    if confusion:
        draw_confusion(score, confusion)
    if report:
        write_json(report, {
            **score.to_json(), "network": about.network, "operator": about.recipe.operator, "setting": "evaluate",
            "source": source, "split": chosen, "parts_vocabulary": vocabulary, "seed": about.trained_on.get("seed"),
            "trained_on": about.trained_on, "seconds": round(time.perf_counter() - started, 2),
        })  # fmt: skip


def choose_device(word: str) -> str:
    """The device that a word means here."""
    import torch

    present = {"cpu": True, "cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    if word == "auto":
        return next(name for name in ("cuda", "mps", "cpu") if present[name])
    if word not in present:
        raise InputError(f"--device {word!r} is not known; there are auto, {', '.join(present)}")
    if not present[word]:
        raise InputError(f"--device {word}: this machine has none, or torch was installed without it; use cpu")
    return word


def print_score(score: Score) -> None:
    """Say the four figures."""
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


def cache_of(folder: Path | None) -> Cache:
    """The cache in a folder, or the user's own."""
    from meshtide.spectral.cache import Cache

    return Cache(folder)


@contextmanager
def bars() -> Iterator[Any]:
    """Bars that the library asks for by name and length; only one is shown at a time."""
    with ExitStack() as stack:
        yield lambda what, total: stack.enter_context(progress(what, total))
