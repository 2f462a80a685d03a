"""All that is needed to judge training on a GPU: run it once on a machine that has one.

    python tests/benchmarks/gpu.py [--device cuda|cpu|mps] [--steps N]

Prints the machine, time and throughput of training steps by batch and precision, peak memory, how often a step waits
for the device, and how far the device's losses and weights are from the processor's after the same steps.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from copy import deepcopy
from pathlib import Path

import torch

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "helpers")]

from shapes import torus  # noqa: E402

from meshtide.networks.device import choose_device  # noqa: E402
from meshtide.networks.graph import mesh_graph  # noqa: E402
from meshtide.networks.registry import build_network  # noqa: E402
from meshtide.spectral.recipe import GraphRecipe  # noqa: E402
from meshtide.training.batch_loss import Tally  # noqa: E402
from meshtide.training.loop import Training  # noqa: E402
from meshtide.training.schedule import Schedule  # noqa: E402
from meshtide.training.views import Example  # noqa: E402

PARTS, MOST_BATCH = 8, 64


def examples() -> list[Example]:
    mesh = torus(60, 50)
    graph = mesh_graph(mesh, GraphRecipe(k=128, features=("log-hks", "curvature")), extras=("gradients",))
    return [Example(str(number), graph, torch.arange(graph.num_vertices) % PARTS) for number in range(MOST_BATCH)]


def training(shapes: list[Example], device: str, batch: int, precision: str) -> Training:
    torch.manual_seed(0)
    network = build_network("tide-m", shapes[0].graph.num_channels, PARTS, gradients=True)
    return Training(network.to(device), shapes, [], Schedule(epochs=10_000, batch=batch, precision=precision))


def wait(device: str) -> None:
    if device != "cpu":
        torch.get_device_module(device).synchronize()


def measure(shapes: list[Example], device: str, batch: int, precision: str, steps: int) -> None:
    made = training(shapes, device, batch, precision)
    tally = Tally()
    for _ in range(3):
        made._step(shapes[:batch], tally)
    wait(device)
    if device == "cuda":
        torch.cuda.reset_peak_memory_stats()
    start = time.perf_counter()
    for _ in range(steps):
        made._step(shapes[:batch], tally)
    queued = time.perf_counter() - start
    wait(device)
    seconds = (time.perf_counter() - start) / steps
    memory = f", peak {torch.cuda.max_memory_allocated() / 2**20:,.0f} MiB" if device == "cuda" else ""
    print(
        f"batch {batch:3}, {precision}: {1e3 * seconds:8.2f} ms a step, {batch / seconds:8.0f} shapes a second, "
        f"{queued / steps / seconds:4.0%} of it to queue{memory}"
    )


def count_waits(shapes: list[Example], device: str) -> None:
    if device != "cuda":
        print("waits of a step: only CUDA counts them (tests/training/test_device.py counts them on a stand-in)")
        return
    made, tally = training(shapes, device, 4, "float32"), Tally()
    made._step(shapes[:4], tally)
    torch.cuda.set_sync_debug_mode("warn")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        made._step(shapes[:4], tally)
    torch.cuda.set_sync_debug_mode("default")
    print(f"waits of a step: {len(caught)}")
    for each in caught:
        print(f"  {each.filename}:{each.lineno}: {each.message}")


def compare(shapes: list[Example], device: str, steps: int = 20) -> None:
    here = training(shapes, "cpu", 4, "float32")
    there = training(shapes, device, 4, "float32")
    tallies = Tally(), Tally()
    for _ in range(steps):
        here._step(shapes[:4], tallies[0])
        there._step(shapes[:4], tallies[1])
    for tally in tallies:
        tally.read()
    ours = torch.nn.utils.parameters_to_vector(deepcopy(there.network).cpu().parameters())
    theirs = torch.nn.utils.parameters_to_vector(here.network.parameters())
    apart = float((ours - theirs).detach().abs().max())
    print(
        f"after {steps} steps: mean loss {tallies[1].loss / steps / 4:.6f}, on the processor "
        f"{tallies[0].loss / steps / 4:.6f}; weights differ by {apart:.1e} at most"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--device", default="auto")
    parser.add_argument("--steps", type=int, default=30)
    parser.add_argument("--batches", type=int, nargs="+", default=[1, 4, 16, 64])
    arguments = parser.parse_args()
    device = choose_device(arguments.device)
    if device == "cpu":
        torch.set_num_threads(1)
    name = torch.cuda.get_device_name() if device == "cuda" else device
    print(f"torch {torch.__version__} on {name}; 1,000 of 3,000 vertices, k = 128, TIDE-m with gradients")
    shapes = examples()
    for precision in ("float32", "bfloat16"):
        for batch in arguments.batches:
            measure(shapes, device, batch, precision, arguments.steps)
    count_waits(shapes, device)
    compare(shapes, device)


if __name__ == "__main__":
    main()
