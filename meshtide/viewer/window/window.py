"""The window: a scene that answers to the mouse, and the panel beside it."""

from __future__ import annotations

import time
from importlib import import_module
from typing import Any

import numpy as np

from meshtide.errors import InputError
from meshtide.viewer.state.modes import ABOUT_INSTANCES
from meshtide.viewer.state.scene import Scene
from meshtide.viewer.state.support import KINDS
from meshtide.viewer.window.backend import start
from meshtide.viewer.window.labelling import LabellingPanel
from meshtide.viewer.window.parts import PartsPanel
from meshtide.viewer.window.stage import Stage

PANEL_WIDTH = 330
SHORTEST, LONGEST = 1e-4, 1.0  # times of the slider, on a surface of area 1
TIME_BINS = 24  # of the plot of learned times
SWEEP_SECONDS = 4.0  # in which the animation goes from the shortest to the longest


class Window:
    """Shows a scene until it is closed. Click on the surface to choose a piece of a part."""

    def __init__(self, scene: Scene) -> None:
        self.polyscope = start(window=True)
        self.gui = import_module("polyscope.imgui")
        self.scene = scene
        self.stage = Stage(self.polyscope, scene)
        self.labelling = LabellingPanel(scene, self._changed)
        self.parts = PartsPanel(self.stage, self._changed)
        self.message = "click on the surface to choose a piece of it"
        self._sweep_start: float | None = None
        self._pressed: tuple[float, float] | None = None  # where the mouse button went down
        self._stale, self._untold = True, False

    def open(self) -> None:
        """Show the window; returns when it is closed."""
        self.polyscope.set_user_callback(self.frame)
        self.stage.refresh()
        self.polyscope.show()
        self.polyscope.clear_user_callback()

    def frame(self) -> None:
        """One frame: what the mouse did, the panel, and a new drawing where something changed."""
        gui = self.gui
        self._hear_mouse(gui)
        gui.SetNextWindowPos((10.0, 10.0))
        gui.SetNextWindowSize((float(PANEL_WIDTH), 0.0))
        gui.Begin("meshtide", True)
        try:
            self.panel(gui)
        finally:
            gui.End()
        self._animate()
        if self._stale:
            self._stale, self._untold = False, True
            self.stage.refresh()
        elif self._untold:  # after the picture, as distances take longer than it
            self._untold = False
            self._tell_support()

    def panel(self, gui: Any) -> None:
        """Everything that can be chosen."""
        scene = self.scene
        gui.TextUnformatted(f"{scene.entries[scene.index].name}  ({scene.index + 1} of {len(scene.entries)})")
        if len(scene.entries) > 1:
            for words, act in (("previous", scene.previous), ("next", scene.next)):
                if gui.Button(words):
                    self._try(act)
                gui.SameLine()
            gui.NewLine()
        if gui.Button("other way up"):
            self.stage.turn_over()
        for number, mode in enumerate(scene.modes):
            if number % 3:
                gui.SameLine()
            if gui.RadioButton(mode, scene.mode == mode):
                self._try(lambda mode=mode: scene.show(mode))
        self._mode_options(gui)
        gui.Separator()
        # Before the legend, which grows while one paints: buttons should stay where they are.
        if gui.CollapsingHeader("label and correct"):
            self.labelling.draw(gui)
        gui.Separator()
        self.parts.draw(gui)
        gui.Separator()
        gui.TextWrapped(self.labelling.message or self.message)

    def click(self, place: tuple[float, float]) -> None:
        """A click on the drawing: paints while labelling, else chooses an instance or shows a vertex's support."""
        scene, hit = self.scene, self.stage.hit(place)
        if hit is None:
            if scene.pieces.chosen is not None:  # beside the shape one lets go
                scene.pieces.choose(None)
                self._stale = True
            return
        vertex, face = hit
        if self.labelling.active:
            self._try(lambda: self.labelling.paint(vertex))
            return
        scene.select(vertex)
        if scene.mode in ABOUT_INSTANCES:
            scene.pieces.choose(scene.pieces.at(vertex, face))
            self.parts.reveal()
            self.message = f"vertex {vertex:,} is selected: 'support' shows how far information travels from there"
        elif "support" in scene.modes:
            scene.show("support")
        self._stale = True

    def _hear_mouse(self, gui: Any) -> None:
        io = gui.GetIO()
        # While one paints, dragging must not turn the scene; with shift it does.
        self.polyscope.set_do_default_mouse_interaction(not self.labelling.active or io.KeyShift)
        if io.WantCaptureMouse:
            return
        if self.labelling.active and io.MouseDown[0] and self.labelling.stroking:
            self.click(io.MousePos)
        elif io.MouseClicked[0] and not io.KeyShift:
            self._pressed = tuple(io.MousePos)
            if self.labelling.active:
                self.labelling.begin()
                self.click(io.MousePos)
        if io.MouseReleased[0]:
            self.labelling.end()
            # A drag turns the scene; only a press and release at one place is a click.
            pressed = self._pressed
            if not self.labelling.active and pressed and np.hypot(*np.subtract(pressed, io.MousePos)) < 4:
                self.click(io.MousePos)
            self._pressed = None

    def _mode_options(self, gui: Any) -> None:
        choices, mode = self.scene.choices, self.scene.mode
        if mode == "hks":
            count = len(self.scene.item.graph.mesh_recipe.times)
            changed, choices.hks = gui.SliderInt("time number", choices.hks, 0, count - 1)
            self._stale |= changed
        elif mode == "eigenfunction":
            most = self.scene.item.graph.num_eigenpairs - 1
            changed, choices.eigenfunction = gui.SliderInt("number", choices.eigenfunction, 0, most)
            self._stale |= changed
        elif mode == "support":
            self._support_options(gui)

    def _support_options(self, gui: Any) -> None:
        choices, spread = self.scene.choices, self.scene.item.support.spread()
        for kind in KINDS:
            if gui.RadioButton(kind, choices.kind == kind):
                choices.kind, self._stale = kind, True
            gui.SameLine()
        gui.NewLine()
        if spread:
            changed, choices.block = gui.SliderInt("block", choices.block, 0, len(spread) - 1)
            other, choices.channel = gui.SliderInt("channel", choices.channel, 0, len(spread[choices.block]) - 1)
            if changed or other:
                choices.time, self._stale = None, True
            bins = np.geomspace(SHORTEST, LONGEST, TIME_BINS + 1)
            counts, _ = np.histogram(np.clip(spread[choices.block], SHORTEST, LONGEST), bins)
            gui.PlotHistogram(
                "learned t",
                counts.astype(np.float32),
                0,
                f"{SHORTEST:g} to {LONGEST:g}",
                0.0,
                float(counts.max()),
                (190.0, 50.0),
            )
        now = choices.time if choices.time is not None else self._learned_time()
        changed, value = gui.SliderFloat("t", now, SHORTEST, LONGEST, "%.5f", gui.ImGuiSliderFlags_Logarithmic)
        if changed:
            choices.time, self._stale = value, True
        if gui.Button("stop" if self._sweep_start else "animate over t"):
            self._sweep_start = None if self._sweep_start else time.monotonic()
        gui.SameLine()
        if gui.Button("learned time"):
            choices.time, self._sweep_start, self._stale = None, None, True

    def _learned_time(self) -> float:
        support, choices = self.scene.item.support, self.scene.choices
        return support.time(choices.block, choices.channel) if support.spread() else 0.01

    def _tell_support(self) -> None:
        """Say how far the shown support reaches."""
        scene, choices = self.scene, self.scene.choices
        if scene.selected is None or scene.mode != "support":
            return
        support = scene.item.support
        shown = choices.time if choices.time is not None else self._learned_time()
        values = support.values(scene.selected, time=shown, kind=choices.kind)
        radius = support.radius(scene.selected, values)
        size = float(np.linalg.norm(np.ptp(scene.mesh.vertices, axis=0)))
        self.message = (
            f"vertex {scene.selected:,}, t = {shown:.2g}: 90 % of it lies within a distance of {radius:.3g} "
            f"({radius / size:.0%} of the shape's size)"
        )

    def _animate(self) -> None:
        if self._sweep_start is None or self.scene.mode != "support":
            return
        share = (time.monotonic() - self._sweep_start) / SWEEP_SECONDS % 1.0
        self.scene.choices.time = float(SHORTEST * (LONGEST / SHORTEST) ** share)
        self._stale = True

    def _changed(self) -> None:
        self._stale = True

    def _try(self, act: Any) -> None:
        """Do something that the input may not allow, and say so instead of stopping."""
        try:
            act()
        except InputError as error:
            self.message = str(error)
        self._stale = True
