"""How long `segment` takes, next to the usual eigenbasis recipe on the same mesh, and what it does with large meshes.

    python tests/benchmarks/segment.py [--rounds N] [--large]

Cold is with nothing cached and warm with everything, both from the mesh file to the parts, start-up excluded; CPU
seconds, one thread, medians over rounds in which all take turns. The mesh is the first FAUST body where MESHTIDE_DATA
leads to one, and otherwise a generated person made finer. `--large` adds a mesh of 150,000 vertices, segmented whole
and by way of a small one, and one of a million: seconds on the clock, and the peak of resident memory in a process of
its own.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

os.environ.setdefault("OMP_NUM_THREADS", "1")
ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "helpers")]

import numpy as np  # noqa: E402
import torch  # noqa: E402
import trimesh  # noqa: E402
from scipy import sparse  # noqa: E402
from scipy.sparse.linalg import eigsh  # noqa: E402
from shapes import figure  # noqa: E402

from meshtide.data.figures import make_figure  # noqa: E402
from meshtide.inference.model import default_model  # noqa: E402
from meshtide.inference.segment import segment  # noqa: E402
from meshtide.mesh.files import load_mesh, save_mesh  # noqa: E402
from meshtide.mesh.mesh import Mesh  # noqa: E402
from meshtide.spectral.cache import Cache  # noqa: E402  # the checkout, installed or not
from meshtide.spectral.spectrum import laplacian  # noqa: E402


def finer(mesh: Mesh, vertices: int) -> Mesh:
    """The mesh with every face split in four until it has about so many vertices, and made a little uneven."""
    points, faces = mesh.vertices, mesh.faces
    while len(points) < 0.6 * vertices:
        points, faces = trimesh.remesh.subdivide(points, faces)
    spread = 0.05 * np.sqrt(mesh.area / len(faces))
    return Mesh(points + spread * np.random.default_rng(0).normal(size=points.shape), faces, mesh.name)


def example(folder: Path) -> Path:
    path = Path(os.environ.get("MESHTIDE_DATA", "")) / "faust" / "tr_reg_000.ply"
    if path.is_file():
        return path
    save_mesh(finer(make_figure("humanoid", 9001, defects=False)[0], 7000), folder / "person.ply")
    return folder / "person.ply"


def recipe(mesh: Mesh, k: int) -> None:
    """The usual way to an eigenbasis, as in the benchmark of the eigenbasis."""
    operator = laplacian(mesh, "surface")
    matrix = operator.matrix + 1e-8 * sparse.eye_array(len(operator.mass), format="csc")
    eigsh(matrix, k=k, M=sparse.diags_array(operator.mass, format="csc"), sigma=1e-8)


def seconds(call: Callable[[], object]) -> float:
    start = time.process_time()
    call()
    return time.process_time() - start


def measure_small(rounds: int, folder: Path) -> None:
    path = example(folder)
    mesh, k = load_mesh(path), default_model().about.recipe.k
    warm = Cache(folder / "warm")
    segment(path, cache=warm)
    segment(figure(2)[0])  # lazy set-up is nobody's
    times: dict[str, list[float]] = {"recipe": [], "cold": [], "warm": []}
    for number in range(rounds):
        times["recipe"].append(seconds(lambda: recipe(mesh, k)))
        cold = Cache(folder / f"cold-{number}")
        times["cold"].append(seconds(lambda cold=cold: segment(path, cache=cold)))
        times["warm"].append(seconds(lambda: segment(path, cache=warm)))
    print(f"{mesh.name}: {len(mesh.vertices):,} vertices, k = {k}, CPU seconds (share of the recipe)")
    usual = median(times["recipe"])
    for name, found in times.items():
        print(f"  {name:8} {median(found):8.3f} {median(found) / usual:8.2f}")


def measure_agreement() -> None:
    mesh = finer(make_figure("quadruped", 9001, "held-out", defects=False)[0], 150_000)
    start = time.perf_counter()
    small = segment(mesh)
    middle = time.perf_counter()
    whole = segment(mesh, max_vertices=len(mesh.vertices))
    end = time.perf_counter()
    same = float((small.labels.values == whole.labels.values).mean())
    print(
        f"{len(mesh.vertices):,} vertices: {middle - start:.1f} s by way of a small mesh, {end - middle:.1f} s whole,"
        f" {same:.2%} of the labels agree"
    )


def measure_million(folder: Path) -> None:
    mesh = finer(make_figure("humanoid", 9001, "held-out", defects=False)[0], 1_000_000)
    save_mesh(mesh, folder / "million.ply")
    command = [
        sys.executable,
        "-m",
        "meshtide",
        "segment",
        str(folder / "million.ply"),
        "-o",
        str(folder / "out.ply"),
        "--cache",
        str(folder / "cache"),
    ]
    start = time.perf_counter()
    subprocess.run(command, check=True, cwd=ROOT, stdout=subprocess.DEVNULL)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 2**20
    taken = time.perf_counter() - start
    print(f"{len(mesh.vertices):,} vertices from file to file: {taken:.1f} s, peak {peak:.2f} GiB")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--large", action="store_true")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    folder = Path(tempfile.mkdtemp())
    try:
        measure_small(arguments.rounds, folder)
        if arguments.large:
            measure_agreement()
            measure_million(folder)
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
