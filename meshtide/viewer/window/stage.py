"""A scene drawn by polyscope: the shown mesh in the colours of its mode, the truth beside it, the selected vertex."""

from __future__ import annotations

from typing import Any

import numpy as np

from meshtide.arrays import FloatArray, IntArray
from meshtide.labels.colours import part_colours
from meshtide.mesh.topology import used_vertices
from meshtide.output.pictures.camera import guess_up
from meshtide.viewer.state.layers import Layer, LegendEntry, parts_layer
from meshtide.viewer.state.scene import Scene

MESH, TRUTH, MARK = "mesh", "truth", "selected vertex"
GAP = 1.15  # widths between a prediction and the truth beside it
START = (30.0, 15.0)  # degrees around and above
DISTANCE = 2.2  # of the camera, in half diagonals of what is shown


class Stage:
    """Draws a scene; call `refresh` when something changed."""

    def __init__(self, polyscope: Any, scene: Scene, *, beside: bool = True, up: str = "auto") -> None:
        self.polyscope, self.scene, self.beside, self.up = polyscope, scene, beside, up
        self._offset: FloatArray = np.zeros(3)  # of the truth
        self._visible: IntArray = np.zeros(0, dtype=np.int64)
        self._shown: int | None = None
        self.legend: tuple[LegendEntry, ...] = ()  # of what is drawn
        self._sent: dict[str, tuple[int, bytes, bytes]] = {}  # what polyscope has of each mesh: which, faces, offset

    @property
    def shows_truth(self) -> bool:
        """Whether the truth stands beside what the model says."""
        return self.beside and self.scene.item.truth is not None and self.scene.mode in ("prediction", "confidence")

    def refresh(self) -> None:
        """Draw the scene as it is now; a mesh that was not shown before is brought into view."""
        scene = self.scene
        hides = bool(scene.choices.hidden)  # finding the part of every face takes a while on a large mesh
        self._visible = np.flatnonzero(scene.visible_faces()) if hides else np.arange(len(scene.mesh.faces))
        layer = scene.layer()
        self.legend = layer.legend
        self._draw(MESH, layer, np.zeros(3))
        if not self.shows_truth:
            self.polyscope.remove_surface_mesh(TRUTH, error_if_absent=False)
        else:
            self._draw(TRUTH, self._truth_layer(), self._offset)
        self._mark()
        if self._shown != scene.index:
            self._shown = scene.index
            self.look(*START)

    def look(self, azimuth: float, elevation: float) -> None:
        """Turn the camera around the scene, in degrees, and bring all of it into view."""
        mesh = self.scene.mesh
        points = mesh.vertices[used_vertices(mesh.faces, len(mesh.vertices))]
        up = self.up_axis
        self.polyscope.set_up_dir(f"{up}_up")
        across, rise = np.radians(azimuth), np.radians(elevation)
        front, right = np.array([np.sin(across), np.cos(across)]) * np.cos(rise), (np.cos(across), np.sin(across))
        towards, aside = (
            (np.array([front[0], np.sin(rise), front[1]]), np.array([right[0], 0.0, -right[1]]))
            if up == "y"
            else (np.array([front[0], -front[1], np.sin(rise)]), np.array([right[0], right[1], 0.0]))
        )
        low, high = points.min(axis=0), points.max(axis=0)
        middle, reach = (low + high) / 2, float(np.linalg.norm(high - low)) / 2 or 1.0
        if self.shows_truth:  # on the right as seen from here
            self._offset = GAP * float(np.ptp(points @ aside)) * aside
            self._draw(TRUTH, self._truth_layer(), self._offset)
            middle, reach = middle + self._offset / 2, reach + float(np.linalg.norm(self._offset)) / 3
        self.polyscope.look_at(middle + DISTANCE * reach * towards, middle)

    @property
    def up_axis(self) -> str:
        """The axis that points up, "y" or "z"."""
        return guess_up(self.scene.mesh.vertices, self.scene.mesh.faces) if self.up == "auto" else self.up

    def turn_over(self) -> None:
        """Let the other axis point up: a guess may be wrong."""
        self.up = "z" if self.up_axis == "y" else "y"
        self.look(*START)

    def vertex_at(self, place: tuple[float, float]) -> int | None:
        """The vertex of the shown mesh nearest to what is under a pixel, or None."""
        hit = self.hit(place)
        return None if hit is None else hit[0]

    def hit(self, place: tuple[float, float]) -> tuple[int, int | None] | None:
        """The nearest vertex and, where one is known, the face of the shown mesh under a pixel; None beside it."""
        found = self.polyscope.pick(screen_coords=place)
        if not found.is_hit or found.structure_name not in (MESH, TRUTH):
            return None
        data = found.structure_data
        if data.get("element_type") == "vertex":
            return int(data["index"]), None
        if data.get("element_type") != "face":
            return None
        face, corner = int(self._visible[int(data["index"])]), int(np.argmax(data["bary_coords"]))
        return int(self.scene.mesh.faces[face, corner]), face

    def _draw(self, name: str, layer: Layer, offset: FloatArray) -> None:
        mesh = self.scene.mesh
        if len(self._visible) == 0:
            self.polyscope.remove_surface_mesh(name, error_if_absent=False)
            return
        # Sending a large mesh to the graphics card takes longer than all else; mostly only its colours have changed.
        sent = (self.scene.index, self._visible.tobytes(), offset.tobytes())
        if self._sent.get(name) != sent or not self.polyscope.has_surface_mesh(name):
            surface = self.polyscope.register_surface_mesh(
                name, mesh.vertices + offset, mesh.faces[self._visible], smooth_shade=True, edge_width=0.0
            )
            surface.set_material("clay")
            self._sent[name] = sent
        surface = self.polyscope.get_surface_mesh(name)
        colours = layer.colours[self._visible] if layer.on == "faces" else layer.colours
        surface.add_color_quantity("shown", colours, defined_on=layer.on, enabled=True)

    def _truth_layer(self) -> Layer:
        truth = self.scene.item.truth
        if truth is None:
            raise ValueError("there is no truth to draw")
        pairs = zip(truth.names, part_colours(truth.names), strict=True)
        return parts_layer(self.scene.item, truth, [self.scene.tools.colours.get(name, own) for name, own in pairs])

    def _mark(self) -> None:
        self.polyscope.remove_point_cloud(MARK, error_if_absent=False)
        if self.scene.selected is not None:
            point = self.scene.mesh.vertices[[self.scene.selected]]
            cloud = self.polyscope.register_point_cloud(MARK, point, color=(0.9, 0.1, 0.1), radius=0.006)
            cloud.set_material("flat")
