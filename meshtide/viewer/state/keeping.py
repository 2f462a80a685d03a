"""Where painted labels are kept: in a file beside each mesh, and in another one until they are saved."""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import platformdirs

from meshtide.data.finding import visible_files
from meshtide.errors import InputError
from meshtide.files import make_folder
from meshtide.labels.files import read_labels
from meshtide.labels.files.beside import labels_beside
from meshtide.labels.labels import Labels
from meshtide.mesh.files import READABLE
from meshtide.viewer.state.item import Entry
from meshtide.viewer.state.painting import Painting

USUAL, WRITABLE = ".txt", (".txt", ".seg", ".npy", ".npz", ".json")
OF_FACES = (".seg", "_labels.txt")  # ends of names of files that hold labels of faces only
EVERY_SECONDS = 5.0  # strokes of so long can be lost, however the window ends


class UnsavedLabels(UserWarning):
    """Labels were painted and not saved when the window was closed."""


class Keeping:
    """Which file the labels of each mesh go to, which of them are not saved, and copies of these.

    A file is never that of another mesh, and one that was there before is replaced only when asked twice.
    """

    def __init__(self, entries: tuple[Entry, ...], paintings: Mapping[int, Painting]) -> None:
        self.entries, self.paintings = entries, paintings
        self._named: dict[int, Path] = {}  # as somebody typed them
        self._usual: dict[int, Path] = {}
        self._saved: dict[int, Labels] = {}
        self._written: dict[int, Path] = {}
        self._copied: dict[int, tuple[object, Path]] = {}  # the values that the copy has, and where it is
        self._asked: tuple[int, Path] | None = None  # what would be replaced when asked again
        self._last_copy = 0.0

    def path(self, index: int) -> Path:
        """The file that a mesh's labels are saved to: the one that was named, else one beside it with its name."""
        if index in self._named:
            return self._named[index]
        if index not in self._usual:
            self._usual[index] = _usual_path(self.entries[index])
        return self._usual[index]

    def name(self, index: int, text: str) -> None:
        """Save to another file; a name without a folder stands beside the mesh."""
        typed, mesh = Path(text.strip()), self.entries[index].path
        alone = mesh is not None and len(typed.parts) == 1
        self._named[index] = mesh.parent / typed if mesh is not None and alone else typed

    def is_unsaved(self, index: int) -> bool:
        """Whether something is painted on a mesh that its file does not have."""
        painting, saved = self.paintings.get(index), self._saved.get(index)
        if painting is None:
            return False
        if saved is None:
            return bool(painting.painted.any())
        return saved.names != painting.names or not np.array_equal(saved.values, painting.values)

    def save(self, index: int) -> Path:
        """Write what is painted on a mesh, and return the file."""
        path, painting = self.path(index), self.paintings.get(index)
        if painting is None or not painting.painted.any():
            raise InputError("nothing is painted on this mesh yet, so nothing was written")
        self._check_is_its_own(index, path)
        if path.exists() and self._written.get(index) != path and self._asked != (index, path):
            self._asked = index, path
            raise InputError(f"{path} is there already; press 'save' again to replace it")
        painting.save(path, on_faces=path.name.lower().endswith(OF_FACES))
        self._asked = None
        self._written[index], self._saved[index] = path, painting.to_labels()
        self._remove_copy(index)
        return path

    def keep_copy(self, *, at_once: bool = False) -> None:
        """Copy what is not saved, every few seconds or at once; cheap where nothing has changed."""
        now = time.monotonic()
        if not at_once and now - self._last_copy < EVERY_SECONDS:
            return
        self._last_copy = now
        for index, painting in self.paintings.items():
            # Every stroke makes new values, so that the same array means that nothing has changed.
            if index in self._copied and self._copied[index][0] is painting.values:
                continue
            if self.is_unsaved(index):
                self._copied[index] = painting.values, self._copy(index, painting)

    def found_copy(self, index: int) -> Path | None:
        """A copy that an earlier window left for a mesh on which nothing is painted yet."""
        painting = self.paintings.get(index)
        if index in self._copied or (painting is not None and painting.painted.any()):
            return None
        return next((place for place in _copy_paths(self.entries[index]) if place.is_file()), None)

    def take_copy(self, index: int, painting: Painting) -> None:
        """Go on with what an earlier window left."""
        place = self.found_copy(index)
        if place is None:
            raise InputError("there is nothing to go on with")
        painting.load(read_labels(place, painting.mesh))
        self._copied[index] = painting.values, place

    def unsaved(self) -> list[str]:
        """A sentence for every mesh whose labels are not saved."""
        try:
            self.keep_copy(at_once=True)
        except InputError as error:
            return [str(error)]
        return [
            f"{self.entries[index].name}: what was painted is not saved; a copy is in {self._copied[index][1]}, "
            "and the viewer offers it when the mesh is opened again"
            for index in self.paintings
            if self.is_unsaved(index)
        ]

    def _check_is_its_own(self, index: int, path: Path) -> None:
        """Raise InputError if these would be taken for the labels of another mesh."""
        stem, own = path.stem.removesuffix("_labels"), self.entries[index].path
        others = [entry.path for at, entry in enumerate(self.entries) if at != index and entry.path is not None]
        others += [found for suffix in READABLE if (found := path.parent / f"{stem}{suffix}").exists()]
        for other in others:
            is_own = own is not None and other.resolve() == own.resolve()
            if not is_own and other.stem == stem and other.parent.resolve() == path.parent.resolve():
                raise InputError(f"{path} holds the labels of {other.name}; type another name")
        taken = [at for at, written in self._written.items() if at != index and written.resolve() == path.resolve()]
        if taken:
            raise InputError(f"{path} holds the labels of {self.entries[taken[0]].name}; type another name")

    def _copy(self, index: int, painting: Painting) -> Path:
        """Write the copy to the first place that takes it."""
        problem = InputError("no place")
        for place in _copy_paths(self.entries[index]):
            try:
                if place.parent != Path():
                    make_folder(place.parent)
                painting.save(place)
            except InputError as error:
                problem = error
            else:
                return place
        raise InputError(f"no copy of what is painted can be kept ({problem}); save it")

    def _remove_copy(self, index: int) -> None:
        if index in self._copied:
            self._copied.pop(index)[1].unlink(missing_ok=True)


def _usual_path(entry: Entry) -> Path:
    """The label file that a mesh has already, if it has one that can be written, else a new one of its name."""
    if entry.path is None:
        return Path(f"{_plain(Path(entry.name).stem)}{USUAL}")
    try:
        there = labels_beside([entry.path], visible_files(entry.path.parent)).of[entry.path]
    except InputError:
        there = []
    fitting = [file for file in there if file.suffix.lower() in WRITABLE]
    return fitting[0] if fitting else entry.path.with_name(f"{entry.path.stem}{USUAL}")


def _copy_paths(entry: Entry) -> list[Path]:
    """Where a copy may be: beside the mesh, hidden so that no one takes it for labels, or with the user's own data."""
    own = entry.name if entry.path is None else entry.path.name
    name = f".{_plain(own)}" if _plain(own) == own else f".{_plain(own)}.{_digest(own)}"
    beside = Path() if entry.path is None else entry.path.parent
    # Meshes of many folders have one name, and no two of them may share a copy.
    whose = f"{name}.{_digest(str(beside.resolve()))}"
    return [
        beside / f"{name}.unsaved.npz",
        platformdirs.user_data_path("meshtide") / "unsaved" / f"{whose}.unsaved.npz",
    ]


def _plain(name: str) -> str:
    """A name as a file can have it."""
    return re.sub(r"[^\w.+ -]", "_", name)[:100] or "mesh"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:12]
