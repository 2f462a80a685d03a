"""Trainings that begin with a trained model: what is taken over, what is not, and what is refused."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from command_line import run
from labelled_folders import write_figures
from shapes import figure

from meshtide.errors import InputError
from meshtide.inference.model import About, Model, default_model, load_model
from meshtide.networks.graph import mesh_graph
from meshtide.networks.registry import build_network
from meshtide.networks.second_reader import INPUTS
from meshtide.spectral.recipe import USUAL_FEATURES, GraphRecipe
from meshtide.training.experiment import plan
from meshtide.training.run import prepare_training
from meshtide.training.sources import gather
from meshtide.training.start import take_over


def test_a_network_of_the_same_parts_in_another_order_answers_as_the_model_does() -> None:
    model = default_model()
    parts = model.about.parts[::-1]
    network = build_network("tide-m", model.about.recipe.channels, len(parts), **model.about.options).eval()
    assert take_over(network, parts, model) == list(parts)
    graph = mesh_graph(figure(1)[0], model.about.recipe, extras=("gradients",))
    with torch.no_grad():
        torch.testing.assert_close(network(graph).flip(1), model.network(graph), rtol=1e-4, atol=1e-4)


def test_parts_that_the_model_does_not_know_stay_random() -> None:
    model = default_model()
    network = build_network("tide-m", model.about.recipe.channels, 2, **model.about.options)
    before = network.last.weight.detach().clone()
    assert take_over(network, ("lamp", "head"), model) == ["head"]
    assert torch.equal(network.last.weight[0], before[0])
    head = model.about.parts.index("head")
    assert torch.equal(network.last.weight[1], model.network.state_dict()["last.weight"][head])
    assert torch.equal(network.first.weight, model.network.state_dict()["first.weight"])
    assert torch.equal(network.normalise.mean, model.network.state_dict()["normalise.mean"])


def test_a_second_reader_takes_over_the_rows_of_its_own_layer_too() -> None:
    options = {"gradients": True, "arrows": 16, "second_reader": True}
    theirs = build_network("tide-m", INPUTS, 3, **options)
    colours = ("#000000", "#111111", "#222222")
    about = About("tide-m", options, GraphRecipe(features=USUAL_FEATURES), ("head", "tail", "leg"), colours)
    network = build_network("tide-m", INPUTS, 2, **options)
    before = network.second.last.weight.detach().clone()
    assert take_over(network, ("lamp", "leg"), Model(theirs, about)) == ["leg"]
    for name in ("last", "second.last"):
        assert torch.equal(network.state_dict()[f"{name}.weight"][1], theirs.state_dict()[f"{name}.weight"][2])
    assert torch.equal(network.second.last.weight[0], before[0])
    assert torch.equal(network.second.first.weight, theirs.second.first.weight)


def test_a_network_without_a_layer_of_parts_alone_is_refused() -> None:
    model = Model(build_network("gcn", 16, 3), default_model().about)
    with pytest.raises(InputError, match="no last layer with a row for each part"):
        take_over(build_network("gcn", 16, 3), ("head",), model)


def test_a_start_learns_from_one_shape_what_random_weights_do_not(tmp_path: Path) -> None:
    """20 steps on one body: the model that ships knows the others of its kind, a new network knows nothing."""
    folder = write_figures(tmp_path / "one", 1)
    accuracies = []
    for start in ("default", None):
        which = plan(folder, start="default", epochs=20)
        which = replace(which, start=start)  # the same network and schedule, with and without its weights
        training, _ = prepare_training(which, gather(which))
        accuracies.append([epoch.train_accuracy for epoch in training.run()][-1])
    known, unknown = accuracies
    assert known > unknown


def test_the_word_default_is_a_file_where_there_is_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert load_model("default") is default_model()
    Path("default").write_bytes(b"not a model")
    with pytest.raises(InputError, match="default: is not a safetensors file"):
        load_model("default")


def test_train_with_a_start(tmp_path: Path) -> None:
    folder = write_figures(tmp_path / "own", 3)
    done = run(
        "train", folder, "--start", "default", "--epochs", "2", "-o", "m.safetensors", "--json", "r.json", cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    about = load_model(tmp_path / "m.safetensors").about
    assert about.options == default_model().about.options
    assert about.recipe == default_model().about.recipe
    assert about.trained_on["start"] == "default"
    assert json.loads((tmp_path / "r.json").read_text())["trained_on"]["start"] == "default"
    done = run("train", folder, "--start", "m.safetensors", "--epochs", "1", "-o", "again.safetensors", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    done = run("train", folder, "--start", "default", "--width", "8", "-o", "x.safetensors", cwd=tmp_path)
    assert done.returncode == 2
    assert "the option --width cannot be chosen beside --start" in done.stderr
    assert not (tmp_path / "x.safetensors").exists()
    done = run("train", folder, "--start", "none.safetensors", "-o", "x.safetensors", cwd=tmp_path)
    assert done.returncode == 2
    assert "none.safetensors: no such file" in done.stderr
