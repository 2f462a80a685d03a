"""How long pictures take: `python tests/benchmarks/pictures.py [WIDTH]`.

Tori of about 14,000, 100,000 and 400,000 faces, each with a colour on every face, seen three-quarter in pictures of
400 x 400 pixels. Printed are the fastest of the rounds, in seconds on the clock and of the processor, and the peak of
memory that numpy asked for.
"""

from __future__ import annotations

import sys
import time
import tracemalloc
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "helpers"))

from shapes import torus

from meshtide.mesh.mesh import Mesh
from meshtide.output.pictures import render

ROUNDS = 5


def measure(mesh: Mesh, size: tuple[int, int]) -> tuple[float, float]:
    """The fastest of the rounds, on the clock and of the processor."""
    colours = np.random.default_rng(0).integers(0, 256, (len(mesh.faces), 3), dtype=np.uint8)
    clock, processor = [], []
    for _ in range(ROUNDS):
        start = time.perf_counter(), time.process_time()
        render(mesh, colours, size=size)
        clock.append(time.perf_counter() - start[0])
        processor.append(time.process_time() - start[1])
    return min(clock), min(processor)


def peak(mesh: Mesh, size: tuple[int, int]) -> float:
    """Megabytes."""
    tracemalloc.start()
    render(mesh, "#56b4e9", size=size)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return most / 1e6


def main() -> None:
    side = int(sys.argv[1]) if len(sys.argv) > 1 else 400
    render(torus(), "#56b4e9")  # imports are nobody's
    for around, across in ((96, 72), (250, 200), (500, 400)):
        mesh = torus(around, across)
        clock, processor = measure(mesh, (side, side))
        megabytes = peak(mesh, (side, side))
        figures = f"{clock:.2f} s (processor {processor:.2f} s), {megabytes:.0f} MB"
        print(f"{len(mesh.faces):>7,} faces, {side} x {side}: {figures}", flush=True)


if __name__ == "__main__":
    main()
