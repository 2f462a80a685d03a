"""Pictures as PNG files, as small as they can be without showing it."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from meshtide.errors import InputError
from meshtide.files import write_atomically
from meshtide.output.pictures.paint import Image

if TYPE_CHECKING:
    from PIL.Image import Image as Paper

COLOURS = 256  # of a palette
FLAT, MOST_FLAT = 100, 32  # pixels of a colour that a palette keeps as it is, and how many colours it keeps
MOST, TYPICAL = 12, 3.5  # levels of 255 by which a palette may change 95 % of the drawn pixels, and the average one
WORTHWHILE = 0.7  # the share of the size below which a palette is used


def save_picture(image: Image, path: str | Path) -> None:
    """Write an image (height, width, 3) of bytes as a PNG file; an existing file is replaced whole or not at all."""
    path = Path(path)
    if path.suffix.lower() != ".png":
        raise InputError(f"{path}: pictures are PNG files; end the name with .png instead of '{path.suffix}'")
    if image.dtype != np.uint8 or image.ndim != 3 or image.shape[2] != 3 or image.size == 0:
        raise InputError(f"{path}: the image is {image.dtype} {image.shape}; wanted uint8 (height, width, 3)")
    write_atomically(path, _smallest(image))


def _smallest(image: Image) -> bytes:
    """The PNG file with all colours, or with a palette if that is much smaller and looks the same."""
    from PIL import Image as Pillow

    exact = _png(Pillow.fromarray(image))
    indices, palette = _reduced(image)
    change = np.abs(palette[indices].astype(np.int16) - image).max(axis=2)
    drawn = change[(image != image[0, 0]).any(axis=2)]
    if drawn.any() and (drawn.mean() > TYPICAL or np.quantile(drawn, 0.95) > MOST):
        return exact
    few = Pillow.fromarray(indices)
    few.putpalette(palette.tobytes())
    small = _png(few)
    return small if len(small) < (WORTHWHILE if drawn.any() else 1) * len(exact) else exact


def _reduced(image: Image) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """The image in at most 256 colours: an index for each pixel, and the palette (N, 3)."""
    from PIL import Image as Pillow

    codes = image.astype(np.int64) @ np.array([1 << 16, 1 << 8, 1])
    different, where, counts = np.unique(codes, return_inverse=True, return_counts=True)
    colours = np.stack([different >> 16, different >> 8 & 255, different & 255], axis=1).astype(np.uint8)
    if len(different) <= COLOURS:
        return where.reshape(codes.shape).astype(np.uint8), colours
    # Backgrounds and the patches of a legend are to be found again: only shaded surfaces are approximated.
    flat = np.argsort(-counts, kind="stable")[:MOST_FLAT]
    flat = flat[counts[flat] >= FLAT]
    method, dither = Pillow.Quantize.MEDIANCUT, Pillow.Dither.NONE
    rough = Pillow.fromarray(image).quantize(COLOURS - len(flat), method=method, kmeans=2, dither=dither)
    rows = np.array(rough.getpalette(), dtype=np.uint8).reshape(-1, 3)[: COLOURS - len(flat)]
    kept = np.full(len(different), -1)
    kept[flat] = len(rows) + np.arange(len(flat))
    wanted = kept[where].reshape(codes.shape)
    return np.where(wanted >= 0, wanted, np.asarray(rough)).astype(np.uint8), np.concatenate([rows, colours[flat]])


def _png(paper: Paper) -> bytes:
    data = io.BytesIO()
    paper.save(data, format="PNG", optimize=True)
    return data.getvalue()
