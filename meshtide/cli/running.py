"""What `train` and `compare` share: their options, and one training with its bar."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from meshtide.cli.console import err
from meshtide.cli.evaluate import bars
from meshtide.errors import InputError

if TYPE_CHECKING:
    from meshtide.inference.model import Model
    from meshtide.training.experiment import Data, Experiment, Lessons
    from meshtide.training.loop import Epoch, Training
    from meshtide.training.scores import Score

# Under which heading of the help text an option stands.
shapes_option = partial(typer.Option, rich_help_panel="Shapes and parts")
network_option = partial(typer.Option, rich_help_panel="Network")
relatives_option = partial(typer.Option, rich_help_panel="Relatives")
training_option = partial(typer.Option, rich_help_panel="Training")

SettingOption = Annotated[str, shapes_option(help="single, multi or mixed, as in the paper.")]
TestOption = Annotated[str | None, shapes_option("--test", metavar="SOURCE", help="Another source to test on.")]
PartsOption = Annotated[str | None, shapes_option("--parts", metavar="VOCABULARY", help="Which parts to learn.")]
OperatorOption = Annotated[str, network_option(help="surface or graph.")]
FeaturesOption = Annotated[str, network_option(help="hks, log-hks, wks, or several with commas.")]
EigenpairsOption = Annotated[int, network_option("--eigenpairs", "-k", min=1, help="Eigenpairs for each shape.")]
EpochsOption = Annotated[int | None, training_option(min=1, help="Passes over the training shapes.")]
SampleOption = Annotated[int, training_option(min=0, help="Vertices of a shape that a step looks at; 0 is all.")]
PrecisionOption = Annotated[
    str, training_option(help="float32, or bfloat16 for the products of a step, which is faster on newer processors.")
]
AugmentOption = Annotated[
    bool | None, relatives_option("--augment/--no-augment", help="Learn from relatives too; on in the mixed setting.")
]
RelativesOption = Annotated[int, relatives_option(min=1, help="Relatives of each shape, with --augment.")]
StrengthOption = Annotated[float, relatives_option(min=0.0, max=3.0, help="How unlike a shape its relatives are.")]
ValidateOption = Annotated[
    bool, shapes_option("--validate/--no-validate", help="Or learn from validation shapes too, to the last epoch.")
]
ShapeOption = Annotated[str | None, shapes_option(help="The shape of the single setting.")]
SeedOption = Annotated[int, training_option(min=0, help="The same seed gives the same model.")]
SeedsOption = Annotated[int, training_option(min=1, help="Train so many times, and report mean and deviation.")]


@dataclass(frozen=True, eq=False)
class Run:
    """What one training with one seed gave."""

    seed: int
    validation_accuracy: float | None  # of the epoch that was kept
    model: Model
    score: Score | None
    history: list[Epoch]
    seconds: float


def augments(asked: bool | None, setting: str, operator: str) -> bool:
    """Whether to learn from relatives: as asked, or where a network must work on shapes unlike the training set."""
    if asked is not None:
        return asked
    return setting == "mixed" and operator == "surface"


def describe(experiment: Experiment, data: Data) -> str:
    """Which shapes are for what, and which parts are learned."""
    names = f"{len(data.train)} training, {len(data.validation)} validation and {len(data.test)} test shapes"
    if experiment.setting == "single":
        names = f"20, 30 and 50 % of the vertices of {data.train[0].example.name} to train, validate and test"
    where = f" of {experiment.test_source}" if experiment.test_source else ""
    return f"{experiment.source}: {names}{where}, {len(data.parts)} parts ({', '.join(data.parts)})"


def with_seed(experiment: Experiment, seed: int) -> Experiment:
    """The same experiment with another seed."""
    return replace(experiment, settings=replace(experiment.settings, seed=seed))


def run_once(
    experiment: Experiment,
    data: Data,
    device: str,
    jobs: int,
    *,
    lessons: Lessons | None = None,
    begin: Callable[[Training], None] = lambda _: None,
    after_epoch: Callable[[Training, Epoch], None] = lambda *_: None,
    keep_interrupted: bool = True,
) -> Run:
    """Train with the experiment's seed and score; `begin` may put the training where another one was interrupted.

    Ctrl-C ends the training early and the best so far is scored, unless `keep_interrupted` is False.
    """
    import torch

    from meshtide.training.experiment import prepare_training, score_test, trained_model

    started = time.perf_counter()
    if device == "cpu":
        # The matrices of a step are small: two threads wait for each other more than they work.
        torch.set_num_threads(1)
    with bars() as shown:
        training, test = prepare_training(experiment, data, device=device, jobs=jobs, lessons=lessons, progress=shown)
    begin(training)
    history = _epochs(training, after_epoch, experiment.network, keep_interrupted)
    training.keep_best()
    score = score_test(training, data, test, experiment.setting)
    model = trained_model(experiment, training, data, score, history, started)
    best = [epoch.validation_accuracy for epoch in history if epoch.best]
    return Run(
        experiment.settings.seed,
        best[-1] if best else None,
        model,
        score,
        history,
        round(time.perf_counter() - started, 1),
    )


def _epochs(
    training: Training, after_epoch: Callable[[Training, Epoch], None], network: str, keep_interrupted: bool
) -> list[Epoch]:
    """Run the epochs with a bar."""
    history: list[Epoch] = []
    with bars() as shown:
        count: Any = shown(f"training {network}", training.epochs)
        for _ in range(training.epoch):
            count()
        try:
            for epoch in training.run():
                history.append(epoch)
                after_epoch(training, epoch)
                count(_words(epoch, network))
        except KeyboardInterrupt:
            if not keep_interrupted:
                raise
            err.print(f"stopped after epoch {training.epoch}; the best so far is kept")
    if not history and not training.best:
        raise InputError("stopped before the first epoch was done, so there is no model")
    return history


def _words(epoch: Epoch, network: str) -> str:
    checked = "" if epoch.validation_accuracy is None else f", validation {epoch.validation_accuracy:.2%}"
    return f"training {network}: loss {epoch.loss:.3f}{checked}"
