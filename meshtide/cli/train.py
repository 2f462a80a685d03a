"""The command `train`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from meshtide.cli import running as learning
from meshtide.cli.console import CacheOption, DataOption, JobsOption, JsonOption, out, write_json
from meshtide.cli.evaluate import (
    DeviceOption,
    SourceArgument,
    bars,
    cache_of,
    choose_device,
    draw_confusion,
    print_score,
)
from meshtide.cli.running import Run, augments, describe, network_option, run_once, training_option, with_seed
from meshtide.errors import InputError

if TYPE_CHECKING:
    from meshtide.training.experiment import Data, Experiment
    from meshtide.training.loop import Epoch, Training


def train(
    context: typer.Context,
    source: SourceArgument,
    output: Annotated[Path, typer.Option("-o", "--output", metavar="MODEL", help="The .safetensors file to write.")],
    setting: learning.SettingOption = "multi",
    test: learning.TestOption = None,
    parts: learning.PartsOption = None,
    network: Annotated[str, network_option(help="tide-m, tide-s, gcn, gat, grand or diffusionnet.")] = "tide-m",
    operator: learning.OperatorOption = "surface",
    start: Annotated[
        Path | None,
        network_option(metavar="MODEL", help="Begin with this model's weights, or those of 'default', which ships."),
    ] = None,
    width: Annotated[int | None, network_option(min=1, max=4096, help="Channels; the network's own default.")] = None,
    blocks: Annotated[int | None, network_option(min=1, max=128, help="Blocks; the network's own default.")] = None,
    dropout: Annotated[float | None, network_option(min=0, max=0.95, help="The network's own default.")] = None,
    gradients: Annotated[
        bool | None,
        network_option("--gradients/--no-gradients", help="Let TIDE see where heat rises to; on without --augment."),
    ] = None,
    features: learning.FeaturesOption = "log-hks",
    eigenpairs: learning.EigenpairsOption = 128,
    epochs: learning.EpochsOption = None,
    sample: learning.SampleOption = 1000,
    precision: learning.PrecisionOption = "float32",
    patience: Annotated[int | None, training_option(min=1, help="Stop after so many epochs without a gain.")] = None,
    augment: learning.AugmentOption = None,
    relatives: learning.RelativesOption = 6,
    strength: learning.StrengthOption = 1.0,
    validate: learning.ValidateOption = True,
    class_weights: Annotated[bool, training_option("--class-weights", help="Weigh rare parts more.")] = False,
    shape: learning.ShapeOption = None,
    seed: learning.SeedOption = 0,
    seeds: learning.SeedsOption = 1,
    resume: Annotated[bool, training_option("--resume", help="Go on with an interrupted training.")] = False,
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
    from meshtide.data.augmentation import Augmentation
    from meshtide.spectral.recipe import GraphRecipe
    from meshtide.training.experiment import Experiment, begun_with, gather, usual_options
    from meshtide.training.loop import Settings

    if output.suffix != ".safetensors":
        raise InputError(f"{output}: a model's file name ends in .safetensors")
    if not output.parent.is_dir():
        raise InputError(f"{output}: the folder {output.parent} does not exist; create it first")
    relatives_too = augments(augment, setting, operator)
    given = {"width": width, "blocks": blocks, "dropout": dropout, "gradients": gradients}
    asked = {name: value for name, value in given.items() if value is not None}
    options = usual_options(network, operator, setting, relatives_too) | asked
    recipe = GraphRecipe(operator=operator, k=eigenpairs, features=tuple(features.split(",")))
    experiment = Experiment(
        source, setting, test, parts, network, options, recipe,
        Settings(
            epochs=epochs, patience=patience, class_weights=class_weights, seed=seed, sample=sample or None,
            precision=precision,
        ),
        Augmentation().scaled(strength) if relatives_too else None, relatives, shape, validate=validate,
    )  # fmt: skip
    if start is not None:
        _refuse_given(context, ("network", "operator", "features", "eigenpairs", *given))
        experiment = begun_with(experiment, str(start))
    place = choose_device(device)
    with bars() as shown:
        loaded = gather(experiment, data=data, cache=cache_of(cache), jobs=jobs, progress=shown)
    out.print(describe(experiment, loaded))
    runs = [
        _train_once(with_seed(experiment, seed + number), loaded, output, place, jobs, resume, log)
        for number in range(seeds)
    ]
    best = max(runs, key=lambda run: (run.validation_accuracy or 0.0, -run.seed))
    _finish(experiment, output, runs, best, report)


def _refuse_given(context: typer.Context, names: tuple[str, ...]) -> None:
    """Refuse options about the network beside --start, whose model has decided them."""
    for name in names:
        source = context.get_parameter_source(name)
        if source is not None and source.name == "COMMANDLINE":
            raise InputError(f"--{name} cannot be chosen beside --start, for the model to begin with has its own")


def _train_once(
    experiment: Experiment, data: Data, output: Path, device: str, jobs: int, resume: bool, log: Path | None
) -> Run:
    """Train with one seed, keeping beside the model what lets the training go on after a kill."""
    from meshtide.training.resume import TrainingFile

    file = TrainingFile(output, experiment)

    def begin(training: Training) -> None:
        if resume and file.load(training):
            out.print(f"going on after epoch {training.epoch} of {training.epochs}")

    with _tensorboard(log, experiment.settings.seed) as write:

        def after_epoch(training: Training, epoch: Epoch) -> None:
            write(epoch)
            file.save(training)

        run = run_once(experiment, data, device, jobs, begin=begin, after_epoch=after_epoch)
    file.remove()
    return run


def _finish(experiment: Experiment, output: Path, runs: list[Run], best: Run, report: Path | None) -> None:
    """Write the best run's model and plots, say the figures, write the report."""
    from meshtide.inference.model import save_model
    from meshtide.output.plots import plot_training
    from meshtide.training.scores import summarise

    save_model(best.model, output)
    if best.history:
        plot_training(best.history, output.with_suffix(".training.png"))
    out.print(f"wrote {escape(str(output))} ({best.seconds:.0f} s, seed {best.seed})")
    scores = [run.score for run in runs if run.score is not None]
    if best.score is not None:
        print_score(best.score)
        draw_confusion(best.score, output.with_suffix(".confusion.png"))
    summary = summarise(scores) if scores else {}
    if len(scores) > 1:
        figures = summary["vertex_accuracy"]
        spread = figures["standard_deviation"]
        out.print(f"vertex accuracy over {len(scores)} seeds: {figures['mean']:.2%} ± {spread:.2%}")
    if report:
        content = best.score.to_json() if best.score is not None else {}
        about = best.model.about
        write_json(report, {
            **content, "network": experiment.network, "operator": experiment.recipe.operator,
            "setting": experiment.setting, "split": "test", "parts_vocabulary": about.trained_on["vocabulary"],
            "seed": best.seed,
            "seconds": sum(run.seconds for run in runs), "trained_on": about.trained_on, "over_seeds": summary,
            "seeds": [{"seed": run.seed, "validation_accuracy": run.validation_accuracy,
                       "vertex_accuracy": run.score.vertex_accuracy if run.score else None} for run in runs],
        })  # fmt: skip


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
