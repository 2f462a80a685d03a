"""Whether what a manifest has of a mesh is what the program wrote: anybody's hand may have changed it since."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Check = Callable[[Any], bool]
LARGEST = 1e15  # of a number that is shown or added up


def is_text(value: Any) -> bool:
    """A text."""
    return isinstance(value, str)


def is_number(value: Any) -> bool:
    """A number that can be shown; not a number is one."""
    return isinstance(value, int | float) and not abs(value) > LARGEST


def are_texts(value: Any) -> bool:
    """A list of texts."""
    return isinstance(value, list) and all(map(is_text, value))


def fits(said: Any, checks: dict[str, Check]) -> bool:
    """Whether all values that will be asked for are there and of their kind."""
    return isinstance(said, dict) and all(check(said.get(key)) for key, check in checks.items())


def or_none(check: Check) -> Check:
    """The same, or nothing."""
    return lambda value: value is None or check(value)


def _are_parts(value: Any) -> bool:
    return isinstance(value, dict) and all(
        fits(part, {"faces": is_number, "share": or_none(is_number)}) for part in value.values()
    )


def _are_instances(value: Any) -> bool:
    return isinstance(value, list) and all(fits(each, {"part": is_text}) for each in value)


# What is asked of a line, of a mesh that was segmented, and of one that was prepared.
LINE: dict[str, Check] = {
    "path": is_text, "digest": is_text, "options": is_text, "outcome": lambda value: value in ("done", "failed"),
    "seconds": or_none(is_number), "parts": is_number, "written": are_texts,
    "order": lambda value: isinstance(value, int), "entry": lambda value: isinstance(value, dict),
}  # fmt: skip
SEGMENTED: dict[str, Check] = {
    "file": is_text, "kind": or_none(is_text), "reason": is_text, "warnings": are_texts, "written": are_texts,
    "confidence": is_number, "parts": _are_parts, "instances": _are_instances,
}  # fmt: skip
PREPARED: dict[str, Check] = {"seconds": is_number, "vertices": is_number, "remarks": are_texts}
