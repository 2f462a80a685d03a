"""Stopped trainings: they go on as if nothing had happened, and nothing that was stopped is lost by accident."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import safetensors.torch
import torch
from labelled_folders import write_figures
from shapes import FIGURE_PARTS, figure

from meshtide.errors import InputError
from meshtide.inference.model import Model, load_model
from meshtide.labels.files import write_labels
from meshtide.labels.labels import Labels
from meshtide.mesh.files import save_mesh
from meshtide.training.experiment import Experiment, plan
from meshtide.training.loop import Epoch, Training
from meshtide.training.resume import TrainingFile
from meshtide.training.run import Run, Watch, prepare_training
from meshtide.training.sources import Data, gather
from meshtide.training.train import train

SMALL = {"eigenpairs": 16, "options": {"width": 8, "blocks": 1, "dropout": 0.3}, "sample": 60}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_figures(tmp_path_factory.mktemp("figures"), 4)


@pytest.fixture(scope="module")
def sparse(tmp_path_factory: pytest.TempPathFactory) -> tuple[Experiment, Data]:
    """Shapes with labels on so few vertices that many samples have none."""
    folder = tmp_path_factory.mktemp("sparse")
    mesh, parts = figure(1)
    for number in range(3):
        few = np.where(np.random.default_rng(number).random(len(parts)) < 0.01, parts, -1)
        save_mesh(mesh, folder / f"{number}.off")
        write_labels(Labels(few, "faces", FIGURE_PARTS), folder / f"{number}.txt", mesh)
    which = plan(folder, **{**SMALL, "sample": 12}, epochs=8, average=0.3, seed=1)
    return which, gather(which)


def weights(training: Training) -> list[torch.Tensor]:
    return [value.clone() for value in training.network.state_dict().values()]


def test_a_stopped_training_ends_as_if_it_had_not_been(sparse: tuple[Experiment, Data], tmp_path: Path) -> None:
    which, data = sparse
    whole, _ = prepare_training(which, data)
    rates = [epoch.learning_rate for epoch in whole.run()]
    taken = whole.learning_rate.last_epoch
    assert 0 < taken < 8 * len(whole.train)  # some steps had labels, and some had none
    broken, _ = prepare_training(which, data)
    file = TrainingFile(tmp_path / "model.safetensors", which)
    for epoch in broken.run():
        file.next_time = 0.0
        file.save(broken)
        if epoch.epoch == 3:
            break
    torch.manual_seed(99)  # whatever happens in between
    resumed, _ = prepare_training(which, data)
    assert file.load(resumed)
    assert [epoch.learning_rate for epoch in resumed.run()] == rates[3:]
    assert resumed.learning_rate.last_epoch == taken
    assert all(torch.equal(*pair) for pair in zip(weights(whole), weights(resumed), strict=True))
    assert (resumed.best_epoch, resumed.best_accuracy) == (whole.best_epoch, whole.best_accuracy)
    file.remove()
    assert not file.load(resumed)


def test_the_random_numbers_of_a_graphics_card_are_kept_too(
    sparse: tuple[Experiment, Data], monkeypatch: pytest.MonkeyPatch
) -> None:
    which, data = sparse
    training, _ = prepare_training(which, data)
    assert "device_random" not in training.state()[0]
    given: list[torch.Tensor] = []
    card = SimpleNamespace(get_rng_state=lambda: torch.arange(4, dtype=torch.uint8), set_rng_state=given.append)
    monkeypatch.setattr(Training, "_accelerator", lambda self: card)
    training.restore(*training.state())
    assert [state.tolist() for state in given] == [[0, 1, 2, 3]]


def test_a_file_of_another_experiment_or_of_nonsense_is_refused(
    sparse: tuple[Experiment, Data], tmp_path: Path
) -> None:
    which, data = sparse
    training, _ = prepare_training(which, data)
    training.run_epoch()
    model = tmp_path / "m.safetensors"
    file = TrainingFile(model, which)
    file.save(training)
    longer = replace(which, schedule=replace(which.schedule, epochs=3))
    finer = replace(which, recipe=replace(which.recipe, k=17))
    for other, said in ((longer, r"\(`epochs` was 8 and is 3\)"), (finer, r"\(`eigenpairs` was 16 and is 17\)")):
        with pytest.raises(InputError, match=f"other arguments {said}"):
            TrainingFile(model, other).check()
    fewer = replace(data, train=data.train[:1])
    with pytest.raises(InputError, match="has other shapes to learn from than there are now; remove the file"):
        file.load(prepare_training(replace(which, schedule=replace(which.schedule, epochs=8)), fewer)[0])
    tensors, _ = training.state()
    for numbers, said in (
        ({"experiment": "0123abcd"}, "another version"),
        ({"experiment": file.experiment}, "does not fit"),
        ([], "is damaged"),
    ):
        file.path.write_bytes(safetensors.torch.save(tensors, {"meshtide-training": json.dumps(numbers)}))
        with pytest.raises(InputError, match=said):
            file.load(training)
    file.path.write_bytes(file.path.read_bytes()[:100])
    with pytest.raises(InputError, match="is damaged, or no stopped training"):
        file.check()


def interrupting(at: int, told: list[str]) -> Watch:
    """Ctrl-C after an epoch."""

    def epoch_done(epoch: Epoch) -> None:
        if epoch.epoch == at:
            raise KeyboardInterrupt

    return Watch(epoch=epoch_done, interrupted=lambda: told.append("interrupted"))


def same(one: Model, other: Model) -> bool:
    pairs = zip(one.network.state_dict().items(), other.network.state_dict().items(), strict=True)
    return all(left == right and torch.equal(a, b) for (left, a), (right, b) in pairs)


def test_ctrl_c_leaves_a_model_and_a_way_to_go_on(folder: Path, tmp_path: Path) -> None:
    output = tmp_path / "m.safetensors"
    whole = train(folder, **SMALL, epochs=6)
    told: list[str] = []
    stopped = train(folder, **SMALL, epochs=6, output=output, watch=interrupting(2, told))
    assert told == ["interrupted"]
    assert stopped.about.trained_on["epochs"] == load_model(output).about.trained_on["epochs"] == 2
    before = output.read_bytes()
    with pytest.raises(InputError, match=r"m\.seed0\.training: a training was stopped here; `resume` goes on with it"):
        train(folder, **SMALL, epochs=6, output=output)
    with pytest.raises(InputError, match="`epochs` was 6 and is 9"):
        train(folder, **SMALL, epochs=9, output=output, resume=True)
    assert output.read_bytes() == before
    resumed = train(folder, **SMALL, epochs=6, output=output, resume=True)
    assert same(resumed, whole)
    assert resumed.about.scores == whole.about.scores
    assert not list(tmp_path.glob("*.training"))
    with pytest.raises(InputError, match=r"m\.safetensors: is finished, with no stopped training beside it"):
        train(folder, **SMALL, epochs=9, output=output, resume=True)


def test_without_a_function_for_it_ctrl_c_is_raised_and_what_was_done_is_kept(folder: Path, tmp_path: Path) -> None:
    output = tmp_path / "m.safetensors"
    with pytest.raises(KeyboardInterrupt):
        train(folder, **SMALL, epochs=3, output=output, watch=replace(interrupting(1, []), interrupted=None))
    assert not output.exists()
    assert [path.name for path in tmp_path.iterdir()] == ["m.seed0.training"]


def test_ctrl_c_ends_all_seeds_and_those_that_were_done_are_not_done_again(folder: Path, tmp_path: Path) -> None:
    output = tmp_path / "m.safetensors"
    runs: list[Run] = []
    epochs: list[Epoch] = []

    def epoch_done(epoch: Epoch) -> None:
        epochs.append(epoch)
        if len(epochs) == 5:
            raise KeyboardInterrupt

    watch = Watch(epoch=epoch_done, interrupted=lambda: None, done=runs.append)
    train(folder, **SMALL, epochs=3, seeds=3, output=output, watch=watch)
    assert [(run.seed, run.finished) for run in runs] == [(0, True), (1, False)]
    runs.clear()
    model = train(folder, **SMALL, epochs=3, seeds=3, output=output, resume=True, watch=Watch(done=runs.append))
    # The third seed is new, the second had an epoch left to save or to do again, the first had none.
    assert [len(run.history) for run in runs][0::2] == [0, 3]
    assert all(run.finished for run in runs)
    alone = train(folder, **SMALL, epochs=3, seeds=3)
    assert same(model, alone)
    assert not list(tmp_path.glob("*.training"))
