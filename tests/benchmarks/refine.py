"""What borders cost and gain: `python tests/benchmarks/refine.py [LEVEL …] [--body MESH] [--picture PNG]`.

First a body (generated, or the one given): refining and drawing its borders beside the whole `segment` call, the least
of several runs, in seconds of the processor, which a busy machine distorts less. Then figures of 2,434 vertices (level
2) to 622,594 (level 6) in eight parts, with a smooth error on top of the truth. `--picture` draws a generated body
before (most probable parts, a part for each face) and after.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from scipy.sparse import coo_array

sys.path.insert(0, str(Path(__file__).parents[1] / "helpers"))

from shapes import FIGURE_PARTS, figure

import meshtide as mt
from meshtide.inference.outline import outline, outline_of_vertices
from meshtide.inference.refine import energy, refine
from meshtide.labels.labels import Labels
from meshtide.mesh.mesh import Mesh
from meshtide.output.pictures import render, save_picture, sheet


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


def timed(action: Callable[[], Any], runs: int = 1) -> tuple[Any, float]:
    """What an action gives, and the least time of the processor that it took."""
    least = np.inf
    for _ in range(runs):
        start = time.process_time()
        result = action()
        least = min(least, time.process_time() - start)
    return result, least


def tell_of_body(mesh: Mesh) -> None:
    result, whole = timed(lambda: mt.segment(mesh, refine=False), 3)
    _, refining = timed(lambda: refine(mesh, result.mesh_probabilities), 7)
    refined = mt.segment(mesh)
    assert len(refined.instances)
    _, drawing = timed(lambda: outline(refined), 5)
    print(f"{mesh.name}, {len(mesh.vertices):,} vertices: segment without refining {1e3 * whole:.0f} ms, refining")
    print(f"{1e3 * refining:.1f} ms (ratio {refining / whole:.3f}), cutting along borders {1e3 * drawing:.1f} ms")


def tell_of_figures(levels: list[int]) -> None:
    print("vertices  noise  refine s  draw s  energy: arg max  refined    truth   accuracy: arg max  refined")
    for level in levels:
        for noise in (2.0, 5.0):
            mesh, truth, probabilities = noisy_figure(level, noise)
            refined, refining = timed(lambda mesh=mesh, rows=probabilities: refine(mesh, rows))
            sure = probabilities.max(axis=1)
            _, drawing = timed(lambda mesh=mesh, own=refined, sure=sure: outline_of_vertices(mesh, own, sure))
            first = probabilities.argmax(axis=1)
            energies = [energy(mesh, probabilities, labels) for labels in (first, refined, truth)]
            print(
                f"{len(truth):8,} {noise:6.1f} {refining:9.3f} {drawing:7.3f} {energies[0]:16.4f} {energies[1]:8.4f} "
                f"{energies[2]:8.4f} {(first == truth).mean():19.4f} {(refined == truth).mean():8.4f}"
            )


def picture() -> Any:
    """A generated body before and after."""
    body = mt.make_figure("quadruped", 3, "held-out", defects=False)[0]
    before, after = mt.segment(body, refine=False), mt.segment(body)
    palette, drawn = np.array([*after.colours, "#bbbbbb"]), after.outlined
    part_of = np.array([*(each.part_index for each in after.instances), -1])[drawn.face_instances]
    how: dict[str, Any] = {"size": (560, 460), "on": "faces", "view": (55, 15)}
    pictures = [
        render(body, palette[before.mesh_face_labels.values], **how),
        render(drawn.mesh, palette[part_of], cut=drawn.cut, **how),
    ]
    return sheet(pictures, ["a part for each face, the most probable", "refined, and drawn as lines"])


def main() -> None:
    torch.set_num_threads(1)
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("levels", nargs="*", type=int, default=[2, 3, 4])
    asked.add_argument("--body", type=Path)
    asked.add_argument("--picture", type=Path)
    given = asked.parse_args()
    if given.picture:
        save_picture(picture(), given.picture)
        return
    tell_of_body(mt.load_mesh(given.body) if given.body else mt.make_figure("humanoid", 3, "held-out")[0])
    tell_of_figures(given.levels)


if __name__ == "__main__":
    main()
