"""From collections to what training reads: splits by shape, targets on vertices, relatives of each shape."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.utils.data import Dataset

from meshtide.arrays import FloatArray
from meshtide.data.augmentation import Augmentation, augmented, looks_of
from meshtide.data.collection import Collection
from meshtide.data.finding import Shape
from meshtide.data.loading import Loaded, Loading
from meshtide.errors import InputError
from meshtide.labels.labels import Labels
from meshtide.many.processes import start_worker
from meshtide.mesh.decimation import simplify
from meshtide.mesh.mesh import Mesh
from meshtide.networks.graph import MeshGraph, graph_of, mesh_graph, prepared_graph
from meshtide.spectral.cache import Cache
from meshtide.spectral.preparation import Preparation
from meshtide.spectral.recipe import GraphRecipe
from meshtide.spectral.spectrum import Eigenbasis
from meshtide.training.views import Example

# Relatives are made of the shape with about so many vertices, which takes a third of the time for one of 7,000.
ANCESTOR_VERTICES = 2500
# A relative is only ever looked at through samples of its vertices, so that some of them are enough to keep.
RELATIVE_VERTICES = 2500


@dataclass(frozen=True, eq=False)
class LabelledShape:
    """A shape with everything that training and scoring need of it."""

    mesh: Mesh
    labels: Labels  # on the element that they were made for
    example: Example
    kind: str | None = None  # the category it belongs to


@dataclass(frozen=True)
class ShapeSplit:
    """Shapes by what they are for; no shape stands in two lists."""

    train: tuple[Shape, ...]
    validation: tuple[Shape, ...]
    test: tuple[Shape, ...]


def split_shapes(collection: Collection, seed: int) -> ShapeSplit:
    """The collection's own splits; without such, one labelled shape in five validates (none of fewer than three)."""
    labelled = [shape for shape in collection.shapes if shape.label_path is not None]
    if not labelled:
        raise InputError(
            f"{collection.name}: no shape has labels, so there is nothing to learn from; the labels of x.obj belong "
            "into x.txt, x.seg or x.json beside it"
        )
    if "train" in collection.splits:
        chosen = [collection.splits.get(name, ()) for name in ("train", "validation", "test")]
        return ShapeSplit(*(tuple(shape for shape in shapes if shape.label_path is not None) for shapes in chosen))
    order = np.random.default_rng(seed).permutation(len(labelled))
    held_out = set(order[: max(1, len(labelled) // 5)].tolist()) if len(labelled) > 2 else set()
    return ShapeSplit(
        tuple(shape for index, shape in enumerate(labelled) if index not in held_out),
        tuple(shape for index, shape in enumerate(labelled) if index in held_out),
        (),
    )


def load_shapes(
    collection: Collection,
    shapes: Sequence[Shape],
    recipe: GraphRecipe,
    cache: Cache | None,
    extras: tuple[str, ...] = (),
    progress: Callable[[], None] = lambda: None,
) -> list[LabelledShape]:
    """Load shapes with their labels, as graphs by way of the cache."""
    loading = Loading(collection, recipe, cache, extras)
    loaded = []
    for shape in shapes:
        loaded.append(shape_of(shape, loading(shape), loading))
        progress()
    return loaded


def example_of(shape: Shape, loaded: Loaded, loading: Loading) -> Example:
    """What was loaded, as tensors."""
    graph = prepared_graph(loaded.prepared, shape.name, loading.recipe)
    return Example(shape.name, graph, torch.from_numpy(loaded.targets))


def shape_of(shape: Shape, loaded: Loaded, loading: Loading) -> LabelledShape:
    """The same with mesh and labels, for scoring."""
    assert loaded.mesh is not None
    assert loaded.labels is not None
    return LabelledShape(loaded.mesh, loaded.labels, example_of(shape, loaded, loading), shape.kind)


class GraphDataset(Dataset[tuple[MeshGraph, Tensor]]):
    """A collection's shapes as (graph, target of every vertex), loaded when asked for, for networks from elsewhere.

    Targets are -1 where there is no label. Workers of a DataLoader each open the cache for themselves.

    >>> import meshtide as mt
    >>> shapes = mt.GraphDataset(mt.open_collection("figures:ant"), "test", mt.GraphRecipe(k=16))
    >>> graph, targets = shapes[0]
    >>> len(targets) == graph.num_vertices
    True
    """

    def __init__(
        self, collection: Collection, split: str = "all", recipe: GraphRecipe | None = None, cache: Cache | None = None
    ) -> None:
        self.collection, self.recipe, self.cache = collection, recipe or GraphRecipe(), cache
        self.shapes = collection.split(split)

    def __len__(self) -> int:
        return len(self.shapes)

    def __getitem__(self, index: int) -> tuple[MeshGraph, Tensor]:
        mesh, labels = self.collection.load(self.shapes[index])
        values = labels.to_vertices(mesh).values if labels else np.full(len(mesh.vertices), -1)
        return mesh_graph(mesh, self.recipe, self.cache), torch.from_numpy(values)

    def to_pyg(self) -> Any:
        """The same shapes as a torch_geometric Dataset of Data."""
        from meshtide.training.geometric import geometric_dataset

        return geometric_dataset(self)


def split_vertices(example: Example, seed: int) -> tuple[Example, Example, Example]:
    """The paper's single setting: 20, 30 and 50 % of one shape's vertices to train, validate and test on."""
    labelled = torch.nonzero(example.targets >= 0).ravel()
    order = labelled[torch.randperm(len(labelled), generator=torch.Generator().manual_seed(seed))]
    first, second = round(0.2 * len(order)), round(0.5 * len(order))
    return tuple(  # type: ignore[return-value]  # three bounds make three examples
        replace(example, targets=_only(example.targets, rows))
        for rows in (order[:first], order[first:second], order[second:])
    )


def with_relatives(
    shapes: Sequence[LabelledShape],
    how: Augmentation,
    count: int,
    *,
    seed: int,
    jobs: int = 1,
    whole: bool = False,
    progress: Callable[[], None] = lambda: None,
) -> list[Example]:
    """Every shape's example with `count` random relatives; a relative stays with its shape and so in its split.

    `whole` keeps every vertex and edge, for networks that read edges; they need no eigenvectors, which are left out.
    """
    relatives: dict[int, list[tuple[MeshGraph, Tensor]]] = {index: [] for index in range(len(shapes))}
    ancestors = [_ancestor(shape, whole) for shape in shapes] if count else []
    tasks = [
        _Task(
            index,
            ancestors[index].mesh,
            ancestors[index].labels,
            ancestors[index].looks,
            shape.example.graph.mesh_recipe,
            how.ways[(index + number) % len(how.ways)],
            whole,
            shape.example.graph.gradients is not None,
            (seed, index, number),
        )
        for number in range(count)
        for index, shape in enumerate(shapes)
    ]
    for task, (preparation, gradients, rows) in _relatives(tasks, jobs):
        example = shapes[task.index].example
        graph = graph_of(preparation, example.name, task.recipe)
        if gradients is not None:
            graph = replace(graph, gradients=torch.from_numpy(gradients))
        if not whole:
            graph = graph.sampled(torch.arange(graph.num_vertices))  # only some of the relative's vertices are here
        relatives[task.index].append((graph, ancestors[task.index].targets[torch.from_numpy(rows)]))
        progress()
    return [replace(shape.example, relatives=tuple(relatives[index])) for index, shape in enumerate(shapes)]


@dataclass(frozen=True, eq=False)
class _Ancestor:
    """The surface that a shape's relatives are made of, with the labels and targets of its vertices."""

    mesh: Mesh
    labels: Labels
    targets: Tensor  # (v,)
    looks: FloatArray  # (v, 3), as `looks_of` gives them


def _ancestor(shape: LabelledShape, whole: bool) -> _Ancestor:
    """The shape itself, or with fewer vertices, each with the label of the one that counts most for it."""
    mesh, labels, targets = shape.mesh, shape.labels, shape.example.targets
    looks = looks_of(_basis_of(shape.example.graph))
    small, carrier = (mesh, None) if whole else simplify(mesh, ANCESTOR_VERTICES)
    if carrier is None or small is mesh:
        return _Ancestor(mesh, labels, targets, looks)
    nearest = carrier.most_like()
    labels = Labels(labels.to_vertices(mesh).values[nearest], "vertices", labels.names)
    return _Ancestor(small, labels, targets[torch.from_numpy(nearest)], looks[nearest])


def _basis_of(graph: MeshGraph) -> Eigenbasis:
    """The eigenbasis in a graph; in how many components the surface lies it does not know."""
    values, vectors, mass = (
        array.cpu().numpy().astype(np.float64) for array in (graph.values, graph.vectors, graph.mass)
    )
    return Eigenbasis(values, vectors, mass, graph.recipe.operator, components=1)


@dataclass(frozen=True, eq=False)
class _Task:
    index: int
    mesh: Mesh
    labels: Labels
    looks: FloatArray
    recipe: GraphRecipe
    how: Augmentation
    whole: bool
    gradients: bool
    seed: tuple[int, int, int]


# A relative's preparation and gradients at some of its vertices, and which these are.
_Excerpt = tuple[Preparation, NDArray[np.float32] | None, NDArray[np.int64]]


def _relatives(tasks: list[_Task], jobs: int) -> Iterator[tuple[_Task, _Excerpt]]:
    if jobs <= 1 or len(tasks) < 2:
        yield from ((task, _relative(task)) for task in tasks)
        return
    with ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn"), start_worker) as pool:
        yield from zip(tasks, pool.map(_relative, tasks, chunksize=2), strict=True)


def _relative(task: _Task) -> _Excerpt:
    random = np.random.default_rng(task.seed)
    relative = augmented(task.mesh, task.labels, task.recipe, task.how, random, task.looks)
    prepared = relative.preparation
    if task.whole:
        short = replace(prepared, values=prepared.values[:1], vectors=prepared.vectors[:, :1])
        return short, None, np.arange(len(prepared.mass))
    rows = np.sort(random.permutation(len(prepared.mass))[:RELATIVE_VERTICES])
    some = replace(
        prepared,
        vectors=prepared.vectors[rows],
        mass=prepared.mass[rows],
        features=prepared.features[rows],
        edges=prepared.edges[:0],
        faces=prepared.faces[:0],
    )
    return some, relative.gradients()[:, rows] if task.gradients else None, rows


def _only(targets: Tensor, rows: Tensor) -> Tensor:
    result = torch.full_like(targets, -1)
    result[rows] = targets[rows]
    return result
