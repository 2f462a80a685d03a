"""Tables of text, plain or packed with gzip, of commas, tabs, semicolons or spaces."""

from __future__ import annotations

import csv
import gzip
import io
import itertools
import os
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from meshtide.arrays import FloatArray
from meshtide.errors import InputError
from meshtide.files import open_regular
from meshtide.words import shown

MOST_BYTES = 2**31  # of a file, unpacked
_ROOM, _TIMES = 2**23, 20  # bytes that any file may unpack to, and more for each byte of it: numbers pack to a third
_MOST_KNOWN = 100_000  # words that are looked for to be kept once
_SEPARATORS = ("\t", ",", ";")
_PIECE = 2**20


@dataclass(frozen=True, eq=False)
class Table:
    """Columns of words, all of one length, and what they are called where a first line says it."""

    path: Path
    names: tuple[str, ...]  # empty where the first line is a row like the others
    columns: list[list[str]]

    @property
    def width(self) -> int:
        """The number of columns."""
        return len(self.columns)

    def column(self, number: int) -> list[str]:
        """The words of a column."""
        return self.columns[number]

    def numbers(self, columns: list[int]) -> NDArray[np.float32]:
        """Some columns as numbers, (rows, columns); a word that is none raises InputError."""
        try:
            found = np.empty((len(self.columns[0]), len(columns)), dtype=np.float32)
            with np.errstate(over="ignore"):  # what is too large for 32 bits is said to be infinite
                for place, column in enumerate(columns):
                    found[:, place] = np.fromiter(map(float, self.columns[column]), np.float64, len(found))
            return found
        except ValueError:
            column, word = next((c, word) for c in columns for word in self.columns[c] if not is_number(word))
            name = f"'{shown(self.names[column])}'" if self.names else str(column + 1)
            raise InputError(
                f"{self.path}: has '{shown(word)}' in column {name}, where features are numbers; "
                "write numbers there, or leave the column out"
            ) from None


def read_table(path: Path, heads: tuple[str, ...] = ()) -> Table:
    """A table of words.

    Its first line names the columns if its first two words are among `heads`, or if none of its words is a number and
    the second line has some.
    """
    with open_text(path) as stream:
        lines = io.TextIOWrapper(stream, encoding="utf-8-sig", errors="strict", newline="")
        try:
            first, columns = _columns(_rows(lines, path))
        except UnicodeDecodeError:
            raise InputError(f"{path}: is no text in UTF-8; save it as such") from None
        except csv.Error as error:
            raise InputError(f"{path}: is no table of text ({error})") from None
    if not first:
        raise InputError(f"{path}: is empty")
    second = [column[0] for column in columns if column]
    known = len(first) > 1 and all(word.lower() in heads for word in first[:2])
    words = len(first) > 1 and not any(map(is_number, first))
    if known or (words and any(map(is_number, second))):
        return Table(path, tuple(word.lower() for word in first), columns)
    return Table(path, (), [[word, *column] for word, column in zip(first, columns, strict=True)])


def _columns(rows: Iterator[list[str]]) -> tuple[list[str], list[list[str]]]:
    """The first row, and the columns of those below it; a word that occurs again and again is kept once."""
    first = next(rows, [])
    columns: list[list[str]] = [[] for _ in first]
    known: dict[str, str] = {}
    for row in rows:
        for column, word in zip(columns, row, strict=True):
            column.append(known.setdefault(word, word) if len(known) < _MOST_KNOWN else known.get(word, word))
    return first, columns


def read_numbers(path: Path, *, header: bool = False) -> FloatArray:
    """A table of numbers alone, (rows, columns), read faster than one of words; nan where there is none."""
    with open_text(path) as stream:
        first = stream.readline(_PIECE)
        skipped = b"" if header else first
        separator = next((word for word in _SEPARATORS if word.encode() in first), None)
        try:
            # None means any white space to numpy.
            lines = itertools.chain([skipped] if skipped else [], stream)
            text = (line.decode("ascii") for line in lines)
            return np.loadtxt(text, delimiter=separator, ndmin=2, dtype=np.float64, comments="#")
        except (ValueError, UnicodeDecodeError, OverflowError) as error:
            raise InputError(f"{path}: is no table of numbers ({str(error)[:120]})") from None


class open_text:  # noqa: N801  # used like the built-in `open`
    """The bytes of a text file, unpacked where they are packed, and no more of them than `MOST_BYTES`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.file = open_regular(path)

    def __enter__(self) -> IO[bytes]:
        packed = self.file.read(2) == b"\x1f\x8b"
        self.file.seek(0)
        if not packed:
            return io.BufferedReader(_Limited(self.file, self.path, MOST_BYTES), _PIECE)
        most = min(MOST_BYTES, _ROOM + _TIMES * os.fstat(self.file.fileno()).st_size)
        source: Any = gzip.open(self.file)
        return io.BufferedReader(_Limited(source, self.path, most), _PIECE)

    def __exit__(self, *_: object) -> None:
        self.file.close()


class _Limited(io.RawIOBase):
    """A stream that ends in a sentence where it has more bytes than may be, or is damaged."""

    def __init__(self, source: IO[bytes], path: Path, most: int) -> None:
        self.source, self.path, self.most, self.left = source, path, most, most

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]  # any buffer is one
        try:
            data = self.source.read(len(buffer))
        except (OSError, EOFError, zlib.error) as error:
            raise InputError(f"{self.path}: is damaged ({error}); get it again") from None
        self.left -= len(data)
        if self.left < 0:
            raise InputError(
                f"{self.path}: unpacks to more than {self.most:,} bytes, which are the most for it; unpack it yourself"
            )
        buffer[: len(data)] = data
        return len(data)


def _rows(lines: io.TextIOWrapper, path: Path) -> Iterator[list[str]]:
    """The words of every line that has some and is no remark."""
    kept = (line for line in lines if line.strip() and not line.lstrip().startswith(("#", "%")))
    first = next(kept, "")
    separator = next((word for word in _SEPARATORS if word in first), None)
    every = itertools.chain([first] if first else [], kept)
    read = csv.reader(every, delimiter=separator) if separator else (re.split(r"\s+", line.strip()) for line in every)
    width = 0
    for number, row in enumerate(read, 1):
        words = [word.strip() for word in row]
        if width and len(words) != width:
            raise InputError(f"{path}: row {number:,} has {len(words)} columns and the first {width}")
        width = len(words)
        yield words


def is_number(word: str) -> bool:
    """Whether a word reads as a number."""
    try:
        float(word)
    except ValueError:
        return False
    return True
