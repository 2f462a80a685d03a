"""Training on a graph's nodes: learned from some, scored on others, by the same calls as on meshes."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from command_line import run
from scipy import sparse
from small_graphs import two_groups

import meshtide as mt
from meshtide.data.nodes.files.npz import write_npz_graph
from meshtide.errors import InputError
from meshtide.training.nodes.scores import score_nodes
from meshtide.training.run import Watch
from meshtide.training.sources import no_progress
from meshtide.training.subject import subject_of

FEW = {"epochs": 30, "eigenpairs": 8}


def gathered(task: mt.NodeTask, **choices):
    subject = subject_of(task, None)
    experiment = subject.plan(**FEW | choices)
    return experiment, subject.gather(experiment, cache=None, jobs=1, extras=None, stream=False, progress=no_progress)


def test_examples_are_one_graph_with_masked_targets() -> None:
    task = two_groups()
    experiment, data = gathered(task, splits="random", seed=3)
    (train,), (validation,), (test,) = data.examples(experiment)
    split = task.split("random:3")
    assert train.graph is validation.graph is test.graph
    for example, nodes in ((train, split.train), (validation, split.validation), (test, split.test)):
        np.testing.assert_array_equal(np.flatnonzero(example.targets.numpy() >= 0), nodes)
        np.testing.assert_array_equal(example.targets.numpy()[nodes], task.labels[nodes])
    assert train.graph.rate_scale == 1.0


def test_validation_nodes_may_be_learned_from() -> None:
    experiment, data = gathered(two_groups(), validate=False)
    (train,), validation, _ = data.examples(experiment)
    assert not validation
    assert int((train.targets >= 0).sum()) == 48


def test_a_trained_model_knows_its_classes_and_is_scored_on_its_test_nodes(tmp_path: Path) -> None:
    task = two_groups()
    heard = []
    model = mt.train(task, output=tmp_path / "m.safetensors", watch=Watch(done=heard.append), **FEW)
    assert model.about.parts == ("left", "right")
    assert model.about.trained_on["splits"] == "random:0"
    loaded = mt.load_model(tmp_path / "m.safetensors")
    assert loaded.about == model.about
    score = mt.evaluate(loaded, task)
    assert score.split == "test of random:0"
    assert score.count == 12
    assert score.metrics == heard[0].score.metrics == model.about.scores["test"]
    assert score.accuracy > 0.7
    assert mt.evaluate(loaded, task, split="all").count == 60
    assert mt.evaluate(loaded, task, split="train").split == "train of random:0"
    other = mt.evaluate(loaded, two_groups(1))
    assert (other.split, other.count) == ("all with a class", 60)


def test_what_is_learned_does_not_come_from_test_or_unlabelled_nodes() -> None:
    task = two_groups()
    hidden = task.split("random:0").test
    labels = task.labels.copy()
    labels[hidden] = -1
    splits = [(task.split("random:0").train, task.split("random:0").validation, hidden)]
    models = [
        mt.train(replace(task, labels=values, splits=splits, usual_split="own"), **FEW)
        for values in (task.labels, labels)
    ]
    one, other = (model.network.state_dict() for model in models)
    assert all(torch.equal(one[name], other[name]) for name in one)


def test_the_order_of_nodes_and_of_classes_in_a_graph_means_nothing() -> None:
    task = two_groups()
    model = mt.train(task, **FEW)
    order = np.random.default_rng(0).permutation(task.count)
    place = np.argsort(order)
    turned = mt.NodeTask("turned", place[task.edges], task.features[order], 1 - task.labels[order], ("right", "left"))
    found, again = mt.classify_nodes(model, task), mt.classify_nodes(model, turned)
    np.testing.assert_allclose(again.probabilities, found.probabilities[order], atol=1e-3)
    assert mt.evaluate(model, turned).accuracy == pytest.approx(mt.evaluate(model, task, split="all").accuracy)


def test_each_seed_takes_another_split_and_a_named_one_stays() -> None:
    names = []
    watch = Watch(done=lambda run: names.append(run.model.about.trained_on["splits"]))
    mt.train(two_groups(), seeds=3, epochs=1, eigenpairs=4, watch=watch)
    mt.train(two_groups(), seeds=2, epochs=1, eigenpairs=4, splits="random:7", watch=watch)
    assert names == ["random:0", "random:1", "random:2", "random:7", "random:7"]


def test_networks_are_compared_and_a_stopped_comparison_goes_on(tmp_path: Path) -> None:
    choices = {"networks": ["tide-m", "gcn"], "report": tmp_path / "c.json"} | FEW
    mt.compare(two_groups(), seeds=1, **choices)
    comparison = mt.compare(two_groups(), seeds=2, resume=True, **choices)
    rows = json.loads((tmp_path / "c.json").read_text())["networks"]
    assert [(row["network"], row["seeds"]) for row in rows] == [("tide-m", [0, 1]), ("gcn", [0, 1])]
    assert list(rows[0]["metrics"]) == ["accuracy", "class_accuracy", "macro_f1"]
    assert comparison.rows()[0].main["mean"] == rows[0]["metrics"]["accuracy"]["mean"]


def test_a_stopped_training_goes_on_to_the_same_weights(tmp_path: Path) -> None:
    def stop(epoch) -> None:
        if epoch.epoch == 12:
            raise KeyboardInterrupt

    whole = mt.train(two_groups(), **FEW)
    path = tmp_path / "m.safetensors"
    with pytest.raises(KeyboardInterrupt):
        mt.train(two_groups(), output=path, watch=Watch(epoch=stop), **FEW)
    resumed = mt.train(two_groups(), output=path, resume=True, **FEW)
    for name, value in whole.network.state_dict().items():
        assert torch.equal(value, resumed.network.state_dict()[name]), name


def test_only_standardised_features_are_measured() -> None:
    task = two_groups()
    assert mt.train(task, epochs=1, features="given", eigenpairs=4).network.normalise.mean.abs().sum() == 0
    assert mt.train(task, epochs=1, features="standardised", eigenpairs=4).network.normalise.mean.abs().sum() > 0
    counts = replace(task, features=sparse.csr_array(np.abs(np.round(task.features))))
    model = mt.train(counts, epochs=1, features="row-normalised", eigenpairs=4)
    twice = replace(counts, features=counts.features * 2)
    np.testing.assert_allclose(
        mt.classify_nodes(model, twice).probabilities, mt.classify_nodes(model, counts).probabilities, atol=1e-6
    )


def test_scores_are_what_they_are_called() -> None:
    probabilities = np.eye(3)[[0, 0, 1, 2, 2, 0]]
    score = score_nodes(np.array([0, 1, 1, 2, -1, 2]), probabilities, ("a", "b", "c", "d")[:3])
    assert score.count == 5
    assert score.accuracy == pytest.approx(3 / 5)
    assert score.class_accuracy == pytest.approx((1 + 1 / 2 + 1 / 2) / 3)
    assert score.macro_f1 == pytest.approx((2 / 4 + 2 / 3 + 2 / 3) / 3)
    assert score.classes["a"].precision == pytest.approx(1 / 3)
    with pytest.raises(InputError, match="no node has a class"):
        score_nodes(np.array([-1]), probabilities[:1], ("a", "b", "c"))


@pytest.mark.parametrize(
    ("choices", "sentence"),
    [
        ({"setting": "single"}, "`setting` is how meshes are trained on"),
        ({"test_source": "faust"}, "`test_source` names other meshes"),
        ({"augmentation": True}, "`augmentation` makes relatives of surfaces"),
        ({"relatives": 3}, "`relatives` counts"),
        ({"sample": 100}, "every step on a graph sees all nodes"),
        ({"start": "default"}, "begins with a model of meshes"),
        ({"operator": "surface"}, "needs a surface"),
        ({"features": "hks"}, "which are given, row-normalised, standardised"),
        ({"features": "row-normalised"}, "features below 0"),
        ({"splits": "paper"}, "has no splits 'paper'"),
        ({"component": "second"}, "component 'second' is not known"),
        ({"network": "diffusionnet", "options": {"gradients": True}}, "gradient features need the surface operator"),
        ({"epochs": 0}, "too small"),
    ],
)
def test_what_means_nothing_on_a_graph_is_refused(choices: dict, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        mt.train(two_groups(), **FEW | choices)


def test_what_means_nothing_on_meshes_is_refused(tmp_path: Path) -> None:
    for choices in ({"splits": "random"}, {"component": "all"}):
        with pytest.raises(InputError, match="is about graphs that are no meshes"):
            mt.train(tmp_path, **choices)
    with pytest.raises(InputError, match="setting 'nodes' is not known"):
        mt.train(tmp_path, setting="nodes")


def test_models_of_meshes_and_of_graphs_do_not_mix(tmp_path: Path) -> None:
    model = mt.train(two_groups(), epochs=1, eigenpairs=4)
    mesh, _ = mt.make_figure("hand", 1)
    with pytest.raises(InputError, match="was trained on the nodes of a graph that is no mesh"):
        mt.segment(mesh, model=model)
    with pytest.raises(InputError, match="was trained on meshes"):
        mt.evaluate("default", two_groups())
    wide = replace(two_groups(), features=np.ones((60, 9)))
    with pytest.raises(InputError, match="has 9 features, and 6 are wanted"):
        mt.evaluate(model, wide)
    renamed = replace(two_groups(), classes=("up", "down"))
    with pytest.raises(InputError, match="'up', 'down', and the model knows 'left', 'right'"):
        mt.evaluate(model, renamed)
    unlabelled = mt.NodeTask("none", two_groups().edges, two_groups().features, [-1] * 60)
    assert len(mt.classify_nodes(model, unlabelled).names) == 60
    with pytest.raises(InputError, match="no node has a class, so there is nothing to learn"):
        mt.train(unlabelled)


def test_a_comparison_needs_nodes_to_score() -> None:
    task = two_groups(splits=[(range(40), range(40, 60), [])])
    assert mt.train(task, **FEW).about.scores["test"] == {}
    with pytest.raises(InputError, match="no node to test on has a class"):
        mt.compare(task, networks=["gcn"], seeds=1)


def test_the_command_line(tmp_path: Path) -> None:
    write_npz_graph(two_groups(), tmp_path / "mine.npz")
    done = run("train", "mine.npz", "-o", "m.safetensors", "--epochs", 5, "-k", 8, "--json", "r.json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (
        "36 nodes to train, 12 to validate and 12 to test on (split random:0), 2 classes (left, right)" in done.stdout
    )
    report = json.loads((tmp_path / "r.json").read_text())
    assert report["accuracy"] == report["seeds"][0]["accuracy"]
    assert (tmp_path / "m.confusion.png").exists()
    done = run("evaluate", "m.safetensors", "mine.npz", "--predictions", "p.csv", "--json", "e.json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert json.loads((tmp_path / "e.json").read_text())["accuracy"] == report["accuracy"]
    rows = list(csv.DictReader((tmp_path / "p.csv").open()))
    assert len(rows) == 60
    assert {row["class"] for row in rows} == {"left", "right"}
    (tmp_path / "bad.npz").write_bytes(b"nothing")
    done = run("train", "bad.npz", "-o", "x.safetensors", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("error: bad.npz: is damaged")
