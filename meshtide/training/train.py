"""From labelled shapes to a model: the one call behind `meshtide train`."""

from __future__ import annotations

from pathlib import Path
from typing import Unpack

from meshtide.data.nodes.task import NodeTask
from meshtide.errors import InputError
from meshtide.inference.model import Model, save_model
from meshtide.networks.device import choose_device
from meshtide.spectral.cache import Cache
from meshtide.training.distributed import current_team, together
from meshtide.training.experiment import Experiment, NetworkChoices, with_seed
from meshtide.training.folds import check_folds, fold_score
from meshtide.training.resume import TrainingFile
from meshtide.training.run import SILENT, Run, Watch, check_network, run_once
from meshtide.training.sources import Data
from meshtide.training.subject import Gathered, subject_of


def train(
    source: str | Path | NodeTask,
    *,
    output: str | Path | None = None,
    resume: bool = False,
    seeds: int = 1,
    folds: int | None = None,
    device: str = "auto",
    jobs: int = 1,
    stream: bool | None = None,
    data: str | Path | None = None,
    cache: Cache | None = None,
    watch: Watch = SILENT,
    **choices: Unpack[NetworkChoices],
) -> Model:
    """Learn the parts of labelled shapes; the same weights as `meshtide train` with the same choices.

    `source` is a folder of meshes with labels beside them, or a card's name or path (see `open_collection`), or
    a graph that is no mesh (see `open_node_task`), whose nodes have classes for parts. What can
    be chosen, all of it optional:

    - the shapes: `setting` ("single", "multi" or "mixed"), `test_source`, `vocabulary`, `shape`, `validate`;
    - the network: `network`, `operator`, `features`, `eigenpairs`, its own `options` such as `{"width": 32}`, or
      `start`, a model's file or "default", to begin with its weights;
    - relatives of the shapes: `augmentation` (True, False or an `Augmentation`), `relatives` of each, `strength`;
    - a graph that is no mesh: `splits` such as "random" or "own:3", of which each seed takes another, and its
      `component`, "all" or the "largest"; its `features` are "given", "row-normalised" or "standardised";
    - the training: `epochs`, `batch`, `sample`, `precision`, `patience`, `class_weights`, `average`, `optimiser`
      ("adamw", "adam" or "adamax"), `learning_rate`, its `course` ("one-cycle" or "constant"), `weight_decay`, `seed`.

    With few shapes all are learned from and the last weights are kept, with many the epoch that does best on those kept
    for validation; the weights are means over late steps. Of several `seeds` the best one is kept; `folds=3`
    trains three times more, each time leaving out a third of the shapes, to tell how good it is on new ones. With an
    `output` the model is written there, and beside it, as it goes, what `resume=True` goes on with after an
    interruption. Shapes out of shards, and those that would take more than half of the free memory, are read in `jobs`
    processes when they are wanted; `stream` says so of others, or that they are kept. `watch` holds functions to be
    called on the way; nothing is printed.

    >>> import tempfile
    >>> import meshtide as mt
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for number in (1, 2):
    ...         mesh, labels = mt.make_figure("hand", number)
    ...         mt.save_mesh(mesh, f"{folder}/{number}.ply")
    ...         mt.write_labels(labels, f"{folder}/{number}.txt", mesh)
    ...     model = mt.train(folder, epochs=1, eigenpairs=16)
    >>> model.about.parts
    ('finger', 'palm')
    >>> model.about.trained_on["shapes"]
    ['1', '2']
    """
    subject = subject_of(source, data, choices.get("component"), choices.get("splits"))
    experiment = subject.plan(**choices)
    check_network(experiment)
    if folds is not None:
        check_folds(experiment, folds)
    if seeds < 1:
        raise InputError(f"`seeds={seeds}` is too small; it should be 1 or more")
    place = choose_device(device)
    experiments = [with_seed(experiment, experiment.schedule.seed + number) for number in range(seeds)]
    with together(place) as team:
        if not team.leads:
            watch = SILENT
        files = {} if output is None else _training_files(Path(output), experiments, resume)
        with team.leader_first():  # who fills the cache
            loaded = subject.gather(
                experiment, cache=cache, jobs=jobs, extras=None, stream=stream, progress=watch.progress
            )
        watch.loaded(experiment, loaded)
        runs: list[Run] = []
        for each in experiments:
            runs.append(_run(each, loaded, place, jobs, files.get(each.schedule.seed), watch))
            watch.done(runs[-1])
            if not runs[-1].finished:
                break
        best = max(runs, key=lambda run: (run.validation_accuracy or 0.0, -run.seed))
        if folds is not None and runs[-1].finished and isinstance(loaded, Data):
            if output is not None and team.leads:  # before what takes long
                save_model(best.model, output)
            told = fold_score(experiment, loaded, folds, device=place, jobs=jobs, watch=watch)
            watch.folds(told)
            best.model.about.scores["folds"] = {"count": folds, **told.metrics}
        if output is not None and team.leads:
            save_model(best.model, output)
            if runs[-1].finished:
                for file in files.values():
                    file.remove()
    return best.model


def _training_files(output: Path, experiments: list[Experiment], resume: bool) -> dict[int, TrainingFile]:
    """The file of every seed, after checks that nothing is overwritten that somebody may want to go on with."""
    if output.suffix != ".safetensors":
        raise InputError(f"{output}: a model's file name ends in .safetensors")
    if not output.parent.is_dir():
        raise InputError(f"{output}: the folder {output.parent} does not exist; create it first")
    files = {each.schedule.seed: TrainingFile(output, each) for each in experiments}
    stopped = [file for file in files.values() if file.exists()]
    if stopped and not resume:
        raise InputError(
            f"{stopped[0].path}: a training was stopped here; `resume` goes on with it, or remove it to train anew"
        )
    if resume and not stopped and output.exists():
        raise InputError(f"{output}: is finished, with no stopped training beside it; leave out `resume` to train anew")
    for file in stopped:
        file.check()
    return files


def _run(
    experiment: Experiment, data: Gathered, device: str, jobs: int, file: TrainingFile | None, watch: Watch
) -> Run:
    """Train with one seed, keeping in the file what lets the training go on."""
    if file is None:
        return run_once(experiment, data, device=device, jobs=jobs, watch=watch)
    save = file.save if current_team().leads else lambda _: None
    return run_once(experiment, data, device=device, jobs=jobs, begin=file.load, after_epoch=save, watch=watch)
