"""A segmented mesh as a picture: its parts, and how sure they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from meshtide.arrays import FloatArray
from meshtide.inference.segmentation import Segmentation
from meshtide.labels.colours import UNLABELLED
from meshtide.output.pictures.camera import Lens, Up, View, best_view
from meshtide.output.pictures.paint import BACKGROUND, Image
from meshtide.output.pictures.rendering import render
from meshtide.output.pictures.sheets import sheet


def segmentation_picture(
    segmentation: Segmentation,
    *,
    size: tuple[int, int] = (450, 450),
    view: View = "best",
    up: Up = "auto",
    lens: Lens = "perspective",
    confidence: bool = False,
    legend: bool = True,
    title: str | None = None,
    background: Any = BACKGROUND,
) -> Image:
    """Draw a mesh in the colours of its parts and, on request, how sure each vertex is beside it: dark is unsure.

    `size` is that of one drawing. The legend names the parts that occur, and what has no part as "unlabelled".
    """
    mesh, parts = segmentation.mesh, segmentation.mesh_face_labels.values
    view = best_view(mesh, up=up) if view == "best" else view
    how: dict[str, Any] = {"size": size, "view": view, "up": up, "lens": lens, "background": background}
    palette = np.array([*segmentation.colours, UNLABELLED])  # its last row is also row -1
    drawings, captions = [render(mesh, palette[parts], on="faces", **how)], [""]
    names = [*segmentation.parts, "unlabelled"]
    key = [(names[part], str(palette[part])) for part in _present(parts, len(segmentation.parts))]
    if confidence:
        drawings.append(render(mesh, confidence_colours(segmentation.mesh_confidence), on="vertices", **how))
        captions = ["parts", "confidence"]
        key += [(f"{percent} % sure", _code(percent / 100)) for percent in (0, 50, 100)]
    return sheet(drawings, captions, title=title, legend=key if legend else None, background=background)


def segmentation_sheet(
    segmentations: Sequence[Segmentation],
    captions: Sequence[str],
    columns: int | None = None,
    *,
    size: tuple[int, int] = (300, 300),
    view: View = "best",
    up: Up = "auto",
    title: str | None = None,
) -> Image:
    """Draw several segmented meshes side by side with one legend, of the parts that occur on any of them."""
    drawings, key = [], dict[str, str]()
    for each in segmentations:
        palette, parts = np.array([*each.colours, UNLABELLED]), each.mesh_face_labels.values
        drawings.append(render(each.mesh, palette[parts], on="faces", size=size, view=view, up=up))
        names = [*each.parts, "unlabelled"]
        key |= {names[part]: str(palette[part]) for part in _present(parts, len(each.parts))}
    return sheet(drawings, list(captions), columns, title=title, legend=list(key.items()))


def confidence_colours(confidence: Any) -> FloatArray:
    """Red, green and blue from 0 to 1 for confidences from 0 (dark blue) to 1 (bright yellow), (N, 3).

    Equal steps of confidence look equally large, also to viewers who do not tell red from green.
    """
    from matplotlib import colormaps

    return np.asarray(colormaps["cividis"](np.clip(np.asarray(confidence, dtype=np.float64), 0, 1)))[..., :3]


def _present(parts: Any, count: int) -> list[int]:
    """The parts that occur, in order, and -1 at the end."""
    return [part for part in (*range(count), -1) if (parts == part).any()]


def _code(confidence: float) -> str:
    return "#" + "".join(f"{round(255 * value):02x}" for value in confidence_colours(confidence).tolist())
