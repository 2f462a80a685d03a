"""The list of parts as people see it: every part once, with its colour, share, brush, and if it is seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from meshtide.inference.instances import Instance
from meshtide.viewer.state.layers import LegendEntry
from meshtide.viewer.state.scene import Scene

HIDEABLE = ("prediction", "instances", "truth", "painting", "proposal")  # modes whose legend has parts


@dataclass(frozen=True)
class Row:
    """A line of the list."""

    name: str
    colour: str  # "#rrggbb", as it is drawn
    share: float | None  # of the area; None for a mark of a scale, or where nothing of it is drawn
    seen: bool | None  # None where it cannot be hidden
    brush: int | None  # the number of the part to paint with
    pieces: tuple[tuple[int, Instance], ...] = ()  # instances with their numbers


def rows(scene: Scene, legend: Sequence[LegendEntry], *, labelling: bool) -> list[Row]:
    """The legend's lines; while one labels, parts that can be painted and are not drawn yet follow."""
    numbers: dict[str, int] = {}
    if labelling:
        numbers = {name: number for number, name in enumerate(scene.painting.names)}
    can_hide, hidden = scene.mode in HIDEABLE, scene.choices.hidden
    found = [
        Row(
            entry.name,
            entry.colour,
            entry.share,
            entry.name not in hidden if can_hide else None,
            numbers.get(entry.name),
            _pieces(scene, entry.name),
        )
        for entry in legend
    ]
    drawn = {entry.name for entry in legend}
    colours = scene.painting.colours if numbers else ()
    return found + [Row(name, colours[at], None, None, at) for name, at in numbers.items() if name not in drawn]


def _pieces(scene: Scene, name: str) -> tuple[tuple[int, Instance], ...]:
    """The instances of a part, or the one instance that has a line of its own."""
    if scene.mode == "prediction":
        return scene.pieces.of(name)
    if scene.mode == "instances":
        return tuple((index, each) for index, each in enumerate(scene.pieces.all) if each.name == name)
    return ()
