"""Stray pieces of parts, joined to what is around them."""

from __future__ import annotations

import numpy as np

from meshtide.arrays import BoolArray, FloatArray, IntArray
from meshtide.inference.expansion import Problem
from meshtide.inference.prices import sums


def without_islands(problem: Problem, areas: FloatArray, free: BoolArray, labels: IntArray, least: float) -> IntArray:
    """The labelling without connected pieces of a part that are smaller than `least`, (V,).

    Each goes to the neighbouring part that makes the energy lowest. A piece stays if it reaches beyond the free
    vertices, where it may go on, if it touches no other part, or if it is the largest of its part.
    """
    edges, prices = problem.edges, problem.prices
    while True:
        pieces, sizes, stray = _strays(edges, areas, free, labels, least)
        if len(stray) == 0:
            return labels
        # Of strays that touch, the smallest goes first; they could else change places for ever.
        rank = np.full(len(sizes), len(sizes), dtype=np.int64)
        rank[stray[np.lexsort((stray, sizes[stray]))]] = np.arange(len(stray))
        tail, head = pieces[edges].T
        apart = tail != head
        lowest = rank.copy()
        np.minimum.at(lowest, tail[apart], rank[head[apart]])
        np.minimum.at(lowest, head[apart], rank[tail[apart]])
        going = np.zeros(len(sizes), dtype=bool)
        going[stray] = (rank == lowest)[stray]
        mine = np.flatnonzero(going[pieces])
        number = np.cumsum(going) - 1
        count, parts = int(going.sum()), problem.unary.shape[1]
        loss = np.stack([sums(number[pieces[mine]], column[mine], count) for column in problem.unary.T], axis=1)
        beside = np.zeros(count * parts)
        for own, other in ((0, 1), (1, 0)):
            rim = apart & going[pieces[edges[:, own]]]
            place = number[pieces[edges[rim, own]]] * parts + labels[edges[rim, other]]
            beside += sums(place, prices[rim] + 1e-300, count * parts)
        touched = beside.reshape(count, parts)
        target = np.where(touched > 0, loss - touched, np.inf).argmin(axis=1)
        labels = labels.copy()
        labels[mine] = target[number[pieces[mine]]]


def _strays(
    edges: IntArray, areas: FloatArray, free: BoolArray, labels: IntArray, least: float
) -> tuple[IntArray, FloatArray, IntArray]:
    """The piece of each vertex, (V,), the area of each piece, and which pieces are stray."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    same = labels[edges[:, 0]] == labels[edges[:, 1]]
    inner, count = edges[same], len(labels)
    graph = coo_array((np.ones(len(inner), dtype=np.int8), (inner[:, 0], inner[:, 1])), shape=(count, count))
    number, found = connected_components(graph, directed=False)
    pieces: IntArray = found.astype(np.int64)
    sizes = sums(pieces, areas, number)
    goes_on = np.zeros(number, dtype=bool)
    goes_on[pieces[~free]] = True
    touches = np.zeros(number, dtype=bool)
    touches[pieces[edges[~same]].ravel()] = True
    part_of = np.zeros(number, dtype=np.int64)
    part_of[pieces] = labels
    # The largest of a part; a piece that goes on beyond the band is larger than what is seen of it.
    order = np.lexsort((sizes, goes_on, part_of))
    largest = order[np.append(part_of[order][1:] != part_of[order][:-1], True)]
    stray = (sizes < least) & ~goes_on & touches
    stray[largest] = False
    return pieces, sizes, np.flatnonzero(stray).astype(np.int64)
