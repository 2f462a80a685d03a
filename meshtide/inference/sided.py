"""A segmentation whose paired parts say left and right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from meshtide.arrays import IntArray
from meshtide.inference.segmentation import Segmentation
from meshtide.inference.side_frames import BODIES
from meshtide.inference.sides import Sides, find_sides
from meshtide.labels.labels import Labels
from meshtide.labels.shades import instance_colours
from meshtide.mesh.measure import unit_box

WORDS = ("left", "right")
Flags = NDArray[np.bool_]


def with_sides(found: Segmentation) -> Segmentation:
    """The same parts with "left" and "right" before the names of those that are paired, or a note why not."""
    kind = found.kind if found.kind is not None else _kind_of(found.parts)
    if kind not in BODIES:
        which = f"the parts of the kind {kind}" if kind else "parts without names"
        return _noted(found, f"{which} have no sides that could be told")
    sides = find_sides(found.mesh, np.array(found.parts)[found.mesh_face_labels.values], kind)
    if sides is None:
        return _noted(found, "left and right cannot be told here, as up and front of the body are not clear")
    return _renamed(found, sides)


def _kind_of(parts: Sequence[str]) -> str | None:
    """The kind whose limbs a model without kinds knows, if there is one."""
    for kind, body in BODIES.items():
        if {part for limbs in body.limbs.values() for part in limbs.parts} <= set(parts):
            return kind
    return None


def _noted(found: Segmentation, sentence: str) -> Segmentation:
    return replace(found, warnings=(*found.warnings, sentence))


def _renamed(found: Segmentation, sides: Sides) -> Segmentation:
    """Every part that has sides is divided into one part for each of them."""
    of_faces = found.mesh_face_labels.values
    values, names, owners = found.mesh_labels.values, list[str](), list[int]()
    columns: list[NDArray[np.float32]] = []
    labels = np.full(len(values), -1)
    for part, name in enumerate(found.parts):
        words = np.array([f"{row}{WORDS[side]} " for row, side in zip(sides.row, sides.side, strict=True)])
        told = (of_faces == part) & (sides.side >= 0)
        mine = values == part
        if not told.any():
            labels[mine] = len(names)
            columns.append(found.mesh_probabilities[:, part])
            names.append(name)
            owners.append(part)
            continue
        present, number = np.unique(words[told], return_inverse=True)
        of_vertices = _at_vertices(found, np.flatnonzero(told), number.reshape(-1))
        for place, word in enumerate(present.tolist()):
            here = of_vertices == place
            labels[mine & here] = len(names)
            columns.append(np.where(here, found.mesh_probabilities[:, part], np.float32(0)))
            names.append(f"{word}{name}")
            owners.append(part)
    colours = instance_colours(found.colours, owners)
    return replace(
        found,
        mesh_labels=Labels(np.where(values >= 0, labels, -1), "vertices", tuple(names)),
        mesh_probabilities=np.stack(columns, axis=1).astype(np.float32),
        colours=colours,
    )


def _at_vertices(found: Segmentation, faces: IntArray, values: IntArray) -> IntArray:
    """A value for every vertex, (V,): that of one of the given faces around it, or else of the nearest one."""
    from scipy.spatial import cKDTree

    mesh = found.mesh
    points = unit_box(mesh.vertices, mesh.faces)
    result = np.full(len(points), -1)
    result[mesh.faces[faces].ravel()] = np.repeat(values, 3)
    missing = np.flatnonzero(result < 0)
    if len(missing):
        safe = np.where(np.isfinite(points[missing]), points[missing], 0.0)
        nearest = cKDTree(points[mesh.faces[faces]].mean(axis=1)).query(safe)[1]
        result[missing] = values[nearest]
    return result
