"""The rows of a PLY file as columns: one array a property, whatever else stands between its values."""

from __future__ import annotations

import struct
from array import array
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from meshtide.arrays import IntArray
from meshtide.errors import InputError
from meshtide.files import read_regular
from meshtide.mesh.files.ply_header import Element, Header, Property
from meshtide.mesh.files.raw import parse_numbers

_CODES = {"i1": "b", "u1": "B", "i2": "h", "u2": "H", "i4": "i", "u4": "I"}  # how struct writes numpy's kinds

Wanted = Mapping[str, tuple[str, ...]]  # element -> its properties


@dataclass(frozen=True, eq=False)
class Column:
    """The values of one property in the order of the rows; those of a list property one list after another."""

    values: NDArray[Any]  # (N,)
    sizes: IntArray  # (rows,) how many values each row has


def read_columns(path: Path, header: Header, wanted: Wanted) -> dict[tuple[str, str], Column]:
    """The wanted properties, by element and name; all elements must be in the file, whole."""
    data = read_regular(path)
    found: dict[tuple[str, str], Column] = {}
    if header.order:
        start = header.length
        for element in header.elements:
            columns, start = _binary_element(data, start, element, header.order, wanted.get(element.name, ()), path)
            found |= {(element.name, name): column for name, column in columns.items()}
        return found
    lines = [line for line in data[header.length :].splitlines() if line.strip()]
    start = 0
    for element in header.elements:
        rows = lines[start : start + element.count]
        start += element.count
        if len(rows) < element.count and element.properties:
            raise _cut_short(element, path)
        names = wanted.get(element.name, ())
        words_of = [row.split() for row in rows] if names else []
        found |= {(element.name, name): _text_column(words_of, element, name, path) for name in names}
    return found


def _cut_short(element: Element, path: Path) -> InputError:
    return InputError(
        f"{path}: has fewer than the {element.count:,} {element.name[:40]!r} rows it claims; is it cut short?"
    )


def _binary_element(
    data: bytes, start: int, element: Element, order: str, names: tuple[str, ...], path: Path
) -> tuple[dict[str, Column], int]:
    """The columns of one element, and where its rows end."""
    if not element.properties:
        return {}, start
    sizes, row_end = _walk(data, start, element, order, min(element.count, 1), path)
    end = start + element.count * (row_end - start)
    # Almost always all rows are as long as the first one, and the file is a table; its claims are checked by now.
    if end <= len(data):
        rows = np.frombuffer(data, _row_type(element, order, sizes), element.count, offset=start)
        if all((rows[f"size {name}"] == of_first).all() for name, of_first in sizes.items()):
            return {name: _table_column(rows, name) for name in names}, end
    sizes, end = _walk(data, start, element, order, element.count, path)
    return _gathered_columns(data, start, element, order, sizes, names), end


def _walk(
    data: bytes, start: int, element: Element, order: str, count: int, path: Path
) -> tuple[dict[str, IntArray], int]:
    """How long each list of the first `count` rows is, and where these rows end.

    Where a row begins is known only when the one before it has been read: plain Python does that for a million rows
    in a fifth of a second, because it reads nothing but the lengths.
    """
    sizes = {each.name: array("I") for each in element.properties if each.count_kind}
    steps, gap = [], 0  # bytes since the last list
    for each in element.properties:
        if each.count_kind:
            unpack = struct.Struct(order + _CODES[each.count_kind]).unpack_from
            steps.append((gap, unpack, sizes[each.name].append, _width(each.count_kind), _width(each.kind)))
        gap = 0 if each.count_kind else gap + _width(each.kind)
    at = start
    if steps:
        try:
            for _ in range(count):
                for before, unpack, append, count_width, width in steps:
                    at += before
                    (size,) = unpack(data, at)
                    append(size)
                    at += count_width + size * width
                at += gap
        except struct.error:
            raise _cut_short(element, path) from None
        except OverflowError:
            raise InputError(f"{path}: a list of its {element.name[:40]!r} has a negative length; damaged?") from None
    else:
        at += count * gap
    if at > len(data):
        raise _cut_short(element, path)
    return {name: np.array(lengths, dtype=np.int64) for name, lengths in sizes.items()}, at


def _width(kind: str) -> int:
    return int(kind[1])


def _row_type(element: Element, order: str, sizes: dict[str, IntArray]) -> np.dtype[np.void]:
    """A row whose lists are as long as those of the first row."""
    fields: list[Any] = []
    for each in element.properties:
        if each.count_kind:
            fields.append((f"size {each.name}", order + each.count_kind))  # no property has a space in its name
            fields.append((each.name, order + each.kind, (int(sizes[each.name].max(initial=0)),)))
        else:
            fields.append((each.name, order + each.kind))
    return np.dtype(fields)


def _table_column(rows: NDArray[np.void], name: str) -> Column:
    values = rows[name]
    length = values.shape[1] if values.ndim > 1 else 1
    return Column(values.ravel(), np.full(len(rows), length, dtype=np.int64))


def _gathered_columns(
    data: bytes, start: int, element: Element, order: str, sizes: dict[str, IntArray], names: tuple[str, ...]
) -> dict[str, Column]:
    """Columns of rows that differ in length."""
    singles = sum(_width(each.kind) for each in element.properties if not each.count_kind)
    lengths = np.full(element.count, singles, dtype=np.int64)
    for each in element.properties:
        if each.count_kind:
            lengths += _width(each.count_kind) + _width(each.kind) * sizes[each.name]
    at = start + np.cumsum(lengths) - lengths  # (rows,) where the next property of each row begins
    columns = {}
    for each in element.properties:
        own = sizes.get(each.name)
        if each.count_kind:
            at += _width(each.count_kind)
        if each.name in names:
            columns[each.name] = _gather(data, at, each, order, own)
        at += _width(each.kind) * (1 if own is None else own)
    return columns


def _gather(data: bytes, at: IntArray, each: Property, order: str, sizes: IntArray | None) -> Column:
    """The values that begin at these bytes of the file, one a row or a list a row."""
    width = _width(each.kind)
    # The file as values that begin at every byte of it: numpy picks those that are meant.
    every = np.ndarray((len(data) - width + 1,), np.dtype(order + each.kind), data, strides=(1,))
    if sizes is None:
        return Column(every[at], np.ones(len(at), dtype=np.int64))
    before = np.cumsum(sizes) - sizes
    return Column(every[np.repeat(at - width * before, sizes) + width * np.arange(int(sizes.sum()))], sizes)


def _text_column(words_of: list[list[bytes]], element: Element, name: str, path: Path) -> Column:
    """A property of rows that are lines of text, split into words."""
    place = f"{path}: {element.name[:40]!r}"
    starts = [0] * len(words_of)
    try:
        for each in element.properties:
            if each.name == name:
                break
            if each.count_kind:
                starts = [at + 1 + _length(words[at]) for at, words in zip(starts, words_of, strict=True)]
            else:
                starts = [at + 1 for at in starts]
        if each.count_kind is None:
            picked = [words[at] for at, words in zip(starts, words_of, strict=True)]
            return Column(parse_numbers(b" ".join(picked), np.float64, place), np.ones(len(picked), dtype=np.int64))
        sizes = [_length(words[at]) for at, words in zip(starts, words_of, strict=True)]
    except (IndexError, ValueError):
        raise InputError(f"{place}: some of its lines are not what the header says; is it damaged?") from None
    lists = [words[at + 1 : at + 1 + size] for at, size, words in zip(starts, sizes, words_of, strict=True)]
    if any(len(found) != size for found, size in zip(lists, sizes, strict=True)):
        raise InputError(f"{place}: some of its lines are shorter than they say; is it damaged?")
    kind = np.float64 if each.kind[0] == "f" else np.int64
    return Column(parse_numbers(b" ".join(map(b" ".join, lists)), kind, place), np.array(sizes, dtype=np.int64))


def _length(word: bytes) -> int:
    length = int(word)
    if length < 0:
        raise ValueError(length)
    return length
