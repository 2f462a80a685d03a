"""How long a training step and an inference take, next to the paper's formulation on torch-geometric.

    python tests/benchmarks/training_step.py [--rounds N] [--profile ours|theirs|surface]

The paper's network is written from its description: the modified heat operator of eq. 10 and then `GCNConv`. It is
measured with its edges as a list, along which neighbours are gathered and sums scattered, and as a sparse matrix. Ours
is the same function of the same parameters, which is checked before anything is measured, except next to an MLP of two
hidden layers, for ours has one. One thread, CPU seconds, medians over rounds in which all networks take turns. A ratio
is the time of a network over that of ours above it; at the end, that of ours in float32 over ours in bfloat16. The
graph is the first FAUST body where MESHTIDE_DATA leads to one, and otherwise a torus of as many vertices.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

import torch
from torch import Tensor, nn

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "helpers")]

from shapes import torus  # noqa: E402

from meshtide.mesh.files import load_mesh  # noqa: E402
from meshtide.mesh.mesh import Mesh  # noqa: E402
from meshtide.networks.graph import MeshGraph, mesh_graph  # noqa: E402  # the checkout, installed or not
from meshtide.networks.tide import TideNet  # noqa: E402
from meshtide.spectral.recipe import GraphRecipe  # noqa: E402

try:
    from torch_geometric.nn import GCNConv
except ImportError:
    sys.exit("this benchmark compares with torch-geometric, which is not installed: pip install torch-geometric")

WIDTH, PARTS, EIGENPAIRS, DROPOUT, SAMPLES = 64, 8, 128, 0.5, 1000


class PaperNet(nn.Module):
    """One block of TIDE-m as the paper describes it; `hidden` counts the hidden layers of its MLP, 0 for no MLP.

    Times are in the operator's own units, and exp(-t(1 - μ)) stands for exp(-t μ) as in TideNet: the cost is the same.
    """

    def __init__(self, graph: MeshGraph, *, hidden: int, dropout: float, edges: str = "list") -> None:
        super().__init__()
        self.first = nn.Linear(graph.num_channels, WIDTH)
        self.time = nn.Parameter(torch.full((WIDTH,), 0.1))
        self.alpha, self.beta = nn.Parameter(torch.tensor(1.0)), nn.Parameter(torch.tensor(1.0))
        self.dropout = nn.Dropout(dropout)
        self.convolution = GCNConv(WIDTH, WIDTH, cached=True)
        layers: list[nn.Module] = []
        for index in range(hidden):
            layers += [nn.Linear(WIDTH if index else 2 * WIDTH, WIDTH), nn.ReLU(), nn.Dropout(dropout)]
        self.mlp = nn.Sequential(*layers, nn.Linear(WIDTH, WIDTH)) if hidden else None
        self.last = nn.Linear(WIDTH, PARTS)
        self.edges = torch.cat([graph.edges, graph.edges.flip(0)], dim=1)
        if edges == "matrix":
            ones = torch.ones(self.edges.shape[1])
            matrix = torch.sparse_coo_tensor(self.edges, ones, (graph.num_vertices,) * 2, check_invariants=False)
            self.edges = matrix.coalesce().to_sparse_csr()

    def forward(self, graph: MeshGraph) -> Tensor:
        """Logits, (V, parts)."""
        x = self.first(graph.features)
        spectrum = graph.vectors.T @ x
        decay = torch.exp(-graph.frequencies[:, None] * self.time)
        heat = graph.vectors @ (decay * spectrum - self.alpha * spectrum) + self.beta * x
        y = torch.relu(self.convolution(self.dropout(heat), self.edges))
        return self.last(x + (y if self.mlp is None else self.mlp(torch.cat([x, y], dim=1))))


@torch.no_grad()
def check_same(tide: TideNet, paper: PaperNet, graph: MeshGraph) -> None:
    """Give the paper's network the parameters of ours, and see that the answers agree."""
    block: Any = tide.blocks[0]
    paper.first.load_state_dict(tide.first.state_dict())
    paper.last.load_state_dict(tide.last.state_dict())
    paper.time.copy_(block.diffusion.diffusion_time * graph.rate_scale)
    paper.convolution.lin.weight.copy_(block.linear.weight)
    paper.convolution.bias.copy_(block.linear.bias)
    for one, other in zip(linears(block.mlp), linears(paper.mlp), strict=True):
        other.load_state_dict(one.state_dict())
    torch.testing.assert_close(paper.eval()(graph), tide.eval()(graph), rtol=1e-3, atol=1e-3)


def linears(layers: nn.Module | None) -> list[nn.Module]:
    return [] if layers is None else [layer for layer in layers.modules() if isinstance(layer, nn.Linear)]


@dataclass(eq=False)
class Contestant:
    """A network, the graph it sees, and how long it took."""

    label: str
    network: nn.Module
    graph: MeshGraph
    mixed: bool = False  # whether a step computes its products in bfloat16; inference never does
    step_seconds: list[float] = field(default_factory=list)
    inference_seconds: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.optimiser = torch.optim.Adam(self.network.parameters(), lr=1e-3)
        self.targets = torch.arange(self.graph.num_vertices) % PARTS

    def step(self) -> None:
        self.network.train()
        self.optimiser.zero_grad()
        with torch.autocast("cpu", torch.bfloat16, enabled=self.mixed):
            logits = self.network(self.graph)
        nn.functional.cross_entropy(logits.float(), self.targets).backward()
        self.optimiser.step()

    @torch.inference_mode()
    def infer(self) -> None:
        self.network.eval()
        self.network(self.graph)

    def measure(self) -> None:
        self.step_seconds.append(cpu_seconds(self.step))
        self.inference_seconds.append(cpu_seconds(self.infer))


def cpu_seconds(call: Callable[[], None]) -> float:
    start = time.process_time()
    call()
    return time.process_time() - start


def example() -> Mesh:
    path = Path(os.environ.get("MESHTIDE_DATA", "")) / "faust" / "tr_reg_000.ply"
    return load_mesh(path) if path.is_file() else torus(106, 65)


def pairs(graph: MeshGraph) -> list[tuple[str, Contestant, list[Contestant]]]:
    """Ours and the paper's that are compared with it, by what follows the diffusion."""
    rows = []
    for title, mlp, dropout, layers in (
        ("no MLP, no dropout", False, 0.0, (0,)),
        ("no MLP, dropout in theirs", False, DROPOUT, (0,)),
        ("MLP, no dropout", True, 0.0, (1,)),
        ("MLP, dropout in both", True, DROPOUT, (1, 2)),
    ):
        tide = TideNet(graph.num_channels, PARTS, blocks=1, operator="graph", mlp=mlp, dropout=dropout)
        others = []
        for hidden in layers:
            tail = f", {hidden} hidden layer{'s' * (hidden > 1)}" if mlp else ""
            for edges in ("list", "matrix"):
                network = PaperNet(graph, hidden=hidden, dropout=dropout, edges=edges)
                if hidden < 2:  # our MLP has one hidden layer
                    check_same(tide, network, graph)
                others.append(Contestant(f"GCNConv, edges as {edges}{tail}", network, graph))
        rows.append((title, Contestant("ours", tide, graph), others))
    return rows


def surface_contestants(mesh: Mesh) -> list[Contestant]:
    """Our usual network, with and without gradients, on the whole mesh and on a sample, in both precisions."""
    whole = mesh_graph(mesh, GraphRecipe(operator="surface", k=EIGENPAIRS), extras=("gradients",))
    sample = whole.sampled(torch.randperm(whole.num_vertices)[:SAMPLES])
    found = []
    for graph, where in ((whole, "whole"), (sample, f"{SAMPLES:,} vertices")):
        for gradients in (False, True):
            for mixed in (False, True):
                network = TideNet(graph.num_channels, PARTS, operator="surface", gradients=gradients)
                words = ["surface, 4 blocks", "gradients" * gradients, where, "bfloat16" * mixed]
                found.append(Contestant(", ".join(filter(None, words)), network, graph, mixed))
    return found


def print_row(contestant: Contestant, reference: Contestant | None = None) -> None:
    step, inference = 1e3 * median(contestant.step_seconds), 1e3 * median(contestant.inference_seconds)
    ratios = ["", ""]
    if reference is not None:
        ratios = [
            f"{step / (1e3 * median(reference.step_seconds)):.2f}",
            f"{inference / (1e3 * median(reference.inference_seconds)):.2f}",
        ]
    print(f"  {contestant.label:54} {step:10.2f} {ratios[0]:>7} {inference:12.2f} {ratios[1]:>7}")


def print_profile(contestant: Contestant, steps: int = 10) -> None:
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profile:
        for _ in range(steps):
            contestant.step()
    events = sorted(profile.key_averages(), key=lambda event: -event.self_cpu_time_total)
    total = sum(event.self_cpu_time_total for event in events)
    print(f"\nwhere a training step of `{contestant.label}` spends its {total / steps / 1e3:.2f} ms")
    for event in events[:8]:
        share, each = event.self_cpu_time_total / total, event.self_cpu_time_total / steps / 1e3
        print(f"  {event.key:54} {each:10.2f} ms {share:6.0%} {event.count / steps:6.0f} calls")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--rounds", type=int, default=25)
    parser.add_argument("--profile", choices=("ours", "theirs", "surface"), default="ours")
    arguments = parser.parse_args()
    warnings.filterwarnings("ignore", message=".*Sparse.*")
    torch.set_num_threads(1)
    torch.manual_seed(0)
    mesh = example()
    graph = mesh_graph(mesh, GraphRecipe(operator="graph", k=EIGENPAIRS))
    rows, surface = pairs(graph), surface_contestants(mesh)
    everyone = [each for _, ours, others in rows for each in (ours, *others)] + surface
    for each in everyone:
        for _ in range(3):  # caches, allocations and lazy set-up are nobody's
            each.step()
            each.infer()
    for _ in range(arguments.rounds):
        for each in everyone:
            each.measure()
    print(f"{mesh.name}: {graph.num_vertices:,} vertices, {graph.num_channels} features, k = {graph.num_eigenpairs}")
    print(f"  {'1 block, 64 channels, CPU ms':54} {'train step':>10} {'ratio':>7} {'inference':>12} {'ratio':>7}")
    for title, ours, others in rows:
        print(title)
        print_row(ours)
        for other in others:
            print_row(other, ours)
    print("for information; a ratio is float32 over bfloat16, in which only training steps are")
    for full, mixed in zip(surface[::2], surface[1::2], strict=True):
        print_row(mixed)
        print_row(full, mixed)
    print_profile({"ours": rows[-1][1], "theirs": rows[-1][2][-2], "surface": surface[0]}[arguments.profile])


if __name__ == "__main__":
    main()
