"""A GLB that came with textures or colours keeps them, with a node for each instance of a part."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

import numpy as np

from meshtide.arrays import FloatArray, IntArray
from meshtide.inference.segmentation import Segmentation
from meshtide.mesh.files.gltf_look import Covering, Look, look_of
from meshtide.output.files.as_given import AsGiven, as_given
from meshtide.output.files.glb import (
    INDEX_BUFFER,
    VERTEX_BUFFER,
    add_array,
    add_bytes,
    add_node,
    container_bytes,
    empty_scene,
    glb_bytes,
    middle_of,
    named,
    single,
)

SCENES = (".glb", ".gltf")


def scene_bytes(segmentation: Segmentation, path: Path, source: Path | None) -> bytes:
    """The scene that the mesh came from, its triangles sorted into parts; in the colours of the parts where it has
    neither textures nor colours of its own.
    """
    given = segmentation.source if source is None else source
    if not isinstance(given, Path) or given.suffix.lower() not in SCENES:
        return glb_bytes(segmentation, path)
    look = look_of(given)
    return glb_bytes(segmentation, path) if look is None else _kept(segmentation, look, given, path)


def _kept(segmentation: Segmentation, look: Look, source: Path, path: Path) -> bytes:
    """Triangles and vertices as the file has them; borders run along their sides."""
    found = as_given(segmentation, source)
    middle = middle_of(segmentation)
    scene: dict[str, Any] = empty_scene()
    data: list[bytes] = []
    _add_look(scene, data, look, source, path)
    owners = _owners(look.coverings)
    faces = found.corners.reshape(-1, 3)
    count = len(segmentation.instances)
    order = np.lexsort((owners, found.face_instances % (count + 1)))  # what has no part comes last
    order = order[_is_surface(faces, look.coverings, owners)[order]]
    ends = np.flatnonzero(np.diff(found.face_instances[order])) + 1
    for own in np.split(order, ends) if len(order) else []:
        primitives = [
            _primitive(scene, data, look.coverings[owner], found, own[owners[own] == owner], middle, path)
            for owner in np.unique(owners[own])
        ]
        add_node(scene, _told(segmentation, int(found.face_instances[own[0]])), primitives, middle)
    return container_bytes({key: value for key, value in scene.items() if value != []}, data, path)


def _owners(coverings: list[Covering]) -> IntArray:
    """The covering of each face of the file, (F,)."""
    return np.repeat(np.arange(len(coverings)), [each.faces for each in coverings])


def _is_surface(faces: IntArray, coverings: list[Covering], owners: IntArray) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Which faces have three different corners among the vertices of their primitive, (F,)."""
    first = np.array([each.first for each in coverings])[owners, None]
    count = np.array([each.vertices for each in coverings])[owners, None]
    inside = ((faces >= first) & (faces < first + count)).all(axis=1)
    return np.asarray(inside & (faces != np.roll(faces, 1, axis=1)).all(axis=1))


def _primitive(
    scene: dict[str, Any], data: list[bytes], own: Covering, found: AsGiven, rows: IntArray, middle: FloatArray,
    path: Path,
) -> dict[str, Any]:  # fmt: skip
    """The triangles that an instance has of one primitive, with all that their vertices have."""
    used, corners = np.unique(found.corners.reshape(-1, 3)[rows], return_inverse=True)
    arrays = {"POSITION": single(found.vertices[used] - middle, path)}
    arrays |= {name: values[used - own.first] for name, values in own.attributes.items()}
    attributes = {name: add_array(scene, data, values, VERTEX_BUFFER) for name, values in arrays.items()}
    indices = add_array(scene, data, corners.astype("<u4").ravel(), INDEX_BUFFER)
    material = {} if own.material is None else {"material": own.material}
    return {"attributes": attributes, "indices": indices, **material}


def _told(segmentation: Segmentation, instance: int) -> dict[str, Any]:
    """The name of an instance, and the colour of its part, which the materials do not tell."""
    told = named(segmentation, instance)
    if instance >= 0:
        told["extras"]["colour"] = segmentation.colours[segmentation.instances[instance].part_index]
    return told


def _add_look(scene: dict[str, Any], data: list[bytes], look: Look, source: Path, path: Path) -> None:
    """Materials, textures and images, under the numbers that they had."""
    scene |= look.tables
    scene["images"] = []
    for image, content in look.images:
        if content is not None:
            image = {**image, "bufferView": add_bytes(scene, data, content)}
        elif isinstance(image.get("uri"), str):
            image = {**image, "uri": _seen_from(image["uri"], source, path)}
        scene["images"].append(image)
    if look.extensions:
        scene["extensionsUsed"] = look.extensions


def _seen_from(uri: str, source: Path, path: Path) -> str:
    """The address of a picture beside the source, as seen from the folder of what is written."""
    folder = os.path.relpath(source.resolve().parent, path.resolve().parent)
    if folder == "." or ":" in uri or uri.startswith("/") or not (source.parent / unquote(uri)).is_file():
        return uri
    return f"{quote(Path(folder).as_posix())}/{uri}"
