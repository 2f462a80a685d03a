"""Which piece of a figure each face belongs to: every leg its own number, and no crumbs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

from meshtide.arrays import FloatArray, IntArray
from meshtide.data.figures.field import fraction_along
from meshtide.data.figures.generator import Plan
from meshtide.data.figures.skeleton import Bone
from meshtide.mesh.mesh import Mesh

SMALLEST = 0.003  # of the surface: what a person would not mark as a part
CRUMB = 0.12  # of the largest piece of the same limb
Key = tuple[str, str]  # part and limb
Flags = NDArray[np.bool_]


def limb_keys(plan: Plan, points: FloatArray) -> tuple[list[Key], IntArray]:
    """For each point the part and the limb of the bone that owns it, as numbers into a list."""
    keys, own, before = _keys_of(plan.bones)
    owner = plan.field.owners(plan.bones, points)
    values = own[owner]
    for number, bone in enumerate(plan.bones):
        if bone.cut > 0:
            mine = np.flatnonzero(owner == number)
            values[mine[fraction_along(bone, points[mine]) < bone.cut]] = before[number]
    return keys, values


def limb_names(bones: list[Bone]) -> list[Key]:
    """All pairs of part and limb that occur."""
    return _keys_of(bones)[0]


def _keys_of(bones: list[Bone]) -> tuple[list[Key], IntArray, IntArray]:
    """All pairs of part and limb, and the numbers of each bone's own pair and of the pair before its cut."""
    trunk = {bone.part for bone in bones if not bone.limb}
    own = [(bone.part, bone.limb) for bone in bones]
    before = [(b.before, "" if b.before in trunk else b.limb) if b.cut > 0 else (b.part, b.limb) for b in bones]
    number = {key: place for place, key in enumerate(dict.fromkeys([*own, *before]))}
    return list(number), np.array([number[key] for key in own]), np.array([number[key] for key in before])


def faces_by_vote(values: IntArray, faces: IntArray) -> IntArray:
    """A value for each face: the one that two of its corners share, or else that of the first."""
    a, b, c = values[faces].T
    return np.asarray(np.where(b == c, b, a))


def pieces(mesh: Mesh, groups: IntArray) -> tuple[IntArray, IntArray]:
    """Connected pieces of groups of faces, crumbs merged into what they touch most.

    Returns a piece for each face, numbered from 0, and the group of each piece.
    """
    pairs, lengths = face_borders(mesh)
    groups = _without_teeth(groups, pairs)
    for _ in range(12):
        piece, group, areas = _connected_groups(mesh, groups, pairs)
        largest = np.zeros(group.max() + 1)
        np.maximum.at(largest, group, areas)
        small = (areas < SMALLEST * mesh.area) | (areas < CRUMB * largest[group])
        goal = _neighbour(piece, small, areas, pairs, lengths)
        change = goal[piece] >= 0
        if not change.any():
            break
        groups[change] = group[goal[piece[change]]]
    piece = _without_loose_crumbs(mesh, piece, small)
    kept, piece = np.unique(piece, return_inverse=True)
    return piece, group[kept]


def _without_teeth(groups: IntArray, pairs: IntArray, rounds: int = 4) -> IntArray:
    """Groups whose borders are less jagged: a face that two of its neighbours outvote joins them."""
    groups = groups.copy()
    both = np.concatenate([pairs, pairs[:, ::-1]])
    both = both[np.argsort(both[:, 0], kind="stable")]
    counts = np.bincount(both[:, 0], minlength=len(groups))
    inner = np.flatnonzero(counts == 3)
    first = np.cumsum(counts) - counts
    neighbours = both[first[inner][:, None] + np.arange(3), 1]  # (I, 3)
    for turn in range(rounds):
        a, b, c = groups[neighbours].T
        agreed = np.where((a == b) | (a == c), a, np.where(b == c, b, groups[inner]))
        now = inner % 2 == turn % 2  # not all at once, or two teeth would swap for ever
        groups[inner[now]] = agreed[now]
    return groups


def _connected_groups(mesh: Mesh, groups: IntArray, pairs: IntArray) -> tuple[IntArray, IntArray, FloatArray]:
    """Connected pieces of equal groups: a number for each face, and the group and the area of each piece."""
    inside = pairs[groups[pairs[:, 0]] == groups[pairs[:, 1]]]
    graph = coo_array((np.ones(len(inside), dtype=np.int8), inside.T), shape=(len(groups), len(groups)))
    piece = connected_components(graph, directed=False)[1].astype(np.int64)
    areas: FloatArray = np.bincount(piece, mesh.face_areas).astype(np.float64)
    group = np.zeros(len(areas), dtype=np.int64)
    group[piece] = groups
    return piece, group, areas


def _neighbour(piece: IntArray, small: Flags, areas: FloatArray, pairs: IntArray, lengths: FloatArray) -> IntArray:
    """For each small piece the larger one with which it shares the longest border; -1 where there is none."""
    one, two = piece[pairs].T
    both = np.concatenate([np.stack([one, two], 1), np.stack([two, one], 1)])
    weight = np.concatenate([lengths, lengths])
    useful = small[both[:, 0]] & (areas[both[:, 1]] > areas[both[:, 0]])
    border = coo_array((weight[useful], both[useful].T), shape=(len(areas), len(areas))).tocsr()
    touched = np.asarray(border.sum(axis=1)).ravel() > 0
    return np.asarray(np.where(touched, np.asarray(border.argmax(axis=1)).ravel(), -1))


def _without_loose_crumbs(mesh: Mesh, piece: IntArray, small: Flags) -> IntArray:
    """Small shells that touch nothing belong to what they sit on."""
    loose = small[piece]
    if not loose.any() or loose.all():
        return piece
    middles = mesh.vertices[mesh.faces].mean(axis=1)
    nearest = cKDTree(middles[~loose]).query(middles[loose])[1]
    result = piece.copy()
    for number in np.unique(piece[loose]):
        below = np.asarray(nearest)[piece[loose] == number]
        result[piece == number] = np.bincount(piece[~loose][below]).argmax()
    return result


def face_borders(mesh: Mesh) -> tuple[IntArray, FloatArray]:
    """Pairs of faces that share an edge, (P, 2), and the lengths of those edges."""
    sides = np.sort(mesh.faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
    order = np.lexsort(sides.T)
    sides = sides[order]
    same = np.flatnonzero((sides[1:] == sides[:-1]).all(axis=1))
    lengths = np.linalg.norm(mesh.vertices[sides[same, 0]] - mesh.vertices[sides[same, 1]], axis=1)
    return np.stack([order[same] // 3, order[same + 1] // 3], axis=1), lengths
