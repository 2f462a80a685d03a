"""What speaks for or against two patches being of one part.

Every cue is a number for a pair of patches that stays the same when the two are exchanged, and when the shape is
turned, mirrored or scaled.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import dijkstra

from meshtide.arrays import FloatArray, IntArray
from meshtide.inference.regions.inputs import Prepared
from meshtide.mesh.winding import neighbours
from meshtide.spectral.thickness import FAR

LOST = 1e3  # a cost above all others: no way along the surface


@dataclass(frozen=True, eq=False)
class Patches:
    """Patches of a surface and the graph of those that touch."""

    of_face: IntArray  # (f,)
    masses: FloatArray  # (n,) shares of the area
    centres: FloatArray  # (n, 3)
    normals: FloatArray  # (n, 3) mean, shorter than one where the patch bends
    middles: FloatArray  # (n, 3) half way through the body
    points: FloatArray  # (n, D) mean embedding
    thickness: FloatArray  # (n,) mean logarithm
    hits: FloatArray  # (n,)
    edges: IntArray  # (e, 2) patches that touch or are bridged
    borders: FloatArray  # (e,) how long the border is; 0 for bridges
    hollows: FloatArray  # (e,) mean concave angle along it
    ridges: FloatArray  # (e,) mean convex angle
    jumps: FloatArray  # (e,) mean step of the embedding across it
    gaps: FloatArray  # (e,) of bridges; 0 where patches share an edge

    @property
    def count(self) -> int:
        """The number of patches."""
        return len(self.masses)


def describe_patches(prepared: Prepared, points: FloatArray, of_face: IntArray) -> Patches:
    """Gather what cues need of every patch and of every two that touch, given the faces' embedding (f, D)."""
    surface, thickness = prepared.surface, prepared.thickness
    count = int(of_face.max()) + 1
    masses = _sums(of_face, surface.areas, count)
    depth = np.where(thickness.lengths < FAR, thickness.lengths, 0.0) / 2
    columns = np.concatenate([
        surface.centres, surface.normals, surface.centres - depth[:, None] * surface.normals, points,
        np.log(thickness.lengths)[:, None], thickness.hits[:, None],
    ], axis=1)  # fmt: skip
    membership = sparse.csr_array((surface.areas, (of_face, np.arange(len(of_face)))), shape=(count, len(of_face)))
    means = (membership @ columns) / masses[:, None]
    return Patches(
        of_face, masses, means[:, :3], means[:, 3:6], means[:, 6:9], means[:, 9:-2], means[:, -2], means[:, -1],
        *_between(prepared, points, of_face, count),
    )  # fmt: skip


def _between(
    prepared: Prepared, points: FloatArray, of_face: IntArray, count: int
) -> tuple[IntArray, FloatArray, FloatArray, FloatArray, FloatArray, FloatArray]:
    """The last six entries of Patches: which touch or are bridged, and what their borders are like."""
    surface, links = prepared.surface, prepared.links
    pairs, ends, _ = neighbours(surface.faces, len(surface.vertices))
    crossing = of_face[pairs[:, 0]] != of_face[pairs[:, 1]]
    pairs, ends = pairs[crossing], ends[crossing]
    away = of_face[links.faces[:, 0]] != of_face[links.faces[:, 1]]
    bridges, gaps = links.faces[away], links.gaps[away]
    codes, edge_of = np.unique(_codes(of_face[np.concatenate([pairs, bridges])], count), return_inverse=True)
    on_border, on_bridge, number = edge_of[: len(pairs)], edge_of[len(pairs) :], len(codes)
    lengths = np.linalg.norm(surface.vertices[ends[:, 0]] - surface.vertices[ends[:, 1]], axis=1) + 1e-9
    angles = bends(surface.centres, surface.normals, pairs)
    border = _sums(on_border, lengths, number)

    def along(values: FloatArray) -> FloatArray:
        return _sums(on_border, lengths * values, number) / np.maximum(border, 1e-12)

    nearest = np.full(number, LOST)
    np.minimum.at(nearest, on_bridge, gaps)
    across = np.linalg.norm(points[bridges[:, 0]] - points[bridges[:, 1]], axis=1)
    bridged = _sums(on_bridge, across, number) / np.maximum(np.bincount(on_bridge, minlength=number), 1)
    jumps = along(np.linalg.norm(points[pairs[:, 0]] - points[pairs[:, 1]], axis=1))
    return (
        np.stack(np.divmod(codes, count), axis=1), border, along(np.maximum(-angles, 0)), along(np.maximum(angles, 0)),
        np.where(border > 0, jumps, bridged), np.where(border > 0, 0.0, nearest),
    )  # fmt: skip


def bends(centres: FloatArray, normals: FloatArray, pairs: IntArray) -> FloatArray:
    """The angle between the normals of two faces each, (N,): positive on a ridge, negative in a hollow."""
    one, other = pairs.T
    sine = np.linalg.norm(np.cross(normals[one], normals[other]), axis=1)
    cosine = np.einsum("nx,nx->n", normals[one], normals[other])
    rise = np.einsum("nx,nx->n", normals[other] - normals[one], centres[other] - centres[one])
    return np.asarray(np.arctan2(sine, cosine) * np.sign(rise))


def pair_cues(prepared: Prepared, patches: Patches, scale: float) -> tuple[NDArray[np.float32], IntArray, IntArray]:
    """All cues of all pairs i < j, (pairs, CUES), with i and j; `scale` brings embedded distances to logits."""
    i, j = np.triu_indices(patches.count, 1)
    half = patches.points.shape[1] // 2
    numbers = _distances(patches.points[:, :half]) * scale
    arrows = _distances(patches.points[:, half:]) * scale
    apart = np.sqrt(numbers**2 + arrows**2)
    matrices = [
        numbers, arrows, apart, _mean_linkage(apart), *_of_ways(patches, apart, scale), *_of_places(prepared, patches),
        *_of_sizes(patches, apart),
    ]  # fmt: skip
    cues = np.stack([np.clip(matrix[i, j], -50, 50) for matrix in matrices], axis=1)
    return np.nan_to_num(cues).astype(np.float32), i, j


def _of_ways(patches: Patches, apart: FloatArray, scale: float) -> list[FloatArray]:
    """What has to be crossed on the way from one patch to the other."""
    a, b = patches.edges.T
    step = patches.centres[b] - patches.centres[a]
    length = np.maximum(np.linalg.norm(step, axis=1), 1e-6)
    bend = np.einsum("ex,ex->e", patches.normals[b] - patches.normals[a], step) / length
    straight, walk = _distances(patches.centres), _shortest(patches, length)
    return [
        _bottleneck(patches, apart[a, b]),
        _bottleneck(patches, patches.jumps * scale),
        _bottleneck(patches, np.maximum(-bend, 0)),
        _bottleneck(patches, np.maximum(bend, 0)),
        _bottleneck(patches, patches.hollows),
        _bottleneck(patches, patches.ridges),
        np.minimum(_bottleneck(patches, patches.gaps), 0.3),
        _bottleneck(patches, np.abs(patches.thickness[a] - patches.thickness[b])),
        _shortest(patches, apart[a, b] + 1e-6),
        _shortest(patches, np.maximum(-bend, 0) + 1e-6),
        straight, walk, walk / np.maximum(straight, 1e-3),
    ]  # fmt: skip


def _of_places(prepared: Prepared, patches: Patches) -> list[FloatArray]:
    """How two patches lie to each other, and whether they see each other through the body."""
    sight = _sight(prepared, patches)
    toward = np.einsum("nx,nmx->nm", patches.normals, patches.centres[None] - patches.centres[:, None])
    toward = toward / np.maximum(_distances(patches.centres), 1e-6)
    return [
        _distances(patches.middles), sight, _alike(sight, patches.masses),
        patches.normals @ patches.normals.T, (toward + toward.T) / 2, np.minimum(toward, toward.T),
    ]  # fmt: skip


def _of_sizes(patches: Patches, apart: FloatArray) -> list[FloatArray]:
    """How thick and how large two patches are, alone and with all that is near them in the embedding."""
    thickness, hits, masses = patches.thickness, patches.hits, patches.masses
    reach = 1 / (1 + np.exp(np.clip(apart - 3.0, -30, 30))) @ masses
    a, b = patches.edges.T
    touch = np.zeros((patches.count, patches.count))
    touch[a, b] = touch[b, a] = patches.borders / np.sqrt(np.minimum(masses[a], masses[b]))
    return [
        np.abs(thickness[:, None] - thickness), (thickness[:, None] + thickness) / 2, (hits[:, None] + hits) / 2,
        np.log(np.maximum(masses[:, None], masses)), np.log(np.minimum(masses[:, None], masses)),
        np.log(np.maximum(reach[:, None], reach)), np.log(np.minimum(reach[:, None], reach)),
        touch,
    ]  # fmt: skip


CUES = 31


def later_cues(patches: Patches, logits: FloatArray) -> FloatArray:
    """What the others say of a pair, from first logits of all pairs (n, n): (n, n, LATER_CUES)."""
    likely = 1 / (1 + np.exp(-logits))
    np.fill_diagonal(likely, 1.0)
    a, b = patches.edges.T
    way = -_bottleneck(patches, 20 - logits[a, b]) + 20  # the likeliest way's least likely step
    weighted = likely * patches.masses
    size = weighted.sum(axis=1)
    alike = (weighted @ likely.T) / np.sqrt(np.outer((weighted * likely).sum(axis=1), (weighted * likely).sum(axis=1)))
    agreed = (weighted @ likely.T) / np.maximum(np.maximum(size[:, None], size), 1e-9)
    return np.stack([
        logits, way, alike, agreed, np.log(np.maximum(size[:, None], size)), np.log(np.minimum(size[:, None], size))
    ], axis=2)  # fmt: skip


LATER_CUES = 6


def _sums(groups: IntArray, values: FloatArray, count: int) -> FloatArray:
    """The sum of the values (N,) in each of `count` groups."""
    return np.asarray(np.bincount(groups, values, count), dtype=np.float64)


def _codes(pairs: IntArray, count: int) -> IntArray:
    return np.asarray(pairs.min(axis=1) * count + pairs.max(axis=1))


def _distances(points: FloatArray) -> FloatArray:
    squares = (points**2).sum(axis=1)
    return np.asarray(np.sqrt(np.maximum(squares[:, None] + squares - 2 * points @ points.T, 0.0)))


def _bottleneck(patches: Patches, costs: FloatArray) -> FloatArray:
    """The dearest step of the way between two patches whose dearest step is cheapest, (n, n)."""
    from scipy.cluster.hierarchy import cophenet, single
    from scipy.spatial.distance import squareform

    if patches.count < 3:
        result = np.zeros((patches.count, patches.count))
        result[patches.edges[:, 0], patches.edges[:, 1]] = result[patches.edges[:, 1], patches.edges[:, 0]] = costs
        return result
    matrix = np.full((patches.count, patches.count), LOST)
    matrix[patches.edges[:, 0], patches.edges[:, 1]] = costs
    matrix[patches.edges[:, 1], patches.edges[:, 0]] = costs
    upper = matrix[np.triu_indices(patches.count, 1)]
    return np.asarray(squareform(cophenet(single(upper))))


def _mean_linkage(apart: FloatArray) -> FloatArray:
    """The height at which two patches meet in the tree of mean linkage, (n, n)."""
    from scipy.cluster.hierarchy import average, cophenet
    from scipy.spatial.distance import squareform

    if len(apart) < 3:
        return apart
    return np.asarray(squareform(cophenet(average(apart[np.triu_indices(len(apart), 1)]))))


def _shortest(patches: Patches, costs: FloatArray) -> FloatArray:
    """The least sum of costs along a way between two patches, (n, n)."""
    shape = (patches.count, patches.count)
    graph = sparse.csr_array((costs, (patches.edges[:, 0], patches.edges[:, 1])), shape=shape)
    found = dijkstra(graph, directed=False)
    return np.where(np.isfinite(found), found, LOST)


def _sight(prepared: Prepared, patches: Patches) -> FloatArray:
    """How far the middles of two patches see towards each other through the body, 1 if all the way, (n, n)."""
    i, j = np.triu_indices(patches.count, 1)
    way = patches.middles[j] - patches.middles[i]
    length = np.linalg.norm(way, axis=1)
    unit = way / np.maximum(length, 1e-9)[:, None]
    result = np.eye(patches.count)
    free = prepared.inside.distances(patches.middles[i], unit, most=10.0)
    result[i, j] = result[j, i] = np.where(length > 1e-6, np.minimum(free / np.maximum(length, 1e-6), 1.0), 1.0)
    return result


def _alike(sight: FloatArray, masses: FloatArray) -> FloatArray:
    """How much of what either patch sees both see, (n, n)."""
    seen = (sight > 0.98) * np.sqrt(masses)
    both = seen @ seen.T
    own = both.diagonal()
    return np.asarray(both / np.maximum(own[:, None] + own - both, 1e-9))
