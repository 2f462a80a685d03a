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
from meshtide.training.names.bodies import RECIPE, THINGS, BodyNumber, make_bodies
from meshtide.training.names.train import (
    NamesSchedule,
    fresh_model,
    in_order,
    no_bodies,
    to_judge,
    to_learn,
    train_names,
    train_network,
)
from meshtide.training.regions.train import Progress

SCHEDULE = NamesSchedule(bodies=1, held_out=1, things=0, steps=40, later_steps=20, sample=200)


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


def test_it_begins_with_random_weights_that_know_their_inputs(folder: Path) -> None:
    bodies = list(make_bodies(list(to_learn(SCHEDULE)), folder))
    one, two, other = (fresh_model(bodies, seed) for seed in (0, 0, 1))
    assert one.about.options == {"gradients": True, "arrows": 16}
    assert torch.equal(one.network.first.weight, two.network.first.weight)
    assert not torch.equal(one.network.first.weight, other.network.first.weight)
    means = torch.stack([(body.mass / body.mass.sum()) @ body.features for body in bodies]).mean(dim=0)
    torch.testing.assert_close(one.network.normalise.mean, means, rtol=1e-3, atol=1e-3)


def test_of_things_it_learns_to_be_sure_of_nothing(folder: Path) -> None:
    mug, hammer = BodyNumber("objects.mug", 2001), BodyNumber("objects.hammer", 2001)
    bodies = list(make_bodies([BodyNumber("ant", 2001), BodyNumber("octopus", 2001), mug, hammer], folder))
    assert [body.is_thing for body in bodies] == [False, False, True, True]
    assert (bodies[-1].targets == -1).all()
    schedule = replace(SCHEDULE, steps=250, shares={"thing": 1.0, "ant": 1.0, "octopus": 1.0})
    network = train_network(bodies, fresh_model(bodies), schedule)
    with torch.no_grad():
        sureness = [float(network(body.graph()).softmax(dim=1).amax(dim=1).mean()) for body in bodies]
    assert max(sureness[2:]) < 0.5 < min(sureness[:2])


def test_things_are_made_of_every_sort_that_looks_like_no_body() -> None:
    wanted = list(no_bodies(NamesSchedule(things=2)))
    assert len(wanted) == 2 * len(THINGS) == len({thing.name for thing in wanted})
    assert all(thing.is_thing and not thing.held_out for thing in wanted)
    assert not {"objects.robot", "creatures.beast", "creatures.centaur"} & {thing.kind for thing in wanted}


def test_bodies_of_the_common_build_are_among_those_of_any() -> None:
    wanted = list(to_learn(NamesSchedule(bodies=7, each_common=3)))
    assert [body.number - wanted[0].number for body in wanted if body.common and body.kind == "ant"] == [0, 3, 6]
    assert sum(not body.common for body in wanted) == 7 * len(KINDS)


def test_targets_are_in_the_order_of_the_model() -> None:
    parts = tuple(reversed(PARTS))
    targets = in_order(torch.tensor([0, len(PARTS) - 1, -1]), parts)
    assert targets.tolist() == [len(PARTS) - 1, 0, -1]


def test_training_learns_and_is_the_same_again(folder: Path) -> None:
    bodies = list(make_bodies(list(to_learn(SCHEDULE)), folder))
    losses: list[float] = []
    torch.manual_seed(0)
    fresh = build_network("tide-m", RECIPE.channels, len(PARTS), width=16, blocks=2, gradients=True, arrows=4)
    fresh.normalise.measure([body.graph() for body in bodies])
    start = Model(fresh, About("tide-m", {}, RECIPE, PARTS, part_colours(PARTS)))
    longer = replace(SCHEDULE, steps=300, learning_rate=5e-3)
    network = train_network(bodies, start, longer, lambda progress: losses.append(progress.loss or np.nan))
    assert losses[-1] < 0.8 * 2 * np.log(len(PARTS))
    one, two = (train_network(bodies, start, SCHEDULE) for _ in range(2))
    assert all(torch.equal(a, b) for a, b in zip(one.parameters(), two.parameters(), strict=True))
    assert not torch.equal(one.first.weight, network.first.weight)
