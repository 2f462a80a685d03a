"""OBJ and the MTL beside it: the mesh as given, each face in the group of its instance and the material of its part."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from meshtide.errors import InputError
from meshtide.files import write_atomically
from meshtide.inference.segmentation import Segmentation
from meshtide.output.files.as_given import UNLABELLED_NAME, AsGiven, palette
from meshtide.output.files.naming import safe_words, shown_name
from meshtide.output.files.obj_kept import has_materials, text_to_keep, with_groups

_CHUNK = 1 << 16  # lines at a time


def write_obj(segmentation: Segmentation, given: AsGiven, path: Path, source: Path | None = None) -> None:
    """Write both files, or leave both as they were.

    An OBJ that the mesh came from keeps what else it says: texture coordinates, normals, materials, groups, objects.
    """
    materials = path.with_suffix(".mtl")
    if not materials.name.isprintable():
        raise InputError(f"{path}: an OBJ cannot name the MTL beside it in one line; choose a plainer file name")
    words = safe_words([*segmentation.parts, UNLABELLED_NAME])  # index -1 is the last
    came_from = segmentation.source if source is None else source
    kept = text_to_keep(came_from)
    head = [*([] if kept and has_materials(kept) else [f"mtllib {materials.name}\n"]), *_comments(segmentation)]
    openings = _openings(segmentation, words)
    if kept is not None and isinstance(came_from, Path):
        rest = b"".join(with_groups(kept, given.face_instances, openings, came_from, path))
        text = "".join(head).encode("utf-8", "surrogateescape") + rest
        if has_materials(kept):
            write_atomically(path, text)
            return
    else:
        text = "".join([*head, *_points(given), *_faces(given, openings)]).encode("utf-8", "surrogateescape")
    before = _contents(materials)
    write_atomically(materials, _materials(segmentation, words))
    try:
        write_atomically(path, text)
    except BaseException:
        # The old OBJ still stands, so its own materials must stand beside it.
        if before is None:
            materials.unlink(missing_ok=True)
        else:
            write_atomically(materials, before)
        raise


def _contents(path: Path) -> bytes | None:
    if not path.is_file():
        return None
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: would be replaced and cannot be read ({error.strerror})") from error


def _comments(segmentation: Segmentation) -> Iterator[str]:
    for index, (name, colour) in enumerate(zip(segmentation.parts, segmentation.colours, strict=True)):
        yield f"# part {index} {shown_name(name)} {colour}\n"


def _materials(segmentation: Segmentation, words: tuple[str, ...]) -> bytes:
    lines = [
        f"newmtl {word}\nKa 0 0 0\nKd {red:.6f} {green:.6f} {blue:.6f}\nKs 0 0 0\nillum 1\n"
        for word, (red, green, blue) in zip(words, palette(segmentation) / 255, strict=True)
    ]
    return "\n".join(lines).encode("ascii")


def _points(given: AsGiven) -> Iterator[str]:
    for first in range(0, len(given.vertices), _CHUNK):
        rows = given.vertices[first : first + _CHUNK]
        # One template for many lines is filled in C, where a loop would format line by line.
        yield "v %r %r %r\n" * len(rows) % tuple(rows.ravel().tolist())


def _openings(segmentation: Segmentation, words: tuple[str, ...]) -> list[str]:
    """The lines that begin the faces of each instance, and in the last place those of no instance."""
    groups = safe_words([*(instance.name for instance in segmentation.instances), UNLABELLED_NAME])
    materials = [*(words[instance.part_index] for instance in segmentation.instances), words[-1]]
    return [f"g {group}\nusemtl {material}\n" for group, material in zip(groups, materials, strict=True)]


def _faces(given: AsGiven, openings: list[str]) -> Iterator[str]:
    """The `f` lines in the file's order; a group is opened, or opened again, wherever the instance changes.

    Faces are numbered by their lines, so they are not sorted: an instance is all the faces under its name.
    """
    changes = np.append(True, given.face_instances[1:] != given.face_instances[:-1])
    opened = np.where(changes, given.face_instances % len(openings), len(openings))  # the last: nothing is opened
    openings = [*openings, ""]
    ends = np.concatenate([[0], np.cumsum(given.sizes)])
    for first in range(0, len(given.sizes), _CHUNK):
        last = min(first + _CHUNK, len(given.sizes))
        codes, which = np.unique(given.sizes[first:last] * len(openings) + opened[first:last], return_inverse=True)
        kinds = [(code // len(openings), openings[code % len(openings)]) for code in codes.tolist()]
        lines = np.array([f"{opening}f{' %d' * size}\n" for size, opening in kinds], dtype=object)
        template = "".join(lines[which.ravel()].tolist())
        yield template % tuple((given.corners[ends[first] : ends[last]] + 1).tolist())
