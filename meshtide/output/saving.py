"""Write a segmentation in the format that a file name asks for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from meshtide.errors import InputError
from meshtide.files import write_atomically
from meshtide.inference.segmentation import Segmentation
from meshtide.labels.files import write_labels
from meshtide.labels.labels import Labels
from meshtide.output.files.as_given import as_given, check_colours
from meshtide.output.files.ply import ply_bytes
from meshtide.stages import doing


def write_segmentation(segmentation: Segmentation, path: str | Path, *, source: str | Path | None = None) -> None:
    """Write a segmentation by the suffix of `path`; an existing file is replaced whole or not at all.

    - .ply: the mesh; red, green, blue, label, confidence and instance on vertices and on faces, names as comments.
    - .obj: the mesh; each face in the group of its instance with the material of its part; a .mtl is written as well.
    - .glb: a scene with a named mesh of triangles for each instance, in the colour of its part; a scene that
      came with textures or colours of its vertices keeps these and its triangles.
    - .3mf: an object for each instance, closed along its cuts, with its name and its part's colour; needs lib3mf.
    - .npz: `labels`, `probabilities`, `confidence` and `instances` of the vertices, `face_labels`, `face_confidence`,
      `face_instances`, `names`, `instance_names`, `on`.
    - .json: vertices, faces, area and confidence of each part and of each instance.
    - .vtp, .vtk: the mesh; label, confidence, instance and colour on points and on cells, names as field data.
    - .html: a page to turn the parts around on, which needs nothing but a browser.
    - .png: a picture of the parts and of how sure they are, with their names.
    - .seg: the instance number of each face; .txt: the part number of each vertex (of each face as SHREC'07 lists for
      `…_labels.txt`).

    Element i is element i of what was handed to `segment`, and what has no answer is -1, grey and of confidence 0. PLY
    and OBJ have its points and polygons; `source` names another file that the mesh came from, for a segmentation that
    does not know it.

    >>> import meshtide as mt
    >>> mt.write_segmentation(mt.segment(mt.make_figure("ant", 4, "held-out", defects=False)[0]), "ant.obj")
    """
    path = Path(path)
    writer = _WRITERS.get(path.suffix.lower())
    if writer is None:
        raise InputError(f"{path}: cannot write '{path.suffix}' segmentations; choose one of {', '.join(SUFFIXES)}")
    check_colours(segmentation)
    doing(f"writing {path.name}")
    writer(segmentation, path, None if source is None else Path(source))


# Each writer is imported by the format that needs it: whoever wants a PLY does not wait for pages and scenes.
def _ply(segmentation: Segmentation, path: Path, source: Path | None) -> None:
    write_atomically(path, ply_bytes(segmentation, as_given(segmentation, source)))


def _obj(segmentation: Segmentation, path: Path, source: Path | None) -> None:
    from meshtide.output.files.obj import write_obj

    write_obj(segmentation, as_given(segmentation, source), path, source)


def _glb(segmentation: Segmentation, path: Path, source: Path | None) -> None:
    from meshtide.output.files.glb_kept import scene_bytes

    write_atomically(path, scene_bytes(segmentation, path, source))


def _vtp(segmentation: Segmentation, path: Path, source: Path | None) -> None:
    from meshtide.output.files.vtk import vtp_bytes

    write_atomically(path, vtp_bytes(segmentation, as_given(segmentation, source)))


def _vtk(segmentation: Segmentation, path: Path, source: Path | None) -> None:
    from meshtide.output.files.vtk import vtk_bytes

    write_atomically(path, vtk_bytes(segmentation, as_given(segmentation, source)))


def _threemf(segmentation: Segmentation, path: Path, source: Path | None) -> None:
    from meshtide.output.files.threemf import threemf_bytes

    write_atomically(path, threemf_bytes(segmentation, path))


def _npz(segmentation: Segmentation, path: Path, source: Path | None) -> None:
    from meshtide.output.files.numbers import npz_bytes

    write_atomically(path, npz_bytes(segmentation))


def _json(segmentation: Segmentation, path: Path, source: Path | None) -> None:
    from meshtide.output.files.numbers import json_bytes

    write_atomically(path, json_bytes(segmentation))


def _png(segmentation: Segmentation, path: Path, source: Path | None) -> None:
    from meshtide.output.pictures import save_picture, segmentation_picture

    save_picture(segmentation_picture(segmentation, confidence=True, title=segmentation.mesh.name), path)


def _html(segmentation: Segmentation, path: Path, source: Path | None) -> None:
    from meshtide.output.page import page_bytes

    write_atomically(path, page_bytes(segmentation))


def _labels(segmentation: Segmentation, path: Path, source: Path | None) -> None:
    if path.suffix.lower() == ".seg":  # whose convention is a number for each piece, not for each kind of part
        names = tuple(instance.name for instance in segmentation.instances)
        write_labels(Labels(segmentation.face_instances, "faces", names), path)
        return
    on_vertices = not path.name.lower().endswith("_labels.txt")
    write_labels(segmentation.labels if on_vertices else segmentation.face_labels, path)


_WRITERS: dict[str, Callable[[Segmentation, Path, Path | None], None]] = {
    ".ply": _ply,
    ".glb": _glb,
    ".obj": _obj,
    ".npz": _npz,
    ".json": _json,
    ".seg": _labels,
    ".txt": _labels,
    ".png": _png,
    ".html": _html,
    ".vtp": _vtp,
    ".vtk": _vtk,
    ".3mf": _threemf,
}
SUFFIXES = tuple(_WRITERS)
