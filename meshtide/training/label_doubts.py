"""What in the labels of a collection looks like a mistake: one part in two spellings, labels of another mesh."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from meshtide.arrays import IntArray
from meshtide.labels.labels import Labels
from meshtide.mesh.mesh import Mesh
from meshtide.training.examples import LabelledShape
from meshtide.words import listed

FEW_BORDERS = 0.5  # of the share of edges between two parts that labels in random order have; borders have far less
LEAST_EDGES = 200  # on fewer, most of the surface is near a border


def doubts_of_names(parts: Sequence[str], shapes: Sequence[str], counts: Sequence[IntArray]) -> list[str]:
    """Sentences about parts that are but one, that one shape alone has, or that are perhaps two spellings of one.

    `counts` are the labelled vertices of every part, (P,), of each shape.
    """
    if len(parts) == 1:
        return [f"'{parts[0]}' is the only part, so that there is nothing to tell apart; are all label files complete?"]
    said = [
        f"{listed(alike)} are learned as {len(alike)} parts; if they are one, spell it alike in all label files"
        for alike in spelled_alike(parts)
    ]
    if len(shapes) < 3:
        return said
    owners = {part: np.flatnonzero([count[at] > 0 for count in counts]) for at, part in enumerate(parts)}
    for number, shape in enumerate(shapes):
        alone = [part for part, found in owners.items() if found.tolist() == [number]]
        if alone:
            verb = "occurs" if len(alone) == 1 else "occur"
            said.append(f"{listed(alone, most=5)} {verb} in '{shape}' alone: are its labels those of the others?")
    return said


def spelled_alike(parts: Sequence[str]) -> list[list[str]]:
    """Groups of names that differ in capitals, spaces, signs or a plural s alone."""
    groups: dict[str, list[str]] = {}
    for part in parts:
        bare = re.sub(r"[\W_]", "", part).casefold()
        groups.setdefault(bare if bare[-1:].isdigit() else bare.removesuffix("s"), []).append(part)
    return [group for bare, group in groups.items() if bare and len(group) > 1]


def scattered(shapes: Sequence[LabelledShape]) -> list[str]:
    """The names of those whose labels lie as if they were of another mesh, or in another order."""
    return [shape.example.name for shape in shapes if is_scattered(shape.labels, shape.mesh)]


def is_scattered(labels: Labels, mesh: Mesh) -> bool:
    """Whether neighbours have different parts nearly as often as if the labels had been shuffled."""
    pairs = mesh.edges() if labels.on == "vertices" else _neighbouring_faces(mesh.faces)
    values = labels.values
    pairs = pairs[(values[pairs] >= 0).all(axis=1)]
    if len(pairs) < LEAST_EDGES:
        return False
    shares = np.bincount(values[pairs].ravel()) / pairs.size
    between = float((values[pairs[:, 0]] != values[pairs[:, 1]]).mean())
    return between > FEW_BORDERS * (1 - float((shares**2).sum())) > 0


def _neighbouring_faces(faces: IntArray) -> IntArray:
    """The faces on both sides of every edge that has two, (E, 2)."""
    ends = np.sort(faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
    order = np.lexsort((ends[:, 1], ends[:, 0]))
    ends, owners = ends[order], np.repeat(np.arange(len(faces)), 3)[order]
    same = (ends[1:] == ends[:-1]).all(axis=1)
    return np.stack([owners[:-1][same], owners[1:][same]], axis=1)
