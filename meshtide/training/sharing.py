"""What each step of an epoch looks at, and which of its shapes this process of a team has to read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, islice

import torch

from meshtide.training.distributed import Team
from meshtide.training.schedule import Schedule
from meshtide.training.streaming import Stream, in_order
from meshtide.training.views import Example, View, draw_view, pass_over, seen_of

Step = tuple[Sequence[View], int]  # what is for this process, and how many shapes all processes learn from


def steps_of(
    train: Sequence[Example], order: Sequence[int], schedule: Schedule, team: Team, random: torch.Generator
) -> Iterator[Step]:
    """The steps of an epoch; all processes draw the same numbers, and get the steps of one process, shared."""
    taught = _taught(train, schedule) if team.size > 1 and isinstance(train, Stream) else None
    if taught is not None:
        assert isinstance(train, Stream)
        return _shared(train, order, schedule, team, random, taught)
    return _all_read(train, order, schedule, team, random)


def step_of(examples: Sequence[Example], schedule: Schedule, team: Team, random: torch.Generator) -> Step:
    """A step on shapes that are all there."""
    views = [draw_view(example, schedule.sample, random) for example in examples]
    taught = [view for view in views if view.labelled]
    return team.share(taught), len(taught)


def _all_read(
    train: Sequence[Example], order: Sequence[int], schedule: Schedule, team: Team, random: torch.Generator
) -> Iterator[Step]:
    shapes = in_order(train, order)
    while batch := list(islice(shapes, schedule.batch)):
        yield step_of(batch, schedule, team, random)


def _shared(
    train: Stream[Example], order: Sequence[int], schedule: Schedule, team: Team, random: torch.Generator,
    taught: Sequence[bool],
) -> Iterator[Step]:  # fmt: skip
    """The same, each process reading its share alone; of other shapes it draws the numbers that they take."""
    batches = [order[start : start + schedule.batch] for start in range(0, len(order), schedule.batch)]
    learned = [[index for index in batch if taught[index]] for batch in batches]
    mine = [team.share(indices) for indices in learned]
    shapes, vertices = train.in_order(chain.from_iterable(mine)), train.glance.vertices.tolist()
    for batch, of_all, own in zip(batches, learned, mine, strict=True):
        views = []
        for index in batch:
            if index in own:
                views.append(draw_view(next(shapes), schedule.sample, random))
            else:
                pass_over(vertices[index], train.loading.recipe, schedule.sample, random)
        yield views, len(of_all)


def _taught(train: Stream[Example], schedule: Schedule) -> list[bool] | None:
    """Which shapes show a labelled vertex whatever is drawn of them; None if chance decides that for one of them.

    Who learns from which shape of a step depends on which of them show one, and all processes must know it.
    """
    found = []
    for labelled, vertices in zip(train.glance.counts.sum(dim=1).tolist(), train.glance.vertices.tolist(), strict=True):
        seen = seen_of(vertices, train.loading.recipe, schedule.sample)
        if 0 < labelled <= vertices - seen:
            return None
        found.append(labelled > 0)
    return found
