"""The numbers of a glTF: accessors, dense and sparse, over views of its buffers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from meshtide.arrays import IntArray
from meshtide.mesh.files.gltf_container import Container

# The component types of the glTF 2.0 specification.
_WHOLE = {5120: "<i1", 5121: "<u1", 5122: "<i2", 5123: "<u2", 5125: "<u4"}
_KINDS = {**_WHOLE, 5126: "<f4"}
_UNSIGNED = (5121, 5123, 5125)
_POSITIONS = (5126, 5120, 5121, 5122, 5123)  # the whole numbers by KHR_mesh_quantization


def count_of(container: Container, index: Any) -> int:
    """How many elements an accessor claims; nothing is read for it."""
    return container.whole(container.entry("accessors", index), "count")


def positions(container: Container, index: Any) -> NDArray[np.float64]:
    """The points of an accessor, (N, 3)."""
    accessor = container.entry("accessors", index)
    kind = accessor.get("componentType")
    if accessor.get("type") != "VEC3" or kind not in _POSITIONS:
        raise container.refusal("its positions are no points of three numbers; is it damaged?")
    return _as_floats(container, accessor, 3)


def vectors(container: Container, index: Any) -> NDArray[np.float64]:
    """The rows of an accessor of two, three or four numbers each: normals, colours, places in a texture."""
    accessor = container.entry("accessors", index)
    kind, width = accessor.get("type"), {"VEC2": 2, "VEC3": 3, "VEC4": 4}
    if not isinstance(kind, str) or kind not in width or accessor.get("componentType") not in _POSITIONS:
        raise container.refusal("an attribute of its vertices is no rows of numbers; is it damaged?")
    return _as_floats(container, accessor, width[kind])


def _as_floats(container: Container, accessor: dict[str, Any], width: int) -> NDArray[np.float64]:
    kind = accessor["componentType"]
    with np.errstate(invalid="ignore"):  # damaged numbers are for the doctor to find
        rows = _values(container, accessor, width).astype(np.float64)
    if accessor.get("normalized") is True and kind in _WHOLE:
        rows = np.maximum(rows / np.iinfo(_WHOLE[kind]).max, -1.0)
    return rows


def vertex_numbers(container: Container, index: Any) -> IntArray:
    """The vertex numbers of an accessor, (N,)."""
    accessor = container.entry("accessors", index)
    if accessor.get("type") != "SCALAR" or accessor.get("componentType") not in _UNSIGNED:
        raise container.refusal("its vertex numbers are no whole numbers; is it damaged?")
    return _values(container, accessor, 1)[:, 0].astype(np.int64)


def _values(container: Container, accessor: dict[str, Any], width: int) -> NDArray[Any]:
    """The elements of an accessor, (N, width); those that a sparse accessor replaces are replaced."""
    count, kind = container.whole(accessor, "count"), np.dtype(_KINDS[accessor["componentType"]])
    if accessor.get("bufferView") is None:  # all noughts, which a sparse accessor then replaces
        dense: NDArray[Any] = np.zeros((count, width), dtype=kind)
    else:
        dense = _view(container, accessor, count, width, kind)
    sparse = accessor.get("sparse")
    if sparse is None:
        return dense
    if not isinstance(sparse, dict) or not all(isinstance(sparse.get(key), dict) for key in ("indices", "values")):
        raise container.refusal("has a sparse accessor without indices and values; is it damaged?")
    changes = container.whole(sparse, "count")
    places = sparse["indices"]
    if places.get("componentType") not in _UNSIGNED:
        raise container.refusal("the indices of a sparse accessor are no whole numbers; is it damaged?")
    rows = _view(container, places, changes, 1, np.dtype(_KINDS[places["componentType"]]))[:, 0]
    if changes and int(rows.max()) >= count:
        raise container.refusal(f"a sparse accessor changes element {int(rows.max()):,} of {count:,}; is it damaged?")
    dense = dense.copy()
    dense[rows] = _view(container, sparse["values"], changes, width, kind)
    return dense


def _view(container: Container, place: dict[str, Any], count: int, width: int, kind: np.dtype[Any]) -> NDArray[Any]:
    """Rows of a buffer view as they lie there, (count, width); nothing is copied."""
    view = container.entry("bufferViews", place.get("bufferView"))
    buffer = container.buffer(view.get("buffer"))
    if view.get("extensions"):
        names = ", ".join(str(name) for name in view["extensions"])
        raise container.refusal(f"its geometry is compressed ({names}); export it without compression")
    row = width * kind.itemsize
    stride = container.whole(view, "byteStride", row, least=row)
    start, length = container.whole(view, "byteOffset", 0), container.whole(view, "byteLength")
    offset = container.whole(place, "byteOffset", 0)
    needed = offset + (count - 1) * stride + row if count else 0
    if needed > length or start + length > len(buffer):
        raise container.refusal(
            f"claims {count:,} elements of {row} bytes where {max(min(length, len(buffer) - start) - offset, 0):,} "
            "bytes are; is it cut short?"
        )
    if not count:
        return np.zeros((0, width), kind)
    return np.ndarray((count, width), kind, buffer, start + offset, (stride, kind.itemsize))
