"""Colours of parts: the same part has the same colour in every picture, file and window."""

from __future__ import annotations

import colorsys
from collections.abc import Iterable, Iterator
from itertools import chain, count

# The first eight are Okabe and Ito's, with a dark purple for their black. Each of the others lies as far as possible
# from all before it in OKLab, as seen with normal vision and by viewers who do not tell red from green.
PALETTE = (
    "#e69f00", "#56b4e9", "#009e73", "#d55e00", "#f0e442", "#cc79a7", "#0072b2", "#882255",
    "#7fe8dc", "#a5c396", "#a53c00", "#96d2ff", "#875a78", "#b4f0a5", "#9678e1", "#3c4ba5",
    "#c3d269", "#f0b4d2", "#5ab478", "#a55a4b", "#d296c3", "#8796ff", "#874b4b", "#694b87",
    "#78c35a", "#b4963c", "#1e690f", "#a56996", "#3c69ff", "#690087", "#783cd2", "#781e00",
    "#4b00b4", "#78872d", "#b43cb4", "#f03c69", "#4b96c3", "#78ff78", "#e15ac3", "#ff87e1",
    "#c31e69", "#6969d2", "#5a2d69", "#87e100", "#4bffc3", "#78e196", "#a50f78", "#4b87ff",
)  # fmt: skip

# Parts that occur together (a person's, a four-legged animal's) have colours that are far apart.
KNOWN = {
    "head": "#e69f00", "torso": "#56b4e9", "upperarm": "#009e73", "lowerarm": "#d55e00", "hand": "#f0e442",
    "upperleg": "#cc79a7", "lowerleg": "#0072b2", "foot": "#882255", "neck": "#9678e1", "arm": "#a53c00",
    "leg": "#3c4ba5", "tail": "#5ab478", "limb": "#694b87", "ear": "#b4f0a5", "earhorn": "#c3d269",
    "wing": "#a5c396", "finger": "#f0b4d2",
}  # fmt: skip

UNLABELLED = "#b0b0b0"  # of elements without a part; no part is ever grey


def part_colours(names: Iterable[str]) -> tuple[str, ...]:
    """A colour "#rrggbb" for each part name, no two alike.

    Well-known parts ("head", "upperarm" or "Upper Arm", …) always have their own; the others take those that are left,
    in order, so that the same names in the same order always have the same colours.

    >>> part_colours(["handle", "head", "cup"])
    ('#56b4e9', '#e69f00', '#009e73')
    """
    names = list(names)
    colours: list[str | None] = []
    for name in names:
        colour = KNOWN.get("".join(letter for letter in name.lower() if letter not in " _-"))
        colours.append(None if colour in colours else colour)  # "Head" beside "head" is another part
    free = (colour for colour in chain(PALETTE, _more()) if colour not in colours)
    return tuple(colour or next(free) for colour in colours)


def _more() -> Iterator[str]:
    """Colours without end and without repetition, for those who have more parts than the palette has colours."""
    seen = {*PALETTE, UNLABELLED}
    for number in count():
        # Steps of the golden ratio fill the circle of hues evenly, wherever one stops.
        hue, turn = number * 0.618034 % 1.0, number // 12
        red, green, blue = colorsys.hls_to_rgb(hue, (0.45, 0.7, 0.58)[turn % 3], (0.65, 0.45, 0.85, 0.3)[turn % 4])
        colour = f"#{round(255 * red):02x}{round(255 * green):02x}{round(255 * blue):02x}"
        if colour not in seen:
            seen.add(colour)
            yield colour
