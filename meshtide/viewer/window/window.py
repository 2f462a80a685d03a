"""The window: a scene that answers to the mouse and to keys, and the panel beside it."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from meshtide.errors import InputError
from meshtide.viewer.state.editing import Editing
from meshtide.viewer.state.keeping import UnsavedLabels
from meshtide.viewer.state.labelling import STEP, Labelling
from meshtide.viewer.state.modes import ABOUT_INSTANCES
from meshtide.viewer.state.scene import Scene
from meshtide.viewer.state.shortcuts import DIGITS, asked
from meshtide.viewer.window.backend import start
from meshtide.viewer.window.cursor import BrushCursor
from meshtide.viewer.window.labelling import attempt
from meshtide.viewer.window.panel import Panel
from meshtide.viewer.window.stage import Stage

CLICK = 4.0  # pixels that a mouse may move between press and release of a click


class Window:
    """Shows a scene until it is closed. Click on the surface to choose a piece of a part."""

    def __init__(self, scene: Scene) -> None:
        self.polyscope = start(window=True)
        self.gui = import_module("polyscope.imgui")
        self.scene = scene
        self.stage = Stage(self.polyscope, scene, panel=True)
        self.labelling = Labelling(scene)
        self.editing = Editing(scene)
        self.message = "click on the surface to choose a piece of it"
        self.panel = Panel(self)
        self.cursor = BrushCursor(self.stage, self.labelling)
        self._acts: dict[str, Callable[[], Any]] = self._keys()
        self._pressed: tuple[float, float] | None = None  # where the mouse button went down
        self._drawing = False  # a stroke or a line
        self._stale, self._untold = True, False

    def open(self) -> None:
        """Show the window; returns when it is closed."""
        self.polyscope.set_user_callback(self.frame)
        self.stage.refresh()
        try:
            self.polyscope.show()
        finally:
            self.polyscope.clear_user_callback()
            for sentence in self.labelling.keeping.unsaved() + self.editing.unsaved():
                warnings.warn(sentence, UnsavedLabels, stacklevel=2)

    def frame(self) -> None:
        """One frame: what the mouse and the keys did, the panel, and a new drawing where something changed."""
        gui = self.gui
        self._hear_mouse(gui)
        self._hear_keys(gui)
        self.labelling.keep_copy()
        self.panel.draw(gui)
        self.panel.options.animate()
        if self._stale:
            self._stale, self._untold = False, True
            self.stage.refresh()
        elif self._untold:  # after the picture, as distances take longer than it
            self._untold = False
            self.message = self.panel.options.told_of_support() or self.message

    def changed(self) -> None:
        """Draw anew with the next frame."""
        self._stale = True

    def leave(self, act: Callable[[], None]) -> None:
        """Go to another mesh, and say if this one's labels are not saved."""
        said = self.labelling.leaving()
        self.labelling.end()
        self.attempt(act)
        self.labelling.message = said

    def attempt(self, act: Callable[[], Any]) -> None:
        """Do something that the input may not allow, and say so instead of stopping."""
        try:
            act()
        except InputError as error:
            self.message, self.labelling.message = str(error), ""
        self.changed()

    def do(self, act: str) -> None:
        """What a key asks for (see shortcuts.py)."""
        attempt(self.labelling, self._acts[act])
        self.changed()

    def click(self, place: tuple[float, float]) -> bool:
        """A click on the drawing: paints while labelling, else chooses an instance or shows a vertex's support.

        Returns whether the surface is there.
        """
        scene, hit = self.scene, self.stage.hit(place)
        if hit is None:
            if scene.pieces.chosen is not None:  # beside the shape one lets go
                scene.pieces.choose(None)
                self.changed()
            return False
        vertex, face = hit
        if self.labelling.active:
            attempt(self.labelling, lambda: self.labelling.paint(vertex, face))
            self.changed()
            return True
        if self.editing.waiting == "merge":
            self.edit(lambda: self.editing.merge(scene.pieces.at(vertex, face)))
            return True
        scene.select(vertex)
        if scene.mode in ABOUT_INSTANCES:
            scene.pieces.choose(scene.pieces.at(vertex, face))
            self.panel.parts.reveal()
            self.message = f"vertex {vertex:,} is selected: 'support' shows how far information travels from there"
        elif "support" in scene.modes:
            scene.show("support")
        self.labelling.message = ""
        self.changed()
        return True

    def edit(self, act: Callable[[], Any]) -> None:
        """Change a piece, and say what was done or why it was not."""
        self.editing.message = self.labelling.message = ""
        self.attempt(act)
        self.message = self.editing.message or self.message
        self.panel.parts.reveal()

    def undo(self) -> None:
        """Take back what was done last to what is shown: a change of its pieces, or a stroke."""
        if self.scene.mode in ABOUT_INSTANCES and not self.labelling.active and self.editing.can_undo:
            self.edit(self.editing.undo)
        else:
            self.labelling.undo()

    def _keys(self) -> dict[str, Callable[[], Any]]:
        labelling, scene = self.labelling, self.scene
        acts: dict[str, Callable[[], Any]] = {
            "undo": self.undo,
            "redo": labelling.redo,
            "paint": lambda: labelling.take_tool("brush"),
            "fill": lambda: labelling.take_tool("fill"),
            "piece": lambda: labelling.take_tool("piece"),
            "erase": lambda: labelling.take_tool("erase"),
            "smaller": lambda: labelling.resize(1 / STEP),
            "larger": lambda: labelling.resize(STEP),
            "merge": lambda: self.edit(lambda: self.editing.wait_for("merge")),
            "split": lambda: self.edit(lambda: self.editing.wait_for("split")),
            "train": labelling.train,
            "accept": labelling.accept,
            "save": labelling.save,
            "next": lambda: self.leave(scene.next),
            "previous": lambda: self.leave(scene.previous),
            "up": self.panel.turn_over,
        }
        return acts | {f"part {digit}": lambda digit=digit: labelling.choose_part(digit - 1) for digit in DIGITS}

    def _hear_keys(self, gui: Any) -> None:
        io = gui.GetIO()

        def was_pressed(key: str, repeats: bool) -> bool:
            return bool(gui.IsKeyPressed(getattr(gui, f"ImGuiKey_{key}"), repeats))

        for act in asked(was_pressed, control=io.KeyCtrl, shift=io.KeyShift, typing=io.WantTextInput):
            self.do(act)

    def _hear_mouse(self, gui: Any) -> None:
        io = gui.GetIO()
        draws = self.labelling.active or self.editing.waiting == "split"
        turns = draws and io.KeyShift  # what polyscope takes for moving to the side
        # A stroke must not turn the scene; beside the shape, and with the wheel and the other buttons, polyscope works.
        self.polyscope.set_do_default_mouse_interaction(not (turns or self._drawing))
        self.cursor.follow(None if io.WantCaptureMouse or io.KeyShift else tuple(io.MousePos))
        if io.WantCaptureMouse and not self._drawing:
            return
        if turns and io.MouseDown[0]:
            self.stage.turn(*io.MouseDelta)
        elif self._drawing and io.MouseDown[0] and not io.WantCaptureMouse:
            self._draw(tuple(io.MousePos))
        elif io.MouseClicked[0] and not turns:
            self._press(tuple(io.MousePos), draws)
        if io.MouseReleased[0]:
            self._release(tuple(io.MousePos))

    def _press(self, place: tuple[float, float], draws: bool) -> None:
        """The button went down: a stroke or a line begins, where that is on the surface."""
        self._pressed = place
        if not draws:
            return
        if self.labelling.active:
            self.labelling.begin()
        else:
            self.editing.begin_line()
        self._drawing = self._draw(place)
        if self._drawing:
            self.polyscope.set_do_default_mouse_interaction(False)
        else:
            self.labelling.end()

    def _draw(self, place: tuple[float, float]) -> bool:
        """Go on with a stroke or a line; whether the surface is there."""
        if self.labelling.active:
            return self.click(place)
        hit = self.stage.hit(place)
        if hit is not None:
            self.editing.line.append(hit[0])
            self.stage.show_line(self.editing.line)
        return hit is not None

    def _release(self, place: tuple[float, float]) -> None:
        """The button went up. A drag turns the scene; only a press and release at one place is a click."""
        pressed, self._pressed = self._pressed, None
        drew, self._drawing = self._drawing, False
        self.labelling.end()
        if drew and not self.labelling.active:
            self.stage.show_line([])
            self.edit(self.editing.end_line)
        elif not drew and not self.labelling.active and pressed and np.hypot(*np.subtract(pressed, place)) < CLICK:
            self.click(place)
