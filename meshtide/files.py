"""Files that are replaced whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from meshtide.errors import InputError


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
