"""Finding the shapes of a card or a folder: which files are meshes, which labels are theirs, and what is missing."""

from __future__ import annotations

import fnmatch
import itertools
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from meshtide.data.card import Card, Numbers
from meshtide.errors import InputError
from meshtide.labels.files.survey import natural_key
from meshtide.words import listed

WITHOUT_MESH = "is a label file, and there is no mesh of that name"

MOST_NAMED = 20  # missing numbers in a sentence


@dataclass(frozen=True)
class Shape:
    """One shape of a collection: where its mesh and its labels are."""

    name: str
    mesh_path: Path
    label_path: Path | None = None
    kind: str | None = None  # the card's category it belongs to
    digest: str | None = None  # of its content, where that is known without reading it


@dataclass(frozen=True)
class Problem:
    """Something about one file that does not fit; a remark (not serious) does not stand in the way of using it."""

    path: Path
    sentence: str
    serious: bool = True


def data_folder(data: str | Path | None, beside: Path | None) -> Path | None:
    """Where the paths of a card start: as asked, else as the environment says, else beside the card."""
    chosen = data or os.environ.get("MESHTIDE_DATA") or beside
    folder = None if chosen is None else Path(chosen).expanduser()
    if folder is not None and not folder.is_dir():
        raise InputError(f"{folder}: the data folder is not a folder; correct `data` or MESHTIDE_DATA")
    return folder


def visible_files(folder: Path) -> list[Path]:
    """The visible files of a folder, 2 before 10."""
    try:
        with os.scandir(folder) as entries:
            names = [entry.name for entry in entries if entry.is_file() and not entry.name.startswith(".")]
    except OSError as error:
        raise InputError(f"{folder}: cannot be read ({error.strerror or error})") from error
    return [folder / name for name in sorted(names, key=natural_key)]


def chosen_category(card: Card, word: str) -> str:
    """The category that is meant, as the card spells it; empty if none is."""
    by_name = {name.lower(): name for name in card.categories} | {"": ""}
    if word.lower() in by_name:
        return by_name[word.lower()]
    known = f"there are {', '.join(card.categories)}" if card.categories else f"write '{card.name}' alone"
    raise InputError(f"{card.name}: has no category '{word}'; {known}")


def card_folders(
    card: Card, category: str, data: Path, *, generated: bool
) -> list[tuple[str | None, Path, Numbers | None]]:
    """Every category with the folder of its meshes and the numbers that should be there."""
    if not card.categories:
        return [(None, data / card.folder, card.numbers)]
    chosen = [category] if category else list(card.categories)
    folders = [(name, data / card.folder.replace("{category}", name), card.categories[name]) for name in chosen]
    return [entry for entry in folders if category or generated or entry[1].is_dir()]


def generated_shapes(card: Card, kind: str | None, folder: Path, numbers: Numbers) -> list[Shape]:
    """The shapes of a category, whether their files have been made or not."""
    shapes = []
    for number in numbers.missing(()):
        mesh = folder / f"{kind}-{number:04d}.ply"
        shapes.append(Shape(mesh.stem, mesh, mesh.with_suffix(".txt"), kind))
    return shapes


def card_shapes(card: Card, kind: str | None, folder: Path, numbers: Numbers | None, data: Path) -> list[Shape]:
    if not folder.is_dir():
        raise InputError(f"{folder}: no such folder; {card.obtain or 'the card names it for the meshes'}")
    meshes = [file for file in visible_files(folder) if fnmatch.fnmatchcase(file.name, card.pattern)]
    if numbers is not None:
        meshes = [mesh for mesh in meshes if (number := _number(mesh.stem)) is not None and number in numbers]
    shared = None if card.label_file is None else data / card.label_file
    if shared is not None and not shared.is_file():
        raise InputError(f"{shared}: no such file; {card.obtain or 'the card names it for the labels'}")
    shapes = []
    for mesh in meshes:
        beside = folder / card.label_beside.replace("{stem}", mesh.stem) if card.label_beside else None
        labels = beside if beside is not None and _is_file(beside) else shared
        shapes.append(Shape(mesh.stem, mesh, labels, kind))
    return shapes


def count_findings(card: Card, folder: Path, shapes: list[Shape], numbers: Numbers | None) -> list[Problem]:
    wanted = len(numbers) if numbers is not None else card.count
    if wanted is None or len(shapes) == wanted:
        return []
    sentence = f"{len(shapes):,} of {wanted:,} meshes found"
    if numbers is not None:
        present = (number for shape in shapes if (number := _number(shape.name)) is not None)
        missing = list(itertools.islice(numbers.missing(present), MOST_NAMED + 1))
        rest = " …" if len(missing) > MOST_NAMED else ""
        sentence += f"; missing {', '.join(map(str, missing[:MOST_NAMED]))}{rest}"
    return [Problem(folder, sentence)]


def is_member(shape: Shape, split: Numbers | tuple[str, ...], start: int) -> bool:
    if not isinstance(split, Numbers):
        return shape.name in split
    number = _number(shape.name)
    return number is not None and number - start in split


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # a name longer than names can be
        return False


def _number(stem: str) -> int | None:
    """A shape's number: the last one in its name."""
    found = re.findall(r"\d+", stem)
    return int(found[-1]) if found else None


def unlabelled(shapes: list[Shape]) -> list[Problem]:
    """A remark for every shape without labels, where others have them."""
    if all(shape.label_path is None for shape in shapes):
        return []
    remark = "has no labels; others have"
    return [Problem(shape.mesh_path, remark, serious=False) for shape in shapes if shape.label_path is None]


def unlabelled_names(shapes: Iterable[Shape]) -> list[str]:
    """The files of the shapes that have no labels."""
    return [shape.mesh_path.name for shape in shapes if shape.label_path is None]


def left_out(names: Sequence[str], labelled: int) -> str:
    """The sentence about meshes without labels, beside so many with labels."""
    which = "has no labels of its own and is" if len(names) == 1 else "have no labels of their own and are"
    return f"{listed(names, most=5)} {which} left out: {labelled:,} meshes have labels"
