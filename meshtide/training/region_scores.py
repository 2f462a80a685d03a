"""How far two divisions of one mesh are apart: the measures of the Princeton segmentation benchmark.

A division is a number for each face; which number means nothing, only which faces share one. As in the benchmark
(Chen, Golovinskiy and Funkhouser, "A Benchmark for 3D Mesh Segmentation", 2009) every face counts the same, an error
of 0 is perfect agreement, and a mesh that several people divided is scored against each of them and then averaged.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import dijkstra

from meshtide.arrays import FloatArray, IntArray
from meshtide.errors import InputError
from meshtide.mesh.measure import triangle_areas
from meshtide.mesh.mesh import Mesh


@dataclass(frozen=True)
class RegionScore:
    """One division against others of the same mesh, averaged over them; all are errors, lower is better."""

    name: str
    rand: float  # 1 - Rand index: the share of pairs of faces that one joins and the other parts
    global_consistency: float  # 0 where one division merely refines the other
    local_consistency: float  # the same, deciding face by face which of the two refines
    cut_discrepancy: float  # mean distance between cuts in units of the mesh's mean radius; nan without cuts
    regions: int
    others: float  # the mean number of regions of the others


def score_regions(mesh: Mesh, regions: IntArray, others: Sequence[IntArray]) -> RegionScore:
    """Score a division of a mesh's faces against the divisions of one or several people."""
    if not others:
        raise InputError(f"{mesh.name}: has no other division to score against")
    for division in (regions, *others):
        if division.shape != (len(mesh.faces),):
            raise InputError(
                f"{mesh.name}: a division of {len(division):,} faces for {len(mesh.faces):,} faces; "
                "was it made for another mesh?"
            )
    tables = [_shared_faces(regions, other) for other in others]
    consistency = np.array([_consistency_errors(table) for table in tables])
    cuts = _Cuts(mesh)
    discrepancy = [cuts.discrepancy(regions, other) for other in others]
    known = [value for value in discrepancy if np.isfinite(value)]
    return RegionScore(
        mesh.name,
        float(np.mean([rand_error(regions, other) for other in others])),
        float(consistency[:, 0].mean()),
        float(consistency[:, 1].mean()),
        float(np.mean(known)) if known else float("nan"),
        len(np.unique(regions)),
        float(np.mean([len(np.unique(other)) for other in others])),
    )


def rand_error(one: IntArray, other: IntArray, weights: FloatArray | None = None) -> float:
    """The share of pairs of faces that one division joins and the other parts.

    Without weights every face counts the same, as in the Princeton benchmark; with the areas of the faces a pair counts
    for the product of its two.

    >>> rand_error(np.array([0, 0, 1, 1]), np.array([5, 5, 5, 7]))
    0.5
    """
    weights = np.ones(len(one)) if weights is None else weights
    return _rand_error(_shared_faces(one, other, weights), float((weights**2).sum()))


def agreement(divisions: Sequence[IntArray]) -> float:
    """The Rand error of each division against all others, averaged: how far people differ from each other."""
    pairs = [rand_error(a, b) for i, a in enumerate(divisions) for b in divisions[i + 1 :]]
    return float(np.mean(pairs)) if pairs else float("nan")


def mean_score(scores: Iterable[RegionScore], name: str = "mean") -> RegionScore:
    """The mean over meshes, each counting the same; meshes without cuts have no say in the cut discrepancy."""
    every = list(scores)
    if not every:
        raise InputError("no mesh was scored, so there is no mean")
    cuts = [score.cut_discrepancy for score in every if np.isfinite(score.cut_discrepancy)]
    return RegionScore(
        name,
        float(np.mean([score.rand for score in every])),
        float(np.mean([score.global_consistency for score in every])),
        float(np.mean([score.local_consistency for score in every])),
        float(np.mean(cuts)) if cuts else float("nan"),
        round(float(np.mean([score.regions for score in every]))),
        float(np.mean([score.others for score in every])),
    )


def _shared_faces(one: IntArray, other: IntArray, weights: FloatArray | None = None) -> FloatArray:
    """How many faces, or what weight of them, each region of one shares with each of the other, (regions, others)."""
    _, rows = np.unique(one, return_inverse=True)
    _, columns = np.unique(other, return_inverse=True)
    width = int(columns.max()) + 1
    counts = np.bincount(rows * width + columns, weights, minlength=(int(rows.max()) + 1) * width)
    return counts.reshape(-1, width).astype(np.float64)


def _rand_error(table: FloatArray, own: float) -> float:
    """From shared faces; `own` is what each face would count as a pair with itself, added up."""
    pairs = table.sum() ** 2 - own
    if not pairs > 0:
        return 0.0
    in_one, in_other = (table.sum(axis=1) ** 2).sum() - own, (table.sum(axis=0) ** 2).sum() - own
    both = (table**2).sum() - own
    return max(0.0, float((in_one + in_other - 2 * both) / pairs))


def _consistency_errors(table: FloatArray) -> tuple[float, float]:
    """The global and the local consistency error of two divisions, from how many faces their regions share."""
    faces = table.sum()
    rows, columns = table.sum(axis=1, keepdims=True), table.sum(axis=0, keepdims=True)
    # For a face in region r of one and c of the other: the part of r that lies outside of c, and the other way round.
    first, second = (rows - table) / rows, (columns - table) / columns
    overall = min(float((table * first).sum()), float((table * second).sum())) / faces
    local = float((table * np.minimum(first, second)).sum()) / faces
    return overall, local


class _Cuts:
    """Cuts of a mesh as sets of vertices, and how far they lie apart along its edges."""

    def __init__(self, mesh: Mesh) -> None:
        self.faces = mesh.faces
        self.pairs, self.ends = _inner_edges(mesh.faces, len(mesh.vertices))
        edges = mesh.edges()
        lengths = np.linalg.norm(mesh.vertices[edges[:, 0]] - mesh.vertices[edges[:, 1]], axis=1)
        # Edges of no length would vanish from a sparse matrix.
        lengths = np.maximum(lengths, 1e-12 * max(float(lengths.max()), 1e-300))
        count = len(mesh.vertices)
        self.graph = coo_array((lengths, (edges[:, 0], edges[:, 1])), shape=(count, count)).tocsr()
        self.lengths = np.linalg.norm(mesh.vertices[self.ends[:, 0]] - mesh.vertices[self.ends[:, 1]], axis=1)
        self.radius = _mean_radius(mesh)

    def discrepancy(self, one: IntArray, other: IntArray) -> float:
        """The mean distance from the cuts of one to those of the other and back, in mean radii."""
        first, second = self._on_cut(one), self._on_cut(other)
        if not first.any() or not second.any():
            return float("nan")
        return (self._distance(first, second) + self._distance(second, first)) / self.radius

    def _on_cut(self, division: IntArray) -> np.ndarray:
        return np.asarray(division[self.pairs[:, 0]] != division[self.pairs[:, 1]])

    def _distance(self, start: np.ndarray, goal: np.ndarray) -> float:
        """The mean distance of the edges of one cut from another cut, weighted by their lengths."""
        sources = np.unique(self.ends[goal])
        away = dijkstra(self.graph, directed=False, indices=sources, min_only=True)
        middle = away[self.ends[start]].mean(axis=1)
        reached = np.isfinite(middle)  # pieces of a mesh that no cut of the other touches have no distance to it
        weight = self.lengths[start][reached]
        return float(weight @ middle[reached] / weight.sum()) if weight.sum() > 0 else 0.0


def _inner_edges(faces: IntArray, vertex_count: int) -> tuple[IntArray, IntArray]:
    """Pairs of faces that share an edge, (E, 2), and the two vertices of that edge, (E, 2)."""
    sides = np.sort(faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
    owner = np.repeat(np.arange(len(faces)), 3)
    codes = sides[:, 0] * vertex_count + sides[:, 1]
    order = np.argsort(codes, kind="stable")
    same = np.flatnonzero(codes[order][1:] == codes[order][:-1])
    return np.stack([owner[order[same]], owner[order[same + 1]]], axis=1), sides[order[same]]


def _mean_radius(mesh: Mesh) -> float:
    """The mean distance of the surface from its centroid."""
    areas = triangle_areas(mesh.vertices, mesh.faces)
    centres = mesh.vertices[mesh.faces].mean(axis=1)
    centroid = areas @ centres / areas.sum()
    return float(areas @ np.linalg.norm(centres - centroid, axis=1) / areas.sum())
