"""Read a label file of any format."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from meshtide.errors import InputError
from meshtide.labels.files.added import added_suffixes, read_added
from meshtide.labels.files.arrays import read_npy, read_npz
from meshtide.labels.files.contents import Contents, Place, Sizes
from meshtide.labels.files.lists import read_json
from meshtide.labels.files.mesh_files import read_obj_groups, read_ply_labels
from meshtide.labels.files.placing import place_on_mesh
from meshtide.labels.files.text import read_eseg, read_lines, read_seg
from meshtide.labels.files.vtk import VTK_SUFFIXES, read_vtk_labels
from meshtide.labels.labels import Element, Labels, check_element
from meshtide.mesh.files import READABLE
from meshtide.mesh.mesh import Mesh

_READERS: dict[str, Callable[[Path, Sizes | None], Contents]] = {
    ".txt": read_lines,
    ".seg": read_seg,
    ".npy": read_npy,
    ".npz": read_npz,
    ".json": read_json,
    ".eseg": read_eseg,
    ".obj": read_obj_groups,
}
LABEL_SUFFIXES = (".txt", ".seg", ".npy", ".npz", ".json", ".eseg")  # of files that stand beside a mesh


def read_labels(
    path: str | Path,
    mesh: Mesh,
    *,
    base: int | None = None,
    names: Sequence[str] | None = None,
    on: Element | None = None,
) -> Labels:
    """Read the labels of a mesh's vertices or faces from a file; the suffix and the contents say how.

    - `.txt`: one number or name a line, or the SHREC'07 form: a name line, then a line of face numbers from 1.
    - `.seg` (Princeton): one number a face. `.eseg` (MeshCNN): one number an edge; faces take the longest part.
    - `.npy`, `.npz`: whole numbers, (N,) or (N, 1); in `.npz` called `labels`, with `names` if there are any.
    - `.json`: {name: [element numbers]}, or one label an element, or {"labels": […], "names": […]}.
    - `.ply`: a vertex or face property such as `label`; `.obj`: the groups of the faces.
    - `.vtp`, `.vtk`: an array `label` or `part` on cells or points, with names as field data `parts` if there are any.
    - other suffixes by packages that add them, with an entry point `meshtide.label_formats`.

    The file is about the elements of the mesh's file, or else of the mesh itself. `base` says whether numbers count
    from 0 or 1 (else it is detected), `names` what the parts are called and how they are ordered, `on` which element
    is meant where that is open. Unnamed parts are called "part 3" by their number in the file. Everything that was
    assumed stands in the labels' `notes`.

    >>> import meshtide as mt
    >>> from pathlib import Path
    >>> _ = Path("roof.seg").write_text("0\\n1\\n")
    >>> roof = mt.Mesh([[0, 0, 0], [1, 0, 0], [1, 1, 1], [0, 1, 1]], [[0, 1, 2], [0, 2, 3]])
    >>> mt.read_labels("roof.seg", roof)
    Labels(2 faces: part 0 1, part 1 1)
    """
    if on is not None:
        check_element(on)
    contents = parse_labels(path, Sizes.of(mesh), on)
    return place_on_mesh(contents, mesh, base, names, on)


def parse_labels(path: str | Path, sizes: Sizes | None, on: Place | None = None) -> Contents:
    """What a label file says, before it is laid on a mesh; `sizes` bounds how much of it is read."""
    path = Path(path)
    suffix = path.suffix.lower()
    if suffix == ".ply":
        return read_ply_labels(path, sizes, on)
    if suffix in VTK_SUFFIXES:
        return read_vtk_labels(path, sizes, on)
    if suffix in _READERS:
        return _READERS[suffix](path, sizes)
    contents = read_added(path, sizes)
    if contents is None:
        known = ", ".join((*label_suffixes(), ".ply", ".obj", *VTK_SUFFIXES))
        raise InputError(f"{path}: '{path.suffix}' is not a label format that can be read; use one of {known}")
    return contents


def label_suffixes() -> tuple[str, ...]:
    """The suffixes of files that can stand beside a mesh and hold its labels: our own, then those of other packages."""
    added = [each for each in added_suffixes() if each not in _READERS and each not in READABLE]
    return (*LABEL_SUFFIXES, *added)
