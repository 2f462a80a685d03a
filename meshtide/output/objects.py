"""A segmentation as an object of another library, with labels, colours and confidence where that library has them."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from meshtide.arrays import IntArray
from meshtide.errors import InputError
from meshtide.inference.segmentation import Segmentation
from meshtide.output.files.as_given import AsGiven, as_given, palette
from meshtide.words import known


def convert(segmentation: Segmentation, library: str) -> Any:
    """A segmentation as an object of "trimesh", "pyvista" or "open3d"; points are those that were handed in.

    pyvista has the polygons that were handed in, with label, confidence, instance and colour on points and cells, and
    the names as field data `parts` and `instances`. trimesh and open3d have triangles: those that were handed in, or
    those that its polygons were split into. In trimesh labels and instances are `vertex_attributes` and
    `face_attributes`, names are `metadata`; open3d has colours alone.

    >>> import meshtide as mt
    >>> ant = mt.segment(mt.make_figure("ant", 4, "held-out", defects=False)[0])
    >>> mt.convert(ant, "trimesh").metadata["parts"] == ant.parts
    True
    """
    return _CONVERTERS[known(library, tuple(_CONVERTERS), "library")](segmentation)


def _trimesh(segmentation: Segmentation) -> Any:
    trimesh = _imported("trimesh", "trimesh")
    given, colours = as_given(segmentation, None), palette(segmentation)
    triangles, of_face = _triangles(segmentation, given)
    mesh = trimesh.Trimesh(given.vertices, triangles, face_colors=colours[given.face_labels[of_face]], process=False)
    mesh.vertex_attributes.update(label=given.vertex_labels, instance=given.vertex_instances)
    mesh.face_attributes.update(label=given.face_labels[of_face], instance=given.face_instances[of_face])
    mesh.metadata.update(name=segmentation.mesh.name, **_names(segmentation))
    return mesh


def _pyvista(segmentation: Segmentation) -> Any:
    pyvista = _imported("pyvista", "pyvista")
    given, colours = as_given(segmentation, None), palette(segmentation)
    mesh = pyvista.PolyData(given.vertices, np.insert(given.corners, np.cumsum(given.sizes) - given.sizes, given.sizes))
    mesh.point_data["label"], mesh.cell_data["label"] = given.vertex_labels, given.face_labels
    mesh.point_data["confidence"], mesh.cell_data["confidence"] = given.vertex_confidence, given.face_confidence
    mesh.point_data["instance"], mesh.cell_data["instance"] = given.vertex_instances, given.face_instances
    mesh.point_data["colour"], mesh.cell_data["colour"] = colours[given.vertex_labels], colours[given.face_labels]
    for name, words in _names(segmentation).items():
        mesh.field_data[name] = list(words)
    return mesh


def _open3d(segmentation: Segmentation) -> Any:
    open3d = _imported("open3d", "open3d")
    given, colours = as_given(segmentation, None), palette(segmentation)
    mesh = open3d.geometry.TriangleMesh()
    mesh.vertices = open3d.utility.Vector3dVector(given.vertices)
    mesh.triangles = open3d.utility.Vector3iVector(_triangles(segmentation, given)[0].astype(np.int32))
    mesh.vertex_colors = open3d.utility.Vector3dVector(colours[given.vertex_labels] / 255)
    return mesh


_CONVERTERS: dict[str, Callable[[Segmentation], Any]] = {"trimesh": _trimesh, "pyvista": _pyvista, "open3d": _open3d}


def _triangles(segmentation: Segmentation, given: AsGiven) -> tuple[IntArray, IntArray]:
    """Triangles on the points that were handed in, and the face that each came from."""
    if (given.sizes == 3).all():
        return given.corners.reshape(-1, 3), np.arange(len(given.sizes))
    # A fan of each: all triangles of a polygon have its part.
    face = np.repeat(np.arange(len(given.sizes)), given.sizes - 2)
    starts = np.cumsum(given.sizes) - given.sizes
    step = np.arange(len(face)) - np.repeat(np.cumsum(given.sizes - 2) - (given.sizes - 2), given.sizes - 2)
    first = starts[face]
    return given.corners[np.stack([first, first + step + 1, first + step + 2], axis=1)], face


def _names(segmentation: Segmentation) -> dict[str, tuple[str, ...]]:
    return {"parts": segmentation.parts, "instances": tuple(each.name for each in segmentation.instances)}


def _imported(module: str, package: str) -> Any:
    try:
        return import_module(module)
    except ImportError as error:
        raise InputError(f"{package} is not installed; pip install -c constraints.txt {package}") from error
