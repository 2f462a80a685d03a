"""Labels as JSON: part name -> element numbers, or one label an element."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from meshtide.errors import InputError
from meshtide.labels.files.contents import (
    Contents,
    PerElement,
    Place,
    Sizes,
    check_part_count,
    read_text,
    whole_numbers,
)
from meshtide.labels.files.text import joined_lists, words_to_parts

_MOST_JSON = 64_000_000  # bytes; parsed, JSON can take twenty times that


def read_json(path: Path, sizes: Sizes | None) -> Contents:
    """A JSON file: {name: [indices]}, [label, label, …] or {"labels": […], "names": […]}; "on" may say where."""
    text = read_text(path, sizes, _MOST_JSON)
    try:
        said = json.loads(text)
    except RecursionError:
        raise InputError(f"{path}: is nested too deeply for labels") from None
    except json.JSONDecodeError as error:
        raise InputError(f"{path}: is not JSON (line {error.lineno:,}: {error.msg}); is it cut short?") from None
    except ValueError as error:
        raise InputError(f"{path}: has a number that cannot be read ({error})") from None
    if isinstance(said, list):
        return _per_element(path, said, None, None)
    if not isinstance(said, dict):
        raise InputError(f"{path}: holds one {type(said).__name__}; wanted part names with element numbers, or a list")
    on = _place(path, said.pop("on")) if isinstance(said.get("on"), str) else None
    if isinstance(said.get("labels"), list) and set(said) <= {"labels", "names"}:
        return _per_element(path, said["labels"], said.get("names"), on)
    return joined_lists(path, {name: _indices(path, name, said[name]) for name in said}, on, "first wins", 0)


def _place(path: Path, word: str) -> Place:
    if word == "vertices":
        return "vertices"
    if word == "faces":
        return "faces"
    raise InputError(f"{path}: \"on\" is {word[:40]!r}; wanted 'vertices' or 'faces'")


def _indices(path: Path, name: str, members: Any) -> list[int]:
    if not isinstance(members, list) or not all(type(member) is int for member in members):
        raise InputError(f"{path}: the part {name[:40]!r} is not a list of element numbers")
    return members


def _per_element(path: Path, labels: list[Any], names: Any, on: Place | None) -> PerElement:
    kinds = {type(label) for label in labels}
    if kinds <= {str, type(None)} and str in kinds:
        words = words_to_parts(path, labels)
        return PerElement(path, words.values, words.names, on, 0)
    wrong = next((label for label in labels if type(label) not in (int, float, type(None))), None)
    if wrong is not None:
        raise InputError(f"{path}: {str(wrong)[:40]!r} stands among the labels; wanted all numbers or all names")
    if names is not None:
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise InputError(f'{path}: "names" is not a list of texts; wanted the names of the parts in order')
        check_part_count(path, len(names))
    numbers = np.array([-1 if label is None else min(label, 2**62) for label in labels])
    return PerElement(path, whole_numbers(path, numbers), None if names is None else tuple(names), on)
