"""Seconds that a figure takes to make, and how many vertices it gets: python tests/benchmarks/figures.py [COUNT]"""

from __future__ import annotations

import sys
import time

import numpy as np

from meshtide.data.figures import KINDS, VARIANTS, make_figure


def measure(kind: str, variant: str, count: int) -> tuple[list[float], list[int]]:
    """Processor seconds and vertex counts of the first figures of a kind."""
    make_figure(kind, 10_000, variant)  # imports and first calls are not part of the measurement
    seconds, sizes = [], []
    for seed in range(count):
        start = time.process_time()
        mesh, _ = make_figure(kind, seed, variant)
        seconds.append(time.process_time() - start)
        sizes.append(len(mesh.vertices))
    return seconds, sizes


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    print(f"{'kind':10} {'variant':9} {'seconds':>8} {'slowest':>8}   vertices: fewest, median, most")
    for kind in KINDS:
        for variant in VARIANTS:
            seconds, sizes = measure(kind, variant, count)
            low, middle, high = min(sizes), int(np.median(sizes)), max(sizes)
            print(f"{kind:10} {variant:9} {np.mean(seconds):8.2f} {max(seconds):8.2f}   {low:,} {middle:,} {high:,}")


if __name__ == "__main__":
    main()
