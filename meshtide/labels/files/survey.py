"""Look over the label files of many shapes at once: which parts there are, and where their numbers start."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeGuard

import numpy as np

from meshtide.errors import InputError
from meshtide.labels.files.contents import Contents, IndexLists, PerElement, Place, Sizes
from meshtide.labels.files.placing import detect_part_base
from meshtide.labels.files.reading import parse_labels
from meshtide.labels.labels import check_names
from meshtide.mesh.files import load_mesh
from meshtide.words import listed


@dataclass(frozen=True)
class Survey:
    """What the label files of a collection have in common."""

    parts: tuple[str, ...] = ()  # those that have elements somewhere, in natural order
    part_base: int | None = None  # where part numbers start, for files that leave it open
    index_base: int | None = None  # where element numbers start, for lists that leave it open; None if that is not sure
    notes: tuple[str, ...] = ()

    def base_for(self, contents: Contents) -> int | None:
        """Where the numbers of one of the files start, or None if the file itself has to tell."""
        if isinstance(contents, PerElement):
            return self.part_base
        return self.index_base if leaves_index_base_open(contents) else None


def natural_key(name: str) -> tuple[list[str | int], str]:
    """Sorts "part 2" before "part 10"."""
    words = re.split(r"(\d+)", name)
    return [int(word) if at % 2 else word.lower() for at, word in enumerate(words)], name


def survey_labels(places: Iterable[tuple[Path, Path]], on: Place | None = None) -> Survey:
    """Survey (label file, mesh file) pairs; files that cannot be read are left out, for `check` to report."""
    every = [contents for pair in dict(places).items() if (contents := _contents(*pair, on)) is not None]
    _refuse_names_among_numbers(every)
    open_files = [contents for contents in every if isinstance(contents, PerElement) and contents.base is None]
    part_base, notes = _common_base(open_files)
    index_base = 0 if any(leaves_index_base_open(c) and (c.indices == 0).any() for c in every) else None
    parts = {name for contents in every for name in _used_parts(contents, part_base or 0)}
    return Survey(tuple(sorted(parts, key=natural_key)), part_base, index_base, notes)


def _refuse_names_among_numbers(every: list[Contents]) -> None:
    """Raise InputError where some files name parts and others number them: nothing says which number has which name."""
    named, numbered = [], []
    for contents in every:
        words = set(contents.names or ())
        if isinstance(contents, PerElement) and contents.names is None:
            if (contents.values >= 0).any():  # nothing but -1 says nothing
                numbered.append(contents)
        elif not all(re.fullmatch(r"part \d+", word) for word in words):
            named.append(contents)
    if named and numbered:
        name, number = named[0], numbered[0]
        files = "1 label file has" if len(numbered) == 1 else f"{len(numbered):,} label files have"
        raise InputError(
            f"{number.path.parent}: {files} numbers, such as {number.path.name}"
            f"{_about(number)}, and {len(named):,} {'has' if len(named) == 1 else 'have'} names, such as "
            f"{name.path.name}{_about(name)} ({listed(name.names or (), most=4)}); which number is which part? write "
            "names in all of them, or numbers"
        )


def _about(contents: Contents) -> str:
    """Which elements a file is about, where it says so."""
    return f" on {contents.on}" if contents.on else ""


def leaves_index_base_open(contents: Contents) -> TypeGuard[IndexLists]:
    """Whether these are lists of a format that may count from 0 as well as from 1; SHREC'07 counts from 1."""
    return isinstance(contents, IndexLists) and contents.usual_base == 0


def _contents(label_path: Path, mesh_path: Path, on: Place | None) -> Contents | None:
    try:
        return _named(parse_labels(label_path, None, on))
    except InputError:
        pass
    try:  # which of a file's arrays is meant, only the mesh may tell
        return _named(parse_labels(label_path, Sizes.of(load_mesh(mesh_path)), on))
    except InputError:
        return None


def _named(contents: Contents) -> Contents:
    """What a file has, if its parts have names that parts can have."""
    check_names(tuple(contents.names or ()))
    return contents


def _common_base(files: list[PerElement]) -> tuple[int | None, tuple[str, ...]]:
    """One base for all files: a single shape may lack part 0, and alone it would be taken to count from 1."""
    if not files:
        return None, ()
    base, sentence = detect_part_base(contents.values for contents in files)
    named = [contents for contents in files if contents.names is not None]
    if base == 1 and named and not any(int(c.values.max()) == len(c.names or ()) for c in named):
        return 0, ("part numbers are assumed to count from 0 (0 and the number of names are both not among them)",)
    return base, (f"{sentence}, over {len(files):,} files",)


def _used_parts(contents: Contents, base: int) -> list[str]:
    """The names of the parts that have elements in a file."""
    if isinstance(contents, IndexLists):
        return [contents.names[part] for part in np.unique(contents.parts)]
    numbers = np.unique(contents.values[contents.values >= 0])
    if contents.names is None:
        return [f"part {number}" for number in numbers]
    first = base if contents.base is None else contents.base
    return [contents.names[number - first] for number in numbers if 0 <= number - first < len(contents.names)]
