"""The outside of a glTF: its JSON, and its buffers, which lie in the file, in the JSON or beside it, or nowhere."""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import unquote, unquote_to_bytes

from meshtide.errors import InputError
from meshtide.files import read_regular
from meshtide.words import shown

_MAGIC, _JSON_CHUNK, _BINARY_CHUNK = b"glTF", b"JSON", b"BIN\0"
_LARGEST = 2**60  # of a number of bytes or elements: sums of two are still what computers count with
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")


class Container:
    """What a glTF says, and the bytes that it has for it; every question is checked, for a file may hold anything."""

    def __init__(self, path: Path) -> None:
        self.path = path
        data = read_regular(path)
        self.size = len(data)  # bytes of the file and of the buffers that were opened beside it
        self.header, self._binary = _chunks(data, path)
        self._siblings: dict[Path, bytes] = {}
        self._buffers: dict[int, bytes] = {}

    def refusal(self, sentence: str) -> InputError:
        """An error that begins with the file."""
        return InputError(f"{self.path}: {sentence}")

    def table(self, key: str) -> list[Any]:
        """One of the lists of the JSON; empty where it has none."""
        found = self.header.get(key, [])
        if not isinstance(found, list):
            raise self.refusal(f"its '{key}' is not a list of objects; is it damaged?")
        return found

    def entry(self, key: str, index: Any) -> dict[str, Any]:
        """An object of one of the lists, by the number that another object names it with."""
        table = self.table(key)
        if type(index) is not int or not 0 <= index < len(table):
            raise self.refusal(f"names '{shown(str(index), 20)}' of its {len(table):,} {key}; is it damaged?")
        if not isinstance(table[index], dict):
            raise self.refusal(f"its '{key}' is not a list of objects; is it damaged?")
        found: dict[str, Any] = table[index]
        return found

    def whole(self, found: dict[str, Any], key: str, usual: int | None = None, least: int = 0) -> int:
        """A whole number of an object."""
        value = found.get(key, usual)
        if type(value) is not int or not least <= value <= _LARGEST:
            raise self.refusal(f"has '{shown(str(value), 40)}' as '{key}'; wanted a whole number; is it damaged?")
        return value

    def buffer(self, index: Any) -> bytes:
        """The bytes of a buffer."""
        found = self.entry("buffers", index)
        if index not in self._buffers:
            self._buffers[index] = self._bytes_of(found.get("uri"), index)
        return self._buffers[index]

    def _bytes_of(self, uri: Any, index: int) -> bytes:
        if uri is None:
            if index != 0 or self._binary is None:
                raise self.refusal(f"its buffer {index} is not in the file; is it cut short?")
            return self._binary
        if not isinstance(uri, str):
            raise self.refusal(f"its buffer {index} has no address; is it damaged?")
        if uri[:5].lower() != "data:":
            return self._sibling(uri)
        kind, comma, content = uri.partition(",")
        try:
            if not comma:
                raise ValueError
            return base64.b64decode(unquote(content)) if kind.endswith(";base64") else unquote_to_bytes(content)
        except ValueError:
            raise self.refusal(f"its buffer {index} is no base64 text; is it damaged?") from None

    def _sibling(self, uri: str) -> bytes:
        """A file that the scene names, which must lie in the scene's own folder or below, links followed."""
        name = PurePosixPath(unquote(uri))
        folder = self.path.parent
        outside = name.is_absolute() or ".." in name.parts or "\\" in str(name) or "\0" in str(name)
        outside = outside or _SCHEME.match(uri) is not None
        try:
            place = folder if outside else (folder / name).resolve()
            outside = outside or not place.is_relative_to(folder.resolve())
            missing = not outside and not place.exists()
        except (OSError, RuntimeError, ValueError):  # too long a name, links in a circle, no file name at all
            raise self.refusal(f"its buffer '{shown(uri)}' cannot be opened; export a .glb") from None
        if outside:
            raise self.refusal(f"names the buffer '{shown(uri)}' outside its own folder, which is not opened")
        if missing:
            raise self.refusal(f"its buffer '{shown(uri)}' is not there; keep the two files together or export a .glb")
        if place not in self._siblings:
            self._siblings[place] = read_regular(place)
            self.size += len(self._siblings[place])
        return self._siblings[place]


def _chunks(data: bytes, path: Path) -> tuple[dict[str, Any], bytes | None]:
    """The JSON of a .gltf, or the two chunks of a .glb."""
    text, binary = data, None
    if data[:4] == _MAGIC:
        length = int.from_bytes(data[12:16], "little")
        text, rest = data[20 : 20 + length], data[20 + length :]
        if data[16:20] != _JSON_CHUNK or len(text) != length:
            raise InputError(f"{path}: its header is incomplete; is the file cut short?")
        if int.from_bytes(data[4:8], "little") != 2:
            raise InputError(f"{path}: is glTF version {data[4]}; export it as version 2")
        if rest[4:8] == _BINARY_CHUNK:
            binary = rest[8 : 8 + int.from_bytes(rest[:4], "little")]
    try:
        header = json.loads(text)
    except (ValueError, RecursionError):
        raise InputError(f"{path}: has no glTF header; is it another format under this name?") from None
    if not isinstance(header, dict) or "asset" not in header:
        raise InputError(f"{path}: has no glTF header; is it another format under this name?")
    return header, binary
