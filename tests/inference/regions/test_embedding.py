"""What the network for regions sees and says does not depend on how a shape lies."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from shapes import figure

from meshtide.inference.regions.embedding import RegionNet, embed
from meshtide.inference.regions.inputs import ARROWS, NUMBERS, prepare_surface
from meshtide.inference.regions.surface import working_surface
from meshtide.mesh.mesh import Mesh


def turn():
    """A random rotation with a mirror image in it."""
    matrix = np.linalg.qr(np.random.default_rng(5).normal(size=(3, 3)))[0]
    return matrix * np.sign(np.linalg.det(matrix))


@pytest.fixture(scope="module")
def pair():
    """A shape, and the same turned, moved and scaled."""
    shape = figure(2)[0]
    moved = Mesh(37 * shape.vertices @ turn().T + [100, -3, 8], shape.faces)
    return tuple(prepare_surface(working_surface(mesh)) for mesh in (shape, moved))


def test_inputs_have_the_channels_that_the_network_wants(pair):
    assert pair[0].inputs.numbers.shape[1] == NUMBERS
    assert pair[0].inputs.arrows.shape[1:] == (3, ARROWS)


def test_numbers_stay_and_arrows_turn(pair):
    one, other = (each.inputs for each in pair)
    assert np.abs(one.rates - other.rates).max() < 1e-3 * one.rates.max()
    close = np.isclose(one.numbers, other.numbers, atol=0.02)
    assert close.mean() > 0.995  # a ray that meets an edge may go either way
    turned = np.einsum("xy,fyc->fxc", turn(), one.arrows)
    assert np.abs(turned - other.arrows).max() < 5e-3


def test_distances_of_the_embedding_do_not_change_when_the_shape_is_turned(pair):
    torch.manual_seed(0)
    network = RegionNet().eval()
    one, other = (embed(network, each.inputs) for each in pair)
    rows = torch.arange(0, len(one), 37)
    apart, later = torch.cdist(one[rows], one[rows]), torch.cdist(other[rows], other[rows])
    assert float((apart - later).abs().max()) < 0.05 * float(apart.max())
    # The arrows among the outputs did turn: it is the distances that are the same, not the points.
    assert float((one[rows] - other[rows]).abs().max()) > 0.1 * float(one[rows].abs().max())


def test_places_that_look_alike_differ_by_where_they_are(pair):
    """The two arms of a symmetric figure have the same numbers, and only arrows tell them apart."""
    torch.manual_seed(0)
    network = RegionNet().eval()
    points = embed(network, pair[0].inputs)
    half = points.shape[1] // 2
    centres = pair[0].surface.centres
    left = int(centres[:, 0].argmin())
    mirrored = centres[left] * [-1, 1, 1]
    right = int(np.linalg.norm(centres - mirrored, axis=1).argmin())
    apart = (points[left] - points[right]).abs()
    assert float(apart[half:].norm()) > 3 * float(apart[:half].norm())
