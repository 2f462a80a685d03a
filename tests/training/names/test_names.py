"""The training that makes the model of names: it learns, it is the same again, and its file tells what it is."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from meshtide.data.figures import KINDS, PARTS
from meshtide.data.figures.creatures.wide import make_varied_figure
from meshtide.inference.model import About, Model, default_model, load_model
from meshtide.labels.colours import part_colours
from meshtide.networks.graph import mesh_graph
from meshtide.networks.registry import build_network
from meshtide.training.names.bodies import RECIPE, BodyNumber, make_bodies
from meshtide.training.names.train import (
    NamesSchedule,
    first_model,
    in_order,
    to_judge,
    to_learn,
    train_names,
    train_network,
)
from meshtide.training.regions.train import Progress

SCHEDULE = NamesSchedule(bodies=1, held_out=1, steps=40, sample=200)


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("bodies")


def test_no_body_is_both_learned_from_and_judged_by() -> None:
    schedule = NamesSchedule()
    learned, judged = list(to_learn(schedule)), list(to_judge(schedule))
    assert not any(body.held_out for body in learned)
    assert all(body.held_out for body in judged)
    assert {body.kind for body in learned} == {body.kind for body in judged} == set(KINDS)
    assert len({body.name for body in [*learned, *judged]}) == len(learned) + len(judged)


def test_a_body_is_prepared_as_inference_sees_it(folder: Path) -> None:
    which = BodyNumber("hand", 3001, held_out=True)
    (body,) = make_bodies([which], folder)
    mesh, labels = make_varied_figure("hand", 3001, "held-out")
    graph = mesh_graph(mesh, RECIPE, extras=("gradients",))
    torch.testing.assert_close(body.features, graph.features)
    torch.testing.assert_close(body.vectors.float(), graph.vectors, rtol=2e-3, atol=2e-3)
    names = [PARTS[value] if value >= 0 else None for value in body.targets.tolist()]
    assert names == [labels.names[value] if value >= 0 else None for value in labels.values.tolist()]
    written = (folder / f"{which.name}.npz").stat().st_mtime_ns
    list(make_bodies([which], folder))
    assert (folder / f"{which.name}.npz").stat().st_mtime_ns == written
    some = body.graph(torch.arange(0, 400))
    assert (some.num_vertices, some.num_channels) == (400, RECIPE.channels)


def test_a_model_is_made_and_tells_what_it_is(folder: Path, tmp_path: Path) -> None:
    seen: list[Progress] = []
    before = {name: value.clone() for name, value in default_model().network.state_dict().items()}
    train_names(folder, SCHEDULE, begin=default_model(), report=seen.append).save(tmp_path / "names.safetensors")
    about = load_model(tmp_path / "names.safetensors").about
    assert about.parts == default_model().about.parts
    assert set(about.kinds) == set(KINDS)
    assert about.trained_on["shapes"] == [body.name for body in to_learn(SCHEDULE)]
    assert set(about.trained_on["familiar"]) == {"sureness", "explained", "strangeness"}
    assert about.scores["test"]["shapes"] == len(list(to_judge(SCHEDULE)))
    assert about.scores["test"]["vertex_accuracy"] > 0.8
    assert "limbs" in about.vocabularies
    assert (seen[0].stage, seen[-1].stage) == ("bodies", "bodies")
    # What it began with is still what it was.
    after = default_model().network.state_dict()
    assert all(torch.equal(value, after[name]) for name, value in before.items())


def test_it_begins_with_the_bodies_of_the_card(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = {}
    monkeypatch.setattr("meshtide.training.names.train.train", lambda source, **given: asked.update(given, it=source))
    first_model(NamesSchedule())
    assert (asked["it"], asked["features"], asked["epochs"]) == ("figures", ("log-hks", "curvature"), 10)


def test_targets_are_in_the_order_of_the_model() -> None:
    parts = tuple(reversed(PARTS))
    targets = in_order(torch.tensor([0, len(PARTS) - 1, -1]), parts)
    assert targets.tolist() == [len(PARTS) - 1, 0, -1]


def test_training_learns_and_is_the_same_again(folder: Path) -> None:
    bodies = list(make_bodies(list(to_learn(SCHEDULE)), folder))
    losses: list[float] = []
    torch.manual_seed(0)
    fresh = build_network("tide-m", RECIPE.channels, len(PARTS), width=16, blocks=2, gradients=True)
    fresh.normalise.measure([body.graph() for body in bodies])
    start = Model(fresh, About("tide-m", {}, RECIPE, PARTS, part_colours(PARTS)))
    longer = replace(SCHEDULE, steps=300, learning_rate=5e-3)
    network = train_network(bodies, start, longer, lambda progress: losses.append(progress.loss or np.nan))
    assert losses[-1] < 0.8 * 2 * np.log(len(PARTS))
    one, two = (train_network(bodies, start, SCHEDULE) for _ in range(2))
    assert all(torch.equal(a, b) for a, b in zip(one.parameters(), two.parameters(), strict=True))
    assert not any(torch.equal(a, b) for a, b in zip(one.parameters(), network.parameters(), strict=True))
