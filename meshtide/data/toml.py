"""TOML of cards, which come from anyone: read within bounds of size and time."""

from __future__ import annotations

import tomllib
from typing import Any

from meshtide.errors import InputError
from meshtide.words import shown

MOST_BYTES = 200_000
MOST_DOTS = 200  # in a line, and so in a key: reading one takes memory with the square of its length


def parse_toml(data: bytes, place: str) -> dict[str, Any]:
    """What a card says; `place` begins every error."""
    if len(data) > MOST_BYTES:
        raise InputError(f"{place}: has more than {MOST_BYTES:,} bytes; is it a card?")
    try:
        text = data.decode("utf-8-sig").replace("\r\n", "\n")
        _check_keys_are_short(text, place)
        return tomllib.loads(text)
    except InputError:
        raise
    except (ValueError, RecursionError) as error:  # TOML's own errors, bytes that are no text, numbers without end
        raise InputError(f"{place}: is not valid TOML ({shown(str(error), 200)})") from None


def _check_keys_are_short(text: str, place: str) -> None:
    for number, line in enumerate(text.split("\n"), 1):
        # Whole lines, as a key may have anything between quotes, "=" and "#" too.
        if line.count(".") > MOST_DOTS:
            raise InputError(f"{place}: line {number:,} has more than {MOST_DOTS} dots; break it into several lines")
