"""Words in sentences for people: lists that can be read, and choices that are known."""

from __future__ import annotations

from collections.abc import Iterable

from meshtide.errors import InputError


def listed(names: Iterable[str], most: int = 30) -> str:
    """Names for a sentence, not more than can be read."""
    names = list(names)
    rest = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(f"'{name}'" for name in names[:most]) + rest


def known(word: str, words: tuple[str, ...], noun: str) -> str:
    """The word, if it is one of those that are known."""
    if word not in words:
        raise InputError(f"{noun} {word!r} is not known; there are {', '.join(words)}")
    return word
