"""PLY: the mesh as given, with a colour, a label, a confidence and an instance on every vertex and face.

Polygons of different sizes stand in one list, as the format has it. Some readers (trimesh 5.2) take all faces of a
binary PLY for polygons of one size, whoever wrote it; for these an OBJ or GLB is the better choice.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from meshtide.arrays import IntArray
from meshtide.inference.segmentation import Segmentation
from meshtide.output.files.as_given import AsGiven, palette
from meshtide.output.files.naming import shown_name

_Column = tuple[str, str] | tuple[str, str, int]
_CHUNK = 1 << 16  # faces at a time
_ANSWER: list[_Column] = [("colour", "u1", 3), ("label", "<i4"), ("confidence", "<f4"), ("instance", "<i4")]
_ANSWER_PROPERTIES = (
    "property uchar red\nproperty uchar green\nproperty uchar blue\n"
    "property int label\nproperty float confidence\nproperty int instance\n"
)


def ply_bytes(segmentation: Segmentation, given: AsGiven) -> bytes:
    """Little-endian binary; coordinates take 64 bits only where 32 would change them."""
    colours = palette(segmentation)
    with np.errstate(over="ignore", invalid="ignore"):
        single = np.array_equal(given.vertices.astype(np.float32), given.vertices, equal_nan=True)
    vertices = np.empty(len(given.vertices), dtype=[("point", "<f4" if single else "<f8", 3), *_ANSWER])
    with np.errstate(invalid="ignore"):
        vertices["point"] = given.vertices
    vertices["colour"] = colours[given.vertex_labels]
    vertices["label"], vertices["confidence"] = given.vertex_labels, given.vertex_confidence
    vertices["instance"] = given.vertex_instances
    wide = int(given.sizes.max()) > 255
    header = _header(segmentation, given, "float" if single else "double", "int" if wide else "uchar")
    return b"".join([header, vertices.tobytes(), *_faces(given, colours, "<i4" if wide else "u1")])


def _header(segmentation: Segmentation, given: AsGiven, coordinate: str, count: str) -> bytes:
    named = enumerate(zip(segmentation.parts, segmentation.colours, strict=True))
    return (
        "ply\nformat binary_little_endian 1.0\n"
        + "".join(f"comment part {index} {shown_name(name)} {colour}\n" for index, (name, colour) in named)
        + "".join(f"comment instance {i} {shown_name(each.name)}\n" for i, each in enumerate(segmentation.instances))
        + f"element vertex {len(given.vertices)}\n"
        + "".join(f"property {coordinate} {axis}\n" for axis in "xyz")
        + _ANSWER_PROPERTIES
        + f"element face {len(given.sizes)}\nproperty list {count} int vertex_indices\n"
        + _ANSWER_PROPERTIES
        + "end_header\n"
    ).encode("ascii")


def _faces(given: AsGiven, colours: NDArray[np.uint8], count_type: str) -> Iterator[bytes]:
    """The rows of all faces, in order, some at a time."""
    starts = np.cumsum(given.sizes) - given.sizes
    for first in range(0, len(given.sizes), _CHUNK):
        chunk = np.arange(first, min(first + _CHUNK, len(given.sizes)))
        sizes = np.unique(given.sizes[chunk]).tolist()
        if len(sizes) == 1:
            yield _rows(given, colours, count_type, chunk, starts).tobytes()
            continue
        lengths = {size: np.dtype(_row_type(count_type, size)).itemsize for size in sizes}
        ends = np.cumsum(np.vectorize(lengths.__getitem__, otypes=[np.int64])(given.sizes[chunk]))
        data = np.empty(int(ends[-1]), dtype=np.uint8)
        for size, length in lengths.items():
            which = np.flatnonzero(given.sizes[chunk] == size)
            rows = _rows(given, colours, count_type, chunk[which], starts).view(np.uint8).reshape(-1, length)
            data[(ends[which] - length)[:, None] + np.arange(length)] = rows
        yield data.tobytes()


def _rows(
    given: AsGiven, colours: NDArray[np.uint8], count_type: str, faces: IntArray, starts: IntArray
) -> NDArray[np.void]:
    """Faces of one size as they stand in the file."""
    size = int(given.sizes[faces[0]])
    rows = np.empty(len(faces), dtype=_row_type(count_type, size))
    rows["size"] = size
    rows["corners"] = given.corners[starts[faces, None] + np.arange(size)]
    rows["colour"] = colours[given.face_labels[faces]]
    rows["label"], rows["confidence"] = given.face_labels[faces], given.face_confidence[faces]
    rows["instance"] = given.face_instances[faces]
    return rows


def _row_type(count_type: str, size: int) -> list[_Column]:
    return [("size", count_type), ("corners", "<i4", size), *_ANSWER]
