"""The command `compare`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from meshtide.cli import running as learning
from meshtide.cli.console import (
    STANDARD_OUTPUT,
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
from meshtide.cli.evaluate import main_metric, metric_words
from meshtide.cli.running import Screen, given, network_option, training_option

if TYPE_CHECKING:
    from meshtide.training.comparison import Comparison
    from meshtide.training.run import Run


def compare(
    source: SourceArgument,
    networks: Annotated[
        str | None, network_option(help="Which networks, with commas; all that work with the operator.")
    ] = None,
    setting: learning.SettingOption = "multi",
    test: learning.TestOption = None,
    parts: learning.PartsOption = None,
    operator: learning.OperatorOption = None,
    features: learning.FeaturesOption = None,
    eigenpairs: learning.EigenpairsOption = None,
    epochs: learning.EpochsOption = None,
    batch: learning.BatchOption = None,
    sample: learning.SampleOption = None,
    precision: learning.PrecisionOption = None,
    average: learning.AverageOption = None,
    optimiser: learning.OptimiserOption = None,
    learning_rate: learning.RateOption = None,
    course: learning.CourseOption = None,
    weight_decay: learning.DecayOption = None,
    augment: learning.AugmentOption = None,
    relatives: learning.RelativesOption = None,
    strength: learning.StrengthOption = None,
    validate: learning.ValidateOption = None,
    shape: learning.ShapeOption = None,
    splits: learning.SplitsOption = None,
    component: learning.ComponentOption = None,
    seed: learning.SeedOption = 0,
    seeds: learning.SeedsOption = 3,
    resume: Annotated[bool, training_option("--resume", help="Do the runs that the --json file lacks.")] = False,
    device: DeviceOption = "auto",
    jobs: JobsOption = 1,
    data: DataOption = None,
    cache: CacheOption = None,
    report: JsonOption = None,
) -> None:
    """Train several networks on the same shapes and print their scores on the same test shapes side by side.

    Features, splits, relatives and steps are the same for all of them; width, depth and dropout are each network's own.
    The report is written anew after every run.
    """
    from meshtide.training.comparison import compare as compared
    from meshtide.training.run import Watch

    choices = given(
        setting=setting, test_source=test, vocabulary=parts, operator=operator, features=learning.words(features),
        eigenpairs=eigenpairs, epochs=epochs, batch=batch, sample=sample, precision=precision, average=average,
        optimiser=optimiser, learning_rate=learning_rate, course=course, weight_decay=weight_decay,
        augmentation=augment, relatives=relatives, strength=strength, validate=validate, shape=shape, seed=seed,
        splits=splits, component=component,
    )  # fmt: skip
    stopped, at_end = False, report == STANDARD_OUTPUT

    def interrupted() -> None:
        nonlocal stopped
        stopped = True

    with bars() as shown:
        screen = Screen(shown)

        def done(run: Run) -> None:
            screen.close()
            if run.score is not None:
                result = main_metric(run.score.metrics)
                err.print(f"{run.model.about.network}, seed {run.seed}: {result} ({run.seconds:.0f} s)")

        comparison = compared(
            source, networks=learning.words(networks), seeds=seeds, report=None if at_end else report, resume=resume,
            device=device, jobs=jobs, data=data, cache=cache_of(cache),
            watch=Watch(shown, screen.loaded, screen.begun, screen.epoch, interrupted, done), **choices,
        )  # fmt: skip
    if stopped:
        kept = (
            ""
            if report is None or at_end
            else f"; --resume goes on with the {len(comparison.results)} that {report} has"
        )
        err.print(escape(f"stopped; the run that was under way is lost{kept}"))
    _print_table(comparison)
    if at_end and report is not None:
        write_json(report, comparison.to_json())
    if stopped:
        raise typer.Exit(130)


def _print_table(comparison: Comparison) -> None:
    """A line for each network, the best one bold; no narrow terminal or pipe may cut a number short."""
    rows = comparison.rows()
    if not rows:
        return
    best = max(row.main["mean"] for row in rows)
    first, *_, last = rows[0].metrics
    out.print(
        f"{'network':12} {'parameters':>10} {metric_words(first):>16} {metric_words(last):>14} {'validation':>10} "
        f"{'runs':>4} {'s a run':>7}"
    )
    for row in rows:
        checked = "" if row.validation_accuracy is None else f"{100 * row.validation_accuracy:.2f}"
        words = (
            f"{row.network:12} {row.parameters:>10,} {_spread(row.main, row.seeds):>16} "
            f"{_spread(row.metrics[last], row.seeds):>14} {checked:>10} {len(row.seeds):>4} {row.seconds:>7.0f}"
        )
        out.print(words, style="bold" if row.main["mean"] == best else None)


def _spread(metric: dict[str, float], seeds: tuple[int, ...]) -> str:
    """A mean in percent and, of several runs, its deviation."""
    return f"{100 * metric['mean']:.2f}" + (f" ± {100 * metric['standard_deviation']:.2f}" if len(seeds) > 1 else "")
