"""From labelled shapes to a model: the one call behind `meshtide train`."""

from __future__ import annotations

from pathlib import Path
from typing import Unpack

from meshtide.errors import InputError
from meshtide.inference.model import Model, save_model
from meshtide.networks.device import choose_device
from meshtide.spectral.cache import Cache
from meshtide.training.experiment import Experiment, NetworkChoices, plan, with_seed
from meshtide.training.resume import TrainingFile
from meshtide.training.run import SILENT, Run, Watch, check_network, run_once
from meshtide.training.sources import Data, gather


def train(
    source: str | Path,
    *,
    output: str | Path | None = None,
    resume: bool = False,
    seeds: int = 1,
    device: str = "auto",
    jobs: int = 1,
    data: str | Path | None = None,
    cache: Cache | None = None,
    watch: Watch = SILENT,
    **choices: Unpack[NetworkChoices],
) -> Model:
    """Learn the parts of labelled shapes; the same weights as `meshtide train` with the same choices.

    `source` is a folder of meshes with labels beside them, or a card's name or path (see `open_collection`). What can
    be chosen, all of it optional:

    - the shapes: `setting` ("single", "multi" or "mixed"), `test_source`, `vocabulary`, `shape`, `validate`;
    - the network: `network`, `operator`, `features`, `eigenpairs`, its own `options` such as `{"width": 32}`, or
      `start`, a model's file or "default", to begin with its weights;
    - relatives of the shapes: `augmentation` (True, False or an `Augmentation`), `relatives` of each, `strength`;
    - the training: `epochs`, `sample`, `precision`, `patience`, `class_weights`, `seed`.

    The epoch that does best on validation shapes is kept, and of several `seeds` the best one. With an `output` the
    model is written there, and beside it, as it goes, what `resume=True` goes on with after an interruption. `watch`
    holds functions to be called on the way; nothing is printed.

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
    experiment = plan(source, **choices)
    check_network(experiment)
    if seeds < 1:
        raise InputError(f"`seeds={seeds}` is too small; it should be 1 or more")
    place = choose_device(device)
    experiments = [with_seed(experiment, experiment.schedule.seed + number) for number in range(seeds)]
    files = {} if output is None else _training_files(Path(output), experiments, resume)
    loaded = gather(experiment, data=data, cache=cache, jobs=jobs, progress=watch.progress)
    watch.loaded(experiment, loaded)
    runs: list[Run] = []
    for each in experiments:
        runs.append(_run(each, loaded, place, jobs, files.get(each.schedule.seed), watch))
        watch.done(runs[-1])
        if not runs[-1].finished:
            break
    best = max(runs, key=lambda run: (run.validation_accuracy or 0.0, -run.seed))
    if output is not None:
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


def _run(experiment: Experiment, data: Data, device: str, jobs: int, file: TrainingFile | None, watch: Watch) -> Run:
    """Train with one seed, keeping in the file what lets the training go on."""
    if file is None:
        return run_once(experiment, data, device=device, jobs=jobs, watch=watch)
    return run_once(experiment, data, device=device, jobs=jobs, begin=file.load, after_epoch=file.save, watch=watch)
