"""Numpy arrays of files that nobody vouches for: no pickle, and no more memory than a graph may take."""

from __future__ import annotations

import lzma
import math
import tokenize
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from meshtide.errors import InputError
from meshtide.files import array_header, checked_text, open_regular

MOST_BYTES = 2**31  # of an array
_ROOM, _TIMES = 2**27, 100  # bytes that an archive's arrays may fill, and more for each byte of it: noughts pack well
_LONGEST_HEADER = 16_384  # bytes; numpy itself refuses one of more than 10,000
_MOST_MEMBERS = 1_000
_DAMAGE = (
    ValueError, TypeError, SyntaxError, tokenize.TokenError, OverflowError, RecursionError, EOFError, MemoryError,
    zipfile.BadZipFile, zlib.error, lzma.LZMAError, RuntimeError, OSError, KeyError,
)  # fmt: skip


class Arrays(Mapping[str, NDArray[Any]]):
    """The arrays of an .npz file by name, each read when it is asked for."""

    def __init__(self, archive: zipfile.ZipFile, path: Path) -> None:
        members = [info.filename for info in archive.infolist() if info.filename.endswith(".npy")]
        if len(members) > _MOST_MEMBERS:
            raise InputError(f"{path}: holds {len(members):,} arrays; wanted those of one graph")
        self.archive, self.path = archive, path
        self.left = _ROOM + _TIMES * path.stat().st_size
        self.names = tuple(dict.fromkeys(member.removesuffix(".npy") for member in members))

    def __getitem__(self, name: str) -> NDArray[Any]:
        if name not in self.names:
            raise KeyError(name)
        with _sentences(self.path), self.archive.open(f"{name}.npy") as stream:
            found = _read(stream, f"'{name}'", min(self.left, MOST_BYTES))
        self.left -= found.nbytes
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    def wanted(self, name: str) -> NDArray[Any]:
        """An array that has to be there."""
        if name not in self.names:
            raise InputError(f"{self.path}: has no array '{name}', only {', '.join(self.names[:20]) or 'none'}")
        return self[name]


@contextmanager
def open_npz(path: Path) -> Iterator[Arrays]:
    """The arrays of an .npz file, while it is open."""
    with open_regular(path) as file, _sentences(path), zipfile.ZipFile(file) as archive:
        yield Arrays(archive, path)


def read_npy(path: Path) -> NDArray[Any]:
    """The array of an .npy file."""
    with open_regular(path) as file, _sentences(path):
        return _read(file, "the array", MOST_BYTES)


@contextmanager
def _sentences(path: Path) -> Iterator[None]:
    """Turn whatever a damaged file does to numpy and zipfile into a sentence."""
    try:
        yield
    except InputError as error:
        raise error if str(error).startswith(str(path)) else InputError(f"{path}: {error}") from None
    except _DAMAGE as error:
        cause = str(error).partition("\n")[0][:120] or type(error).__name__
        raise InputError(f"{path}: is damaged, or no file of numpy arrays ({cause}); get or save it again") from None


def _read(stream: IO[bytes], what: str, most: int) -> NDArray[Any]:
    """An array, after a check that its header claims nothing but numbers or text of a size that may be."""
    start = stream.read(_LONGEST_HEADER)
    head = BytesIO(start)
    shape, fortran, dtype = array_header(head)
    if dtype.hasobject:
        raise InputError(f"{what} holds pickled Python objects, which are never loaded")
    if dtype.kind not in "iubfUS" or any(isinstance(size, bool) or size < 0 for size in shape):
        raise InputError(f"{what} holds {dtype} of shape {shape}; wanted numbers or text")
    wanted = math.prod(shape) * dtype.itemsize
    if wanted > most:
        raise InputError(f"{what} claims {wanted:,} bytes, more than the {most:,} that this file may still fill")
    data = bytearray(start[head.tell() :])
    while len(data) < wanted and (piece := stream.read(min(2**24, wanted - len(data)))):
        data += piece
    if len(data) < wanted:
        raise EOFError(f"{what} ends after {len(data):,} of {wanted:,} bytes")
    values = np.frombuffer(data, dtype, math.prod(shape))
    checked_text(values)
    return values.reshape(shape, order="F" if fortran else "C")
