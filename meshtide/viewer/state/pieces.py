"""The instances of the shown parts: which one was clicked on, what is said of it, and how it stands out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from meshtide.arrays import BoolArray
from meshtide.errors import InputError
from meshtide.inference.instances import Instance
from meshtide.inference.segmentation import Segmentation
from meshtide.labels.colours import UNLABELLED
from meshtide.labels.labels import Element
from meshtide.labels.shades import instance_colours
from meshtide.viewer.state.item import Item
from meshtide.viewer.state.layers import NO_PART, Layer, categories_layer

DULL = 0.88  # the grey that everything else goes to while an instance is chosen
FADE = 0.65  # how far


class Pieces:
    """What is known of the instances of the mesh that is shown, and the chosen one."""

    def __init__(self, item: Callable[[], Item]) -> None:
        self._item = item
        self.chosen: int | None = None  # index into `all`

    @property
    def result(self) -> Segmentation | None:
        """The segmentation whose instances these are."""
        return self._item().prediction

    @property
    def all(self) -> tuple[Instance, ...]:
        """The instances, part by part; none without a segmentation."""
        return () if self.result is None else self.result.instances

    def of(self, part: str) -> tuple[tuple[int, Instance], ...]:
        """The instances of a part with their indices, the largest first."""
        return tuple((index, each) for index, each in enumerate(self.all) if each.part == part)

    def at(self, vertex: int, face: int | None = None) -> int | None:
        """The instance that a face belongs to or, where no face is known, a vertex."""
        if self.result is None:
            return None
        found = self.result.vertex_instances[vertex] if face is None else self.result.face_instances[face]
        return int(found) if found >= 0 else None

    def choose(self, instance: int | None) -> None:
        """Choose an instance by its index, or none."""
        if instance is not None and not 0 <= instance < len(self.all):
            raise InputError(f"there is no instance {instance}; they run from 0 to {len(self.all) - 1}")
        self.chosen = instance

    def told(self) -> str:
        """The name and the figures of the chosen instance; nothing where none is."""
        if self.chosen is None:
            return ""
        return describe(self.all[self.chosen])

    def seen(self, hidden: set[str]) -> BoolArray:
        """Which faces belong to an instance whose name is not hidden, or to none, (F,)."""
        if self.result is None:
            return np.ones(len(self._item().mesh.faces), dtype=bool)
        is_seen = np.array([*(each.name not in hidden for each in self.all), True])
        return np.asarray(is_seen[self.result.face_instances])

    def layer(self, crisp: bool) -> Layer:
        """Every element in the shade of its instance."""
        result = self.result
        if result is None:
            raise ValueError("instances need a segmentation")
        colours = instance_colours(result.colours, [each.part_index for each in result.instances])
        values = result.face_instances if crisp else result.vertex_instances
        names = [each.name for each in result.instances]
        on: Element = "faces" if crisp else "vertices"
        return categories_layer(self._item(), values, on, (*names, NO_PART), (*colours, UNLABELLED))

    def brought_out(self, layer: Layer) -> Layer:
        """The layer with all but the chosen instance faded."""
        if self.chosen is None or self.result is None:
            return layer
        owner = self.result.face_instances if layer.on == "faces" else self.result.vertex_instances
        faded = layer.colours + FADE * (DULL - layer.colours)
        return replace(layer, colours=np.where((owner == self.chosen)[:, None], layer.colours, faded))


def describe(instance: Instance) -> str:
    """A line about an instance.

    >>> import meshtide as mt
    >>> horse = mt.segment(mt.make_figure("quadruped", 2, "held-out", defects=False)[0])
    >>> describe(horse.instances[0])  # doctest: +ELLIPSIS
    'head: ... % of the area, ... % sure'
    """
    return f"{instance.name}: {100 * instance.share:.1f} % of the area, {100 * instance.confidence:.0f} % sure"
