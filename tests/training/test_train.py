"""`train` as a library call: the command line's weights and defaults, and nothing printed."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from command_line import run
from labelled_folders import write_figures

import meshtide as mt
from meshtide.cli import main, running
from meshtide.cli.wording import _OPTIONS
from meshtide.data.augmentation import WITH_TWINS, Augmentation
from meshtide.errors import InputError
from meshtide.inference.model import default_model, load_model
from meshtide.inference.regions.model import trained_region_model
from meshtide.networks.device import choose_device
from meshtide.networks.registry import USUAL_ARROWS
from meshtide.spectral.recipe import MIXED_FEATURES, USUAL_FEATURES, GraphRecipe
from meshtide.training.experiment import (
    MIXED_EIGENPAIRS,
    USUAL_AVERAGE,
    USUAL_RELATIVES,
    Experiment,
    NetworkChoices,
    plan,
)
from meshtide.training.loop import Epoch, Training
from meshtide.training.run import Run, Watch
from meshtide.training.schedule import Schedule

SMALL = {"eigenpairs": 16, "options": {"width": 8, "blocks": 1}, "epochs": 2}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_figures(tmp_path_factory.mktemp("own"), 4)


def test_python_gives_the_weights_of_the_command_line(folder: Path, tmp_path: Path) -> None:
    done = run("train", folder, "-o", "m.safetensors", "--epochs", "2", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    theirs = load_model(tmp_path / "m.safetensors")
    ours = mt.train(str(folder), epochs=2)
    assert ours.about.options == theirs.about.options == {"gradients": True, "arrows": USUAL_ARROWS}
    assert ours.about.scores == theirs.about.scores
    for (name, one), (other_name, other) in zip(
        ours.network.state_dict().items(), theirs.network.state_dict().items(), strict=True
    ):
        assert name == other_name
        assert torch.equal(one, other), name


MIXED = {"setting": "mixed", "test_source": "shrec07-fourleg"}
CASES: list[tuple[list[str], dict[str, Any]]] = [
    ([], {}),
    (["--setting", "single"], {"setting": "single"}),
    (["--setting", "mixed", "--test", "shrec07-fourleg"], MIXED),
    (["--setting", "mixed", "--test", "shrec07-fourleg", "--operator", "graph"], {**MIXED, "operator": "graph"}),
    (["--setting", "mixed", "--test", "shrec07-fourleg", "--no-augment"], {**MIXED, "augmentation": False}),
    (["--network", "tide-s"], {"network": "tide-s"}),
    (["--network", "gcn", "--sample", "500"], {"network": "gcn", "sample": 500}),
    (["--augment", "--strength", "0.5", "--relatives", "2"], {"augmentation": True, "strength": 0.5, "relatives": 2}),
    (["--operator", "graph", "-k", "64"], {"operator": "graph", "eigenpairs": 64}),
    (["--sample", "0", "--patience", "3", "--no-validate"], {"sample": 0, "patience": 3, "validate": False}),
    (["--features", "hks, wks", "--precision", "bfloat16"], {"features": ["hks", "wks"], "precision": "bfloat16"}),
    (["--width", "32", "--no-gradients"], {"options": {"width": 32, "gradients": False}}),
    (["--class-weights", "--seed", "4", "--epochs", "7"], {"class_weights": True, "seed": 4, "epochs": 7}),
    (["--parts", "limbs", "--shape", "tr_reg_001"], {"vocabulary": "limbs", "shape": "tr_reg_001"}),
    (["--start", "default"], {"start": "default"}),
    (["--average", "0.5"], {"average": 0.5}),
    (["--average", "0", "--validate"], {"average": 0.0, "validate": True}),
]


@pytest.mark.parametrize(("words", "choices"), CASES)
def test_options_and_arguments_mean_the_same_experiment(
    words: list[str], choices: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: dict[str, Any] = {}

    def remember(source: str, **arguments: Any) -> None:
        asked.update(arguments, source=source)
        raise InputError("far enough")

    monkeypatch.setattr("meshtide.training.train.train", remember)
    monkeypatch.setattr("sys.argv", ["meshtide", "train", "faust", "-o", "m.safetensors", *words])
    with pytest.raises(SystemExit):
        main()
    given = {name: value for name, value in asked.items() if name in (*inspect.signature(plan).parameters,)}
    assert plan(**given) == plan("faust", **choices)


def test_what_is_usual_depends_on_network_operator_and_setting() -> None:
    usual = plan("faust")
    assert (usual.network, usual.recipe) == ("tide-m", GraphRecipe(features=USUAL_FEATURES))
    assert usual.options == {"gradients": True, "arrows": USUAL_ARROWS}
    assert (usual.schedule, usual.augmentation, usual.relatives) == (Schedule(average=USUAL_AVERAGE), None, 0)
    mixed = plan("faust", **MIXED)
    assert (mixed.options, mixed.augmentation, mixed.relatives) == ({}, WITH_TWINS, 6)
    assert plan("faust", **MIXED, features="log-hks").augmentation == Augmentation()  # twins are read by nobody
    graph = plan("faust", **MIXED, operator="graph")
    assert (graph.options, graph.augmentation, graph.relatives) == ({}, None, 0)
    single = plan("faust", setting="single")
    assert single.options == {"gradients": True, "dropout": 0.5}
    assert single.recipe == GraphRecipe()
    assert mixed.recipe == GraphRecipe(k=64, features=("log-hks", "twins"))
    assert plan("faust", **MIXED, eigenpairs=96).recipe.k == 96
    assert graph.recipe == GraphRecipe(operator="graph")
    assert plan("faust", operator="graph").recipe == GraphRecipe(operator="graph")
    assert (single.schedule.epochs, single.schedule.sample) == (500, None)
    assert plan("faust", setting="single", epochs=3).schedule.epochs == 3
    assert plan("faust", network="gcn").schedule.sample is None
    assert plan("faust", network="diffusionnet").schedule.sample == 1000
    assert plan("faust", sample=0).schedule.sample is None
    assert plan("faust", augmentation=True, strength=0.5).augmentation == Augmentation().scaled(0.5)
    begun = plan("faust", start="default")
    assert (begun.options, begun.recipe) == (default_model().about.options, default_model().about.recipe)
    assert (begun.schedule.steps, begun.schedule.learning_rate) == (1000, 5e-3)


def test_a_path_stays_a_folder_where_a_card_has_its_name() -> None:
    assert plan(Path("faust")).source == "./faust"
    assert plan("faust").source == "faust"
    assert plan(Path("mine/faust")).source == "mine/faust"


def test_help_shows_the_defaults_that_the_library_has() -> None:
    shown = {
        running.OperatorOption: GraphRecipe().operator,
        running.FeaturesOption: f"{', '.join(USUAL_FEATURES)}; mixed: {', '.join(MIXED_FEATURES)}",
        running.EigenpairsOption: f"{GraphRecipe().k}; mixed: {MIXED_EIGENPAIRS}",
        running.SampleOption: Schedule().sample,
        running.PrecisionOption: Schedule().precision,
        running.AverageOption: USUAL_AVERAGE,
        running.RelativesOption: USUAL_RELATIVES,
        running.StrengthOption: 1.0,
    }
    for option, value in shown.items():
        assert option.__metadata__[0].show_default == str(value)


def test_every_choice_that_an_error_may_name_has_an_option() -> None:
    choices = set(NetworkChoices.__annotations__)
    assert {"start", "test_source", "epochs"} <= choices
    assert choices - set(_OPTIONS) <= {"options", "class_weights"}  # which no error names


@pytest.mark.parametrize(
    ("choices", "said"),
    [
        ({"setting": "many"}, "there are single, multi, mixed"),
        ({"setting": "mixed"}, "name it with `test_source`"),
        ({"setting": "single", "augmentation": True}, "`augmentation` makes relatives of whole shapes"),
        ({"operator": "graph", "augmentation": True}, "`augmentation` changes the surface"),
        ({"network": "cnn"}, "network 'cnn' is not known"),
        ({"options": {"colour": 3}}, "no option 'colour'"),
        ({"epochs": 0}, "`epochs=0` is too small; it should be 1 or more"),
        ({"average": 1.5}, "`average=1.5` is out of range; it should be from 0 to 1"),
        ({"strength": 9.0}, "`strength=9.0` is out of range"),
        ({"start": "default", "network": "gcn"}, "`network` cannot be chosen beside `start`"),
        ({"start": "default", "options": {"width": 8}}, "the option `width` cannot be chosen beside `start`"),
        ({"start": "default", "eigenpairs": 64}, "`eigenpairs` cannot be chosen beside `start`"),
        ({"start": "default", "options": {"gradients": False}}, "the option `gradients` cannot be chosen"),
        ({"seeds": 0}, "`seeds=0` is too small"),
        ({"device": "tpu"}, "`device=tpu` is not known; there are auto, cpu, cuda, mps"),
        ({"output": "m.pt"}, r"m\.pt: a model's file name ends in \.safetensors"),
        ({"output": "nowhere/m.safetensors"}, "the folder nowhere does not exist"),
    ],
)
def test_what_is_wrong_is_said_before_any_shape_is_loaded(choices: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        mt.train("no such source", **choices)


def test_training_is_silent_and_leaves_the_caller_as_it_was(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    state, threads = torch.get_rng_state(), torch.get_num_threads()
    torch.set_num_threads(2)
    told: list[object] = []
    epochs: list[Epoch] = []
    runs: list[Run] = []
    watch = Watch(
        loaded=lambda experiment, data: told.append(len(data.train)),
        begun=lambda experiment, training: told.append(training.epochs),
        epoch=epochs.append,
        done=runs.append,
    )
    try:
        model = mt.train(folder, **SMALL, validate=True, seeds=2, watch=watch)
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(threads)
    assert torch.equal(torch.get_rng_state(), state)
    assert capfd.readouterr() == ("", "")
    assert told == [3, 2, 2]
    assert [epoch.epoch for epoch in epochs] == [1, 2, 1, 2]
    assert model is max(runs, key=lambda each: each.validation_accuracy or 0).model
    assert model.about.scores["validation_accuracy"] == pytest.approx(max(run.validation_accuracy for run in runs))
    assert {run.kept_epoch for run in runs} <= {1, 2}


def test_a_model_is_scored_by_name_by_file_and_as_it_is(folder: Path, tmp_path: Path) -> None:
    model = mt.train(folder, **SMALL, output=tmp_path / "m.safetensors")
    scores = [mt.evaluate(which, folder) for which in (model, tmp_path / "m.safetensors")]
    assert [(score.split, score.vocabulary) for score in scores] == [("all", "own")] * 2
    np.testing.assert_array_equal(scores[0].confusion, scores[1].confusion)
    with pytest.raises(InputError, match="choose one of its vocabularies that has these with `vocabulary`"):
        mt.evaluate(model, "figures:hand")
    with pytest.raises(InputError, match=r"its parts .arm, head, leg, torso. are not the model's .head, .* antenna"):
        mt.evaluate("default", folder)


def test_auto_is_a_graphics_card_that_was_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    for cuda, mps, word in ((False, False, "cpu"), (False, True, "cpu"), (True, True, "cuda")):
        monkeypatch.setattr("torch.cuda.is_available", lambda there=cuda: there)
        monkeypatch.setattr("torch.backends.mps.is_available", lambda there=mps: there)
        assert choose_device("auto") == word
    assert choose_device("mps") == "mps"
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    with pytest.raises(InputError, match="`device=cuda`: this machine has none"):
        choose_device("cuda")


def test_a_second_reader_begins_with_the_network_for_regions(folder: Path) -> None:
    theirs = trained_region_model().network.state_dict()
    begun: list[dict[str, torch.Tensor]] = []

    def remember(_: Experiment, training: Training) -> None:
        begun.append({name: value.clone() for name, value in training.network.state_dict().items()})

    model = mt.train(folder, epochs=1, eigenpairs=24, options={"second_reader": True}, watch=Watch(begun=remember))
    for name in ("blocks.3.mlp.0.weight", "first_arrows.weight", "blocks.0.log_time"):
        assert torch.equal(begun[0][f"second.{name}"], theirs[name])
        assert not torch.equal(model.network.state_dict()[f"second.{name}"], theirs[name])
