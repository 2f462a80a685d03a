"""Light on a surface: smooth normals, two lamps, a sky, and darkness where the surface folds."""

from __future__ import annotations

import numpy as np

from meshtide.arrays import FloatArray, IntArray
from meshtide.mesh.cutting import Cut
from meshtide.mesh.measure import face_normals, smooth_normals, unit
from meshtide.output.pictures.raster import Singles

# Where the lamps are: x to the right, y up, z towards the viewer.
KEY, FILL = np.array([[-0.55, 0.65, 0.6], [0.8, 0.05, 0.45]], dtype=np.float32)
KEY_LIGHT, FILL_LIGHT, SKY_LIGHT, GROUND_LIGHT = 0.74, 0.2, 0.34, 0.17
WRAP = 0.35  # the sine of how far around
GLOSS, SHARPNESS = 0.07, 24.0  # how bright the key lamp's reflection is, and how small
CREASE = (0.6, 0.75)  # cosines between which an edge goes from sharp to smooth
RIM = 0.25  # how much darker a surface is that turns away
REACH = 0.07  # how far a fold throws its shadow, as a share of the picture
FOLD, BIAS = 3.2, 0.1  # how dark folds are, and how flat they may be without being one
EMPTY = -1e6  # the height of the background


def corner_normals(points: FloatArray, faces: IntArray) -> FloatArray:
    """A normal for each corner of each face, (F, 3, 3): the vertex's, or the face's own beside a crease."""
    smooth, flat = smooth_normals(points, faces)[faces], unit(face_normals(points, faces))  # (F, 3, 3) and (F, 3)
    sharp, round_ = CREASE
    agreement = np.einsum("fcx,fx->fc", smooth, flat)[:, :, None]
    blend = ((agreement - sharp) / (round_ - sharp)).clip(0, 1)
    return unit(blend * smooth + (1 - blend) * flat[:, None])


def cut_normals(points: FloatArray, cut: Cut) -> FloatArray:
    """Corner normals after cutting, (f, 3, 3): those of the surface before, so that a cut is not seen as an edge."""
    before = corner_normals(points[: len(points) - cut.added], cut.old_faces)
    return unit(cut.carried_corners(before))


def light(normals: Singles, openness: Singles) -> Singles:
    """How bright a white surface is, (P,), in linear light; normals (P, 3) point to the viewer's side."""
    key, fill = (_reaching(normals @ unit(lamp)) for lamp in (KEY, FILL))
    sky = GROUND_LIGHT + (SKY_LIGHT - GROUND_LIGHT) * (normals[:, 1] + 1) / 2
    rim = 1 - RIM * np.maximum(1 - normals[:, 2] / 0.4, 0)
    # Folds keep out all of the sky and half of the lamps.
    return np.asarray((sky * openness + (KEY_LIGHT * key + FILL_LIGHT * fill) * (1 + openness) / 2) * rim)


def _reaching(cosines: Singles) -> Singles:
    """The light of a lamp on a surface; it reaches a little around a body, so that no hard line ends it."""
    return np.asarray(np.maximum((cosines + WRAP) / (1 + WRAP), 0) ** 1.5)


def gloss(normals: Singles) -> Singles:
    """The key lamp's reflection, (P,), in linear light: the same on every colour."""
    halfway = unit(unit(KEY) + np.array([0, 0, 1], dtype=np.float32))
    return np.asarray(GLOSS * np.maximum(normals @ halfway, 0) ** SHARPNESS)


def openness(heights: Singles, normals: Singles) -> Singles:
    """How much of the sky each pixel sees past its neighbours, from 0 to 1, (height, width).

    Heights towards the viewer are (height, width), in pixels, EMPTY for the background; normals (height, width, 3).
    """
    reach = REACH * max(heights.shape)
    margin = int(np.ceil(reach)) + 1
    padded = np.pad(heights, margin, constant_values=EMPTY)
    here = np.flatnonzero(padded.ravel() > EMPTY)
    n, base, flat = normals[heights > EMPTY], padded.ravel()[here], padded.ravel()
    hidden = np.zeros(len(here), dtype=np.float32)
    directions = _directions(reach)
    for x, y in directions:
        rise = flat[here + y * padded.shape[1] + x] - base
        # Rows count downwards, the normal's y upwards.
        above = x * n[:, 0] - y * n[:, 1] + rise * n[:, 2]
        square = x * x + y * y + rise * rise
        hidden += np.maximum(above / np.sqrt(square) - BIAS, 0) / (1 + square / reach**2)
    result = np.ones_like(heights)
    result[heights > EMPTY] = np.maximum(1 - FOLD * hidden / max(len(directions), 1), 0)
    return result


def _directions(reach: float) -> list[tuple[int, int]]:
    """Steps in pixels to three rings of eight neighbours."""
    steps = set()
    for ring, share in enumerate((0.3, 0.6, 1.0)):
        angles = 2 * np.pi * (np.arange(8) + ring / 3) / 8
        steps |= {(round(share * reach * np.cos(a)), round(share * reach * np.sin(a))) for a in angles.tolist()}
    return sorted(steps - {(0, 0)})


def to_linear(colours: FloatArray) -> FloatArray:
    """The light of sRGB values from 0 to 1."""
    return np.where(colours <= 0.04045, colours / 12.92, ((np.maximum(colours, 0.04045) + 0.055) / 1.055) ** 2.4)


def to_srgb(amounts: FloatArray) -> FloatArray:
    """SRGB values from 0 to 1 for amounts of light."""
    amounts = amounts.clip(0, 1)
    return np.where(amounts <= 0.0031308, 12.92 * amounts, 1.055 * np.maximum(amounts, 0.0031308) ** (1 / 2.4) - 0.055)
