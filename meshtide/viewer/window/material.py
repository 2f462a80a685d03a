"""How surfaces look in the window: matt, and where they face the viewer in the very colours of the swatches.

Polyscope's own materials mix the colours with white. It draws light times 1.1 and then raises it to the power of
1/2.2, so that the opposite, done to a colour beforehand, comes out as that colour.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from meshtide.arrays import FloatArray

MATERIAL = "swatches"
EXPOSURE, GAMMA = 1.1, 2.2  # of polyscope
PIXELS = 128  # across the picture of a ball that says how bright each direction is
LIGHT = (-0.35, 0.45, 0.82)  # where it comes from: the viewer's left shoulder
LEAST, SLOPE = 0.22, 0.88  # brightness of what faces away, and how it rises; all that is bright is as bright


def load_material(polyscope: Any) -> None:
    """Make the material known; its pictures are read at once and not needed afterwards."""
    from PIL import Image

    red = np.round(255 * _ball() ** (1 / GAMMA)).astype(np.uint8)
    with TemporaryDirectory() as folder:
        files = []
        for channel in range(4):  # how much of a colour's red, green and blue is seen, and of what it has none of
            picture = np.zeros((PIXELS, PIXELS, 3), dtype=np.uint8)
            if channel < 3:
                picture[..., channel] = red
            files.append(str(Path(folder) / f"{channel}.png"))
            Image.fromarray(picture).save(files[-1])
        polyscope.load_blendable_material(MATERIAL, filenames=tuple(files))


def as_light(colours: FloatArray) -> FloatArray:
    """Colours from 0 to 1 as what polyscope turns into them."""
    return np.asarray(np.asarray(colours, dtype=np.float64) ** GAMMA / EXPOSURE)


def _ball() -> FloatArray:
    """The brightness of every direction that a ball shows, (PIXELS, PIXELS), the upper ones first."""
    across = (np.arange(PIXELS) + 0.5) / PIXELS * 2 - 1
    x, y = np.meshgrid(across, -across)
    z = np.sqrt(np.clip(1 - x * x - y * y, 0, 1))
    light = np.array(LIGHT) / np.linalg.norm(LIGHT)
    towards = np.clip(x * light[0] + y * light[1] + z * light[2], 0, 1)
    return np.asarray(np.clip(LEAST + SLOPE * towards, 0, 1))
