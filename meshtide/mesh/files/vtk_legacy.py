"""Legacy VTK files (.vtk): surfaces of polygons, ascii and binary, of the versions 1 to 5."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from meshtide.arrays import IntArray
from meshtide.errors import InputError
from meshtide.files import read_regular
from meshtide.mesh.files.raw import Polygons, parse_numbers
from meshtide.mesh.files.vtk_data import VtkSurface, check_count, sizes_of

_KINDS = {
    "char": "i1", "unsigned_char": "u1", "short": "i2", "unsigned_short": "u2", "int": "i4", "unsigned_int": "u4",
    "long": "i8", "unsigned_long": "u8", "float": "f4", "double": "f8", "vtkidtype": "i8", "vtktypeint32": "i4",
    "vtktypeint64": "i8", "vtktypeuint64": "u8",
}  # fmt: skip
_OTHER_CELLS = ("VERTICES", "LINES", "TRIANGLE_STRIPS")
_MOST_ARRAYS = 1_000
_MOST_COMPONENTS = 1_000


def read_vtk(path: Path) -> Polygons:
    """The points and polygons of a legacy VTK file."""
    return read_vtk_surface(path).polygons()


def read_vtk_surface(path: Path) -> VtkSurface:
    """A legacy VTK file with its arrays; cells that are no polygons are passed over, strips are refused."""
    return _Reader(path).read()


class _Reader:
    """A place in the bytes of a file, which only moves on."""

    def __init__(self, path: Path) -> None:
        self.path, self.data, self.place = path, read_regular(path), 0
        if not self.line().lower().startswith("# vtk datafile"):
            raise InputError(f"{path}: does not begin with '# vtk DataFile'; is it another format under this name?")
        self.line()  # a title
        kind = self.line().strip().upper()
        if kind not in ("ASCII", "BINARY"):
            raise InputError(f"{path}: says {kind[:40]!r} where ASCII or BINARY should stand; is it damaged?")
        self.is_binary = kind == "BINARY"
        self.points: NDArray[np.float64] = np.zeros((0, 3))
        self.corners: IntArray = np.zeros(0, dtype=np.int64)
        self.sizes: IntArray = np.zeros(0, dtype=np.int64)
        self.others = 0  # cells that are no polygons and stand before or behind them
        self.before = 0
        self.arrays: dict[str, dict[str, NDArray[Any]]] = {"POINT_DATA": {}, "CELL_DATA": {}, "FIELD": {}}
        self.words: dict[str, tuple[str, ...]] = {}

    def read(self) -> VtkSurface:
        """Everything up to the first thing that is not known, which must stand behind the polygons."""
        place = "FIELD"  # what arrays are about
        while (words := self.next_words()) is not None:
            head = words[0].upper()
            if head == "DATASET":
                self._check_dataset(words)
            elif head == "POINTS":
                count = self.count(words, 1, "points")
                self.points = self.numbers(3 * count, self.kind(words, 2)).astype(np.float64).reshape(-1, 3)
            elif head == "POLYGONS" or head in _OTHER_CELLS:
                self._cells(head, words)
            elif head in ("POINT_DATA", "CELL_DATA"):
                place = head
            elif not self._array(head, words, place):
                break
        if not len(self.points) or not len(self.sizes):
            raise InputError(f"{self.path}: has no surface of points and polygons; save the surface as PolyData")
        cells = {name: values[self.before : self.before + len(self.sizes)] for name, values in self._cell_arrays()}
        return VtkSurface(self.points, self.corners, self.sizes, self.arrays["POINT_DATA"], cells, self.words)

    def _cell_arrays(self) -> list[tuple[str, NDArray[Any]]]:
        wanted = self.others + len(self.sizes)
        return [(name, values) for name, values in self.arrays["CELL_DATA"].items() if len(values) == wanted]

    def _check_dataset(self, words: list[str]) -> None:
        if words[1:2] != ["POLYDATA"]:
            found = words[1][:40] if len(words) > 1 else "nothing"
            raise InputError(f"{self.path}: holds {found} and no surface; extract its surface and save it as PolyData")

    def _cells(self, head: str, words: list[str]) -> None:
        first, second = self.count(words, 1, "cells"), self.count(words, 2, "corners")
        start = self.place
        following = self.next_words()
        if following is not None and following[0].upper() == "OFFSETS":
            offsets = self.numbers(first, self.kind(following, 1)).astype(np.int64)
            connectivity = self.next_words() or [""]
            if connectivity[0].upper() != "CONNECTIVITY":
                raise InputError(f"{self.path}: has offsets of {head.lower()} and no connectivity; is it damaged?")
            corners = self.numbers(second, self.kind(connectivity, 1)).astype(np.int64)
            sizes = sizes_of(offsets, corners, self.path)
        else:
            self.place = start
            corners, sizes = _unpacked(self.numbers(second, "i4").astype(np.int64), first, self.path)
        if head == "POLYGONS":
            self.corners, self.sizes, self.before = corners, sizes, self.others
        elif head == "TRIANGLE_STRIPS" and len(sizes):
            raise InputError(
                f"{self.path}: has triangle strips, which have no faces of their own; triangulate it first"
            )
        else:
            self.others += len(sizes)

    def _array(self, head: str, words: list[str], place: str) -> bool:
        """Read one array of points or cells, or a field of several; False for what is not known."""
        count = {"POINT_DATA": len(self.points), "CELL_DATA": self.others + len(self.sizes), "FIELD": 0}[place]
        if head == "FIELD":
            for _ in range(self.count(words, 2, "arrays", _MOST_ARRAYS)):
                self._field(place)
        elif head == "METADATA":
            while self.line().strip():
                pass
        elif head == "SCALARS":
            width = self.count(words, 3, "components", _MOST_COMPONENTS) if len(words) > 3 else 1
            table = self.next_words() or [""]
            if table[0].upper() != "LOOKUP_TABLE":
                return False
            self._keep(place, self.name(words), self.numbers(width * count, self.kind(words, 2)), width)
        elif head in ("NORMALS", "VECTORS"):
            self._keep(place, self.name(words), self.numbers(3 * count, self.kind(words, 2)), 3)
        else:
            return False
        return True

    def _field(self, place: str) -> None:
        words = self.next_words()
        while words is not None and words[0].upper() == "METADATA":
            while self.line().strip():
                pass
            words = self.next_words()
        if words is None or len(words) < 4:
            raise InputError(f"{self.path}: ends within a field; is it cut short?")
        width = self.count(words, 1, "components", _MOST_COMPONENTS)
        count = self.count(words, 2, "values")
        if words[3].lower() == "string":
            self.words[words[0]] = tuple(self.string() for _ in range(min(count * width, len(self.data))))
        else:
            self._keep(place, words[0], self.numbers(width * count, self.kind(words, 3)), width)

    def _keep(self, place: str, name: str, values: NDArray[Any], width: int) -> None:
        self.arrays[place][name] = values.reshape(-1, width) if width > 1 else values

    # The bytes

    def line(self) -> str:
        """The next line, without its end."""
        end = self.data.find(b"\n", self.place)
        end = len(self.data) if end < 0 else end
        text, self.place = self.data[self.place : end], end + 1
        return text[:10_000].decode("latin-1")

    def next_words(self) -> list[str] | None:
        """The words of the next line that has any; None at the end."""
        while self.place < len(self.data):
            if words := self.line().split():
                return words
        return None

    def name(self, words: list[str]) -> str:
        """What an array is called, behind the word for its kind."""
        if len(words) < 2:
            raise InputError(f"{self.path}: has {words[0]} without a name; is it damaged?")
        return words[1]

    def count(self, words: list[str], index: int, what: str, most: int | None = None) -> int:
        """A whole number of a line, no larger than the file can hold."""
        word = words[index] if index < len(words) else ""
        if not re.fullmatch("[0-9]{1,15}", word):
            raise InputError(f"{self.path}: has no number of {what} where one should stand; is it damaged?")
        return check_count(int(word), len(self.data) if most is None else most, what, self.path)

    def kind(self, words: list[str], index: int) -> str:
        """The numpy type of a word of a line."""
        word = words[index].lower() if index < len(words) else ""
        if word not in _KINDS:
            raise InputError(f"{self.path}: has numbers of the type {word[:40]!r}, which is not known; is it damaged?")
        return _KINDS[word]

    def numbers(self, count: int, kind: str) -> NDArray[Any]:
        """The next numbers."""
        if self.is_binary:
            stored = np.dtype(f">{kind}")
            end = self.place + count * stored.itemsize
            if end > len(self.data):
                raise InputError(f"{self.path}: ends within its numbers; is it cut short?")
            found = np.frombuffer(self.data, stored, count, self.place).astype(kind)
            self.place = end
            return found
        tokens = _tokens(self.data, self.place, count)
        if tokens is None:
            raise InputError(f"{self.path}: ends within its numbers; is it cut short?")
        text, self.place = tokens
        wanted = np.float64 if kind[0] == "f" else np.int64
        values = parse_numbers(text, wanted, str(self.path)) if count else np.zeros(0, dtype=wanted)
        if len(values) != count:
            raise InputError(f"{self.path}: has fewer numbers than it says; is it damaged?")
        return values

    def string(self) -> str:
        """The next word list's entry: a line of text, or in binary files bytes behind their number."""
        if not self.is_binary:
            return re.sub("%([0-9A-Fa-f]{2})", lambda code: chr(int(code[1], 16)), self.line())
        first = self.data[self.place] if self.place < len(self.data) else 0
        width = 1 << (3 - (first >> 6))  # the two highest bits say how many bytes the number has
        length = int.from_bytes(self.data[self.place : self.place + width], "big") & ((1 << (8 * width - 2)) - 1)
        start, self.place = self.place + width, min(self.place + width + length, len(self.data))
        return self.data[start : self.place].decode("utf-8", errors="replace")


def _tokens(data: bytes, place: int, count: int) -> tuple[bytes, int] | None:
    """So many words from a place on, and the place behind them."""
    start, found = place, 0
    # Words are at least two bytes with the blank behind; more is looked at only where they are longer.
    while found < count:
        end = min(place + 2 * (count - found), len(data))
        while end < len(data) and not data[end - 1 : end].isspace() and not data[end : end + 1].isspace():
            end += 1
        found += len(data[place:end].split())
        if place == end and found < count:
            return None
        place = end
    return data[start:place], place


def _unpacked(row: IntArray, count: int, path: Path) -> tuple[IntArray, IntArray]:
    """Corners and sizes of polygons that stand in one row, each behind its size."""
    if len(row) and count and len(row) % count == 0 and row[0] == len(row) // count - 1:
        table = row.reshape(count, -1)
        if (table[:, 0] == table.shape[1] - 1).all():
            return table[:, 1:].ravel(), table[:, 0].copy()
    sizes, place, numbers = [], 0, row.tolist()
    keep = np.ones(len(row), dtype=bool)
    for _ in range(count):
        if place >= len(numbers) or not 0 <= numbers[place] < len(numbers) - place:
            raise InputError(f"{path}: its polygons do not fill the room that they claim; is it damaged?")
        sizes.append(numbers[place])
        keep[place] = False
        place += numbers[place] + 1
    return row[:place][keep[:place]], np.array(sizes, dtype=np.int64)
