"""Which files many segmentations are written to: a name for each mesh, and nothing written twice or over an input."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from meshtide.errors import InputError
from meshtide.many.remote import is_url, pure
from meshtide.output.saving import SUFFIXES

NAMES = ("{name}", "{stem}")  # stand for an input's name in the path of an output
USUAL_SUFFIX = ".ply"
Place = Path | str  # a path of this machine, or an address


def names_of(places: Sequence[Place]) -> dict[Place, str]:
    """A name for each file's outputs: its stem, or all of its name where two have the same stem."""
    stems = Counter(pure(place).stem for place in places)
    return {place: pure(place).stem if stems[pure(place).stem] == 1 else pure(place).name for place in places}


def targets_of(name: str, outputs: Sequence[Place], several: bool) -> tuple[Place, ...]:
    """The files to write for one input."""
    return tuple(_target(name, output, several) for output in outputs)


def _target(name: str, output: Place, several: bool) -> Place:
    text = str(output)
    target: Place
    if any(word in text for word in NAMES):
        target = _as(output, text.replace(NAMES[0], name).replace(NAMES[1], name))
    elif (isinstance(output, Path) and output.is_dir()) or pure(output).suffix == "":
        target = _as(output, f"{text.rstrip('/')}/{name}{USUAL_SUFFIX}")
    elif several:
        raise InputError(f"{output}: is one file for several meshes; give a folder, or a path with {NAMES[0]} in it")
    else:
        target = output
    suffix = pure(target).suffix
    if suffix.lower() not in SUFFIXES:
        raise InputError(f"{target}: cannot write '{suffix}'; there are {', '.join(SUFFIXES)}")
    return target


def _as(output: Place, text: str) -> Place:
    return text if is_url(output) else Path(text)


def check_targets(targets: dict[Place, tuple[Place, ...]]) -> None:
    """Refuse, before anything is computed, to write over an input or twice to the same place."""
    inputs = {_resolved(place) for place in targets}
    seen: set[Place] = set()
    for path, wanted in targets.items():
        for target in wanted:
            place = _resolved(target)
            if place in inputs:
                raise InputError(f"{target}: is one of the meshes to read; write somewhere else")
            if place in seen:
                raise InputError(f"{target}: would be written twice, the second time for {path}; give another `output`")
            seen.add(place)


def _resolved(place: Place) -> Place:
    return place.resolve() if isinstance(place, Path) else place
