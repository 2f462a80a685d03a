"""The labelling of a graph with the least energy, by α-expansion (Boykov, Veksler, Zabih 2001).

For some parts at a time, the best set of vertices to join each is found by one minimum cut. Parts whose vertices do not
touch share a cut: the cut falls apart into one for each. Two parts are divided optimally, more within a factor of two.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from meshtide.arrays import BoolArray, FloatArray, IntArray
from meshtide.inference.prices import at_ends, sums

MOST_ROUNDS = 10
CAPACITY = 2**30  # the capacities of a cut add up to less than this: the solver counts in 32 bits


@dataclass(frozen=True, eq=False)
class Problem:
    """The energy's terms: unary (V, P) and, for each edge (E, 2), the price (E,) of a border across it."""

    unary: FloatArray
    edges: IntArray
    prices: FloatArray

    @cached_property
    def reach(self) -> FloatArray:
        """The price of all edges of each vertex, (V,)."""
        return at_ends(self.edges, self.prices, len(self.unary))

    def energy(self, labels: IntArray) -> float:
        """The energy of a labelling (V,)."""
        chosen = self.unary[np.arange(len(labels)), labels]
        apart = labels[self.edges[:, 0]] != labels[self.edges[:, 1]]
        return float(chosen.sum() + self.prices[apart].sum())


def lowered(problem: Problem, labels: IntArray, allowed: BoolArray) -> IntArray:
    """A labelling of lower energy, or the same, where each vertex has kept its part or has one it is allowed, (V, P).

    No set of vertices could change to one part for the better, as far as whole capacities can tell.
    """
    targets = [_targets(allowed, parts) for parts in _apart(problem.edges, allowed)]
    lowest, unchanged = problem.energy(labels), 0
    for move in range(MOST_ROUNDS * len(targets)):
        moved = _expanded(problem, labels, targets[move % len(targets)])
        # Capacities are whole numbers: a cut within their rounding may be a little worse, and is not taken.
        if moved is not None and (energy := problem.energy(moved)) < lowest:
            labels, lowest, unchanged = moved, energy, 0
        else:
            unchanged += 1
        if unchanged >= len(targets):
            break
    return labels


def _apart(edges: IntArray, allowed: BoolArray) -> list[list[int]]:
    """All parts in few groups; in a group no vertex may have two of the parts, nor may neighbours have different."""
    from scipy.sparse import coo_array

    ones, count = np.ones(len(edges), dtype=np.float32), len(allowed)
    joined = coo_array((ones, (edges[:, 0], edges[:, 1])), shape=(count, count)).tocsr()
    zones = allowed.astype(np.float32)
    meets = zones.T @ zones + zones.T @ (joined @ zones)
    meets = (meets + meets.T) > 0
    groups: list[list[int]] = []
    for part in np.flatnonzero(allowed.any(axis=0)).tolist():
        fitting = next((group for group in groups if not meets[part, group].any()), None)
        if fitting is None:
            groups.append([part])
        else:
            fitting.append(part)
    return groups


def _targets(allowed: BoolArray, parts: list[int]) -> IntArray:
    """The one of these parts that each vertex may change to, -1 for none, (V,)."""
    result = np.full(len(allowed), -1, dtype=np.int64)
    for part in parts:
        result[allowed[:, part]] = part
    return result


def _expanded(problem: Problem, labels: IntArray, targets: IntArray) -> IntArray | None:
    """The best labelling where any vertices have changed to their targets; None where no vertex could gain."""
    (tail, head), prices, count = problem.edges.T, problem.prices, len(labels)
    able = np.flatnonzero((targets >= 0) & (targets != labels))
    gain = np.full(count, -np.inf)  # what a change saves
    gain[able] = problem.unary[able, labels[able]] - problem.unary[able, targets[able]]
    paid = labels[tail] != labels[head]
    relief = at_ends(problem.edges[paid], prices[paid], count)  # what borders can add to it, at most
    # Who would lose more than all its edges could save stays: leaving it out changes no optimum.
    free = gain + problem.reach > 0
    if not (free & (gain + relief > 0)).any():
        return None
    return np.where(_best_change(problem, labels, targets, gain, free), targets, labels)


def _best_change(problem: Problem, labels: IntArray, targets: IntArray, gain: FloatArray, free: BoolArray) -> BoolArray:
    """Which of the free vertices should change to their targets, all others staying what they are, (V,).

    With x_v = 1 where v changes, an edge between two free vertices, which have one target, is paid where x_u ≠ x_v, and
    if their parts differ also where neither changes: price · (1 - x_v + (1 - x_u) x_v). An edge with one free end is
    paid where the parts of its ends differ in the end.
    """
    gain, count = np.where(free, gain, 0.0), len(labels)
    touching = free[problem.edges].any(axis=1)
    edges, prices = problem.edges[touching], problem.prices[touching]
    ends_free = free[edges]
    inner = ends_free.all(axis=1)
    for own, other in ((0, 1), (1, 0)):
        rim = ends_free[:, own] & ~ends_free[:, other]
        mine, fixed = edges[rim, own], labels[edges[rim, other]]
        saved = (labels[mine] != fixed) * 1.0 - (targets[mine] != fixed)
        gain += sums(mine, saved * prices[rim], count)
    same = labels[edges[:, 0]] == labels[edges[:, 1]]
    apart, twice = inner & ~same, inner & same
    gain += sums(edges[apart, 1], prices[apart], count)
    arcs = np.concatenate([edges[inner], edges[twice][:, ::-1]])
    number = np.cumsum(free) - 1
    changed = np.zeros(count, dtype=bool)
    changed[free] = minimum_cut(gain[free], number[arcs], np.concatenate([prices[inner], prices[twice]]))
    return changed


def minimum_cut(gain: FloatArray, arcs: IntArray, prices: FloatArray) -> BoolArray:
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
