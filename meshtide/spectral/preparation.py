"""Everything a network needs of a mesh, as numpy arrays, and how those are kept in an HDF5 file."""

from __future__ import annotations

import math
import zlib
from dataclasses import dataclass, replace
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from meshtide.arrays import FloatArray
from meshtide.mesh.mesh import Mesh
from meshtide.spectral.features import Measured, features_of
from meshtide.spectral.recipe import GraphRecipe
from meshtide.spectral.spectrum import Eigenbasis, Laplacian, eigenbasis_of, laplacian
from meshtide.stages import doing

SCHEMA = 1  # of an entry's bytes
SEAL_BYTES = 512  # the smallest user block HDF5 knows
# Raised whenever spectrum.py or the features give other numbers; both versions are part of cache keys.
PREPARATION_VERSION = 1


@dataclass(frozen=True, eq=False)
class Preparation:
    """The eigenbasis, features and connectivity of a mesh; nothing in it depends on the mesh's name."""

    values: FloatArray  # (K,) K = min(k, vertices in use)
    vectors: NDArray[np.float32]  # (V, K)
    mass: FloatArray  # (V,)
    features: NDArray[np.float32]  # (V, C)
    edges: NDArray[np.int32]  # (E, 2) every undirected edge once
    faces: NDArray[np.int32]  # (F, 3)
    components: int


# H5LT_FILE_IMAGE_DONT_COPY and _DONT_RELEASE: HDF5 reads Python's own bytes, which outlive the open file.
_NO_COPY = 0x2 | 0x4


class ImageError(ValueError):
    """An HDF5 image is not what `to_image` writes; the message is the end of a sentence."""


def prepare(mesh: Mesh, recipe: GraphRecipe) -> Preparation:
    """Compute what a recipe asks for. Vectors and features are rounded to float32 last."""
    doing(f"computing {recipe.k:,} eigenpairs of {len(mesh.vertices):,} vertices")
    operator = laplacian(mesh, recipe.operator)
    return preparation_of(mesh, eigenbasis_of(operator, recipe.k, mesh.name), recipe, operator)


def with_arrows(preparation: Preparation, mesh: Mesh, recipe: GraphRecipe) -> Preparation:
    """What a recipe asks for, from what `recipe.kept` did; the preparation itself where they are the same."""
    if recipe.kept is recipe:
        return preparation
    basis = Eigenbasis(
        preparation.values, preparation.vectors.astype(np.float64), preparation.mass, recipe.operator,
        preparation.components,
    )  # fmt: skip
    arrows = features_of(Measured(mesh, basis), replace(recipe, features=recipe.features[-1:]))
    features = np.concatenate([preparation.features, arrows.astype(np.float32)], axis=1)
    return replace(preparation, features=features)


def preparation_of(
    mesh: Mesh, basis: Eigenbasis, recipe: GraphRecipe, operator: Laplacian, growth: FloatArray | None = None
) -> Preparation:
    """What a recipe asks for, from the operator of the mesh and its eigenbasis; `growth` is that of `Measured`."""
    surface = operator if operator.kind == "surface" else None
    # One thread, as in the eigensolver: sums in another order would give a batch's workers other bits than one run.
    with threadpool_limits(limits=1):
        features = features_of(Measured(mesh, basis, growth, surface), recipe)
    return Preparation(
        basis.values,
        basis.vectors.astype(np.float32),
        basis.mass,
        features.astype(np.float32),
        mesh.edges().astype(np.int32),
        mesh.faces.astype(np.int32),
        basis.components,
    )


_TYPES = {"values": "<f8", "vectors": "<f4", "mass": "<f8", "features": "<f4", "edges": "<i4"}


def to_image(preparation: Preparation, recipe: GraphRecipe) -> bytes:
    """Write a preparation as the bytes of an HDF5 file; its faces stay out, as whoever reads it has the mesh."""
    # In memory: HDF5 does not survive a full disk gracefully, and the checksum wants the bytes anyway.
    with h5py.File("image", "w", driver="core", backing_store=False) as file:
        for name, kind in _TYPES.items():
            file.create_dataset(name, data=getattr(preparation, name).astype(kind, copy=False))
        file.attrs["recipe"] = np.frombuffer(recipe.to_json().encode(), dtype=np.uint8)
        file.attrs["components"] = np.int64(preparation.components)
        file.flush()
        return bytes(file.id.get_file_image())


def from_image(image: bytes, mesh: Mesh, recipe: GraphRecipe) -> Preparation:
    """Read what `to_image` wrote for this mesh and recipe; anything else raises ImageError before it is allocated."""
    arrays, components = read_image(image, recipe)
    vertices = len(mesh.vertices)
    if len(arrays["mass"]) != vertices or (arrays["edges"].size and arrays["edges"].max() >= vertices):
        raise ImageError(f"is of another mesh: this one has {vertices:,} vertices")
    return Preparation(**arrays, faces=mesh.faces.astype(np.int32), components=components)


def read_image(image: bytes, recipe: GraphRecipe | None = None) -> tuple[dict[str, NDArray[Any]], int]:
    """The arrays and the number of components in an image, after checking all that can be checked without the mesh."""
    try:
        with h5py.File(h5py.h5f.open_file_image(image, _NO_COPY)) as file:
            if sorted(file.keys()) != sorted(_TYPES) or sorted(file.attrs) != ["components", "recipe"]:
                raise ImageError("holds other things than a preparation")
            stored = _stored_recipe(file)
            if recipe is not None and stored != recipe:
                raise ImageError("was made by another recipe")
            arrays = {name: _dataset(file, name, kind, len(image)) for name, kind in _TYPES.items()}
            components = int(_attribute(file, "components", np.dtype("<i8"), ()))
    except ImageError:
        raise
    except Exception as error:  # whatever the HDF5 library says about foreign bytes, it means the same to us
        raise ImageError(f"is not readable HDF5 ({' '.join(str(error).split())[:120]})") from error
    _check_shapes(arrays, components, stored)
    if not all(_is_finite(arrays[name]) for name in ("values", "vectors", "mass", "features")):
        raise ImageError("has numbers that are not finite")
    return arrays, components


def most_bytes(mesh: Mesh, recipe: GraphRecipe) -> int:
    """More bytes than a sealed preparation of this mesh can have, HDF5's own tables included."""
    columns = 4 * min(recipe.k, len(mesh.vertices)) + 4 * recipe.channels + 8
    return columns * len(mesh.vertices) + 8 * recipe.k + 24 * len(mesh.faces) + 2**20


def _stored_recipe(file: h5py.File) -> GraphRecipe:
    size = file.attrs.get_id("recipe").shape
    if len(size) != 1 or not 0 < size[0] <= 65_536:
        raise ImageError("names no recipe")
    try:
        return GraphRecipe.from_json(_attribute(file, "recipe", np.dtype("u1"), size).tobytes().decode())
    except ValueError as error:
        raise ImageError("names no recipe") from error


def _attribute(file: h5py.File, name: str, kind: np.dtype[Any], shape: tuple[int, ...]) -> Any:
    attribute = file.attrs.get_id(name)
    if attribute.dtype != kind or attribute.shape != shape:
        raise ImageError(f"has {name} of an unexpected kind")
    return file.attrs[name]


def _dataset(file: h5py.File, name: str, kind: str, limit: int) -> NDArray[Any]:
    """Read one dataset that lies, plain and whole, inside the file; never follow a link or run a filter."""
    if file.id.links.get_info(name.encode()).type != h5py.h5l.TYPE_HARD:
        raise ImageError(f"has {name} that is not a dataset of its own")
    dataset = h5py.h5d.open(file.id, name.encode())
    layout = dataset.get_create_plist()
    size = math.prod((*dataset.shape, np.dtype(kind).itemsize))  # Python integers: hostile ones may exceed 64 bits
    if (
        dataset.dtype != np.dtype(kind)
        or layout.get_layout() != h5py.h5d.CONTIGUOUS
        or layout.get_external_count()
        or layout.get_nfilters()
        or size > limit
        or dataset.get_storage_size() != size
    ):
        raise ImageError(f"has {name} of an unexpected kind")
    array = np.empty(dataset.shape, dtype=kind)
    dataset.read(h5py.h5s.ALL, h5py.h5s.ALL, array)
    return array


def _is_finite(array: NDArray[Any]) -> bool:
    """Whether all numbers are finite; a sum takes a third of the time, and only rarely leaves the question open."""
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(np.isfinite(array.sum()) or np.isfinite(array).all())


def _check_shapes(arrays: dict[str, NDArray[Any]], components: int, recipe: GraphRecipe) -> None:
    """Check every shape against the others and the recipe."""
    vertices, pairs = len(np.atleast_1d(arrays["mass"])), len(np.atleast_1d(arrays["values"]))
    wanted = {
        "values": (pairs,),
        "vectors": (vertices, pairs),
        "mass": (vertices,),
        "features": (vertices, recipe.channels),
        "edges": (arrays["edges"].shape[0] if arrays["edges"].ndim else 0, 2),
    }
    wrong = [name for name, shape in wanted.items() if arrays[name].shape != shape]
    if wrong or not 1 <= pairs <= recipe.k or components < 1 or arrays["edges"].min(initial=0) < 0:
        raise ImageError(f"has shapes that do not fit each other{': ' + ', '.join(wrong) if wrong else ''}")


def seal(key: str, image: bytes) -> bytes:
    """The text in front of an image in a file: key, length and checksum. HDF5 tools skip it as a user block."""
    # CRC-32 finds every burst of up to 32 bits and is eight times faster than BLAKE2, which would cost more than the
    # reading. Against malice no checksum without a secret would help.
    text = f"meshtide preparation {SCHEMA}\nkey {key}\nbytes {len(image)}\ncrc32 {zlib.crc32(image):08x}\n"
    return text.encode().ljust(SEAL_BYTES - 1) + b"\n"


def check_seal(found: bytes, key: str, image: bytes) -> None:
    """Raise ImageError unless a seal is, to the last byte, the one this key and image should have."""
    if found == seal(key, image):
        return
    lines = found.split(b"\n")
    if not found.startswith(b"meshtide preparation ") or len(lines) < 4:
        raise ImageError("is not a file of this cache")
    if lines[1] != f"key {key}".encode():
        raise ImageError("is the entry of another mesh or recipe")
    if lines[2] != f"bytes {len(image)}".encode():
        raise ImageError("is cut short or overlong")
    raise ImageError("fails its checksum")
