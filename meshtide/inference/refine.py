"""Borders between parts, drawn where they are short and lie in hollows: a graph cut on a network's probabilities.

Every labelling l of the vertices of a surface of area one has the energy

    Σ_v area_v · -log p_v(l_v)  +  strength · Σ_uv length_uv · crease_uv · [l_u ≠ l_v]

The first sum approximates an integral over the surface. In the second, length_uv is that of the border between the
neighbours u and v, so the sum is the length of all borders; neither changes with the meshing or the unit. A border
costs less where the surface is hollow across it (crease_uv < 1): people divide shapes there, the "minima rule".

The energy is lowered by α-expansion (Boykov, Veksler, Zabih 2001): for one part after the other, the best set of
vertices to join it is found by one minimum cut. Two parts are divided optimally, more within a factor of two.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from meshtide.arrays import FloatArray, IntArray
from meshtide.errors import InputError
from meshtide.mesh.measure import face_normals, sums_at_vertices, triangle_areas, unit, unit_box
from meshtide.mesh.mesh import Mesh
from meshtide.mesh.topology import components, edges_with_uses, used_vertices

# Lengths are in units of the square root of the area: a human body's is some 1.3 m.
STRENGTH = 0.03
SMOOTHING = 0.02  # normals are averaged over this distance, so that noise and fine meshing make no creases
CREASE_RADIUS = 0.05  # where a hollow bends with this radius, a border costs exp(-1) of the way from 1 to the floor
CREASE_FLOOR = 0.2  # and no hollow makes a border cheaper than this
PROBABILITY_FLOOR = 1e-3  # networks are surer than they should be; one vertex must be outvoted by its neighbours
RINGS = 8  # how far around possible gains a cut looks at first
MOST_ROUNDS = 10
CAPACITY = 2**30  # the capacities of a cut add up to less than this: the solver counts in 32 bits


@dataclass(frozen=True, eq=False)
class _Problem:
    """The energy's terms: unary (V, P) and, for each edge (E, 2), the price (E,) of a border across it."""

    unary: FloatArray
    edges: IntArray
    prices: FloatArray

    @cached_property
    def reach(self) -> FloatArray:
        """The price of all edges of each vertex, (V,)."""
        return _at_ends(self.edges, self.prices, len(self.unary))

    def energy(self, labels: IntArray) -> float:
        """The energy of a labelling (V,)."""
        chosen = self.unary[np.arange(len(labels)), labels]
        apart = labels[self.edges[:, 0]] != labels[self.edges[:, 1]]
        return float(chosen.sum() + self.prices[apart].sum())


def refine(mesh: Mesh, probabilities: NDArray[np.float32], *, strength: float = STRENGTH) -> IntArray:
    """The part of every vertex, (V,), as probabilities (V, P) and short borders in hollows together want it.

    With strength 0 it is the most probable part; the larger, the shorter the borders. The energy is never higher than
    that of the most probable parts. Vertices that no face uses keep their most probable part.
    """
    problem = _problem(mesh, probabilities, strength)
    labels: IntArray = np.asarray(probabilities).argmax(axis=1)
    if strength == 0 or problem.unary.shape[1] == 1:
        return labels
    lowest, unchanged, part_count = problem.energy(labels), 0, problem.unary.shape[1]
    for move in range(MOST_ROUNDS * part_count):
        moved = _expand(problem, labels, move % part_count)
        energy = problem.energy(moved)
        # Capacities are whole numbers: a cut within their rounding may be a little worse, and is not taken.
        if energy < lowest:
            labels, lowest, unchanged = moved, energy, 0
        else:
            unchanged += 1
        if unchanged >= part_count:
            break
    return labels


def energy(mesh: Mesh, probabilities: NDArray[np.float32], labels: IntArray, strength: float = STRENGTH) -> float:
    """The energy of a labelling (V,), as the head of this module defines it."""
    return _problem(mesh, probabilities, strength).energy(np.asarray(labels))


def _problem(mesh: Mesh, probabilities: NDArray[np.float32], strength: float) -> _Problem:
    probabilities = np.asarray(probabilities)
    if probabilities.ndim != 2 or len(probabilities) != len(mesh.vertices) or probabilities.shape[1] == 0:
        raise InputError(
            f"{mesh.name}: probabilities {probabilities.shape} for {len(mesh.vertices):,} vertices; "
            "wanted one row for each vertex and one column for each part"
        )
    if not np.isfinite(probabilities).all():
        raise InputError(f"{mesh.name}: some probabilities are not finite numbers; did the training diverge?")
    if not (np.isfinite(strength) and strength >= 0):
        raise InputError(f"a strength of {strength}: wanted 0 (most probable parts) or more; {STRENGTH} is usual")
    surface = _surface(mesh)
    prices = strength * surface.lengths * _crease_factors(surface)
    surprise = -np.log(np.maximum(probabilities, PROBABILITY_FLOOR), dtype=np.float64)
    return _Problem(surface.areas[:, None] * surprise, surface.edges, prices)


@dataclass(frozen=True, eq=False)
class _Surface:
    """A mesh scaled to area one, with what integrals and borders on it need."""

    vertices: FloatArray  # (V, 3)
    faces: IntArray  # (F, 3)
    areas: FloatArray  # (V,) a third of the faces around each vertex
    edges: IntArray  # (E, 2)
    lengths: FloatArray  # (E,) of the border between the ends of an edge


def _surface(mesh: Mesh) -> _Surface:
    vertices = unit_box(mesh.vertices, mesh.faces)
    vertices = vertices / np.sqrt(triangle_areas(vertices, mesh.faces).sum())
    # Unused vertices may lie anywhere; at the origin they cannot overflow.
    vertices[~used_vertices(mesh.faces, len(vertices))] = 0
    areas = _sums(mesh.faces.ravel(), np.repeat(triangle_areas(vertices, mesh.faces) / 3, 3), len(vertices))
    edges, _ = edges_with_uses(mesh.faces, len(vertices))
    return _Surface(vertices, mesh.faces, areas, edges, _border_lengths(vertices, mesh.faces, edges))


def _border_lengths(vertices: FloatArray, faces: IntArray, edges: IntArray) -> FloatArray:
    """The length of the border between the ends of each edge, (E,).

    In each triangle it runs from the middle of the edge to the centroid: a third of the median. Unlike the distance of
    circumcentres this is never negative, and sound for slivers.
    """
    lengths = np.zeros(len(edges))
    codes = edges[:, 0] * len(vertices) + edges[:, 1]
    for a, b, c in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        ends = np.sort(faces[:, [a, b]], axis=1)
        real = ends[:, 0] != ends[:, 1]
        medians = np.linalg.norm((vertices[ends[:, 0]] + vertices[ends[:, 1]]) / 2 - vertices[faces[:, c]], axis=1)
        which = np.searchsorted(codes, (ends[:, 0] * len(vertices) + ends[:, 1])[real])
        lengths += _sums(which, medians[real] / 3, len(edges))
    return lengths


def _crease_factors(surface: _Surface) -> FloatArray:
    """What a border across each edge costs, from CREASE_FLOOR (deep hollow) to 1 (flat or bulging), (E,).

    The edge's normal curvature counts, (n_v - n_u)·(v - u) / |v - u|²: how the surface bends from the one part to the
    other. The dihedral angle at the edge would measure the bend across it, which is along the border.
    """
    normals = _smoothed_normals(surface)
    tail, head = surface.edges.T
    steps = surface.vertices[head] - surface.vertices[tail]
    turns = np.einsum("ex,ex->e", normals[head] - normals[tail], steps)
    squares = np.einsum("ex,ex->e", steps, steps)
    curvature = np.divide(turns, squares, out=np.zeros(len(turns)), where=squares > 0)
    return np.asarray(CREASE_FLOOR + (1 - CREASE_FLOOR) * np.exp(CREASE_RADIUS * np.minimum(curvature, 0)))


def _smoothed_normals(surface: _Surface) -> FloatArray:
    """Unit normals after heat flowed over the distance SMOOTHING: (A + SMOOTHING² L) n = A n₀, (V, 3)."""
    from scipy.sparse import coo_array, diags_array
    from scipy.sparse.linalg import cg

    (tail, head), count = surface.edges.T, len(surface.vertices)
    gaps = np.linalg.norm(surface.vertices[head] - surface.vertices[tail], axis=1)
    # A floor under the gap bounds what two coincident vertices exchange.
    flow = SMOOTHING**2 * surface.lengths / np.maximum(gaps, 1e-3 * surface.lengths.mean())
    mass = surface.areas + 1e-12  # unused vertices have no area; the equation stays regular
    diagonal, every = mass + _at_ends(surface.edges, flow, count), np.arange(count)
    rows, columns = np.concatenate([every, tail, head]), np.concatenate([every, head, tail])
    values = np.concatenate([diagonal, -flow, -flow])
    matrix = coo_array((values, (rows, columns)), shape=(count, count)).tocsr()
    scale = diags_array(1 / diagonal)
    start = unit(_outward_normals(surface))
    right = mass[:, None] * start
    return unit(np.stack([cg(matrix, right[:, x], start[:, x], rtol=1e-3, M=scale)[0] for x in range(3)], axis=1))


def _outward_normals(surface: _Surface) -> FloatArray:
    """Area-weighted normals of the vertices, (V, 3), not of length one; closed components inside out are turned.

    In a closed surface the normals add up to nothing, and the volume below the faces tells inside from outside. Where
    there are wide openings, the order of the faces' corners is all that says which side is meant.
    """
    normals, middles = face_normals(surface.vertices, surface.faces), surface.vertices[surface.faces].mean(axis=1)
    count, piece_of = components(surface.faces, len(surface.vertices))
    piece = piece_of[surface.faces[:, 0]]
    centres = _sums(piece, middles, count) / np.bincount(piece, minlength=count)[:, None]
    volumes = _sums(piece, np.einsum("fx,fx->f", normals, middles - centres[piece]), count)
    areas = _sums(piece, np.linalg.norm(normals, axis=1), count)
    closed = np.linalg.norm(_sums(piece, normals, count), axis=1) < 0.1 * areas
    normals *= np.where(closed & (volumes < 0), -1.0, 1.0)[piece, None]
    return sums_at_vertices(surface.faces, normals, len(piece_of))


def _sums(groups: IntArray, values: FloatArray, count: int) -> FloatArray:
    """The sum of the values (N,) or (N, 3) in each of `count` groups."""
    if values.ndim == 1:
        return np.asarray(np.bincount(groups, values, count), dtype=np.float64)
    return np.stack([_sums(groups, column, count) for column in values.T], axis=1)


def _expand(problem: _Problem, labels: IntArray, part: int) -> IntArray:
    """The labelling of lowest energy among those where any vertices have changed to `part`, all others not at all.

    Only the surroundings of those that would gain are looked at, and wider ones as long as the change fills them: a
    change far from any gain would have to pay for itself by the border of the hole that it fills. Whatever is left
    out, the labelling found is the best of those looked at, among them the present one.
    """
    (tail, head), prices = problem.edges.T, problem.prices
    gain = problem.unary[np.arange(len(labels)), labels] - problem.unary[:, part]  # (V,) what a change saves
    paid = labels[tail] != labels[head]
    relief = _at_ends(problem.edges[paid], prices[paid], len(labels))  # what borders can add to it, at most
    # Who would lose more than all its edges could save stays: leaving it out changes no optimum.
    able = (labels != part) & (gain + problem.reach > 0)
    around = able & (gain + relief > 0)
    rings = RINGS
    while around.any():
        around, fringe = _grown(problem.edges, around, able, rings)
        changed = _best_change(problem, labels, part, gain, around)
        if not (changed & fringe).any():
            return np.where(changed, part, labels)
        rings *= 2
    return labels


def _at_ends(edges: IntArray, values: FloatArray, count: int) -> FloatArray:
    """The sum of each vertex's edges' values, (V,)."""
    return _sums(edges[:, 0], values, count) + _sums(edges[:, 1], values, count)


def _grown(
    edges: IntArray, region: NDArray[np.bool_], within: NDArray[np.bool_], rings: int
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """The region with some rings of neighbours around it, and its fringe: those with a neighbour that is left out."""
    edges = edges[within[edges].all(axis=1)]
    region, fringe = region.copy(), np.zeros_like(region)
    for _ in range(rings):
        region[edges[region[edges].any(axis=1)]] = True
    fringe[edges[~region[edges].all(axis=1)]] = True
    return region, fringe & region


def _best_change(
    problem: _Problem, labels: IntArray, part: int, gain: FloatArray, free: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Which of the free vertices should change to `part`, all others staying what they are, (V,).

    With x_v = 1 where v changes, an edge's price is paid where x_u ≠ x_v if its ends have one part now, where x_v = 0
    if u has `part` already, and unless both change if the parts differ: price · (1 - x_v + (1 - x_u) x_v).
    """
    touching = free[problem.edges].any(axis=1)
    edges, prices = problem.edges[touching], problem.prices[touching]
    inner = free[edges].all(axis=1)
    same = labels[edges[:, 0]] == labels[edges[:, 1]]
    reached = (labels[edges] == part).any(axis=1)
    gain = gain + _at_ends(edges[reached], prices[reached], len(labels))
    held = same & ~inner
    gain -= _at_ends(edges[held], prices[held], len(labels))
    apart = inner & ~same
    gain += _sums(edges[apart, 1], prices[apart], len(labels))
    twice = inner & same
    arcs = np.concatenate([edges[inner], edges[twice][:, ::-1]])
    number = np.cumsum(free) - 1
    changed = np.zeros(len(labels), dtype=bool)
    changed[free] = _minimum_cut(gain[free], number[arcs], np.concatenate([prices[inner], prices[twice]]))
    return changed


def _minimum_cut(gain: FloatArray, arcs: IntArray, prices: FloatArray) -> NDArray[np.bool_]:
    """The smallest set x (N,) with the largest Σ gain_v x_v - Σ price_uv (1 - x_u) x_v over the arcs (A, 2)."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import breadth_first_order, maximum_flow

    count = len(gain)
    if not (gain > 0).any():
        return np.zeros(count, dtype=bool)
    source, sink = count, count + 1
    lose, win = np.flatnonzero(gain < 0), np.flatnonzero(gain > 0)
    start = np.concatenate([arcs[:, 0], np.full(len(lose), source), win])
    end = np.concatenate([arcs[:, 1], lose, np.full(len(win), sink)])
    capacity = np.concatenate([prices, -gain[lose], gain[win]])
    whole = np.rint(capacity * (CAPACITY / max(gain[win].sum(), capacity.max()))).clip(max=CAPACITY).astype(np.int32)
    network = coo_array((whole, (start, end)), shape=(count + 2, count + 2)).tocsr()
    flow = maximum_flow(network, source, sink).flow
    residual = (network - flow).tocsr()
    residual.eliminate_zeros()
    # What can still reach the sink lies behind the cut: the smallest such set, so ties change nothing.
    behind = breadth_first_order(residual.T.tocsr(), sink, return_predecessors=False)
    changed = np.zeros(count + 2, dtype=bool)
    changed[behind] = True
    return changed[:count]
