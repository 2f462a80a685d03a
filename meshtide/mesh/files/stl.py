"""STL, ascii and binary: facets whose corners are written out one by one."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from meshtide.errors import InputError
from meshtide.files import read_regular
from meshtide.mesh.files.raw import Polygons, parse_numbers
from meshtide.mesh.origin import Piece

FACET = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
_VERTEX = re.compile(rb"vertex[ \t]+([^\r\n]*)", re.IGNORECASE)
_SOLID = re.compile(rb"^[ \t]*solid\b[ \t]*([^\r\n]*)", re.IGNORECASE | re.MULTILINE)
_NAME_LINE = re.compile(rb"^[ \t]*(end)?solid\b[^\n]*", re.IGNORECASE | re.MULTILINE)
_LOOKED_AT = 4096  # bytes in which a binary file has a nought and a text has none


def read_stl(path: Path) -> Polygons:
    """Read an STL file: corner c of facet f is the file's vertex 3f + c."""
    data = read_regular(path)
    claimed = int.from_bytes(data[80:84], "little") if len(data) >= 84 else -1
    held = (len(data) - 84) // FACET.itemsize
    # Binary files too may begin with "solid", so the length decides first; and noughts, for bytes may follow.
    if claimed >= 0 and len(data) == 84 + claimed * FACET.itemsize:
        return _soup(_binary_corners(data, claimed))
    if data.lstrip()[:5].lower() == b"solid" and not (0 <= claimed <= held and b"\0" in data[:_LOOKED_AT]):
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        # A solid may be called "vertex"; spaces instead of its name leave everything in its place.
        text = _NAME_LINE.sub(lambda found: b" " * len(found[0]), data)
        return _soup(_ascii_corners(text, path), _solids(data, text))
    if claimed < 0 or claimed > held:
        found = f"{claimed:,} facets claimed, {max(held, 0):,} there" if claimed >= 0 else f"{len(data)} bytes"
        raise InputError(f"{path}: is not a whole STL file ({found}); is it cut short?")
    return _soup(_binary_corners(data, claimed))


def _soup(corners: NDArray[np.float64], pieces: tuple[Piece, ...] = ()) -> Polygons:
    sizes = np.full(len(corners) // 3, 3, dtype=np.int64)
    return Polygons(corners, np.arange(len(corners)), sizes, split=True, pieces=pieces if len(pieces) > 1 else ())


def _binary_corners(data: bytes, count: int) -> NDArray[np.float64]:
    corners = np.frombuffer(data, FACET, count, offset=84)["corners"].reshape(-1, 3)
    with np.errstate(invalid="ignore"):  # damaged numbers are for the doctor to find
        return corners.astype(np.float64)


def _ascii_corners(data: bytes, path: Path) -> NDArray[np.float64]:
    found = _VERTEX.findall(data)
    numbers = parse_numbers(b" ".join(found), np.float64, f"{path}: vertices")
    if len(numbers) != 3 * len(found) or len(found) % 3:
        raise InputError(f"{path}: its {len(found):,} vertices do not make whole facets; is it cut short?")
    # An STL number is a 32-bit float by custom; corners that were one vertex must stay equal, and they do as text.
    return numbers.reshape(-1, 3)


def _solids(data: bytes, text: bytes) -> tuple[Piece, ...]:
    """The named solids of an ascii file, in order; `text` is the file without their names."""
    starts = list(_SOLID.finditer(data))
    ends = [*[match.start() for match in starts[1:]], len(data)][: len(starts)]
    begins = [0, *[match.end() for match in starts[1:]]]  # what stands above the first solid is its own
    counts = [len(_VERTEX.findall(text, begin, end)) for begin, end in zip(begins, ends, strict=False)]
    if any(count % 3 for count in counts):  # a facet that goes on in the next solid
        return ()
    names = [match[1].decode(errors="replace").strip() or f"solid {i}" for i, match in enumerate(starts)]
    return tuple(Piece(name, count, count // 3) for name, count in zip(names, counts, strict=True))
