"""A segmentation on the elements of the file that its mesh came from, in the file's own order."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from meshtide.arrays import FloatArray, IntArray
from meshtide.errors import InputError
from meshtide.inference.segmentation import Segmentation
from meshtide.labels.colours import UNLABELLED
from meshtide.mesh.files import read_polygons

UNLABELLED_NAME = "unlabelled"
_COLOUR = re.compile(r"#[0-9a-fA-F]{6}")


@dataclass(frozen=True, eq=False)
class AsGiven:
    """Points and polygons as a file has them, each with its part (-1 for none) and how sure that is (0 for none).

    A face that is no surface (fewer than three corners, or one that does not exist) keeps its place as a triangle that
    is collapsed onto a single vertex: numbers stay what they were, and every program can open what is written.
    """

    vertices: FloatArray  # (N, 3), perhaps not finite
    corners: IntArray  # (C,) the vertices of all faces, one face after another
    sizes: IntArray  # (P,) corners of each face, three at least
    vertex_labels: IntArray  # (N,)
    vertex_confidence: NDArray[np.float32]  # (N,)
    face_labels: IntArray  # (P,)
    face_confidence: NDArray[np.float32]  # (P,)


def as_given(segmentation: Segmentation, source: Path | None) -> AsGiven:
    """The segmentation on the file's own points and polygons, or on the mesh itself if there is no file."""
    mesh, origin = segmentation.mesh, segmentation.mesh.origin
    labels, faces = segmentation.labels.values, segmentation.face_labels.values
    sure, faces_sure = segmentation.confidence, segmentation.face_confidence
    if source is None:
        sizes = np.full(len(mesh.faces), 3, dtype=np.int64)
        return AsGiven(mesh.vertices, mesh.faces.ravel(), sizes, labels, sure, faces, faces_sure)
    polygons = read_polygons(source)
    vertices, corners, sizes = polygons.vertices, polygons.corners, polygons.sizes
    if (len(vertices), len(sizes)) != (origin.vertex_count, origin.face_count):
        raise InputError(
            f"{source}: has {len(vertices):,} vertices and {len(sizes):,} faces, but the segmentation was made for "
            f"{origin.vertex_count:,} and {origin.face_count:,}; was the file changed in the meantime?"
        )
    corners, sizes = _collapsed(corners, sizes, len(vertices))
    return AsGiven(
        vertices,
        corners,
        sizes,
        origin.vertices_to_file(labels, -1),
        origin.vertices_to_file(sure, 0),
        origin.faces_to_file(faces, -1),
        origin.faces_to_file(faces_sure, 0),
    )


def triangle_parts(segmentation: Segmentation) -> IntArray:
    """The part of each of the mesh's triangles such that all triangles of one polygon have the polygon's part, (F,)."""
    origin = segmentation.mesh.origin
    return np.asarray(origin.faces_to_file(segmentation.face_labels.values, -1)[origin.face_of])


def palette(segmentation: Segmentation) -> NDArray[np.uint8]:
    """Red, green and blue of each part, and in the last row, where index -1 points, of no part, (parts + 1, 3)."""
    rows = [list(bytes.fromhex(colour[1:])) for colour in (*segmentation.colours, UNLABELLED)]
    return np.array(rows, dtype=np.uint8)


def check_colours(segmentation: Segmentation) -> None:
    """Raise InputError unless there is a colour for each part."""
    colours = segmentation.colours
    wrong = [colour for colour in colours if not _COLOUR.fullmatch(colour)]
    if wrong or len(colours) != len(segmentation.parts):
        found = repr(wrong[0]) if wrong else f"{len(colours):,} of them"
        raise InputError(f"colours of {len(segmentation.parts):,} parts: found {found}; wanted '#rrggbb' for each part")


def _collapsed(corners: IntArray, sizes: IntArray, vertex_count: int) -> tuple[IntArray, IntArray]:
    """The same faces, but those that are no surface as three times one vertex."""
    outside = (corners < 0) | (corners >= vertex_count)
    face_of_corner = np.repeat(np.arange(len(sizes)), sizes)
    bad = sizes < 3
    bad[face_of_corner[outside]] = True
    if not bad.any():
        return corners, sizes
    anchor: IntArray = np.zeros(len(sizes), dtype=np.int64)  # any of the face's own vertices, else the first of all
    anchor[face_of_corner[~outside]] = corners[~outside]
    new_sizes = np.where(bad, 3, sizes)
    new_corners = np.repeat(anchor, new_sizes)
    new_corners[np.repeat(~bad, new_sizes)] = corners[np.repeat(~bad, sizes)]
    return new_corners, new_sizes
