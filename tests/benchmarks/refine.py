"""What borders cost and gain: `python tests/benchmarks/refine.py [LEVEL …] [--body MESH] [--picture PNG]`.

First a body (generated, or the one given): refining and drawing its borders beside the whole `segment` call, the least
of several runs, in seconds of the processor, which a busy machine distorts less. Then figures of 2,434 vertices (level
2) to 622,594 (level 6) in eight parts, with a smooth error on top of the truth. `--picture` draws generated shapes
before (a part for each face) and after.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from scipy.sparse import coo_array

sys.path.insert(0, str(Path(__file__).parents[1] / "helpers"))

from shapes import FIGURE_PARTS, figure

import meshtide as mt
from meshtide.data.figures.objects import make_object
from meshtide.inference.outline import outline, outline_of_vertices
from meshtide.inference.refine import energy, refine
from meshtide.inference.regions.inputs import prepare_surface
from meshtide.inference.regions.merging import merge
from meshtide.inference.regions.model import default_region_model
from meshtide.inference.regions.regions import judge_surface
from meshtide.inference.regions.surface import working_surface
from meshtide.labels.labels import Labels
from meshtide.mesh.mesh import Mesh
from meshtide.output.pictures import render, save_picture, sheet

SIDE = 380  # pixels of a picture


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


@dataclass(frozen=True)
class Scene:
    """A shape, from where it is seen, and which part of the picture is kept: left, top and how wide, as shares."""

    mesh: Mesh
    view: tuple[float, float]
    kept: tuple[float, float, float]


def scenes() -> list[Scene]:
    """An animal's neck, a person's wrist and something made, all generated and of the variant that is held out."""
    return [
        Scene(mt.make_figure("quadruped", 3, "held-out", defects=False)[0], (55, 15), (0.45, 0.03, 0.5)),
        Scene(mt.make_figure("humanoid", 3, "held-out", defects=False)[0], (20, 10), (0.5, 0.0, 0.32)),
        Scene(make_object("housing", 5, "held-out").mesh, (40, 25), (0.12, 0.4, 0.5)),
    ]


def as_merged(mesh: Mesh) -> np.ndarray:
    """The regions of faces (F,) as patches were merged into them, without a better border."""
    prepared = prepare_surface(working_surface(mesh))
    found = judge_surface(prepared, default_region_model())
    patches = found.patches
    merged = merge(found.logits, patches.masses, patches.edges)
    return prepared.surface.to_mesh(merged[patches.of_face])


def before_of(scene: Scene, after: mt.Segmentation) -> np.ndarray:
    """The colours of faces before: the most probable part of each, or of parts without names the merged patches."""
    if after.mesh_regions is None:
        most_probable = mt.segment(scene.mesh, refine=False)
        return np.array(most_probable.colours)[most_probable.mesh_face_labels.values]
    regions, own = as_merged(scene.mesh), after.mesh_face_instances
    shared = np.array([np.bincount(own[regions == region]).argmax() for region in range(regions.max() + 1)])
    return np.array(after.colours)[parts_of(after)[shared[regions]]]


def parts_of(segmentation: mt.Segmentation) -> np.ndarray:
    """The part of each instance, and of none."""
    return np.array([*(each.part_index for each in segmentation.instances), -1])


def picture() -> Any:
    """Shapes before and after."""
    pictures = []
    for scene in scenes():
        after = mt.segment(scene.mesh)
        drawn, palette = after.outlined, np.array([*after.colours, "#bbbbbb"])
        left, top, wide = scene.kept
        size = round(SIDE / wide)
        how: dict[str, Any] = {"size": (size, size), "on": "faces", "view": scene.view}
        rows, columns = (slice(round(share * size), round(share * size) + SIDE) for share in (top, left))
        pictures += [
            render(scene.mesh, before_of(scene, after), **how)[rows, columns],
            render(drawn.mesh, palette[parts_of(after)[drawn.face_instances]], cut=drawn.cut, **how)[rows, columns],
        ]
    bodies = ["the most probable part of each face", "refined, and drawn as lines"]
    made = ["patches merged into parts", "cut along edges, drawn as lines"]
    return sheet(pictures, [*bodies, *bodies, *made], columns=2)


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
