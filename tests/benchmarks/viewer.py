"""How long a click takes until the support is drawn, on a mesh of 200,000 vertices: python tests/benchmarks/viewer.py

The eigenbasis and the geodesic solver are there, as after the first click. Seconds on the clock, without a window.
"""

from __future__ import annotations

import sys
import time
from functools import partial
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(Path(__file__).parent)]

import torch  # noqa: E402
from segment import finer  # noqa: E402

from meshtide.data.figures import make_figure  # noqa: E402
from meshtide.viewer.state.item import model_tools  # noqa: E402
from meshtide.viewer.state.scene import Scene  # noqa: E402
from meshtide.viewer.window.shots import _stage  # noqa: E402


def main() -> None:
    torch.set_num_threads(1)
    mesh = finer(make_figure("humanoid", 9001, "held-out", defects=False)[0], 200_000)
    scene = Scene(mesh, model_tools())
    scene.select(0)
    scene.show("support")
    stage = _stage(scene, (900, 700), "z")
    stage.polyscope.screenshot_to_buffer()
    scene.item.support.radius(0, scene.item.support.values(0, time=0.01))
    times: dict[str, list[float]] = {"support": [], "colours": [], "drawing": [], "radius": []}
    for vertex in range(1000, 9000, 1000):
        start = time.perf_counter()
        scene.select(vertex)
        values = scene.item.support.values(vertex)
        moments = [start, time.perf_counter()]
        for act in (stage.refresh, stage.polyscope.frame_tick, partial(scene.item.support.radius, vertex, values)):
            act()
            moments.append(time.perf_counter())
        for name, one, other in zip(times, moments, moments[1:], strict=False):
            times[name].append(other - one)
    print(
        f"{len(mesh.vertices):,} vertices, seconds: "
        + ", ".join(f"{name} {median(found):.3f}" for name, found in times.items())
    )
    before = sum(median(found) for name, found in times.items() if name != "radius")
    print(f"from the click to the picture: {before:.3f}; the radius is told after it")


if __name__ == "__main__":
    main()
