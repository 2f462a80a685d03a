"""Features that turn with a shape: turned at random while learning, and in every way at once when answering.

A network that reads coordinates must not learn how the shapes of a folder happen to be turned. So every step of a
training turns them at random, about all axes or, where the way up is known, about that alone. An answer is the mean of
several: the shape is turned into its own axes, which have no sign and may be of like lengths, and from there by every
rotation that carries axes to axes. These are the same ones however the shape was turned at first, so that the answer
is the same too.
"""

from __future__ import annotations

import itertools
from dataclasses import replace
from functools import lru_cache

import torch
from torch import Tensor

from meshtide.networks.graph import MeshGraph
from meshtide.networks.network import Network
from meshtide.spectral.features import FEATURES
from meshtide.spectral.node_recipe import NodeRecipe
from meshtide.spectral.recipe import GraphRecipe

Turn = dict[int, Tensor]  # the first column of every three that turn together, and the rotation of these


def turned(graph: MeshGraph, random: torch.Generator) -> MeshGraph:
    """The graph with what turns of its features turned at random; the graph itself where nothing does."""
    return turned_by(graph, random_turn(graph.recipe, random))


def random_turn(recipe: GraphRecipe | NodeRecipe, random: torch.Generator) -> Turn:
    """How to turn what turns of the features of a recipe; empty where nothing does."""
    places = _places(recipe)
    by_up = {up: _random_rotation(up, random) for up in dict.fromkeys(places.values())}
    return {start: by_up[up] for start, up in places.items()}


def turned_by(graph: MeshGraph, turn: Turn) -> MeshGraph:
    """The graph with its features turned so."""
    if not turn:
        return graph
    return _rotated(graph, {start: rotation.to(graph.features) for start, rotation in turn.items()})


def views(graph: MeshGraph) -> tuple[MeshGraph, ...]:
    """The graph turned in the ways over which an answer is averaged; the graph alone where nothing turns."""
    places = _places(graph.recipe)
    if not places:
        return (graph,)
    own = {up: _own_axes(graph, up) for up in dict.fromkeys(places.values())}
    ways = max(len(_axis_rotations(up)) for up in own)
    found = []
    for number in range(ways):
        by_up = {up: axes @ _axis_rotations(up)[number % len(_axis_rotations(up))] for up, axes in own.items()}
        found.append(_rotated(graph, {start: by_up[up].to(graph.features) for start, up in places.items()}))
    return tuple(found)


def probabilities(network: Network, graph: MeshGraph, rows: Tensor | None = None) -> Tensor:
    """What a network answers, (V, parts), or at some rows: the mean over all views of the graph."""
    logits = (network(view) for view in views(graph))
    answers = [torch.softmax(found if rows is None else found[rows], dim=1) for found in logits]
    return answers[0] if len(answers) == 1 else torch.stack(answers).mean(dim=0)


def _places(recipe: GraphRecipe | NodeRecipe) -> dict[int, int | None]:
    """The first column of every three that turn together, and the axis that they turn about, or None for all."""
    found: dict[int, int | None] = {}
    if not isinstance(recipe, GraphRecipe):
        return found
    column = 0
    for word in recipe.features:
        record, count = FEATURES[word], FEATURES[word].channels(recipe)
        if record.turns:
            found |= dict.fromkeys(range(column, column + count, 3), record.up)
        column += count
    return found


def _rotated(graph: MeshGraph, rotations: dict[int, Tensor]) -> MeshGraph:
    features = graph.features.clone()
    for start, rotation in rotations.items():
        features[:, start : start + 3] = graph.features[:, start : start + 3] @ rotation
    return replace(graph, features=features)


def _random_rotation(up: int | None, random: torch.Generator) -> Tensor:
    """A rotation about all axes, every one as likely, or about one, (3, 3)."""
    if up is None:
        axes, triangle = torch.linalg.qr(torch.randn(3, 3, generator=random, dtype=torch.float64))
        return _proper(axes * triangle.diagonal().sign())
    angle = 2 * torch.pi * torch.rand((), generator=random, dtype=torch.float64)
    level = [axis for axis in range(3) if axis != up]
    rotation = torch.eye(3, dtype=torch.float64)
    rotation[level[0], level[0]] = rotation[level[1], level[1]] = angle.cos()
    rotation[level[0], level[1]] = angle.sin()
    rotation[level[1], level[0]] = -angle.sin()
    return rotation


def _own_axes(graph: MeshGraph, up: int | None) -> Tensor:
    """What turns the shape into axes of its own: those along which what turns about `up` spreads most and least."""
    spread = torch.zeros(3, 3, dtype=torch.float64)
    mass = graph.mass.cpu().double()
    for start, axis in _places(graph.recipe).items():
        if axis == up:
            columns = graph.features[:, start : start + 3].cpu().double()
            spread += columns.T @ (mass[:, None] * columns)
    if up is None:
        return _proper(torch.linalg.eigh(spread).eigenvectors)
    level = [axis for axis in range(3) if axis != up]
    axes = torch.eye(3, dtype=torch.float64)
    within = torch.linalg.eigh(spread[level][:, level]).eigenvectors
    axes[level[0], level], axes[level[1], level] = within[0], within[1]
    return _proper(axes, level[0])


def _proper(axes: Tensor, column: int = 0) -> Tensor:
    """The axes as a rotation: one of them the other way round, if they were a reflection."""
    if torch.linalg.det(axes) < 0:
        axes = axes.clone()
        axes[:, column] *= -1
    return axes


@lru_cache
def _axis_rotations(up: int | None) -> tuple[Tensor, ...]:
    """The rotations that carry axes to axes: 24, or the 4 that leave one where it is."""
    found = []
    for order in itertools.permutations(range(3)):
        for signs in itertools.product((1.0, -1.0), repeat=3):
            rotation = torch.zeros(3, 3, dtype=torch.float64)
            rotation[torch.arange(3), torch.tensor(order)] = torch.tensor(signs, dtype=torch.float64)
            if torch.linalg.det(rotation) > 0 and (up is None or rotation[up, up] > 0):
                found.append(rotation)
    return tuple(found)
