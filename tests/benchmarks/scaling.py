"""How the cost of every stage grows with the vertices of a mesh: CPU seconds, one thread, and fitted exponents.

    python tests/benchmarks/scaling.py [--most 1000000] [--plot docs/pictures/scaling.png]

The mesh is a generated four-legged animal with its faces split in four again and again. Reading, mending, simplifying
and writing see the whole mesh; eigenbasis and features are taken of whole meshes up to 70,000 vertices, as beyond
20,000 `segment` works on the simplified one. An exponent is the slope of a line through the logarithms of the sizes
from 10,000 vertices on; small meshes show what starting costs.
"""

from __future__ import annotations

import argparse
import os
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")
ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "helpers")]

import numpy as np  # noqa: E402
import trimesh  # noqa: E402

import meshtide as mt  # noqa: E402
from meshtide.inference.predict import predict  # noqa: E402
from meshtide.inference.refine import refine  # noqa: E402
from meshtide.inference.regions.regions import find_regions  # noqa: E402
from meshtide.mesh.decimation import MAX_VERTICES, simplify  # noqa: E402
from meshtide.mesh.files import read_raw  # noqa: E402
from meshtide.mesh.ready import make_ready  # noqa: E402

WHOLE_BASIS = 70_000  # vertices of a mesh whose own eigenbasis is taken


class Table:
    """CPU seconds of stages by the vertices of the mesh."""

    def __init__(self) -> None:
        self.rows: dict[str, dict[int, float]] = {}

    def timed(self, stage: str, vertices: int, work: Callable[[], Any]) -> Any:
        started = time.process_time()
        result = work()
        self.rows.setdefault(stage, {})[vertices] = time.process_time() - started
        return result

    def exponent(self, stage: str) -> float:
        points = [(n, s) for n, s in self.rows[stage].items() if n >= 10_000 and s > 0]
        if len(points) < 2:
            return float("nan")
        sizes, seconds = np.log(np.array(points)).T
        return float(np.polyfit(sizes, seconds, 1)[0])

    def show(self) -> None:
        sizes = sorted({n for row in self.rows.values() for n in row})
        print("| stage | " + " | ".join(f"{n:,}" for n in sizes) + " | exponent |")
        print("|---" * (len(sizes) + 2) + "|")
        for stage, row in self.rows.items():
            cells = " | ".join(f"{row[n]:.2f}" if n in row else "" for n in sizes)
            print(f"| {stage} | {cells} | {self.exponent(stage):.2f} |")

    def plot(self, path: Path) -> None:
        from matplotlib.figure import Figure

        figure = Figure(figsize=(8, 4.5), layout="constrained")
        axes = figure.add_subplot()
        for stage, row in self.rows.items():
            axes.loglog(list(row), np.maximum(list(row.values()), 1e-3), marker="o", label=stage)
        axes.set_xlabel("vertices")
        axes.set_ylabel("CPU seconds")
        axes.legend(loc="upper left", bbox_to_anchor=(1, 1))
        figure.savefig(path, dpi=110)


def measure(mesh: mt.Mesh, folder: Path, table: Table) -> None:
    count = len(mesh.vertices)
    path = folder / "mesh.ply"
    mt.save_mesh(mesh, path)
    raw = table.timed("read", count, lambda: read_raw(path))
    ready, _ = table.timed("mend", count, lambda: make_ready(raw, path))
    small, _ = table.timed("simplify", count, lambda: simplify(ready, MAX_VERTICES))
    model = mt.load_model("default")
    inside = ready if count <= WHOLE_BASIS else small
    if count <= WHOLE_BASIS:
        table.timed("eigenbasis", count, lambda: mt.eigenbasis(inside, k=128))
        graph = table.timed(
            "eigenbasis, features and gradients", count,
            lambda: mt.mesh_graph(inside, model.about.mesh_recipe, extras=("gradients",)),
        )  # fmt: skip
        found = table.timed("network", count, lambda: predict(model.network, graph))
        table.timed("borders", count, lambda: refine(inside, found))
    table.timed("regions", count, lambda: find_regions(ready))
    result = table.timed("segment, from the file", count, lambda: mt.segment(path))
    table.timed("write PLY", count, lambda: result.save(folder / "parts.ply"))
    table.timed("write GLB", count, lambda: result.save(folder / "parts.glb"))


if __name__ == "__main__":
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("--most", type=int, default=1_000_000)
    reader.add_argument("--plot", type=Path)
    asked = reader.parse_args()
    body = mt.make_figure("quadruped", 3, "held-out", defects=False)[0]
    mt.segment(body)  # what is loaded once is not counted
    points, faces, table = body.vertices, body.faces, Table()
    with tempfile.TemporaryDirectory() as folder:
        while len(points) <= asked.most:
            measure(mt.Mesh(points, faces, "animal"), Path(folder), table)
            points, faces = trimesh.remesh.subdivide(points, faces)
    table.show()
    print(f"peak of memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6:.1f} GB")
    if asked.plot:
        table.plot(asked.plot)
