"""Where a mesh is looked at from, and where its vertices come to lie in the picture."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from meshtide.arrays import FloatArray, IntArray
from meshtide.errors import InputError
from meshtide.mesh.measure import unit_box
from meshtide.mesh.mesh import Mesh
from meshtide.mesh.topology import used_vertices
from meshtide.output.pictures.upright import guess_up

Up = Literal["y", "z", "auto"]
Lens = Literal["perspective", "orthographic"]
View = str | tuple[float, float]

# Degrees: how far the viewer has walked to the right around the shape, and how far above its middle.
VIEWS = {
    "front": (0.0, 0.0),
    "side": (90.0, 0.0),
    "three-quarter": (35.0, 15.0),
    "back": (180.0, 0.0),
    "top": (0.0, 90.0),
}
DISTANCE = 3.5  # of the mild perspective, in diagonals of the shape
CANDIDATES = (35.0, -35.0, 55.0, -55.0, 125.0, -125.0, 145.0, -145.0)  # azimuths that show two sides of a shape
ELEVATION = 15.0


@dataclass(frozen=True, eq=False)
class Projection:
    """A mesh as the viewer sees it."""

    places: FloatArray  # (V, 3): column and row in pixels, and a depth that is affine on screen, larger is farther
    turned: FloatArray  # (V, 3): the shape in a box of size one, turned: x to the right, y up, z towards the viewer
    scale: float  # pixels for a length of one of `turned`
    size: tuple[int, int]  # of the picture: width and height in pixels


def project(mesh: Mesh, view: View, up: Up, lens: Lens, size: tuple[int, int], margin: float) -> Projection:
    """Turn, project, centre and scale a mesh so that it fills a picture of (width, height) up to the margin."""
    if lens not in get_args(Lens):
        raise InputError(f"the lens '{lens}' is not known; use one of {', '.join(get_args(Lens))}")
    turned = standing(mesh, up) @ rotation(*(best_view(mesh, up=up) if view == "best" else angles_of(view))).T
    span = np.ptp(turned, axis=0)
    turned -= turned.min(axis=0) + span / 2
    distance = DISTANCE * float(np.linalg.norm(span))
    # Dividing by the distance to the eye keeps planes planes, so that depth may be interpolated on the screen.
    shrink = distance / (distance - turned[:, 2:]) if lens == "perspective" else np.ones((len(turned), 1))
    flat = turned[:, :2] * shrink
    low, high = flat.min(axis=0), flat.max(axis=0)
    room = np.array(size) * (1 - 2 * margin)
    scale = float((room / np.maximum(high - low, 1e-9 * distance)).min())
    places = np.empty_like(turned)
    places[:, :2] = (flat - (low + high) / 2) * [scale, -scale] + np.array(size) / 2
    places[:, 2] = -(turned * shrink)[:, 2]
    return Projection(places, turned, scale, size)


def angles_of(view: View) -> tuple[float, float]:
    """Azimuth and elevation in degrees of a view given by its name or as these two."""
    if isinstance(view, str):
        if view not in VIEWS:
            raise InputError(f"the view '{view}' is not known; use {', '.join(VIEWS)}, best or (azimuth, elevation)")
        return VIEWS[view]
    if len(view) != 2 or not np.isfinite(view).all():
        raise InputError(f"the view {view} is not a direction; give azimuth and elevation in degrees")
    return float(view[0]), float(view[1])


def rotation(azimuth: float, elevation: float) -> FloatArray:
    """The matrix that turns a standing shape (y up, its front towards z) to how the viewer sees it."""
    a, e = np.deg2rad([-azimuth, elevation])
    around = np.array([[np.cos(a), 0, np.sin(a)], [0, 1, 0], [-np.sin(a), 0, np.cos(a)]])
    over = np.array([[1, 0, 0], [0, np.cos(e), -np.sin(e)], [0, np.sin(e), np.cos(e)]])
    return np.asarray(over @ around)


def standing(mesh: Mesh, up: Up) -> FloatArray:
    """The vertices in a box of size one with y up; vertices without a face are put where some other vertex is."""
    used = used_vertices(mesh.faces, len(mesh.vertices))
    vertices = np.where(used[:, None], mesh.vertices, mesh.vertices[mesh.faces[0, 0]])
    points = unit_box(vertices, mesh.faces)
    if up not in get_args(Up):
        raise InputError(f"up is '{up}'; use one of {', '.join(get_args(Up))}")
    if (guess_up(points, mesh.faces) if up == "auto" else up) == "z":
        return np.asarray(points[:, [0, 2, 1]] * [1, 1, -1])
    return points


def best_view(mesh: Mesh, *, up: Up = "auto") -> tuple[float, float]:
    """The azimuth and elevation, out of a few from slightly above, from which most of the shape is seen.

    Views from the front win unless another shows clearly more.
    """
    points = standing(mesh, up)
    shown = [_projected_area(points @ rotation(azimuth, ELEVATION).T, mesh.faces) for azimuth in CANDIDATES]
    best = next(azimuth for azimuth, area in zip(CANDIDATES, shown, strict=True) if area >= 0.95 * max(shown))
    return best, ELEVATION


def _projected_area(turned: FloatArray, faces: IntArray) -> float:
    """Half the area of all faces as seen along z, where nothing hid anything."""
    a, b, c = (turned[faces[:, corner], :2] for corner in range(3))
    (ux, uy), (vx, vy) = (b - a).T, (c - a).T
    return float(np.abs(ux * vy - uy * vx).sum() / 4)
