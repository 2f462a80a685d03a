"""The part of the panel that lists parts and their instances: choose one, hide one, see one alone, paint with one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from meshtide.inference.instances import Instance
from meshtide.viewer.state.labelling import Labelling
from meshtide.viewer.state.pieces import describe
from meshtide.viewer.state.rows import Row, rows
from meshtide.viewer.window.labelling import attempt
from meshtide.viewer.window.stage import Stage
from meshtide.words import shown

COLUMNS = (("paint", 40.0), ("see", 26.0), ("", 24.0), ("part", 0.0), ("area", 52.0))  # 0 takes what is left
MOST_NUMBERS = 9  # parts that a key chooses


class PartsPanel:
    """Every part in one row: its brush while one labels, whether it is seen, its colour, its name and its share."""

    def __init__(self, stage: Stage, labelling: Labelling, changed: Callable[[], None]) -> None:
        self.stage, self.scene, self.labelling, self.changed = stage, stage.scene, labelling, changed
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

    def draw(self, gui: Any, *, labelling: bool) -> None:
        """The list; `labelling` says whether parts are painted with."""
        columns = COLUMNS if labelling else COLUMNS[1:]
        flags = gui.ImGuiTableFlags_SizingFixedFit | gui.ImGuiTableFlags_RowBg | gui.ImGuiTableFlags_NoSavedSettings
        if gui.BeginTable("parts", len(columns), flags):
            try:
                for words, width in columns:
                    stretch = gui.ImGuiTableColumnFlags_WidthStretch
                    gui.TableSetupColumn(words, 0 if width else stretch, width)
                gui.TableHeadersRow()
                for number, row in enumerate(rows(self.scene, self.stage.legend, labelling=labelling)):
                    self._row(gui, number, row, labelling)
            finally:
                gui.EndTable()
        if self.scene.choices.hidden and gui.Button("show all"):
            self.only(None)

    def _row(self, gui: Any, number: int, row: Row, labelling: bool) -> None:
        gui.TableNextRow()
        if labelling:
            gui.TableNextColumn()
            self._brush(gui, row.brush)
        gui.TableNextColumn()
        if row.seen is not None:
            self._box(gui, f"box{number}", row.name)
        gui.TableNextColumn()
        _patch(gui, f"colour{number}", row.colour)
        gui.TableNextColumn()
        words = f"{_plain(row.name)}##line{number}"
        if self.scene.mode == "prediction" and len(row.pieces) > 1:
            self._opener(gui, words, row.name, row.pieces)
        else:
            self._choice(gui, words, row.pieces[0][0] if row.pieces else None)
        gui.TableNextColumn()
        if row.share is not None:
            gui.TextUnformatted(f"{row.share:.1%}")

    def _brush(self, gui: Any, part: int | None) -> None:
        """Paint with a part; its number is the key that chooses it."""
        if part is None:
            return
        words = f"{part + 1}" if part < MOST_NUMBERS else ""
        if gui.RadioButton(f"{words}##brush{part}", self.labelling.part == part):
            attempt(self.labelling, lambda: self.labelling.choose_part(part))

    def _opener(self, gui: Any, words: str, part: str, own: tuple[tuple[int, Instance], ...]) -> None:
        """A part of several instances, which opens to them."""
        is_open = part in self.opened
        pressed = gui.ArrowButton(f"##open{words}", gui.ImGuiDir_Down if is_open else gui.ImGuiDir_Right)
        gui.SameLine()
        name, _, key = words.partition("##")
        if gui.Selectable(f"{name}  x{len(own)}##{key}", False) or pressed:
            self.opened ^= {part}
        if not is_open:
            return
        for index, instance in own:
            self._box(gui, f"piece{index}", instance.name)
            gui.SameLine()
            self._choice(gui, f"{_plain(instance.name)}  {instance.share:.1%}##piece{index}", index)
            if gui.IsItemHovered():
                gui.SetTooltip(_plain(describe(instance)))

    def draw_chosen(self, gui: Any) -> None:
        """The chosen instance, and what to see of it."""
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


def _plain(words: str) -> str:
    """A stranger's words, cut: what follows two of these signs would be taken for a key and not shown."""
    return shown(words).replace("##", "# #")


def _patch(gui: Any, key: str, colour: str) -> None:
    parts = tuple(int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    gui.ColorButton(f"##{key}", (*parts, 1.0))
