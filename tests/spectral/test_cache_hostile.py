"""Files that were made to deceive: the seal is right, and what HDF5 finds behind it is not."""

from __future__ import annotations

from collections.abc import Callable

import h5py
import numpy as np
import pytest
from cache_entries import MESH, RECIPE, assert_rebuilt, put

from meshtide.spectral.cache import Cache, cache_key
from meshtide.spectral.preparation import SEAL_BYTES, prepare, seal, to_image


def _huge(file: h5py.File) -> None:
    del file["vectors"]
    space = h5py.h5s.create_simple((2**40, 2**20))
    h5py.h5d.create(file.id, b"vectors", h5py.h5t.IEEE_F32LE, space)


def _chunked(file: h5py.File, **options: object) -> None:
    vectors = file["vectors"][...]
    del file["vectors"]
    file.create_dataset("vectors", data=vectors, chunks=(2, 2), **options)


def _external(file: h5py.File) -> None:
    shape = file["vectors"].shape
    del file["vectors"]
    file.create_dataset("vectors", shape, "<f4", external=[("/etc/passwd", 0, h5py.h5f.UNLIMITED)])


def _virtual(file: h5py.File) -> None:
    layout = h5py.VirtualLayout(file["vectors"].shape, "<f4")
    layout[...] = h5py.VirtualSource("/etc/hosts", "x", file["vectors"].shape)
    del file["vectors"]
    file.create_virtual_dataset("vectors", layout)


def _replaced(name: str, change: Callable[[np.ndarray], object]) -> Callable[[h5py.File], None]:
    def spoil(file: h5py.File) -> None:
        content = change(file[name][...])
        del file[name]
        file[name] = content

    return spoil


def _references(file: h5py.File) -> None:
    reference = file["mass"].ref
    del file["values"]
    file.create_dataset("values", data=[reference] * 8, dtype=h5py.ref_dtype)


def _hard_link(file: h5py.File) -> None:
    del file["vectors"]
    file["vectors"] = file["features"]


def _group(file: h5py.File) -> None:
    del file["mass"]
    file.create_group("mass")


def _text_attribute(file: h5py.File) -> None:
    file.attrs["recipe"] = "a string of variable length"


HOSTILE: dict[str, Callable[[h5py.File], None]] = {
    "huge": _huge,
    "chunked": _chunked,
    "filtered": lambda file: _chunked(file, compression="gzip"),
    "external storage": _external,
    "virtual": _virtual,
    "external link": _replaced("vectors", lambda _: h5py.ExternalLink("/etc/hosts", "/")),
    "soft link": _replaced("vectors", lambda _: h5py.SoftLink("/features")),
    "hard link to another": _hard_link,
    "references": _references,
    "wide floats": _replaced("vectors", lambda array: array.astype("<f8")),
    "big-endian": _replaced("vectors", lambda array: array.astype(">f4")),
    "strings": _replaced("values", lambda _: ["a", "b"]),
    "a group": _group,
    "a scalar": _replaced("edges", lambda _: np.int32(1)),
    "empty": _replaced("edges", lambda _: h5py.Empty("<i4")),
    "missing": lambda file: file.__delitem__("edges"),
    "one more": lambda file: file.__setitem__("more", np.arange(3)),
    "other vertices": _replaced("mass", lambda array: array[:-1]),
    "too many eigenpairs": _replaced("values", lambda array: np.tile(array, 2)),
    "edge to nowhere": _replaced("edges", lambda array: array + np.int32(1)),
    "edge from nowhere": _replaced("edges", lambda array: array - np.int32(1)),
    "no recipe": lambda file: file.attrs.__delitem__("recipe"),
    "another recipe": lambda file: file.attrs.__setitem__("recipe", np.frombuffer(b'{"k":8}', dtype=np.uint8)),
    "unreadable recipe": lambda file: file.attrs.__setitem__("recipe", np.frombuffer(b"[" * 9000, dtype=np.uint8)),
    "text attribute": _text_attribute,
    "components are many": lambda file: file.attrs.__setitem__("components", np.arange(5)),
    "components are none": lambda file: file.attrs.__setitem__("components", np.int64(0)),
}


@pytest.mark.parametrize("trick", HOSTILE)
def test_a_hostile_file_with_a_right_seal_is_not_believed(tmp_path, trick):
    cache, forged = Cache(tmp_path / "cache"), tmp_path / "forged.h5"
    forged.write_bytes(to_image(prepare(MESH, RECIPE), RECIPE))
    with h5py.File(forged, "r+") as file:
        HOSTILE[trick](file)
    image = forged.read_bytes()
    path = put(cache, seal(cache_key(MESH, RECIPE), image) + image)
    if trick != "edge to nowhere":  # needs the mesh to be found out
        assert [sentence != "good" for _, sentence in cache.verify()] == [True]
    assert_rebuilt(cache)
    assert path.with_name(path.name + ".damaged").read_bytes()[SEAL_BYTES:] == image
