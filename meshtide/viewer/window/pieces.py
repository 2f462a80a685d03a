"""The part of the panel that puts the chosen piece right."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from meshtide.viewer.state.editing import Editing

WIDTH = 130.0  # pixels of a name


class PiecesPanel:
    """A name for the chosen piece, what to do with it, and where changed pieces go."""

    def __init__(self, editing: Editing, edit: Callable[[Callable[[], Any]], None]) -> None:
        self.editing, self.edit = editing, edit

    def draw(self, gui: Any) -> None:
        """The buttons, while a piece is chosen or one was changed."""
        editing = self.editing
        if editing.scene.pieces.chosen is not None:
            gui.SetNextItemWidth(WIDTH)
            entered, editing.name = gui.InputText("##piece", editing.name, gui.ImGuiInputTextFlags_EnterReturnsTrue)
            gui.SameLine()
            if gui.Button("rename") or entered:
                self.edit(partial(editing.rename, editing.name))
            for what in ("merge", "split"):
                gui.SameLine()
                if gui.Button(f"{what} …" if editing.waiting == what else what):
                    self.edit(partial(editing.wait_for, what))
        if editing.can_undo:
            if gui.Button("undo##piece"):
                self.edit(editing.undo)
            gui.SameLine()
            if gui.Button("save pieces"):
                self.edit(editing.save)
            gui.SameLine()
            gui.SetNextItemWidth(-1.0)
            typed, text = gui.InputText("##pieces", editing.path)
            if typed:
                editing.path = text
