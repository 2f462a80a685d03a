"""Files that are read only if they are files, and replaced whole or not at all."""

from __future__ import annotations

import os
import stat
import sys
import tempfile
import warnings
from pathlib import Path
from typing import IO, Any, BinaryIO

from meshtide.errors import InputError

MOST_BYTES = 2**32  # of a file that is read whole


def open_regular(path: Path) -> BinaryIO:
    """Open a file to read; a folder, device or pipe, which may never end, raises InputError, links followed."""
    try:
        # Without O_NONBLOCK a pipe would wait for a writer before anyone could ask what it is.
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: cannot be read ({getattr(error, 'strerror', None) or error})") from error
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise InputError(f"{path}: is a folder, a device or a pipe; give a file")
    return os.fdopen(handle, "rb")


def read_regular(path: Path, most: int = MOST_BYTES) -> bytes:
    """The bytes of a regular file that has no more of them than `most`."""
    with open_regular(path) as file:
        size = os.fstat(file.fileno()).st_size
        # The file may still grow while it is read; no more is asked for than it has, as Python reserves that much.
        data = file.read(min(size, most) + 1)
    if len(data) > most:
        raise InputError(f"{path}: has {max(size, len(data)):,} bytes and {most:,} are the most; is it another file?")
    return data


def write_atomically(path: Path, data: bytes) -> None:
    """Put `data` under `path` in one step, so that no reader and no crash ever meets half a file.

    What is no regular file (a device, a pipe) is written to and stays what it is; of a link the file that it leads to
    is replaced.
    """
    try:
        there = path.stat() if path.exists() else None
        if there is not None and stat.S_ISDIR(there.st_mode):
            raise InputError(f"{path}: is a folder; give a file name")
        if there is not None and _write_to_open(there, data):
            return
        place = Path(os.path.realpath(path)) if path.is_symlink() else path
        if not place.parent.is_dir() and there is None:
            raise InputError(f"{path}: the folder {place.parent} does not exist; create it first")
        if there is not None and not stat.S_ISREG(there.st_mode):
            if stat.S_ISBLK(there.st_mode):
                raise InputError(f"{path}: is a disk, whose content would be lost; give a file name")
            with path.open("wb", buffering=0) as device:
                _write_all(device.fileno(), data)
        else:
            _replace(place, data, there)
    except (OSError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{path}: cannot be written ({getattr(error, 'strerror', None) or error})") from error


def write_standard_output(data: bytes) -> None:
    """Write to standard output behind whatever was printed there."""
    sys.stdout.flush()
    try:
        number = sys.stdout.fileno()
    except (OSError, ValueError):  # something that only looks like a stream
        sys.stdout.write(data.decode(errors="replace"))
        return
    _write_all(number, data)


def make_folder(folder: Path) -> None:
    """Create a folder and those above it, unless they are there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise InputError(f"{folder}: is a file, so that nothing can be written below it; give a folder") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"{folder}: the folder cannot be created ({reason})") from error


def _write_to_open(there: os.stat_result, data: bytes) -> bool:
    """Write to the standard output or error if `there` is what they lead to, as for /dev/stdout; else do nothing."""
    for number in (1, 2):
        try:
            open_one = os.fstat(number)
        except OSError:  # closed
            continue
        # Opening a redirected file anew would write over what was printed before.
        if os.path.samestat(there, open_one) and not stat.S_ISCHR(there.st_mode):
            sys.stdout.flush()
            _write_all(number, data)
            return True
    return False


def _write_all(number: int, data: bytes) -> None:
    left = memoryview(data)
    while left:
        left = left[os.write(number, left) :]


def _replace(place: Path, data: bytes, there: os.stat_result | None) -> None:
    # Not named after the file, whose name may be as long as a name can be.
    handle, temporary = tempfile.mkstemp(prefix=".meshtide.", suffix=".part", dir=place.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        # mkstemp makes files private; give them what any new file of this user would have.
        mask = os.umask(0)
        os.umask(mask)
        Path(temporary).chmod(there.st_mode & 0o777 if there is not None else 0o666 & ~mask)
        Path(temporary).replace(place)
    finally:
        Path(temporary).unlink(missing_ok=True)


def array_header(stream: IO[bytes]) -> tuple[tuple[int, ...], bool, Any]:
    """Shape, order and type that the header of an .npy says, whatever version of Python wrote it.

    What is no header raises ValueError.
    """
    import numpy as np

    version = np.lib.format.read_magic(stream)
    if version not in ((1, 0), (2, 0)):
        raise ValueError(f"version {version[0]}.{version[1]} of the format")
    read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # that Python 2 wrote it is nobody's fault
        shape, fortran, dtype = read(stream)
    return tuple(shape), bool(fortran), dtype


def checked_text(array: Any) -> None:
    """Raise ValueError for a numpy array of text with numbers that stand for no letter, which Python chokes on."""
    import numpy as np

    if array.dtype.kind == "U" and array.size and array.dtype.itemsize:
        letters = np.ascontiguousarray(array.ravel(), dtype=array.dtype.newbyteorder("=")).view(np.uint32)
        if letters.max() > sys.maxunicode:
            raise ValueError("text with numbers that stand for no letter")
