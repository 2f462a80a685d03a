"""The small layers: features of mean 0 and spread 1 by hand, and dropout by its rate, mean and scale."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from shapes import figure, sphere, torus

from meshtide.errors import InputError
from meshtide.networks.graph import MeshGraph, mesh_graph
from meshtide.networks.layers import Dropout, Normalise, on_elements
from meshtide.spectral.recipe import GraphRecipe


@pytest.fixture(scope="module")
def graphs() -> list[MeshGraph]:
    """Shapes of very different numbers of vertices, one of them with a mass that is far from even."""
    found = [mesh_graph(mesh, GraphRecipe(k=8)) for mesh in (figure(0)[0], torus(12, 9), sphere(1))]
    uneven = torch.linspace(0.01, 2, found[1].num_vertices)
    return [found[0], replace(found[1], mass=uneven, features=3 + 5 * found[1].features), found[2]]


def test_features_are_measured_by_mass_and_every_shape_alike(graphs: list[MeshGraph]) -> None:
    layer = Normalise(16)
    layer.measure(graphs)
    means, squares = [], []
    for graph in graphs:
        features, mass = graph.features.double().numpy(), graph.mass.double().numpy()
        means.append(np.average(features, axis=0, weights=mass))
        squares.append(np.average(features**2, axis=0, weights=mass))
    mean = np.mean(means, axis=0)
    variance = np.mean(squares, axis=0) - mean**2
    np.testing.assert_allclose(layer.mean.numpy(), mean, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(layer.spread.numpy(), np.sqrt(variance), rtol=1e-5)
    assert np.abs(np.sqrt(variance) - variance).min() > 0.01  # so that the root can be told from what it is of


def test_normalised_features_have_mean_0_and_spread_1(graphs: list[MeshGraph]) -> None:
    layer = Normalise(16)
    layer.measure(graphs[1:2])
    values = layer(graphs[1].features).double().numpy()
    weights = graphs[1].mass.double().numpy()
    np.testing.assert_allclose(np.average(values, axis=0, weights=weights), 0, atol=1e-4)
    np.testing.assert_allclose(np.average(values**2, axis=0, weights=weights), 1, rtol=1e-2)


def test_a_feature_that_never_changes_does_no_harm(graphs: list[MeshGraph]) -> None:
    layer = Normalise(16)
    layer.measure([replace(graphs[0], features=torch.zeros_like(graphs[0].features))])
    torch.testing.assert_close(layer.spread, torch.full((16,), 1e-4))
    torch.testing.assert_close(layer(torch.full((1, 16), 1e-3)), torch.full((1, 16), 10.0))


def test_mean_and_spread_are_kept_with_the_weights_and_do_not_learn() -> None:
    assert list(Normalise(3).state_dict()) == ["mean", "spread"]
    assert not list(Normalise(3).parameters())


@pytest.mark.parametrize("share", [0.1, 0.5, 0.75])
def test_dropout_keeps_the_mean_and_drops_its_share(share: float) -> None:
    torch.manual_seed(0)
    x = torch.full((1000, 300), 2.0, requires_grad=True)
    found = Dropout(share)(x)
    kept = found != 0
    scale = 256 / round(256 * (1 - share))
    assert (found[kept] == 2.0 * scale).all()
    # 300,000 numbers: three standard errors of the rate are below 0.003.
    assert abs(float(kept.double().mean()) - 1 / scale) < 0.003
    assert abs(1 / scale - (1 - share)) <= 1 / 512
    assert abs(float(found.detach().double().mean()) - 2.0) < 0.01 / (1 - share)
    found.sum().backward()
    assert torch.equal(x.grad, scale * kept.to(x.dtype))


def test_dropout_drops_every_number_by_itself() -> None:
    torch.manual_seed(0)
    rows = (Dropout(0.5)(torch.ones(40_000, 16)) != 0).double()
    correlation = np.corrcoef(rows.numpy().T) - np.eye(16)
    assert np.abs(correlation).max() < 0.025  # 40,000 pairs: five standard errors
    again = Dropout(0.5)(torch.ones(40_000, 16)) != 0
    assert abs(float((rows.bool() == again).double().mean()) - 0.5) < 0.005


def test_dropout_by_its_seed_and_for_any_shape() -> None:
    layer = Dropout(0.5)
    for shape in ((), (1,), (7,), (3, 5), (2, 3, 4)):
        torch.manual_seed(3)
        first = layer(torch.ones(shape))
        torch.manual_seed(3)
        assert torch.equal(layer(torch.ones(shape)), first)
        assert first.shape == shape


def test_dropout_of_nothing_of_all_and_outside_of_training() -> None:
    x = torch.arange(20.0)
    assert Dropout(0.0)(x) is x
    assert not Dropout(1.0)(x).any()
    assert Dropout(0.9).eval()(x) is x
    assert Dropout(0.5)(torch.ones(9, dtype=torch.float64)).dtype is torch.float64


@pytest.mark.parametrize("share", [-0.1, 1.01, float("nan")])
def test_dropout_refuses_what_is_no_share(share: float) -> None:
    with pytest.raises(InputError, match="from 0 to 1"):
        Dropout(share)


def test_scores_on_faces_are_the_mean_of_the_corners(graphs: list[MeshGraph]) -> None:
    logits = torch.randn(graphs[1].num_vertices, 3)
    assert on_elements(logits, graphs[1], "vertices") is logits
    torch.testing.assert_close(on_elements(logits, graphs[1], "faces"), logits[graphs[1].faces].mean(dim=1))
