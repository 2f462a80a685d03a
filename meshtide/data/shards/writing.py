"""Pack a collection into tar files from which training reads shape after shape."""

from __future__ import annotations

import json
import os
import tarfile
import tempfile
import zlib
from collections.abc import Container, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import safetensors.numpy
from numpy.typing import NDArray

from meshtide.data.collection import Collection
from meshtide.data.finding import Shape
from meshtide.data.shards.layout import BLOCK, Index, Pack, PackedShape, read_index, stem_of
from meshtide.errors import InputError
from meshtide.files import make_folder, write_atomically
from meshtide.labels.labels import Labels
from meshtide.many.engine import HERE, Engine
from meshtide.many.faults import sentence_about
from meshtide.many.remote import is_url, uploaded
from meshtide.many.shard import Shard
from meshtide.many.tasks import Entry, Task, do_tasks
from meshtide.mesh.mesh import Mesh
from meshtide.mesh.ready import at_usual_scale
from meshtide.spectral.cache import Cache
from meshtide.spectral.preparation import Preparation
from meshtide.spectral.recipe import GraphRecipe

SHAPES_PER_TAR = 64
HALF_MOST = 65_000.0  # what float16 can hold


@dataclass(frozen=True)
class TarTask(Task):
    """One tar to write, with its shapes in order."""

    shapes: tuple[tuple[int, Shape, str | None], ...] = ()  # order, shape, split
    tars: int = 1


@dataclass(frozen=True, eq=False)
class How:
    """How every tar is written."""

    collection: Collection  # without its shapes
    pack: Pack
    names: tuple[str, ...]
    cache: Path | None


def tar_tasks(
    collection: Collection,
    folder: Path | str,
    shard: Shard | None = None,
    left_out: Container[Path | None] = (),
    per_tar: int = SHAPES_PER_TAR,
) -> list[TarTask]:
    """The tars that hold every labelled shape of a collection, or of a shard of it.

    Shapes are left out of which the mesh or the labels are among `left_out`.
    """
    splits = {shape.name: name for name, shapes in collection.splits.items() for shape in shapes}
    labelled = [(order, shape) for order, shape in enumerate(collection.shapes) if shape.label_path is not None]
    if not labelled:
        raise InputError(f"{collection.name}: no shape has labels, so there is nothing to learn from")
    chosen = [
        (order, shape, splits.get(shape.name))
        for order, shape in labelled
        if (shard is None or shard.has(shape.name))
        and shape.mesh_path not in left_out
        and shape.label_path not in left_out
    ]
    groups = [chosen[first : first + per_tar] for first in range(0, len(chosen), per_tar)] or [[]]
    part = None if shard is None else (shard.index, shard.count)
    return [
        TarTask(_inside(folder, f"{stem_of(part, number)}.tar"), order=number, shapes=tuple(group), tars=len(groups))
        for number, group in enumerate(groups)
    ]


def _inside(folder: Path | str, name: str) -> Path | str:
    return f"{folder}/{name}" if is_url(folder) else Path(folder) / name


def write_shards(
    collection: Collection,
    tasks: Sequence[TarTask],
    recipe: GraphRecipe,
    cache: Path | None,
    *,
    half: bool = False,
    engine: Engine = HERE,
) -> Iterator[tuple[str, int]]:
    """Write tars, and yield each as soon as it is there, with its size; one that is there already stays as it is.

    At an address all of them are written anew. What the cache has is taken from there. With `half` eigenvectors are
    kept in half precision.
    """
    for folder in {Path(task.source).parent for task in tasks if not is_url(task.source)}:
        make_folder(folder)
    vectors = "float16" if half else "float32"
    pack = Pack(collection.name, recipe, vectors, collection.vocabulary.name, collection.vocabularies)
    how = How(collection.without_shapes(), pack, _names(collection), cache)
    for task, entry in do_tasks(partial(write_tar, how=how), tasks, engine):
        if "error" in entry:
            raise InputError(entry["error"])
        yield str(task.source), entry["size"]


def _names(collection: Collection) -> tuple[str, ...]:
    """Every part of the label files that a vocabulary knows, in a fixed order."""
    known = (name for each in collection.vocabularies.values() for name in each.index_of())
    return tuple(dict.fromkeys(known))


def write_tar(task: TarTask, how: How) -> tuple[Entry, str]:
    """Write one tar and its index, unless they are there."""
    try:
        with uploaded(task.source) as path:
            kept = _there(path, task, how)
            size = kept if kept is not None else _write(path, task, how)
        return {"size": size}, ""
    except Exception as error:  # said by whoever began the work
        return {"error": sentence_about(task.source, error)}, ""


def _there(path: Path, task: TarTask, how: How) -> int | None:
    """The size of a tar that holds these shapes already."""
    index = path.with_suffix(".json")
    if not index.exists() or not path.exists():
        return None
    try:
        found = read_index(index)
    except InputError:
        return None
    same = found.pack.to_json() == how.pack.to_json() and (found.names, found.tars) == (how.names, task.tars)
    wanted = [(order, shape.name, split) for order, shape, split in task.shapes]
    if not same or [(each.order, each.name, each.split) for each in found.shapes] != wanted:
        return None
    newest = max((shape.mesh_path.stat().st_mtime for _, shape, _ in task.shapes), default=0.0)
    return path.stat().st_size if newest <= path.stat().st_mtime else None


def _write(path: Path, task: TarTask, how: How) -> int:
    """Write a tar beside its place and move it there, and then its index."""
    handle, temporary = tempfile.mkstemp(prefix=".meshtide.", suffix=".part", dir=path.parent)
    try:
        shapes = []
        with os.fdopen(handle, "wb") as file:
            for number, (order, shape, split) in enumerate(task.shapes):
                packed, data = _packed(shape, how)
                offset = _append(file, f"{number:06}.safetensors", data)
                packed = replace(packed, order=order, split=split, offset=offset)
                shapes.append(replace(packed, size=len(data), crc32=zlib.crc32(data)))
            file.write(bytes(2 * BLOCK))  # how a tar ends
            file.flush()
            os.fsync(file.fileno())
        index = Index(how.pack, how.names, task.tars, tuple(shapes)).to_json()
        with suppress(FileNotFoundError):
            path.with_suffix(".json").unlink()  # of a tar that is to be replaced
        mask = os.umask(0)
        os.umask(mask)
        Path(temporary).chmod(0o666 & ~mask)
        Path(temporary).replace(path)
        write_atomically(path.with_suffix(".json"), json.dumps(index).encode())
    finally:
        Path(temporary).unlink(missing_ok=True)
    return path.stat().st_size


def _append(file: BinaryIO, name: str, data: bytes) -> int:
    """Append a file to a tar; returns where its bytes begin."""
    info = tarfile.TarInfo(name)
    info.size, info.mode = len(data), 0o644
    file.write(info.tobuf(tarfile.USTAR_FORMAT))
    offset = file.tell()
    file.write(data)
    file.write(bytes(-len(data) % BLOCK))
    return offset


def _packed(shape: Shape, how: How) -> tuple[PackedShape, bytes]:
    """What the index says of a shape, and its bytes."""
    mesh, labels = how.collection.load_raw(shape)
    if labels is None:
        raise InputError(f"{shape.mesh_path}: has no labels")
    scaled = at_usual_scale(mesh)
    preparation = Cache(how.cache).fetch(scaled, how.pack.recipe).preparation
    arrays = arrays_of(mesh, _numbered(labels, how.names, shape), preparation, how.pack.vectors)
    about = PackedShape(
        shape.name, shape.mesh_path, shape.label_path, shape.kind, on=labels.on, vertices=len(mesh.vertices),
        faces=len(mesh.faces), components=preparation.components,
    )  # fmt: skip
    return about, safetensors.numpy.save(arrays)


def arrays_of(mesh: Mesh, labels: NDArray[np.int32], preparation: Preparation, vectors: str) -> dict[str, NDArray[Any]]:
    """The arrays of a shape as they are written."""
    kept = preparation.vectors
    if vectors == "float16" and kept.size and float(np.abs(kept).max()) > HALF_MOST:
        raise InputError(f"{mesh.name}: its eigenvectors have numbers too large for half precision; leave out `half`")
    return {
        "vertices": np.ascontiguousarray(mesh.vertices, dtype="<f8"),
        "faces": np.ascontiguousarray(mesh.faces, dtype="<i4"),
        "edges": np.ascontiguousarray(preparation.edges, dtype="<i4"),
        "labels": labels,
        "values": np.ascontiguousarray(preparation.values, dtype="<f8"),
        "vectors": np.ascontiguousarray(kept, dtype="<f2" if vectors == "float16" else "<f4"),
        "mass": np.ascontiguousarray(preparation.mass, dtype="<f8"),
        "features": np.ascontiguousarray(preparation.features, dtype="<f4"),
    }


def _numbered(labels: Labels, names: tuple[str, ...], shape: Shape) -> NDArray[np.int32]:
    """Labels counted in the parts of the whole pack."""
    number = {name: index for index, name in enumerate(names)}
    used = {labels.names[part] for part in np.unique(labels.values[labels.values >= 0])}
    if strange := sorted(used - set(number)):
        raise InputError(f"{shape.label_path}: has the part '{strange[0]}', which no vocabulary knows")
    table = np.array([number.get(name, -1) for name in labels.names] + [-1], dtype=np.int32)
    return np.asarray(table[labels.values], dtype=np.int32)
