"""What lies in a folder of shards: tar files, and beside each a JSON file that says what is in it.

`shapes-00003.tar` has a safetensors file for each of its shapes: mesh, labels, eigenbasis and features. The JSON file
beside it has the collection's vocabularies, the recipe, and of every shape its name, its split, and where it lies. It
is written last, so that a tar without one is not finished. Other programs read the tars as they read WebDataset's.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from meshtide.data.finding import Shape
from meshtide.errors import InputError
from meshtide.files import read_regular
from meshtide.labels.labels import Vocabulary, check_element, check_names
from meshtide.spectral.recipe import GraphRecipe

SCHEMA = 1
NAME = re.compile(r"shapes(?:-(\d{1,9})of(\d{1,9}))?-(\d{5,9})\.json")
_BEGINNING = b'{"meshtide shards":'
BLOCK = 512  # of a tar
MOST_INDEX_BYTES = 2**26
MOST_SHAPE_BYTES = 2**31
MOST_ELEMENTS = 2**31
VECTOR_TYPES = {"float32": "F32", "float16": "F16"}


@dataclass(frozen=True)
class PackedShape(Shape):
    """A shape in a tar: where its bytes lie, and what there should be in them."""

    split: str | None = field(default=None, kw_only=True)
    order: int = field(default=0, kw_only=True)  # in the collection
    on: str = field(default="vertices", kw_only=True)  # what has labels
    vertices: int = field(default=0, kw_only=True)
    faces: int = field(default=0, kw_only=True)
    components: int = field(default=1, kw_only=True)
    offset: int = field(default=0, kw_only=True)
    size: int = field(default=0, kw_only=True)
    crc32: int = field(default=0, kw_only=True)

    @property
    def tar(self) -> Path:
        """The file that it is in."""
        return self.mesh_path.parent


@dataclass(frozen=True)
class Pack:
    """What all shards of a folder have in common."""

    collection: str
    recipe: GraphRecipe
    vectors: str  # their type
    vocabulary: str  # the one that is taken if none is asked for
    vocabularies: Mapping[str, Vocabulary]

    def to_json(self) -> dict[str, Any]:
        """What is written into every index."""
        return {
            "collection": self.collection,
            "recipe": json.loads(self.recipe.to_json()),
            "vectors": self.vectors,
            "vocabulary": self.vocabulary,
            "vocabularies": {
                name: {"parts": {part: list(members) for part, members in each.parts.items()},
                       "unscored": list(each.unscored)}
                for name, each in self.vocabularies.items()
            },
        }  # fmt: skip


@dataclass(frozen=True)
class Index:
    """What the JSON file beside a tar says."""

    pack: Pack
    names: tuple[str, ...]  # of the parts that labels count
    tars: int  # how many this part of the pack has
    shapes: tuple[PackedShape, ...]

    def to_json(self) -> dict[str, Any]:
        """What is written."""
        return {
            "meshtide shards": SCHEMA,
            **self.pack.to_json(),
            "names": list(self.names),
            "tars": self.tars,
            "shapes": [
                {name: value for name, value in asdict(shape).items() if name in _SHAPE} for shape in self.shapes
            ],
        }


_SHAPE = {
    "name": str, "kind": str, "split": str, "order": int, "on": str, "vertices": int, "faces": int, "components": int,
    "offset": int, "size": int, "crc32": int,
}  # fmt: skip
_MAY_BE_NONE = ("kind", "split")


def is_shards(folder: Path) -> bool:
    """Whether a folder has shards in it."""
    try:
        return folder.is_dir() and any(map(_is_index, folder.glob("shapes-*.json")))
    except (OSError, ValueError):
        return False


def _is_index(path: Path) -> bool:
    """Whether it begins as an index does: somebody's labels may have such a name."""
    if NAME.fullmatch(path.name) is None or not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(_BEGINNING)) == _BEGINNING


def index_paths(folder: Path) -> list[Path]:
    """The indices of a folder, in order; refused if one is missing."""
    found = sorted(path for path in folder.glob("shapes-*.json") if NAME.fullmatch(path.name))
    parts = {_numbers(path)[:2] for path in found}
    counts = {count for _, count in parts}
    if len(counts) > 1:
        raise InputError(f"{folder}: has shards of two divisions ({_listed(counts)} jobs); write them to a new folder")
    there = {part for part, _ in parts}
    # One after the other: a name can claim more parts than a set of them would fit into memory.
    missing = next((part for part in range(next(iter(counts), 0)) if part not in there), None)
    if missing is not None:
        raise InputError(
            f"{folder}: the shards of job {missing}/{counts.pop()} are missing; run `prepare` with `shards` for it"
        )
    return found


def _listed(counts: set[int]) -> str:
    return " and ".join(map(str, sorted(counts)))


def _numbers(path: Path) -> tuple[int, int, int]:
    """Part, how many parts, and which tar of the part."""
    found = NAME.fullmatch(path.name)
    assert found is not None
    return int(found[1] or 0), int(found[2] or 1), int(found[3])


def stem_of(part: tuple[int, int] | None, number: int) -> str:
    """The name of a tar and of its index."""
    middle = "" if part is None else f"{part[0]}of{part[1]}-"
    return f"shapes-{middle}{number:05}"


def check_numbers(folder: Path, indices: Mapping[Path, Index]) -> None:
    """Raise InputError unless every part has as many tars as it says."""
    seen: dict[tuple[int, int], set[int]] = {}
    for path in indices:
        part, count, number = _numbers(path)
        seen.setdefault((part, count), set()).add(number)
    for path, index in indices.items():
        part, count, _ = _numbers(path)
        if len(seen[part, count]) != index.tars or max(seen[part, count]) != index.tars - 1:
            raise InputError(
                f"{folder}: has {len(seen[part, count])} of {index.tars} shards; run `prepare` with `shards` again "
                "for those that are missing"
            )


def read_index(path: Path) -> Index:
    """Read and check an index; whatever is wrong with it is one sentence."""
    data = read_regular(path, MOST_INDEX_BYTES)
    try:
        said = json.loads(data)
        if not isinstance(said, dict) or said.get("meshtide shards") != SCHEMA:
            raise InputError("is no index of shards that this version of meshtide can read")
        return _index(said, path)
    except InputError as error:
        raise InputError(f"{path}: {error}; write the shards anew") from None
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise InputError(f"{path}: is damaged, or no index of shards; write the shards anew") from error


def _index(said: dict[str, Any], path: Path) -> Index:
    names = tuple(said["names"])
    check_names(names)
    vocabularies = {
        str(name): Vocabulary(str(name), {part: _texts(of) for part, of in each["parts"].items()},
                              _texts(each["unscored"]))
        for name, each in said["vocabularies"].items()
    }  # fmt: skip
    recipe = GraphRecipe.from_json(json.dumps(said["recipe"]))
    if said["vocabulary"] not in vocabularies or said["vectors"] not in VECTOR_TYPES:
        raise InputError("is damaged: it names a vocabulary or a type that is not there")
    pack = Pack(str(said["collection"]), recipe, said["vectors"], said["vocabulary"], vocabularies)
    tar = path.with_suffix(".tar")
    shapes = tuple(_shape(each, tar, number) for number, each in enumerate(said["shapes"]))
    tars = said["tars"]
    if type(tars) is not int or not 1 <= tars <= 10**9:
        raise InputError("is damaged: it does not say how many shards there are")
    return Index(pack, names, tars, shapes)


def _texts(words: Any) -> tuple[str, ...]:
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise TypeError("a list of words")
    return tuple(words)


def _shape(said: dict[str, Any], tar: Path, number: int) -> PackedShape:
    if set(said) != set(_SHAPE):
        raise InputError("is damaged: a shape in it has other fields than one has")
    for name, kind in _SHAPE.items():
        value = said[name]
        if type(value) is not kind and not (value is None and name in _MAY_BE_NONE):
            raise InputError(f"is damaged: a shape's {name} is no {kind.__name__}")
        if isinstance(value, int) and not 0 <= value <= 2**62:
            raise InputError(f"is damaged: a shape's {name} is out of range")
    check_element(said["on"])
    if said["size"] > MOST_SHAPE_BYTES or max(said["vertices"], said["faces"]) > MOST_ELEMENTS:
        raise InputError(f"is damaged: a shape of {said['size']:,} bytes is larger than any")
    # For people to read in errors, and to tell shapes apart: there is no such file, and the name leads nowhere.
    place = tar / f"{number:06}"
    digest = f"{said['crc32']:08x}-{said['size']}"
    return PackedShape(mesh_path=place, label_path=place, digest=digest, **said)
