"""Dataset cards: TOML files that say where meshes and labels are, which parts they have and how they are split."""

from __future__ import annotations

import importlib.resources
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from meshtide.data.toml import MOST_BYTES, parse_toml
from meshtide.errors import InputError
from meshtide.files import read_regular
from meshtide.labels.labels import Element, Vocabulary, check_element, check_names
from meshtide.words import listed, shown

_LONGEST_NAME, _LONGEST_PATH = 255, 1_000  # bytes of a file's name, and of a path in the data folder
_LARGEST_NUMBER = 10_000_000
_RANGE = re.compile(r"(\d{1,8})(?:\s*-\s*(\d{1,8}))?$")


@dataclass(frozen=True)
class Numbers:
    """A set of shape numbers, written like "381-390, 395"."""

    ranges: tuple[tuple[int, int], ...]

    @staticmethod
    def parse(text: str) -> Numbers:
        """Read "381-390, 395"; raises ValueError where it is something else."""
        found = [_RANGE.match(word.strip()) for word in text.split(",")]
        if not all(found):
            raise ValueError(text)
        ranges = tuple((int(match[1]), int(match[2] or match[1])) for match in found if match)
        if any(low > high or high > _LARGEST_NUMBER for low, high in ranges):
            raise ValueError(text)
        return Numbers(ranges)

    def __contains__(self, number: int) -> bool:
        return any(low <= number <= high for low, high in self.ranges)

    def __len__(self) -> int:
        return sum(high - low + 1 for low, high in self.ranges)

    def overlaps(self, other: Numbers) -> bool:
        """Whether a number stands in both."""
        return any(a <= d and c <= b for a, b in self.ranges for c, d in other.ranges)

    def missing(self, present: Iterable[int]) -> Iterator[int]:
        """The numbers that are not among those present, one by one: a card may name a great many."""
        there = set(present)
        return (n for low, high in self.ranges for n in range(low, high + 1) if n not in there)


Split = Numbers | tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Card:
    """What a dataset card says; paths are relative to the data folder and stay inside it."""

    name: str
    folder: str  # of the meshes; "{category}" stands for a category's name
    pattern: str  # of the meshes' file names, with * and ?
    place: str = ""  # where the card stands, for errors
    title: str = ""
    source: str = ""
    licence: str = ""
    obtain: str = ""
    numbers: Numbers | None = None  # of the shapes: the last number in a file's name
    count: int | None = None  # how many meshes there should be
    vertices: int | None = None  # how many each mesh should have
    faces: int | None = None
    label_file: str | None = None  # one for all meshes
    label_beside: str | None = None  # one beside each mesh; "{stem}" stands for the mesh's name
    on: Element | None = None
    parts: tuple[str, ...] = ()  # of the label files; empty: whatever they hold
    vocabularies: Mapping[str, Vocabulary] = field(default_factory=dict)
    vocabulary: str = "own"  # the one that is taken if none is asked for
    splits: Mapping[str, Split] = field(default_factory=dict)  # with categories: positions within the category
    categories: Mapping[str, Numbers] = field(default_factory=dict)


_KEYS: dict[str, dict[str, type]] = {
    "": {
        "name": str,
        "title": str,
        "source": str,
        "licence": str,
        "obtain": str,
        "vocabulary": str,
        "meshes": dict,
        "labels": dict,
        "vocabularies": dict,
        "splits": dict,
        "categories": dict,
    },
    "meshes": {"folder": str, "pattern": str, "numbers": str, "count": int, "vertices": int, "faces": int},
    "labels": {"file": str, "beside": str, "on": str, "parts": list},
}
_REQUIRED = {"": ("name", "meshes"), "meshes": ("folder", "pattern"), "labels": ()}


def known_cards() -> dict[str, Any]:
    """The cards that come with meshtide, by name: in the package, or beside it in a checkout."""
    inside = importlib.resources.files("meshtide") / "cards"
    places = inside.iterdir() if inside.is_dir() else (Path(__file__).parents[2] / "datasets").glob("*.toml")
    cards = {place.name.removesuffix(".toml"): place for place in places if place.name.endswith(".toml")}
    return dict(sorted(cards.items()))


def load_card(source: str | Path) -> Card:
    """The card of a name such as "faust", or the one in a .toml file."""
    if isinstance(source, str) and source in known_cards():
        place = known_cards()[source]
    elif str(source).lower().endswith(".toml"):
        place = Path(source)
    else:
        raise InputError(
            f"'{source}' is not the name of a card; known: {', '.join(known_cards())}; or give a card's path"
        )
    data = read_regular(place, MOST_BYTES) if isinstance(place, Path) else place.read_bytes()
    return parse_card(data, str(place))


def parse_card(data: bytes, place: str) -> Card:
    """Read and check a card; `place` begins every error."""
    said = parse_toml(data, place)
    try:
        return _card(said, place)
    except InputError as error:
        raise InputError(f"{place}: {error}") from None


def _card(said: dict[str, Any], place: str) -> Card:
    _check_keys("", said)
    meshes, labels = said["meshes"], said.get("labels", {})
    _check_keys("meshes", meshes)
    _check_keys("labels", labels)
    texts = {key: " ".join(value.split()) for key, value in said.items() if _KEYS[""][key] is str}
    numbers = _numbers("meshes.numbers", meshes["numbers"]) if "numbers" in meshes else None
    categories = {name: _numbers(f"categories.{name}", text) for name, text in said.get("categories", {}).items()}
    parts = tuple(labels.get("parts", ()))
    check_names(parts)
    card = Card(
        **texts, place=place, folder=meshes["folder"], pattern=meshes["pattern"], numbers=numbers,
        count=meshes.get("count"), vertices=meshes.get("vertices"), faces=meshes.get("faces"),
        label_file=labels.get("file"), label_beside=labels.get("beside"), on=labels.get("on"), parts=parts,
        vocabularies=_vocabularies(said.get("vocabularies", {}), parts), splits=_splits(said.get("splits", {})),
        categories=categories,
    )  # fmt: skip
    _check_paths(card)
    _check_choices(card)
    return card


def _check_keys(table: str, said: dict[str, Any]) -> None:
    prefix = f"{table}." if table else ""
    unknown = [f"{prefix}{key}" for key in said if key not in _KEYS[table]]
    if unknown:
        raise InputError(f"unknown keys {listed(unknown)}; known are {', '.join(prefix + key for key in _KEYS[table])}")
    missing = [f"{prefix}{key}" for key in _REQUIRED[table] if key not in said]
    if missing:
        raise InputError(f"the keys {listed(missing)} are missing")
    for key, value in said.items():
        wanted = _KEYS[table][key]
        if type(value) is not wanted:
            raise InputError(f"{prefix}{key} is a {type(value).__name__}; wanted a {wanted.__name__}")


def _numbers(key: str, text: Any) -> Numbers:
    try:
        return Numbers.parse(text)
    except (ValueError, AttributeError):
        raise InputError(f'{key} is {shown(repr(text))}; wanted numbers like "381-390, 395"') from None


def _texts(key: str, value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(word, str) for word in value):
        raise InputError(f"{key} is {shown(repr(value))}; wanted a list of texts")
    return tuple(value)


def _vocabularies(said: dict[str, Any], parts: tuple[str, ...]) -> dict[str, Vocabulary]:
    """Every vocabulary, after checking that it says something about each part of the files and about no other."""
    vocabularies = {} if "own" in said or not parts else {"own": Vocabulary.of("own", parts)}
    for name, table in said.items():
        key = f"vocabularies.{name}"
        if isinstance(table, list):
            vocabulary = Vocabulary.of(name, _texts(key, table))
        elif isinstance(table, dict):
            groups = {part: _texts(f"{key}.{part}", members) for part, members in table.items()}
            unscored = groups.pop("unscored", ())
            vocabulary = Vocabulary(name, groups, unscored)
        else:
            raise InputError(
                f"{key} is {shown(repr(table))}; wanted a list of parts, or a table of part = [the files' parts]"
            )
        unknown, forgotten = vocabulary.known - set(parts), set(parts) - vocabulary.known
        if parts and unknown:
            raise InputError(f"{key} names {listed(sorted(unknown))}, which labels.parts does not have")
        if parts and forgotten:
            raise InputError(f"{key} forgets {listed(sorted(forgotten))}; map them or list them as unscored")
        vocabularies[name] = vocabulary
    return vocabularies


def _splits(said: dict[str, Any]) -> dict[str, Split]:
    splits: dict[str, Split] = {}
    for name, value in said.items():
        if name == "all" or "+" in name:
            raise InputError(f"splits.{name}: 'all' and names with '+' have a meaning of their own; choose another")
        key = f"splits.{name}"
        splits[name] = _texts(key, value) if isinstance(value, list) else _numbers(key, value)
    common = _with_common_numbers(splits) or _with_common_names(splits)
    if common is not None:
        one, other = (shown(name) for name in common)
        raise InputError(f"splits.{one} and splits.{other} have shapes in common; a shape belongs to one")
    return splits


def _with_common_numbers(splits: Mapping[str, Split]) -> tuple[str, str] | None:
    """Two splits that share a number: looked for in one pass over all ranges in order, as there may be thousands."""
    ranges = [(*pair, name) for name, split in splits.items() if isinstance(split, Numbers) for pair in split.ranges]
    end, owner = -1, ""
    for low, high, name in sorted(ranges):
        if low <= end and name != owner:
            return owner, name
        if high > end:
            end, owner = high, name
    return None


def _with_common_names(splits: Mapping[str, Split]) -> tuple[str, str] | None:
    """Two splits that share a shape by its name."""
    owners: dict[str, str] = {}
    for name, split in splits.items():
        for shape in () if isinstance(split, Numbers) else split:
            if owners.setdefault(shape, name) != name:
                return owners[shape], name
    return None


def _check_paths(card: Card) -> None:
    """A card comes from someone else: it may name nothing outside the data folder."""
    paths = {"meshes.folder": card.folder, "meshes.pattern": card.pattern, "labels.file": card.label_file}
    paths |= {"labels.beside": card.label_beside} | {f"categories.{name}": name for name in card.categories}
    for key, path in paths.items():
        if path is None:
            continue
        words = re.split(r"[/\\]", path)
        absolute = path[:1] in ("", "/", "\\", "~") or ":" in path or "\0" in path
        long = [word for word in words if len(os.fsencode(word)) > _LONGEST_NAME]
        if long or len(os.fsencode(path)) > _LONGEST_PATH:
            raise InputError(f"{key} is '{shown(path)}', longer than any file's name; is the card damaged?")
        if absolute or ".." in words:
            raise InputError(
                f"{key} is {shown(repr(path))}, which leads outside the data folder; wanted a path inside it"
            )
        if len(words) > 1 and (key == "meshes.pattern" or key.startswith("categories.")):
            raise InputError(f"{key} is {shown(repr(path))}; wanted a name without folders")


def _check_choices(card: Card) -> None:
    if card.on is not None:
        check_element(card.on)
    if card.label_file and card.label_beside:
        raise InputError("labels.file and labels.beside are both given; the labels are in one place")
    if card.label_beside is not None and "{stem}" not in card.label_beside:
        raise InputError(
            f"labels.beside is '{shown(card.label_beside)}'; wanted a name with {{stem}}, the name of the mesh"
        )
    if ("{category}" in card.folder) != bool(card.categories):
        raise InputError('meshes.folder has "{category}" if, and only if, there is a table of categories')
    if card.vocabulary != "own" and card.vocabulary not in card.vocabularies:
        raise InputError(f"vocabulary is '{card.vocabulary}'; there are {listed(card.vocabularies)}")
