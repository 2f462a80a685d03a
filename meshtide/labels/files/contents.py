"""What a label file says, before it is laid on a mesh; and the limits that keep a file from filling the memory."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from meshtide.arrays import IntArray
from meshtide.errors import InputError
from meshtide.mesh.mesh import Mesh

Place = Literal["vertices", "faces", "edges"]
Overlap = Literal["first wins", "refused"]  # what happens to an element that stands in two lists

MOST_PARTS = 10_000
LARGEST_NUMBER = 1_000_000
MOST_ELEMENTS = 20_000_000  # for a file that is read before its mesh
MOST_TEXT = 256_000_000  # bytes


@dataclass(frozen=True, eq=False)
class PerElement:
    """One part number for each element, in the file's own counting."""

    path: Path
    values: IntArray  # (N,) -1 is unlabelled
    names: tuple[str, ...] | None = None  # of the parts, from the first number on
    on: Place | None = None
    base: int | None = None  # the first part number; None if that has to be found out
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class IndexLists:
    """The elements of each part, by their numbers."""

    path: Path
    indices: IntArray  # (M,) element numbers, all lists after each other
    parts: IntArray  # (M,) index into names
    names: tuple[str, ...]
    on: Place | None = None
    overlap: Overlap = "first wins"
    usual_base: int = 0  # of this format's element numbers, where nothing in the file decides
    notes: tuple[str, ...] = ()


Contents = PerElement | IndexLists


@dataclass(frozen=True)
class Sizes:
    """How many elements a label file may be about: those of the mesh's file and those of the mesh itself."""

    file_vertices: int
    file_faces: int
    vertices: int
    faces: int

    @staticmethod
    def of(mesh: Mesh) -> Sizes:
        """The sizes of a mesh and of the file it came from."""
        origin = mesh.origin
        return Sizes(origin.vertex_count, origin.face_count, len(mesh.vertices), len(mesh.faces))

    def counts(self) -> tuple[int, ...]:
        """All the counts that labels can have."""
        return self.file_vertices, self.file_faces, self.vertices, self.faces

    def most(self) -> int:
        """More labels than this cannot be meant; a triangle mesh has at most three edges a face."""
        return max(*self.counts(), 3 * self.faces)

    def sentence(self) -> str:
        """The counts, for an error."""
        own = f"{self.vertices:,} vertices and {self.faces:,} faces"
        if (self.file_vertices, self.file_faces) == (self.vertices, self.faces):
            return own
        return f"{own} (in its file {self.file_vertices:,} and {self.file_faces:,})"


def read_text(path: Path, sizes: Sizes | None, most: int = MOST_TEXT) -> str:
    """The text of a UTF-8 file, unless it is far longer than labels of this mesh can be."""
    if sizes is not None:
        most = min(most, 1_000_000 + 128 * sizes.most())
    data = read_bytes(path, most)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(f"{path}: line {line:,} is not UTF-8 text; save the labels as plain text") from None
    if not text.strip():
        raise InputError(f"{path}: is empty; wanted a label for each element of the mesh")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def check_is_file(path: Path) -> None:
    """Raise InputError unless there is a regular file: a device or a pipe might never end."""
    if not path.is_file():
        raise InputError(f"{path}: {'is not a file' if path.exists() else 'no such file'}; wanted a label file")


def read_bytes(path: Path, most: int) -> bytes:
    """The bytes of a regular file that has no more of them than `most`."""
    check_is_file(path)
    try:
        # Python reserves as many bytes as it is asked for; the file may still grow while it is read.
        wanted = min(path.stat().st_size, most) + 1
        with path.open("rb") as file:
            data = file.read(wanted)
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror or error})") from error
    if len(data) > most:
        raise InputError(f"{path}: has more than {most:,} bytes, too much for labels; is it another kind of file?")
    return data


def whole_numbers(path: Path, array: NDArray[Any]) -> IntArray:
    """An array of part numbers as int64, after checking that it is one."""
    if array.dtype.kind == "f":
        if not np.isfinite(array).all() or (array != np.floor(array)).any():
            raise InputError(f"{path}: has numbers with fractions where part numbers should stand; are these labels?")
    elif array.dtype.kind not in "iub":
        raise InputError(f"{path}: holds {array.dtype} values; wanted whole numbers")
    if len(array) == 0:
        raise InputError(f"{path}: is empty; wanted a label for each element of the mesh")
    low, high = int(array.min()), int(array.max())  # half a float could not hold what it is compared with
    if low < -1:
        raise InputError(f"{path}: has the part number {low:,}; only -1 (unlabelled) may be negative")
    if high > LARGEST_NUMBER:
        raise InputError(f"{path}: has the part number {high:,}, above {LARGEST_NUMBER:,}; are these labels?")
    values = array.astype(np.int64)
    check_part_count(path, int((np.bincount(values[values >= 0]) > 0).sum()))
    return values


def check_part_count(path: Path, count: int) -> None:
    """Raise InputError if there are more parts than a segmentation can have."""
    if count > MOST_PARTS:
        raise InputError(f"{path}: has {count:,} different parts, more than {MOST_PARTS:,}; are these labels?")
