"""What dropout costs in a training step of TIDE: meshtide's own, torch's and none, CPU seconds on one thread.

    python tests/benchmarks/dropout.py

The three take turns within one run, so that a busy machine slows all of them alike; only the ratio means anything.
"""

from __future__ import annotations

import statistics
import sys
import time
from pathlib import Path

import torch
from torch import nn

sys.path.insert(0, str(Path(__file__).parents[1] / "helpers"))

from shapes import figure

from meshtide.networks.graph import MeshGraph, mesh_graph
from meshtide.networks.tide import TideNet

KINDS, PARTS = ("meshtide's", "torch's", "none"), 8


def network(kind: str, graph: MeshGraph, gradients: bool) -> TideNet:
    torch.manual_seed(0)
    built = TideNet(graph.num_channels, PARTS, dropout=0.5, gradients=gradients)
    for block in built.blocks:
        if kind != "meshtide's":
            block.mlp[2] = nn.Dropout(0.5) if kind == "torch's" else nn.Identity()
    return built.train()


def step_seconds(graph: MeshGraph, targets: torch.Tensor, gradients: bool, rounds: int) -> dict[str, float]:
    """The median of a whole step (forward, backward, AdamW) of each kind."""
    networks = {kind: network(kind, graph, gradients) for kind in KINDS}
    optimisers = {kind: torch.optim.AdamW(each.parameters()) for kind, each in networks.items()}
    seconds: dict[str, list[float]] = {kind: [] for kind in KINDS}
    for _ in range(rounds):
        for kind in KINDS:
            start = time.thread_time()
            optimisers[kind].zero_grad()
            nn.functional.cross_entropy(networks[kind](graph), targets).backward()
            optimisers[kind].step()
            seconds[kind].append(time.thread_time() - start)
    return {kind: statistics.median(values) for kind, values in seconds.items()}


def main() -> None:
    torch.set_num_threads(1)
    graph = mesh_graph(figure(3)[0], extras=("gradients",))
    targets = torch.randint(PARTS, (graph.num_vertices,))
    some = torch.randperm(graph.num_vertices)[:1000]
    print(f"{'vertices':>8} {'gradients':>9} " + " ".join(f"{kind + ' ms':>13}" for kind in KINDS) + "  torch's/ours")
    for view, wanted, rounds in ((graph, targets, 21), (graph.sampled(some), targets[some], 101)):
        for gradients in (False, True):
            found = step_seconds(view, wanted, gradients, rounds)
            times = " ".join(f"{1e3 * found[kind]:>13.1f}" for kind in KINDS)
            ratio = found["torch's"] / found["meshtide's"]
            print(f"{view.num_vertices:>8,} {gradients!s:>9} {times}  {ratio:.2f}")


if __name__ == "__main__":
    main()
