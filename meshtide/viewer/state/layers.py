"""What is to be drawn on a mesh: colours, a legend, and which faces are seen. Arrays only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from meshtide.arrays import FloatArray, IntArray
from meshtide.labels.colours import UNLABELLED
from meshtide.labels.labels import Element, Labels
from meshtide.viewer.state.item import Item

NO_PART = "unlabelled"
# Colours of a comparison: what agrees stays quiet. Told apart with and without red and green.
SAME, DIFFERENT, NOT_COMPARED = "#d8dee4", "#c1272d", "#8f8f8f"
SCALES = {"confidence": "cividis", "hks": "viridis", "eigenfunction": "RdBu_r", "support": "magma"}


@dataclass(frozen=True)
class LegendEntry:
    """A line of the legend; `share` is that of the surface, None where the line is a point on a scale."""

    name: str
    colour: str  # "#rrggbb"
    share: float | None = None


@dataclass(frozen=True, eq=False)
class Layer:
    """A coat of colour for a mesh, and what its colours mean."""

    colours: FloatArray  # (N, 3) red, green and blue from 0 to 1
    on: Element
    legend: tuple[LegendEntry, ...]
    values: NDArray[np.floating[Any]] | None = None  # (N,) of a scale, before it became colours


def parts_layer(item: Item, labels: Labels, colours: Sequence[str]) -> Layer:
    """Every element in the colour of its part; the legend has the parts that occur, with their share of the area."""
    palette = (*colours, UNLABELLED)  # its last entry is also entry -1
    names = (*labels.names, NO_PART)
    return categories_layer(item, labels.values, labels.on, names, palette)


def categories_layer(item: Item, which: IntArray, on: Element, names: Sequence[str], palette: Sequence[str]) -> Layer:
    """Every element in the colour of its category, of which -1 is the last; the legend has those that occur."""
    areas = np.bincount(which % len(names), item.areas(on), len(names))
    present = np.bincount(which % len(names), minlength=len(names)) > 0
    total = areas.sum()
    legend = tuple(
        LegendEntry(names[number], palette[number], float(areas[number] / total))
        for number in np.flatnonzero(present).tolist()
    )
    return Layer(rgb(palette)[which], on, legend)


def difference_layer(item: Item, truth: Labels, prediction: Labels) -> Layer:
    """Where two labellings of the same elements agree by name; what either does not label or know is not compared."""
    place = {name: number for number, name in enumerate(prediction.names)}
    known = np.array([place.get(name, -1) for name in truth.names] + [-1], dtype=np.int64)
    wanted = known[truth.values]
    compared = (wanted >= 0) & (prediction.values >= 0)
    which = np.where(compared, (wanted != prediction.values).astype(np.int64), -1)
    return categories_layer(
        item, which, truth.on, ("same", "different", "not compared"), (SAME, DIFFERENT, NOT_COMPARED)
    )


def truth_only(shown: Sequence[LegendEntry], truth: Sequence[LegendEntry]) -> tuple[LegendEntry, ...]:
    """Lines for the parts that only the truth beside a prediction has, or has in another colour."""
    there = {(entry.name, entry.colour) for entry in shown}
    return tuple(
        LegendEntry(f"{entry.name} (truth)", entry.colour) for entry in truth if (entry.name, entry.colour) not in there
    )


def scale_layer(values: NDArray[np.floating[Any]], kind: str, *, on: Element = "vertices") -> Layer:
    """Numbers as colours: from 0 to 1 for a confidence, around 0 for an eigenfunction, else from lowest to highest."""
    low, high = _limits(values, kind)
    steps = np.linspace(low, high, 3)
    marks = tuple(
        LegendEntry(f"{step:.3g}", _code(colour))
        for step, colour in zip(steps, _mapped(steps, low, high, kind), strict=True)
    )
    return Layer(_mapped(values, low, high, kind), on, marks, values)


def seen_faces(faces: IntArray, parts: Labels | None, hidden: frozenset[str]) -> NDArray[np.bool_]:
    """Which faces are to be drawn, (F,): those whose part, by labels on faces, is not hidden."""
    if parts is None or not hidden:
        return np.ones(len(faces), dtype=bool)
    is_seen = np.array([name not in hidden for name in (*parts.names, NO_PART)])
    return np.asarray(is_seen[parts.values])


def rgb(codes: Sequence[str]) -> FloatArray:
    """Colours "#rrggbb" as red, green and blue from 0 to 1, (N, 3).

    >>> rgb(["#ff0033"]).tolist()
    [[1.0, 0.0, 0.2]]
    """
    return np.array([list(bytes.fromhex(code[1:])) for code in codes], dtype=np.float64).reshape(-1, 3) / 255


def _limits(values: NDArray[np.floating[Any]], kind: str) -> tuple[float, float]:
    if kind == "confidence":
        return 0.0, 1.0
    if len(values) == 0:
        return 0.0, 0.0
    if kind == "eigenfunction":
        most = float(np.abs(values).max())
        return -most, most
    return (0.0 if kind == "support" else float(values.min())), float(values.max())


def _mapped(values: NDArray[np.floating[Any]], low: float, high: float, kind: str) -> FloatArray:
    from matplotlib import colormaps

    fraction = (np.asarray(values, dtype=np.float64) - low) / ((high - low) or 1.0)
    if kind == "support":
        fraction = np.sqrt(np.clip(fraction, 0, 1))  # most of a support is small, and its reach is what one looks for
    return np.asarray(colormaps[SCALES[kind]](np.clip(fraction, 0, 1)))[..., :3]


def _code(colour: FloatArray) -> str:
    return "#" + "".join(f"{round(255 * value):02x}" for value in colour.tolist())
