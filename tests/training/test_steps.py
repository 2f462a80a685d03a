"""What a step, an epoch and a whole training do, against the same done by hand."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from dataclasses import replace

import pytest
import torch
from shapes import figure, torus
from torch import Tensor, nn

from meshtide.errors import InputError
from meshtide.mesh.mesh import Mesh
from meshtide.networks.graph import MeshGraph, mesh_graph
from meshtide.networks.layers import Normalise
from meshtide.networks.tide import TideNet
from meshtide.spectral.recipe import GraphRecipe
from meshtide.training import loop
from meshtide.training.loop import Training, mean_accuracy, part_weights
from meshtide.training.schedule import Schedule
from meshtide.training.views import Example, draw_view

RECIPE = GraphRecipe(k=8)
PARTS = 3


class Echo(nn.Module):
    """A network that answers with the first features, times a learned factor, and notes the mode it was asked in."""

    on, parts, part_layer = "vertices", PARTS, None

    def __init__(self) -> None:
        super().__init__()
        self.normalise = Normalise(PARTS)
        self.factor = nn.Parameter(torch.ones(()))
        self.modes: list[bool] = []

    def forward(self, graph: MeshGraph) -> Tensor:
        self.modes.append(self.training)
        return self.factor * graph.features[:, :PARTS]


def example(mesh: Mesh, targets: list[int] | Tensor, name: str = "shape") -> Example:
    """A shape whose targets repeat a list."""
    graph = mesh_graph(mesh, RECIPE)
    values = torch.as_tensor(targets).repeat(graph.num_vertices)[: graph.num_vertices]
    return Example(name, graph, values)


def echoing(targets: Tensor, answers: Tensor, name: str = "shape") -> Example:
    """A shape of as many vertices as answers, at each of which `Echo` answers so."""
    graph = mesh_graph(torus(10, 10), RECIPE)
    rows = torch.arange(len(answers))
    features = nn.functional.one_hot(answers, PARTS).float()
    small = replace(graph.sampled(rows), features=features)
    return Example(name, small, targets)


@pytest.fixture
def shapes() -> list[Example]:
    return [example(torus(9, 7), [0, 1, 1, 2], "torus"), example(figure(0)[0], [-1, 0, 2, 2, 2], "figure")]


def tide(**options: object) -> TideNet:
    torch.manual_seed(0)
    return TideNet(RECIPE.channels, PARTS, width=6, blocks=1, **options)


def loss_by_hand(logits: Tensor, targets: Tensor, weights: Tensor, smoothing: float) -> Tensor:
    """Cross entropy with part weights, of which a share goes evenly to all parts; unlabelled vertices are left out."""
    log = torch.log_softmax(logits[targets >= 0], dim=1)
    targets = targets[targets >= 0]
    whole = weights[targets].sum()
    hard = -(weights[targets] * log[torch.arange(len(log)), targets]).sum() / whole
    even = -(weights * log).sum() / whole / PARTS
    return (1 - smoothing) * hard + smoothing * even


@pytest.mark.parametrize("weighted", [False, True])
def test_two_epochs_are_what_torch_does_step_by_step(shapes: list[Example], weighted: bool) -> None:
    schedule = Schedule(
        epochs=2, learning_rate=0.02, weight_decay=0.3, label_smoothing=0.2, class_weights=weighted, sample=None, seed=5
    )
    network = tide()
    plain = deepcopy(network)
    training = Training(network, shapes, [], schedule)
    epochs = list(training.run())
    optimiser = torch.optim.AdamW(plain.parameters(), lr=0.02, weight_decay=0.3)
    rates = torch.optim.lr_scheduler.OneCycleLR(optimiser, 0.02, total_steps=2 * len(shapes) + 1)
    weights = torch.ones(PARTS)
    if weighted:
        counts = sum(torch.bincount(each.targets[each.targets >= 0], minlength=PARTS) for each in shapes)
        weights = (counts / counts.sum()) ** -0.5
        weights = weights / weights.mean()
    random = torch.Generator().manual_seed(5)
    for epoch in epochs:
        losses, right, seen = [], 0, 0
        for index in torch.randperm(len(shapes), generator=random).tolist():
            torch.randint(1, (1,), generator=random)  # which relative: there is only the shape itself
            logits, targets = plain(shapes[index].graph), shapes[index].targets
            loss = loss_by_hand(logits, targets, weights, 0.2)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            rates.step()
            losses.append(loss.item())
            right += int((logits.argmax(dim=1) == targets).sum())
            seen += int((targets >= 0).sum())
        assert epoch.loss == pytest.approx(sum(losses) / len(losses), rel=1e-5)
        assert epoch.train_accuracy == pytest.approx(right / seen)
        assert epoch.learning_rate == pytest.approx(rates.get_last_lr()[0])
        assert (epoch.validation_accuracy, epoch.best) == (None, True)
    for left, other in zip(network.parameters(), plain.parameters(), strict=True):
        torch.testing.assert_close(left, other, rtol=1e-4, atol=1e-6)


def test_a_view_has_the_targets_of_its_vertices(shapes: list[Example]) -> None:
    graph = shapes[1].graph
    numbered = replace(graph, features=torch.arange(graph.num_vertices).float()[:, None].repeat(1, 16))
    which = Example("figure", numbered, torch.arange(graph.num_vertices))
    random = torch.Generator().manual_seed(0)

    def view(example: Example) -> tuple[MeshGraph, Tensor]:
        drawn = draw_view(example, 40, random)
        return drawn.seen().projecting(), drawn.targets

    views = [view(which) for _ in range(3)]
    for view_graph, targets in views:
        assert view_graph.num_vertices == 40
        assert torch.equal(view_graph.features[:, 0].long(), targets)
    assert not torch.equal(views[0][1], views[1][1])
    relative = (numbered, torch.full((graph.num_vertices,), -1))
    family = replace(which, relatives=(relative, relative, relative))
    seen = [int(view(family)[1].max()) for _ in range(40)]
    assert 20 <= seen.count(-1) < 40  # about three views of four are of a relative


def test_weights_of_parts_by_hand() -> None:
    targets = torch.tensor([0] * 80 + [1] * 20 + [-1] * 7)
    network = Echo()
    network.parts = 3
    found = part_weights([echoing(targets[:100], targets[:100].clamp(min=0))], network)
    # 1/√0.8 and 1/√0.2, divided by their mean; the third part was never seen.
    assert found.tolist() == pytest.approx([2 / 3, 4 / 3, 1.0])


def test_accuracy_is_the_mean_over_shapes_and_relatives_of_their_labelled_vertices() -> None:
    answers = torch.tensor([0, 1, 2, 0])
    right_on_half = echoing(torch.tensor([0, 2, -1, -1]), answers)
    right_on_all = echoing(torch.tensor([0, 1, 2, 0]), answers)
    unlabelled = echoing(torch.tensor([-1, -1, -1, -1]), answers)
    network = Echo()
    assert mean_accuracy(network, [right_on_half, right_on_all, unlabelled]) == 0.75
    assert network.modes == [False, False]
    family = replace(right_on_all, relatives=((right_on_half.graph, torch.tensor([1, 1, 1, 1])),))
    assert mean_accuracy(network, [family]) == (1 + 0.25) / 2
    assert mean_accuracy(network, [unlabelled]) == 0.0


def test_a_step_is_taken_in_training_mode_after_a_validation_too() -> None:
    network = Echo()
    shape = echoing(torch.tensor([0, 1, 2]), torch.tensor([0, 0, 2]))
    training = Training(network, [shape], [shape], Schedule(epochs=2))
    list(training.run())
    assert network.modes == [True, False, True, False]


@pytest.fixture
def accuracies(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """What the epochs of a training are to score on its validation shapes."""
    wanted: list[float] = []
    scores: Iterator[float] = iter(wanted)
    monkeypatch.setattr(loop, "mean_accuracy", lambda *_: next(scores))
    return wanted


def test_the_first_of_the_best_epochs_is_kept_as_it_was(shapes: list[Example], accuracies: list[float]) -> None:
    accuracies += [0.2, 0.7, 0.7, 0.5]
    training = Training(tide(), shapes[:1], shapes[1:], Schedule(epochs=4))
    weights = []
    for epoch in training.run():
        weights.append(deepcopy(training.network.state_dict()))
        assert epoch.best == (epoch.epoch <= 2)
        assert epoch.validation_accuracy == accuracies[epoch.epoch - 1]
    assert (training.best_epoch, training.best_accuracy) == (2, 0.7)
    training.keep_best()
    kept = training.network.state_dict()
    assert all(torch.equal(kept[name], value) for name, value in weights[1].items())
    assert not all(torch.equal(kept[name], value) for name, value in weights[3].items())


def test_patience_is_counted_from_the_best_epoch(shapes: list[Example], accuracies: list[float]) -> None:
    accuracies += [0.1, 0.5, 0.4, 0.4, 0.4, 0.4]
    training = Training(tide(), shapes[:1], shapes[1:], Schedule(epochs=50, patience=3))
    assert [epoch.epoch for epoch in training.run()] == [1, 2, 3, 4, 5]


def test_a_training_that_goes_on_remembers_the_best_and_its_random_numbers(
    shapes: list[Example], accuracies: list[float]
) -> None:
    accuracies += [0.8, 0.5]
    schedule = Schedule(epochs=3, sample=20)
    first = Training(tide(), shapes[:1], shapes[1:], schedule)
    first.run_epoch()
    tensors, numbers = first.state()
    expected = torch.randperm(50, generator=deepcopy(first.random))
    second = Training(tide(), shapes[:1], shapes[1:], schedule)
    second.restore(tensors, numbers)
    assert (second.epoch, second.best_epoch, second.best_accuracy) == (1, 1, 0.8)
    assert torch.equal(torch.randperm(50, generator=deepcopy(second.random)), expected)
    assert not second.run_epoch().best
    second.keep_best()
    for left, right in zip(second.network.parameters(), first.network.parameters(), strict=True):
        assert torch.equal(left, right)


def test_as_many_epochs_as_make_the_steps() -> None:
    assert Schedule(steps=100).epochs_for(8) == 12
    assert Schedule(steps=100).epochs_for(300) == 1
    assert Schedule(steps=100, epochs=7).epochs_for(8) == 7


@pytest.mark.parametrize("optimiser", ["adamw", "adam", "adamax"])
@pytest.mark.parametrize("course", ["one-cycle", "constant"])
def test_optimisers_and_courses_learn_and_are_restored(optimiser: str, course: str) -> None:
    def training() -> Training:
        torch.manual_seed(0)
        schedule = Schedule(epochs=6, optimiser=optimiser, course=course, learning_rate=0.01, weight_decay=0.0)
        return Training(tide(), [example(torus(9, 7), [0, 1, 1, 2])], [], schedule)

    whole, first, second = training(), training(), training()
    records = list(whole.run())
    assert records[-1].loss < records[0].loss
    rates = [record.learning_rate for record in records]
    assert (len(set(rates)) == 1) == (course == "constant")
    kind = {"adamw": torch.optim.AdamW, "adam": torch.optim.Adam, "adamax": torch.optim.Adamax}[optimiser]
    assert type(whole.optimiser) is kind
    for _ in range(3):
        first.run_epoch()
    second.restore(*first.state())
    for _ in range(3):
        second.run_epoch()
    for one, other in zip(whole.network.parameters(), second.network.parameters(), strict=True):
        torch.testing.assert_close(one, other, rtol=0, atol=0)


def test_what_no_schedule_can_be() -> None:
    for wrong in ({"optimiser": "sgd"}, {"course": "cosine"}, {"learning_rate": 0.0}, {"weight_decay": -1.0}):
        with pytest.raises(InputError):
            Schedule(**wrong)
