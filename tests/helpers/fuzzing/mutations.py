"""Damage to files, by chance and by the grammar of their formats; the same random numbers do the same damage."""

from __future__ import annotations

import io
import json
import re
import struct
import zipfile
import zlib
from collections.abc import Callable
from copy import deepcopy
from random import Random
from typing import Any

Change = Callable[[bytes, Random], bytes]

NUMBERS = (
    b"0", b"-0", b"1", b"-1", b"2", b"3", b"-2147483649", b"4294967296", b"9223372036854775808", b"1e400", b"1e308",
    b"1e200", b"1e150", b"-1e150", b"1e38", b"1e-38", b"1e-150", b"1e-200", b"5e-324", b"nan", b"inf", b"-inf",
    b"0x10", b"1_0", b"1.5", b"1e3", b"99999999999999999999", b"9" * 400, b"9" * 5000, b"0.1", b"1e9", b"1000000",
    b"100000000", b"+1", b"1,5", "١".encode(), "²".encode(), b"1e", b".", b"-", b"1/", b"//1",
)  # fmt: skip
WORDS = (
    b"", b" ", b"\t", b"\0", b"\x1b[31m", b"\x1b]0;x\x07", b"\xff", b"\xc3", "头".encode(), "😀".encode(),
    b"\xef\xbb\xbf", b"#", b"\\", b"'", b'"', b"a" * 3000, b"../..", b"/etc/passwd", b"%s%n", b"[bold]", b"[/]",
    b"{name}", b"null", b"true", b"\x85", b"\xe2\x80\xa8", b"end_header", b"element vertex 3",
    b"property list uchar int x", b"property float x", b"format ascii 1.0", b"f 1 2 3", b"v 0 0 0", b"g x", b"OFF",
    b"4OFF", b"nOFF", b"OFF BINARY", b"solid", b"endsolid", b"facet", b"vertex 0 0 0", b"int", b"double", b"list",
    b"float", b"char", b"-1", b"names", b"labels", b"on", b"faces", b"vertices", b"edges",
    b'# meshtide labels {"on":"faces"}',
)  # fmt: skip
VALUES: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2, 3, 1.5, -0.0, 2**31, 2**32, 2**63, 2**64, 10**400, 1e308, 1e150, float("nan"),
    float("inf"), "", "x", "\0", "\x1b[31m", "x" * 5000, "../x", "\ud800", "头", [], [[]], {}, [0], [None], {"a": {}},
    ["x"], [1.5], 255, 65536, 5126, 5125, 5123, 5121, 5120, "VEC3", "SCALAR", 4, 5, 6, 1000000, 100000000,
    [1e300, 1, 1], [0, 0, 0, 0], "data:,", "data:;base64,AAAA", "F32", "F64", "I64", "BF16", "faces", "vertices",
    "tide-m", "gcn", "surface", "graph", "default", 10**15,
)  # fmt: skip
PIECES = tuple(
    struct.pack(order + code, value)
    for order in "<>"
    for code, values in (
        ("i", (0, 1, -1, 3, 255, 65536, 2**31 - 1, -(2**31), 10**6, 10**8)),
        ("f", (0.0, 1e38, -1e38, 1e-40, float("nan"), float("inf"), 1e20, 1e-20)),
        ("d", (0.0, 1e308, 1e150, 1e-150, 5e-324, float("nan"), float("-inf"))),
        ("H", (0, 1, 255, 65535)),
        ("q", (-1, 2**62, 10**12)),
    )
    for value in values
)
_NUMBER = re.compile(rb"[-+]?\d+(\.\d*)?([eE][-+]?\d+)?")
_WORD = re.compile(rb"[^\s]+")
_HEADS = {
    ".ply": 400,
    ".stl": 90,
    ".glb": 40,
    ".npy": 128,
    ".h5": 3000,
    ".safetensors": 300,
    ".training": 300,
    ".npz": 200,
    ".vtk": 400,
    ".vtp": 900,
}
_JSON = (".gltf", ".json")
_TEXT = (".obj", ".off", ".txt", ".seg", ".eseg", ".toml", ".gltf", ".json")


def mutated(kind: str, data: bytes, others: list[bytes], random: Random) -> bytes:
    """A file with one to four changes; `others` are files of the same kind, of which blocks are borrowed."""
    suffix = kind[kind.rindex(".") :]
    for _ in range(random.choice((1, 1, 1, 2, 2, 3, 4))):
        data = _change(kind, suffix, data, others, random)(data, random)
    return data[: 1 << 20]


def _change(kind: str, suffix: str, data: bytes, others: list[bytes], random: Random) -> Change:
    choices: list[Change] = [
        _flip,
        _piece,
        _cut,
        _repeat,
        _move,
        _truncate,
        lambda d, r: _splice(d, r.choice(others), r),
    ]
    textual = suffix in _TEXT or b"ascii" in data[:60].lower() or suffix in (".vtp", ".vtk") or data[:5] == b"solid"
    if textual:
        choices += [_number] * 6 + [_word] * 2 + [_line] * 3 + [_columns]
    if suffix in _HEADS:
        reach = _HEADS[suffix]
        choices += [lambda d, r: _at_head(d, reach, r)] * 4
    if suffix == ".ply":
        choices += [_ply_header] * 5
    if suffix in _JSON:
        choices += [_json] * 8
    if suffix == ".glb":
        choices += [_glb_json] * 10
    if suffix in (".safetensors", ".training"):
        choices += [_safetensors] * 12
    if suffix == ".npz":
        choices += [_npz] * 8
    change = random.choice(choices)
    if suffix == ".h5" and random.random() < 0.6:  # a seal that fits, or nothing behind it would ever be looked at
        return lambda d, r: _resealed(change(d, r))
    return change


def _place(data: bytes, random: Random) -> int:
    return random.randrange(len(data) + 1)


def _length(data: bytes, random: Random) -> int:
    return min(random.choice((1, 1, 2, 4, 8, 12, 50, 200, 1000)), len(data))


def _flip(data: bytes, random: Random) -> bytes:
    changed = bytearray(data)
    for _ in range(random.choice((1, 1, 2, 8)) if data else 0):
        at = random.randrange(len(changed))
        changed[at] = random.choice((random.randrange(256), changed[at] ^ (1 << random.randrange(8)), 0, 255, 10, 45))
    return bytes(changed)


def _piece(data: bytes, random: Random) -> bytes:
    piece, at = random.choice(PIECES), _place(data, random)
    at = at // len(piece) * len(piece) if random.random() < 0.5 else at
    return data[:at] + piece + data[at + len(piece) * random.choice((1, 1, 0)) :]


def _cut(data: bytes, random: Random) -> bytes:
    at = _place(data, random)
    return data[:at] + data[at + _length(data, random) :]


def _repeat(data: bytes, random: Random) -> bytes:
    at, times = _place(data, random), random.choice((1, 1, 2, 100))
    return data[:at] + data[at : at + _length(data, random)] * times + data[at:]


def _move(data: bytes, random: Random) -> bytes:
    at, length = _place(data, random), _length(data, random)
    block, rest = data[at : at + length], data[:at] + data[at + length :]
    to = _place(rest, random)
    return rest[:to] + block + rest[to:]


def _truncate(data: bytes, random: Random) -> bytes:
    return data[: _place(data, random)]


def _splice(data: bytes, other: bytes, random: Random) -> bytes:
    return data[: _place(data, random)] + other[_place(other, random) :]


def _at_head(data: bytes, reach: int, random: Random) -> bytes:
    """Any change of bytes, but where the format says what is in the file."""
    change = random.choice((_flip, _flip, _piece, _piece, _cut, _repeat, _number))
    return change(data[:reach], random) + data[reach:]


def _replaced(data: bytes, pattern: re.Pattern[bytes], new: tuple[bytes, ...], random: Random) -> bytes:
    found = list(pattern.finditer(data))
    if not found:
        return data
    match = random.choice(found)
    return data[: match.start()] + random.choice(new) + data[match.end() :]


def _number(data: bytes, random: Random) -> bytes:
    return _replaced(data, _NUMBER, NUMBERS, random)


def _word(data: bytes, random: Random) -> bytes:
    return _replaced(data, _WORD, WORDS, random)


def _line(data: bytes, random: Random) -> bytes:
    """A line is left out, repeated, moved, broken, joined, emptied or replaced."""
    lines = data.split(b"\n")
    at, to = random.randrange(len(lines)), random.randrange(len(lines))
    what = random.randrange(9)
    if what == 0:
        del lines[at]
    elif what == 1:
        lines[at:at] = [lines[at]] * random.choice((1, 1, 30))
    elif what == 2:
        lines[at], lines[to] = lines[to], lines[at]
    elif what == 3:
        lines[at] = lines[at].replace(b" ", random.choice((b"\n", b"\r", b"\t", b"  ", b"\x0b", b"\x0c")))
    elif what == 4:
        lines[at : at + 2] = [b" ".join(lines[at : at + 2])]
    elif what == 5:
        lines[at] = random.choice((b"", b" ", b"#", b"\\", lines[at] + b" # x", lines[at] + b"\\", b"\0" + lines[at]))
    elif what == 6:
        lines[at] = random.choice(WORDS)
    elif what == 7:
        return data.replace(b"\n", random.choice((b"\r\n", b"\r", b"\n\n", b" ", b"\n \n")))
    else:
        lines[at] = b" ".join([lines[at]] * random.choice((2, 50)))
    return b"\n".join(lines)


def _columns(data: bytes, random: Random) -> bytes:
    """Every number of one spelling becomes another one: planes, lines, huge and tiny shapes."""
    found = _NUMBER.findall(data) and [match[0] for match in _NUMBER.finditer(data)]
    return data.replace(random.choice(found), random.choice(NUMBERS[:30])) if found else data


def _ply_header(data: bytes, random: Random) -> bytes:
    head, mark, body = data.partition(b"end_header")
    return random.choice((_number, _word, _line, _line))(head, random) + mark + body


MOST_PLACES = 20_000  # in a JSON text, beyond which nothing is repeated a thousand times


def _json(data: bytes, random: Random) -> bytes:
    """A value of a JSON text is changed, left out, repeated, or moved to where another one was."""
    try:
        said = json.loads(data)
        for _ in range(random.choice((1, 1, 2))):
            said = _changed_value(said, random)
        return json.dumps(said).encode("utf-8", "surrogatepass")
    except (ValueError, RecursionError, TypeError):
        return _number(data, random)


def _places(said: Any) -> list[tuple[Any, Any]]:
    """Every container in a JSON value, with each of its keys."""
    found, left = [], [said]
    while left:
        here = left.pop()
        for key in here if isinstance(here, dict) else range(len(here)) if isinstance(here, list) else ():
            found.append((here, key))
            left.append(here[key])
    return found


def _changed_value(said: Any, random: Random) -> Any:
    places = _places(said)
    if not places:
        return deepcopy(random.choice(VALUES))
    here, key = random.choice(places)
    other, other_key = random.choice(places)
    what = random.randrange(8)
    if what <= 3:
        here[key] = deepcopy(random.choice(VALUES))  # a later change must not reach the next file's
    elif what == 4:
        del here[key]
    elif what == 5:
        here[key] = json.loads(json.dumps(other[other_key]))
    elif what == 6 and isinstance(here, dict):
        here[random.choice(("x", "", "\x1b[31m", "__metadata__", str(other_key)))] = here.pop(key)
    elif isinstance(here, list):
        here[key:key] = [here[key]] * random.choice((1, 2, 1000 if len(places) < MOST_PLACES else 2))
    elif isinstance(here[key], int | float):
        here[key] = here[key] * random.choice((2, -1, 1000, 0.5)) + random.choice((0, 1))
    return said


def _glb_json(data: bytes, random: Random) -> bytes:
    """The JSON chunk is changed and the lengths are put right."""
    length = int.from_bytes(data[12:16], "little")
    text = _json(data[20 : 20 + length], random)
    text += b" " * (-len(text) % 4)
    rest = data[20 + length :]
    return struct.pack("<4sIII4s", b"glTF", 2, 20 + len(text) + len(rest), len(text), b"JSON") + text + rest


def _safetensors(data: bytes, random: Random) -> bytes:
    """The header, our own JSON within it, or the numbers are changed, and the length is put right."""
    length = int.from_bytes(data[:8], "little")
    text, rest = data[8 : 8 + length], data[8 + length :]
    what = random.randrange(5)
    if what == 0:
        return data[: 8 + length] + _piece(rest, random)[: len(rest)].ljust(len(rest), b"\0")
    try:
        said = json.loads(text)
        if what == 1:
            text = _json(text, random)
        else:
            key = random.choice([key for key in said["__metadata__"] if key.startswith("meshtide")])
            said["__metadata__"][key] = _json(said["__metadata__"][key].encode(), random).decode("utf-8", "replace")
            text = json.dumps(said).encode()
    except (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError):
        text = _flip(text, random)
    return len(text).to_bytes(8, "little") + text + rest


def _npz(data: bytes, random: Random) -> bytes:
    """A member of the archive is changed, and the archive packed anew."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = {info.filename: archive.read(info) for info in archive.infolist()}
        name = random.choice(list(members))
        content = members.pop(name)
        name = random.choice((name, name, name, "labels.npy", "names.npy", "on.npy", "../x.npy", "x" * 300 + ".npy"))
        members[name] = random.choice((_at_npy_head, _flip, _piece, _truncate))(content, random)
        stream = io.BytesIO()
        with zipfile.ZipFile(stream, "w", random.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))) as archive:
            for each, content in members.items():
                archive.writestr(each, content)
        return stream.getvalue()
    except Exception:  # the archive was damaged before: any other damage will do
        return _flip(data, random)


def _at_npy_head(data: bytes, random: Random) -> bytes:
    return _at_head(data, 128, random)


def _resealed(data: bytes) -> bytes:
    """A cache entry with a length and checksum that are right for what it holds."""
    head, image = data[:512], data[512:]
    text = re.sub(rb"bytes \d+\ncrc32 [0-9a-f]{8}", b"bytes %d\ncrc32 %08x" % (len(image), zlib.crc32(image)), head)
    return (text.rstrip(b" \n") + b"\n").ljust(511)[:511] + b"\n" + image
