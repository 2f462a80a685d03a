"""What the keys do, as one table: the window listens by it, the panel shows it, and the documentation repeats it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Shortcut:
    """A key, and what it asks for."""

    act: str
    key: str  # as Dear ImGui calls it, after "ImGuiKey_"
    shown: str  # as people read it
    does: str = ""  # nothing where the line before says it
    control: bool = False
    shift: bool | None = None  # None where it does not matter
    repeats: bool = False  # while it is held


DIGITS = tuple(range(1, 10))
SHORTCUTS = (
    Shortcut(
        "undo",
        "Z",
        "Ctrl+Z",
        "undo the last stroke, accepting, or change of a piece",
        control=True,
        shift=False,
        repeats=True,
    ),
    Shortcut("redo", "Y", "Ctrl+Y", "make it again (also Ctrl+Shift+Z)", control=True, repeats=True),
    Shortcut("redo", "Z", "Ctrl+Shift+Z", control=True, shift=True, repeats=True),
    Shortcut("paint", "B", "B", "take up the brush, or put it down"),
    Shortcut("fill", "F", "F", "fill up to creases"),
    Shortcut("piece", "G", "G", "name whole pieces, one a click"),
    Shortcut("erase", "E", "E", "erase"),
    Shortcut("part 1", "1", "1 to 9", "choose the part with this number"),
    *(Shortcut(f"part {digit}", f"{digit}", f"{digit}") for digit in DIGITS[1:]),
    *(Shortcut(f"part {digit}", f"Keypad{digit}", f"{digit}") for digit in DIGITS),
    Shortcut("smaller", "LeftBracket", "[", "a smaller brush", repeats=True),
    Shortcut("larger", "RightBracket", "]", "a larger brush", repeats=True),
    Shortcut("merge", "M", "M", "merge the chosen piece with the one that is clicked next"),
    Shortcut("split", "X", "X", "split the chosen piece along the line that is drawn next"),
    Shortcut("train", "T", "T", "propose the rest from what is painted"),
    Shortcut("accept", "A", "A", "accept what is proposed"),
    Shortcut("save", "S", "S", "save the labels of this shape (also Ctrl+S)"),
    Shortcut("save", "S", "Ctrl+S", control=True),
    Shortcut("next", "N", "N", "the next shape"),
    Shortcut("previous", "P", "P", "the shape before"),
    Shortcut("up", "U", "U", "let the other axis point up"),
)
TOLD = tuple((each.shown, each.does) for each in SHORTCUTS if each.does)


def asked(was_pressed: Callable[[str, bool], bool], *, control: bool, shift: bool, typing: bool) -> list[str]:
    """What the keys that went down ask for; nothing while a name is typed.

    `was_pressed` says of a key, and whether it repeats while it is held, if it went down.

    >>> asked(lambda key, repeats: key == "Z", control=True, shift=False, typing=False)
    ['undo']
    """
    if typing:
        return []
    return [
        each.act
        for each in SHORTCUTS
        if each.control == control and each.shift in (None, shift) and was_pressed(each.key, each.repeats)
    ]
