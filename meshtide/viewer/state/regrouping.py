"""Another division of the same mesh: a piece with another name, two pieces as one, one piece as two."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from meshtide.arrays import BoolArray, IntArray
from meshtide.inference.segmentation import Segmentation
from meshtide.labels.colours import part_colours
from meshtide.labels.labels import Labels, check_names
from meshtide.mesh.mesh import Mesh
from meshtide.mesh.origin import Origin


def in_pieces(result: Segmentation, mesh: Mesh) -> Segmentation:
    """The same answer about a mesh's own elements, with pieces that can be changed one by one."""
    if result.mesh_pieces is not None:
        return result
    return Segmentation(
        mesh,
        result.labels,
        result.probabilities,
        result.colours,
        result.kind,
        result.warnings,
        Origin.identity(len(mesh.vertices), len(mesh.faces)),
        mesh_regions=result.face_labels.values,
        mesh_pieces=result.face_instances,
        reason=result.reason,
        borders=result.borders,
    )


def renamed(result: Segmentation, piece: int, name: str) -> Segmentation:
    """One piece as a piece of a part with this name, which may be new."""
    check_names((name,))
    result = _with_part(result, name)
    return _become(result, result.mesh_face_instances == piece, result.parts.index(name), piece)


def merged(result: Segmentation, piece: int, other: int) -> Segmentation:
    """Another piece joined to this one, whose part it takes."""
    return _become(result, result.mesh_face_instances == other, result.instances[piece].part_index, piece)


def split(result: Segmentation, faces: BoolArray) -> Segmentation:
    """Some triangles of a piece, (F,), as a piece of their own of the same part."""
    pieces = result.mesh_face_instances
    return replace(result, mesh_pieces=np.where(faces, len(result.instances), pieces))


def _with_part(result: Segmentation, name: str) -> Segmentation:
    """The same answer, in which a part has this name."""
    if name in result.parts:
        return result
    names = (*result.parts, name)
    wanted = part_colours(names)
    colour = next(each for each in (wanted[-1], *wanted, *part_colours(map(str, range(999)))) if _free(each, result))
    column = np.zeros((len(result.mesh_probabilities), 1), dtype=np.float32)
    return replace(
        result,
        mesh_labels=Labels(result.mesh_labels.values, "vertices", names),
        mesh_probabilities=np.concatenate([result.mesh_probabilities, column], axis=1),
        colours=(*result.colours, colour),
    )


def _free(colour: str, result: Segmentation) -> bool:
    """Whether no part that is to be seen has a colour."""
    return colour not in {result.colours[result.parts.index(name)] for name in result.shares}


def _become(result: Segmentation, faces: BoolArray, part: int, piece: int) -> Segmentation:
    """Some triangles as a part's, and as one piece; who says so is sure of it."""
    mesh = result.mesh
    parts = np.where(faces, part, result.mesh_face_labels.values)
    touched = np.unique(mesh.faces[faces])
    labels: IntArray = result.mesh_labels.values.copy()
    labels[touched] = Labels(parts, "faces", result.parts).to_vertices(mesh).values[touched]
    rows = result.mesh_probabilities.copy()
    changed = np.flatnonzero((labels == part) & np.isin(np.arange(len(labels)), touched))
    rows[changed] = np.eye(len(result.parts), dtype=np.float32)[part]
    return replace(
        result,
        mesh_labels=Labels(labels, "vertices", result.parts),
        mesh_probabilities=rows,
        mesh_regions=parts,
        mesh_pieces=np.where(faces, piece, result.mesh_face_instances),
        borders=(),
    )
