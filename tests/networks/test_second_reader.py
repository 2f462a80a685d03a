"""The second reader says what the network for regions would, and TIDE with one says the mean of both."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from shapes import figure

import meshtide as mt
from meshtide.errors import InputError
from meshtide.inference.regions.embedding import Places, RegionNet
from meshtide.inference.regions.model import trained_region_model
from meshtide.networks.arrows import arrows_of
from meshtide.networks.graph import MeshGraph, mesh_graph
from meshtide.networks.registry import build_network
from meshtide.networks.second_reader import INPUTS, NUMBERS, SIGNATURE, SecondReader
from meshtide.networks.tide import TideNet
from meshtide.spectral.recipe import USUAL_FEATURES
from meshtide.spectral.signatures import hks_times

PARTS = 5


@pytest.fixture(scope="module")
def graph() -> MeshGraph:
    torch.set_num_threads(1)
    return mesh_graph(figure(1)[0], mt.GraphRecipe(k=48, features=USUAL_FEATURES), extras=("gradients",))


@pytest.fixture(scope="module")
def regions() -> RegionNet:
    return trained_region_model().network  # type: ignore[return-value]


def tide(second_reader: bool = True) -> TideNet:
    torch.manual_seed(0)
    return build_network("tide-m", INPUTS, PARTS, gradients=True, arrows=16, second_reader=second_reader)  # type: ignore[return-value]


def test_it_reads_as_the_network_for_regions_does(graph: MeshGraph, regions: RegionNet) -> None:
    reader = SecondReader(INPUTS, PARTS)
    reader.take(regions.state_dict())
    seen: list[torch.Tensor] = []
    reader.blocks[-1].register_forward_hook(lambda *all_of_it: seen.extend(all_of_it[-1]))
    reader(graph)
    # The same numbers and arrows, put together by hand: twelve times of the signature, the rest as it usually is.
    usual, own = np.log(hks_times()), np.log(hks_times(12))
    signature = np.array([np.interp(own, usual, row) for row in graph.features[:, :SIGNATURE].numpy()])
    bending = graph.features[:, SIGNATURE : SIGNATURE + 12]
    missing = regions.mean[NUMBERS:].expand(len(bending), -1)
    numbers = torch.cat([torch.from_numpy(signature).float(), bending, missing], dim=1)
    placed = arrows_of(graph.features)
    arrows = torch.cat([placed, placed[:, :, 1:] * bending[:, None, :6]], dim=2)
    places = Places(graph.values, graph.vectors, graph.mass, numbers, arrows)
    places.projection = graph.vectors.T * graph.mass  # without the ridge for samples
    one, other = regions.first((numbers - regions.mean) / regions.spread), regions.first_arrows(arrows)
    for block in regions.blocks:
        one, other = block(one, other, places)
    for found, wanted in zip(seen, (one, other), strict=True):
        torch.testing.assert_close(found, wanted, rtol=1e-3, atol=1e-3)


def test_the_signature_is_interpolated_between_its_times() -> None:
    reader = SecondReader(INPUTS, PARTS)
    line = torch.from_numpy(np.log(hks_times())).float() * 2 + 1
    torch.testing.assert_close(line @ reader.at_own_times, torch.from_numpy(np.log(hks_times(12))).float() * 2 + 1)


def test_the_answer_is_the_mean_of_both_and_does_not_turn_with_the_shape(graph: MeshGraph) -> None:
    network = tide().eval()
    with torch.no_grad():
        found = network(graph)
        alone, second = network._read_both(graph).softmax(dim=1), network.second(graph).softmax(dim=1)
        torch.testing.assert_close(found.exp(), (alone + second) / 2, rtol=1e-4, atol=1e-5)
        axes = torch.linalg.qr(torch.randn(3, 3, generator=torch.Generator().manual_seed(1)))[0]
        axes = axes * torch.linalg.det(axes)
        features = graph.features.clone()
        features[:, -6:-3], features[:, -3:] = features[:, -6:-3] @ axes, features[:, -3:] @ axes
        torch.testing.assert_close(network(replace(graph, features=features)), found, rtol=1e-3, atol=1e-3)


def test_every_step_teaches_one_of_the_two(graph: MeshGraph) -> None:
    network = tide().train()
    taught = set()
    for seed in range(12):
        torch.manual_seed(seed)
        network.zero_grad()
        network(graph).logsumexp(dim=1).sum().backward()
        first, second = network.last.weight.grad, network.second.last.weight.grad
        assert (first is None) != (second is None)
        taught.add(first is None)
    assert taught == {True, False}


def test_it_takes_several_samples_at_once(graph: MeshGraph) -> None:
    from meshtide.networks.stack import stacked

    reader = SecondReader(INPUTS, PARTS)
    parts = [graph.excerpt(torch.arange(start, start + 300)) for start in (0, 300)]
    together = reader(stacked(parts).projecting())
    alone = torch.cat([reader(part.projecting()) for part in parts])
    torch.testing.assert_close(together, alone, rtol=1e-3, atol=1e-3)


def test_other_features_are_refused() -> None:
    with pytest.raises(InputError, match="`second_reader` reads `features=log-hks,curvature,arrows`"):
        build_network("tide-m", INPUTS + 2, PARTS, arrows=16, second_reader=True)
    with pytest.raises(InputError, match="`second_reader` reads"):
        build_network("tide-m", INPUTS, PARTS, second_reader=True)
