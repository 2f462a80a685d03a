"""What is on the screen: which mesh, which of its sides, which parts and pieces, which vertex."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from meshtide.arrays import FloatArray
from meshtide.errors import InputError
from meshtide.labels.colours import part_colours
from meshtide.labels.labels import Element, Labels
from meshtide.mesh.mesh import Mesh
from meshtide.viewer.state.geodesics import check_vertex
from meshtide.viewer.state.item import Entry, Item, Tools, entries_of
from meshtide.viewer.state.layers import NO_PART, Layer, LegendEntry, parts_layer, seen_faces
from meshtide.viewer.state.modes import ABOUT_INSTANCES, LAYERS, MODES, Choices
from meshtide.viewer.state.painting import Painting
from meshtide.viewer.state.pieces import Pieces
from meshtide.words import listed

if TYPE_CHECKING:
    from meshtide.inference.segmentation import Segmentation
    from meshtide.viewer.state.proposal import Proposal

KEPT = 3  # loaded meshes, the shown one among them; what is painted is kept for all


class Scene:
    """Meshes one at a time, a mode, and what the drawing needs of them; nothing is computed before it is shown."""

    def __init__(self, source: Any, tools: Tools | None = None, *, mode: str | None = None) -> None:
        self.entries: tuple[Entry, ...] = entries_of(source)
        if not self.entries:
            raise InputError("there is no mesh to show; give a mesh, a file or a collection")
        self.tools = tools or Tools()
        self.choices = Choices()
        self.selected: int | None = None
        self.problems: dict[str, str] = {}  # name of a mesh that cannot be shown -> why
        self.paintings: dict[int, Painting] = {}
        self.proposals: dict[int, Proposal] = {}
        self.corrected: dict[int, Segmentation] = {}  # predictions whose pieces somebody has changed
        self._loaded: OrderedDict[int, Item] = OrderedDict()
        self.pieces = Pieces(lambda: self.item)
        self.index = 0
        self._seek(range(len(self.entries)))
        self._wanted = "prediction" if mode is None else _known_mode(mode)

    # Which mesh

    @property
    def item(self) -> Item:
        """The mesh that is shown, with what is known of it."""
        return self._load(self.index)

    @property
    def mesh(self) -> Mesh:
        """The mesh that is shown."""
        return self.item.mesh

    def next(self) -> None:
        """Go to the next mesh that can be shown, after the last to the first."""
        self._step(1)

    def previous(self) -> None:
        """Go to the mesh before, before the first to the last."""
        self._step(-1)

    def go(self, index: int) -> None:
        """Go to a mesh by its number; one that cannot be shown raises InputError and changes nothing."""
        if not 0 <= index < len(self.entries):
            raise InputError(f"there is no mesh {index}; they run from 0 to {len(self.entries) - 1}")
        self._load(index)
        if index != self.index:
            self.index, self.selected, self.pieces.chosen = index, None, None

    # What of it

    @property
    def modes(self) -> tuple[str, ...]:
        """The modes that have something to show for this mesh."""
        return tuple(mode for mode in MODES if self._has(mode))

    @property
    def mode(self) -> str:
        """What is shown: the mode that was chosen, or the first there is where this mesh lacks it."""
        return self._wanted if self._has(self._wanted) else self.modes[0]

    def show(self, mode: str) -> None:
        """Choose a mode; meshes that lack it show another until one comes that has it."""
        if not self._has(_known_mode(mode)):
            raise InputError(f"{self.mesh.name}: there is no {mode} to show; there are {listed(self.modes)}")
        self._wanted = mode

    def select(self, vertex: int | None) -> None:
        """Choose a vertex of the shown mesh, or none."""
        if vertex is not None:
            check_vertex(self.mesh, vertex)
        self.selected = vertex

    def correct(self, result: Segmentation) -> None:
        """Take another answer for the shown mesh, about its own elements."""
        self.corrected[self.index] = result
        self.item.correct(result)

    @property
    def painting(self) -> Painting:
        """What is painted on the shown mesh; it stays when another is shown."""
        if self.index not in self.paintings:
            # All meshes of a collection get the parts that were named on any of them.
            names = dict.fromkeys(name for other in self.paintings.values() for name in other.names)
            self.paintings[self.index] = Painting(self.mesh, names, self.item.geodesics)
        return self.paintings[self.index]

    # Which parts

    def toggle(self, name: str) -> None:
        """Hide a part or an instance, or show it again, on all meshes."""
        self.choices.hidden ^= {name}

    def only(self, name: str | None) -> None:
        """Hide all of the shown mesh but one part or one instance; None shows all again."""
        labels = self._labels_on_faces()
        if name is None or labels is None:
            self.choices.hidden = set()
            return
        part = next((each.part for each in self.pieces.all if each.name == name), name)
        others = {each.name for _, each in self.pieces.of(part)} if part != name else set()
        self.choices.hidden = ({*labels.names, NO_PART} - {part}) | (others - {name})

    @property
    def outlined_result(self) -> Segmentation | None:
        """The segmentation whose borders are drawn as lines; None where something else is shown than its parts."""
        shows_parts = self.mode in ("prediction", "instances") and self.choices.crisp
        return self.item.prediction if shows_parts else None

    def visible_faces(self) -> NDArray[np.bool_]:
        """Which faces are to be drawn, (F,)."""
        seen = seen_faces(self.mesh.faces, self._labels_on_faces(), frozenset(self.choices.hidden))
        by_prediction = self._has("prediction") and self.mode not in ("truth", "painting", "proposal")
        return seen & self.pieces.seen(self.choices.hidden) if by_prediction and self.choices.hidden else seen

    # What to draw

    def colours(self) -> tuple[FloatArray, Element]:
        """Red, green and blue from 0 to 1 for every vertex or face, (N, 3), and which of the two."""
        layer = self.layer()
        return layer.colours, layer.on

    def legend(self) -> tuple[LegendEntry, ...]:
        """What the colours mean: parts that occur with their share of the area, or marks of a scale."""
        return self.layer().legend

    def layer(self) -> Layer:
        """Colours and legend of the mode that is shown, made anew: ask when something changed, not every frame."""
        layer = self._plain_layer(self.mode)
        return self.pieces.brought_out(layer) if self.mode in ABOUT_INSTANCES else layer

    def _plain_layer(self, mode: str) -> Layer:
        labels = self._labels(mode)
        if labels is not None:
            return parts_layer(self.item, labels, self._colours_of(mode, labels))
        if mode == "instances":
            return self.pieces.layer(self.choices.crisp)
        return LAYERS[mode](self.item, self.choices, self.selected)

    def _labels(self, mode: str) -> Labels | None:
        """The parts that a mode shows, none for other modes."""
        labels = self._own_labels(mode)
        if labels is None or not self.choices.crisp or mode == "painting":
            return labels  # single painted vertices must be seen
        return self._on_faces(mode, labels)

    def _on_faces(self, mode: str, labels: Labels) -> Labels:
        if mode == "prediction" and self.item.prediction is not None:
            return self.item.prediction.face_labels  # regions have borders of their own
        return labels.to_faces(self.mesh)

    def _own_labels(self, mode: str) -> Labels | None:
        prediction = self.item.prediction if mode == "prediction" else None
        if prediction is not None:
            return prediction.labels
        if mode == "painting":
            return self.painting.to_labels()
        if mode == "proposal":
            return self.proposals[self.index].labels
        return self.item.truth if mode == "truth" else None

    def _labels_on_faces(self) -> Labels | None:
        """The parts by which faces are hidden: those shown, or those that come nearest to what is shown."""
        for mode in (self.mode, "prediction", "truth"):
            labels = self._own_labels(mode) if self._has(mode) else None
            if labels is not None:
                return self._on_faces(mode, labels)
        return None

    def _colours_of(self, mode: str, labels: Labels) -> tuple[str, ...]:
        """The model's own colours for its parts, the painting's for what is painted; the same part, the same colour."""
        known = self.tools.colours
        if mode in ("painting", "proposal"):
            known = dict(zip(self.painting.names, self.painting.colours, strict=True))
        elif mode == "prediction" and self.item.prediction is not None:
            known = dict(zip(self.item.prediction.parts, self.item.prediction.colours, strict=True))
        if set(labels.names) <= set(known):
            return tuple(known[name] for name in labels.names)
        return part_colours(labels.names)

    def _has(self, mode: str) -> bool:
        is_true = self.item.truth is not None
        is_segmented = self.tools.segment is not None or self.entries[self.index].result is not None
        has_times = self.choices.time is not None or hasattr(self.tools.network, "diffusion_times")
        return {
            "prediction": is_segmented,
            "instances": is_segmented,
            "confidence": is_segmented,
            "truth": is_true,
            "difference": is_true and is_segmented,
            "proposal": self.index in self.proposals,
            "support": self.selected is not None and has_times,
        }.get(mode, True)

    def item_at(self, index: int) -> Item:
        """A mesh by its number, with what is known of it, without showing it."""
        return self._load(index)

    def _load(self, index: int) -> Item:
        if index not in self._loaded:
            self._loaded[index] = Item(*self.entries[index].load(), self.tools, self.entries[index].result)
            if index in self.corrected:
                self._loaded[index].correct(self.corrected[index])
            while len(self._loaded) > KEPT:
                self._loaded.popitem(last=False)[1].geodesics.forget()
        self._loaded.move_to_end(index)
        return self._loaded[index]

    def _step(self, by: int) -> None:
        count = len(self.entries)
        self._seek([(self.index + by * number) % count for number in range(1, count + 1)])

    def _seek(self, indices: Iterable[int]) -> None:
        """Go to the first of some meshes that can be loaded; the others are remembered with what is wrong."""
        for index in indices:
            try:
                return self.go(index)
            except InputError as error:
                self.problems[self.entries[index].name] = str(error)
        raise InputError(f"none of the {len(self.entries):,} meshes can be shown; {next(iter(self.problems.values()))}")


def _known_mode(mode: str) -> str:
    if mode not in MODES:
        raise InputError(f"the mode '{mode}' is not known; there are {', '.join(MODES)}")
    return mode
