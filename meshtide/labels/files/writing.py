"""Write labels, as labels of the elements that the mesh's file has."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np

from meshtide.arrays import IntArray
from meshtide.errors import InputError
from meshtide.labels.files.text import HEADER
from meshtide.labels.labels import Labels
from meshtide.mesh.mesh import Mesh

_JSON_WORDS = {"on", "labels", "names"}


def write_labels(labels: Labels, path: str | Path, mesh: Mesh | None = None) -> None:
    """Write labels as .seg, .txt, .npy, .npz, .json or SHREC'07 `…_labels.txt`, by the file's name.

    Labels of a mesh are carried to the file that it came from: a polygon that was triangulated has one label, the
    corners that were welded have one each. Without a mesh they are written as they are, which is right for those of a
    Segmentation. An existing file is replaced whole or not at all.

    >>> import meshtide as mt
    >>> mesh, labels = mt.make_figure("hand", 1)
    >>> mt.write_labels(labels, "hand.txt", mesh)
    >>> mt.read_labels("hand.txt", mesh).names
    ('palm', 'finger')
    """
    path = Path(path)
    is_shrec = path.name.lower().endswith("_labels.txt")
    writer = _shrec if is_shrec else _WRITERS.get(path.suffix.lower())
    if writer is None:
        raise InputError(f"{path}: cannot write '{path.suffix}' labels; choose {', '.join(_WRITERS)} or _labels.txt")
    if mesh is not None:
        labels.check_fits(mesh)
    if labels.on != "faces" and (is_shrec or path.suffix.lower() == ".seg"):
        raise InputError(f"{path}: this format holds labels of faces, and these are on vertices; call to_faces(mesh)")
    from meshtide.files import write_atomically

    values = labels.values
    if mesh is not None:
        carry = mesh.origin.vertices_to_file if labels.on == "vertices" else mesh.origin.faces_to_file
        values = carry(values, -1)
    write_atomically(path, writer(path, labels, values))


def _seg(path: Path, labels: Labels, values: IntArray) -> bytes:
    return ("\n".join(map(str, values.tolist())) + "\n").encode()


def _txt(path: Path, labels: Labels, values: IntArray) -> bytes:
    """Numbers a line, which numpy.loadtxt reads as well; what they mean stands in a comment above."""
    header = HEADER + json.dumps({"on": labels.on, "names": labels.names})
    return f"{header}\n".encode() + _seg(path, labels, values)


def _npy(path: Path, labels: Labels, values: IntArray) -> bytes:
    stream = io.BytesIO()
    np.save(stream, values.astype(np.int32), allow_pickle=False)
    return stream.getvalue()


def _npz(path: Path, labels: Labels, values: IntArray) -> bytes:
    stream = io.BytesIO()
    names = np.array(labels.names, dtype=np.str_)
    np.savez_compressed(stream, labels=values.astype(np.int32), names=names, on=np.array(labels.on))
    return stream.getvalue()


def _json(path: Path, labels: Labels, values: IntArray) -> bytes:
    """Part name -> element numbers from 0; a part called like one of our own words needs the other form."""
    said: dict[str, object]
    if _JSON_WORDS & set(labels.names):
        said = {"on": labels.on, "names": labels.names, "labels": values.tolist()}
    else:
        lists = {name: np.flatnonzero(values == part).tolist() for part, name in enumerate(labels.names)}
        said = {"on": labels.on, **lists}
    return (json.dumps(said, ensure_ascii=False) + "\n").encode("utf-8", "backslashreplace")


def _shrec(path: Path, labels: Labels, values: IntArray) -> bytes:
    """A name line, then a line of face numbers from 1."""
    lines = []
    for part, name in enumerate(labels.names):
        if name.startswith("#") or name.replace(" ", "").isdigit():
            raise InputError(f"{path}: a part called '{name}' would be read back as something else; rename it first")
        lines += [name, " ".join(map(str, (np.flatnonzero(values == part) + 1).tolist()))]
    return ("\n".join(lines) + "\n").encode()


_WRITERS: dict[str, Callable[[Path, Labels, IntArray], bytes]] = {
    ".seg": _seg,
    ".txt": _txt,
    ".npy": _npy,
    ".npz": _npz,
    ".json": _json,
}
