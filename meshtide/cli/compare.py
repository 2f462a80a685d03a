"""The command `compare`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from meshtide.cli import running as learning
from meshtide.cli.console import CacheOption, DataOption, JobsOption, JsonOption, err, out, write_json
from meshtide.cli.evaluate import DeviceOption, SourceArgument, bars, cache_of, choose_device
from meshtide.cli.running import Run, augments, describe, network_option, run_once, training_option, with_seed
from meshtide.errors import InputError

if TYPE_CHECKING:
    from meshtide.training.comparison import Comparison, Result
    from meshtide.training.experiment import Data, Experiment, Lessons


def compare(
    source: SourceArgument,
    networks: Annotated[
        str | None, network_option(help="Which networks, with commas; all that work with the operator.")
    ] = None,
    setting: learning.SettingOption = "multi",
    test: learning.TestOption = None,
    parts: learning.PartsOption = None,
    operator: learning.OperatorOption = "surface",
    features: learning.FeaturesOption = "log-hks",
    eigenpairs: learning.EigenpairsOption = 128,
    epochs: learning.EpochsOption = None,
    sample: learning.SampleOption = 1000,
    precision: learning.PrecisionOption = "float32",
    augment: learning.AugmentOption = None,
    relatives: learning.RelativesOption = 6,
    strength: learning.StrengthOption = 1.0,
    validate: learning.ValidateOption = True,
    shape: learning.ShapeOption = None,
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
    from meshtide.data.augmentation import Augmentation
    from meshtide.networks.registry import needs
    from meshtide.spectral.recipe import GraphRecipe
    from meshtide.training.comparison import Comparison, chosen_networks, with_network
    from meshtide.training.experiment import Experiment, gather
    from meshtide.training.loop import Settings

    if resume and report is None:
        raise InputError("--resume goes on with the report of an earlier comparison: name it with --json")
    names = chosen_networks(networks, operator)
    plan = Experiment(
        source,
        setting,
        test,
        parts,
        recipe=GraphRecipe(operator=operator, k=eigenpairs, features=tuple(features.split(","))),
        settings=Settings(epochs=epochs, seed=seed, sample=sample or None, precision=precision),
        augmentation=Augmentation().scaled(strength) if augments(augment, setting, operator) else None,
        relatives=relatives,
        shape=shape,
        validate=validate,
    )
    experiments = [with_network(plan, name) for name in names]
    comparison = Comparison(plan)
    if resume and report is not None:
        comparison.take_up(report)
    place = choose_device(device)
    extras = tuple(sorted({extra for each in experiments for extra in needs(each.network, each.options)}))
    with bars() as shown:
        loaded = gather(plan, data=data, cache=cache_of(cache), jobs=jobs, extras=extras, progress=shown)
    if setting != "single" and not loaded.test:
        raise InputError(f"{source}: has no test shapes to compare networks on; name a source of such with --test")
    out.print(describe(plan, loaded))
    try:
        for number in range(seed, seed + seeds):
            _with_all(comparison, [with_seed(each, number) for each in experiments], loaded, place, jobs, report)
    except KeyboardInterrupt:
        kept = "" if report is None else f"; --resume goes on with the {len(comparison.results)} that {report} has"
        err.print(escape(f"stopped; the run that was under way is lost{kept}"))
        raise typer.Exit(130) from None
    finally:
        _print_table(comparison, names)


def _with_all(
    comparison: Comparison, experiments: list[Experiment], data: Data, device: str, jobs: int, report: Path | None
) -> None:
    """Run the experiments of one seed, which share their relatives, and write the report after each."""
    from meshtide.training.experiment import SAMPLING_NETWORKS, make_lessons

    made: dict[bool, Lessons] = {}
    for experiment in experiments:
        if comparison.has(experiment.network, experiment.settings.seed):
            continue
        samples = experiment.network in SAMPLING_NETWORKS
        if experiment.setting != "single" and samples not in made:
            with bars() as shown:
                made[samples] = make_lessons(experiment, data, jobs=jobs, progress=shown)
        result = _result(
            experiment, run_once(experiment, data, device, jobs, lessons=made.get(samples), keep_interrupted=False)
        )
        comparison.results.append(result)
        err.print(
            f"{result.network}, seed {result.seed}: vertex accuracy {result.vertex_accuracy:.2%} "
            f"({result.seconds:.0f} s)"
        )
        if report is not None:
            write_json(report, comparison.to_json([each.network for each in experiments]))


def _result(experiment: Experiment, run: Run) -> Result:
    from meshtide.networks.registry import parameter_count
    from meshtide.training.comparison import Result
    from meshtide.training.scores import FIGURES

    if run.score is None:
        raise InputError(f"{experiment.source}: no test shape has labels to score against")
    network: Any = run.model.network
    return Result(
        experiment.network,
        run.seed,
        parameter_count(network),
        run.seconds,
        run.validation_accuracy,
        **{figure: getattr(run.score, figure) for figure in FIGURES},
    )


def _print_table(comparison: Comparison, networks: tuple[str, ...]) -> None:
    """A line for each network, the best one bold; no narrow terminal or pipe may cut a figure short."""
    rows = comparison.rows(networks)
    if not rows:
        return
    best = max(row.figures["vertex_accuracy"]["mean"] for row in rows)
    out.print(
        f"{'network':12} {'parameters':>10} {'vertex accuracy':>16} {'mean IoU':>14} {'validation':>10} "
        f"{'runs':>4} {'s a run':>7}"
    )
    for row in rows:
        checked = "" if row.validation_accuracy is None else f"{100 * row.validation_accuracy:.2f}"
        words = (
            f"{row.network:12} {row.parameters:>10,} {_spread(row.figures['vertex_accuracy'], row.seeds):>16} "
            f"{_spread(row.figures['mean_iou'], row.seeds):>14} {checked:>10} {len(row.seeds):>4} {row.seconds:>7.0f}"
        )
        out.print(words, style="bold" if row.figures["vertex_accuracy"]["mean"] == best else None)


def _spread(figure: dict[str, float], seeds: tuple[int, ...]) -> str:
    """A mean in percent and, of several runs, its deviation."""
    return f"{100 * figure['mean']:.2f}" + (f" ± {100 * figure['standard_deviation']:.2f}" if len(seeds) > 1 else "")
