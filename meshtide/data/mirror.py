"""A copy of a folder at an address, kept in the cache folder and brought up to date whenever the address is opened."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

from meshtide.data.finding import visible_files
from meshtide.errors import InputError
from meshtide.files import make_folder, read_regular, write_atomically
from meshtide.many.remote import fetch_whole, is_url, listing, safe_name
from meshtide.spectral.cache import default_folder

_KNOWN = ".copied.json"  # beside the copies: what the storage said of each when it was copied
_AT_ONCE = 16  # files under way; each waits for the network most of its time
_SAVED = 256  # files after which the list of copies is written, so that a copy that was stopped goes on


def folder_of(source: str | Path) -> Path:
    """A source as a path: of an address the folder with the copies of its files."""
    return mirrored(source.rstrip("/")) if isinstance(source, str) and is_url(source) else Path(source)


def mirrored(url: str) -> Path:
    """The folder of this machine that has the files of the folder at an address, as they are there now."""
    folder = _place(url)
    there = {name: mark for name, mark in listing(url).items() if name and name == safe_name(name) and name[0] != "."}
    if not there:
        raise InputError(f"{url}: is no folder, or there is no file in it")
    make_folder(folder)
    known = _known(folder)
    for file in visible_files(folder):
        if file.name not in there:
            file.unlink(missing_ok=True)
    known = {name: mark for name, mark in known.items() if there.get(name) == mark and (folder / name).is_file()}
    missing = [name for name in there if name not in known]
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        for group in _groups(missing):
            list(pool.map(lambda name: fetch_whole(f"{url}/{name}", folder / name), group))
            known |= {name: there[name] for name in group}
            write_atomically(folder / _KNOWN, json.dumps(known).encode())
    return folder


def _place(url: str) -> Path:
    """Where the copy of a folder is kept; the last part of its path is what the collection is called."""
    scheme, _, path = url.partition("://")
    steps = [safe_name(step) for step in path.split("/") if step]
    return default_folder() / "remote" / Path(safe_name(scheme), *steps)


def _known(folder: Path) -> dict[str, str]:
    """What was copied before; a list that is damaged costs copying again."""
    with suppress(InputError, ValueError, AttributeError, RecursionError):
        return {str(name): str(mark) for name, mark in json.loads(read_regular(folder / _KNOWN)).items()}
    return {}


def _groups(names: list[str]) -> Iterator[list[str]]:
    return (names[first : first + _SAVED] for first in range(0, len(names), _SAVED))
