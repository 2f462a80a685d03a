"""The part of the panel that belongs to a mode: which time, which eigenfunction, which block and channel."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from meshtide.viewer.state.scene import Scene
from meshtide.viewer.state.support import KINDS

SHORTEST, LONGEST = 1e-4, 1.0  # times of the slider, on a surface of area 1
TIME_BINS = 24  # of the plot of learned times
SWEEP_SECONDS = 4.0  # in which the animation goes from the shortest to the longest
PLOT = (190.0, 50.0)  # pixels


class ModeOptions:
    """Sliders for the numbers of a mode, and the animation over diffusion times."""

    def __init__(self, scene: Scene, changed: Callable[[], None]) -> None:
        self.scene, self.changed = scene, changed
        self.sweep_start: float | None = None

    def draw(self, gui: Any) -> None:
        """The sliders of the mode that is shown; numbers count from 1, as plots and reports do."""
        choices, mode = self.scene.choices, self.scene.mode
        if mode == "hks":
            choices.hks = self._numbered(gui, "time number", choices.hks, len(self.scene.item.graph.mesh_recipe.times))
        elif mode == "eigenfunction":
            most = self.scene.item.graph.num_eigenpairs - 1
            moved, choices.eigenfunction = gui.SliderInt("number", choices.eigenfunction, 0, most)
            if moved:
                self.changed()
        elif mode == "support":
            self._support(gui)

    def animate(self) -> None:
        """Go on with the time that the animation has reached."""
        if self.sweep_start is None or self.scene.mode != "support":
            return
        share = (time.monotonic() - self.sweep_start) / SWEEP_SECONDS % 1.0
        self.scene.choices.time = float(SHORTEST * (LONGEST / SHORTEST) ** share)
        self.changed()

    def told_of_support(self) -> str:
        """How far the shown support reaches; nothing in other modes."""
        scene, choices = self.scene, self.scene.choices
        if scene.selected is None or scene.mode != "support":
            return ""
        support = scene.item.support
        now = choices.time if choices.time is not None else self._learned_time()
        values = support.values(scene.selected, time=now, kind=choices.kind)
        radius = support.radius(scene.selected, values)
        size = float(np.linalg.norm(np.ptp(scene.mesh.vertices, axis=0)))
        return (
            f"vertex {scene.selected:,}, t = {now:.2g}: 90 % of it lies within a distance of {radius:.3g} "
            f"({radius / size:.0%} of the shape's size)"
        )

    def _support(self, gui: Any) -> None:
        choices, spread = self.scene.choices, self.scene.item.support.spread()
        for kind in KINDS:
            if gui.RadioButton(kind, choices.kind == kind):
                choices.kind = kind
                self.changed()
            gui.SameLine()
        gui.NewLine()
        if spread:
            before = choices.block, choices.channel
            choices.block = self._numbered(gui, "block", choices.block, len(spread))
            own = spread[choices.block]
            choices.channel = self._numbered(gui, "channel", choices.channel, len(own))
            if before != (choices.block, choices.channel):
                choices.time = None
            _plot(gui, choices.block, own)
        now = choices.time if choices.time is not None else self._learned_time()
        moved, value = gui.SliderFloat("t", now, SHORTEST, LONGEST, "%.5f", gui.ImGuiSliderFlags_Logarithmic)
        if moved:
            choices.time = value
            self.changed()
        if gui.Button("stop" if self.sweep_start else "animate over t"):
            self.sweep_start = None if self.sweep_start else time.monotonic()
        gui.SameLine()
        if gui.Button("learned time"):
            choices.time, self.sweep_start = None, None
            self.changed()

    def _numbered(self, gui: Any, words: str, index: int, count: int) -> int:
        """A slider from 1 to a count for an index from 0."""
        index = min(max(index, 0), count - 1)
        moved, number = gui.SliderInt(f"{words} (of {count})", index + 1, 1, count)
        if moved:
            self.changed()
        return min(max(int(number) - 1, 0), count - 1)

    def _learned_time(self) -> float:
        support, choices = self.scene.item.support, self.scene.choices
        return support.time(choices.block, choices.channel) if support.spread() else 0.01


def _plot(gui: Any, block: int, times: np.ndarray[Any, Any]) -> None:
    """How often a block's channels learned each time."""
    bins = np.geomspace(SHORTEST, LONGEST, TIME_BINS + 1)
    counts, _ = np.histogram(np.clip(times, SHORTEST, LONGEST), bins)
    words = f"block {block + 1}: t of {len(times)} channels" if len(times) > 1 else f"block {block + 1}: one t for all"
    gui.TextUnformatted(words)
    told = f"{SHORTEST:g} to {LONGEST:g}"
    gui.PlotHistogram("##times", counts.astype(np.float32), 0, told, 0.0, float(counts.max()), PLOT)
