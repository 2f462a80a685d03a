"""A line of JSON for each mesh that was done, appended as soon as it was, so that a killed run can go on."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from meshtide.errors import InputError
from meshtide.files import open_regular
from meshtide.many.entries import LINE, fits, is_text


def fingerprint(options: dict[str, Any]) -> str:
    """16 hexadecimal digits of everything that shapes an answer beside the mesh."""
    text = json.dumps(options, sort_keys=True, default=str)
    return hashlib.blake2b(text.encode("utf-8", "surrogateescape"), digest_size=8).hexdigest()


def digest_of(path: Path) -> str:
    """32 hexadecimal digits of a file's bytes, read piece by piece."""
    digest = hashlib.blake2b(digest_size=16)
    with open_regular(path) as file:
        while piece := file.read(2**20):
            digest.update(piece)
    return digest.hexdigest()


class Manifest:
    """What was done, by path; the last line about a path counts."""

    def __init__(self, path: Path, resume: bool) -> None:
        self.path = path
        if path.exists() and not resume:
            raise InputError(f"{path}: is there already; `resume` goes on with it, or give another `manifest`")
        if not path.exists() and not path.parent.is_dir():
            raise InputError(f"{path}: the folder {path.parent} does not exist; create it first")
        self.done = {line["path"]: line for line in read_lines(path)} if path.exists() else {}

    def known(self, path: str, options: str) -> dict[str, Any] | None:
        """The line of a mesh that was done with these options, and whose files are still there."""
        line = self.done.get(path)
        return line if line and line["outcome"] == "done" and line["options"] == options else None

    def add(self, line: dict[str, Any]) -> None:
        """Append a line, in one write that is on the disk when this returns."""
        data = (json.dumps(line, ensure_ascii=False) + "\n").encode("utf-8", "backslashreplace")
        try:
            handle = os.open(self.path, os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o666)
            try:
                if _is_torn(handle):
                    data = b"\n" + data
                os.write(handle, data)
                os.fsync(handle)
            finally:
                os.close(handle)
        except OSError as error:
            raise InputError(f"{self.path}: cannot be written ({error.strerror or error})") from error
        self.done[line["path"]] = line


def _is_torn(handle: int) -> bool:
    """Whether the last line has no end, as a machine that lost its power may leave it."""
    size = os.lseek(handle, 0, os.SEEK_END)
    if not size:
        return False
    os.lseek(handle, size - 1, os.SEEK_SET)
    return os.read(handle, 1) != b"\n"


def read_lines(path: Path) -> list[dict[str, Any]]:
    """The lines of a manifest; one that was cut off counts as not written."""
    lines, broken = [], 0
    with open_regular(path) as file:
        for raw in file:
            try:
                line = json.loads(raw)
            except (ValueError, RecursionError):
                broken += 1
                continue
            if not _is_line(line):
                raise InputError(f"{path}: is no manifest of meshtide; a line of it has other things than one says")
            lines.append(line)
    if broken and not lines:
        raise InputError(f"{path}: is no manifest of meshtide, which has a line of JSON for each mesh")
    return lines


def _is_line(line: Any) -> bool:
    """Whether it says what a line does; of a mesh that failed, why."""
    return fits(line, LINE) and (line["outcome"] == "done" or is_text(line["entry"].get("error")))


def merged(paths: Iterable[Path]) -> list[dict[str, Any]]:
    """The lines of several manifests in the order of the inputs, one for each mesh: the latest that was done."""
    found: dict[str, dict[str, Any]] = {}
    for path in paths:
        for line in read_lines(path):
            before = found.get(line["path"])
            if before is None or line["outcome"] == "done" or before["outcome"] != "done":
                found[line["path"]] = line
    return sorted(found.values(), key=lambda line: (line["order"], line["path"]))
