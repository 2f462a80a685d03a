"""The tables of node classification: which methods on which graphs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from meshtide.paper.bench import ACM, DECAYING_GCN, DIFFUSIONNET, GAT, GCN, GCNII, GRAND, Bench, Method, tide
from meshtide.paper.printed import sections
from meshtide.paper.table import Cell, Report

NODES = ("cora", "citeseer", "photo", "pubmed", "coauthor_cs", "computers", "ogbn-arxiv")
HETEROPHILIC = (
    *("texas", "cornell", "wisconsin", "chameleon", "actor"),
    *("genius", "twitch-gamers", "snap-patents"),
)
SMALL = ("cora", "citeseer")
CHOICES, FARTHER = (1, 2), (1, 2, 3)  # numbers of blocks; where features are missing, labels have far to go


def nodes(bench: Bench) -> Report:
    """Table 1."""
    others = [GCN, DECAYING_GCN, GAT, GRAND, GCNII, ACM, DIFFUSIONNET]
    methods = [tide("m", blocks=CHOICES), tide("s", blocks=CHOICES), *others]
    return _table(bench, "nodes", methods, NODES)


def zeroed(bench: Bench) -> Report:
    """Table 2."""
    methods = [tide("m", blocks=FARTHER), tide("s", blocks=FARTHER), GCN, GAT, GRAND, DIFFUSIONNET]
    return _table(bench, "zeroed", methods, NODES, zeroed=True)


def heterophily(bench: Bench) -> Report:
    """The table of heterophilic graphs; run i has the i-th of the ten splits that come with each."""
    methods = [tide("m", blocks=CHOICES), tide("s", blocks=CHOICES), GCN, GAT, GRAND, ACM, DIFFUSIONNET]
    return _table(bench, "heterophily", methods, HETEROPHILIC)


def residual(bench: Bench) -> Report:
    """The table of the residual connection; all of one block."""
    methods = [
        tide("m"),
        tide("m", row="tide-m-without-residual", label="TIDE-m without residual", residual=False),
        tide("s"),
        tide("s", row="tide-s-without-residual", label="TIDE-s without residual", residual=False),
        tide("m", row="without-diffusion", label="without diffusion", blocks=(0,)),
    ]
    return _table(bench, "residual", methods, NODES)


def implicit(bench: Bench) -> Report:
    """The table of implicit Euler steps."""
    methods = [
        tide("m", row="spectral", label="eigenbasis, as in the paper"),
        tide("m", row="implicit", label="implicit, as in the paper", method="implicit", heat="smoothing"),
        tide(
            "m",
            row="",
            label="implicit, times spread",
            method="implicit",
            heat="smoothing",
            beginning="spread",
            initial_times=(0.1, 50.0),
        ),
        tide(
            "s",
            row="",
            label="implicit, one time, from 3",
            method="implicit",
            heat="smoothing",
            beginning="spread",
            initial_times=(3.0, 3.0),
        ),
    ]
    return _table(bench, "implicit", methods, SMALL)


def splits(bench: Bench) -> Report:
    """Ten random splits instead of the one of the paper, so that the deviation is that of the data too."""
    methods = [tide("m"), tide("s"), GCN, DECAYING_GCN, GAT, GCNII, ACM]
    return _table(bench, "splits", methods, NODES[:-1], split="random")


def depth(bench: Bench) -> Report:
    """The table of 1 to 32 blocks."""
    section = sections()["depth"]
    cells: list[Cell] = []
    notes: dict[str, None] = {}
    for graph in bench.chosen(SMALL):
        for blocks in (1, 2) if bench.fast else (1, 8, 16, 32):
            both = (tide("m", blocks=(blocks,)), replace(GCN, blocks=(blocks,)))
            for method in bench.methods_of(both):
                cell = bench.cell(section, method, graph)
                printed = section.figure(method.row, f"{graph}-{blocks}")
                cells.append(Cell(f"{graph}, {blocks}", cell.row, printed, cell.found, ""))
                if cell.found is None:
                    notes[cell.note] = None
    return Report("depth", section.title, section.where, tuple(cells), notes=tuple(notes), judged=not bench.fast)


def _table(bench: Bench, name: str, methods: Sequence[Method], graphs: Sequence[str], **more: Any) -> Report:
    """Methods on graphs beside the section's figures; what is missing is said once a graph."""
    section = sections()[name]
    cells: list[Cell] = []
    missing: dict[str, str] = {}
    for graph in bench.chosen(graphs):
        for method in bench.methods_of(methods):
            cell = bench.cell(section, method, graph, **more)
            if cell.found is None:
                missing[graph] = f"{cell.note}"
                cell = Cell(graph, cell.row, cell.printed, note="no data")
            cells.append(cell)
    return Report(
        name, section.title, section.where, tuple(cells), notes=tuple(missing.values()), judged=not bench.fast
    )
