"""What a mesh file says, before anything is checked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from meshtide.arrays import IntArray
from meshtide.errors import InputError
from meshtide.mesh.origin import Piece

# A file that claims more is refused before anything is allocated for it.
MOST_ELEMENTS = 200_000_000


@dataclass(frozen=True, eq=False)
class Polygons:
    """The contents of one file in its own order: points, and polygons as one long row of corners."""

    vertices: NDArray[np.float64]  # (N, 3), perhaps not finite
    corners: IntArray  # (C,) vertex numbers from 0, perhaps out of range
    sizes: IntArray  # (P,) corners of each polygon, in order
    split: bool = False  # the format repeats a vertex for every corner or seam, so that welding undoes no decision
    groups: IntArray | None = None  # (P,) the named group of each polygon, -1 for none
    group_names: tuple[str, ...] = ()
    pieces: tuple[Piece, ...] = ()


_SIGNS = (b"-", b"+")
_LONE_SIGNS = tuple(sign + blank for sign in _SIGNS for blank in (b" ", b"\n", b"\t", b"\r", b"\v", b"\f"))


def parse_numbers(text: bytes, wanted: type[np.float64] | type[np.int64], place: str) -> NDArray[Any]:
    """Whitespace-separated numbers as an array; `place` begins the error."""
    import warnings

    if b"\0" in text:  # where numpy would stop without a word
        raise InputError(f"{place}: found a zero byte where a number should stand; is the file damaged?")
    if text.isspace():  # numpy takes blanks for a nought
        return np.zeros(0, dtype=wanted)
    with warnings.catch_warnings():
        warnings.simplefilter("error", DeprecationWarning)  # how numpy says that it met something else than a number
        try:
            numbers = np.fromstring(text, dtype=wanted, sep=" ")
            # numpy takes a sign that stands alone together with the number behind it.
            if not text.endswith(_SIGNS) and not any(sign in text for sign in _LONE_SIGNS):
                return np.asarray(numbers)
        except (DeprecationWarning, ValueError):
            pass
    for token in text.split():
        try:
            float(token)
        except ValueError:
            shown = token[:40].decode(errors="replace")
            raise InputError(f"{place}: found {shown!r} where a number should stand; is the file damaged?") from None
    raise InputError(f"{place}: has numbers that are not whole where vertex numbers should stand; is the file damaged?")
