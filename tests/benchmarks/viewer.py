"""How long a click takes until the support is drawn, on a mesh of 200,000 vertices: python tests/benchmarks/viewer.py

The eigenbasis and the geodesic solver are there, as after the first click. Seconds on the clock, without a window.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(Path(__file__).parent)]

import torch  # noqa: E402
from segment import finer  # noqa: E402

from meshtide.figures import make_figure  # noqa: E402
from meshtide.viewer.shots import _stage  # noqa: E402
from meshtide.viewing.item import model_tools  # noqa: E402
from meshtide.viewing.scene import Scene  # noqa: E402


def main() -> None:
    torch.set_num_threads(1)
    mesh = finer(make_figure("humanoid", 9001, "held-out", defects=False)[0], 200_000)
    scene = Scene(mesh, model_tools())
    scene.select(0)
    scene.show("support")
    stage = _stage(scene, (900, 700), "z")
    stage.polyscope.screenshot_to_buffer()
    scene.item.support.radius(0, scene.item.support.values(0, time=0.01))
    times: dict[str, list[float]] = {"support": [], "radius": [], "picture": []}
    for vertex in range(1000, 9000, 1000):
        start = time.perf_counter()
        scene.select(vertex)
        values = scene.item.support.values(vertex)
        middle = time.perf_counter()
        scene.item.support.radius(vertex, values)
        found = time.perf_counter()
        stage.refresh()
        stage.polyscope.frame_tick()
        end = time.perf_counter()
        for name, seconds in zip(times, (middle - start, found - middle, end - found), strict=True):
            times[name].append(seconds)
    print(f"{len(mesh.vertices):,} vertices, seconds: "
          + ", ".join(f"{name} {median(found):.3f}" for name, found in times.items()))  # fmt: skip
    print(f"from the click to the picture: {sum(median(found) for found in times.values()):.3f}")


if __name__ == "__main__":
    main()
