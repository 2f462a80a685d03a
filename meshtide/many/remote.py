"""Files on storage that is known by an address (s3://…, gs://…, memory://…), by way of fsspec."""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Any

from meshtide.errors import InputError
from meshtide.files import MOST_BYTES

_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
_PIECE = 2**20


def is_url(place: Path | str) -> bool:
    """Whether this is an address and no path of this machine."""
    return isinstance(place, str) and _URL.match(place) is not None


def place_of(text: str) -> Path | str:
    """What a user wrote, as a path or as the address that it is."""
    return text.rstrip("/") if is_url(text) else Path(text)


def pure(place: Path | str) -> PurePosixPath | Path:
    """What has the name, stem and suffix of a place."""
    return PurePosixPath(place) if isinstance(place, str) else place


def files_at(url: str, suffixes: tuple[str, ...], recursive: bool = False) -> list[str] | None:
    """The files with these suffixes in the folder at an address, in order; None if it is no folder."""
    system, root = _opened(url)
    try:
        if not system.isdir(root):
            return None
        found = system.find(root, maxdepth=None if recursive else 1)
    except Exception as error:  # every storage has exceptions of its own
        raise _fault(url, error) from error
    inside = [name[len(root.rstrip("/")) + 1 :] for name in found]
    seen = [name for name in inside if not any(step.startswith(".") for step in PurePosixPath(name).parts)]
    wanted = [name for name in seen if PurePosixPath(name).suffix.lower() in suffixes]
    return [f"{url.rstrip('/')}/{name}" for name in sorted(wanted, key=lambda name: (name.count("/"), name))]


def listing(url: str) -> dict[str, str]:
    """The files right in the folder at an address, each with what the storage says of it, which changes with it."""
    system, root = _opened(url)
    try:
        system.invalidate_cache(root)  # some keep a list that they made before
        found = system.find(root, maxdepth=1, detail=True) if system.isdir(root) else {}
    except Exception as error:  # every storage has exceptions of its own
        raise _fault(url, error) from error
    return {
        name.rpartition("/")[2]: json.dumps({key: str(said) for key, said in sorted(about.items())})
        for name, about in sorted(found.items())
    }


def fetch_whole(url: str, path: Path, most: int = MOST_BYTES) -> None:
    """Copy the file at an address to a path, where it appears when all of it is there."""
    handle, temporary = tempfile.mkstemp(prefix=".meshtide.", suffix=".part", dir=path.parent)
    os.close(handle)
    try:
        _fetch(url, Path(temporary), most)
        Path(temporary).replace(path)
    finally:
        Path(temporary).unlink(missing_ok=True)


@contextmanager
def local_copy(place: Path | str, most: int = MOST_BYTES) -> Iterator[Path]:
    """A file of this machine with the content of a place; of a path itself, of an address a copy that goes again."""
    if isinstance(place, Path) or not is_url(place):
        yield Path(place)
        return
    with tempfile.TemporaryDirectory(prefix="meshtide-") as folder:
        copy = Path(folder) / safe_name(PurePosixPath(place).name)
        _fetch(place, copy, most)
        with _named(copy, place):
            yield copy


@contextmanager
def uploaded(place: Path | str) -> Iterator[Path]:
    """A file of this machine to write, which then goes to the address as a whole; of a path that itself."""
    if isinstance(place, Path) or not is_url(place):
        yield Path(place)
        return
    with tempfile.TemporaryDirectory(prefix="meshtide-") as folder:
        copy = Path(folder) / safe_name(PurePosixPath(place).name)
        with _named(copy, place):
            yield copy
        # An .obj brings its .mtl, and a tar the index that says that it is finished, which comes after it.
        for file in sorted(Path(folder).iterdir(), key=lambda file: (file != copy, file.name)):
            target = place if file == copy else f"{place.rpartition('/')[0]}/{file.name}"
            system, path = _opened(target)
            try:
                system.makedirs(path.rpartition("/")[0], exist_ok=True)
                system.put_file(str(file), path)
            except Exception as error:  # every storage has exceptions of its own
                raise _fault(target, error) from error


def exists(place: Path | str) -> bool:
    """Whether there is something at a place."""
    if isinstance(place, Path) or not is_url(place):
        return Path(place).exists()
    system, path = _opened(place)
    try:
        return bool(system.exists(path))
    except Exception as error:  # every storage has exceptions of its own
        raise _fault(place, error) from error


def _fetch(url: str, copy: Path, most: int) -> None:
    system, path = _opened(url)
    try:
        with system.open(path, "rb") as source, copy.open("wb") as target:
            fetched = 0
            while piece := source.read(_PIECE):
                fetched += len(piece)
                if fetched > most:
                    raise InputError(f"{url}: has more than {most:,} bytes, which are the most; is it another file?")
                target.write(piece)
    except InputError:
        raise
    except Exception as error:  # every storage has exceptions of its own
        raise _fault(url, error) from error


def _opened(url: str) -> tuple[Any, str]:
    """The file system of an address, and the path there."""
    try:
        import fsspec
    except ImportError:
        raise InputError(f'{url}: an address needs fsspec; install it with pip install "meshtide[remote]"') from None
    try:
        system, path = fsspec.core.url_to_fs(url)
    except (ImportError, ValueError) as error:
        raise InputError(f"{url}: such an address cannot be opened ({error})") from error
    return system, path


def safe_name(name: str) -> str:
    """A name that leads out of no folder."""
    return name.replace("\\", "_").replace("\0", "_") if name not in ("", ".", "..") else "file"


@contextmanager
def _named(copy: Path, url: str) -> Iterator[None]:
    """What is said about the copy is said about the address: nobody has seen the copy."""
    try:
        yield
    except InputError as error:
        raise InputError(str(error).replace(str(copy), url)) from error


def _fault(url: str, error: Exception) -> InputError:
    if isinstance(error, FileNotFoundError):
        return InputError(f"{url}: no such file")
    return InputError(f"{url}: cannot be read or written there ({type(error).__name__}: {error})")
