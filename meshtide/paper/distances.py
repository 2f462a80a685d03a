"""How far nodes are from the nearest one that is learned from, in edges."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from meshtide.arrays import IntArray
from meshtide.errors import InputError
from meshtide.paper.bench import Bench
from meshtide.paper.node_tables import NODES
from meshtide.paper.printed import sections
from meshtide.paper.table import Cell, Found, Report


def distances(bench: Bench) -> Report:
    """The table of mean and largest distance, over the nodes that are not learned from."""
    section = sections()["distances"]
    cells: list[Cell] = []
    missing: dict[str, None] = {}
    for graph in bench.chosen(NODES):
        printed = [section.figure(row, graph) for row in ("mean", "most")]
        try:
            task = bench.graphs.task(graph)
        except InputError as error:
            missing[f"data not found: {error}"] = None
            cells += [
                Cell(graph, row, figure, note="no data") for row, figure in zip(("mean", "most"), printed, strict=True)
            ]
            continue
        steps = edges_to(task.edges, task.count, task.split().train)
        reached = steps[steps > 0]
        found = (float(reached.mean()), float(reached.max()))
        cells += [
            Cell(graph, row, figure, Found(value, None, 1))
            for row, figure, value in zip(("mean", "most"), printed, found, strict=True)
        ]
    notes = (
        "The paper's means are cut off after two digits, not rounded; that is where differences of 0.01 come from.",
        *missing,
    )
    return Report("distances", section.title, section.where, tuple(cells), notes=notes, judged=False)


def edges_to(edges: IntArray, count: int, nodes: IntArray) -> IntArray:
    """The number of edges from every node to the nearest of some nodes, (count,); -1 where there is no way.

    >>> edges_to(np.array([[0, 1], [1, 2], [3, 4]]), 5, np.array([0])).tolist()
    [0, 1, 2, -1, -1]
    """
    start, end = np.concatenate([edges, edges[:, ::-1]]).T
    adjacency: Any = sparse.csr_array((np.ones(len(start)), (start, end)), shape=(count, count))
    steps = np.full(count, -1)
    steps[nodes] = 0
    edge = np.zeros(count, dtype=np.int64)
    edge[nodes] = 1
    step = 0
    while edge.any():
        step += 1
        reached = (adjacency @ edge > 0) & (steps < 0)
        steps[reached] = step
        edge = reached.astype(np.int64)
    return steps
