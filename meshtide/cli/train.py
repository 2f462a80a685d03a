"""The command `train`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from meshtide.cli import running as learning
from meshtide.cli.console import (
    CacheOption,
    DataOption,
    DeviceOption,
    JobsOption,
    JsonOption,
    SourceArgument,
    bars,
    cache_of,
    err,
    out,
    write_json,
)
from meshtide.cli.evaluate import draw_confusion, metric_words, print_score
from meshtide.cli.order import check_source_is_no_model
from meshtide.cli.running import Screen, given, network_option, training_option
from meshtide.errors import InputError
from meshtide.networks.registry import network_names

if TYPE_CHECKING:
    from meshtide.training.experiment import Experiment
    from meshtide.training.loop import Epoch, Training
    from meshtide.training.run import Run
    from meshtide.training.scores import Score


def train(
    source: SourceArgument,
    output: Annotated[Path, typer.Option("-o", "--output", metavar="MODEL", help="The .safetensors file to write.")],
    setting: learning.SettingOption = "multi",
    test: learning.TestOption = None,
    parts: learning.PartsOption = None,
    network: Annotated[str | None, network_option(show_default="tide-m", help=f"{', '.join(network_names())}.")] = None,
    operator: learning.OperatorOption = None,
    start: Annotated[
        Path | None,
        network_option(metavar="MODEL", help="Begin with this model's weights, or those of 'default', which ships."),
    ] = None,
    width: Annotated[int | None, network_option(min=1, max=4096, help="Channels; the network's own default.")] = None,
    blocks: Annotated[
        int | None, network_option(min=0, max=128, help="Blocks, for TIDE perhaps 0; the network's own default.")
    ] = None,
    dropout: Annotated[float | None, network_option(min=0, max=0.95, help="The network's own default.")] = None,
    gradients: Annotated[
        bool | None,
        network_option("--gradients/--no-gradients", help="Let TIDE see where heat rises to; on without --augment."),
    ] = None,
    second_reader: Annotated[
        bool | None,
        network_option(
            "--second-reader/--no-second-reader",
            help="Beside TIDE, teach a network that begins as that for regions; off unless asked for.",
        ),
    ] = None,
    beginning: Annotated[
        str | None,
        network_option(help="How TIDE's times begin: spread over orders of magnitude, or at zero as in the paper."),
    ] = None,
    method: Annotated[str | None, network_option(help="How TIDE diffuses: spectral, or implicit steps.")] = None,
    diffused_dropout: Annotated[
        float | None, network_option(min=0, max=0.95, help="Dropout of what TIDE has diffused.")
    ] = None,
    residual: Annotated[
        bool | None, network_option("--residual/--no-residual", help="Add TIDE's blocks to what they read.")
    ] = None,
    fixed_time: Annotated[float | None, network_option(help="One diffusion time for TIDE that is not learned.")] = None,
    features: learning.FeaturesOption = None,
    eigenpairs: learning.EigenpairsOption = None,
    epochs: learning.EpochsOption = None,
    batch: learning.BatchOption = None,
    sample: learning.SampleOption = None,
    precision: learning.PrecisionOption = None,
    patience: Annotated[int | None, training_option(min=1, help="Stop after so many epochs without a gain.")] = None,
    average: learning.AverageOption = None,
    optimiser: learning.OptimiserOption = None,
    learning_rate: learning.RateOption = None,
    course: learning.CourseOption = None,
    weight_decay: learning.DecayOption = None,
    augment: learning.AugmentOption = None,
    relatives: learning.RelativesOption = None,
    strength: learning.StrengthOption = None,
    validate: learning.ValidateOption = None,
    class_weights: Annotated[bool, training_option("--class-weights", help="Weigh rare parts more.")] = False,
    shape: learning.ShapeOption = None,
    splits: learning.SplitsOption = None,
    component: learning.ComponentOption = None,
    seed: learning.SeedOption = 0,
    seeds: learning.SeedsOption = 1,
    folds: Annotated[
        int | None,
        training_option(min=2, help="Train so many times more without a share of the shapes, to tell how good it is."),
    ] = None,
    resume: Annotated[bool, training_option("--resume", help="Go on with a training that was stopped.")] = False,
    log: Annotated[Path | None, typer.Option("--log", metavar="DIR", help="Write tensorboard logs.")] = None,
    device: DeviceOption = "auto",
    jobs: JobsOption = 1,
    stream: Annotated[
        bool | None,
        typer.Option(
            "--stream/--no-stream",
            show_default="where memory is too small, and from shards",
            help="Read shapes when they are wanted, in processes of their own, or keep all in memory.",
        ),
    ] = None,
    data: DataOption = None,
    cache: CacheOption = None,
    report: JsonOption = None,
) -> None:
    """Train a network on a labelled collection and score it on shapes it has not seen.

    With few shapes all are learned from, to the end; with many the epoch that is best on some of them is kept. The
    weights are means over late steps. Ctrl-C keeps the best so far, and --resume goes on.
    Beside the model a plot of the training and, where there is a test, of the confusion of parts is written.
    """
    check_source_is_no_model(source, output)
    from meshtide.training.distributed import launched_rank
    from meshtide.training.run import Watch
    from meshtide.training.train import train as trained

    options = given(
        width=width, blocks=blocks, dropout=dropout, gradients=gradients, beginning=beginning, method=method,
        second_reader=second_reader, diffused_dropout=diffused_dropout, residual=residual, fixed_time=fixed_time,
    )  # fmt: skip
    choices = given(
        setting=setting, test_source=test, vocabulary=parts, network=network, operator=operator, start=start,
        options=options or None, features=learning.words(features), eigenpairs=eigenpairs, epochs=epochs, batch=batch,
        sample=sample,
        precision=precision, patience=patience, average=average, optimiser=optimiser, learning_rate=learning_rate,
        course=course, weight_decay=weight_decay, augmentation=augment, relatives=relatives, strength=strength,
        validate=validate, class_weights=class_weights, shape=shape, splits=splits, component=component, seed=seed,
    )  # fmt: skip
    if launched_rank():  # of several processes the first one speaks and writes
        out.quiet = err.quiet = True
    logs = Logs(log)
    runs: list[Run] = []
    told: list[Score] = []
    with bars() as shown, logs:
        screen = Screen(shown)

        def begun(experiment: Experiment, training: Training) -> None:
            screen.begun(experiment, training)
            logs.begin(experiment.schedule.seed)

        def epoch_done(epoch: Epoch) -> None:
            logs.write(epoch)
            screen.epoch(epoch)

        def interrupted() -> None:
            screen.close()
            err.print(
                f"stopped after epoch {screen.epoch_done}; the best so far is kept, and --resume goes on from there"
            )

        model = trained(
            source, output=output, resume=resume, seeds=seeds, folds=folds, device=device, jobs=jobs, stream=stream,
            data=data, cache=cache_of(cache), **choices,
            watch=Watch(shown, screen.loaded, begun, epoch_done, interrupted, runs.append, told.append),
        )  # fmt: skip
    if launched_rank():
        return
    best = next(run for run in runs if run.model is model)
    _finish(output, runs, best, report)
    for score in told:
        out.print(
            f"on shapes that were left out, by {folds} folds: vertex accuracy {score.vertex_accuracy:.2%}, "
            f"face accuracy {score.face_accuracy:.2%}, mean IoU {score.mean_iou:.2%}"
        )


def _finish(output: Path, runs: Sequence[Run], best: Run, report: Path | None) -> None:
    """Draw the best run's plots, say its score, write the report."""
    from meshtide.output.plots import plot_training
    from meshtide.training.scores import summarise

    if best.history:
        plot_training(best.history, output.with_suffix(".training.png"), kept=best.kept_epoch)
    out.print(f"wrote {escape(str(output))} ({best.seconds:.0f} s, seed {best.seed}): {_kept(best)}")
    scores = [run.score for run in runs if run.score is not None]
    if best.score is not None:
        print_score(best.score)
        draw_confusion(best.score, output.with_suffix(".confusion.png"))
    summary = summarise(scores) if scores else {}
    if len(scores) > 1:
        name, spread = next(iter(summary.items()))
        out.print(
            f"{metric_words(name)} over {len(scores)} seeds: {spread['mean']:.2%} ± {spread['standard_deviation']:.2%}"
        )
    if report:
        write_json(report, _report(runs, best, summary))


def _kept(run: Run) -> str:
    """Which epoch's weights were kept, and why."""
    about = run.model.about.trained_on
    if run.validation_accuracy is None:
        return f"the weights after all {about['epochs']} epochs, as there is no validation"
    shapes, what = about["validation_shapes"], "nodes" if about["setting"] == "nodes" else "vertices"
    where = f"{shapes} shape{'s' if shapes > 1 else ''}" if shapes else what
    return (
        f"epoch {run.kept_epoch} of {about['epochs']}, which is best on the {where} to validate, "
        f"{run.validation_accuracy:.2%} of {what}"
    )


def _report(runs: Sequence[Run], best: Run, summary: dict[str, dict[str, float]]) -> dict[str, Any]:
    """What the JSON file of a training holds."""
    about = best.model.about
    return {
        **(best.score.to_json() if best.score is not None else {}),
        "network": about.network,
        "operator": about.recipe.operator,
        "setting": about.trained_on["setting"],
        "split": "test",
        "parts_vocabulary": about.trained_on["vocabulary"],
        "seed": best.seed,
        "seconds": sum(run.seconds for run in runs),
        "trained_on": about.trained_on,
        "over_seeds": summary,
        "seeds": [
            {
                "seed": run.seed,
                "validation_accuracy": run.validation_accuracy,
                **(run.score.metrics if run.score else {}),
                "finished": run.finished,
            }
            for run in runs
        ],
    }


class Logs:
    """Tensorboard logs, a folder for each seed; without a folder nothing is written."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder
        self.writer: Any = None
        if folder is not None:
            try:
                from torch.utils.tensorboard import SummaryWriter
            except ImportError as error:
                raise InputError("--log needs tensorboard: pip install -c constraints.txt tensorboard") from error
            self.make: Any = SummaryWriter

    def __enter__(self) -> Logs:
        return self

    def __exit__(self, *_: object) -> None:
        if self.writer is not None:
            self.writer.close()

    def begin(self, seed: int) -> None:
        """Log to this seed's folder from now on."""
        self.__exit__()
        if self.folder is not None:
            self.writer = self.make(str(self.folder / f"seed-{seed}"))

    def write(self, epoch: Epoch) -> None:
        """Log an epoch."""
        if self.writer is None:
            return
        for name in ("loss", "train_accuracy", "validation_accuracy", "learning_rate"):
            if getattr(epoch, name) is not None:
                self.writer.add_scalar(name, getattr(epoch, name), epoch.epoch)
        for number, times in enumerate(epoch.times):
            self.writer.add_scalar(f"times/block {number} shortest", min(times), epoch.epoch)
            self.writer.add_scalar(f"times/block {number} longest", max(times), epoch.epoch)
