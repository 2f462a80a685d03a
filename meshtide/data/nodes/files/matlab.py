"""MATLAB's files of versions 5 to 7, read here with every length checked: readers in C believe what a file claims."""

from __future__ import annotations

import math
import struct
import zlib
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from meshtide.errors import InputError

MOST_BYTES = 2**32  # of a file, and of what it unpacks to
_ROOM, _TIMES = 2**27, 100  # bytes that any file may unpack to, and more for each byte of it: noughts pack well
_START = 128  # bytes of text, version and byte order
_MATRIX, _PACKED = 14, 15
_STORED = {1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 9: "f8", 12: "i8", 13: "u8"}
_SPARSE = 5
_CLASSES = {6: "f8", 7: "f4", 8: "i1", 9: "u1", 10: "i2", 11: "u2", 12: "i4", 13: "u4", 14: "i8", 15: "u8"}
_COMPLEX = 0x0800

Matrix = NDArray[Any] | sparse.csr_array


def read_matlab(data: bytes) -> dict[str, Matrix]:
    """The real numbers in a file by name; texts, structures, objects and complex numbers are left out.

    A damaged file raises InputError without the file's name.
    """
    if data[:8] == b"\x89HDF\r\n\x1a\n" or b"MATLAB 7.3" in data[:_START]:
        raise InputError("is of MATLAB's version 7.3; save it with version 7 or as .npz")
    mark = data[126:_START]
    if mark not in (b"IM", b"MI"):
        raise InputError("is no MATLAB file of versions 5 to 7; save it with version 7 or as .npz")
    left = most = min(MOST_BYTES, _ROOM + _TIMES * len(data))
    found: dict[str, Matrix] = {}
    elements = _Elements(memoryview(data)[_START:], "<" if mark == b"IM" else ">")
    while elements.data:
        kind, content = elements.take()
        if kind == _PACKED:
            content = _unpacked(content, left)
            left -= len(content)
            if left < 0:
                raise InputError(f"unpacks to more than {most:,} bytes, which are the most for it; save it unpacked")
            kind, content = _Elements(content, elements.order).take()
        if kind == _MATRIX and (named := _matrix(_Elements(content, elements.order), most)):
            found[named[0]] = named[1]
    return found


class _Elements:
    """What follows each other in a file or a matrix, each with its kind and length before it."""

    def __init__(self, data: memoryview, order: Literal["<", ">"]) -> None:
        self.data, self.order = data, order

    def take(self) -> tuple[int, memoryview]:
        """The kind and the bytes of the next one."""
        if len(self.data) < 8:
            raise InputError("ends within a matrix; is it cut short?")
        kind, size = struct.unpack(f"{self.order}II", self.data[:8])
        start = 8
        if kind >> 16:  # four bytes or less stand beside their kind
            kind, size, start = kind & 0xFFFF, kind >> 16, 4
        content = self.data[start : start + size]
        if len(content) < size or (start == 4 and size > 4):
            raise InputError(f"claims {size:,} bytes for a piece of {len(content):,}; is it cut short?")
        end = start + size
        self.data = self.data[end if kind == _PACKED else end + -end % 8 :]
        return kind, content

    def numbers(self) -> NDArray[Any]:
        """The next one as an array in the byte order of this machine."""
        kind, content = self.take()
        if kind not in _STORED:
            raise InputError(f"has a piece of kind {kind:,} where numbers should stand")
        stored = np.dtype(_STORED[kind])
        if len(content) % stored.itemsize:
            raise InputError(f"has {len(content):,} bytes of numbers of {stored.itemsize} bytes; is it damaged?")
        values = np.frombuffer(content, stored.newbyteorder(self.order))
        return values if values.dtype.isnative else values.astype(stored)


def _matrix(elements: _Elements, most: int) -> tuple[str, Matrix] | None:
    """Name and values of a matrix, or None if it holds no real numbers."""
    if not elements.data:
        return None
    flags = elements.numbers()
    if flags.dtype != np.uint32 or not len(flags):
        raise InputError("has a matrix without a class; is it damaged?")
    shape = tuple(int(size) for size in elements.numbers())
    name = bytes(elements.take()[1]).decode("utf-8", "replace")
    number = int(flags[0]) & 0xFF
    if number not in (_SPARSE, *_CLASSES) or int(flags[0]) & _COMPLEX:
        return None
    if not 2 <= len(shape) <= 32 or min(shape) < 0:
        raise InputError(f"'{name}' is damaged: it claims the shape {shape[:5]}")
    values = _sparse(elements, shape, name, most) if number == _SPARSE else _dense(elements, shape, name, number)
    return name, values


def _dense(elements: _Elements, shape: tuple[int, ...], name: str, number: int) -> NDArray[Any]:
    values, wanted = elements.numbers(), np.dtype(_CLASSES[number])
    if math.prod(shape) != len(values):
        raise InputError(f"'{name}' is damaged: {len(values):,} numbers for the shape {shape[:5]}")
    if wanted.kind == "f" and (values.dtype.kind != "f" or values.dtype.itemsize <= wanted.itemsize):
        cast = values.astype(wanted, copy=False)  # whole numbers are kept in fewer bytes
    else:
        cast = values if values.dtype.kind == "f" else values.astype(wanted, copy=False)
        if cast.dtype != wanted or (cast != values).any():
            raise InputError(f"'{name}' is damaged: its numbers are {values.dtype} and do not fit {wanted}")
    return cast.reshape(shape, order="F")


def _sparse(elements: _Elements, shape: tuple[int, ...], name: str, most: int) -> sparse.csr_array:
    """A matrix by columns: the rows of its entries, where each column begins among them, and the entries."""
    rows, begins, values = elements.numbers(), elements.numbers(), elements.numbers()
    if rows.dtype.kind == "f" or begins.dtype.kind == "f" or len(shape) != 2 or 16 * max(shape) > most:
        raise InputError(f"'{name}' is a damaged sparse matrix of shape {shape[:5]}")
    count = int(begins[-1]) if len(begins) else 0
    try:
        matrix: Any = sparse.csc_array((values[:count], rows[:count], begins), shape=shape)
        matrix.check_format(full_check=True)
    except (ValueError, IndexError, TypeError, OverflowError) as error:
        raise InputError(f"'{name}' is a damaged sparse matrix ({error})") from None
    return sparse.csr_array(matrix)


def _unpacked(data: memoryview, most: int) -> memoryview:
    """Packed data, of which no more is unpacked than a little over `most`."""
    reader, found, left = zlib.decompressobj(), bytearray(), bytes(data)
    try:
        while left and not reader.eof and len(found) <= most:
            found += reader.decompress(left, 2**24)
            left = reader.unconsumed_tail
    except zlib.error as error:
        raise InputError(f"has packed numbers that cannot be unpacked ({error}); is it damaged?") from None
    return memoryview(found)
