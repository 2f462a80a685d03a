"""The brush's ring on the surface, where the mouse is."""

from __future__ import annotations

import time

from meshtide.viewer.state.labelling import Labelling
from meshtide.viewer.state.ring import Ring
from meshtide.viewer.window.stage import Stage

CURSOR = "brush"
COLOURS = {"brush": (0.05, 0.05, 0.05), "erase": (0.8, 0.1, 0.1)}
PATIENCE = 4.0  # so many times as long as finding what is under the pointer takes, it is not looked for again


class BrushCursor:
    """Follows the mouse while one paints; the fill has no size and no ring."""

    def __init__(self, stage: Stage, labelling: Labelling) -> None:
        self.stage, self.labelling = stage, labelling
        self._ring: Ring | None = None
        self._last: tuple[object, ...] | None = None
        self._wait_until = 0.0

    def follow(self, place: tuple[float, ...] | None) -> None:
        """Put the ring where the mouse is, or take it away where it is over no surface."""
        labelling = self.labelling
        if place is None or not labelling.active or labelling.tool not in COLOURS:
            return self._hide()
        now = (place, labelling.tool, labelling.share, self.stage.scene.index)
        began = time.monotonic()
        if now == self._last or began < self._wait_until:
            return None
        hit = self.stage.hit((place[0], place[1]))
        self._wait_until = began + (1 + PATIENCE) * (time.monotonic() - began)
        if hit is None:
            return self._hide()
        self._last = now
        mesh = self.stage.scene.mesh
        if self._ring is None or self._ring.mesh is not mesh:
            self._ring = Ring(mesh)
        points = self._ring.around(hit[0], labelling.radius)
        self.stage.polyscope.register_curve_network(
            CURSOR, points, "loop", color=COLOURS[labelling.tool], radius=0.0015, material="flat"
        )
        return None

    def _hide(self) -> None:
        if self._last is not None:
            self.stage.polyscope.remove_curve_network(CURSOR, error_if_absent=False)
        self._last = None
