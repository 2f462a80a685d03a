"""What one labels with: the tool, the part and the size of the brush, and what every button and key does."""

from __future__ import annotations

import numpy as np

from meshtide.errors import InputError
from meshtide.labels.labels import Labels
from meshtide.viewer.state.keeping import Keeping
from meshtide.viewer.state.scene import Scene
from meshtide.words import listed, shown

TOOLS = ("brush", "fill", "piece", "erase")  # a piece is one that the prediction found
SMALLEST, LARGEST = 0.005, 0.3  # of the brush's radius, in parts of the shape's size
STEP = 1.25  # by which a key changes it


class Labelling:
    """Painting with the mouse on the shapes of a scene, proposals, and saving."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.active, self.stroking = False, False
        self.tool, self.part, self.name = "brush", 0, ""
        self.keeping = Keeping(scene.entries, scene.paintings)
        self.share = 0.03  # the brush's radius, in parts of the shape's size
        self.sure = 0.5  # proposals below this confidence are not accepted
        self.message = ""
        self._accepted: tuple[int, int] | None = None  # the mesh, and its steps once a proposal was accepted
        self._looked: dict[int, bool] = {}  # whether a mesh has a copy of an earlier window

    # The brush

    @property
    def radius(self) -> float:
        """The brush's radius in units of the mesh."""
        return self.share * float(np.linalg.norm(np.ptp(self.scene.mesh.vertices, axis=0)))

    def resize(self, factor: float) -> None:
        """A larger or a smaller brush."""
        self.share = float(np.clip(self.share * factor, SMALLEST, LARGEST))

    def take_up(self, active: bool) -> None:
        """Let the mouse paint, or turn the shape again."""
        self.end()
        self.active = active
        self.message = self._told_of_tool() if active else ""

    def take_tool(self, tool: str) -> None:
        """Paint with a tool; the brush, where it is held already, is put down."""
        held = self.active and self.tool == tool
        self.tool = tool
        self.take_up(not (held and tool == "brush"))

    def choose_part(self, number: int) -> None:
        """Paint with a part by its number, from 0."""
        names = self.scene.painting.names
        if not 0 <= number < len(names):
            there = f"there are {listed(names)}" if names else "name one first"
            raise InputError(f"there is no part {number + 1}; {there}")
        self.part = number
        if self.tool == "erase":  # whoever chooses a part wants to paint it
            self.tool = "brush"
        self.message = self._told_of_tool()

    def _told_of_tool(self) -> str:
        """What the mouse does now."""
        names = self.scene.painting.names
        if self.tool == "erase":
            return "the mouse erases; B takes up the brush"
        if not names:
            return "name a part first: type a name and press Enter"
        does = {"brush": "paints", "fill": "fills up to creases with", "piece": "names whole pieces"}[self.tool]
        return f"the mouse {does} '{shown(names[min(self.part, len(names) - 1)])}'; T proposes the rest"

    def new_part(self) -> None:
        """Add the part whose name was typed, and paint with it."""
        self.part = self.scene.painting.add_part(self.name.strip())
        self.name = ""

    def begin(self) -> None:
        """The mouse button went down."""
        self.scene.painting.begin_stroke()
        self.stroking = True

    def end(self) -> None:
        """The mouse button went up."""
        if self.stroking:
            self.scene.painting.end_stroke()
        self.stroking = False

    def paint(self, vertex: int, face: int | None = None) -> None:
        """Use the chosen tool at a vertex, or where a face is known in its piece."""
        painting = self.scene.painting
        if self.tool == "erase":
            painting.erase(vertex, self.radius)
        elif not painting.names:
            raise InputError("name a part first: type a name and press 'new part'")
        elif self.tool == "fill":
            painting.fill(vertex, self.part)
        elif self.tool == "piece":
            self._paint_piece(vertex, face)
            return  # the pieces stay in view, as the next one is to be clicked on
        else:
            painting.brush(vertex, self.radius, min(self.part, len(painting.names) - 1))
        self.scene.show("painting")

    def _paint_piece(self, vertex: int, face: int | None) -> None:
        """Give a whole piece of the prediction a name: one click, whether it had a name or is a region without one."""
        scene = self.scene
        result, piece = scene.item.prediction, scene.pieces.at(vertex, face)
        if result is None or piece is None:
            raise InputError("there is no piece to name here; use the brush")
        count = scene.painting.paint_vertices(np.flatnonzero(result.vertex_instances == piece), self.part)
        areas = scene.item.vertex_areas
        left = areas[~scene.painting.painted].sum() / max(areas.sum(), 1e-300)
        name, told = scene.painting.names[self.part], scene.pieces.all[piece].name
        self.message = (
            f"'{shown(told)}' is '{shown(name)}' now ({count:,} vertices); {left:.0%} of the area has no name"
        )

    # Steps back

    def undo(self) -> None:
        """Take the latest step back; after accepting, the proposal is shown again."""
        painting, scene = self.scene.painting, self.scene
        was_accepted = self._accepted == (scene.index, painting.history.undo_count)
        if not painting.undo():
            raise InputError("there is nothing to undo on this shape")
        self._stepped("undone")
        if was_accepted and scene.index in scene.proposals:
            scene.show("proposal")
            self.message = "accepting is undone; this is what was proposed"

    def redo(self) -> None:
        """Make the step again that was undone last."""
        if not self.scene.painting.redo():
            raise InputError("there is nothing to make again on this shape")
        self._stepped("made again")

    def _stepped(self, words: str) -> None:
        painting = self.scene.painting
        self.part = max(0, min(self.part, len(painting.names) - 1))
        self.scene.show("painting")
        self.message = f"{words}; {painting.history.undo_count:,} more can be undone"

    # Proposals

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

        scene, painting = self.scene, self.scene.painting
        proposal = scene.proposals.get(scene.index)
        if proposal is None:
            raise InputError("there is no proposal yet; press 'train' first")
        count = accept(painting, proposal, proposal.confidence >= self.sure)
        if count:
            self._accepted = scene.index, painting.history.undo_count
        self.message = f"{count:,} vertices taken over; Ctrl+Z takes them back"
        scene.show("painting")

    def told_of_sure(self) -> str:
        """What the bound does to the proposal at hand: how much of the surface it lets through."""
        proposal = self.scene.proposals.get(self.scene.index)
        bound = f"at least {self.sure:.0%} likely"
        if proposal is None:
            return f"'accept' takes what is {bound}"
        areas, free = self.scene.item.vertex_areas, ~self.scene.painting.painted
        taken = areas[free & (proposal.confidence >= self.sure)].sum() / max(areas.sum(), 1e-300)
        left = areas[free].sum() / max(areas.sum(), 1e-300) - taken
        return f"'accept' takes {taken:.0%} of the surface, where a part is {bound}, and leaves {left:.0%} unpainted."

    # Files

    @property
    def path(self) -> str:
        """The file that the shown mesh's labels are saved to."""
        return str(self.keeping.path(self.scene.index))

    @path.setter
    def path(self, text: str) -> None:
        self.keeping.name(self.scene.index, text)

    @property
    def is_unsaved(self) -> bool:
        """Whether something is painted on the shown mesh that its file does not have."""
        return self.keeping.is_unsaved(self.scene.index)

    @property
    def can_go_on(self) -> bool:
        """Whether an earlier window left strokes of this mesh unsaved; its disk is asked once."""
        index = self.scene.index
        painting = self.scene.paintings.get(index)
        if painting is not None and painting.painted.any():
            return False
        if index not in self._looked:
            self._looked[index] = self.keeping.found_copy(index) is not None
        return self._looked[index]

    def save(self) -> None:
        """Write what is painted."""
        self.message = f"wrote {self.keeping.save(self.scene.index)}"

    def go_on(self) -> None:
        """Take what an earlier window left unsaved."""
        self.keeping.take_copy(self.scene.index, self.scene.painting)
        self.scene.show("painting")

    def keep_copy(self) -> None:
        """Now and then copy what is not saved; a disk that takes none is said once."""
        try:
            self.keeping.keep_copy()
        except InputError as error:
            self.message = str(error)

    def leaving(self) -> str:
        """What to say where the shown mesh is left for another: nothing, or that its labels are not saved."""
        if not self.is_unsaved:
            return ""
        name = self.scene.entries[self.scene.index].name
        return f"{name}: not saved yet; what is painted waits there until the window closes"
