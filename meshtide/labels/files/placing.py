"""Lay what a label file says on a mesh: which element it is about, where its numbers start, what they are called."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from meshtide.arrays import IntArray
from meshtide.errors import InputError
from meshtide.labels.files.contents import MOST_PARTS, Contents, IndexLists, PerElement, Place, Sizes
from meshtide.labels.files.edges import faces_from_edges
from meshtide.labels.labels import Element, Labels
from meshtide.mesh.mesh import Mesh
from meshtide.words import listed


def place_on_mesh(
    contents: Contents, mesh: Mesh, base: int | None, names: Sequence[str] | None, on: Element | None
) -> Labels:
    """The labels of a mesh's elements, out of the contents of a label file."""
    if base not in (None, 0, 1):
        raise InputError(f"{contents.path}: base is {base!r}; numbers count from 0 or from 1")
    if on is not None:
        contents = replace(contents, on=_agreed(contents, on))
    if isinstance(contents, IndexLists):
        labels = _place_lists(contents, mesh, base)
        return _in_given_names(contents, labels, names)
    if names is None or contents.names is not None:
        labels = _place_elements(contents, mesh, base)
        return _in_given_names(contents, labels, names)
    return _place_elements(replace(contents, names=tuple(names)), mesh, base)


def detect_part_base(arrays: Iterable[IntArray]) -> tuple[int, str]:
    """Whether the part numbers in some files count from 0 or from 1, and the sentence that says why.

    Files of one collection belong into one call: a single shape may lack part 0, and would be shifted on its own.
    """
    lowest = min((int(array[array >= 0].min()) for array in arrays if (array >= 0).any()), default=None)
    if lowest is None:
        return 0, "part numbers are assumed to count from 0 (nothing is labelled)"
    if lowest == 0:
        return 0, "part numbers count from 0"
    return 1, "part numbers count from 1 (no 0 among them)"


def numbered_names(values: IntArray, base: int) -> tuple[tuple[str, ...], IntArray]:
    """Names by the numbers in the file, so that a number has one name in every file, and the values as indices."""
    numbers = np.arange(base, int(values.max(initial=base)) + 1)
    if len(numbers) > MOST_PARTS:
        numbers = np.unique(values[values >= 0])
    index = np.where(values >= 0, np.searchsorted(numbers, values), -1)
    return tuple(f"part {number}" for number in numbers.tolist()), index


def _agreed(contents: Contents, on: Element) -> Place:
    if contents.on in (None, on):
        return on
    if contents.on == "edges":
        if on == "faces":
            return "edges"
        raise InputError(f"{contents.path}: is about edges and becomes labels on faces; call to_vertices afterwards")
    call = "to_vertices" if on == "vertices" else "to_faces"
    raise InputError(f"{contents.path}: its labels are on {contents.on}, not on {on}; read them so and call {call}")


def _in_given_names(contents: Contents, labels: Labels, names: Sequence[str] | None) -> Labels:
    """The same labels, numbered by a list of names that the caller gave."""
    if names is None or tuple(names) == labels.names:
        return labels
    number = {name: index for index, name in enumerate(names)}
    strangers = [name for name, count in labels.counts().items() if count and name not in number]
    if strangers:
        raise InputError(f"{contents.path}: has the parts {listed(strangers)}; wanted {listed(names)}")
    table = np.array([number.get(name, -1) for name in labels.names] + [-1], dtype=np.int64)
    return replace(labels, values=table[labels.values], names=tuple(names))


def _place_elements(contents: PerElement, mesh: Mesh, base: int | None) -> Labels:
    names, values, base_notes = _named_values(contents, base)
    if contents.on == "edges":
        on: Element = "faces"
        values, note = faces_from_edges(contents.path, values, mesh)
        notes = [note]
    else:
        on, values, notes = _fitted(contents, values, mesh)
    return _labels(contents, values, on, names, (*contents.notes, *base_notes, *notes))


def _named_values(contents: PerElement, base: int | None) -> tuple[tuple[str, ...], IntArray, list[str]]:
    """Part names, and the file's numbers as indices into them."""
    values, names, notes = contents.values, contents.names, []
    if contents.base is not None:
        base = contents.base
    elif base is None:
        base, sentence = detect_part_base([values]) if names is None else _base_by_names(values, len(names))
        notes = [sentence]
    if base == 1 and (values == 0).any():
        raise InputError(f"{contents.path}: has part number 0 where numbers count from 1; pass base=0 if 0 is a part")
    if names is None:
        return *numbered_names(values, base), notes
    if len(values) and values.max() - base >= len(names):
        raise InputError(
            f"{contents.path}: has part number {values.max():,} and only {len(names):,} names, counted from {base}; "
            "give a name for each part"
        )
    return names, np.where(values >= 0, values - base, -1), notes


def _base_by_names(values: IntArray, name_count: int) -> tuple[int, str]:
    """Where the numbers start if there are names for them: from 1 only if that uses the last name."""
    base, sentence = detect_part_base([values])
    if base == 1 and values.max() != name_count:
        return 0, "part numbers are assumed to count from 0 (0 and the number of names are both not among them)"
    return base, sentence


def _fitted(contents: PerElement, values: IntArray, mesh: Mesh) -> tuple[Element, IntArray, list[str]]:
    """The values on the mesh's elements: the element whose count is theirs, in the file before in the mesh."""
    sizes, count, notes = Sizes.of(mesh), len(values), []
    wanted: tuple[Element, ...] = ("faces", "vertices")
    if contents.on is not None:
        wanted = ("faces",) if contents.on == "faces" else ("vertices",)
    in_file = [on for on in wanted if count == (sizes.file_faces if on == "faces" else sizes.file_vertices)]
    in_mesh = [on for on in wanted if count == (sizes.faces if on == "faces" else sizes.vertices)]
    if not in_file and not in_mesh:
        place = f" on {contents.on}" if contents.on else ""
        raise InputError(
            f"{contents.path}: {count:,} labels{place} for {sizes.sentence()} of '{mesh.name}'; "
            "was the mesh re-exported after labelling?"
        )
    on = (in_file or in_mesh)[0]
    if len(in_file) == 2 or (not in_file and len(in_mesh) == 2):
        notes.append(f"there are {count:,} vertices and as many faces; the labels are assumed to be on faces")
    return on, (from_file(values, on, mesh) if in_file else values), notes


def from_file(values: IntArray, on: Element, mesh: Mesh) -> IntArray:
    """Values of the file's elements on the mesh's."""
    if on == "vertices":
        return mesh.origin.vertices_from_file(values, -1, len(mesh.vertices))
    return mesh.origin.faces_from_file(values)


def _place_lists(contents: IndexLists, mesh: Mesh, base: int | None) -> Labels:
    sizes, notes = Sizes.of(mesh), list(contents.notes)
    on = _lists_element(contents, sizes, base, notes)
    counts = (sizes.file_vertices, sizes.vertices) if on == "vertices" else (sizes.file_faces, sizes.faces)
    base = _index_base(contents, on, counts, base, notes)
    indices = contents.indices - base
    if len(indices) and indices.min() < 0:
        raise InputError(f"{contents.path}: has number 0 where the {on} count from 1; pass base=0 if they do not")
    reach = int(indices.max(initial=-1)) + 1
    # The mesh's own count is meant only if the lists reach exactly to its end and not to that of the file.
    in_file = reach == counts[0] or (reach != counts[1] and reach < counts[0])
    count = counts[0] if in_file else counts[1]
    if reach > count:
        raise InputError(
            f"{contents.path}: names number {reach - 1 + base:,} of the {on}, counted from {base}, and "
            f"'{mesh.name}' has {sizes.sentence()}; was the mesh re-exported after labelling?"
        )
    values = _values_of_lists(contents, indices, count, on, base, notes)
    return _labels(contents, from_file(values, on, mesh) if in_file else values, on, contents.names, tuple(notes))


def _lists_element(contents: IndexLists, sizes: Sizes, base: int | None, notes: list[str]) -> Element:
    """Which elements the lists are about: said, or those that the lists reach exactly to the end of."""
    if contents.on is not None:
        return "vertices" if contents.on == "vertices" else "faces"
    highest = int(contents.indices.max(initial=-1))
    first = base if base is not None else 0 if (contents.indices == 0).any() else 1
    counts: dict[Element, tuple[int, int]] = {
        "faces": (sizes.file_faces, sizes.faces),
        "vertices": (sizes.file_vertices, sizes.vertices),
    }
    exact = [on for on, both in counts.items() if highest + 1 - first in both]
    possible = [on for on, both in counts.items() if highest + 1 - first <= max(both)]
    if len(exact) == 2:
        notes.append("there are as many vertices as faces; the lists are assumed to be about faces")
    if exact:
        return exact[0]
    if len(possible) == 1:
        notes.append(f"the lists are assumed to be about {possible[0]} (there are fewer of the others)")
        return possible[0]
    if not possible:
        raise InputError(
            f"{contents.path}: names element {highest:,}, and the mesh has {sizes.sentence()}; "
            "was the mesh re-exported after labelling?"
        )
    raise InputError(
        f"{contents.path}: can be about vertices or faces (largest number {highest:,}; the mesh has "
        f"{sizes.sentence()}); "
        'add "on": "vertices" or "on": "faces" to the file'
    )


def _index_base(contents: IndexLists, on: Element, counts: tuple[int, int], base: int | None, notes: list[str]) -> int:
    if base is not None:
        return base
    numbers = f"{'vertex' if on == 'vertices' else 'face'} numbers"
    highest = int(contents.indices.max(initial=-1))
    if (contents.indices == 0).any():
        notes.append(f"{numbers} count from 0")
        return 0
    if highest in counts:
        notes.append(f"{numbers} count from 1 (largest is {highest:,} = number of {on})")
        return 1
    notes.append(f"{numbers} are assumed to count from {contents.usual_base}")
    return contents.usual_base


def _values_of_lists(
    contents: IndexLists, indices: IntArray, count: int, on: Element, base: int, notes: list[str]
) -> IntArray:
    """One part an element: of several the alphabetically first, unless the format allows only one."""
    rank = np.argsort(np.argsort(np.array(contents.names, dtype=object), kind="stable"))[contents.parts]
    order = np.lexsort((rank, indices))
    indices, parts = indices[order], contents.parts[order]
    again, other = np.zeros((2, len(indices)), dtype=bool)
    again[1:], other[1:] = indices[1:] == indices[:-1], parts[1:] != parts[:-1]
    if contents.overlap == "refused" and again.any():
        at = int(np.flatnonzero(again)[0])
        both = listed(dict.fromkeys(contents.names[part] for part in parts[at - 1 : at + 1]))
        raise InputError(f"{contents.path}: number {indices[at] + base:,} stands twice ({both}); wanted each face once")
    several = np.unique(indices[again & other])
    if len(several):
        notes.append(f"{len(several):,} {on} stand in more than one part; the alphabetically first part has them")
    values = np.full(count, -1, dtype=np.int64)
    values[indices[~again]] = parts[~again]
    missing = int((values < 0).sum())
    if missing:
        notes.append(f"{missing:,} {on} stand in no part and are unlabelled")
    return values


def _labels(
    contents: Contents, values: IntArray, on: Element, names: tuple[str, ...], notes: tuple[str, ...]
) -> Labels:
    try:
        return Labels(values, on, names, notes)
    except InputError as error:
        raise InputError(f"{contents.path}: {error}") from None
