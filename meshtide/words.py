"""Words in sentences for people: lists that can be read, and choices that are known."""

from __future__ import annotations

from collections.abc import Iterable

from meshtide.errors import InputError, printable

LONGEST = 60  # letters of a name that are shown


def shown(text: str, most: int | None = LONGEST) -> str:
    """Text of a file or a file's name as it can be shown: on one line, with no code that a terminal would obey.

    >>> shown("a\\x1b[31m red\\nname")
    'a\\\\x1b[31m red\\\\nname'
    """
    return printable(text if most is None or len(text) <= most else f"{text[: most - 1]}…")


def listed(names: Iterable[str], most: int = 30) -> str:
    """Names for a sentence, not more than can be read."""
    names = list(names)
    rest = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(f"'{shown(name)}'" for name in names[:most]) + rest


def article(noun: str) -> str:
    """The article that goes before a noun: "an" before what is said with a vowel."""
    return "an" if noun[:1] in "aeio" else "a"


def known(word: str, words: tuple[str, ...], noun: str) -> str:
    """The word, if it is one of those that are known."""
    if word not in words:
        raise InputError(f"{noun} '{shown(word)}' is not known; there are {', '.join(words)}")
    return word
