"""A picture of a coloured mesh, made with numpy alone."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from meshtide.arrays import FloatArray, IntArray
from meshtide.errors import InputError
from meshtide.labels.labels import Element
from meshtide.mesh.cutting import Cut
from meshtide.mesh.measure import unit
from meshtide.mesh.mesh import Mesh
from meshtide.output.pictures.camera import Lens, Projection, Up, View, project
from meshtide.output.pictures.paint import BACKGROUND, Image, Paint, as_image, paint_of, rgb
from meshtide.output.pictures.raster import Singles, corner_weights, nearest_faces
from meshtide.output.pictures.shading import EMPTY, corner_normals, cut_normals, gloss, light, openness, to_linear

LARGEST = 4096  # pixels of a side
MANY = 400_000  # pixels of a picture that is sampled less densely
AT_ONCE = 250_000  # samples that are shaded at a time


def render(
    mesh: Mesh,
    colours: Any,
    *,
    size: tuple[int, int] = (400, 400),
    view: View = "three-quarter",
    up: Up = "auto",
    background: Any = BACKGROUND,
    on: Element | None = None,
    lens: Lens = "perspective",
    margin: float = 0.05,
    cut: Cut | None = None,
) -> Image:
    """Draw a mesh, lit, centred and filling the picture up to a margin, as bytes (height, width, 3).

    `colours` is one colour, or one for each face (crisp borders) or each vertex (blended): "#rrggbb", or red, green and
    blue as bytes or as fractions; `on` says which where a mesh has equally many of both. `size` is (width, height).
    `view` is front, side, three-quarter, back, top or best (see `best_view`), or (azimuth, elevation) in degrees. Faces
    are lit from both sides. `cut` says how the mesh was made from another: the light falls as it does on that one.
    """
    _check_picture(size, margin)
    paint = paint_of(mesh, colours, on)
    ground = to_linear(rgb(background).reshape(3) / 255)
    finer = 3 if size[0] * size[1] <= MANY else 2
    projection = project(mesh, view, up, lens, (finer * size[0], finer * size[1]), margin)
    scene = Scene(mesh.faces, projection, finer, cut)
    # Samples are averaged as light, which is how an eye would mix them.
    return as_image(_averaged(_samples(scene, paint, ground), size, finer))


@dataclass(frozen=True, eq=False)
class Scene:
    """A mesh in front of the viewer, several samples to a pixel."""

    faces: IntArray  # (F, 3)
    projection: Projection
    finer: int  # samples of a pixel, in each direction
    cut: Cut | None = None  # how the mesh came from one whose normals it has

    @cached_property
    def shown(self) -> IntArray:
        """The face that each sample shows, (rows, columns), -1 for none."""
        return nearest_faces(self.projection.places, self.faces, self.projection.size)

    @cached_property
    def normals(self) -> Singles:
        """A normal for each corner of each face, (F, 3, 3), towards the side that is seen."""
        (ux, uy), (vx, vy) = (self._side(1).T, self._side(2).T)
        # Counter-clockwise is the front; rows count downwards.
        seen = np.where(ux * vy - uy * vx > 0, -1.0, 1.0)
        turned = self.projection.turned
        normals = corner_normals(turned, self.faces) if self.cut is None else cut_normals(turned, self.cut)
        return (normals * seen[:, None, None]).astype(np.float32)

    @cached_property
    def open(self) -> Singles:
        """How much of the sky the middle sample of each pixel sees, (height, width)."""
        middle = slice(self.finer // 2, None, self.finer)
        shown = self.shown[middle, middle]
        here = shown >= 0
        rows, columns = self.finer * np.argwhere(here).T + self.finer // 2
        faces, weights = self.at(rows * self.shown.shape[1] + columns)
        heights = np.full(shown.shape, EMPTY, dtype=np.float32)
        normals = np.zeros((*shown.shape, 3), dtype=np.float32)
        depths = np.einsum("pc,pc->p", weights, self.projection.places[self.faces[faces], 2])
        heights[here] = -depths * self.projection.scale / self.finer
        normals[here] = self._smooth(faces, weights)
        return openness(heights, normals)

    def at(self, pixels: IntArray) -> tuple[IntArray, Singles]:
        """The face at each sample (P,), and the weights of its corners (P, 3)."""
        rows, columns = np.divmod(pixels, self.shown.shape[1])
        faces = self.shown.ravel()[pixels]
        return faces, corner_weights(self.projection.places[self.faces[faces]], columns + 0.5, rows + 0.5)

    def lit(self, colours: Singles, pixels: IntArray, faces: IntArray, weights: Singles) -> Singles:
        """Colours (P, 3) of samples under the lamps."""
        rows, columns = np.divmod(pixels, self.shown.shape[1])
        normals, open_ = self._smooth(faces, weights), self.open[rows // self.finer, columns // self.finer]
        return np.asarray(colours * light(normals, open_)[:, None] + (gloss(normals) * open_)[:, None])

    def _smooth(self, faces: IntArray, weights: Singles) -> Singles:
        normals = np.einsum("pc,pcx->px", weights, self.normals[faces])
        # At the outline of a coarse mesh smooth normals can turn away from the viewer, faces cannot.
        normals[:, 2] = np.maximum(normals[:, 2], 0.02)
        return unit(normals)

    def _side(self, corner: int) -> FloatArray:
        places = self.projection.places[:, :2]
        return np.asarray(places[self.faces[:, corner]] - places[self.faces[:, 0]])


def _samples(scene: Scene, paint: Paint, ground: FloatArray) -> Singles:
    """The light of all samples, (rows * columns, 3)."""
    canvas = np.empty((scene.shown.size, 3), dtype=np.float32)
    canvas[:] = ground
    seen = np.flatnonzero(scene.shown.ravel() >= 0)
    for start in range(0, len(seen), AT_ONCE):
        pixels = seen[start : start + AT_ONCE]
        faces, weights = scene.at(pixels)
        canvas[pixels] = scene.lit(paint.at(faces, weights), pixels, faces, weights)
    return canvas


def _averaged(canvas: Singles, size: tuple[int, int], finer: int) -> Singles:
    """The mean of the samples of each pixel, (height, width, 3); adding slices is many times faster than `mean`."""
    grid = canvas.reshape(size[1], finer, size[0], finer, 3)
    rows = np.add.reduce([grid[:, row] for row in range(finer)])
    return np.asarray(np.add.reduce([rows[:, :, column] for column in range(finer)]) / np.float32(finer**2))


def _check_picture(size: tuple[int, int], margin: float) -> None:
    if not all(1 <= side <= LARGEST for side in size):
        raise InputError(f"a picture of {size[0]} x {size[1]} pixels cannot be made; sides are 1 to {LARGEST:,}")
    if not 0 <= margin < 0.5:
        raise InputError(f"a margin of {margin} leaves no room; give a share of the picture below 0.5")
