"""Labels as numpy files.

Numpy reads them, and never unpickles. It would allocate whatever a header claims, and read a header of any length: so a
header's beginning is looked at first, and nothing is unpacked that cannot be labels of this mesh.
"""

from __future__ import annotations

import io
import lzma
import math
import tokenize
import warnings
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from meshtide.errors import InputError
from meshtide.files import array_header, checked_text
from meshtide.labels.files.contents import (
    MOST_ELEMENTS,
    MOST_PARTS,
    PerElement,
    Place,
    Sizes,
    check_is_file,
    read_bytes,
    whole_numbers,
)

LABEL_KEYS = ("labels", "label", "segmentation_labels", "segmentation")
_LONGEST_NAME = 400  # characters
_LONGEST_HEADER = 16_384  # bytes; numpy itself refuses one of more than 10,000
_MOST_MEMBERS = 1_000
_DAMAGE = (ValueError, TypeError, SyntaxError, tokenize.TokenError, OverflowError, RecursionError, EOFError)
_ZIP_DAMAGE = (*_DAMAGE, MemoryError, zipfile.BadZipFile, zlib.error, lzma.LZMAError, RuntimeError, OSError, KeyError)


@dataclass(frozen=True)
class _Header:
    shape: tuple[int, ...]
    dtype: np.dtype[Any]

    @property
    def count(self) -> int:
        return math.prod(self.shape)

    def is_labels(self, sizes: Sizes | None) -> bool:
        """Whether an array of this kind and length can be labels of the mesh."""
        flat = len(self.shape) == 1 or (len(self.shape) == 2 and self.shape[1] == 1)
        fits = self.count <= MOST_ELEMENTS if sizes is None else self.count in sizes.counts()
        return flat and self.dtype.kind in "iub" and fits


def read_npy(path: Path, sizes: Sizes | None) -> PerElement:
    """A .npy file with one whole number an element, (N,) or (N, 1)."""
    most = MOST_ELEMENTS if sizes is None else sizes.most()
    stream = io.BytesIO(read_bytes(path, 16 * most + 100_000))
    try:
        header = _read_header(stream)
        _check_labels(path, "the array", header, most)
        stream.seek(0)
        array = _read_values(stream, header)
    except InputError:
        raise
    except _DAMAGE as error:
        raise _damaged(path, "npy", "numpy.save", error) from None
    return PerElement(path, whole_numbers(path, array))


def read_npz(path: Path, sizes: Sizes | None) -> PerElement:
    """A .npz file: the array called `labels` (or another of LABEL_KEYS), else the only one that fits the mesh."""
    check_is_file(path)
    try:
        with zipfile.ZipFile(path) as archive:
            members = [info for info in archive.infolist() if info.filename.endswith(".npy")]
            if len(members) > _MOST_MEMBERS:
                raise InputError(f"{path}: holds {len(members):,} arrays; wanted the labels of one mesh")
            headers = {info.filename.removesuffix(".npy"): _member_header(archive, info) for info in members}
            key = _label_key(path, headers, sizes)
            _check_labels(path, f"'{key}'", headers[key], MOST_ELEMENTS if sizes is None else sizes.most())
            values = whole_numbers(path, _member_values(archive, key, headers[key]))
            return PerElement(path, values, _names(path, archive, headers), _place(archive, headers))
    except InputError:
        raise
    except _ZIP_DAMAGE as error:
        raise _damaged(path, "npz", "numpy.savez", error) from None


def _damaged(path: Path, kind: str, writer: str, error: BaseException) -> InputError:
    # Numpy's first line says what is wrong; below it follows advice to trust the file.
    cause = str(error).partition("\n")[0][:120] or type(error).__name__
    return InputError(f"{path}: cannot be read as .{kind} ({cause}); save it again with {writer}")


def _read_header(stream: IO[bytes]) -> _Header:
    """What an array's header says, from no more bytes than an honest one has."""
    start = io.BytesIO(stream.read(_LONGEST_HEADER))
    shape, _, dtype = array_header(start)
    if any(isinstance(size, bool) or size < 0 for size in shape):
        raise ValueError(f"shape {shape}")
    return _Header(shape, dtype)


def _read_values(stream: IO[bytes], header: _Header) -> NDArray[Any]:
    """The values of an array, whose header was checked before."""
    wanted = header.count * header.dtype.itemsize
    data = stream.read(_LONGEST_HEADER + wanted)
    if len(data) < wanted:
        raise EOFError(f"{len(data):,} of {wanted:,} bytes")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # as for the header
        array: NDArray[Any] = np.load(io.BytesIO(data), allow_pickle=False)
    checked_text(array)
    return array.ravel()


def _check_labels(path: Path, what: str, header: _Header, most: int) -> None:
    if header.dtype.hasobject:
        raise InputError(f"{path}: {what} holds pickled Python objects, which are never loaded; save whole numbers")
    if header.dtype.kind not in "iubf":
        raise InputError(f"{path}: {what} holds {header.dtype} values; wanted whole numbers")
    if len(header.shape) != 1 and not (len(header.shape) == 2 and header.shape[1] == 1):
        raise InputError(f"{path}: {what} has the shape {header.shape}; wanted one number an element, (N,) or (N, 1)")
    if header.count > most:
        raise InputError(f"{path}: {what} has {header.count:,} values, more than the mesh has elements")


def _member_header(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> _Header:
    with archive.open(info) as stream:
        return _read_header(stream)


def _member_values(archive: zipfile.ZipFile, key: str, header: _Header) -> NDArray[Any]:
    with archive.open(f"{key}.npy") as stream:
        return _read_values(stream, header)


def _label_key(path: Path, headers: dict[str, _Header], sizes: Sizes | None) -> str:
    for key in LABEL_KEYS:
        if key in headers:
            return key
    fitting = [key for key, header in headers.items() if header.is_labels(sizes)]
    if len(fitting) == 1:
        return fitting[0]
    found = ", ".join(f"'{key}' {header.shape}" for key, header in list(headers.items())[:20])
    problem = "several arrays could be the labels" if fitting else "no array could be the labels"
    raise InputError(f"{path}: {problem} (found {found or 'nothing'}); call the right one 'labels'")


def _names(path: Path, archive: zipfile.ZipFile, headers: dict[str, _Header]) -> tuple[str, ...] | None:
    header = headers.get("names")
    if header is None or header.dtype.kind != "U" or len(header.shape) != 1:
        return None
    if header.count > MOST_PARTS or header.dtype.itemsize > 4 * _LONGEST_NAME:
        raise InputError(f"{path}: 'names' has {header.count:,} names of {header.dtype}; are these part names?")
    return tuple(str(name) for name in _member_values(archive, "names", header))


def _place(archive: zipfile.ZipFile, headers: dict[str, _Header]) -> Place | None:
    header = headers.get("on")
    if header is None or header.dtype.kind != "U" or header.count != 1 or header.dtype.itemsize > 4 * _LONGEST_NAME:
        return None
    word = str(_member_values(archive, "on", header)[0])
    return word if word in ("vertices", "faces") else None  # type: ignore[return-value]  # narrowed by the comparison
