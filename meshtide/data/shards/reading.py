"""Open a folder of shards as a collection, and read a shape out of its tar; nothing in one is trusted."""

from __future__ import annotations

import os
import tarfile
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import safetensors
import safetensors.numpy
from numpy.typing import NDArray

from meshtide.data.collection import Collection
from meshtide.data.finding import Shape
from meshtide.data.shards.layout import (
    BLOCK,
    VECTOR_TYPES,
    Index,
    Pack,
    PackedShape,
    check_numbers,
    index_paths,
    read_index,
)
from meshtide.errors import InputError
from meshtide.files import open_regular
from meshtide.labels.labels import Labels
from meshtide.mesh.mesh import Mesh
from meshtide.spectral.preparation import Preparation
from meshtide.spectral.recipe import GraphRecipe
from meshtide.words import listed

_NUMPY = {"F64": np.float64, "F32": np.float32, "F16": np.float16, "I32": np.int32}


@dataclass(frozen=True, eq=False)
class Unpacked:
    """What a tar has of a shape."""

    mesh: Mesh
    labels: Labels  # in the parts of the label files
    preparation: Preparation


@dataclass(frozen=True, eq=False)
class Store:
    """Where the shapes of a collection of shards come from."""

    pack: Pack
    names: tuple[str, ...]

    @property
    def recipe(self) -> GraphRecipe:
        """How the shapes were prepared."""
        return self.pack.recipe

    def read(self, shape: Shape) -> Unpacked:
        """Read and check one shape."""
        if not isinstance(shape, PackedShape):
            raise InputError(f"{shape.mesh_path}: is in no shard")
        try:
            return _unpacked(_member(shape), shape, self)
        except InputError as error:
            raise InputError(f"{shape.tar}: its shape '{shape.name}' {error}; write the shards anew") from error


def recipe_of(folder: Path) -> GraphRecipe:
    """How the shapes in a folder of shards were prepared."""
    return read_index(index_paths(folder)[0]).pack.recipe


def open_shards(folder: Path, vocabulary: str | None = None) -> Collection:
    """The collection that was packed into a folder."""
    indices = {path: read_index(path) for path in index_paths(folder)}
    check_numbers(folder, indices)
    first = next(iter(indices.values()))
    for path, index in indices.items():
        if _common(index) != _common(first):
            raise InputError(f"{path}: is of another collection or recipe than the others; keep those of one run alone")
    shapes = sorted((shape for index in indices.values() for shape in index.shapes), key=lambda shape: shape.order)
    _check_shapes(folder, shapes)
    pack = first.pack
    chosen = vocabulary or pack.vocabulary
    if chosen not in pack.vocabularies:
        raise InputError(f"{folder}: has no vocabulary '{chosen}'; there are {listed(pack.vocabularies)}")
    splits: dict[str, tuple[PackedShape, ...]] = {}
    for name in dict.fromkeys(shape.split for shape in shapes if shape.split is not None):
        splits[name] = tuple(shape for shape in shapes if shape.split == name)
    return Collection(
        pack.collection, tuple(shapes), pack.vocabularies[chosen], pack.vocabularies, splits,
        store=Store(pack, first.names),
    )  # fmt: skip


def _common(index: Index) -> Any:
    return index.pack.to_json(), index.names


def _check_shapes(folder: Path, shapes: list[PackedShape]) -> None:
    if not shapes:
        raise InputError(f"{folder}: its shards have no shape in them; run `prepare` with `shards` again")
    names: set[str] = set()
    for shape in shapes:
        if shape.name in names:
            raise InputError(f"{folder}: the shape '{shape.name}' is in two shards; write them to a new folder")
        names.add(shape.name)
    for tar in dict.fromkeys(shape.tar for shape in shapes):
        if not tar.is_file():
            raise InputError(f"{tar}: is missing, though there is an index for it; run `prepare` with `shards` again")


def _member(shape: PackedShape) -> bytes:
    """The bytes of a shape, if they are those that its index tells of."""
    with open_regular(shape.tar) as file:
        if shape.offset < BLOCK or shape.offset + shape.size > os.fstat(file.fileno()).st_size:
            raise InputError("should lie where the file has ended")
        file.seek(shape.offset - BLOCK)
        head, data = file.read(BLOCK), file.read(shape.size)
    try:
        info = tarfile.TarInfo.frombuf(head, "utf-8", "surrogateescape")
    except tarfile.TarError as error:
        raise InputError("is not where the index says") from error
    if info.size != shape.size or len(data) != shape.size:
        raise InputError("is not as long as the index says")
    if zlib.crc32(data) != shape.crc32:
        raise InputError("fails its checksum")
    return data


def _unpacked(data: bytes, shape: PackedShape, store: Store) -> Unpacked:
    arrays = _arrays(data, shape, store)
    if not all(np.isfinite(arrays[name]).all() for name in ("values", "vectors", "mass", "features")):
        raise InputError("has numbers that are not finite")
    edges = arrays["edges"]
    if edges.size and not 0 <= edges.min() <= edges.max() < shape.vertices:
        raise InputError("has edges between vertices that are not there")
    mesh = Mesh(arrays["vertices"], arrays["faces"], shape.name)
    values = arrays["labels"].astype(np.int64)
    labels = Labels(values, "faces" if shape.on == "faces" else "vertices", store.names)
    preparation = Preparation(
        arrays["values"], arrays["vectors"].astype(np.float32, copy=False), arrays["mass"], arrays["features"], edges,
        arrays["faces"], max(1, shape.components),
    )  # fmt: skip
    return Unpacked(mesh, labels, preparation)


def _arrays(data: bytes, shape: PackedShape, store: Store) -> dict[str, NDArray[Any]]:
    """The arrays of a shape, of the types and sizes that they should have."""
    try:
        found = dict(safetensors.deserialize(data))  # type: ignore[no-untyped-call]  # it has no types
    except (safetensors.SafetensorError, ValueError) as error:
        raise InputError("is no safetensors file") from error
    recipe, vertices = store.recipe, shape.vertices
    labels = shape.faces if shape.on == "faces" else vertices
    pairs = found["values"]["shape"][0] if "values" in found and len(found["values"]["shape"]) == 1 else 0
    edges = found["edges"]["shape"][0] if "edges" in found and found["edges"]["shape"] else 0
    wanted = {
        "vertices": ("F64", [vertices, 3]), "faces": ("I32", [shape.faces, 3]), "edges": ("I32", [edges, 2]),
        "labels": ("I32", [labels]), "values": ("F64", [pairs]), "mass": ("F64", [vertices]),
        "vectors": (VECTOR_TYPES[store.pack.vectors], [vertices, pairs]),
        "features": ("F32", [vertices, recipe.channels]),
    }  # fmt: skip
    if set(found) != set(wanted) or not 1 <= pairs <= recipe.k:
        raise InputError("has other things in it than a shape has")
    for name, (kind, size) in wanted.items():
        if (found[name]["dtype"], found[name]["shape"]) != (kind, size):
            raise InputError(f"has {name} of an unexpected type or size")
    return {
        name: np.frombuffer(found[name]["data"], dtype=_NUMPY[kind]).reshape(size)
        for name, (kind, size) in wanted.items()
    }
