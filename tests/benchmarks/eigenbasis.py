"""Measure the eigensolver against the recipe the field uses, and print a table.

The recipe is `scipy.sparse.linalg.eigsh(L + 1e-8 I, k, M=mass, sigma=1e-8)`. Both run alternately in one process, with
one BLAS thread, and are measured in CPU seconds (the smallest of the repeats), after a small call that loads libraries.
Peak memory is that of a fresh process less what it held before the call. With MESHTIDE_DATA set, real meshes are
measured as well.

    python tests/benchmarks/eigenbasis.py --quick
    python tests/benchmarks/eigenbasis.py --sizes 41k --counts 128 --factorisation superlu --mesh statue.ply
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import robust_laplacian
import scipy.sparse as sparse
import trimesh
from scipy.sparse.linalg import eigsh
from threadpoolctl import threadpool_limits

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from meshtide.spectral.eigensolver import smallest_eigenpairs  # noqa: E402  # the checkout, installed or not

Array = npt.NDArray[np.float64]
Pairs = tuple[Array, Array, str]  # values, vectors, factorisation
LEVELS = {"7k": None, "10k": 5, "41k": 6, "164k": 7}
FAUST = "faust/tr_reg_000.ply"
REAL = ("messy/trimesh/counter.unitsmm.STL", "shrec07/Human/17.off+subdivided")


def bumpy_sphere(vertices: int | None = None, level: int | None = None) -> tuple[Array, npt.NDArray[np.int64]]:
    """A smooth closed surface: an icosphere with bumps, or as many points of a spiral on it and their hull."""
    if level is not None:
        mesh = trimesh.creation.icosphere(subdivisions=level)
    else:
        index = np.arange(vertices or 0) + 0.5
        height, angle = 1 - 2 * index / len(index), np.pi * (1 + np.sqrt(5)) * index
        radius = np.sqrt(1 - height**2)
        mesh = trimesh.convex.convex_hull(np.stack([radius * np.cos(angle), radius * np.sin(angle), height], axis=1))
    points = np.array(mesh.vertices)
    x, y, z = points.T
    bumps = 0.15 * np.sin(3 * x + 1) * np.cos(4 * y) + 0.1 * np.sin(5 * z * x + 0.3)
    return points * (1 + bumps)[:, None], np.array(mesh.faces)


def read_mesh(path: str) -> tuple[Array, npt.NDArray[np.int64]]:
    """Welded; with the ending "+subdivided" every triangle is cut into four at the midpoints of its sides."""
    mesh: Any = trimesh.load(path.removesuffix("+subdivided"), process=False, force="mesh")
    mesh.merge_vertices()
    mesh.remove_unreferenced_vertices()
    if path.endswith("+subdivided"):
        mesh = mesh.subdivide()
    return np.array(mesh.vertices), np.array(mesh.faces)


def load_operator(name: str) -> tuple[sparse.csc_array, Array]:
    """Stiffness matrix and masses of the surface scaled to area 1; the name is one of LEVELS or a path."""
    if name in LEVELS:
        vertices, faces = bumpy_sphere(6890, LEVELS[name])
    else:
        vertices, faces = read_mesh(name)
    stiffness, mass = robust_laplacian.mesh_laplacian(vertices, faces)
    masses = mass.diagonal()
    return sparse.csc_array(stiffness), masses / masses.sum()


def recipe(matrix: sparse.csc_array, mass: Array, count: int) -> Pairs:
    shifted = sparse.csc_array(matrix + 1e-8 * sparse.eye_array(len(mass)))
    with threadpool_limits(limits=1):
        values, vectors = eigsh(shifted, k=count, M=sparse.csc_array(sparse.diags_array(mass)), sigma=1e-8)
    return values, vectors, "superlu"


def solver(matrix: sparse.csc_array, mass: Array, count: int, factorisation: str) -> Pairs:
    pairs = smallest_eigenpairs(matrix, mass, count, factorisation=factorisation)
    return pairs.values, pairs.vectors, pairs.factorisation


def warm_up(what: str) -> None:
    """Load libraries, which is done once and belongs to neither."""
    matrix = sparse.csc_array(sparse.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(1000, 1000)))
    _ = recipe(matrix, np.ones(1000), 10) if what == "recipe" else solver(matrix, np.ones(1000), 10, what)


def residual(matrix: sparse.csc_array, mass: Array, pairs: Pairs) -> float:
    """max ||S u - λ u|| / λ_k with S = M^-½ L M^-½; the recipe's own 1e-8 I is taken as part of its error."""
    values, vectors, _ = pairs
    difference = (matrix @ vectors - mass[:, None] * vectors * values) / np.sqrt(mass)[:, None]
    return float(np.linalg.norm(difference, axis=0).max() / values.max())


def peak_memory(matrix: sparse.csc_array, mass: Array, count: int, what: str) -> float:
    """Megabytes that one call adds to the peak of a fresh process, which is given the operator and no mesh."""
    with tempfile.TemporaryDirectory() as folder:
        sparse.save_npz(Path(folder) / "matrix.npz", matrix, compressed=False)
        np.save(Path(folder) / "mass.npy", mass)
        arguments = [sys.executable, __file__, "--cell", folder, str(count), what]
        return float(subprocess.run(arguments, capture_output=True, text=True, check=True).stdout.split()[-1])


def measure_cell(folder: Path, count: int, what: str) -> None:
    """In the fresh process: the peak is reset where the system allows it, so that only the call counts."""
    import resource

    warm_up(what)
    matrix = sparse.csc_array(sparse.load_npz(folder / "matrix.npz"))
    mass = np.load(folder / "mass.npy")
    clear = Path("/proc/self/clear_refs")
    if clear.exists():
        clear.write_text("5")

    def peak() -> float:
        status = Path("/proc/self/status")
        if status.exists():
            line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
            return float(line.split()[1]) / 1024
        unit = 2**20 if sys.platform == "darwin" else 2**10
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit

    before = peak()
    if what == "recipe":
        recipe(matrix, mass, count)
    else:
        solver(matrix, mass, count, what)
    print(peak() - before)


def measure(name: str, count: int, factorisations: list[str], repeats: int) -> Iterator[str]:
    """One row of the table for each factorisation."""
    matrix, mass = load_operator(name)
    calls: dict[str, Callable[[], Pairs]] = {"recipe": lambda: recipe(matrix, mass, count)}
    for word in factorisations:
        calls[word] = lambda word=word: solver(matrix, mass, count, word)  # type: ignore[misc]  # binds the word now
        warm_up(word)
    seconds: dict[str, list[float]] = {what: [] for what in calls}
    found: dict[str, Pairs] = {}
    for _ in range(repeats):
        for what, call in calls.items():
            begin = time.process_time()
            found[what] = call()
            seconds[what].append(time.process_time() - begin)
    cells = {what: f"{min(seconds[what]):.2f} ({residual(matrix, mass, found[what]):.0e})" for what in calls}
    label = "smooth" if name in LEVELS else Path(name).name
    usual_memory = peak_memory(matrix, mass, count, "recipe")
    for word in factorisations:
        ratio = min(seconds["recipe"]) / min(seconds[word])
        memory = f"{usual_memory:.0f} | {peak_memory(matrix, mass, count, word):.0f}"
        row = (label, f"{len(mass):,}", count, cells["recipe"], cells[word], f"{ratio:.1f}", memory, found[word][2])
        yield "| " + " | ".join(map(str, row)) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="one small size, one count, once")
    parser.add_argument("--sizes", nargs="*", choices=list(LEVELS), default=["7k", "41k", "164k"])
    parser.add_argument("--counts", nargs="*", type=int, default=[64, 128, 256])
    parser.add_argument("--factorisation", nargs="*", default=["auto"])
    parser.add_argument("--mesh", nargs="*", default=[], help="mesh files to add")
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--cell", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.cell:
        measure_cell(Path(options.cell[0]), int(options.cell[1]), options.cell[2])
        return
    data = os.environ.get("MESHTIDE_DATA")
    names = [*options.sizes, *options.mesh, *([str(Path(data) / name) for name in (FAUST, *REAL)] if data else [])]
    if options.quick:
        names, options.counts, options.repeats = ["7k", *options.mesh], [128], 1
    print("CPU seconds (residual), one BLAS thread; peak memory in MB")
    print("| mesh | vertices | k | recipe | ours | ratio | recipe MB | ours MB | factorisation |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name in names:
        for count in options.counts:
            for row in measure(name, count, options.factorisation, options.repeats):
                print(row, flush=True)


if __name__ == "__main__":
    main()
