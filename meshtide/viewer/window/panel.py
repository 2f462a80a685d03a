"""The panel: what the shape is and what was said last always in sight, all else between them, scrolled through."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from meshtide.viewer.state.modes import ABOUT_INSTANCES
from meshtide.viewer.state.telling import heading
from meshtide.viewer.window.labelling import LabellingPanel
from meshtide.viewer.window.options import ModeOptions
from meshtide.viewer.window.parts import PartsPanel
from meshtide.viewer.window.pieces import PiecesPanel
from meshtide.viewer.window.stage import PANEL_EDGE, PANEL_WIDTH

if TYPE_CHECKING:
    from meshtide.viewer.window.window import Window

SAID_LINES = 3  # kept free below for the last message
A_ROW = 3  # modes beside each other
DARK = 0xFF303030  # alpha, blue, green, red
AMBER = (1.0, 0.72, 0.25, 1.0)


class Panel:
    """Everything that can be chosen, in a column that is as high as the window."""

    def __init__(self, window: Window) -> None:
        self.window, self.scene, self.stage = window, window.scene, window.stage
        self.options = ModeOptions(self.scene, window.changed)
        self.labelling = LabellingPanel(window.labelling, window.changed)
        self.parts = PartsPanel(self.stage, window.labelling, window.changed)
        self.pieces = PiecesPanel(window.editing, window.edit)

    def draw(self, gui: Any) -> None:
        """All of it, and the captions."""
        self.captions(gui)
        _, height = self.window.polyscope.get_window_size()
        gui.SetNextWindowPos((PANEL_EDGE, PANEL_EDGE))
        gui.SetNextWindowSize((PANEL_WIDTH, height - 2 * PANEL_EDGE))
        flags = (
            gui.ImGuiWindowFlags_NoTitleBar
            | gui.ImGuiWindowFlags_NoMove
            | gui.ImGuiWindowFlags_NoResize
            | gui.ImGuiWindowFlags_NoScrollbar
        )
        gui.Begin("meshtide", flags)
        try:
            self._head(gui)
            gui.Separator()
            gui.BeginChild("between", (0.0, -(SAID_LINES * gui.GetTextLineHeightWithSpacing() + 12.0)))
            try:
                self._between(gui)
            finally:
                gui.EndChild()
            gui.Separator()
            gui.TextWrapped(self.window.labelling.message or self.window.message)
        finally:
            gui.End()

    def captions(self, gui: Any) -> None:
        """Words below the shapes that stand beside each other."""
        drawn = gui.GetBackgroundDrawList()
        _, height = self.window.polyscope.get_window_size()
        for words, (across, down) in self.stage.captions():
            width, line = gui.CalcTextSize(words)
            drawn.AddText((across - width / 2, min(down + 6.0, height - line - 4.0)), DARK, words)

    def turn_over(self) -> None:
        """Let the other axis point up, and say so."""
        self.stage.turn_over()
        self.window.message = self.stage.told_of_up()

    def _head(self, gui: Any) -> None:
        scene, window = self.scene, self.window
        told = heading(scene)
        gui.TextUnformatted(told.name)
        if window.labelling.is_unsaved or window.editing.is_unsaved:
            gui.SameLine()
            gui.TextColored(AMBER, "* not saved")
        for line in told.lines:
            gui.TextWrapped(line)
        for doubt in told.doubts:
            gui.PushStyleColor(gui.ImGuiCol_Text, AMBER)
            gui.TextWrapped(doubt)
            gui.PopStyleColor()
        if told.more and gui.IsItemHovered():
            gui.SetTooltip(told.more)
        if len(scene.entries) > 1:
            if gui.Button("previous"):
                window.leave(scene.previous)
            gui.SameLine()
            if gui.Button("next"):
                window.leave(scene.next)
            gui.SameLine()
        if gui.Button("other way up"):
            self.turn_over()
        if gui.IsItemHovered():
            gui.SetTooltip(self.stage.told_of_up())

    def _between(self, gui: Any) -> None:
        scene, window = self.scene, self.window
        for number, mode in enumerate(scene.modes):
            if number % A_ROW:
                gui.SameLine()
            if gui.RadioButton(mode, scene.mode == mode):
                window.attempt(partial(scene.show, mode))
        self.options.draw(gui)
        # Before the list, which grows while one paints: buttons should stay where they are.
        if window.labelling.active or scene.mode in ("painting", "proposal"):
            gui.SetNextItemOpen(True)
        labels = gui.CollapsingHeader("label and correct")
        if labels:
            self.labelling.draw(gui)
        gui.Separator()
        self.parts.draw_chosen(gui)
        if not labels and scene.mode in ABOUT_INSTANCES:
            self.pieces.draw(gui)
        self.parts.draw(gui, labelling=labels)
        if labels:
            self.labelling.draw_keys(gui)
