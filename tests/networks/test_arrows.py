"""TIDE with arrows: its answer does not depend on how a shape is turned, but on whether it stands in a mirror."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from shapes import figure

from meshtide.errors import InputError
from meshtide.mesh.mesh import Mesh
from meshtide.networks.arrows import volume
from meshtide.networks.graph import MeshGraph, mesh_graph
from meshtide.networks.network import Network
from meshtide.networks.registry import build_network
from meshtide.networks.stack import stacked
from meshtide.networks.turning import views
from meshtide.spectral.recipe import USUAL_FEATURES, GraphRecipe
from meshtide.training.experiment import plan

RECIPE = GraphRecipe(k=24, features=USUAL_FEATURES)


def read(mesh: Mesh) -> MeshGraph:
    return mesh_graph(mesh, RECIPE, extras=("gradients",))


def network(**options: object) -> Network:
    torch.manual_seed(0)
    given = {"arrows": 6, "width": 12, "gradients": False} | options
    made = build_network("tide-m", RECIPE.channels, 4, operator="surface", **given)
    return made.eval()


def rotation(seed: int) -> np.ndarray:
    axes, _ = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))
    return axes * np.sign(np.linalg.det(axes))


@pytest.fixture(scope="module")
def leaning() -> Mesh:
    """A figure that is not its own mirror image."""
    mesh, _ = figure(1)
    points = mesh.vertices.copy()
    points[:, 1] += 0.2 * points[:, 0] * points[:, 2]
    points[:, 0] += 0.1 * points[:, 1] ** 2
    return Mesh(points, mesh.faces, "leaning")


def test_a_volume_is_the_determinant_of_its_arrows() -> None:
    three = torch.randn(3, 7, 3, 5, generator=torch.Generator().manual_seed(0))
    determinants = torch.linalg.det(three.permute(1, 3, 0, 2))  # (7, 5) of rows that are arrows
    torch.testing.assert_close(volume(*three), determinants)


def test_turning_a_shape_changes_no_answer(leaning: Mesh) -> None:
    made = network(gradients=True)
    with torch.no_grad():
        wanted = made(read(leaning))
        for seed in range(3):
            points = 3 * leaning.vertices @ rotation(seed).T + [1.0, -2.0, 5.0]
            found = made(read(Mesh(points, leaning.faces, "turned")))
            torch.testing.assert_close(found, wanted, atol=2e-3, rtol=1e-3)
    assert len(views(read(leaning))) == 1  # so that no answer has to be averaged


def test_arrows_are_read_and_tell_a_shape_from_its_mirror_image(leaning: Mesh) -> None:
    made = network()
    graph = read(leaning)
    mirrored = Mesh(leaning.vertices * [-1, 1, 1], leaning.faces[:, ::-1], "mirrored")
    with torch.no_grad():
        wanted, found = made(graph), made(read(mirrored))
        blind = replace(graph, features=torch.cat([graph.features[:, :-6], 0 * graph.features[:, -6:]], dim=1))
        assert (made(blind) - wanted).abs().max() > 1e-3
        assert (found - wanted).abs().max() > 1e-3
        for stream in made.streams:  # type: ignore[attr-defined]  # TIDE's own
            stream.tell.weight[:, 6:] = 0.0  # the volumes
        torch.testing.assert_close(made(read(mirrored)), made(graph), atol=2e-3, rtol=1e-3)


def test_samples_of_two_shapes_give_what_each_gives_alone(leaning: Mesh) -> None:
    made = network()
    other = read(figure(1)[0])
    rows = torch.arange(0, other.num_vertices, 2)
    both = [read(leaning).excerpt(rows), other.excerpt(rows)]
    with torch.no_grad():
        together = made(stacked(both).projecting())
        alone = torch.cat([made(each.projecting()) for each in both])
    torch.testing.assert_close(together, alone, atol=1e-5, rtol=1e-4)


def test_all_weights_learn(leaning: Mesh) -> None:
    made = network(blocks=2)
    made(read(leaning)).square().mean().backward()
    idle = [name for name, each in made.named_parameters() if each.grad is None or not each.grad.any()]  # type: ignore[attr-defined]
    assert {name.rpartition(".")[0] for name in idle} <= {"streams.1.turn", "streams.1.gate"}


def test_arrows_stand_last_and_are_read_where_they_can_be() -> None:
    assert plan("faust").options == {"gradients": True, "arrows": 16}
    asked = plan("faust", features=("arrows", "log-hks"))
    assert (asked.recipe.features, asked.options["arrows"]) == (("log-hks", "arrows"), 16)
    for choices in ({"network": "gcn"}, {"augmentation": True}, {"options": {"method": "implicit"}}):
        found = plan("faust", **choices)
        assert found.recipe.features == ("log-hks", "curvature")
        assert "arrows" not in found.options
    for choices in ({"network": "gcn"}, {"operator": "graph"}):
        with pytest.raises(InputError, match="arrows are for TIDE"):
            plan("faust", features="arrows", **choices)
    for options in ({"arrows": -1}, {"mlp": False}):
        with pytest.raises(InputError):
            network(**options)
    with pytest.raises(InputError, match="read numbers, too"):
        build_network("tide-m", 6, 4, operator="surface", arrows=4)


def test_shards_that_have_arrows_are_for_networks_that_read_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("meshtide.training.experiment.packed_recipe", lambda source: RECIPE)
    assert plan("packed").options["arrows"] == 16
    with pytest.raises(InputError, match="was prepared with `features=log-hks,curvature,arrows`, and arrows are for"):
        plan("packed", network="gcn")
