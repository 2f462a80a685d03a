"""A scene drawn by polyscope: the shown mesh in the colours of its mode, the truth beside it, the selected vertex."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from meshtide.arrays import FloatArray
from meshtide.labels.colours import part_colours
from meshtide.mesh.measure import unit_box
from meshtide.mesh.topology import used_vertices
from meshtide.output.pictures.camera import best_view
from meshtide.output.pictures.upright import Upright, upright
from meshtide.viewer.state.drawing import Drawing
from meshtide.viewer.state.framing import Camera, directions, framed, pixels, turned
from meshtide.viewer.state.layers import Layer, LegendEntry, parts_layer, truth_only
from meshtide.viewer.state.scene import Scene
from meshtide.viewer.window.material import MATERIAL, as_light

MESH, TRUTH, MARK, LINE = "mesh", "truth", "selected vertex", "line"
GAP = 1.15  # widths between a prediction and the truth beside it
PANEL_WIDTH, PANEL_EDGE = 360.0, 10.0  # pixels of the panel on the left, and around it


class Stage:
    """Draws a scene; call `refresh` when something changed."""

    def __init__(
        self, polyscope: Any, scene: Scene, *, beside: bool = True, up: str = "auto", panel: bool = False
    ) -> None:
        self.polyscope, self.scene, self.beside, self.up, self.panel = polyscope, scene, beside, up, panel
        self._guessed: tuple[int, Upright] | None = None  # which axis points up, and of which mesh
        self._offset: FloatArray = np.zeros(3)  # of the truth
        self._drawing: Drawing | None = None  # of the shown mesh
        self._beside: Drawing | None = None  # of the truth
        self._shown: tuple[int, bool] | None = None  # which mesh, and whether its truth beside it
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
        seen = scene.visible_faces() if hides else np.ones(len(scene.mesh.faces), dtype=bool)
        layer, result = scene.layer(), scene.outlined_result
        self.legend = layer.legend
        self._beside = Drawing.plain(scene.mesh, seen)
        self._drawing = self._beside if result is None else Drawing.outlined(result, seen)
        self._draw(MESH, self._drawing, layer, np.zeros(3))
        if self.shows_truth:
            self.legend += truth_only(layer.legend, self._truth_layer().legend)
        if not self.shows_truth:
            self.polyscope.remove_surface_mesh(TRUTH, error_if_absent=False)
        else:
            self._draw(TRUTH, self._beside, self._truth_layer(), self._offset)
        self._mark()
        shown = scene.index, self.shows_truth
        if self._shown != shown:
            self._shown = shown
            self.look(*best_view(self.scene.mesh, up=self.up_axis))

    def look(self, azimuth: float, elevation: float) -> None:
        """Turn the camera around the scene, in degrees, and bring all of it into view."""
        mesh = self.scene.mesh
        points = mesh.vertices[used_vertices(mesh.faces, len(mesh.vertices))]
        up = self.up_axis
        self.polyscope.set_up_dir(f"{up}_up")
        shown = points
        if self.shows_truth:  # on the right as seen from here
            aside = directions(azimuth, elevation, up)[0]
            self._offset = GAP * float(np.ptp(points @ aside)) * aside
            if self._beside is not None:
                self._draw(TRUTH, self._beside, self._truth_layer(), self._offset)
            shown = np.concatenate([points, points + self._offset])
        size = tuple(self.polyscope.get_window_size())
        covered = PANEL_WIDTH + 2 * PANEL_EDGE if self.panel else 0.0
        camera = framed(shown, azimuth, elevation, up, (size[0], size[1]), covered)
        self.polyscope.look_at_dir(camera.eye, camera.target, camera.up)

    @property
    def up_axis(self) -> Literal["y", "z"]:
        """The axis that points up, "y" or "z"."""
        if self.up in ("y", "z"):
            return "y" if self.up == "y" else "z"
        return self._guess().axis

    def captions(self) -> list[tuple[str, tuple[float, float]]]:
        """What stands where, as words and the pixel in the middle below each shape; nothing for a shape alone."""
        if not self.shows_truth:
            return []
        corners, camera, opening = self._corners(), *self._camera()
        width, height = self.polyscope.get_window_size()
        found = []
        for words, offset in ((self.scene.mode, np.zeros(3)), ("truth", self._offset)):
            places = pixels(corners + offset, camera, (width, height), opening)
            if np.isfinite(places).all():
                found.append((words, (float(places[:, 0].mean()), float(places[:, 1].max()))))
        return found

    def turn(self, across: float, down: float) -> None:
        """Turn what is shown by a drag of so many pixels."""
        corners, (camera, _), height = self._corners(), self._camera(), self.polyscope.get_window_size()[1]
        pivot = corners.mean(axis=0) + (self._offset / 2 if self.shows_truth else 0.0)
        sky = np.array([0.0, 1.0, 0.0] if self.up_axis == "y" else [0.0, 0.0, 1.0])
        new = turned(camera, pivot, sky, across / height, down / height)
        self.polyscope.look_at_dir(new.eye, new.target, new.up)

    def _camera(self) -> tuple[Camera, float]:
        """Where the camera is now, and what it sees from its lower edge to its upper one, in degrees."""
        seen = self.polyscope.get_view_camera_parameters()
        eye = np.asarray(seen.get_position())
        ahead, up, right = (np.asarray(each()) for each in (seen.get_look_dir, seen.get_up_dir, seen.get_right_dir))
        return Camera(eye, eye + ahead, up, right), seen.get_fov_vertical_deg()

    def _corners(self) -> FloatArray:
        """The corners of the box around the shown mesh, (8, 3)."""
        mesh = self.scene.mesh
        points = mesh.vertices[used_vertices(mesh.faces, len(mesh.vertices))]
        corners = np.stack(np.meshgrid(*np.stack([points.min(axis=0), points.max(axis=0)], axis=1)), axis=-1)
        return np.asarray(corners.reshape(8, 3))

    def told_of_up(self) -> str:
        """Which axis points up, and why it is thought so."""
        if self.up == "auto":
            guess = self._guess()
            return f"{guess.axis} points up: {guess.why}; U changes it"
        return f"{self.up_axis} points up, as it was told; U changes it"

    def _guess(self) -> Upright:
        if self._guessed is None or self._guessed[0] != self.scene.index:
            self._guessed = (
                self.scene.index,
                upright(unit_box(self.scene.mesh.vertices, self.scene.mesh.faces), self.scene.mesh.faces),
            )
        return self._guessed[1]

    def turn_over(self) -> None:
        """Let the other axis point up: a guess may be wrong."""
        self.up = "z" if self.up_axis == "y" else "y"
        self.look(*best_view(self.scene.mesh, up=self.up_axis))

    def vertex_at(self, place: tuple[float, float]) -> int | None:
        """The vertex of the shown mesh nearest to what is under a pixel, or None."""
        hit = self.hit(place)
        return None if hit is None else hit[0]

    def hit(self, place: tuple[float, float]) -> tuple[int, int | None] | None:
        """The nearest vertex and, where one is known, the face of the shown mesh under a pixel; None beside it."""
        found = self.polyscope.pick(screen_coords=place)
        drawing = self._beside if found.structure_name == TRUTH else self._drawing
        if not found.is_hit or found.structure_name not in (MESH, TRUTH) or drawing is None:
            return None
        data = found.structure_data
        if data.get("element_type") == "vertex":
            return int(drawing.vertex_of[int(data["index"])]), None
        if data.get("element_type") != "face":
            return None
        face, corner = int(data["index"]), int(np.argmax(data["bary_coords"]))
        return int(drawing.vertex_of[drawing.faces[face, corner]]), int(drawing.face_of[face])

    def show_line(self, vertices: list[int]) -> None:
        """A line along some vertices, or none."""
        if len(vertices) < 2:
            self.polyscope.remove_curve_network(LINE, error_if_absent=False)
            return
        self.polyscope.register_curve_network(
            LINE, self.scene.mesh.vertices[vertices], "line", color=(0.8, 0.1, 0.1), radius=0.003, material="flat"
        )

    def _draw(self, name: str, drawing: Drawing, layer: Layer, offset: FloatArray) -> None:
        if len(drawing.faces) == 0:
            self.polyscope.remove_surface_mesh(name, error_if_absent=False)
            return
        # Sending a large mesh to the graphics card takes longer than all else; mostly only its colours have changed.
        sent = (self.scene.index, drawing.faces.tobytes(), offset.tobytes())
        if self._sent.get(name) != sent or not self.polyscope.has_surface_mesh(name):
            surface = self.polyscope.register_surface_mesh(
                name, drawing.vertices + offset, drawing.faces, smooth_shade=True, edge_width=0.0
            )
            surface.set_material(MATERIAL)
            self._sent[name] = sent
        surface = self.polyscope.get_surface_mesh(name)
        surface.add_color_quantity("shown", as_light(drawing.colours(layer)), defined_on=layer.on, enabled=True)

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
