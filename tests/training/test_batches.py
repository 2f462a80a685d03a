"""Steps of several shapes: stacked samples give what each shape gives alone, and the loss is the mean over shapes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
import torch
from shapes import figure

from meshtide.errors import InputError
from meshtide.networks.graph import mesh_graph
from meshtide.networks.network import Network
from meshtide.networks.registry import build_network
from meshtide.networks.stack import stacked
from meshtide.spectral.recipe import GraphRecipe
from meshtide.training.batch_loss import BatchLoss
from meshtide.training.experiment import plan
from meshtide.training.loop import Training
from meshtide.training.placing import Place
from meshtide.training.schedule import Schedule
from meshtide.training.views import Example, View, draw_view, lessons_of

RECIPE = GraphRecipe(k=12)
NETWORKS = {
    "tide-m": {"gradients": True},
    "tide-s": {"mlp": False},
    "diffusionnet": {"dropout": 0.0},
}


@pytest.fixture(scope="module")
def shapes() -> list[Example]:
    made = []
    for number in range(4):
        mesh, labels = figure(number)
        graph = mesh_graph(mesh, RECIPE, extras=("gradients",))
        targets = torch.from_numpy(labels[: graph.num_vertices]).long() % 3
        targets[:: number + 2] = -1
        made.append(Example(f"figure {number}", graph, targets))
    return made


def small(name: str) -> Network:
    torch.manual_seed(0)
    return build_network(name, RECIPE.channels, 3, width=8, blocks=2, **NETWORKS[name])


def gradients(network: Network, views: Sequence[View], weights: torch.Tensor | None, stacks: bool) -> torch.Tensor:
    """The gradient of a step on these views."""
    schedule = Schedule(label_smoothing=0.1)
    lessons = lessons_of(views, Place(torch.device("cpu")), stacks=stacks)
    assert len(lessons) == (1 if stacks else len(views))
    loss, _, _ = BatchLoss(network, weights, schedule)(lessons, len(views))
    return torch.cat([each.ravel() for each in torch.autograd.grad(loss, list(network.parameters()))])


@pytest.mark.parametrize("name", NETWORKS)
@pytest.mark.parametrize("weights", [None, torch.tensor([0.5, 1.0, 2.0])])
def test_a_stack_has_the_mean_gradient_of_its_shapes(
    name: str, weights: torch.Tensor | None, shapes: list[Example]
) -> None:
    random = torch.Generator().manual_seed(1)
    views = [draw_view(shape, 60, random) for shape in shapes]
    network = small(name)
    together = gradients(network, views, weights, stacks=True)
    alone = torch.stack([gradients(network, [view], weights, stacks=False) for view in views]).mean(dim=0)
    torch.testing.assert_close(together, alone, rtol=1e-3, atol=1e-5)
    torch.testing.assert_close(gradients(network, views, weights, stacks=False), alone, rtol=1e-3, atol=1e-5)
    assert (together - gradients(network, views[:3], weights, stacks=True)).abs().max() > 1e-3


def test_a_stack_answers_as_each_shape_does(shapes: list[Example]) -> None:
    random = torch.Generator().manual_seed(1)
    views = [draw_view(shape, 50, random) for shape in shapes]
    network = small("tide-m")
    together = network(stacked([view.seen() for view in views]).projecting())
    alone = torch.cat([network(view.seen().projecting()) for view in views])
    torch.testing.assert_close(together, alone, rtol=1e-4, atol=1e-4)


def test_views_of_other_sizes_are_read_alone(shapes: list[Example]) -> None:
    random = torch.Generator().manual_seed(1)
    sizes = [50, 60, 50, None]
    views = [draw_view(shape, size, random) for shape, size in zip(shapes, sizes, strict=True)]
    lessons = lessons_of(views, Place(torch.device("cpu")), stacks=True)
    assert [lesson.graph.shapes for lesson in lessons] == [2, 1, 1]
    with pytest.raises(InputError, match="as many vertices"):
        stacked([views[0].seen(), views[1].seen()])


def test_a_batch_takes_every_shape_once_an_epoch_and_leaves_unlabelled_ones_out(shapes: list[Example]) -> None:
    bare = replace(shapes[0], name="bare", targets=torch.full_like(shapes[0].targets, -1))
    training = Training(small("tide-m"), [*shapes, bare], [], Schedule(epochs=2, batch=2, sample=60, seed=1))
    seen: list[float] = []
    training.loss.register_forward_hook(lambda _, given, __: seen.append(given[1]))
    epochs = list(training.run())
    assert sum(seen) == 2 * len(shapes)  # how many shapes every step's mean is of
    assert training.learning_rate.state_dict()["total_steps"] == 2 * 3 + 1
    assert epochs[1].loss < epochs[0].loss


def test_a_batch_means_what_it_says_before_a_training() -> None:
    usual, large = plan("faust"), plan("faust", batch=4)
    assert usual.schedule.batch == 1
    assert large.schedule.learning_rate == pytest.approx(2 * usual.schedule.learning_rate)
    assert plan("faust", batch=4, learning_rate=0.001).schedule.learning_rate == 0.001
    assert large.schedule.epochs_for(80) == usual.schedule.epochs_for(80)
    for wrong in ({"batch": 0}, {"batch": 2, "setting": "single"}):
        with pytest.raises(InputError, match="batch"):
            plan("faust", **wrong)
