"""A million vertices to 20,000, and 18 channels back: `python tests/benchmarks/decimation.py [AROUND ACROSS]`.

A bumpy torus of AROUND x ACROSS vertices with noise, as a scanner makes it. Peak memory is that of the whole process,
the original mesh included; it is asked of Unix. Octants of the torus tell how well labels come back.
"""

from __future__ import annotations

import resource
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "helpers"))

from shapes import torus

from meshtide.mesh.decimation import simplify
from meshtide.mesh.mesh import Mesh

VERTICES, CHANNELS = 20_000, 18


def peak_gigabytes() -> float:
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e9


def bumpy_torus(around: int, across: int) -> Mesh:
    mesh = torus(around, across)
    x, y, z = mesh.vertices.T
    bumps = 1 + 0.03 * np.sin(9 * x) * np.cos(8 * y + 5 * z)
    noise = 0.0005 * np.random.default_rng(0).normal(size=mesh.vertices.shape)
    return Mesh(mesh.vertices * bumps[:, None] + noise, mesh.faces)


def channels(vertices: np.ndarray) -> np.ndarray:
    """Soft octants, and more of the same to make up the number."""
    sides = 1 / (1 + np.exp(-20 * (vertices - 0.013)))
    soft = [np.prod(np.where((octant >> np.arange(3)) & 1, sides, 1 - sides), axis=1) for octant in range(8)]
    return np.stack([soft[k % 8] / (1 + k // 8) for k in range(CHANNELS)], axis=1).astype(np.float32)


def main() -> None:
    mesh = bumpy_torus(*(int(word) for word in sys.argv[1:3] or (1250, 800)))
    before, wall, processor = peak_gigabytes(), time.perf_counter(), time.process_time()
    small, carrier = simplify(mesh, VERTICES)
    simplified = time.perf_counter() - wall
    values = channels(small.vertices)
    start = time.perf_counter()
    carried = carrier.to_original(values)
    back = time.perf_counter() - start
    processor = time.process_time() - processor
    print(f"{len(mesh.vertices):,} vertices to {len(small.vertices):,}")
    print(f"simplified with the map back  {simplified:6.1f} s")
    print(f"{CHANNELS} channels carried back     {back:6.1f} s; CPU seconds of both {processor:.1f}")
    print(f"peak memory                   {peak_gigabytes():6.2f} GB, {before:.2f} GB of it before")
    agree = (carried[:, :8].argmax(axis=1) == channels(mesh.vertices)[:, :8].argmax(axis=1)).mean()
    print(f"vertices in the right octant  {100 * agree:6.2f} %")


if __name__ == "__main__":
    main()
