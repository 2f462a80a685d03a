"""Small tools on triangle soups of figures: components, edge splits, tidy labels."""

from __future__ import annotations

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from meshtide.arrays import FloatArray, IntArray
from meshtide.labels.labels import weighted_vote
from meshtide.mesh.topology import edges_with_uses, used_vertices, without_unused


def tangential(vectors: FloatArray, normals: FloatArray) -> FloatArray:
    """Vectors without their part along the normals."""
    return np.asarray(vectors - (vectors * normals).sum(axis=1, keepdims=True) * normals)


def shortest_edge(vertices: FloatArray, faces: IntArray) -> FloatArray:
    """The length of the shortest edge at each vertex, (V,)."""
    edges = edges_with_uses(faces, len(vertices))[0]
    lengths = np.linalg.norm(vertices[edges[:, 0]] - vertices[edges[:, 1]], axis=1)
    shortest = np.full(len(vertices), np.inf)
    for end in (0, 1):
        np.minimum.at(shortest, edges[:, end], lengths)
    return np.where(np.isfinite(shortest), shortest, 0.0)


def components(faces: IntArray, count: int) -> IntArray:
    """The number of the connected piece that each vertex belongs to, (V,)."""
    return _pieces(edges_with_uses(faces, count)[0], count)


def largest_component(vertices: FloatArray, faces: IntArray) -> tuple[FloatArray, IntArray]:
    """The piece with the most faces, without unused vertices."""
    piece = components(faces, len(vertices))
    return kept_faces(vertices, faces, piece[faces[:, 0]] == np.bincount(piece[faces[:, 0]]).argmax())[:2]


def kept_faces(vertices: FloatArray, faces: IntArray, keep: np.ndarray) -> tuple[FloatArray, IntArray, IntArray]:
    """Only some of the faces, the vertices that they use, and which ones those were."""
    used, kept = without_unused(faces[keep], len(vertices))
    return vertices[used], kept, used


def closed_manifold(faces: IntArray) -> bool:
    """Whether every edge has two faces that agree on a side, and every vertex one ring of faces."""
    return len(faces) > 0 and not bad_vertices(faces, int(faces.max()) + 1).any()


def bad_vertices(faces: IntArray, count: int) -> np.ndarray:
    """Which vertices have an edge without exactly two opposite sides, or more than one ring of faces, (count,)."""
    sides = faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
    keys = np.sort(sides, axis=1) @ np.array([count, 1])
    _, inverse, uses = np.unique(keys, return_inverse=True, return_counts=True)
    forward = np.bincount(inverse, sides[:, 0] < sides[:, 1])
    wrong = ((uses != 2) | (forward != 1))[inverse] | (sides[:, 0] == sides[:, 1])
    bad = np.zeros(count, dtype=bool)
    bad[sides[wrong]] = True
    # The corners of a vertex form one ring if joining those that share an edge leaves one piece.
    good = np.flatnonzero(~wrong)
    one, two = good[np.argsort(keys[good], kind="stable")].reshape(-1, 2).T
    links = np.concatenate([np.stack([one, _next_corner(two)], 1), np.stack([_next_corner(one), two], 1)])
    ring = _pieces(links, faces.size)
    pairs = np.unique(faces.ravel() * (ring.max() + 1) + ring) // (ring.max() + 1)
    return np.asarray(bad | (np.bincount(pairs, minlength=count) > 1))


def _next_corner(side: IntArray) -> IntArray:
    """The corner at the end of a side; the one at its start has the side's own number."""
    return 3 * (side // 3) + (side + 1) % 3


def mended(vertices: FloatArray, faces: IntArray, rounds: int = 4) -> tuple[FloatArray, IntArray]:
    """A surface whose few bad places are cut out and closed by fans; what cannot be mended stays as it is."""
    for _ in range(rounds):
        bad = bad_vertices(faces, len(vertices))
        if not bad.any():
            break
        vertices, faces = largest_component(*kept_faces(vertices, faces, np.asarray(~bad[faces].any(axis=1)))[:2])
        vertices, faces = _with_fans(vertices, faces)
    return vertices, faces


def _with_fans(vertices: FloatArray, faces: IntArray) -> tuple[FloatArray, IntArray]:
    """Close every simple loop of open edges by triangles around its middle."""
    sides = faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
    keys = np.sort(sides, axis=1) @ np.array([len(vertices), 1])
    _, inverse, uses = np.unique(keys, return_inverse=True, return_counts=True)
    rim = sides[(uses == 1)[inverse]]  # (R, 2)
    rim = rim[(np.bincount(rim.ravel(), minlength=len(vertices)) == 2)[rim].all(axis=1)]
    if len(rim) == 0:
        return vertices, faces
    loops, number = np.unique(_pieces(rim, len(vertices))[rim[:, 0]], return_inverse=True)
    weight = np.bincount(number, minlength=len(loops))
    middles = np.stack([np.bincount(number, vertices[rim[:, 0], a]) / weight for a in range(3)], axis=1)
    fans = np.stack([rim[:, 1], rim[:, 0], len(vertices) + number], axis=1)
    return np.concatenate([vertices, middles]), np.concatenate([faces, fans])


def euler_characteristic(faces: IntArray) -> int:
    """Vertices minus edges plus faces: 2 for a sphere, 2 less for each handle."""
    count = int(faces.max()) + 1
    return int(used_vertices(faces, count).sum()) - len(edges_with_uses(faces, count)[0]) + len(faces)


def split_edges(vertices: FloatArray, faces: IntArray, region: np.ndarray) -> tuple[FloatArray, IntArray]:
    """Halve edges inside a region, at most one side a face: a face's longest side, if both its faces agree on it."""
    corners = vertices[faces]
    lengths = np.linalg.norm(corners - corners[:, [1, 2, 0]], axis=2)  # side s runs from corner s to the next one
    longest = lengths.argmax(axis=1)
    rows = np.arange(len(faces))
    start, end = faces[rows, longest], faces[rows, (longest + 1) % 3]
    keys = np.minimum(start, end) * len(vertices) + np.maximum(start, end)
    edges, inverse, votes = np.unique(keys, return_inverse=True, return_counts=True)
    chosen = (votes == 2) & region[edges // len(vertices)] & region[edges % len(vertices)]
    number = np.where(chosen, len(vertices) + np.cumsum(chosen) - 1, -1)[inverse]
    hit = number >= 0
    middle, opposite = number[hit], faces[rows, (longest + 2) % 3][hit]
    halves = [np.stack([start[hit], middle, opposite], 1), np.stack([middle, end[hit], opposite], 1)]
    ends = edges[chosen]
    middles = (vertices[ends // len(vertices)] + vertices[ends % len(vertices)]) / 2
    return np.concatenate([vertices, middles]), np.concatenate([faces[~hit], *halves])


def tidy_labels(labels: IntArray, faces: IntArray, smallest: float = 0.05) -> IntArray:
    """Labels without islands: a region far smaller than its part's largest one takes the label around it."""
    edges = edges_with_uses(faces, len(labels))[0]
    both = np.concatenate([edges, edges[:, ::-1]])
    for _ in range(4):
        inside = edges[labels[edges[:, 0]] == labels[edges[:, 1]]]
        region = _pieces(inside, len(labels))
        sizes = np.bincount(region)
        part = np.zeros(len(sizes), dtype=np.int64)
        part[region] = labels
        largest = np.zeros(part.max() + 1)
        np.maximum.at(largest, part, sizes)
        small = (sizes < np.maximum(smallest * largest[part], 4)) & (sizes < largest[part])
        border = both[small[region[both[:, 0]]] & ~small[region[both[:, 1]]]]
        if len(border) == 0:
            return labels
        votes = weighted_vote(region[border[:, 0]], labels[border[:, 1]], np.ones(len(border)), len(sizes))
        labels = np.where(small[region] & (votes[region] >= 0), votes[region], labels)
    return labels


def _pieces(links: IntArray, count: int) -> IntArray:
    """Connected pieces of a graph, (count,)."""
    graph = coo_array((np.ones(len(links), dtype=np.int8), (links[:, 0], links[:, 1])), shape=(count, count))
    return np.asarray(connected_components(graph, directed=False)[1], dtype=np.int64)
