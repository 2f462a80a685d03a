"""Colours as people give them, as light, and as the bytes of a picture."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from meshtide.arrays import FloatArray, IntArray
from meshtide.errors import InputError
from meshtide.labels.labels import Element, check_element
from meshtide.mesh.mesh import Mesh
from meshtide.output.pictures.raster import Singles
from meshtide.output.pictures.shading import to_linear, to_srgb

Image = NDArray[np.uint8]  # (height, width, 3)
BACKGROUND = "#f7f7f5"


@dataclass(frozen=True, eq=False)
class Paint:
    """The colours of a mesh in linear light."""

    colours: Singles  # (N, 3)
    rows: IntArray  # (F,) for the colours of faces, (F, 3) for those of corners

    def at(self, faces: IntArray, weights: Singles) -> Singles:
        """The colour at points of faces, given by the weights of the corners (P, 3)."""
        found = self.colours[self.rows[faces]]
        return found if self.rows.ndim == 1 else np.asarray(np.einsum("pc,pcx->px", weights, found))


def paint_of(mesh: Mesh, colours: Any, on: Element | None) -> Paint:
    """One colour, or those of all faces or vertices; `on` says which where both are equally many."""
    values = rgb(colours)
    light = to_linear(values / 255).astype(np.float32)
    counts = {"faces": len(mesh.faces), "vertices": len(mesh.vertices)}
    if values.ndim == 1:
        return Paint(light[None], np.zeros(counts["faces"], dtype=np.int64))
    if on is not None:
        check_element(on)
    fitting = [element for element, count in counts.items() if count == len(values) and on in (None, element)]
    if not fitting:
        wanted = " and ".join(f"{count:,} {element}" for element, count in counts.items() if on in (None, element))
        raise InputError(f"{mesh.name}: {len(values):,} colours for {wanted}; were they made for another mesh?")
    if len(fitting) == 2:
        raise InputError(f"{mesh.name}: has as many faces as vertices; say on='faces' or on='vertices' of its colours")
    return Paint(light, np.arange(counts["faces"]) if fitting == ["faces"] else mesh.faces)


def rgb(colours: Any) -> FloatArray:
    """Red, green and blue from 0 to 255: (3,) for one colour, (N, 3) for several.

    >>> rgb("#ff8000").tolist(), rgb([[1.0, 0.5, 0.0]]).tolist()
    ([255.0, 128.0, 0.0], [[255.0, 127.5, 0.0]])
    """
    values = np.asarray(colours)
    if values.dtype.kind == "U":
        values = _from_codes(values)
    if values.dtype.kind not in "iuf" or values.ndim not in (1, 2) or values.shape[-1] != 3:
        raise InputError(f"colours are {values.dtype} {values.shape}; wanted one colour or an array (N, 3) of numbers")
    top = 1 if values.dtype.kind == "f" else 255
    if values.size and not (values.min() >= 0 and values.max() <= top):
        raise InputError(f"colours of type {values.dtype} from {values.min()} to {values.max()}; wanted 0 to {top}")
    return values.astype(np.float64) * (255 / top)


def as_image(light: NDArray[np.floating[Any]]) -> Image:
    """The bytes that show amounts of light from 0 to 1."""
    return (255 * to_srgb(light.astype(np.float64)) + 0.5).astype(np.uint8)


def _from_codes(codes: NDArray[np.str_]) -> NDArray[np.uint8]:
    # A mesh has few colours and many faces: each colour is read once.
    different, which = np.unique(codes, return_inverse=True)
    for code in different.tolist():
        if not re.fullmatch("#[0-9a-fA-F]{6}", code):
            raise InputError(f"the colour '{code}' is not of the form #rrggbb")
    table = np.array([list(bytes.fromhex(code[1:])) for code in different.tolist()], dtype=np.uint8).reshape(-1, 3)
    return table[which.reshape(codes.shape)]
