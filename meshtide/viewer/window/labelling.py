"""The part of the panel that paints labels, asks for a proposal and saves."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from meshtide.errors import InputError
from meshtide.labels.labels import Labels
from meshtide.viewer.state.scene import Scene

TOOLS = ("brush", "fill", "erase")


class LabellingPanel:
    """What is being painted with, and the buttons around it."""

    def __init__(self, scene: Scene, changed: Callable[[], None]) -> None:
        self.scene, self.changed = scene, changed
        self.active, self.stroking = False, False
        self.tool, self.part, self.name, self.path = "brush", 0, "", ""
        self.share = 0.03  # the brush's radius, in parts of the shape's size
        self.sure = 0.5  # proposals below this confidence are not accepted
        self.message = ""

    @property
    def radius(self) -> float:
        """The brush's radius in units of the mesh."""
        return self.share * float(np.linalg.norm(np.ptp(self.scene.mesh.vertices, axis=0)))

    def begin(self) -> None:
        """The mouse button went down."""
        self.scene.painting.begin_stroke()
        self.stroking = True

    def end(self) -> None:
        """The mouse button went up."""
        if self.stroking:
            self.scene.painting.end_stroke()
        self.stroking = False

    def paint(self, vertex: int) -> None:
        """Use the chosen tool at a vertex."""
        painting = self.scene.painting
        if self.tool == "erase":
            painting.erase(vertex, self.radius)
        elif not painting.names:
            raise InputError("name a part first: type a name and press 'new part'")
        elif self.tool == "fill":
            painting.fill(vertex, self.part)
        else:
            painting.brush(vertex, self.radius, self.part)
        self.scene.show("painting")
        self.changed()

    def new_part(self) -> None:
        """Add the part whose name was typed, and paint with it."""
        self.part = self.scene.painting.add_part(self.name.strip())
        self.name = ""

    def train(self) -> None:
        """Fit a small model to what is painted on all meshes, and show what it proposes for this one."""
        from meshtide.viewer.state.proposal import propose

        scene = self.scene
        others = [
            (scene.item_at(index).graph, painting)
            for index, painting in scene.paintings.items()
            if index != scene.index and painting.painted.any()
        ]
        scene.proposals[scene.index] = propose(scene.item.graph, scene.painting, others=others, start=scene.tools.model)
        scene.show("proposal")
        self.message = "this is proposed; paint what is wrong and train again, or accept"

    def take_prediction(self) -> None:
        """Begin with what the model says, to correct it."""
        prediction = self.scene.item.prediction
        if prediction is None:
            raise InputError("there is no prediction to begin with")
        kept = [part for part in range(len(prediction.parts)) if (prediction.labels.values == part).any()]
        names = tuple(prediction.parts[part] for part in kept)
        place = np.array([kept.index(part) if part in kept else -1 for part in range(len(prediction.parts))] + [-1])
        self.scene.painting.load(Labels(place[prediction.labels.values], "vertices", names))
        self.scene.show("painting")

    def accept(self) -> None:
        """Take over what the proposal is sure about."""
        from meshtide.viewer.state.proposal import accept

        proposal = self.scene.proposals.get(self.scene.index)
        if proposal is None:
            raise InputError("there is no proposal yet; press 'train' first")
        count = accept(self.scene.painting, proposal, proposal.confidence >= self.sure)
        self.message = f"{count:,} vertices taken over"
        self.scene.show("painting")

    def save(self) -> None:
        """Write what is painted."""
        path = Path(self.path.strip())
        self.scene.painting.save(path, on_faces=path.suffix.lower() == ".seg" or path.name.endswith("_labels.txt"))
        self.message = f"wrote {path}"

    def draw(self, gui: Any) -> None:
        """The buttons."""
        _, self.active = gui.Checkbox("paint with the mouse (shift turns)", self.active)
        for tool in TOOLS:
            if gui.RadioButton(tool, self.tool == tool):
                self.tool = tool
            gui.SameLine()
        gui.NewLine()
        _, self.share = gui.SliderFloat("brush", self.share, 0.005, 0.3, "%.3f")
        names = self.scene.painting.names
        for number, name in enumerate(names):
            if gui.RadioButton(f"{name}##part", self.part == number):
                self.part = number
        _, self.name = gui.InputText("##name", self.name)
        gui.SameLine()
        self._button(gui, "new part", self.new_part)
        self._button(gui, "take the prediction", self.take_prediction)
        self._button(gui, "undo", self.scene.painting.undo)
        gui.SameLine()
        self._button(gui, "redo", self.scene.painting.redo)
        gui.SameLine()
        self._button(gui, "train", self.train)
        _, self.sure = gui.SliderFloat("sure", self.sure, 0.0, 1.0)
        self._button(gui, "accept", self.accept)
        self.path = self.path or f"{Path(self.scene.entries[self.scene.index].name).stem}.txt"
        _, self.path = gui.InputText("file", self.path)
        self._button(gui, "save", self.save)

    def _button(self, gui: Any, words: str, act: Callable[[], Any]) -> None:
        if gui.Button(words):
            try:
                self.message = ""
                act()
            except InputError as error:
                self.message = str(error)
            self.changed()
