"""Features that turn with a shape: turned as one while learning, and of no effect on how an answer depends on it."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from shapes import figure

from meshtide.inference.predict import predict
from meshtide.mesh.mesh import Mesh
from meshtide.networks.graph import MeshGraph, mesh_graph
from meshtide.networks.registry import build_network
from meshtide.networks.turning import turned, views
from meshtide.spectral.recipe import GraphRecipe

TURNING = {"coordinates": None, "normals": None, "upright-y": 1, "upright-z": 2}


def graph_of(mesh: Mesh, *words: str) -> MeshGraph:
    return mesh_graph(mesh, GraphRecipe(k=12, features=("log-hks", *words)))


def rotated(mesh: Mesh, up: int | None, seed: int) -> Mesh:
    """The mesh turned at random, about one axis or all."""
    random = np.random.default_rng(seed)
    if up is None:
        axes, _ = np.linalg.qr(random.normal(size=(3, 3)))
        axes[:, 0] *= np.sign(np.linalg.det(axes))
    else:
        angle, level = random.uniform(0, 6.28), [axis for axis in range(3) if axis != up]
        axes = np.eye(3)
        axes[np.ix_(level, level)] = [[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]]
    return Mesh(mesh.vertices @ axes + random.normal(size=3), mesh.faces)


@pytest.fixture(scope="module")
def body() -> Mesh:
    """A figure that is no mirror image of itself, leaning so that none of its axes is one of the file's."""
    mesh = figure(1)[0]
    vertices = mesh.vertices + 0.1 * np.sin(3 * mesh.vertices[:, [1, 2, 0]])
    return rotated(Mesh(vertices, mesh.faces), None, 1)


@pytest.mark.parametrize("words", [("coordinates", "normals"), ("normals",), ("upright-y",), ("upright-z",)])
def test_an_answer_does_not_depend_on_how_a_shape_is_turned(body: Mesh, words: tuple[str, ...]) -> None:
    graph, up = graph_of(body, *words), TURNING[words[0]]
    torch.manual_seed(0)
    network = build_network("tide-m", graph.num_channels, 3, width=8, blocks=1)
    answer = predict(network, graph)
    for seed in range(3):
        other = graph_of(rotated(body, up, seed), *words)
        assert not torch.allclose(other.features, graph.features, atol=0.05)
        np.testing.assert_allclose(predict(network, other), answer, atol=2e-3)
    if up is not None:  # what stands upright answers otherwise when it lies
        lying = graph_of(rotated(body, None, 7), *words)
        assert np.abs(predict(network, lying) - answer).max() > 0.01


def test_a_turn_carries_all_vectors_along_and_leaves_the_rest(body: Mesh) -> None:
    graph = graph_of(body, "coordinates", "normals", "upright-y")
    random = torch.Generator().manual_seed(0)
    for other in (turned(graph, random), turned(graph, random), *views(graph)):
        assert torch.equal(other.features[:, :16], graph.features[:, :16])
        assert torch.allclose(other.features[:, 23], graph.features[:, 23], atol=1e-5)  # the height
        for columns in (slice(16, 22), slice(22, 28)):
            before, after = (g.features[:, columns].reshape(-1, 2, 3).double() for g in (graph, other))
            torch.testing.assert_close(after @ after.mT, before @ before.mT, atol=1e-5, rtol=0)
            # A rotation and no reflection: triple products keep their sign.
            torch.testing.assert_close(torch.linalg.det(after[:3].reshape(2, 3, 3)), torch.linalg.det(
                before[:3].reshape(2, 3, 3)), atol=1e-5, rtol=0)  # fmt: skip
    assert not torch.allclose(turned(graph, random).features, turned(graph, random).features)


def test_every_way_is_there_once(body: Mesh) -> None:
    for words, count in ((("coordinates",), 24), (("upright-z",), 4), (("upright-y", "normals"), 24)):
        found = views(graph_of(body, *words))
        assert len({tuple(view.features[0, 16:].tolist()) for view in found}) == len(found) == count
        mean = torch.stack([view.features for view in found]).mean(dim=0)
        if words == ("coordinates",):
            assert mean[:, 16:].abs().max() < 1e-5  # no direction is preferred


def test_what_does_not_turn_is_left_as_it_is(body: Mesh) -> None:
    graph = graph_of(body, "curvature")
    random = torch.Generator().manual_seed(0)
    state = random.get_state()
    assert turned(graph, random) is graph
    assert views(graph) == (graph,)
    assert torch.equal(random.get_state(), state)
