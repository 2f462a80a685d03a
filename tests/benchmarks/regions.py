"""Rand errors of regions beside classical ways of dividing a mesh, in one run.

    MESHTIDE_DATA=<folder> python tests/benchmarks/regions.py [model.safetensors] [--every N] [--output table.md]

Against people (the Princeton segmentation benchmark's, for the categories that are there as
`shrec07/seg/<Category>.npz`), and against the generator on its held-out variant. The classical ones are told the number
of parts, the category's median or the shape's own, which regions have to find out.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import torch
from scipy.cluster.vq import kmeans2
from scipy.sparse import coo_array, diags_array
from scipy.sparse.linalg import eigsh

from meshtide.inference.regions.borders import straighten
from meshtide.inference.regions.cues import bends
from meshtide.inference.regions.inputs import Prepared, prepare_surface
from meshtide.inference.regions.model import load_region_model
from meshtide.inference.regions.regions import find_regions
from meshtide.inference.regions.surface import working_surface
from meshtide.mesh.files import load_mesh
from meshtide.mesh.mesh import Mesh
from meshtide.mesh.winding import neighbours
from meshtide.training.region_scores import rand_error

CATEGORIES = ("Human", "Ant", "Vase", "FourLeg")


def error_against(answer: np.ndarray, people: np.ndarray) -> float:
    """The mean Rand error of an answer (F,) against several people's (P, F)."""
    return float(np.mean([rand_error(answer, one) for one in people]))


def k_means(prepared: Prepared, count: int) -> np.ndarray:
    """K-means on the spectral embedding φ / √λ, which sees distances through the shape."""
    rates, vectors = prepared.inputs.rates[1:16], prepared.inputs.vectors[:, 1:16].astype(np.float64)
    return _clustered(vectors / np.sqrt(np.maximum(rates, 1e-3)), count)


def normalised_cuts(prepared: Prepared, count: int) -> np.ndarray:
    """Normalised cuts of the graph of faces, cheap across hollows (Golovinskiy and Funkhouser 2008)."""
    affinity = _affinity(prepared)
    degree = np.maximum(affinity.sum(axis=1), 1e-12)
    scale = diags_array(1 / np.sqrt(degree))
    start = np.random.default_rng(0).normal(size=len(degree))
    _, vectors = eigsh(scale @ affinity @ scale, k=min(count, len(degree) - 2), which="LA", v0=start, tol=1e-3)
    vectors = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
    return _clustered(vectors, count)


def shape_diameter(prepared: Prepared, count: int) -> np.ndarray:
    """Clusters of the logarithm of the shape diameter, their connected pieces, and a cut along hollows."""
    logs = prepared.inputs.numbers[:, -3].astype(np.float64)[:, None]
    levels = _clustered(logs, min(5, max(2, count // 2)))
    surface = prepared.surface
    pairs, _, _ = neighbours(surface.faces, len(surface.vertices))
    inner = pairs[levels[pairs[:, 0]] == levels[pairs[:, 1]]]
    pieces = _pieces(inner, len(levels))
    areas = np.bincount(pieces, surface.areas)
    large = np.isin(pieces, np.argsort(-areas)[:count])
    from scipy.spatial import cKDTree

    nearest = cKDTree(surface.centres[large]).query(surface.centres)[1]
    return straighten(surface, pieces[large][nearest])


def _affinity(prepared: Prepared) -> coo_array:
    surface = prepared.surface
    pairs, ends, _ = neighbours(surface.faces, len(surface.vertices))
    lengths = np.linalg.norm(surface.vertices[ends[:, 0]] - surface.vertices[ends[:, 1]], axis=1)
    angles = bends(surface.centres, surface.normals, pairs)
    weights = lengths * np.exp(-np.where(angles < 0, -angles, -0.2 * -angles) / 0.3) + 1e-9
    count = len(surface.faces)
    matrix = coo_array((weights, (pairs[:, 0], pairs[:, 1])), shape=(count, count)).tocsr()
    return matrix + matrix.T


def _pieces(pairs: np.ndarray, count: int) -> np.ndarray:
    from scipy.sparse.csgraph import connected_components

    return connected_components(coo_array((np.ones(len(pairs)), tuple(pairs.T)), shape=(count, count)))[1]


def _clustered(points: np.ndarray, count: int) -> np.ndarray:
    return kmeans2(points, count, minit="++", seed=0, missing="warn")[1] if count > 1 else np.zeros(len(points), int)


BASELINES: dict[str, Callable[[Prepared, int], np.ndarray]] = {
    "K-means": k_means, "normalised cuts": normalised_cuts, "shape diameter + cut": shape_diameter,
}  # fmt: skip


def people(data: Path, every: int) -> Iterator[tuple[str, list[tuple[Mesh, np.ndarray]]]]:
    """The categories that are there, each with its meshes and people's divisions (people, faces)."""
    for category in CATEGORIES:
        path = data / "shrec07" / "seg" / f"{category}.npz"
        if path.exists():
            with np.load(path) as held:
                names = held.files[::every]
                yield category, [(load_mesh(data / "shrec07" / category / f"{n}.off"), held[n]) for n in names]


def generated(every: int) -> Iterator[tuple[str, list[tuple[Mesh, np.ndarray]]]]:
    """Figures of the held-out variant, by where they come from."""
    from meshtide.training.regions.training_set import SOURCES, make_figure_of

    for source, kinds in SOURCES.items():
        figures = [make_figure_of(source, kind, 5000, "held-out") for kind in kinds[::every]]
        yield f"generated {source}", [(each.mesh, each.face_instances[None]) for each in figures]


def agreement(truths: np.ndarray) -> float:
    """How far people differ from each other: each against all others."""
    return float(np.mean([error_against(one, np.delete(truths, n, axis=0)) for n, one in enumerate(truths)]))


def measure(title: str, shapes: list[tuple[Mesh, np.ndarray]], model: str) -> str:
    """One row of the table."""
    loaded, errors, counts, seconds = load_region_model(model), [], [], []
    rows = {name: [] for name in BASELINES}
    for mesh, truths in shapes:
        begin = time.process_time()
        found = find_regions(mesh, loaded)
        seconds.append(time.process_time() - begin)
        wanted = int(np.median([len(np.unique(one)) for one in truths]))
        errors.append(error_against(found.face_regions, truths))
        counts.append((found.count, wanted))
        prepared = prepare_surface(working_surface(mesh))
        for name, divide in BASELINES.items():
            rows[name].append(error_against(prepared.surface.to_mesh(divide(prepared, wanted)), truths))
    mine, wanted = np.median(counts, axis=0)
    several = [agreement(truths) for _, truths in shapes if len(truths) > 1]  # a generator has one opinion
    cells = [f"{np.mean(several):.3f}" if several else "", f"{np.mean(errors):.3f}"]
    cells += [f"{np.mean(values):.3f}" for values in rows.values()]
    cells += [f"{np.mean(np.array(errors) > 0.25):.0%}", f"{mine:.0f} / {wanted:.0f}", f"{np.median(seconds):.2f} s"]
    return f"| {title} ({len(shapes)}) | " + " | ".join(cells) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "model", nargs="?", default=str(Path(__file__).parents[2] / "meshtide/models/regions.safetensors")
    )
    parser.add_argument("--every", type=int, default=1, help="only every so many shapes")
    parser.add_argument("--output", type=Path, help="write the table here, too")
    options = parser.parse_args()
    torch.set_num_threads(1)
    names = ["people", "regions", *BASELINES, "above 0.25", "parts, ours / wanted", "time"]
    lines = ["| 1 - Rand index | " + " | ".join(names) + " |", "|---" * (len(names) + 1) + "|"]
    print("\n".join(lines), flush=True)
    sources = [generated(options.every)]
    if "MESHTIDE_DATA" in os.environ:
        sources.insert(0, people(Path(os.environ["MESHTIDE_DATA"]), options.every))
    for source in sources:
        for title, shapes in source:
            lines.append(measure(title, shapes, options.model))
            print(lines[-1], flush=True)
    if options.output is not None:
        options.output.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
