"""Shapes made on the spot: what the demo shows and the tests measure."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from meshtide.arrays import FloatArray, IntArray
from meshtide.mesh.mesh import Mesh

FIGURE_PARTS = ("head", "torso", "arm", "leg")


def sphere(level: int = 3, radius: float = 1.0) -> Mesh:
    """A geodesic sphere of 10·4^level + 2 vertices."""
    golden = (1 + 5**0.5) / 2
    # The icosahedron: all cyclic turns of (0, ±1, ±golden), and its twenty faces.
    quarter = np.array([[-1, golden, 0], [1, golden, 0], [-1, -golden, 0], [1, -golden, 0]])
    corners = np.concatenate([quarter, np.roll(quarter, 1, axis=1), np.roll(quarter, 2, axis=1)])
    faces = np.array(
        [
            [0, 11, 5], [0, 5, 1], [0, 1, 7], [0, 7, 10], [0, 10, 11], [1, 5, 9], [5, 11, 4], [11, 10, 2], [10, 7, 6],
            [7, 1, 8], [3, 9, 4], [3, 4, 2], [3, 2, 6], [3, 6, 8], [3, 8, 9], [4, 9, 5], [2, 4, 11], [6, 2, 10],
            [8, 6, 7], [9, 8, 1],
        ]
    )  # fmt: skip
    vertices = corners / np.linalg.norm(corners, axis=1, keepdims=True)
    for _ in range(level):
        edges, faces = _split_in_four(faces, len(vertices))
        middles = vertices[edges].sum(axis=1)
        vertices = np.concatenate([vertices, middles / np.linalg.norm(middles, axis=1, keepdims=True)])
    return Mesh(radius * vertices, faces, f"sphere-{level}")


def torus(around: int = 48, across: int = 24, radius: float = 1.0, thickness: float = 0.4) -> Mesh:
    """A torus of around x across vertices."""
    u, v = np.meshgrid(np.arange(around), np.arange(across), indexing="ij")
    angle, roll = 2 * np.pi * u.ravel() / around, 2 * np.pi * v.ravel() / across
    ring = radius + thickness * np.cos(roll)
    vertices = np.stack([ring * np.cos(angle), ring * np.sin(angle), thickness * np.sin(roll)], axis=1)
    a, b = (u * across + v).ravel(), ((u + 1) % around * across + v).ravel()
    c, d = ((u + 1) % around * across + (v + 1) % across).ravel(), (u * across + (v + 1) % across).ravel()
    return Mesh(vertices, np.concatenate([np.stack([a, b, c], 1), np.stack([a, c, d], 1)]), "torus")


def box(size: tuple[float, float, float] = (1.0, 1.0, 1.0)) -> Mesh:
    """An axis-parallel box of eight vertices and twelve faces, its smallest corner at the origin."""
    vertices, quads, _ = _cage({(0, 0, 0): 0})
    return Mesh(vertices * np.array(size), _halve(quads), "box")


def figure(level: int = 2) -> tuple[Mesh, IntArray]:
    """A standing figure with a part number (of FIGURE_PARTS) on every face; each level has four times the faces.

    All levels are meshings of one smooth limit surface: a cage of cubes under Loop subdivision.
    """
    vertices, quads, parts = _cage(dict(_figure_cubes()))
    faces, labels = _halve(quads), np.repeat(parts, 2)
    for _ in range(level):
        vertices, faces = _loop_subdivision(vertices, faces)
        labels = np.repeat(labels, 4)
    return Mesh(_loop_limit(vertices, faces), faces, f"figure-{level}"), labels


def _figure_cubes() -> Iterator[tuple[tuple[int, int, int], int]]:
    """The cubes of the figure, each with its part: legs stand at z = 0, arms hang from the shoulders, apart."""
    for z in range(5):
        yield (0, 0, z), 3
        yield (2, 0, z), 3
    for z in range(5, 10):
        yield from (((x, 0, z), 1) for x in range(3))
    yield (1, 0, 10), 0
    yield from (((1, y, z), 0) for y in (0, -1) for z in (11, 12))
    for side, outwards in ((-1, -2), (3, 4)):
        yield (side, 0, 9), 2
        yield from (((outwards, 0, z), 2) for z in range(5, 10))


def _cage(cubes: dict[tuple[int, int, int], int]) -> tuple[FloatArray, IntArray, IntArray]:
    """The outer quads of a set of unit cubes, facing outwards, and the part each quad's cube has."""
    corners_of = {
        (1, 0, 0): [(1, 0, 0), (1, 1, 0), (1, 1, 1), (1, 0, 1)],
        (-1, 0, 0): [(0, 0, 0), (0, 0, 1), (0, 1, 1), (0, 1, 0)],
        (0, 1, 0): [(0, 1, 0), (0, 1, 1), (1, 1, 1), (1, 1, 0)],
        (0, -1, 0): [(0, 0, 0), (1, 0, 0), (1, 0, 1), (0, 0, 1)],
        (0, 0, 1): [(0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)],
        (0, 0, -1): [(0, 0, 0), (0, 1, 0), (1, 1, 0), (1, 0, 0)],
    }
    points: dict[tuple[int, ...], int] = {}
    quads, parts = [], []
    for cube, part in cubes.items():
        for side, corners in corners_of.items():
            if tuple(np.add(cube, side)) not in cubes:
                quads.append([points.setdefault(tuple(np.add(cube, c)), len(points)) for c in corners])
                parts.append(part)
    return np.array(list(points), dtype=np.float64), np.array(quads), np.array(parts)


def _halve(quads: IntArray) -> IntArray:
    """Two triangles a quad, next to each other."""
    return quads[:, [0, 1, 2, 0, 2, 3]].reshape(-1, 3)


def _split_in_four(faces: IntArray, vertex_count: int) -> tuple[IntArray, IntArray]:
    """The edges, and the faces after a new vertex was put on each; the four parts of a face stay together."""
    sides = np.sort(faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
    edges, inverse = np.unique(sides, axis=0, return_inverse=True)
    (a, b, c), (ab, bc, ca) = faces.T, vertex_count + inverse.reshape(-1, 3).T
    return edges, np.stack([a, ab, ca, b, bc, ab, c, ca, bc, ab, bc, ca], axis=1).reshape(-1, 3)


def _loop_subdivision(vertices: FloatArray, faces: IntArray) -> tuple[FloatArray, IntArray]:
    """One step of Loop's rule on a closed mesh."""
    edges, finer = _split_in_four(faces, len(vertices))
    sums, valence = _neighbour_sums(vertices, edges)
    weight = (0.625 - (0.375 + 0.25 * np.cos(2 * np.pi / valence)) ** 2) / valence
    old = (1 - valence * weight)[:, None] * vertices + weight[:, None] * sums
    # An edge's new vertex: 3/8 of its ends and 1/8 of the two corners opposite.
    middle = 0.375 * vertices[edges].sum(axis=1)
    sides = np.sort(faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
    number = {tuple(edge): index for index, edge in enumerate(edges.tolist())}
    which = np.array([number[tuple(side)] for side in sides.tolist()])
    np.add.at(middle, which, 0.125 * vertices[faces[:, [2, 0, 1]].ravel()])
    return np.concatenate([old, middle]), finer


def _loop_limit(vertices: FloatArray, faces: IntArray) -> FloatArray:
    """Where each vertex ends up after infinitely many steps, so that every level samples the same surface."""
    sides = np.sort(faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
    sums, valence = _neighbour_sums(vertices, np.unique(sides, axis=0))
    beta = (0.625 - (0.375 + 0.25 * np.cos(2 * np.pi / valence)) ** 2) / valence
    weight = 1 / (0.375 / beta + valence)
    return np.asarray((1 - valence * weight)[:, None] * vertices + weight[:, None] * sums)


def _neighbour_sums(vertices: FloatArray, edges: IntArray) -> tuple[FloatArray, FloatArray]:
    """The sum of each vertex's neighbours, and how many there are."""
    sums, valence = np.zeros_like(vertices), np.zeros(len(vertices))
    for one, other in ((0, 1), (1, 0)):
        np.add.at(sums, edges[:, one], vertices[edges[:, other]])
        np.add.at(valence, edges[:, one], 1)
    return sums, valence
