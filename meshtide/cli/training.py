"""The command `train`."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from meshtide.cli.console import CacheOption, DataOption, JobsOption, JsonOption, err, out, write_json
from meshtide.cli.scoring import (
    DeviceOption,
    SourceArgument,
    bars,
    cache_of,
    choose_device,
    draw_confusion,
    print_score,
)
from meshtide.errors import InputError

if TYPE_CHECKING:
    from meshtide.experiment import Data, Experiment
    from meshtide.training import Epoch, Training

def train(
    source: SourceArgument,
    output: Annotated[Path, typer.Option("-o", "--output", metavar="MODEL", help="The .safetensors file to write.")],
    setting: Annotated[str, typer.Option(help="single, multi or mixed, as in the paper.")] = "multi",
    test: Annotated[str | None, typer.Option("--test", metavar="SOURCE", help="Another source to test on.")] = None,
    parts: Annotated[str | None, typer.Option("--parts", metavar="VOCABULARY", help="Which parts to learn.")] = None,
    network: Annotated[str, typer.Option(help="tide-m, tide-s, gcn, gat, grand or diffusionnet.")] = "tide-m",
    operator: Annotated[str, typer.Option(help="surface or graph.")] = "surface",
    width: Annotated[int | None, typer.Option(min=1, max=4096, help="Channels; the network's own default.")] = None,
    blocks: Annotated[int | None, typer.Option(min=1, max=128, help="Blocks; the network's own default.")] = None,
    dropout: Annotated[float | None, typer.Option(min=0, max=0.95, help="The network's own default.")] = None,
    gradients: Annotated[
        bool | None,
        typer.Option("--gradients/--no-gradients", help="Let TIDE see where heat rises to; on without --augment."),
    ] = None,
    features: Annotated[str, typer.Option(help="hks, log-hks, wks, or several with commas.")] = "log-hks",
    eigenpairs: Annotated[int, typer.Option("--eigenpairs", "-k", min=1, help="Eigenpairs for each shape.")] = 128,
    epochs: Annotated[int | None, typer.Option(min=1, help="Passes over the training shapes.")] = None,
    sample: Annotated[int, typer.Option(min=0, help="Vertices of a shape that a step looks at; 0 is all.")] = 1000,
    precision: Annotated[
        str, typer.Option(help="float32, or bfloat16 for the products of a step, which is faster on newer processors.")
    ] = "float32",
    patience: Annotated[int | None, typer.Option(min=1, help="Stop after so many epochs without a gain.")] = None,
    augment: Annotated[
        bool | None, typer.Option("--augment/--no-augment", help="Learn from relatives too; on in the mixed setting.")
    ] = None,
    relatives: Annotated[int, typer.Option(min=1, help="Relatives of each shape, with --augment.")] = 6,
    strength: Annotated[float, typer.Option(min=0.0, max=3.0, help="How unlike a shape its relatives are.")] = 1.0,
    validate: Annotated[
        bool, typer.Option("--validate/--no-validate", help="Or learn from validation shapes too, to the last epoch.")
    ] = True,
    class_weights: Annotated[bool, typer.Option("--class-weights", help="Weigh rare parts more.")] = False,
    shape: Annotated[str | None, typer.Option(help="The shape of the single setting.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same model.")] = 0,
    seeds: Annotated[int, typer.Option(min=1, help="Train so many times, and report mean and deviation.")] = 1,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with an interrupted training.")] = False,
    log: Annotated[Path | None, typer.Option("--log", metavar="DIR", help="Write tensorboard logs.")] = None,
    device: DeviceOption = "auto",
    jobs: JobsOption = 1,
    data: DataOption = None,
    cache: CacheOption = None,
    report: JsonOption = None,
) -> None:
    """Train a network on a labelled collection and score it on shapes it has not seen.

    The weights of the best epoch on validation shapes are kept; Ctrl-C keeps the best so far. Beside the model a plot
    of the training and, where there is a test, of the confusion of parts is written.
    """
    from meshtide.augmentation import Augmentation
    from meshtide.experiment import Experiment, gather
    from meshtide.recipe import GraphRecipe
    from meshtide.training import Settings

    if output.suffix != ".safetensors":
        raise InputError(f"{output}: a model's file name ends in .safetensors")
    if not output.parent.is_dir():
        raise InputError(f"{output}: the folder {output.parent} does not exist; create it first")
    augments = _augments(augment, setting, operator)
    if gradients is None and network in ("tide-m", "tide-s") and operator == "surface" and not augments:
        gradients = True  # it gained a point on validation shapes, and nothing beside relatives
    given = {"width": width, "blocks": blocks, "dropout": dropout, "gradients": gradients}
    options = {name: value for name, value in given.items() if value is not None}
    recipe = GraphRecipe(operator=operator, k=eigenpairs, features=tuple(features.split(",")))
    experiment = Experiment(
        source, setting, test, parts, network, options, recipe,
        Settings(
            epochs=epochs, patience=patience, class_weights=class_weights, seed=seed, sample=sample or None,
            precision=precision,
        ),
        Augmentation().scaled(strength) if augments else None, relatives, shape,
        validate,
    )  # fmt: skip
    place = choose_device(device)
    with bars() as shown:
        loaded = gather(experiment, data=data, cache=cache_of(cache), jobs=jobs, progress=shown)
    out.print(_describe(experiment, loaded))
    runs = [
        _train_once(_with_seed(experiment, seed + number), loaded, output, place, jobs, resume, log)
        for number in range(seeds)
    ]
    best = max(runs, key=lambda run: (run["validation_accuracy"] or 0.0, -run["seed"]))
    _finish(experiment, output, runs, best, report)


def _augments(asked: bool | None, setting: str, operator: str) -> bool:
    """Whether to learn from relatives: as asked, or where a network must work on shapes unlike the training set."""
    if asked is not None:
        return asked
    return setting == "mixed" and operator == "surface"


def _train_once(
    experiment: Experiment, data: Data, output: Path, device: str, jobs: int, resume: bool, log: Path | None
) -> dict[str, Any]:
    """Train with one seed; returns what the report says of it, the model and the score among it."""
    import torch

    from meshtide.experiment import prepare_training, score_test, trained_model
    from meshtide.resume import TrainingFile

    started = time.perf_counter()
    if device == "cpu":
        # The matrices of a step are small: two threads wait for each other more than they work.
        torch.set_num_threads(1)
    with bars() as shown:
        training, test = prepare_training(experiment, data, device=device, jobs=jobs, progress=shown)
    file = TrainingFile(output, experiment)
    if resume and file.load(training):
        out.print(f"going on after epoch {training.epoch} of {training.epochs}")
    history = _run(training, file, log, experiment.settings.seed)
    training.keep_best()
    score = score_test(training, data, test, experiment.setting)
    model = trained_model(experiment, training, data, score, history, started)
    file.remove()
    best = [epoch.validation_accuracy for epoch in history if epoch.best]
    return {
        "seed": experiment.settings.seed, "validation_accuracy": best[-1] if best else None, "model": model,
        "score": score, "history": history, "seconds": round(time.perf_counter() - started, 1),
    }  # fmt: skip


def _run(training: Training, file: Any, log: Path | None, seed: int) -> list[Epoch]:
    """Run the epochs with a bar; Ctrl-C ends them early, and what was best stays."""
    history: list[Epoch] = []
    with bars() as shown, _tensorboard(log, seed) as write:
        count = shown("training", training.epochs)
        for _ in range(training.epoch):
            count()
        try:
            for epoch in training.run():
                history.append(epoch)
                write(epoch)
                file.save(training)
                count(_epoch_words(epoch))
        except KeyboardInterrupt:
            err.print(f"stopped after epoch {training.epoch}; the best so far is kept")
    if not history and not training.best:
        raise InputError("stopped before the first epoch was done, so there is no model")
    return history


def _epoch_words(epoch: Epoch) -> str:
    checked = "" if epoch.validation_accuracy is None else f", validation {epoch.validation_accuracy:.2%}"
    return f"training: loss {epoch.loss:.3f}{checked}"


def _finish(
    experiment: Experiment, output: Path, runs: list[dict[str, Any]], best: dict[str, Any], report: Path | None
) -> None:
    """Write the best run's model and plots, say the figures, write the report."""
    from meshtide.checkpoint import save_model
    from meshtide.evaluation import summarise
    from meshtide.plots import plot_training

    save_model(best["model"], output)
    if best["history"]:
        plot_training(best["history"], output.with_suffix(".training.png"))
    out.print(f"wrote {escape(str(output))} ({best['seconds']:.0f} s, seed {best['seed']})")
    scores = [run["score"] for run in runs if run["score"] is not None]
    if best["score"] is not None:
        print_score(best["score"])
        draw_confusion(best["score"], output.with_suffix(".confusion.png"))
    summary = summarise(scores) if scores else {}
    if len(scores) > 1:
        figures = summary["vertex_accuracy"]
        spread = figures["standard_deviation"]
        out.print(f"vertex accuracy over {len(scores)} seeds: {figures['mean']:.2%} ± {spread:.2%}")
    if report:
        content = best["score"].to_json() if best["score"] is not None else {}
        about = best["model"].about
        write_json(report, {
            **content, "network": experiment.network, "operator": experiment.recipe.operator,
            "setting": experiment.setting, "split": "test", "parts_vocabulary": about.trained_on["vocabulary"],
            "seed": best["seed"],
            "seconds": sum(run["seconds"] for run in runs), "trained_on": about.trained_on, "over_seeds": summary,
            "seeds": [{"seed": run["seed"], "validation_accuracy": run["validation_accuracy"],
                       "vertex_accuracy": run["score"].vertex_accuracy if run["score"] else None} for run in runs],
        })  # fmt: skip


def _describe(experiment: Experiment, data: Data) -> str:
    names = f"{len(data.train)} training, {len(data.validation)} validation and {len(data.test)} test shapes"
    if experiment.setting == "single":
        names = f"20, 30 and 50 % of the vertices of {data.train[0].example.name} to train, validate and test"
    where = f" of {experiment.test_source}" if experiment.test_source else ""
    return f"{experiment.source}: {names}{where}, {len(data.parts)} parts ({', '.join(data.parts)})"


def _with_seed(experiment: Experiment, seed: int) -> Experiment:
    return replace(experiment, settings=replace(experiment.settings, seed=seed))


@contextmanager
def _tensorboard(folder: Path | None, seed: int) -> Iterator[Any]:
    """The function that logs an epoch; it does nothing without a folder."""
    if folder is None:
        yield lambda epoch: None
        return
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError as error:
        raise InputError("--log needs tensorboard: pip install -c constraints.txt tensorboard") from error
    with SummaryWriter(str(folder / f"seed-{seed}")) as writer:

        def write(epoch: Epoch) -> None:
            for name in ("loss", "train_accuracy", "validation_accuracy", "learning_rate"):
                if getattr(epoch, name) is not None:
                    writer.add_scalar(name, getattr(epoch, name), epoch.epoch)
            for number, times in enumerate(epoch.times):
                writer.add_scalar(f"times/block {number} shortest", min(times), epoch.epoch)
                writer.add_scalar(f"times/block {number} longest", max(times), epoch.epoch)

        yield write
