"""The header of a PLY file: which elements it has, how many, and how a row of each is laid out."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path

from meshtide.errors import InputError
from meshtide.files import open_regular
from meshtide.mesh.files.raw import MOST_ELEMENTS

_FORMATS = {"ascii": "", "binary_little_endian": "<", "binary_big_endian": ">"}
_KINDS = {
    "char": "i1",
    "uchar": "u1",
    "short": "i2",
    "ushort": "u2",
    "int": "i4",
    "uint": "u4",
    "float": "f4",
    "double": "f8",
    "int8": "i1",
    "uint8": "u1",
    "int16": "i2",
    "uint16": "u2",
    "int32": "i4",
    "uint32": "u4",
    "float32": "f4",
    "float64": "f8",
}
_PIECE, _LONGEST = 1 << 20, 1 << 24  # bytes read at a time, and of the longest header
_MOST_LINES = 3_000  # of a header, remarks aside: a hundred are many
_COUNT = re.compile(r"[0-9]{1,18}")
_REMARKS = ("comment", "obj_info")


@dataclass(frozen=True)
class Property:
    """One value of an element, or a list of values: the number of values first, then the values."""

    name: str
    kind: str  # of the values, as numpy writes it, without a byte order
    count_kind: str | None = None  # of the number of values; None for a single value


@dataclass(frozen=True)
class Element:
    """One kind of element: its rows all have the same properties in the same order."""

    name: str
    count: int
    properties: tuple[Property, ...] = ()

    def find(self, name: str) -> Property | None:
        """The property of this name, if there is one."""
        return next((each for each in self.properties if each.name == name), None)


@dataclass(frozen=True)
class Header:
    """The elements of a file in their order, and where and how their rows are stored."""

    elements: tuple[Element, ...]
    order: str  # of bytes, "<" or ">"; "" for a file of text
    length: int  # bytes up to the rows

    def find(self, name: str) -> Element | None:
        """The element of this name, if there is one."""
        return next((each for each in self.elements if each.name == name), None)


def read_header(path: Path) -> Header:
    """The header of a file, after checking that as many elements as it claims can be in the file."""
    start, end = _header_bytes(path)
    size = path.stat().st_size
    order: str | None = None
    elements: list[Element] = []
    said = 0
    # Not splitlines, which would also break a line at bytes that a name or a remark may have.
    for line in re.split(r"[\r\n]+", start.decode(errors="replace"))[1:]:
        words = line.split()
        if not words or words[0] in _REMARKS:
            continue
        said += 1
        if said > _MOST_LINES:
            raise InputError(
                f"{path}: its header has more than {_MOST_LINES:,} elements and properties; is it damaged?"
            )
        if words[0] == "format" and len(words) > 1 and words[1] in _FORMATS and order is None:
            order = _FORMATS[words[1]]
        elif words[0] == "element" and len(words) == 3:
            elements.append(_element(words, elements, size, path))
        elif words[0] == "property" and elements:
            elements[-1] = _with_property(elements[-1], words, path)
        else:
            raise InputError(f"{path}: has the header line {line[:60]!r}, which is not one of PLY; is it damaged?")
    if order is None:
        raise InputError(f"{path}: its header names no format; wanted one of {', '.join(_FORMATS)}")
    return Header(tuple(elements), order, end)


def _header_bytes(path: Path) -> tuple[bytes, int]:
    """What stands above end_header, and where the rows begin."""
    with open_regular(path) as file:
        data = file.read(_PIECE)
        first = re.match(rb"ply[ \t]*(\r\n|\n|\r)", data)
        if first:
            # Where lines end with \r alone, a \n behind the last of them is the first byte of the rows.
            ends = rb"\r|\n" if first[1] == b"\r" else rb"\r\n|\n|\r"
            pattern = re.compile(rb"[\r\n]end_header[ \t]*(" + ends + rb"|\Z)")
            while (found := pattern.search(data)) is None and len(data) < _LONGEST and (more := file.read(_PIECE)):
                data += more
            if found:
                return data[: found.start()], found.end()
    raise InputError(f"{path}: has no PLY header; is it another format under this name?")


def _element(words: list[str], before: list[Element], size: int, path: Path) -> Element:
    name, count = words[1:]
    shown = repr(name[:40])
    if not _COUNT.fullmatch(count) or int(count) > min(size, MOST_ELEMENTS):
        raise InputError(f"{path}: claims {count[:40]!r} elements {shown} in {size:,} bytes; is it cut short?")
    if any(name == each.name for each in before):
        raise InputError(f"{path}: its header has two elements {shown}; re-export it as a plain mesh")
    return Element(name, int(count))


def _with_property(element: Element, words: list[str], path: Path) -> Element:
    """The element with one more property."""
    is_list = words[1:2] == ["list"]
    kinds = [_KINDS.get(word) for word in words[1 + is_list : -1]]
    if len(words) != (5 if is_list else 3) or None in kinds or (is_list and str(kinds[0])[0] == "f"):
        raise InputError(
            f"{path}: has the header line {' '.join(words)[:60]!r}; wanted 'property TYPE NAME' or "
            "'property list TYPE TYPE NAME' with the types of PLY"
        )
    if element.find(words[-1]):
        raise InputError(f"{path}: its elements {element.name[:40]!r} have two properties {words[-1][:40]!r}")
    added = Property(words[-1], str(kinds[-1]), str(kinds[0]) if is_list else None)
    return replace(element, properties=(*element.properties, added))
