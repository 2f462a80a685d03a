"""Left and right of paired parts, where up and front of a body can be told.

Heat cannot tell left from right. But a body says where its head is, which way its feet point and its knees bend, where
its tail is: that gives up and front, and the two give left. A limb is told from its pair as a whole, by where it is
joined to the trunk, so that crossed arms stay right. What is mirrored has its sides exchanged.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import dijkstra

from meshtide.arrays import FloatArray, IntArray
from meshtide.mesh.measure import unit, unit_box
from meshtide.mesh.mesh import Mesh

LEFT, RIGHT = 0, 1
SURE = 0.12  # the least length of the mean of what points to the front, for front and back to be told
CRUMB = 0.25  # a piece with less area than this share of the largest is no limb


@dataclass(frozen=True)
class Limbs:
    """Limbs of one sort: the parts from the trunk outwards, and how many limbs there are."""

    parts: tuple[str, ...]
    count: int = 2


@dataclass(frozen=True)
class Body:
    """What is known of a kind's limbs, and how its up and front are told."""

    trunk: tuple[str, ...]
    limbs: Mapping[str, Limbs]
    frame: Callable[[Figure], Frame | None]


@dataclass(frozen=True, eq=False)
class Limb:
    """One limb: its faces, and where it is joined to the trunk."""

    faces: IntArray
    root: FloatArray


@dataclass(frozen=True, eq=False)
class Frame:
    """Directions of a body, of length one."""

    up: FloatArray
    front: FloatArray

    @property
    def left(self) -> FloatArray:
        """To the left, as whoever is in the body says it."""
        return np.asarray(np.cross(self.up, self.front))


@dataclass(frozen=True, eq=False)
class Sides:
    """The side of every face, and of limbs that stand in several rows which row."""

    side: IntArray  # (F,) LEFT, RIGHT, or -1
    row: NDArray[np.str_]  # (F,) "front ", "middle ", "rear " or ""


class Figure:
    """A labelled body with what its frame is told from."""

    def __init__(self, mesh: Mesh, parts: NDArray[np.str_]) -> None:
        """`parts` are the names of the faces' parts."""
        points = unit_box(mesh.vertices, mesh.faces)
        corners = points[mesh.faces]
        self.parts = parts
        self.middles: FloatArray = np.asarray(corners.mean(axis=1))
        self.areas: FloatArray = np.linalg.norm(
            np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1
        )
        self.pairs = _neighbours(mesh.faces)
        self.limbs: dict[str, list[Limb]] = {}

    def middle(self, parts: Sequence[str], faces: IntArray | None = None) -> FloatArray | None:
        """The middle of the surface of some parts, of some faces alone if they are given; None if there is none."""
        chosen = np.isin(self.parts, parts)
        if faces is not None:
            inside = np.zeros(len(chosen), dtype=bool)
            inside[faces] = True
            chosen &= inside
        weights = self.areas * chosen
        return None if weights.sum() <= 0 else np.asarray(weights @ self.middles / weights.sum())

    def end(self, limb: Limb) -> FloatArray:
        """Where a limb ends: the middle of the twentieth of its faces that is furthest from where it is joined."""
        middles = self.middles[limb.faces]
        gaps = np.linalg.norm(middles - limb.root, axis=1)
        return np.asarray(middles[gaps >= np.quantile(gaps, 0.95)].mean(axis=0))

    def border(self, ones: Sequence[str], others: Sequence[str], faces: IntArray | None = None) -> FloatArray | None:
        """The middle of the border of some parts with others, of some faces of the former alone if they are given."""
        one, other = np.isin(self.parts, ones), np.isin(self.parts, others)
        if faces is not None:
            inside = np.zeros(len(one), dtype=bool)
            inside[faces] = True
            one &= inside
        a, b = self.pairs.T
        across = (one[a] & other[b]) | (one[b] & other[a])
        if not across.any():
            return None
        return np.asarray(self.middles[self.pairs[across]].mean(axis=(0, 1)))

    def find_limbs(self, limbs: Limbs, trunk: Sequence[str]) -> list[Limb] | None:
        """The limbs of one sort, or None if there are not as many as there should be."""
        mine = np.flatnonzero(np.isin(self.parts, limbs.parts))
        anchors = self._anchors(limbs)
        if anchors is None:
            return None
        owner = self._owners(mine, anchors)
        found = []
        for number in range(limbs.count):
            faces = mine[owner == number]
            root = self.border(limbs.parts, trunk, faces)
            if root is None:
                root = self.middle(limbs.parts[:1], faces)
            if root is None:
                root = self.middle(limbs.parts, faces)
            if root is None:
                return None
            found.append(Limb(faces, root))
        return found

    def _anchors(self, limbs: Limbs) -> list[IntArray] | None:
        """As many pieces of some one part as there are limbs: where limbs touch, other parts of them may not."""
        best: list[IntArray] | None = None
        evenness = CRUMB
        for part in limbs.parts:
            pieces = self._pieces(np.flatnonzero(self.parts == part))[: limbs.count + 1]
            areas = [float(self.areas[piece].sum()) for piece in pieces]
            if len(pieces) < limbs.count or (len(pieces) > limbs.count and areas[-1] > CRUMB * areas[0]):
                continue
            if areas[limbs.count - 1] / areas[0] > evenness:
                best, evenness = pieces[: limbs.count], areas[limbs.count - 1] / areas[0]
        return best

    def _pieces(self, faces: IntArray) -> list[IntArray]:
        """Connected pieces of some faces, the largest first."""
        from scipy.sparse.csgraph import connected_components

        if len(faces) == 0:
            return []
        number = np.full(len(self.parts), -1)
        number[faces] = np.arange(len(faces))
        inner = number[self.pairs]
        inner = inner[(inner >= 0).all(axis=1)]
        graph = coo_array((np.ones(len(inner)), inner.T), shape=(len(faces), len(faces)))
        count, piece = connected_components(graph, directed=False)
        order = np.argsort(-np.bincount(piece, self.areas[faces], count), kind="stable")
        return [faces[piece == each] for each in order]

    def _owners(self, faces: IntArray, anchors: list[IntArray]) -> IntArray:
        """For each face the number of the anchor that is nearest along the faces; in space where no way leads."""
        from scipy.spatial import cKDTree

        number = np.full(len(self.parts), -1)
        number[faces] = np.arange(len(faces))
        inner = number[self.pairs]
        inside = (inner >= 0).all(axis=1)
        a, b = self.pairs[inside].T
        lengths = np.linalg.norm(self.middles[a] - self.middles[b], axis=1) + 1e-9
        graph = coo_array((lengths, inner[inside].T), shape=(len(faces), len(faces))).tocsr()
        gaps = np.stack([
            dijkstra(graph, directed=False, indices=number[anchor], min_only=True) for anchor in anchors
        ])  # fmt: skip
        owner = gaps.argmin(axis=0)
        lost = ~np.isfinite(gaps.min(axis=0))
        if lost.any():
            all_anchors = np.concatenate(anchors)
            owners = np.repeat(np.arange(len(anchors)), [len(anchor) for anchor in anchors])
            owner[lost] = owners[cKDTree(self.middles[all_anchors]).query(self.middles[faces[lost]])[1]]
        return np.asarray(owner)


def _neighbours(faces: IntArray) -> IntArray:
    """Pairs of faces that share an edge, (P, 2)."""
    sides = np.sort(faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
    order = np.lexsort(sides.T)
    sides = sides[order]
    same = np.flatnonzero((sides[1:] == sides[:-1]).all(axis=1))
    return np.stack([order[same] // 3, order[same + 1] // 3], axis=1)


def find_sides(mesh: Mesh, parts: NDArray[np.str_], kind: str | None) -> Sides | None:
    """The side of every face of a body of a kind, whose parts are given by name; None if it cannot be told."""
    from meshtide.inference.side_frames import BODIES

    body = BODIES.get(kind or "")
    if body is None:
        return None
    figure = Figure(mesh, parts)
    for name, limbs in body.limbs.items():
        found = figure.find_limbs(limbs, body.trunk)
        if found is not None:
            figure.limbs[name] = found
    frame = body.frame(figure) if figure.limbs else None
    if frame is None:
        return None
    side, row = np.full(len(parts), -1), np.full(len(parts), "", dtype="U8")
    for limbs_found in figure.limbs.values():
        for limb, (where, which) in zip(limbs_found, _places(limbs_found, frame), strict=True):
            side[limb.faces], row[limb.faces] = where, which
    return Sides(side, row)


def _places(limbs: list[Limb], frame: Frame) -> list[tuple[int, str]]:
    """For each limb its side, and its row: half of them are left, and each side is counted from the front."""
    roots = np.stack([limb.root for limb in limbs])
    leftness, frontness = roots @ frame.left, roots @ frame.front
    half = len(limbs) // 2
    rows = {1: ("",), 2: ("front ", "rear "), 3: ("front ", "middle ", "rear ")}[half]
    result: list[tuple[int, str]] = [(LEFT, "")] * len(limbs)
    order = np.argsort(-leftness, kind="stable")
    for side, members in ((LEFT, order[:half]), (RIGHT, order[half:])):
        for number, member in enumerate(members[np.argsort(-frontness[members], kind="stable")]):
            result[member] = (side, rows[number])
    return result


def made_frame(up: FloatArray, front: FloatArray) -> Frame | None:
    """A frame of two directions that are made perpendicular; None if they are nearly one, or have no length."""
    up = unit(up[None])[0]
    front = front - (front @ up) * up
    length = float(np.linalg.norm(front))
    if not np.isfinite(length) or length < 1e-6 or not up.any():
        return None
    return Frame(up, front / length)
