"""VTK's XML files of surfaces (.vtp): ascii, base64 and appended, plain or zlib-compressed."""

from __future__ import annotations

import base64
import binascii
import re
import zlib
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
from numpy.typing import NDArray

from meshtide.errors import InputError
from meshtide.files import read_regular
from meshtide.mesh.files.raw import Polygons, parse_numbers
from meshtide.mesh.files.vtk_data import VtkSurface, check_count, sizes_of

_KINDS = {
    "Int8": "i1", "UInt8": "u1", "Int16": "i2", "UInt16": "u2", "Int32": "i4", "UInt32": "u4", "Int64": "i8",
    "UInt64": "u8", "Float32": "f4", "Float64": "f8",
}  # fmt: skip
_APPENDED = re.compile(rb'<AppendedData\s+encoding\s*=\s*"(raw|base64)"\s*>\s*_')
_ROOM = 2**26  # bytes that arrays may always fill; beyond, a hundred times the file's size


def read_vtp(path: Path) -> Polygons:
    """The points and polygons of a VTP file."""
    return read_vtp_surface(path).polygons()


def read_vtp_surface(path: Path) -> VtkSurface:
    """A VTP file with its arrays; cells that are no polygons are passed over, strips are refused."""
    return _Reader(path).read()


class _Reader:
    def __init__(self, path: Path) -> None:
        self.path, self.data = path, read_regular(path)
        found = _APPENDED.search(self.data)
        self.appended = self.data[found.end() :] if found else b""
        self.is_raw = bool(found and found[1] == b"raw")
        text = self.data[: found.start()] + b"</VTKFile>" if found else self.data
        # Entities could make a small file large, and VTK writes none; noughts are in texts of two bytes a letter.
        if b"\0" in text or b"<!" in text.replace(b"<!--", b""):
            raise InputError(f"{path}: declares XML entities or is no plain text, which a VTP file is; save it again")
        try:
            self.root = ElementTree.fromstring(text)
        except (ElementTree.ParseError, ValueError, LookupError) as error:
            raise InputError(f"{path}: is no XML that can be read ({str(error)[:80]}); is it damaged?") from None
        self.order = ">" if self.root.get("byte_order") == "BigEndian" else "<"
        self.header = np.dtype(self.order + ("u8" if self.root.get("header_type") == "UInt64" else "u4"))
        self.compressor = self.root.get("compressor")
        if self.compressor not in (None, "", "vtkZLibDataCompressor"):
            raise InputError(f"{path}: is compressed by {self.compressor[:40]}; save it with zlib or uncompressed")
        self.left = _ROOM + 100 * len(self.data)

    def read(self) -> VtkSurface:
        """The one piece of the file."""
        pieces = self.root.findall("PolyData/Piece")
        if self.root.get("type") != "PolyData" or len(pieces) != 1:
            kind, count = str(self.root.get("type"))[:40], len(pieces)
            raise InputError(f"{self.path}: holds {kind} in {count:,} pieces; wanted PolyData in one, saved as .vtp")
        piece = pieces[0]
        if self._claims(piece, "NumberOfStrips"):
            raise InputError(
                f"{self.path}: has triangle strips, which have no faces of their own; triangulate it first"
            )
        counts = [self._claims(piece, name) for name in ("NumberOfVerts", "NumberOfLines", "NumberOfPolys")]
        points = piece.find("Points/DataArray")
        if points is None or not counts[2]:
            raise InputError(f"{self.path}: has no surface of points and polygons; save the surface as PolyData")
        place = self._array(points).astype(np.float64)
        if place.ndim != 2 or place.shape[1] != 3 or len(place) != self._claims(piece, "NumberOfPoints"):
            raise InputError(f"{self.path}: its points are {place.shape}; wanted x, y, z for each; is it damaged?")
        corners, ends = (self._cells(piece, name).astype(np.int64) for name in ("connectivity", "offsets"))
        sizes = sizes_of(np.concatenate([np.zeros(1, dtype=np.int64), ends]), corners, self.path)
        if len(sizes) != counts[2]:
            raise InputError(f"{self.path}: has {len(sizes):,} polygons and claims {counts[2]:,}; is it damaged?")
        before, every = sum(counts[:2]), sum(counts)
        cells = {name: row[before:] for name, row in self._arrays(piece, "CellData", every).items()}
        return VtkSurface(place, corners, sizes, self._arrays(piece, "PointData", len(place)), cells, self._words())

    def _claims(self, piece: ElementTree.Element, name: str) -> int:
        word = piece.get(name, "0").strip()
        if not re.fullmatch("[0-9]{1,15}", word):
            raise InputError(f"{self.path}: says {word[:40]!r} as {name}; is it damaged?")
        return check_count(int(word), len(self.data), name.removeprefix("NumberOf").lower(), self.path)

    def _cells(self, piece: ElementTree.Element, name: str) -> NDArray[Any]:
        found = [each for each in piece.findall("Polys/DataArray") if each.get("Name") == name]
        if not found:
            raise InputError(f"{self.path}: has polygons without {name}; is it damaged?")
        return self._array(found[0])

    def _arrays(self, piece: ElementTree.Element, where: str, count: int) -> dict[str, NDArray[Any]]:
        """The arrays of numbers that have a row for each element, by name."""
        rows = {
            str(each.get("Name")): self._array(each)
            for each in piece.findall(f"{where}/DataArray")
            if each.get("type") in _KINDS
        }
        return {name: row for name, row in rows.items() if len(row) == count}

    def _words(self) -> dict[str, tuple[str, ...]]:
        """Lists of words: letters as numbers, a nought behind each word."""
        found = {}
        for each in self.root.findall("PolyData/FieldData/*"):
            if each.get("type") == "String":
                letters = self._numbers(each, "u1" if each.get("format") != "ascii" else "i8")
                whole = bytes(letters.astype(np.uint8)).decode("utf-8", errors="replace")
                found[str(each.get("Name"))] = tuple(whole.split("\0")[:-1])
        return found

    def _array(self, element: ElementTree.Element) -> NDArray[Any]:
        kind = _KINDS.get(element.get("type", ""))
        if kind is None:
            raise InputError(f"{self.path}: has an array of {element.get('type', '')[:40]!r}; is it damaged?")
        values = self._numbers(element, kind)
        width = element.get("NumberOfComponents", "1").strip()
        if not re.fullmatch("[0-9]{1,3}", width) or int(width) < 1 or len(values) % int(width):
            raise InputError(f"{self.path}: has an array of {len(values):,} numbers, {width[:9]!r} a row; damaged?")
        return values.reshape(-1, int(width)) if int(width) > 1 else values

    def _numbers(self, element: ElementTree.Element, kind: str) -> NDArray[Any]:
        form = element.get("format", "ascii")
        if form == "ascii":
            text = (element.text or "").encode()
            return parse_numbers(text, np.float64 if kind[0] == "f" else np.int64, str(self.path))
        data = self._block((element.text or "").encode() if form == "binary" else self._at_offset(element), form)
        self._count_bytes(len(data))  # several arrays may be the same bytes of the file
        if len(data) % np.dtype(kind).itemsize:
            raise InputError(f"{self.path}: has half a number at the end of an array; is it damaged?")
        return np.frombuffer(data, np.dtype(self.order + kind)).astype(kind)

    def _at_offset(self, element: ElementTree.Element) -> bytes:
        word = element.get("offset", "").strip()
        if not re.fullmatch("[0-9]{1,15}", word) or int(word) > len(self.appended):
            raise InputError(f"{self.path}: has an array that begins behind the file's end; is it cut short?")
        return self.appended[int(word) :]

    def _block(self, data: bytes, form: str) -> bytes:
        """The bytes of an array: behind a header that counts them, in base64 unless they are raw."""
        if form == "appended" and self.is_raw:
            return self._plain(data) if not self.compressor else self._inflated(*self._raw_blocks(data))
        text = re.split(rb"[^A-Za-z0-9+/=\s]", data, maxsplit=1)[0]
        text = b"".join(text.split())
        if not self.compressor:
            size = self.header.itemsize
            head = self._decoded(text[: -(-size // 3) * 4])
            return self._plain(self._decoded(text[: 4 * (-(-(size + self._first(head)) // 3))]))
        # The header of compressed arrays is encoded by itself, and its first number says how long it is.
        size = self.header.itemsize
        count = self._first(self._decoded(text[: 4 * (-(-size // 3))]))
        length = 4 * (-(-size * (3 + check_count(count, len(text), "blocks", self.path)) // 3))
        return self._inflated(self._header(self._decoded(text[:length]), count), self._decoded(text[length:]))

    def _raw_blocks(self, data: bytes) -> tuple[NDArray[Any], bytes]:
        count = check_count(self._first(data), len(data), "blocks", self.path)
        return self._header(data, count), data[self.header.itemsize * (3 + count) :]

    def _header(self, data: bytes, count: int) -> NDArray[Any]:
        if len(data) < self.header.itemsize * (3 + count):
            raise InputError(f"{self.path}: ends within an array's header; is it cut short?")
        return np.frombuffer(data, self.header, 3 + count).astype(np.uint64)

    def _first(self, data: bytes) -> int:
        if len(data) < self.header.itemsize:
            raise InputError(f"{self.path}: has an array without a header; is it cut short?")
        return int(np.frombuffer(data, self.header, 1)[0])

    def _plain(self, data: bytes) -> bytes:
        count = self._first(data)
        if count > len(data) - self.header.itemsize:
            raise InputError(f"{self.path}: has an array of {count:,} bytes that is cut short; copy it again")
        return data[self.header.itemsize : self.header.itemsize + count]

    def _inflated(self, header: NDArray[Any], data: bytes) -> bytes:
        """Blocks one after another, each no larger than the header says, all together no more than the file may."""
        count, full, last = (int(value) for value in header[:3])
        blocks, place = [], 0
        for number, size in enumerate(header[3:].tolist()):
            room = last if last and number == count - 1 else full
            self._count_bytes(room)
            if place + size > len(data):
                raise InputError(f"{self.path}: ends within its compressed arrays; is it cut short?")
            try:
                blocks.append(zlib.decompressobj().decompress(data[place : place + size], room or 1))
            except zlib.error as error:
                raise InputError(f"{self.path}: its compressed arrays are damaged ({error}); copy it again") from None
            place += size
        return b"".join(blocks)

    def _count_bytes(self, count: int) -> None:
        """Raise InputError where arrays become too large for the file."""
        self.left -= count
        if self.left < 0:
            raise InputError(f"{self.path}: has more in its arrays than {len(self.data):,} bytes should hold")

    def _decoded(self, text: bytes) -> bytes:
        try:
            # Padding in the middle ends what is decoded; what is asked for stands before it or in a piece of its own.
            return base64.b64decode(text + b"=" * (-len(text) % 4))
        except (binascii.Error, ValueError):
            raise InputError(f"{self.path}: has an array that is no base64; is it damaged?") from None
