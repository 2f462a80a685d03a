"""What `train` and `compare` share: their options, and a training's bar."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from meshtide.cli.console import out
from meshtide.cli.wording import in_options

if TYPE_CHECKING:
    from meshtide.training.experiment import Experiment
    from meshtide.training.loop import Epoch, Training
    from meshtide.training.subject import Gathered

# Under which heading of the help text an option stands. What an option is when it is not given the library decides.
shapes_option = partial(typer.Option, rich_help_panel="Shapes and parts")
network_option = partial(typer.Option, rich_help_panel="Network")
graph_option = partial(typer.Option, rich_help_panel="Graphs that are no meshes")
relatives_option = partial(typer.Option, rich_help_panel="Relatives")
training_option = partial(typer.Option, rich_help_panel="Training")

SettingOption = Annotated[str, shapes_option(help="single, multi or mixed, as in the paper.")]
TestOption = Annotated[str | None, shapes_option("--test", metavar="SOURCE", help="Another source to test on.")]
PartsOption = Annotated[str | None, shapes_option("--parts", metavar="VOCABULARY", help="Which parts to learn.")]
OperatorOption = Annotated[str | None, network_option(show_default="surface", help="surface or graph.")]
FeaturesOption = Annotated[
    str | None,
    network_option(
        show_default="log-hks, curvature, arrows; mixed: log-hks, twins",
        help="hks, log-hks, wks, hks5 (the paper's), curvature, diameter, twins, arrows, coordinates, normals, "
        "upright-y, upright-z, or several with commas; of a graph given, row-normalised or standardised.",
    ),
]
EigenpairsOption = Annotated[
    int | None,
    network_option("--eigenpairs", "-k", min=1, show_default="128; mixed: 64", help="Eigenpairs for each shape."),
]
EpochsOption = Annotated[int | None, training_option(min=1, help="Passes over the training shapes.")]
SampleOption = Annotated[
    int | None,
    training_option(min=0, show_default="1000", help="Vertices of a shape that a step looks at; 0 is all."),
]
BatchOption = Annotated[
    int | None,
    training_option(min=1, show_default="1", help="Shapes of a step; the learning rate grows with the root of it."),
]
PrecisionOption = Annotated[
    str | None,
    training_option(
        show_default="float32",
        help="float32, or bfloat16 for the products of a step, which is faster on newer processors.",
    ),
]
AverageOption = Annotated[
    float | None,
    training_option(
        min=0.0, max=1.0, show_default="0.25", help="Keep the mean weights of about this last share of the steps."
    ),
]
OptimiserOption = Annotated[
    str | None, training_option("--optimiser", show_default="adamw", help="adamw, adam or adamax.")
]
RateOption = Annotated[
    float | None, training_option("--learning-rate", show_default="0.005", help="The learning rate, or its highest.")
]
CourseOption = Annotated[
    str | None,
    training_option("--course", show_default="one-cycle", help="Of the learning rate: one-cycle or constant."),
]
DecayOption = Annotated[
    float | None, training_option("--weight-decay", show_default="0.01", help="How much weights shrink in a step.")
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
    bool | None,
    shapes_option(
        "--validate/--no-validate",
        show_default="with 8 or more to validate",
        help="Keep the epoch that does best on shapes that are not learned from, or learn from them too.",
    ),
]
SplitsOption = Annotated[
    str | None,
    graph_option("--splits", help="Which splits of the nodes, such as own, random or random:3; seeds take turns."),
]
ComponentOption = Annotated[
    str | None, graph_option("--component", help="all, or largest: the nodes of the largest connected component.")
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

    def loaded(self, experiment: Experiment, data: Gathered) -> None:
        """Say which shapes are for what."""
        from meshtide.training.advice import advice
        from meshtide.training.subject import description

        self.close()
        out.print(escape(description(experiment, data)))
        for sentence in advice(experiment, data):
            out.print(escape(f"note: {in_options(sentence)}"))

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
