"""The part of the panel that lists parts and their instances: choose one, hide one, see one alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from meshtide.inference.instances import Instance
from meshtide.viewer.state.layers import LegendEntry
from meshtide.viewer.state.pieces import describe
from meshtide.viewer.window.stage import Stage

HIDEABLE = ("prediction", "instances", "truth", "painting", "proposal")  # modes whose legend has parts
MOST_LINES = 12  # of the list; more are scrolled through


class PartsPanel:
    """The legend of what is drawn, with a box to show or hide each line."""

    def __init__(self, stage: Stage, changed: Callable[[], None]) -> None:
        self.stage, self.scene, self.changed = stage, stage.scene, changed
        self.opened: set[str] = set()  # parts whose instances are listed

    def choose(self, instance: int | None) -> None:
        """Choose an instance, or let go of the one that is chosen already."""
        pieces = self.scene.pieces
        pieces.choose(None if pieces.chosen == instance else instance)
        self.changed()

    def reveal(self) -> None:
        """List the instances of the part that the chosen one belongs to."""
        pieces = self.scene.pieces
        if pieces.chosen is not None and len(pieces.of(pieces.all[pieces.chosen].part)) > 1:
            self.opened.add(pieces.all[pieces.chosen].part)

    def toggle(self, name: str) -> None:
        """Hide a part or an instance, or show it again."""
        self.scene.toggle(name)
        self.changed()

    def only(self, name: str | None) -> None:
        """Show one part or one instance alone, or all."""
        self.scene.only(name)
        self.changed()

    def draw(self, gui: Any) -> None:
        """The chosen instance, and the list."""
        self._chosen(gui)
        opened = self.opened if self.scene.mode == "prediction" else ()
        lines = len(self.stage.legend) + sum(len(self.scene.pieces.of(part)) for part in opened)
        gui.BeginChild("parts", (0.0, gui.GetFrameHeightWithSpacing() * min(max(lines, 1), MOST_LINES)))
        try:
            for number, entry in enumerate(self.stage.legend):
                self._line(gui, number, entry)
        finally:
            gui.EndChild()
        if self.scene.choices.hidden and gui.Button("show all"):
            self.only(None)

    def _chosen(self, gui: Any) -> None:
        pieces = self.scene.pieces
        if pieces.chosen is None:
            return
        name = pieces.all[pieces.chosen].name
        gui.TextWrapped(pieces.told())
        if gui.Button("show##chosen" if name in self.scene.choices.hidden else "hide##chosen"):
            self.toggle(name)
        gui.SameLine()
        if gui.Button("only this##chosen"):
            self.only(name)
        gui.SameLine()
        if gui.Button("let go##chosen"):
            self.choose(None)
        gui.Separator()

    def _line(self, gui: Any, number: int, entry: LegendEntry) -> None:
        _patch(gui, f"colour{number}", entry.colour)
        words = _plain(entry.name if entry.share is None else f"{entry.name}  {entry.share:.1%}")
        mode = self.scene.mode
        if mode not in HIDEABLE:
            gui.TextUnformatted(words)
            return
        self._box(gui, f"box{number}", entry.name)
        own = self.scene.pieces.of(entry.name) if mode == "prediction" else ()
        if mode == "instances":
            index = next((index for index, each in enumerate(self.scene.pieces.all) if each.name == entry.name), None)
            self._choice(gui, f"{words}##line{number}", index)
        elif len(own) < 2:
            self._choice(gui, f"{words}##line{number}", own[0][0] if own else None)
        else:
            self._opener(gui, f"{words}  (x{len(own)})##line{number}", entry.name, own)

    def _opener(self, gui: Any, words: str, part: str, own: tuple[tuple[int, Instance], ...]) -> None:
        """A part of several instances, which opens to them."""
        is_open = part in self.opened
        pressed = gui.ArrowButton(f"##open{words}", gui.ImGuiDir_Down if is_open else gui.ImGuiDir_Right)
        gui.SameLine()
        if gui.Selectable(words, False) or pressed:
            self.opened ^= {part}
        if not is_open:
            return
        gui.Indent(24.0)
        for index, instance in own:
            self._box(gui, f"piece{index}", instance.name)
            self._choice(gui, f"{_plain(describe(instance))}##piece{index}", index)
        gui.Unindent(24.0)

    def _choice(self, gui: Any, words: str, index: int | None) -> None:
        """Words that choose an instance when they are clicked on."""
        if index is None:
            gui.TextUnformatted(words.partition("##")[0])
        elif gui.Selectable(words, self.scene.pieces.chosen == index):
            self.choose(index)

    def _box(self, gui: Any, key: str, name: str) -> None:
        """A tick where something is shown."""
        changed, _ = gui.Checkbox(f"##{key}", name not in self.scene.choices.hidden)
        if changed:
            self.toggle(name)
        gui.SameLine()


def _plain(words: str) -> str:
    """A stranger's words: what follows two of these signs would be taken for a key and not shown."""
    return words.replace("##", "# #")


def _patch(gui: Any, key: str, colour: str) -> None:
    parts = tuple(int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    gui.ColorButton(f"##{key}", (*parts, 1.0))
    gui.SameLine()
