"""Files that are read only if they are files, and replaced whole or not at all."""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path
from typing import BinaryIO

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
    """Put `data` under `path` in one step, so that no reader and no crash ever meets half a file."""
    if not path.parent.is_dir():
        raise InputError(f"{path}: the folder {path.parent} does not exist; create it first")
    if path.is_dir():
        raise InputError(f"{path}: is a folder; give a file name")
    try:
        handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror})") from error
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        # mkstemp makes files private; give them what any new file of this user would have.
        mask = os.umask(0)
        os.umask(mask)
        Path(temporary).chmod(path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~mask)
        Path(temporary).replace(path)
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror})") from error
    finally:
        Path(temporary).unlink(missing_ok=True)
