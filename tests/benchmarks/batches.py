"""What steps of several shapes cost a shape, and which learning rate they want.

    python tests/benchmarks/batches.py [--rounds N] [--rates]

CPU seconds of one thread a shape seen, medians over rounds in which all batches take turns; a ratio is that of single
steps over it, so that more than 1 is faster. With `--rates` small networks learn generated shapes, at three learning
rates a batch, with every shape seen as often, and are judged on generated shapes that they did not see.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from statistics import fmean, median, stdev

import torch

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "helpers")]

from labelled_folders import write_figures  # noqa: E402
from shapes import torus  # noqa: E402

from meshtide.networks.graph import mesh_graph  # noqa: E402
from meshtide.networks.registry import build_network  # noqa: E402
from meshtide.spectral.recipe import GraphRecipe  # noqa: E402
from meshtide.training.batch_loss import Tally  # noqa: E402
from meshtide.training.experiment import plan  # noqa: E402
from meshtide.training.loop import Training  # noqa: E402
from meshtide.training.run import prepare_training  # noqa: E402
from meshtide.training.schedule import Schedule  # noqa: E402
from meshtide.training.sources import gather  # noqa: E402
from meshtide.training.views import Example  # noqa: E402

BATCHES, PARTS, SHAPES = (1, 2, 4, 8), 8, 8


def step_costs(rounds: int) -> None:
    graph = mesh_graph(torus(60, 50), GraphRecipe(k=128, features=("log-hks", "curvature")), extras=("gradients",))
    examples = [Example(str(number), graph, torch.arange(graph.num_vertices) % PARTS) for number in range(SHAPES)]
    trainings = {}
    for batch in BATCHES:
        network = build_network("tide-m", graph.num_channels, PARTS, gradients=True)
        trainings[batch] = Training(network, examples, [], Schedule(epochs=100_000, batch=batch, average=0.25))
    seconds: dict[int, list[float]] = {batch: [] for batch in BATCHES}
    for number in range(rounds + 1):
        for batch, training in trainings.items():
            start = time.process_time()
            for first in range(0, SHAPES, batch):
                training._step(examples[first : first + batch], Tally())
            if number:  # the first round warms up
                seconds[batch].append((time.process_time() - start) / SHAPES)
    for batch in BATCHES:
        ratios = [one / other for one, other in zip(seconds[1], seconds[batch], strict=True)]
        print(f"batch {batch}: {1e3 * median(seconds[batch]):7.2f} ms a shape, ratio {median(ratios):.2f}")


def rates(seeds: int = 3) -> None:
    with tempfile.TemporaryDirectory() as folder:
        write_figures(Path(folder), 12)
        usual = plan(folder, eigenpairs=32, epochs=30, sample=300, validate=True, options={"width": 32, "blocks": 2})
        data = gather(usual)
        for batch in (1, 4):
            for factor in (1.0, 2.0, 4.0):
                found = []
                for seed in range(seeds):
                    rate = 5e-3 * factor
                    schedule = replace(usual.schedule, batch=batch, learning_rate=rate, seed=seed)
                    training, _ = prepare_training(replace(usual, schedule=schedule), data)
                    found.append([epoch.validation_accuracy or 0.0 for epoch in training.run()][-1])
                print(f"batch {batch}, rate x{factor:g}: {fmean(found):.2%} ± {stdev(found):.2%} of {seeds} seeds")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--rates", action="store_true")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    step_costs(arguments.rounds)
    if arguments.rates:
        rates()
