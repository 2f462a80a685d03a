"""Part names come from the model files of strangers: here they become words that no file system or format trips on."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

LONGEST_WORD = 64
_LONGEST_SHOWN = 60
_UNSAFE = re.compile(r"[^A-Za-z0-9_-]+")
# Readers of PLY look for these even in comments: one ends the header there, the other opens the file that is named.
_TRAPS = re.compile(r"end_header|texturefile", re.IGNORECASE)
# Windows opens a device instead of a file under these names, whatever the suffix.
_DEVICES = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)$", re.IGNORECASE)


def safe_words(names: Iterable[str]) -> tuple[str, ...]:
    """One word of ASCII letters, digits, "_" and "-" for each name, no two alike, not even in upper and lower case.

    >>> safe_words(["upperarm", "left/leg", "left leg", "../..", "Füße", "NUL"])
    ('upperarm', 'left_leg', 'left_leg-2', 'part_3', 'Fu_e', 'NUL_')
    """
    taken: set[str] = set()
    copies: dict[str, int] = {}
    words = []
    for number, name in enumerate(names):
        base = word = _word(name) or f"part_{number}"
        while word.lower() in taken:
            copies[base.lower()] = copies.get(base.lower(), 1) + 1
            word = f"{base}-{copies[base.lower()]}"
        taken.add(word.lower())
        words.append(word)
    return tuple(words)


def shown_name(name: str) -> str:
    """A name on one line of ASCII, for comments: anything else is written as Python escapes it."""
    escaped = name.encode("unicode_escape").decode("ascii")
    escaped = _TRAPS.sub(lambda trap: f"\\x{ord(trap[0][0]):02x}{trap[0][1:]}", escaped)
    return escaped if len(escaped) <= _LONGEST_SHOWN else f"{escaped[:_LONGEST_SHOWN]}..."


def _word(name: str) -> str:
    # Accents fall off, letters of other scripts cannot be kept: not every system stores their names alike.
    letters = unicodedata.normalize("NFKD", name[:1_000])
    plain = "".join(letter for letter in letters if not unicodedata.combining(letter))
    word = _UNSAFE.sub("_", plain).strip("_-")[:LONGEST_WORD]
    return f"{word}_" if _DEVICES.match(word) else word
