"""What each network costs: preparing a graph, a training step, an answer; all in one process, one after the other.

Seconds are those of the processor, which other work on the machine does not lengthen as it does those of a clock.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from scipy.sparse.linalg import eigs
from threadpoolctl import threadpool_limits
from torch import nn

from meshtide.arrays import IntArray
from meshtide.data.nodes.task import Features
from meshtide.errors import InputError
from meshtide.networks.graph import MeshGraph
from meshtide.networks.node_graph import graph_from_edges
from meshtide.networks.registry import build_network
from meshtide.paper.bench import ACM, DIFFUSIONNET, GAT, GCN, GCNII, GRAND, Bench, Method, tide
from meshtide.paper.printed import Printed, sections
from meshtide.paper.table import Cell, Found, Report
from meshtide.paper.trial import EIGENPAIRS
from meshtide.spectral.spectrum import graph_operator

ARXIV = "arxiv"  # a generated graph of the size of ogbn-arxiv
ARXIV_NODES, ARXIV_EDGES, ARXIV_CHANNELS, ARXIV_CLASSES = 169_343, 1_166_243, 128, 40
PARTS = ("preparing", "training step", "answer")
REPEATS = 5


@dataclass(frozen=True, eq=False)
class Setting:
    """A graph to measure on."""

    name: str
    graph: MeshGraph
    classes: int
    preparing: float  # seconds for the eigenbasis
    eigs: float | None  # seconds for the authors' call; None where it was not made


def cost(bench: Bench) -> Report:
    """Table 4, in seconds on this machine; the paper's are on an A100, so that only ratios compare."""
    section = sections()["cost"]
    cells: list[Cell] = []
    notes = ["The paper measured on a GPU; these are seconds of one thread of a CPU. Compare networks, not machines."]
    graph_from_edges([[0, 1]], np.eye(2), eigenpairs=1)  # so that no library is loaded while a clock runs
    methods = bench.methods_of([tide("m"), tide("s"), GCN, GAT, GRAND, GCNII, ACM, DIFFUSIONNET])
    for name in bench.chosen(("cora", "coauthor_cs", ARXIV)):
        try:
            setting = _setting(bench, name)
        except InputError as error:
            notes.append(f"data not found: {error}")
            continue
        steps: dict[str, float] = {}
        for method in methods:
            bench.told(f"{name}: {method.label}")
            preparing = setting.preparing if method.network.startswith(("tide", "diffusionnet")) else 0.0
            found = (preparing, *_measured(setting, method))
            steps[method.network] = found[1]
            printed = section.figures.get(method.row, {}).get(name)
            cells += [
                Cell(
                    name,
                    f"{method.label}, {part}",
                    Printed(printed[place]) if printed else None,
                    Found(found[place], None, REPEATS),
                )
                for place, part in enumerate(PARTS)
                if found[place] or (printed and printed[place])
            ]
        notes += _ratios(setting, steps)
    return Report("cost", section.title, section.where, tuple(cells), notes=tuple(notes), digits=4, judged=False)


def _ratios(setting: Setting, steps: dict[str, float]) -> list[str]:
    """What the project promises of TIDE's speed, as measured."""
    said = []
    reference = geometric_step(setting)
    if reference is not None and "tide-m" in steps:
        said.append(
            f"{setting.name}: a training step of torch_geometric's GCN takes {reference:.4f} s, "
            f"{reference / steps['tide-m']:.2f} times as long as TIDE-m's."
        )
    if setting.eigs is not None:
        said.append(
            f"{setting.name}: the authors' call of eigs takes {setting.eigs:.2f} s, "
            f"{setting.eigs / setting.preparing:.1f} times as long as our eigenbasis ({setting.preparing:.2f} s)."
        )
    return said


def _setting(bench: Bench, name: str) -> Setting:
    """A graph with the time that preparing it took, by us and by the authors' call."""
    if name == ARXIV:
        nodes, edges = (2_000, 14_000) if bench.fast else (ARXIV_NODES, ARXIV_EDGES)
        pairs, classes = generated_edges(nodes, edges), ARXIV_CLASSES
        features: Features = np.random.default_rng(1).normal(size=(nodes, ARXIV_CHANNELS)).astype(np.float32)
    else:
        task = bench.graphs.task(name)
        pairs, features, classes = task.edges, task.features, len(task.classes)
    graph, seconds = _timed(lambda: graph_from_edges(pairs, features, eigenpairs=EIGENPAIRS, name=name))
    return Setting(name, graph, classes, seconds, _timed(lambda: authors_eigs(graph))[1])


def authors_eigs(graph: MeshGraph) -> Any:
    """The published code's call for the eigenpairs: the largest by magnitude, of a matrix not said to be symmetric."""
    pairs = graph.edges.T.numpy()
    matrix: Any = graph_operator(pairs, graph.num_vertices).matrix  # scipy's types know few of what eigs takes
    return eigs(matrix.tocsr(), k=min(EIGENPAIRS, graph.num_vertices - 2), which="LM")


def generated_edges(nodes: int, count: int) -> IntArray:
    """A connected graph whose degrees are as uneven as those of a citation graph: each node cites earlier ones."""
    random = np.random.default_rng(0)
    source = np.concatenate([np.arange(1, nodes), random.integers(1, nodes, count)])
    # Squaring a share prefers early nodes, which become the hubs.
    target = (random.random(len(source)) ** 2 * source).astype(np.int64)
    keys = np.unique(np.maximum(source, target) * nodes + np.minimum(source, target))
    pairs = np.stack([keys // nodes, keys % nodes], axis=1)
    spare = random.permutation(np.arange(nodes - 1, len(pairs)))[: max(len(pairs) - count, 0)]
    return np.asarray(np.delete(pairs, spare, axis=0))


def _measured(setting: Setting, method: Method) -> tuple[float, float]:
    """Seconds of a training step and of an answer, the median of several."""
    torch.manual_seed(0)
    options = dict(method.options) | ({"blocks": method.blocks[0]} if method.blocks else {})
    network = build_network(method.network, setting.graph.num_channels, setting.classes, operator="graph", **options)
    module: Any = network
    return _steps(lambda: module(setting.graph), module, setting)


def _steps(forward: Callable[[], torch.Tensor], module: nn.Module, setting: Setting) -> tuple[float, float]:
    targets = torch.arange(setting.graph.num_vertices) % setting.classes
    optimiser = torch.optim.Adamax(module.parameters(), lr=0.01)

    def step() -> None:
        module.train()
        optimiser.zero_grad(set_to_none=True)
        loss = nn.functional.cross_entropy(forward(), targets)
        loss.backward()  # type: ignore[no-untyped-call]  # torch has no types here
        optimiser.step()

    def answer() -> None:
        module.eval()
        with torch.no_grad():
            forward()

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        step()  # what is kept for later is made in the first
        answer()
        return _median(step), _median(answer)
    finally:
        torch.set_num_threads(threads)


def geometric_step(setting: Setting) -> float | None:
    """Seconds of a training step of torch_geometric's GCN on the same graph; None where it is not installed."""
    try:
        from torch_geometric.nn import GCNConv
    except ImportError:
        return None

    class Reference(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first = GCNConv(setting.graph.num_channels, 64, cached=True)
            self.second = GCNConv(64, setting.classes, cached=True)

        def forward(self, x: torch.Tensor, edges: torch.Tensor) -> torch.Tensor:
            hidden = nn.functional.dropout(torch.relu(self.first(x, edges)), 0.5, self.training)
            result: torch.Tensor = self.second(hidden, edges)
            return result

    graph = setting.graph
    edges = torch.cat([graph.edges, graph.edges.flip(0)], dim=1)
    module = Reference()
    return _steps(lambda: module(graph.features, edges), module, setting)[0]


def _median(action: Callable[[], None]) -> float:
    return statistics.median(_timed(action)[1] for _ in range(REPEATS))


def _timed(action: Callable[[], Any]) -> tuple[Any, float]:
    started = time.process_time()
    with threadpool_limits(limits=1):
        result = action()
    return result, time.process_time() - started
