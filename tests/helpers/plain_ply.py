"""PLY written and read value by value, as slowly and plainly as the format's description says it."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

CODES = {"char": "b", "uchar": "B", "short": "h", "ushort": "H", "int": "i", "uint": "I", "float": "f", "double": "d"}
ORDERS = {"binary_little_endian": "<", "binary_big_endian": ">"}


@dataclass
class Plain:
    """A PLY file: (type, name) or (count type, type, name) for each property, and a tuple of values a row."""

    properties: dict[str, list[tuple[str, ...]]] = field(default_factory=dict)  # by element
    rows: dict[str, list[tuple[Any, ...]]] = field(default_factory=dict)  # by element
    comments: list[str] = field(default_factory=list)

    def __getitem__(self, element: str) -> dict[str, list[Any]]:
        """The columns of an element."""
        names = [each[-1] for each in self.properties[element]]
        return {name: [row[at] for row in self.rows[element]] for at, name in enumerate(names)}


def written(plain: Plain, style: str, newline: str = "\n") -> bytes:
    """The file in one of the three formats."""
    lines = ["ply", f"format {style} 1.0", *(f"comment {each}" for each in plain.comments)]
    for name, properties in plain.properties.items():
        lines.append(f"element {name} {len(plain.rows[name])}")
        lines += [" ".join(["property", *(["list"] if len(each) == 3 else []), *each]) for each in properties]
    body = [_row(row, plain.properties[name], style) for name, rows in plain.rows.items() for row in rows]
    return (newline.join([*lines, "end_header"]) + newline).encode() + b"".join(body)


def _row(row: tuple[Any, ...], properties: list[tuple[str, ...]], style: str) -> bytes:
    if style == "ascii":
        words = [repr(word) for value in row for word in ([len(value), *value] if isinstance(value, list) else [value])]
        return (" ".join(words) + "\n").encode()
    data = b""
    for value, each in zip(row, properties, strict=True):
        if isinstance(value, list):
            data += struct.pack(ORDERS[style] + CODES[each[0]] + str(len(value)) + CODES[each[1]], len(value), *value)
        else:
            data += struct.pack(ORDERS[style] + CODES[each[0]], value)
    return data


def read_plain(path: Path) -> Plain:
    """A binary file, every value of it."""
    header, _, data = path.read_bytes().partition(b"\nend_header\n")
    plain, counts, order, at = Plain(), {}, "", 0
    for line in header.decode().split("\n"):
        key, _, rest = line.partition(" ")
        if key == "format":
            order = ORDERS[rest.split()[0]]
        elif key == "comment":
            plain.comments.append(rest)
        elif key == "element":
            name, count = rest.split()
            plain.properties[name], counts[name] = [], int(count)
        elif key == "property":
            plain.properties[name].append(tuple(rest.removeprefix("list ").split()))

    def take(kind: str, count: int) -> list[Any]:
        nonlocal at
        code = f"{order}{count}{CODES[kind]}"
        values = struct.unpack_from(code, data, at)
        at += struct.calcsize(code)
        return list(values)

    for name, count in counts.items():
        plain.rows[name] = [
            tuple(take(each[1], take(each[0], 1)[0]) if len(each) == 3 else take(each[0], 1)[0] for each in properties)
            for properties in [plain.properties[name]] * count
        ]
    assert at == len(data)
    return plain
