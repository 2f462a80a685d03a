"""Shapes that are read when a training wants them, in worker processes ahead of it, for collections beyond memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Generic, TypeVar, overload

import torch
from torch import Tensor

from meshtide.data.finding import Shape
from meshtide.data.loading import Loaded, Loading
from meshtide.many.ahead import Ahead
from meshtide.networks.layers import Moments
from meshtide.networks.turning import views
from meshtide.training.examples import LabelledShape, example_of
from meshtide.training.views import Example

_T = TypeVar("_T")


@dataclass(frozen=True, eq=False)
class Glance:
    """What has to be known of all shapes before a training: it takes one reading of their features and labels."""

    moments: Moments  # of the features
    counts: Tensor  # (shapes, parts) labelled vertices
    vertices: Tensor  # (shapes,) all of them


class Stream(Sequence[_T], Generic[_T]):
    """A sequence of shapes of which none is kept; iterating reads ahead in worker processes."""

    def __init__(
        self,
        shapes: Sequence[Shape],
        loading: Loading,
        ahead: Ahead,
        make: Callable[[Shape, Loaded, Loading], _T],
    ) -> None:
        self.shapes, self.loading, self.ahead, self.make = tuple(shapes), loading, ahead, make

    @property
    def names(self) -> list[str]:
        """The names of the shapes, for which none is read."""
        return [shape.name for shape in self.shapes]

    def __len__(self) -> int:
        return len(self.shapes)

    @overload
    def __getitem__(self, index: int) -> _T: ...
    @overload
    def __getitem__(self, index: slice) -> Stream[_T]: ...
    def __getitem__(self, index: int | slice) -> _T | Stream[_T]:
        if isinstance(index, slice):
            return self.of(self.shapes[index])
        shape = self.shapes[index]
        return self.make(shape, self.loading(shape), self.loading)

    def __iter__(self) -> Iterator[_T]:
        return self.in_order(range(len(self)))

    def in_order(self, order: Iterable[int]) -> Iterator[_T]:
        """The shapes with these numbers, one after the other, those to come being read meanwhile."""
        chosen = [self.shapes[index] for index in order]
        for shape, loaded in zip(chosen, self.ahead(self.loading, chosen), strict=True):
            yield self.make(shape, loaded, self.loading)

    def of(self, shapes: Iterable[Shape]) -> Stream[_T]:
        """Other shapes in the same way."""
        return Stream(tuple(shapes), self.loading, self.ahead, self.make)

    @cached_property
    def examples(self) -> Stream[Example]:
        """The shapes as a training reads them, without mesh and labels."""
        return Stream(self.shapes, replace(self.loading, whole=False), self.ahead, example_of)

    @cached_property
    def glance(self) -> Glance:
        """What all shapes have together."""
        mine = self.examples if self.loading.whole else self
        return mine.glanced(lambda: None) if mine is self else mine.glance

    def glanced(self, progress: Callable[[], None]) -> Glance:
        """The same, and `progress` hears of every shape."""
        loading = replace(self.loading, whole=False, glance=True)
        parts = len(self.loading.collection.parts)
        # One array: small ones of every shape would lie between the large ones that come and go, and memory would grow.
        moments, counts = Moments(), torch.zeros(len(self), parts, dtype=torch.int64)
        vertices = torch.zeros(len(self), dtype=torch.int64)
        for number, example in enumerate(Stream(self.shapes, loading, self.ahead, example_of)):
            for view in views(example.graph):
                moments.add(view)
            counts[number] = counted(example.targets, parts)
            vertices[number] = len(example.targets)
            progress()
        self.__dict__["glance"] = found = Glance(moments, counts, vertices)
        return found


def counted(targets: Tensor, parts: int) -> Tensor:
    """How many vertices have each part."""
    return torch.bincount(targets[targets >= 0].cpu(), minlength=parts)


# What follows is the same for shapes in memory, in a list, and for those in a stream.


def examples_of(shapes: Sequence[LabelledShape]) -> Sequence[Example]:
    """What a training reads of shapes."""
    return shapes.examples if isinstance(shapes, Stream) else [shape.example for shape in shapes]


def chosen(shapes: Sequence[_T], order: Iterable[int]) -> Sequence[_T]:
    """Some of the shapes."""
    if isinstance(shapes, Stream):
        return shapes.of(shapes.shapes[index] for index in order)
    return [shapes[index] for index in order]


def joined(first: Sequence[_T], second: Sequence[_T]) -> Sequence[_T]:
    """The shapes of both."""
    if isinstance(first, Stream) and isinstance(second, Stream):
        return first.of((*first.shapes, *second.shapes))
    return [*first, *second]


def in_order(shapes: Sequence[_T], order: Sequence[int]) -> Iterator[_T]:
    """The shapes with these numbers, one after the other."""
    return shapes.in_order(order) if isinstance(shapes, Stream) else (shapes[index] for index in order)


def names_of(shapes: Sequence[Any]) -> list[str]:
    """The names of shapes or examples."""
    if isinstance(shapes, Stream):
        return shapes.names
    return [getattr(shape, "example", shape).name for shape in shapes]


def kinds_in(shapes: Sequence[LabelledShape]) -> list[str | None]:
    """The kind of every shape."""
    return [shape.kind for shape in (shapes.shapes if isinstance(shapes, Stream) else shapes)]


def counts_of(shapes: Sequence[Any], parts: int) -> Sequence[Tensor]:
    """How many vertices of each shape have each part."""
    if isinstance(shapes, Stream):
        return list(shapes.glance.counts)
    return [counted(getattr(shape, "example", shape).targets, parts) for shape in shapes]
