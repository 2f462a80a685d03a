"""A segmentation on the elements of the file that its mesh came from, in the file's own order."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from meshtide.arrays import FloatArray, IntArray
from meshtide.errors import InputError
from meshtide.inference.segmentation import Segmentation
from meshtide.labels.colours import UNLABELLED
from meshtide.mesh.files import read_polygons
from meshtide.mesh.files.raw import Polygons
from meshtide.mesh.origin import Origin

UNLABELLED_NAME = "unlabelled"
_COLOUR = re.compile(r"#[0-9a-fA-F]{6}")


@dataclass(frozen=True, eq=False)
class AsGiven:
    """Points and polygons as they were given, with part and instance (-1 for none) and how sure the part is.

    A face that is no surface (fewer than three corners, or one that does not exist) keeps its place as a triangle that
    is collapsed onto a single vertex: numbers stay what they were, and every program can open what is written.
    """

    vertices: FloatArray  # (N, 3), perhaps not finite
    corners: IntArray  # (C,) the vertices of all faces, one face after another
    sizes: IntArray  # (P,) corners of each face, three at least
    vertex_labels: IntArray  # (N,)
    vertex_instances: IntArray  # (N,)
    vertex_confidence: NDArray[np.float32]  # (N,)
    face_labels: IntArray  # (P,)
    face_instances: IntArray  # (P,)
    face_confidence: NDArray[np.float32]  # (P,)


def as_given(segmentation: Segmentation, source: Path | None) -> AsGiven:
    """The segmentation on the points and polygons that were handed in, or of the file that the mesh came from.

    A segmentation that knows neither is given on its mesh.
    """
    mesh, given = segmentation.mesh, segmentation.source if source is None else source
    if given is None:
        own = Origin.identity(len(mesh.vertices), len(mesh.faces))
        sizes = np.full(len(mesh.faces), 3, dtype=np.int64)
        return AsGiven(mesh.vertices, mesh.faces.ravel(), sizes, *_answers(segmentation, own))
    polygons = given if isinstance(given, Polygons) else read_polygons(given)
    counts = len(polygons.vertices), len(polygons.sizes)
    ways = [segmentation.origin, mesh.origin]  # a mesh that was read from a file and handed in leads to both
    origin = next((way for way in ways if (way.vertex_count, way.face_count) == counts), None)
    if origin is None:
        raise InputError(
            f"{given}: has {counts[0]:,} vertices and {counts[1]:,} faces, but the segmentation was made for "
            f"{ways[0].vertex_count:,} and {ways[0].face_count:,}; was the file changed in the meantime?"
        )
    corners, sizes = _collapsed(polygons.corners, polygons.sizes, counts[0])
    return AsGiven(polygons.vertices, corners, sizes, *_answers(segmentation, origin))


def _answers(segmentation: Segmentation, origin: Origin) -> tuple[Any, ...]:
    """Labels, instances and confidence of vertices and of faces, carried to the elements that an origin leads to."""
    return (
        origin.vertices_to_file(segmentation.mesh_labels.values, -1),
        origin.vertices_to_file(segmentation.mesh_vertex_instances, -1),
        origin.vertices_to_file(segmentation.mesh_confidence, 0),
        origin.faces_to_file(segmentation.mesh_face_labels.values, -1),
        origin.faces_to_file(segmentation.mesh_face_instances, -1),
        origin.faces_to_file(segmentation.mesh_face_confidence, 0),
    )


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
