"""A segmented mesh as a picture: its parts, and how sure they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from meshtide.arrays import FloatArray, IntArray
from meshtide.inference.segmentation import Segmentation
from meshtide.labels.colours import UNLABELLED
from meshtide.labels.shades import instance_colours
from meshtide.mesh.measure import relative_areas
from meshtide.output.pictures.camera import Lens, Up, View, best_view
from meshtide.output.pictures.paint import BACKGROUND, Image, rgb
from meshtide.output.pictures.rendering import render
from meshtide.output.pictures.sheets import sheet

MOST_NAMED = 40  # in a legend


def segmentation_picture(
    segmentation: Segmentation,
    *,
    size: tuple[int, int] = (450, 450),
    view: View = "best",
    up: Up = "auto",
    lens: Lens = "perspective",
    confidence: bool = False,
    instances: bool = False,
    legend: bool = True,
    title: str | None = None,
    background: Any = BACKGROUND,
) -> Image:
    """Draw a mesh in the colours of its parts and, on request, how sure each vertex is beside it: dark is unsure.

    `size` is that of one drawing. `instances` gives each piece of a part a shade of its own. The legend names the parts
    (or instances) that occur, and what has none as "unlabelled"; of many it names the largest and counts the others.
    """
    mesh, coat = segmentation.mesh, _coat(segmentation, instances)
    view = best_view(mesh, up=up) if view == "best" else view
    how: dict[str, Any] = {"size": size, "view": view, "up": up, "lens": lens, "background": background}
    drawings, captions = [_drawn(segmentation, coat, **how)], [""]
    key = shortened_legend(coat.key, background)
    if confidence:
        drawings.append(render(mesh, confidence_colours(segmentation.mesh_confidence), on="vertices", **how))
        captions = ["instances" if instances else "parts", "confidence"]
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
    instances: bool = False,
    legend: bool = True,
    title: str | None = None,
) -> Image:
    """Draw several segmented meshes side by side with one legend, of the parts that occur on any of them.

    `instances` gives each piece of a part a shade of its own.
    """
    drawings, shares, colours = [], dict[str, float](), dict[str, str]()
    for each in segmentations:
        coat = _coat(each, instances)
        seen = best_view(each.mesh, up=up) if view == "best" else view
        drawings.append(_drawn(each, coat, size=size, view=seen, up=up))
        for name, colour, share in _coat(each, False).key:
            shares[name], colours[name] = shares.get(name, 0.0) + share, colour
    key = shortened_legend([(name, colours[name], share) for name, share in shares.items()], BACKGROUND)
    return sheet(drawings, list(captions), columns, title=title, legend=key if legend else None)


def _drawn(segmentation: Segmentation, coat: _Coat, **how: Any) -> Image:
    """The parts, with borders that are lines."""
    outlined = segmentation.outlined
    return render(outlined.mesh, coat.palette[coat.values], on="faces", cut=outlined.cut, **how)


@dataclass(frozen=True, eq=False)
class _Coat:
    """Which colour each drawn triangle has, and what the colours that occur mean."""

    values: IntArray  # (f,) of each triangle of the outlined mesh the row of the palette
    palette: NDArray[np.str_]  # "#rrggbb"; its last row is also row -1
    key: list[tuple[str, str, float]]  # name, colour and share of the area


def _coat(segmentation: Segmentation, instances: bool) -> _Coat:
    if instances:
        values, names = segmentation.mesh_face_instances, [each.name for each in segmentation.instances]
        colours = instance_colours(segmentation.colours, [each.part_index for each in segmentation.instances])
    else:
        values, names = segmentation.mesh_face_labels.values, list(segmentation.parts)
        colours = segmentation.colours
    palette, areas = np.array([*colours, UNLABELLED]), relative_areas(segmentation.mesh)
    shares = np.bincount(values % len(palette), areas, len(palette)) / areas.sum()
    present = np.flatnonzero(np.bincount(values % len(palette), minlength=len(palette))).tolist()
    called = [*names, "unlabelled"]
    drawn = segmentation.outlined.face_instances
    if not instances:
        drawn = np.array([*(each.part_index for each in segmentation.instances), -1], dtype=np.int64)[drawn]
    return _Coat(drawn, palette, [(called[row], str(palette[row]), float(shares[row])) for row in present])


def shortened_legend(key: Sequence[tuple[str, str, float | None]], background: Any) -> list[tuple[str, str]]:
    """Names and colours for a legend; where there are too many, the largest and how many more there are."""
    if len(key) <= MOST_NAMED:
        return [(name, colour) for name, colour, _ in key]
    largest = sorted(range(len(key)), key=lambda row: -(key[row][2] or 0.0))[: MOST_NAMED - 1]
    blank = "#" + bytes(rgb(background).reshape(3).astype(np.uint8).tolist()).hex()  # a patch that is not seen
    return [*(key[row][:2] for row in sorted(largest)), (f"… and {len(key) - len(largest):,} more", blank)]


def confidence_colours(confidence: Any) -> FloatArray:
    """Red, green and blue from 0 to 1 for confidences from 0 (dark blue) to 1 (bright yellow), (N, 3).

    Equal steps of confidence look equally large, also to viewers who do not tell red from green.
    """
    from matplotlib import colormaps

    return np.asarray(colormaps["cividis"](np.clip(np.asarray(confidence, dtype=np.float64), 0, 1)))[..., :3]


def _code(confidence: float) -> str:
    return "#" + "".join(f"{round(255 * value):02x}" for value in confidence_colours(confidence).tolist())
