"""An OBJ that came with more than points and faces keeps it: textures, normals, materials, groups, objects."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from meshtide.arrays import IntArray
from meshtide.files import read_regular
from meshtide.mesh.files import read_polygons
from meshtide.mesh.files.obj import FACE
from meshtide.output.files.naming import safe_words

_MORE = re.compile(rb"^[ \t]*(vt|vn|usemtl|g|o|s)[ \t]", re.MULTILINE)
_MATERIAL = re.compile(rb"^[ \t]*usemtl[ \t]", re.MULTILINE)


def text_to_keep(source: object) -> bytes | None:
    """The lines of an OBJ file that says more than points and faces, with one line for each statement; None else.

    A file with faces that are no surface is written anew: not every program can open it as it is.
    """
    if not isinstance(source, Path) or source.suffix.lower() != ".obj":
        return None
    text = read_regular(source)
    if not _MORE.search(text):
        return None
    polygons = read_polygons(source)
    low, high = polygons.corners.min(initial=0), polygons.corners.max(initial=0)
    if (polygons.sizes < 3).any() or low < 0 or high >= len(polygons.vertices):
        return None
    return text.replace(b"\r\n", b"\n").replace(b"\r", b"\n").replace(b"\\\n", b" ")


def has_materials(text: bytes) -> bool:
    """Whether faces have materials of their own, which then stay; else they get those of their parts."""
    return _MATERIAL.search(text) is not None


def with_groups(text: bytes, instances: IntArray, openings: list[str], source: Path, target: Path) -> Iterator[bytes]:
    """The lines, with a group opened wherever the instance or the file's own group changes.

    `openings` begin the faces of each instance and, in the last place, of none. A face stays in the groups that it had,
    behind that of its instance. The material libraries of the file are named as seen from the target's folder.
    """
    keeps = has_materials(text)
    beginnings = [each.encode("utf-8", "surrogateescape") for each in openings]
    if keeps:
        beginnings = [each.partition(b"\n")[0] + b"\n" for each in beginnings]
    face, opened, own = 0, -2, b""
    for line in text.split(b"\n"):
        stripped = line.strip()
        key = stripped[:7].split(None, 1)[:1]
        if key == [b"g"]:
            own, opened = _own_groups(stripped), -2
        elif key == [b"mtllib"]:
            if keeps:
                yield _library(stripped, source, target)
        else:
            if stripped[:2] in FACE:
                instance = int(instances[face])
                face += 1
                if instance != opened:
                    head, _, rest = beginnings[instance].partition(b"\n")
                    yield head + own + b"\n" + rest
                    opened = instance
            yield line + b"\n"


def _own_groups(line: bytes) -> bytes:
    names = [name.decode("utf-8", "replace") for name in line.split()[1:]]
    return "".join(f" {word}" for word in safe_words(names)).encode("ascii")


def _library(line: bytes, source: Path, target: Path) -> bytes:
    """A material library beside the source, as seen from the target; more than one name, or a path, is left alone."""
    name = line[len(b"mtllib") :].strip()
    folder = os.path.relpath(source.resolve().parent, target.resolve().parent)
    if folder == "." or b"/" in name or b"\\" in name or not (source.parent / os.fsdecode(name)).is_file():
        return line + b"\n"
    return b"mtllib " + os.fsencode(Path(folder).as_posix()) + b"/" + name + b"\n"
