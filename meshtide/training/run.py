"""One training from loaded shapes to a scored model, told step by step to whoever wants to know."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import torch

from meshtide.errors import InputError
from meshtide.inference.model import Model, load_model
from meshtide.networks.arrows import READ
from meshtide.networks.registry import build_network, network_record
from meshtide.networks.turning import views
from meshtide.spectral.node_recipe import NodeRecipe
from meshtide.spectral.recipe import GraphRecipe
from meshtide.training.examples import split_vertices, with_relatives
from meshtide.training.experiment import Experiment
from meshtide.training.few_shapes import begin_second_reader
from meshtide.training.loop import Epoch, Training
from meshtide.training.nodes.data import NodeData
from meshtide.training.nodes.scores import NodeScore
from meshtide.training.outcome import score_test, trained_model, validation_accuracy
from meshtide.training.scores import Score
from meshtide.training.sources import Data, Progress, no_progress
from meshtide.training.start import take_over
from meshtide.training.streaming import Stream, examples_of
from meshtide.training.subject import Gathered
from meshtide.training.views import Example

Lessons = tuple[Sequence[Example], Sequence[Example]]  # to learn from, and to choose the epoch by


@dataclass(frozen=True, eq=False)
class Run:
    """What one training with one seed gave."""

    seed: int
    validation_accuracy: float | None  # of the epoch that was kept
    model: Model
    score: Score | NodeScore | None
    history: list[Epoch]  # of this run, without the epochs before a resume
    seconds: float
    kept_epoch: int  # whose weights the model has
    finished: bool = True  # False: it was interrupted, and the model is the best so far


@dataclass(frozen=True)
class Watch:
    """Functions that are called while a training goes on; each may be left out, and then nothing is said.

    `interrupted` decides what Ctrl-C means: with such a function the training ends early and the best so far is kept,
    without one KeyboardInterrupt is raised as anywhere else.

    >>> losses = []
    >>> watch = Watch(epoch=lambda epoch: losses.append(epoch.loss))  # for `train(…, watch=watch)`
    """

    progress: Progress = no_progress  # how many of what are to be done; returns what is called after each of them
    loaded: Callable[[Experiment, Gathered], None] = lambda *_: None
    begun: Callable[[Experiment, Training], None] = lambda *_: None  # before the first epoch, or the next after a stop
    epoch: Callable[[Epoch], None] = lambda *_: None
    interrupted: Callable[[], None] | None = None
    done: Callable[[Run], None] = lambda *_: None
    folds: Callable[[Score], None] = lambda *_: None  # the score by folds, where these were asked for


SILENT = Watch()


def run_once(
    experiment: Experiment,
    data: Gathered,
    *,
    device: str = "cpu",
    jobs: int = 1,
    lessons: Lessons | None = None,
    begin: Callable[[Training], object] = lambda _: None,
    after_epoch: Callable[[Training], None] = lambda _: None,
    watch: Watch = SILENT,
) -> Run:
    """Train with the experiment's seed and score; `begin` may put the training where another one was stopped."""
    started = time.perf_counter()
    with _own_random_numbers_and_threads(device):
        training, test = prepare_training(
            experiment, data, device=device, jobs=jobs, lessons=lessons, progress=watch.progress
        )
        begin(training)
        watch.begun(experiment, training)
        history, finished = _epochs(training, after_epoch, watch)
        training.keep_best()
        score = score_test(training, data, test, experiment)
        model = trained_model(experiment, training, data, score, time.perf_counter() - started)
    seconds = round(time.perf_counter() - started, 1)
    accuracy = validation_accuracy(training)
    return Run(experiment.schedule.seed, accuracy, model, score, history, seconds, training.best_epoch, finished)


def _epochs(training: Training, after_epoch: Callable[[Training], None], watch: Watch) -> tuple[list[Epoch], bool]:
    """Run the epochs that are left; returns them, and whether they were all that there are."""
    history: list[Epoch] = []
    try:
        for epoch in training.run():
            history.append(epoch)
            after_epoch(training)
            watch.epoch(epoch)
    except KeyboardInterrupt:
        if watch.interrupted is None:
            raise
        if not training.best:
            raise InputError("stopped before the first epoch was done, so there is no model") from None
        watch.interrupted()
        return history, False
    return history, True


@contextmanager
def _own_random_numbers_and_threads(device: str) -> Iterator[None]:
    """A training neither disturbs the caller's random numbers nor depends on the caller's number of threads."""
    threads = torch.get_num_threads()
    with torch.random.fork_rng(devices=None if device == "cuda" else []):
        if device == "cpu":
            # The matrices of a step are small: two threads wait for each other more than they work.
            torch.set_num_threads(1)
        try:
            yield
        finally:
            torch.set_num_threads(threads)


def check_network(experiment: Experiment) -> None:
    """Build the network once to see that it can be: nobody wants to hear of a wrong option after hours."""
    with torch.random.fork_rng(devices=[]):
        # Of a graph that is no mesh the features are not known yet.
        least = experiment.recipe.channels if isinstance(experiment.recipe, GraphRecipe) else READ + 1
        build_network(experiment.network, least, 1, operator=experiment.recipe.operator, **experiment.options)


def prepare_training(
    experiment: Experiment,
    data: Gathered,
    *,
    device: str = "cpu",
    jobs: int = 1,
    lessons: Lessons | None = None,
    progress: Progress = no_progress,
) -> tuple[Training, Sequence[Example]]:
    """A training ready to run, and the examples to test on: those of `data`, or the test half of the single shape.

    `lessons` are what `make_lessons` gave for this experiment, or for one that differs in its network alone.
    """
    torch.manual_seed(experiment.schedule.seed)
    recipe = experiment.recipe
    network = build_network(
        experiment.network, recipe.channels, len(data.parts), operator=recipe.operator, **experiment.options
    )
    begin_second_reader(network)
    seed = experiment.schedule.seed
    train: Sequence[Example]
    validation: Sequence[Example]
    test: Sequence[Example]
    if isinstance(data, NodeData):
        train, validation, test = data.examples(experiment)
    elif experiment.setting == "single":
        train, validation, test = ([example] for example in split_vertices(data.train[0].example, seed))
    else:
        train, validation = lessons or make_lessons(experiment, data, jobs=jobs, progress=progress)
        test = examples_of(data.test)
    if experiment.start is not None:
        take_over(network, data.parts, load_model(experiment.start))
    elif isinstance(train, Stream):
        network.normalise.take(train.glance.moments)
    elif not isinstance(recipe, NodeRecipe) or recipe.features == "standardised":
        network.normalise.measure(
            view
            for example in train
            for graph in (example.graph, *(graph for graph, _ in example.relatives))
            for view in views(graph)
        )
    network.to(device)
    return Training(network, train, validation, experiment.schedule), test


def make_lessons(experiment: Experiment, data: Data, *, jobs: int = 1, progress: Progress = no_progress) -> Lessons:
    """Training and validation examples, both with relatives where shapes are augmented."""
    if experiment.augmentation is None:
        return examples_of(data.train), examples_of(data.validation)
    if isinstance(data.train, Stream):
        raise InputError(
            "`augmentation` keeps relatives of all shapes in memory, and these are streamed as they are too many for "
            "that; leave it out, with `augmentation=False`"
        )
    edges = not network_record(experiment.network).samples
    count = progress("making relatives", experiment.relatives * len(data.train) + len(data.validation))
    seed = experiment.schedule.seed
    train = with_relatives(
        data.train, experiment.augmentation, experiment.relatives, seed=2 * seed, jobs=jobs, whole=edges, progress=count
    )
    validation = with_relatives(
        data.validation, experiment.augmentation, 1, seed=2 * seed + 1, jobs=jobs, whole=edges, progress=count
    )
    return train, validation
