"""How fast a viewer can answer, and how good a proposal from a few strokes is.

`python tests/benchmarks/viewing.py support [VERTICES]` measures the way from picking a vertex to the values and the
radius of its diffusion support, on a torus (200,000 vertices unless said otherwise, 128 eigenpairs).

`python tests/benchmarks/viewing.py proposal [SHAPES]` paints one stroke on every piece of every part of generated
people and animals, or on one piece a part ("one side"), at most 3 % of the surface and a third of the piece each, and
prints the share of the unpainted vertices that the proposal gets right. `proposal COLLECTION SHAPES` takes another
collection's shapes. The bodies are of the variant that meshtide's own model was not trained on.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

sys.path.insert(0, str(Path(__file__).parents[1] / "helpers"))

from shapes import torus

from meshtide.arrays import IntArray
from meshtide.data.collection import open_collection
from meshtide.data.figures import make_figure
from meshtide.inference.model import default_model
from meshtide.labels.labels import Labels
from meshtide.mesh.mesh import Mesh
from meshtide.mesh.topology import components
from meshtide.networks.graph import MeshGraph, mesh_graph
from meshtide.networks.tide import TideNet
from meshtide.spectral.recipe import GraphRecipe
from meshtide.viewer.state import Geodesics, Painting, Support, propose
from meshtide.viewer.state.proposal import Lesson, _with_nearness

STROKE, SHARE_OF_PIECE, SMALLEST_PIECE = 0.03, 0.3, 0.004
PICKS = 9


def seconds_of(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def support_times(vertices: int) -> None:
    around = round((2 * vertices) ** 0.5)
    mesh = torus(around, around // 2)
    graph: list[MeshGraph] = []
    basis = seconds_of(lambda: graph.append(mesh_graph(mesh, GraphRecipe(k=128))))
    support = Support(mesh, graph[0], TideNet(16, 8))
    first = seconds_of(lambda: support.geodesics.from_vertex(0))
    values, radii = [], []
    for vertex in np.random.default_rng(0).integers(1, len(mesh.vertices), PICKS).tolist():
        found: list[np.ndarray] = []
        values.append(seconds_of(lambda: found.append(support.values(vertex, block=1, channel=5))))  # noqa: B023
        radii.append(seconds_of(lambda: support.radius(vertex, found[0])))  # noqa: B023
    frames = seconds_of(lambda: list(support.animation(7, np.geomspace(1e-3, 0.3, 20))))
    print(f"{len(mesh.vertices):,} vertices, k = 128; once: eigenbasis {basis:.1f} s, geodesic solver {first:.1f} s")
    print(f"pick to values  {1e3 * np.median(values):5.0f} ms (slowest {1e3 * max(values):.0f})")
    print(f"values to radius{1e3 * np.median(radii):5.0f} ms (slowest {1e3 * max(radii):.0f})")
    print(f"a frame of an animation {1e3 * frames / 20:.0f} ms")


@dataclass(frozen=True, eq=False)
class Case:
    mesh: Mesh
    truth: Labels
    graph: MeshGraph

    def strokes(self, one_side: bool, random: np.random.Generator) -> Painting:
        painting = Painting(self.mesh, self.truth.names)
        values = np.full(len(self.truth), -1, dtype=np.int64)
        for piece in chosen_pieces(self, one_side, random):
            values[stroke(self, piece, painting.geodesics, random)] = self.truth.values[piece[0]]
        painting.load(Labels(values, "vertices", self.truth.names))
        return painting

    def accuracy(self, painting: Painting, labels: IntArray) -> float:
        rest = ~painting.painted & (self.truth.values >= 0)
        return float((labels == self.truth.values)[rest].mean())


def chosen_pieces(case: Case, one_side: bool, random: np.random.Generator) -> Iterator[IntArray]:
    """The connected pieces of every part that are large enough to be seen, or one of them."""
    mass = case.graph.mass.numpy()
    for part in range(len(case.truth.names)):
        inside = (case.truth.values == part)[case.mesh.faces].all(axis=1)
        if not inside.any():
            continue
        count, piece = components(case.mesh.faces[inside], len(case.mesh.vertices))
        pieces = [np.flatnonzero(piece == number) for number in range(count)]
        large = [rows for rows in pieces if mass[rows].sum() > SMALLEST_PIECE] or [max(pieces, key=len)]
        yield from [large[random.integers(len(large))]] if one_side else large


def stroke(case: Case, piece: IntArray, geodesics: Geodesics, random: np.random.Generator) -> IntArray:
    """The vertices of a piece that are nearest to one of them, up to the area of a stroke."""
    mass = case.graph.mass.numpy()[piece]
    nearest = np.argsort(geodesics.from_vertex(int(random.choice(piece)))[piece])
    room = min(STROKE, SHARE_OF_PIECE * mass.sum())
    return piece[nearest[: max(3, int((np.cumsum(mass[nearest]) <= room).sum()))]]


def nearest_stroke(case: Case, painting: Painting) -> IntArray:
    """What heat from the strokes alone says."""
    even = np.full((len(painting.values), len(case.truth.names)), 1.0, dtype=np.float32)
    return _with_nearness(even, Lesson(case.graph, painting.values)).argmax(axis=1)


def proposals(cases: list[Case]) -> None:
    start = default_model()
    table: dict[str, list[float]] = {}
    for one_side in (False, True):
        for number, case in enumerate(cases):
            painting = case.strokes(one_side, np.random.default_rng(number))
            found = {
                "heat from the strokes": nearest_stroke(case, painting),
                "one network": propose(case.graph, painting, seconds=1.25).labels.values,
                "networks": propose(case.graph, painting).labels.values,
            }
            began = time.perf_counter()
            found["networks with a start"] = propose(case.graph, painting, start=start).labels.values
            table.setdefault("seconds", []).append(time.perf_counter() - began)
            for name, labels in found.items():
                words = f"{name}, {'one side' if one_side else 'every piece'}"
                table.setdefault(words, []).append(case.accuracy(painting, labels))
    transfers(cases, table)
    for words, figures in sorted(table.items()):
        print(f"{words:40s} {np.mean(figures):.3f}  {' '.join(f'{figure:.2f}' for figure in figures)}")


def transfers(cases: list[Case], table: dict[str, list[float]]) -> None:
    """Shapes of one kind from the strokes on others of that kind."""
    start = default_model()
    for case in cases:
        kin = [other for other in cases if other is not case and other.truth.names == case.truth.names]
        if kin:
            random = np.random.default_rng(0)
            others = [(other.graph, other.strokes(False, random)) for other in kin]
            bare = Painting(case.mesh, case.truth.names)
            for name, model in (("", None), (" with a start", start)):
                found = propose(case.graph, bare, others=others, start=model).labels.values
                words = f"nothing painted here, {len(kin)} others{name}"
                table.setdefault(words, []).append(case.accuracy(bare, found))


def cases_of(arguments: list[str]) -> list[Case]:
    if len(arguments) > 1:
        collection = open_collection(arguments[0])
        shapes = [collection.load(shape) for shape in collection.shapes[: int(arguments[1])]]
        pairs = [(mesh, labels.to_vertices(mesh)) for mesh, labels in shapes if labels is not None]
    else:
        count = int(arguments[0]) if arguments else 3
        bodies = [(kind, seed) for kind in ("humanoid", "quadruped") for seed in range(count)]
        pairs = [make_figure(kind, seed, "held-out", False) for kind, seed in bodies]
    return [Case(mesh, labels, mesh_graph(mesh, extras=("gradients",))) for mesh, labels in pairs]


def main() -> None:
    torch.set_num_threads(1)
    what, *more = sys.argv[1:] or ["support"]
    if what == "support":
        support_times(int(more[0]) if more else 200_000)
    else:
        proposals(cases_of(more))


if __name__ == "__main__":
    main()
