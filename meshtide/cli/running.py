"""What `train` and `compare` share: their options, and a training's bar."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from meshtide.cli.console import out

if TYPE_CHECKING:
    from meshtide.training.experiment import Experiment
    from meshtide.training.loop import Epoch, Training
    from meshtide.training.sources import Data

# Under which heading of the help text an option stands. What an option is when it is not given the library decides.
shapes_option = partial(typer.Option, rich_help_panel="Shapes and parts")
network_option = partial(typer.Option, rich_help_panel="Network")
relatives_option = partial(typer.Option, rich_help_panel="Relatives")
training_option = partial(typer.Option, rich_help_panel="Training")

SettingOption = Annotated[str, shapes_option(help="single, multi or mixed, as in the paper.")]
TestOption = Annotated[str | None, shapes_option("--test", metavar="SOURCE", help="Another source to test on.")]
PartsOption = Annotated[str | None, shapes_option("--parts", metavar="VOCABULARY", help="Which parts to learn.")]
OperatorOption = Annotated[str | None, network_option(show_default="surface", help="surface or graph.")]
FeaturesOption = Annotated[
    str | None,
    network_option(
        show_default="log-hks",
        help="hks, log-hks, wks, hks5 (the paper's), curvature, diameter, or several with commas.",
    ),
]
EigenpairsOption = Annotated[
    int | None, network_option("--eigenpairs", "-k", min=1, show_default="128", help="Eigenpairs for each shape.")
]
EpochsOption = Annotated[int | None, training_option(min=1, help="Passes over the training shapes.")]
SampleOption = Annotated[
    int | None,
    training_option(min=0, show_default="1000", help="Vertices of a shape that a step looks at; 0 is all."),
]
PrecisionOption = Annotated[
    str | None,
    training_option(
        show_default="float32",
        help="float32, or bfloat16 for the products of a step, which is faster on newer processors.",
    ),
]
AugmentOption = Annotated[
    bool | None, relatives_option("--augment/--no-augment", help="Learn from relatives too; on in the mixed setting.")
]
RelativesOption = Annotated[
    int | None, relatives_option(min=1, show_default="6", help="Relatives of each shape, with --augment.")
]
StrengthOption = Annotated[
    float | None,
    relatives_option(min=0.0, max=3.0, show_default="1.0", help="How unlike a shape its relatives are."),
]
ValidateOption = Annotated[
    bool, shapes_option("--validate/--no-validate", help="Or learn from validation shapes too, to the last epoch.")
]
ShapeOption = Annotated[str | None, shapes_option(help="The shape of the single setting.")]
SeedOption = Annotated[int, training_option(min=0, help="The same seed gives the same model.")]
SeedsOption = Annotated[int, training_option(min=1, help="Train so many times, and report mean and deviation.")]


def given(**values: Any) -> dict[str, Any]:
    """The options that a user gave; the others are left to the library."""
    return {name: value for name, value in values.items() if value is not None}


def words(text: str | None) -> tuple[str, ...] | None:
    """The words of a list with commas."""
    return None if text is None else tuple(word.strip() for word in text.split(",") if word.strip())


class Screen:
    """A training as it is shown on the way: which shapes it has, and a bar of its epochs with the loss."""

    def __init__(self, begin_bar: Callable[[str, int], Callable[..., None]]) -> None:
        self.begin_bar = begin_bar
        self.count: Callable[..., None] = lambda *_: None
        self.words = ""
        self.epoch_done = 0

    def loaded(self, experiment: Experiment, data: Data) -> None:
        """Say which shapes are for what."""
        from meshtide.training.sources import describe

        self.close()
        out.print(escape(describe(experiment, data)))

    def begun(self, experiment: Experiment, training: Training) -> None:
        """Begin the bar where the training begins."""
        self.close()
        if training.epoch:
            out.print(f"going on after epoch {training.epoch} of {training.epochs}")
        self.words, self.epoch_done = f"training {experiment.network}", training.epoch
        self.count = self.begin_bar(self.words, training.epochs)
        for _ in range(training.epoch):
            self.count()

    def epoch(self, epoch: Epoch) -> None:
        """Move the bar on."""
        self.epoch_done = epoch.epoch
        checked = "" if epoch.validation_accuracy is None else f", validation {epoch.validation_accuracy:.2%}"
        self.count(f"{self.words}: loss {epoch.loss:.3f}{checked}")

    def close(self) -> None:
        """Take the bar away, so that something can be said."""
        self.begin_bar("", 0)
