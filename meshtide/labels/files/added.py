"""Label formats that other packages add, by the entry points `meshtide.label_formats`.

The name of an entry point is a suffix without its dot, its value a function of the file's path and of the mesh's
`Sizes` (None if a file is read before its mesh). It returns one whole number for each element, -1 for unlabelled ones,
or a `PerElement` or `IndexLists`, which can say more: names, which element is meant, where numbers start.
"""

from __future__ import annotations

from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

import numpy as np

from meshtide.errors import InputError
from meshtide.labels.files.contents import Contents, IndexLists, PerElement, Sizes, check_is_file, whole_numbers
from meshtide.words import listed

GROUP = "meshtide.label_formats"


def added_suffixes() -> tuple[str, ...]:
    """The suffixes that installed packages can read labels from; no package is imported for it."""
    return tuple(sorted({f".{entry.name.lower()}" for entry in entry_points(group=GROUP)}))


def read_added(path: Path, sizes: Sizes | None) -> Contents | None:
    """What a file says by the reader of another package, or None if there is none for its suffix."""
    found = [entry for entry in entry_points(group=GROUP) if f".{entry.name.lower()}" == path.suffix.lower()]
    if not found:
        return None
    if len({entry.value for entry in found}) > 1:
        raise InputError(f"{path}: several packages read such files, {listed(map(_owner, found))}; keep one of them")
    return _checked(path, found[0], _called(path, found[0], sizes))


def _called(path: Path, entry: EntryPoint, sizes: Sizes | None) -> Any:
    """What the reader returns; whatever it raises becomes one sentence about the file."""
    check_is_file(path)
    try:
        return entry.load()(path, sizes)
    except InputError:
        raise
    except Exception as error:  # another package's import or reader may do anything
        cause = str(error).partition("\n")[0][:120] or type(error).__name__
        raise InputError(f"{path}: the package '{_owner(entry)}' could not read it ({cause})") from error


def _checked(path: Path, entry: EntryPoint, said: Any) -> Contents:
    if isinstance(said, PerElement | IndexLists):
        return said
    values = np.asarray(said)
    if values.ndim != 1:
        found = f"{values.dtype} {values.shape}"
        raise InputError(f"{path}: the package '{_owner(entry)}' returned {found}; wanted one number an element")
    return PerElement(path, whole_numbers(path, values))


def _owner(entry: EntryPoint) -> str:
    return entry.dist.name if entry.dist is not None else entry.value
