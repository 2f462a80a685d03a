"""How the cost of every stage grows with the vertices of a mesh: CPU seconds, one thread, and fitted exponents.

    python tests/benchmarks/scaling.py [--most 1000000] [--repeats 2] [--plot docs/pictures/scaling.png]

The mesh is a generated four-legged animal with its faces split in four again and again. Reading, mending, simplifying
and writing see the whole mesh; eigenbasis and features are taken of whole meshes up to 70,000 vertices, as beyond
20,000 `segment` works on the simplified one. Every stage is done a few times with nothing kept or cached, and the least
counts: what other work does to memory only adds. An exponent is the slope of a line through the logarithms of the sizes
from 10,000 vertices on; small meshes show what starting costs. At the end the largest mesh goes from file to file in a
process of its own, whose peak of memory is printed.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
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
        seconds = time.process_time() - started
        row = self.rows.setdefault(stage, {})
        row[vertices] = min(seconds, row.get(vertices, seconds))
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
        for number, (stage, row) in enumerate(self.rows.items()):
            marker = "o" if number < 10 else "s"  # there are ten colours
            axes.loglog(list(row), np.maximum(list(row.values()), 1e-3), marker=marker, label=stage)
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
    if count > MAX_VERTICES:
        table.timed("simplify", count, lambda: simplify(ready, MAX_VERTICES))
    model = mt.load_model("default")
    if count <= WHOLE_BASIS:
        table.timed("eigenbasis", count, lambda: mt.eigenbasis(ready, k=128))
        graph = table.timed(
            "eigenbasis, features and gradients", count,
            lambda: mt.mesh_graph(ready, model.about.mesh_recipe, extras=("gradients",)),
        )  # fmt: skip
        found = table.timed("network", count, lambda: predict(model.network, graph))
        table.timed("borders", count, lambda: refine(ready, found))
    table.timed("regions", count, lambda: find_regions(ready))
    result = table.timed("segment, from the file", count, lambda: mt.segment(path))
    table.timed("write PLY", count, lambda: result.save(folder / "parts.ply"))
    table.timed("write GLB", count, lambda: result.save(folder / "parts.glb"))


def from_file_to_file(mesh: mt.Mesh, folder: Path) -> None:
    """Segment a mesh from the command line, and say what that took."""
    mt.save_mesh(mesh, folder / "large.ply")
    command = [sys.executable, "-m", "meshtide", "segment", "large.ply", "-o", "parts.ply", "-q"]
    peak, started = 0.0, time.perf_counter()
    environment = {**os.environ, "MESHTIDE_CACHE": str(folder / "cache")}
    with subprocess.Popen(command, cwd=folder, env=environment) as process:
        status = Path(f"/proc/{process.pid}/status")
        # Looked at while it runs: what the system tells at the end begins with the memory of this process.
        while process.poll() is None:
            lines = [line.split() for line in status.read_text().splitlines() if line.startswith("VmHWM")]
            peak = max([peak, *(float(line[1]) / 1e6 for line in lines)])
            time.sleep(0.02)
    clock, used = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    print(
        f"{len(mesh.vertices):,} vertices from file to file, nothing cached: {used.ru_utime + used.ru_stime:.1f} CPU "
        f"seconds, {clock:.1f} on the clock, peak of memory {peak:.2f} GB"
    )


if __name__ == "__main__":
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("--most", type=int, default=1_000_000)
    reader.add_argument("--repeats", type=int, default=2)
    reader.add_argument("--plot", type=Path)
    asked = reader.parse_args()
    body = mt.make_figure("quadruped", 3, "held-out", defects=False)[0]
    mt.segment(body)  # what is loaded once is not counted
    points, faces, table = body.vertices, body.faces, Table()
    with tempfile.TemporaryDirectory() as folder:
        while len(points) <= asked.most:
            for number in range(asked.repeats):
                os.environ["MESHTIDE_CACHE"] = f"{folder}/cache-{len(points)}-{number}"
                mesh = mt.Mesh(points, faces, "animal")  # anew, for some answers are kept with a mesh
                measure(mesh, Path(folder), table)
            points, faces = trimesh.remesh.subdivide(points, faces)
        from_file_to_file(mesh, Path(folder))
    table.show()
    if asked.plot:
        table.plot(asked.plot)
