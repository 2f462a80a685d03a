"""How long borders take to refine and how far the energy falls: `python tests/benchmarks/refine.py [LEVEL …]`.

Figures of 2,434 vertices (level 2) to 155,650 (level 5) in eight parts, with a smooth error on top of the truth.
Seconds are of the whole call; CPU seconds tell what a busy machine added.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np
from scipy.sparse import coo_array

sys.path.insert(0, str(Path(__file__).parents[1] / "helpers"))

from shapes import FIGURE_PARTS, figure

from meshtide.inference.refine import energy, refine
from meshtide.labels.labels import Labels
from meshtide.mesh.mesh import Mesh


def noisy_figure(level: int, noise: float) -> tuple[Mesh, np.ndarray, np.ndarray]:
    """A figure, its eight parts (left and right apart), and probabilities that are wrong in patches."""
    mesh, parts = figure(level)
    truth = Labels(parts, "faces", FIGURE_PARTS).to_vertices(mesh).values + 4 * (mesh.vertices[:, 0] > 1.5)
    edges, count = mesh.edges(), len(mesh.vertices)
    graph = coo_array((np.ones(len(edges)), (edges[:, 0], edges[:, 1])), shape=(count, count)).tocsr()
    graph = graph + graph.T
    logits = 2.5 * np.eye(8)[truth] + noise * np.random.default_rng(0).normal(size=(count, 8))
    for _ in range(2**level // 4):
        logits = (logits + graph @ logits) / (1 + graph.sum(axis=1))[:, None]
    weights = np.exp(2 * logits)
    return mesh, truth, (weights / weights.sum(axis=1, keepdims=True)).astype(np.float32)


def main() -> None:
    print("vertices  noise  seconds    CPU   energy: arg max  refined    truth   accuracy: arg max  refined")
    for level in [int(word) for word in sys.argv[1:]] or [2, 3, 4, 5]:
        for noise in (2.0, 5.0):
            mesh, truth, probabilities = noisy_figure(level, noise)
            wall, processor = time.perf_counter(), time.process_time()
            refined = refine(mesh, probabilities)
            wall, processor = time.perf_counter() - wall, time.process_time() - processor
            first = probabilities.argmax(axis=1)
            energies = [energy(mesh, probabilities, labels) for labels in (first, refined, truth)]
            print(
                f"{len(truth):8,} {noise:6.1f} {wall:8.2f} {processor:6.2f} {energies[0]:17.4f} {energies[1]:8.4f} "
                f"{energies[2]:8.4f} {(first == truth).mean():19.4f} {(refined == truth).mean():8.4f}"
            )


if __name__ == "__main__":
    main()
