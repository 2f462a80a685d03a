"""An extension of griffe: examples in docstrings are shown as the programs that they are."""

from __future__ import annotations

import re
from typing import Any

import griffe

_EXAMPLE = re.compile(r"(?:^|(?<=\n\n))(>>> .*?)(?=\n\n|\Z)", re.DOTALL)


class Doctests(griffe.Extension):
    """Puts a fence around every paragraph that begins with the prompt."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Fence the examples of one docstring."""
        if obj.docstring is not None:
            obj.docstring.value = _EXAMPLE.sub(r"```pycon\n\1\n```", obj.docstring.value.strip())
