"""Labels as lines of text: one a line, Princeton's .seg, MeshCNN's .eseg, and the SHREC'07 lists."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np

from meshtide.errors import InputError
from meshtide.labels.files.contents import (
    LARGEST_NUMBER,
    IndexLists,
    Overlap,
    PerElement,
    Place,
    Sizes,
    check_part_count,
    read_text,
    whole_numbers,
)
from meshtide.words import shown

HEADER = "# meshtide labels "  # then a JSON object with "on" and "names": what write_labels puts above .txt labels

_NUMBER = re.compile(r"[+-]?\d{1,18}(\.0*)?([eE][+-]?\d{1,2})?$")
_FACE_NUMBERS = re.compile(r"\d{1,18}(\s+\d{1,18})*$")
_UNLABELLED = "-1"

Line = tuple[int, str]  # its number in the file, from 1, and its words


def read_lines(path: Path, sizes: Sizes | None) -> PerElement | IndexLists:
    """A .txt file: SHREC'07 lists if a name line comes first and number lines follow, else one label a line."""
    text = read_text(path, sizes)
    lines = _significant(text)
    if not lines:
        raise InputError(f"{path}: has only blank lines and comments; wanted a label for each element of the mesh")
    telling = next((line for _, line in lines if line != _UNLABELLED), _UNLABELLED)
    if _NUMBER.match(telling):
        return _numbers(path, lines, None, text)
    if any(_FACE_NUMBERS.match(line) for _, line in lines):
        return _shrec_lists(path, text)
    return words_to_parts(path, [None if line == _UNLABELLED else line for _, line in lines])


def read_seg(path: Path, sizes: Sizes | None) -> PerElement:
    """Princeton's .seg: the segment number of each face, a line a face."""
    return _numbers(path, _significant(read_text(path, sizes)), "faces")


def read_eseg(path: Path, sizes: Sizes | None) -> PerElement:
    """MeshCNN's .eseg: the part number of each edge, a line an edge."""
    return _numbers(path, _significant(read_text(path, sizes)), "edges")


def words_to_parts(path: Path, words: list[str | None]) -> PerElement:
    """One name an element; None is unlabelled. Parts are numbered in the order in which they first appear."""
    names: dict[str, int] = {}
    values = [-1 if word is None else names.setdefault(word, len(names)) for word in words]
    check_part_count(path, len(names))
    return PerElement(path, np.array(values, dtype=np.int64), tuple(names), base=0)


def _significant(text: str) -> list[Line]:
    """The lines that say something: neither blank nor a comment."""
    stripped = ((number, line.strip()) for number, line in enumerate(text.split("\n"), 1))
    return [(number, line) for number, line in stripped if line and not line.startswith("#")]


def _numbers(path: Path, lines: list[Line], on: Place | None, text: str = "") -> PerElement:
    try:
        numbers = [int(line) for _, line in lines]
    except ValueError:  # something else than an integer is among them: perhaps 1.0, perhaps an error to be named
        numbers = [_number(path, line) for line in lines]
    if numbers and (max(numbers) > LARGEST_NUMBER or min(numbers) < -1):
        at = next(at for at, value in enumerate(numbers) if not -1 <= value <= LARGEST_NUMBER)
        raise InputError(
            f"{path}: line {lines[at][0]:,} says {lines[at][1][:40]!r}; a part number is 0 to {LARGEST_NUMBER:,}, "
            "or -1 for unlabelled"
        )
    values = whole_numbers(path, np.array(numbers, dtype=np.int64))
    header_on, names = _own_header(path, text)
    return PerElement(path, values, names, on or header_on, None if names is None else 0)


def _number(path: Path, line: Line) -> int:
    if not _NUMBER.match(line[1]) or float(line[1]) != int(float(line[1])):
        raise InputError(f"{path}: line {line[0]:,} says {line[1][:40]!r}; wanted one whole number a line")
    return int(float(line[1]))


def _shrec_lists(path: Path, text: str) -> IndexLists:
    """A name line, then a line of face numbers, in turn; an empty second line is a part without faces."""
    lists: dict[str, list[int]] = {}
    name: str | None = None
    for number, line in enumerate(map(str.strip, text.split("\n")), 1):
        if name is not None:
            if line and not _FACE_NUMBERS.match(line):
                raise InputError(
                    f"{path}: line {number:,} says {line[:40]!r}; wanted the face numbers of '{shown(name)}'"
                )
            lists.setdefault(name, []).extend(map(int, line.split()))
            name = None
        elif line and not line.startswith("#"):
            if _FACE_NUMBERS.match(line):
                raise InputError(f"{path}: line {number:,} has numbers; wanted the name of the next part")
            name = line
    if name is not None:
        raise InputError(f"{path}: ends after the name '{name[:40]}'; its face numbers are missing, is it cut short?")
    return joined_lists(path, lists, "faces", "refused", 1)


def joined_lists(
    path: Path, lists: dict[str, list[int]], on: Place | None, overlap: Overlap, usual_base: int
) -> IndexLists:
    """Named lists of element numbers as two arrays."""
    check_part_count(path, len(lists))
    every = [index for members in lists.values() for index in members]
    if every and not 0 <= min(every) <= max(every) < 2**62:
        wrong = min(every) if min(every) < 0 else max(every)
        raise InputError(f"{path}: has the element number {wrong}; element numbers count from 0 or 1 on")
    parts = np.repeat(np.arange(len(lists)), [len(members) for members in lists.values()])
    return IndexLists(path, np.array(every, dtype=np.int64), parts, tuple(lists), on, overlap, usual_base)


def _own_header(path: Path, text: str) -> tuple[Place | None, tuple[str, ...] | None]:
    """Where the labels are and what the parts are called, if our own writer left it above them."""
    first = text.partition("\n")[0]
    if not first.startswith(HEADER):
        return None, None
    try:
        said = json.loads(first.removeprefix(HEADER))
        on, names = said["on"], tuple(said["names"])
    except (ValueError, KeyError, TypeError, RecursionError):
        raise InputError(f"{path}: line 1 starts like our own header and is damaged; remove the line") from None
    if on not in ("vertices", "faces") or not all(isinstance(name, str) for name in names):
        raise InputError(f"{path}: line 1 should hold 'on' (vertices or faces) and 'names'; remove the line")
    return on, names
