"""The generated bodies that names are learned from, and things that are no bodies, prepared and kept in a folder."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from meshtide.data.figures import PARTS, make_figure
from meshtide.data.figures.creatures.wide import make_varied_figure
from meshtide.errors import InputError
from meshtide.labels.labels import Labels
from meshtide.many.processes import start_worker
from meshtide.mesh.mesh import Mesh
from meshtide.networks.graph import MeshGraph, mesh_graph
from meshtide.spectral.recipe import GraphRecipe
from meshtide.spectral.spectrum import SpectrumWarning
from meshtide.training.regions.training_set import SOURCES, make_figure_of

RECIPE = GraphRecipe(features=("log-hks", "curvature", "arrows"))
KEPT = 1600  # vertices of a body to learn from; a step looks at fewer
# Sorts of things that are no bodies and look like none. Of others nothing is said: with spiders, crabs and jellyfish
# among these, octopuses of the other variant were no longer told as surely.
THINGS = (
    *(f"objects.{sort}" for sort in SOURCES["objects"] if sort != "robot"),
    *(f"creatures.{sort}" for sort in (
        "fish", "eel", "ray", "seahorse", "snake", "worm", "snail", "bust", "mask", "pawn", "tree", "palm", "cactus",
        "flower", "mushroom", "fruit",
    )),
)  # fmt: skip
_NO_EDGES, _NO_FACES = torch.zeros(2, 0, dtype=torch.int64), torch.zeros(0, 3, dtype=torch.int64)


@dataclass(frozen=True)
class BodyNumber:
    """One body to make; those that are held out are of the generator's other variant, and kept whole."""

    kind: str  # or the sort of a thing that is no body: "objects.mug"
    number: int
    held_out: bool = False
    common: bool = False  # the common build of the kind, instead of any

    @property
    def is_thing(self) -> bool:
        """Whether it is no body."""
        return "." in self.kind

    @property
    def name(self) -> str:
        """A name for its file."""
        build, kind = "common-" if self.common else "", self.kind.replace(" ", "_")
        return f"{build}{kind}-{'held-out-' if self.held_out else ''}{self.number:04d}"


@dataclass(frozen=True, eq=False)
class Body:
    """Some or all vertices of a prepared body, the large arrays in half precision: thousands must fit."""

    name: str
    kind: str
    features: Tensor  # (V, C)
    vectors: Tensor  # (V, K) half
    gradients: Tensor  # (2, V, K) half
    mass: Tensor  # (V,)
    values: Tensor  # (K,)
    targets: Tensor  # (V,) in the parts of all kinds, -1 for none

    @property
    def is_thing(self) -> bool:
        """Whether it is no body."""
        return "." in self.kind

    def graph(self, rows: Tensor | None = None) -> MeshGraph:
        """The body as a network reads it, at some of its vertices or at all that are here."""
        if rows is not None:
            return self._graph(self.features[rows], self.vectors[rows], self.mass[rows], self.gradients[:, rows])
        return self._graph(self.features, self.vectors, self.mass, self.gradients)

    def _graph(self, features: Tensor, vectors: Tensor, mass: Tensor, gradients: Tensor) -> MeshGraph:
        whole = MeshGraph(
            self.name, features, self.values, self.values.clamp(min=0), vectors.float(), mass, _NO_EDGES, _NO_FACES,
            RECIPE, gradients=gradients.float(),
        )  # fmt: skip
        return whole.sampled(torch.arange(len(mass)))


def make_bodies(
    wanted: list[BodyNumber], folder: Path, *, jobs: int = 1, report: Callable[[int, int], None] = lambda *_: None
) -> Iterator[Body]:
    """Bodies in the order wanted, made and prepared where the folder does not hold them yet."""
    folder.mkdir(parents=True, exist_ok=True)
    missing = [body for body in wanted if not (folder / f"{body.name}.npz").exists()]
    if missing:
        with ProcessPoolExecutor(jobs, get_context("spawn"), start_worker) as pool:
            running = [pool.submit(_make, body, folder) for body in missing]
            for done, future in enumerate(as_completed(running), start=1):
                future.result()
                report(done, len(missing))
    for body in wanted:
        if (path := folder / f"{body.name}.npz").exists():
            yield load_body(path, body)


def load_body(path: Path, which: BodyNumber) -> Body:
    """Read what was prepared."""
    with np.load(path) as file:
        held = {name: torch.from_numpy(file[name]) for name in file.files}
    targets = held.pop("targets").long()
    return Body(which.name, which.kind, targets=targets, **held)


def _shape(which: BodyNumber) -> tuple[Mesh, Labels]:
    variant = "held-out" if which.held_out else "blended"
    if not which.is_thing:
        return (make_figure if which.common else make_varied_figure)(which.kind, which.number, variant)
    source, _, sort = which.kind.partition(".")
    mesh = make_figure_of(source, sort, which.number, variant).mesh
    return mesh, Labels(np.full(len(mesh.vertices), -1), "vertices", PARTS)


def _make(which: BodyNumber, folder: Path) -> None:
    """Prepare a body and write it; one that is no surface is left out."""
    if (folder / f"{which.name}.npz").exists():  # another process was faster
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SpectrumWarning)
        try:
            mesh, labels = _shape(which)
            graph = mesh_graph(mesh, RECIPE, extras=("gradients",))
        except (InputError, ArithmeticError, RuntimeError):
            return
    rows = np.arange(graph.num_vertices)
    if not which.held_out:
        rows = np.sort(np.random.default_rng(which.number).permutation(rows)[:KEPT])
    gradients = graph.gradients.numpy() if graph.gradients is not None else np.zeros((2, 0, 0))
    table = np.array([*map(PARTS.index, labels.names), -1])
    unfinished = folder / f"{which.name}.{os.getpid()}.tmp.npz"
    half, most = np.float16, float(np.finfo(np.float16).max)
    np.savez(
        unfinished,
        features=graph.features.numpy()[rows],
        vectors=graph.vectors.numpy()[rows].clip(-most, most).astype(half),
        gradients=gradients[:, rows].clip(-most, most).astype(half),
        mass=graph.mass.numpy()[rows],
        values=graph.values.numpy(),
        targets=table[labels.values[rows]].astype(np.int8),
    )
    unfinished.replace(folder / f"{which.name}.npz")
