"""Limbs that have grown together: two legs that meet at the groin are one piece of surface, and two instances.

Where a kind has a number of some part, and fewer pieces are found, a piece is cut in two at its narrowest place, if
that is narrow beside what it parts: a bridge between two legs is, a knee is not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from meshtide.arrays import FloatArray, IntArray
from meshtide.mesh.mesh import Mesh

PAIR = 2
# How many of a part a body has: more are never made of fewer.
NUMBERS: Mapping[str, Mapping[str, int]] = {
    "humanoid": dict.fromkeys(("upperarm", "lowerarm", "hand", "upperleg", "lowerleg", "foot"), PAIR),
    "quadruped": {"leg": 4, "ear": PAIR},
    "bird": {"wing": PAIR, "leg": PAIR},
    "hand": {"finger": 5},
    "octopus": {"tentacle": 8},
    "ant": {"leg": 6, "antenna": PAIR},
}
LEAST_SHARE = 0.25  # of a piece's area, on either side of a cut
USUAL_SHARE = 0.1  # the same, of the cuts that tell what is typical
NARROW = 0.6  # length of a cut over that of the typical one: a long thin limb is as narrow everywhere
WIDEST = 0.55  # length of a cut, in roots of the area on its smaller side; around a limb it is one to two
MOST_FACES = 60_000  # of a piece: a finer one stays whole
SHIFT = 1e-3  # of the mean degree, so that the factors of a singular matrix exist


def told_apart(
    mesh: Mesh, pieces: IntArray, parts: IntArray, areas: FloatArray, size: float, numbers: Mapping[int, int]
) -> IntArray:
    """The pieces of triangles, (F,), with those cut that have grown together; `numbers` is part -> how many it has.

    Areas are those of the mesh divided by its `size`.
    """
    for part, wanted in numbers.items():
        own = np.unique(pieces[(parts == part) & (pieces >= 0)])
        for _ in range(wanted - len(own) if len(own) else 0):
            sizes = {piece: float(areas[pieces == piece].sum()) for piece in own.tolist()}
            new = _largest_cut(mesh, pieces, areas, size, sorted(sizes, key=lambda piece: -sizes[piece]))
            if new is None:
                break
            own = np.append(own, pieces.max() + 1)
            pieces = np.where(new, pieces.max() + 1, pieces)
    return pieces


def _largest_cut(
    mesh: Mesh, pieces: IntArray, areas: FloatArray, size: float, candidates: Sequence[int]
) -> np.ndarray | None:
    """Which triangles are cut off the largest piece that can be cut; None where none can be."""
    for piece in candidates:
        faces = np.flatnonzero(pieces == piece)
        side = narrow_cut(mesh, faces, areas[faces], size)
        if side is not None:
            cut = np.zeros(len(pieces), dtype=bool)
            cut[faces[side]] = True
            return cut
    return None


def narrow_cut(mesh: Mesh, faces: IntArray, areas: FloatArray, size: float) -> np.ndarray | None:
    """One side of a cut that is narrow beside what it parts, a bool for each of some triangles; None if there is none.

    Triangles are sorted by the second eigenvector of their graph, whose edges weigh as long as they are; of all cuts
    between neighbours in that order the one that is shortest beside the root of its smaller side is the narrowest.
    """
    whole = float(areas.sum())
    if not 8 <= len(faces) <= MOST_FACES or not whole > 0:
        return None
    pairs, lengths = _shared_sides(mesh, faces, size)
    values = _second_eigenvector(pairs, lengths, len(faces))
    if values is None:
        return None
    order = np.argsort(values, kind="stable")
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    low, high = np.sort(rank[pairs], axis=1).T
    across = np.cumsum(np.bincount(low, lengths, len(faces)) - np.bincount(high, lengths, len(faces)))[:-1]
    first = np.cumsum(areas[order])[:-1]
    smaller = np.minimum(first, whole - first)
    inner = smaller >= LEAST_SHARE * whole
    if not inner.any():
        return None
    width = np.where(inner, across / np.sqrt(np.maximum(smaller, 1e-300)), np.inf)
    best = int(width.argmin())
    typical = float(np.median(across[smaller >= USUAL_SHARE * whole]))
    return np.asarray(rank <= best) if width[best] < WIDEST and across[best] < NARROW * typical else None


def _shared_sides(mesh: Mesh, faces: IntArray, size: float) -> tuple[IntArray, FloatArray]:
    """Pairs of neighbours among some triangles, (N, 2), by their place there, and how long the side between them is."""
    corners = mesh.faces[faces]
    sides = np.sort(corners[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
    owners = np.repeat(np.arange(len(faces)), 3)
    keys = sides[:, 0] * len(mesh.vertices) + sides[:, 1]
    order = np.argsort(keys, kind="stable")
    same = np.flatnonzero(keys[order][1:] == keys[order][:-1])
    pairs = np.stack([owners[order[same]], owners[order[same + 1]]], axis=1)
    ends = sides[order[same]]
    lengths = np.linalg.norm(mesh.vertices[ends[:, 0]] / size - mesh.vertices[ends[:, 1]] / size, axis=1)
    return pairs, lengths


def _second_eigenvector(pairs: IntArray, lengths: FloatArray, count: int) -> FloatArray | None:
    """The slowest wave over a connected graph of triangles; None where it is in pieces or has no size."""
    from scipy.sparse import coo_array, csgraph, diags_array
    from scipy.sparse.linalg import eigsh

    mean = float(lengths.mean()) if len(lengths) else 0.0
    if not mean > 0:
        return None
    weights = np.maximum(lengths / mean, 1e-6)
    upper = coo_array((weights, (pairs[:, 0], pairs[:, 1])), shape=(count, count))
    links = (upper + upper.T).tocsr()
    if csgraph.connected_components(links, directed=False)[0] > 1:
        return None
    degrees = np.asarray(links.sum(axis=1)).ravel()
    laplacian = (diags_array(degrees) - links).tocsc()
    start = np.cos(np.arange(count))
    _, vectors = eigsh(laplacian, k=2, sigma=-SHIFT * float(degrees.mean()), v0=start)
    return np.asarray(vectors[:, 1], dtype=np.float64)
