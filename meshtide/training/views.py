"""What a step looks at: views of shapes, drawn on the processor and put together for the device."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from meshtide.networks.graph import MeshGraph
from meshtide.networks.stack import stacked
from meshtide.networks.turning import Turn, random_turn, turned_by
from meshtide.spectral.node_recipe import NodeRecipe
from meshtide.spectral.recipe import GraphRecipe
from meshtide.training.placing import Place


@dataclass(frozen=True, eq=False)
class Example:
    """A shape to learn from: one graph or several relatives of it, and the part of every vertex, -1 for none.

    Each relative is a graph of the same shape, perhaps with fewer of its vertices, and has targets of its own.
    """

    name: str
    graph: MeshGraph
    targets: Tensor  # (V,) int64
    relatives: tuple[tuple[MeshGraph, Tensor], ...] = ()


@dataclass(frozen=True, eq=False)
class View:
    """What was drawn of a shape, before any of it is read: some of its vertices or all, and how it is turned."""

    graph: MeshGraph
    targets: Tensor  # (V,), of the vertices that are seen
    rows: Tensor | None  # the vertices that are seen; None is all
    turn: Turn

    @property
    def labelled(self) -> int:
        """How many vertices have a target."""
        return int((self.targets >= 0).sum())

    def seen(self) -> MeshGraph:
        """The graph as it is seen; of a sample its rows alone, without their projection."""
        return turned_by(self.graph if self.rows is None else self.graph.excerpt(self.rows), self.turn)


@dataclass(frozen=True, eq=False)
class Lesson:
    """Views that a network reads in one go, on its device."""

    graph: MeshGraph
    targets: Tensor  # (V,), of the shapes below one another


def draw_view(example: Example, sample: int | None, random: torch.Generator) -> View:
    """The shape or one of its relatives, at some of its vertices: another view every time."""
    choices = ((example.graph, example.targets), *example.relatives)
    graph, targets = choices[int(torch.randint(len(choices), (1,), generator=random))]
    rows, turn = _drawn(graph.num_vertices, graph.recipe, sample, random)
    if rows is None:
        return View(graph, targets, None, turn)
    rows = rows.to(graph.device)
    return View(graph, targets[rows], rows, turn)


def pass_over(vertices: int, recipe: GraphRecipe | NodeRecipe, sample: int | None, random: torch.Generator) -> None:
    """Draw the numbers that `draw_view` draws for a shape without relatives, which need not be there."""
    torch.randint(1, (1,), generator=random)
    _drawn(vertices, recipe, sample, random)


def seen_of(vertices: int, recipe: GraphRecipe | NodeRecipe, sample: int | None) -> int:
    """How many vertices of a shape a view sees."""
    return vertices if sample is None or recipe.operator != "surface" else min(sample, vertices)


def _drawn(
    vertices: int, recipe: GraphRecipe | NodeRecipe, sample: int | None, random: torch.Generator
) -> tuple[Tensor | None, Turn]:
    """The vertices that are seen, or None for all, and how the shape is turned."""
    seen = seen_of(vertices, recipe, sample)
    rows = torch.randperm(vertices, generator=random)[:seen] if seen < vertices else None
    return rows, random_turn(recipe, random)


def lessons_of(views: Sequence[View], place: Place, *, stacks: bool) -> list[Lesson]:
    """Views on the device: samples of one size in one lesson if the network takes such, every other view alone."""
    alike: dict[object, list[View]] = {}
    for number, view in enumerate(views):
        size = tuple(view.graph.vectors.shape[1:]) + tuple(view.targets.shape)
        alike.setdefault(size if stacks and view.rows is not None else number, []).append(view)
    return [_lesson(each, place) for each in alike.values()]


def _lesson(views: Sequence[View], place: Place) -> Lesson:
    first = views[0]
    if first.rows is None:
        graph = place.sample(first.seen()) if first.turn else place.whole(first.graph)
    else:
        graph = place.sample(stacked([view.seen() for view in views])).projecting()
    targets = first.targets if len(views) == 1 else torch.cat([view.targets for view in views])
    return Lesson(graph, place.sent(targets))
