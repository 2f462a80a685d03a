"""Shades of a part's colour, so that its pieces are told apart and still seen to belong together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import count

import numpy as np

from meshtide.arrays import FloatArray

MOST_SHADES = 12  # of one colour; more could not be told apart, so that they are used again from the first on
LIGHTNESSES = np.linspace(0.42, 0.93, 18)
STRENGTHS = (0.7, 1.0, 1.3)  # of the part's own chroma
TURNS = np.radians([-24.0, -12.0, 0.0, 12.0, 24.0])  # of the hue: beyond these it would be another colour
# From light to cones and on to lightness and two axes of colour (Ottosson 2020, OKLab).
CONES = np.array(
    [[0.41222147, 0.53633254, 0.05144599], [0.2119035, 0.68069955, 0.10739696], [0.08830246, 0.28171884, 0.6299787]]
)
AXES = np.array(
    [[0.21045426, 0.79361779, -0.00407205], [1.9779985, -2.42859221, 0.45059371], [0.02590404, 0.78277177, -0.80867577]]
)

# Of distances along those three: some viewers do not tell green from red.
SEEN = np.array([1.0, 0.4, 1.0])


def instance_colours(colours: Sequence[str], parts: Sequence[int]) -> tuple[str, ...]:
    """A colour "#rrggbb" for each instance, where `parts` has the part of each and `colours` that of each part.

    The first instance of a part has the part's own colour; each of the others has the shade of it that lies farthest
    from those of its part before it and from the colours of all other parts that occur.

    >>> instance_colours(["#e69f00", "#56b4e9"], [0, 1, 1])[:2]
    ('#e69f00', '#56b4e9')
    """
    present = tuple(dict.fromkeys(colours[part] for part in parts))
    sizes = Counter(parts)
    shades = {part: _shades(colours[part], min(size, MOST_SHADES), present) for part, size in sizes.items()}
    numbers = {part: count() for part in sizes}
    return tuple(shades[part][next(numbers[part]) % MOST_SHADES] for part in parts)


@lru_cache(maxsize=256)
def _shades(colour: str, wanted: int, present: tuple[str, ...]) -> tuple[str, ...]:
    """So many colours of nearly the same hue, the given one first, each as far as possible from all before it."""
    shades = [colour]
    if wanted > 1:
        codes = _codes(_candidates(colour))
        places = SEEN * _oklab(codes)
        gaps = np.min([np.linalg.norm(places - own, axis=1) for own in SEEN * _oklab(present)], axis=0)
    while len(shades) < wanted:
        best = int(gaps.argmax())
        shades.append(codes[best])
        gaps = np.minimum(gaps, np.linalg.norm(places - places[best], axis=1))
    return tuple(shades)


def _candidates(colour: str) -> FloatArray:
    """Red, green and blue from 0 to 1 of lighter, darker and paler colours of nearly this hue, (N, 3)."""
    _, a, b = _oklab([colour])[0]
    lightness, strength, turn = np.meshgrid(LIGHTNESSES, np.hypot(a, b) * np.array(STRENGTHS), np.arctan2(b, a) + TURNS)
    places = np.stack([lightness, strength * np.cos(turn), strength * np.sin(turn)], axis=-1).reshape(-1, 3)
    linear = np.linalg.solve(CONES, np.linalg.solve(AXES, places.T) ** 3).T
    linear = linear[((linear >= 0) & (linear <= 1)).all(axis=1)]  # others no screen can show
    return np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * np.maximum(linear, 0.0031308) ** (1 / 2.4) - 0.055)


def _oklab(codes: Sequence[str]) -> FloatArray:
    """Where colours lie in a space of even perception, (N, 3)."""
    values = np.array([list(bytes.fromhex(code[1:])) for code in codes], dtype=np.float64).reshape(-1, 3) / 255
    linear = np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)
    return np.asarray(np.cbrt(linear @ CONES.T) @ AXES.T)


def _codes(values: FloatArray) -> list[str]:
    return ["#" + bytes(row).hex() for row in np.rint(255 * values).astype(np.uint8)]
