"""How long a large segmentation takes to write: `python tests/benchmarks/segmentation_files.py [VERTICES]`.

A torus of a million vertices and two million faces in eight parts, unless told otherwise. Each format is written in a
process of its own, so that the peak of its memory is its own: what it needs beyond the segmentation itself, whose face
labels, confidences and instances are made before. Then polygons are read from a file and written again as PLY and OBJ.
"""

from __future__ import annotations

import multiprocessing
import resource
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "helpers"))

from shapes import torus

from meshtide.inference.segmentation import Segmentation
from meshtide.labels.colours import part_colours
from meshtide.labels.labels import Labels
from meshtide.mesh.files import load_mesh
from meshtide.mesh.mesh import Mesh
from meshtide.output.files.splitting import split_parts
from meshtide.output.saving import SUFFIXES, write_segmentation

PARTS = ("head", "torso", "upperarm", "lowerarm", "hand", "upperleg", "lowerleg", "foot")


def bands(mesh: Mesh) -> Segmentation:
    """Eight bands around the torus, with any probabilities."""
    angle = np.arctan2(mesh.vertices[:, 1], mesh.vertices[:, 0])
    values = ((angle + np.pi) / (2 * np.pi) * len(PARTS)).astype(np.int64) % len(PARTS)
    probabilities = np.random.default_rng(0).dirichlet(np.ones(len(PARTS)), len(values)).astype(np.float32)
    answer = Segmentation(mesh, Labels(values, "vertices", PARTS), probabilities, part_colours(PARTS))
    _ = answer.face_confidence, answer.confidence, answer.vertex_instances, answer.instances
    return answer


def quads(side: int, path: Path) -> None:
    """The same torus in quads, as OBJ."""
    vertices = torus(side, side).vertices
    u, v = np.divmod(np.arange(side * side), side)
    ahead, up = (u + 1) % side * side, (v + 1) % side
    corners = np.stack([u * side + v, ahead + v, ahead + up, u * side + up], axis=1) + 1
    points = "v %r %r %r\n" * len(vertices) % tuple(vertices.ravel().tolist())
    path.write_text(points + "f %d %d %d %d\n" * len(corners) % tuple(corners.ravel().tolist()))


def measure(answer: Segmentation, path: Path, source: Path | None) -> None:
    """Write in a child that shares the segmentation's memory, and print."""

    def child() -> None:
        before = peak_megabytes()
        start, worked = time.perf_counter(), time.process_time()
        if path.suffix:
            write_segmentation(answer, path, source=source)
        else:
            split_parts(answer, path)
        seconds, worked = time.perf_counter() - start, time.process_time() - worked
        files = [path] if path.is_file() else list(path.iterdir())
        size = sum(file.stat().st_size for file in files) / 1e6
        what = f"{path.suffix or 'split'}{' from quads' if source else ''}"
        memory = peak_megabytes() - before
        print(
            f"{what:16s} {seconds:6.2f} s ({worked:.2f} s of work) {size:7.1f} MB, memory +{memory:,.0f} MB", flush=True
        )

    process = multiprocessing.get_context("fork").Process(target=child)
    process.start()
    process.join()


def peak_megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3


def main() -> None:
    side = round((int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000) ** 0.5)
    answer = bands(torus(side, side))
    print(f"{len(answer.mesh.vertices):,} vertices, {len(answer.mesh.faces):,} faces, {len(PARTS)} parts")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for suffix in SUFFIXES:
            measure(answer, folder / f"out{suffix}", None)
        measure(answer, folder / "split", None)
        quads(side, folder / "quads.obj")
        answer = bands(load_mesh(folder / "quads.obj"))
        start = time.perf_counter()
        load_mesh(folder / "quads.obj")
        print(f"loading the quads took {time.perf_counter() - start:.2f} s; the next two read them again")
        for suffix in (".ply", ".obj"):
            measure(answer, folder / f"out{suffix}", folder / "quads.obj")


if __name__ == "__main__":
    main()
