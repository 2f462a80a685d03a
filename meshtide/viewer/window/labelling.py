"""The part of the panel that paints labels, asks for a proposal and saves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from meshtide.errors import InputError
from meshtide.viewer.state.labelling import LARGEST, SMALLEST, TOOLS, Labelling
from meshtide.viewer.state.shortcuts import TOLD

NARROW = 100.0  # pixels, so that words fit beside


class LabellingPanel:
    """The buttons around the brush; the parts themselves are in the list."""

    def __init__(self, labelling: Labelling, changed: Callable[[], None]) -> None:
        self.labelling, self.changed = labelling, changed

    def draw(self, gui: Any) -> None:
        """The buttons, in the order in which one labels."""
        labelling = self.labelling
        moved, active = gui.Checkbox("paint (shift, or beside the shape, turns)", labelling.active)
        if moved:
            labelling.take_up(active)
        for tool in TOOLS:
            if gui.RadioButton(tool, labelling.tool == tool):
                labelling.tool = tool
            gui.SameLine()
        gui.NewLine()
        gui.SetNextItemWidth(NARROW)
        _, labelling.share = gui.SliderFloat("size", labelling.share, SMALLEST, LARGEST, "%.3f")
        gui.SameLine()
        gui.SetNextItemWidth(NARROW)
        entered, labelling.name = gui.InputText("##name", labelling.name, gui.ImGuiInputTextFlags_EnterReturnsTrue)
        if entered:  # and the next name can be typed
            self._act(labelling.new_part)
            gui.SetKeyboardFocusHere(-1)
        gui.SameLine()
        self._button(gui, "new part", labelling.new_part)
        self._button(gui, "undo", labelling.undo)
        gui.SameLine()
        self._button(gui, "redo", labelling.redo)
        gui.SameLine()
        self._button(gui, "take the prediction", labelling.take_prediction)
        self._button(gui, "train", labelling.train)
        gui.SameLine()
        self._button(gui, "accept", labelling.accept)
        gui.SameLine()
        gui.SetNextItemWidth(NARROW)
        _, labelling.sure = gui.SliderFloat("sure", labelling.sure, 0.0, 1.0, "%.2f")
        gui.TextWrapped(labelling.told_of_sure())
        self._files(gui)

    def draw_keys(self, gui: Any) -> None:
        """What the keys do, below the parts."""
        if gui.TreeNode("keys"):
            for keys, does in TOLD:
                gui.TextWrapped(f"{keys}: {does}")
            gui.TreePop()

    def _files(self, gui: Any) -> None:
        labelling = self.labelling
        self._button(gui, "save", labelling.save)
        gui.SameLine()
        gui.SetNextItemWidth(-1.0)
        typed, text = gui.InputText("##file", labelling.path)
        if typed:
            labelling.path = text
        if gui.IsItemHovered():
            gui.SetTooltip(labelling.path)
        if labelling.can_go_on:
            self._button(gui, "go on with what was not saved", labelling.go_on)

    def _button(self, gui: Any, words: str, act: Callable[[], Any]) -> None:
        if gui.Button(words):
            self._act(act)

    def _act(self, act: Callable[[], Any]) -> None:
        attempt(self.labelling, act)
        self.changed()


def attempt(labelling: Labelling, act: Callable[[], Any]) -> None:
    """Do what a button or a key asks for; where the input does not allow it, say so."""
    try:
        labelling.message = ""
        act()
    except InputError as error:
        labelling.message = str(error)
