"""A hand at the viewer's window: moves the mouse, clicks, drags and types, as the system would tell the window.

Whatever it does goes through the window's queue of events, frame by frame, so that the panel's buttons, the keys and
the picking under a pixel are all taken part in. It needs a screen, Xvfb's for instance.
"""

from __future__ import annotations

from typing import Any

from meshtide.viewer.window.stage import PANEL_EDGE, PANEL_WIDTH
from meshtide.viewer.window.window import Window

Place = tuple[float, float]
WIDGETS = ("Button", "RadioButton", "Checkbox", "InputText", "CollapsingHeader", "Selectable", "ArrowButton")


class Watched:
    """The drawing library, which remembers where each widget was drawn last."""

    def __init__(self, gui: Any) -> None:
        self._gui = gui
        self.places: dict[str, Place] = {}

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._gui, name)
        if name not in WIDGETS:
            return found

        def draw(words: str, *rest: Any) -> Any:
            answer = found(words, *rest)
            low, high = self._gui.GetItemRectMin(), self._gui.GetItemRectMax()
            # Near its left end: a checkbox and a radio button have their words beside them.
            self.places[words] = (low[0] + min(8.0, (high[0] - low[0]) / 2), (low[1] + high[1]) / 2)
            return answer

        return draw


class Hand:
    """Counts what it does: presses of the mouse, turns of the shape, keys, and words that are typed."""

    def __init__(self, window: Window, size: tuple[int, int] = (1280, 720)) -> None:
        self.window, self.size = window, size
        self.gui = Watched(window.gui)
        window.gui = self.gui  # type: ignore[assignment]  # it has all that the module has
        self.clicks = self.turns = self.keys = self.words = 0
        window.polyscope.set_SSAA_factor(1)  # a processor that draws takes four times as long for smooth edges
        window.polyscope.set_frame_tick_limit_fps_mode("ignore_limits")  # every tick is a frame, however soon it comes
        window.polyscope.set_window_size(*size)
        window.polyscope.set_user_callback(window.frame)
        window.stage.refresh()
        self.wait(3)

    @property
    def io(self) -> Any:
        return self.gui.GetIO()

    def wait(self, frames: int = 1) -> None:
        """Let the window draw."""
        for _ in range(frames):
            self.window.polyscope.frame_tick()

    def click(self, place: Place) -> None:
        """One click."""
        self.clicks += 1
        self._drag(place, place)

    def press_widget(self, words: str) -> None:
        """Click on a button, a box or a field of the panel."""
        self.click(self.gui.places[words])

    def stroke(self, places: list[Place]) -> None:
        """Draw along a line with the button held."""
        self.clicks += 1
        self._drag(*places)

    def turn(self, across: float, down: float = 0.0) -> None:
        """Turn the shape by so many pixels; while one paints that needs the shift key."""
        self.turns += 1
        middle = (PANEL_WIDTH + PANEL_EDGE + self.size[0]) / 2, self.size[1] / 2
        if self.window.labelling.active:
            self._key("ModShift", True)
        steps = [(middle[0] + across * k / 6, middle[1] + down * k / 6) for k in range(7)]
        self._drag(*steps)
        if self.window.labelling.active:
            self._key("ModShift", False)

    def key(self, name: str, *, control: bool = False) -> None:
        """Press a key, by the name that Dear ImGui has for it."""
        self.keys += 1
        if control:
            self._key("ModCtrl", True)
        self._key(name, True)
        self._key(name, False)
        if control:
            self._key("ModCtrl", False)

    def type(self, text: str) -> None:
        """Type a word where the cursor is, and press Enter."""
        self.words += 1
        self.io.AddInputCharactersUTF8(text)
        self.wait()
        self._key("Enter", True)
        self._key("Enter", False)

    def _key(self, name: str, down: bool) -> None:
        wanted = f"ImGuiKey_{name}"
        key = getattr(self.gui, wanted, None)
        self.io.AddKeyEvent(getattr(self.gui, f"ImGuiMod_{name[3:]}") if key is None else key, down)
        self.wait()

    def _drag(self, *places: Place) -> None:
        self.io.AddMousePosEvent(*places[0])
        self.wait()
        self.io.AddMouseButtonEvent(0, True)
        self.wait()
        for place in places[1:]:
            self.io.AddMousePosEvent(*place)
            self.wait(1)
        self.io.AddMouseButtonEvent(0, False)
        self.wait()
