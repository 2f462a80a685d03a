"""Preparations kept in a folder, one HDF5 file each, so that a mesh is prepared once.

The name of a file is a digest of all that shaped its content: geometry, recipe, solver and versions. A changed setting
is another file, never a stale hit. Files appear whole (written beside, synced, renamed) and are read without a lock; a
seal in front of the HDF5 part is checked first, so HDF5 never parses damaged bytes. Processes that miss the same key
queue at a lock, and the first one computes.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cache as remembered
from importlib import metadata
from pathlib import Path
from typing import Any

import filelock
import numpy as np
import platformdirs

from meshtide.errors import InputError
from meshtide.files import read_regular, write_atomically
from meshtide.mesh.mesh import Mesh
from meshtide.spectral import preparation as entry
from meshtide.spectral.eigensolver import SOLVER_VERSION
from meshtide.spectral.preparation import ImageError, Preparation, prepare, with_arrows
from meshtide.spectral.recipe import GraphRecipe
from meshtide.spectral.spectrum import warn_if_crowded

_MOST_DAMAGED = 8  # files kept for a look; older ones go
# Who waits longer computes too: whoever holds the lock may be paused, and two who write the same harm nobody.
_LOCK_SECONDS = 30.0
_MOST_ANSWER = 2**16  # bytes of a small answer
_ENTRY = re.compile(r"([0-9a-f]{32})\.h5")
_TEMPORARY = re.compile(r"([0-9a-f]{32})\.[0-9a-f]{8}\.tmp")
_ANSWER = re.compile(r"([0-9a-f]{32})\.json")
_DAMAGED = re.compile(r"([0-9a-f]{32})\.h5\.damaged")


@dataclass(frozen=True, eq=False)
class Fetched:
    """A preparation, whether it was in the cache, and what went wrong with the cache on the way, in sentences."""

    preparation: Preparation
    hit: bool
    remarks: tuple[str, ...] = ()
    kept: bool = True  # whether it is in the cache now
    path: Path | None = None  # where it is or would be


@dataclass(frozen=True)
class CacheInfo:
    """What a cache folder holds; `bytes` are those of the entries."""

    folder: Path
    entries: int
    bytes: int
    damaged: int
    temporary: int


def default_folder() -> Path:
    """MESHTIDE_CACHE if it is set, else the user's cache folder on this platform."""
    chosen = os.environ.get("MESHTIDE_CACHE")
    return Path(chosen) if chosen else platformdirs.user_cache_path("meshtide")


def cache_key(mesh: Mesh, recipe: GraphRecipe) -> str:
    """32 hexadecimal digits of everything that shapes a preparation; the mesh's name does not."""
    digest = hashlib.blake2b(f"{_makers()}|{recipe.to_json()}|".encode(), digest_size=16)
    _add(digest, mesh)
    return digest.hexdigest()


def answer_key(mesh: Mesh, maker: str) -> str:
    """32 hexadecimal digits of everything that shapes what somebody, the maker, found out of a mesh."""
    digest = hashlib.blake2b(f"{_makers()}|{maker}|".encode(), digest_size=16)
    _add(digest, mesh)
    return digest.hexdigest()


def _add(digest: hashlib.blake2b, mesh: Mesh) -> None:
    vertices, faces = mesh.vertices.astype("<f8", copy=False), mesh.faces.astype("<i8", copy=False)
    digest.update(f"vertices {vertices.shape}|faces {faces.shape}|".encode())
    digest.update(np.ascontiguousarray(vertices).data)
    digest.update(np.ascontiguousarray(faces).data)


class Cache:
    """A folder of preparations that any number of processes may share.

    >>> import meshtide as mt
    >>> cache, mesh = mt.Cache("kept"), mt.make_figure("hand", 1, defects=False)[0]
    >>> for _ in range(2):
    ...     graph = mt.mesh_graph(mesh, cache=cache)  # the second time it is read
    >>> cache.info().entries
    1
    """

    def __init__(self, folder: str | Path | None = None) -> None:
        self.folder = Path(folder).absolute() if folder is not None else default_folder().absolute()

    def path(self, key: str) -> Path:
        """Where the entry of a key is or would be."""
        return self.folder / f"{key}.h5"

    def fetch(self, mesh: Mesh, recipe: GraphRecipe) -> Fetched:
        """Read a mesh's preparation, or compute and keep it.

        Trouble with the folder (damage, no permission, a full disk) becomes a remark, never an exception: the
        preparation is then computed and returned all the same. What a mesh alone says fast is not kept, so that
        recipes that differ in it share an entry (`GraphRecipe.kept`).
        """
        if recipe.kept is not recipe:
            fetched = self.fetch(mesh, recipe.kept)
            return replace(fetched, preparation=with_arrows(fetched.preparation, mesh, recipe))
        key = cache_key(mesh, recipe)
        found, _ = self._read(key, mesh, recipe)
        if found is not None:
            return _hit(found, mesh, recipe, self.path(key))
        with self._locked(key) as held:
            # Whoever held the lock before us may have written just this entry.
            found, fault = self._read(key, mesh, recipe)
            if found is not None:
                return _hit(found, mesh, recipe, self.path(key))
            remarks = [self._set_aside(key, fault)] if fault else []
            if held:
                self._remove_stale(key)
            preparation = prepare(mesh, recipe)
            trouble = self._write(key, preparation, recipe)
        return Fetched(preparation, False, (*remarks, *trouble), kept=not trouble, path=self.path(key))

    def answer(self, key: str) -> dict[str, Any] | None:
        """A small answer that was kept under this key; None if there is none, or if not every byte of it is as it was.

        Damage needs no word: a small answer is found anew and written over the damaged one.
        """
        try:
            seal, text = read_regular(self.folder / f"{key}.json", _MOST_ANSWER).split(b"\n", 1)
            return json.loads(text) if seal == _answer_seal(key, text) else None
        except (InputError, OSError, ValueError):
            return None

    def keep_answer(self, key: str, content: dict[str, Any]) -> None:
        """Keep a small answer, all or nothing; a folder that cannot be written keeps none."""
        text = json.dumps(content).encode()
        with suppress(InputError, OSError):
            self.folder.mkdir(parents=True, exist_ok=True)
            write_atomically(self.folder / f"{key}.json", _answer_seal(key, text) + b"\n" + text)

    def require_writable(self) -> None:
        """Raise InputError unless entries can be written; for callers whose whole purpose is to fill the cache."""
        probe = self.folder / f"{'0' * 32}.{secrets.token_hex(4)}.tmp"
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            probe.write_bytes(b"")
            probe.unlink(missing_ok=True)  # another process may have taken it for a stale one
        except OSError as error:
            raise InputError(
                f"{self.folder}: the cache folder cannot be written ({_reason(error)}); choose another `cache` folder "
                "or set MESHTIDE_CACHE"
            ) from error

    def info(self) -> CacheInfo:
        """Count what the folder holds."""
        entries = self._files(_ENTRY)
        size = 0
        for path in entries:
            with suppress(OSError):  # removed since it was listed
                size += path.lstat().st_size
        return CacheInfo(self.folder, len(entries), size, len(self._files(_DAMAGED)), len(self._files(_TEMPORARY)))

    def clear(self) -> int:
        """Remove the cache's own files, by their names and nothing else, and return how many; lock files stay."""
        self._remove_stale()
        removed = 0
        for path in self._files(_ENTRY) + self._files(_ANSWER) + self._files(_DAMAGED):
            with suppress(OSError):
                path.unlink()
                removed += 1
        return removed

    def verify(self) -> Iterator[tuple[Path, str]]:
        """Read every entry through and yield its path with "good" or a sentence about its fault; changes nothing."""
        for path in self._files(_ENTRY):
            try:
                entry.read_image(_read_verified(path, path.stem, None))
            except (ImageError, OSError, MemoryError) as error:
                yield path, f"{path.name} {_fault(error)}"
            else:
                yield path, "good"

    def _read(self, key: str, mesh: Mesh, recipe: GraphRecipe) -> tuple[Preparation | None, Exception | None]:
        """The entry, or else what is wrong with it; neither if there is none."""
        try:
            image = _read_verified(self.path(key), key, entry.most_bytes(mesh, recipe))
            return entry.from_image(image, mesh, recipe), None
        except (FileNotFoundError, NotADirectoryError):
            return None, None
        except (ImageError, OSError, MemoryError) as error:
            return None, error

    def _write(self, key: str, preparation: Preparation, recipe: GraphRecipe) -> tuple[str, ...]:
        """Keep a preparation, all or nothing; what prevented it is returned as a sentence."""
        temporary = self.folder / f"{key}.{secrets.token_hex(4)}.tmp"
        try:
            image = entry.to_image(preparation, recipe)
            self.folder.mkdir(parents=True, exist_ok=True)
            with temporary.open("xb") as file:
                file.write(entry.seal(key, image))
                file.write(image)
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(self.path(key))
            _sync_folder(self.folder)
        except (OSError, MemoryError) as error:
            return (f"{self.folder}: this shape was computed but could not be kept there ({_reason(error)})",)
        finally:
            with suppress(OSError):
                temporary.unlink(missing_ok=True)
        return ()

    def _set_aside(self, key: str, fault: Exception) -> str:
        path = self.path(key)
        if not isinstance(fault, ImageError):  # no permission or too many open files say nothing against the entry
            return f"{path} {_fault(fault)}; the shape was computed anew"
        aside = path.with_name(f"{path.name}.damaged")
        with suppress(OSError):
            kept = sorted(self._files(_DAMAGED), key=lambda old: old.lstat().st_mtime)
            for old in kept[: max(0, len(kept) - _MOST_DAMAGED + 1)]:
                old.unlink()
        try:
            path.replace(aside)
            os.utime(aside)  # its age as a damaged file, for the clean-up above
        except OSError as error:
            return f"{path} {_fault(fault)}; it could not be set aside ({_reason(error)})"
        return f"{path} {_fault(fault)}; it was set aside as {aside.name} and rebuilt"

    @contextmanager
    def _locked(self, key: str) -> Iterator[bool]:
        """Hold the lock of a key's stripe; False if there is none to be had, which costs double work but no harm."""
        lock = filelock.FileLock(self.folder / "locks" / f"{key[:2]}.lock")
        try:
            (self.folder / "locks").mkdir(parents=True, exist_ok=True)
            lock.acquire(timeout=_LOCK_SECONDS)
        except (OSError, NotImplementedError):
            yield False
            return
        try:
            yield True
        finally:
            lock.release()

    def _remove_stale(self, held: str | None = None) -> None:
        """Remove what killed processes left half written: a temporary file is stale if nobody holds its key's lock."""
        for path in self._files(_TEMPORARY):
            if held is not None and path.name[:2] == held[:2]:
                with suppress(OSError):
                    path.unlink()
                continue
            with suppress(OSError, NotImplementedError):
                (self.folder / "locks").mkdir(exist_ok=True)
                with filelock.FileLock(self.folder / "locks" / f"{path.name[:2]}.lock", timeout=0):
                    path.unlink()

    def _files(self, pattern: re.Pattern[str]) -> list[Path]:
        """The files in the folder whose whole name fits, sorted; directories never do."""
        try:
            with os.scandir(self.folder) as listing:
                names = [item.name for item in listing if pattern.fullmatch(item.name) and not item.is_dir()]
        except OSError:
            return []
        return [self.folder / name for name in sorted(names)]


def _answer_seal(key: str, text: bytes) -> bytes:
    return hashlib.blake2b(key.encode() + text, digest_size=16).hexdigest().encode()


def _hit(preparation: Preparation, mesh: Mesh, recipe: GraphRecipe, path: Path) -> Fetched:
    # A warning belongs to the mesh, so a hit repeats what the computation said.
    warn_if_crowded(mesh.name, preparation.components, recipe.k)
    return Fetched(preparation, True, path=path)


@remembered
def _makers() -> str:
    """The versions of whatever decides on the numbers."""
    try:
        laplacian = metadata.version("robust-laplacian")
    except metadata.PackageNotFoundError:
        laplacian = "unknown"
    ours = f"schema {entry.SCHEMA}, preparation {entry.PREPARATION_VERSION}"
    return f"{ours}, solver {SOLVER_VERSION}, laplacian {laplacian}"


def _read_verified(path: Path, key: str, limit: int | None) -> bytes:
    """The HDF5 part of an entry whose every byte was checked; ImageError says what is wrong with another."""
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):
        raise ImageError("is not a regular file")
    if limit is not None and status.st_size > limit:
        raise ImageError(f"has {status.st_size:,} bytes, more than any preparation of this mesh")
    with path.open("rb") as file:
        header = file.read(entry.SEAL_BYTES)
        image = file.read(status.st_size)
    entry.check_seal(header, key, image)
    return image


def _fault(error: BaseException) -> str:
    """What is wrong with an entry, to follow its path in a sentence."""
    return str(error) if isinstance(error, ImageError) else f"cannot be read ({_reason(error)})"


def _reason(error: BaseException) -> str:
    if isinstance(error, OSError):
        return str(error.strerror or error)
    return "not enough memory" if isinstance(error, MemoryError) else str(error)


def _sync_folder(folder: Path) -> None:
    """Make a rename last through a power failure, where the system has a way to."""
    if os.name != "posix":
        return
    with suppress(OSError):  # some file systems cannot, and the entry is in place all the same
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
