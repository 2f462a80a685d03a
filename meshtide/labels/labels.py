"""Parts on a mesh: which element belongs to which named part, and how labels travel between vertices and faces."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from meshtide.arrays import FloatArray, IntArray
from meshtide.errors import InputError
from meshtide.mesh.measure import relative_areas, unit_box
from meshtide.mesh.mesh import Mesh
from meshtide.words import listed, shown

Element = Literal["vertices", "faces"]

# Weights that differ by less than this fraction are a tie: rounding must not decide a part.
TIE = 1e-9
MOST_SHOWN = 12  # parts in one line


@dataclass(frozen=True, eq=False, repr=False)
class Labels:
    """A part for every vertex or every face of a mesh; -1 is "unlabelled" and is never scored.

    >>> import meshtide as mt, numpy as np
    >>> labels = mt.Labels(np.array([0, 1, 1, -1]), "vertices", ("seat", "leg"))
    >>> labels
    Labels(4 vertices: seat 1, leg 2, unlabelled 1)
    >>> labels.counts()
    {'seat': 1, 'leg': 2}
    """

    values: IntArray  # (N,) index into names, or -1
    on: Element
    names: tuple[str, ...]
    notes: tuple[str, ...] = ()  # what was assumed or changed on the way here, for people to read

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", tuple(self.names))
        object.__setattr__(self, "notes", tuple(self.notes))
        check_element(self.on)
        check_names(self.names)
        object.__setattr__(self, "values", _checked_values(self.values, len(self.names)))

    def __len__(self) -> int:
        return len(self.values)

    def __repr__(self) -> str:
        parts = [f"{shown(name)} {count:,}" for name, count in self.counts().items() if count]
        told = [*parts[:MOST_SHOWN], *(["…"] if len(parts) > MOST_SHOWN else [])]
        told += [f"unlabelled {self.unlabelled:,}"] if self.unlabelled else []
        return f"Labels({len(self):,} {self.on}: {', '.join(told) or 'none'})"

    @property
    def unlabelled(self) -> int:
        """How many elements have no part."""
        return int((self.values < 0).sum())

    def counts(self) -> dict[str, int]:
        """How many elements each part has, in the order of the names."""
        counts = np.bincount(self.values[self.values >= 0], minlength=len(self.names))
        return {name: int(count) for name, count in zip(self.names, counts, strict=True)}

    def renamed(self, names: Iterable[str]) -> Labels:
        """The same parts under other names, one for one."""
        names = tuple(names)
        if len(names) != len(self.names):
            raise InputError(f"{len(names):,} names for {len(self.names):,} parts; give one name for each part")
        return replace(self, names=names)

    def mapped(self, vocabulary: Vocabulary) -> Labels:
        """These labels in the parts of a vocabulary; parts that it leaves unscored become -1.

        A part that has elements and is unknown to the vocabulary raises InputError.
        """
        target = vocabulary.index_of()
        used = np.flatnonzero(np.bincount(self.values[self.values >= 0], minlength=len(self.names)))
        strangers = [self.names[part] for part in used if self.names[part] not in target]
        if strangers:
            raise InputError(
                f"the parts {listed(strangers)} are unknown to the vocabulary '{vocabulary.name}', "
                f"which knows {listed(target)}; map them or list them as unscored"
            )
        # One slot more than there are parts: index -1 picks the last one.
        table = np.array([target.get(name, -1) for name in self.names] + [-1], dtype=np.int64)
        return replace(self, values=table[self.values], names=vocabulary.names)

    def to_faces(self, mesh: Mesh) -> Labels:
        """These labels on the faces: each face takes the part that most of its corners have.

        Where no part has more corners than another, the corner with the widest angle decides, as the largest share of
        the face lies nearest to it; of equally wide ones the part that comes first in `names`. Unlabelled corners vote
        for nothing; a face without any labelled corner is -1. Labels on faces are returned as they are.
        """
        self.check_fits(mesh)
        if self.on == "faces":
            return self
        note = "carried from vertices to faces: most corners, then the widest corner"
        values = _faces_from_corners(self.values[mesh.faces], _opposite_squares(mesh))
        return Labels(values, "faces", self.names, (*self.notes, note))

    def to_vertices(self, mesh: Mesh) -> Labels:
        """These labels on the vertices: each vertex takes the part with the largest area among its faces.

        Of parts with the same area the one that comes first in `names` wins. Unlabelled faces vote for nothing; a
        vertex without any labelled face is -1. Labels on vertices are returned as they are.
        """
        self.check_fits(mesh)
        if self.on == "vertices":
            return self
        note = "carried from faces to vertices: the part with the largest area around a vertex"
        corners, labels, areas = mesh.faces.ravel(), np.repeat(self.values, 3), np.repeat(relative_areas(mesh), 3)
        values = weighted_vote(corners, labels, areas, len(mesh.vertices))
        return Labels(values, "vertices", self.names, (*self.notes, note))

    def check_fits(self, mesh: Mesh) -> None:
        """Raise InputError unless there is one label for each of the mesh's elements."""
        wanted = len(mesh.vertices) if self.on == "vertices" else len(mesh.faces)
        if len(self.values) != wanted:
            raise InputError(
                f"{mesh.name}: {len(self.values):,} labels on {self.on} for {len(mesh.vertices):,} vertices and "
                f"{len(mesh.faces):,} faces; were they made for another mesh?"
            )


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """A choice of parts to learn and score, made out of the parts that label files have."""

    name: str
    parts: Mapping[str, tuple[str, ...]]  # learned part -> the file's parts that it joins
    unscored: tuple[str, ...] = ()  # the file's parts that become -1

    def __post_init__(self) -> None:
        object.__setattr__(self, "parts", {part: tuple(members) for part, members in self.parts.items()})
        object.__setattr__(self, "unscored", tuple(self.unscored))
        check_names(self.names)
        twice = _repeated(member for group in (*self.parts.values(), self.unscored) for member in group)
        if twice:
            raise InputError(f"vocabulary '{self.name}': {listed(twice)} stands in two parts; each belongs to one")

    @staticmethod
    def of(name: str, parts: Iterable[str]) -> Vocabulary:
        """The vocabulary that takes every part as it is."""
        return Vocabulary(name, {part: (part,) for part in parts})

    @property
    def names(self) -> tuple[str, ...]:
        """The learned parts, in order."""
        return tuple(self.parts)

    @property
    def known(self) -> frozenset[str]:
        """Every part of the files that this vocabulary says something about."""
        return frozenset(self.index_of())

    def index_of(self) -> dict[str, int]:
        """For each part of the files the index of the learned part, or -1 if it is unscored."""
        index = {member: number for number, group in enumerate(self.parts.values()) for member in group}
        return index | dict.fromkeys(self.unscored, -1)


def weighted_vote(elements: IntArray, labels: IntArray, weights: FloatArray, count: int) -> IntArray:
    """For each of `count` elements the label with the largest sum of weights; ties go to the lowest, no vote is -1.

    Vote i gives weights[i] to label labels[i] of element elements[i]; votes for -1 are not counted.
    """
    cast = labels >= 0
    elements, labels, weights = elements[cast], labels[cast], weights[cast]
    result = np.full(count, -1, dtype=np.int64)
    if len(labels) == 0:
        return result
    ballots = elements * (labels.max() + 1) + labels
    order = np.argsort(ballots, kind="stable")
    starts = _run_starts(ballots[order])
    sums = np.add.reduceat(weights[order], starts)  # one sum for each element and label that occur together
    elements, labels = elements[order][starts], labels[order][starts]
    groups = _run_starts(elements)
    best = np.repeat(np.maximum.reduceat(sums, groups), np.diff(np.append(groups, len(sums))))
    winners = np.flatnonzero(sums >= best * (1 - TIE))[::-1]  # reversed: the lowest label is written last
    result[elements[winners]] = labels[winners]
    return result


def check_element(on: str) -> None:
    """Raise InputError unless `on` is one of the elements that can have labels."""
    if on not in get_args(Element):
        raise InputError(f"labels on '{on}': labels are on 'vertices' or on 'faces'")


def check_names(names: tuple[Any, ...]) -> None:
    """Raise InputError unless the part names can be told apart and shown."""
    for name in names:
        if not isinstance(name, str) or not name or name != name.strip() or not name.isprintable():
            raise InputError(
                f"the part name '{shown(str(name))}' cannot be used; a name is printable text without outer spaces"
            )
    twice = _repeated(names)
    if twice:
        raise InputError(f"the part names {listed(twice)} occur twice; each part needs a name of its own")


def _checked_values(values: NDArray[Any], part_count: int) -> IntArray:
    values = np.asarray(values)
    if values.ndim != 1 or values.dtype.kind not in "iu":
        raise InputError(f"label values are {values.dtype} {values.shape}; wanted whole numbers in one dimension")
    if len(values) and (values.min() < -1 or values.max() >= part_count):
        raise InputError(
            f"label values run from {values.min():,} to {values.max():,} for {part_count:,} parts; "
            f"wanted -1 (unlabelled) to {part_count - 1:,}"
        )
    return np.ascontiguousarray(values, dtype=np.int64)


def _opposite_squares(mesh: Mesh) -> FloatArray:
    """The squared length of the side opposite each corner, (F, 3): the longest lies opposite the widest angle."""
    with np.errstate(over="ignore", invalid="ignore"):  # vertices that no face uses may lie anywhere
        corners = unit_box(mesh.vertices, mesh.faces)[mesh.faces]  # (F, 3, 3)
    sides = corners[:, [1, 2, 0]] - corners[:, [2, 0, 1]]
    return np.asarray(np.einsum("fcx,fcx->fc", sides, sides))


def _faces_from_corners(labels: IntArray, opposite: FloatArray) -> IntArray:
    """The rule of `Labels.to_faces`, for corner labels (F, 3) and what breaks their ties (F, 3)."""
    votes = (labels[:, :, None] == labels[:, None, :]).sum(axis=2)
    votes[labels < 0] = 0
    leading = votes == votes.max(axis=1, keepdims=True)
    width = np.where(leading, opposite, -1.0)
    leading &= width >= width.max(axis=1, keepdims=True) * (1 - TIE)
    # Among what is left only a tie is undecided; where all corners are unlabelled this leaves -1.
    return np.asarray(np.where(leading, labels, np.iinfo(np.int64).max).min(axis=1))


def _run_starts(ordered: IntArray) -> IntArray:
    """Where each run of equal values starts."""
    return np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))


def _repeated(names: Iterable[str]) -> list[str]:
    return sorted(name for name, count in Counter(names).items() if count > 1)
