"""One mesh of a scene with all that can be shown of it, each computed when it is first asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from meshtide.arrays import FloatArray
from meshtide.inference.given import take
from meshtide.inference.segmentation import Segmentation
from meshtide.labels.labels import Labels
from meshtide.mesh.mesh import Mesh
from meshtide.mesh.origin import Origin
from meshtide.viewer.state.geodesics import Geodesics

if TYPE_CHECKING:
    from meshtide.data.collection import Collection
    from meshtide.inference.model import Model
    from meshtide.networks.graph import MeshGraph
    from meshtide.viewer.state.support import Support


@dataclass(frozen=True)
class Entry:
    """A mesh that can be shown: its name, and what loads it with its true labels, where there are any."""

    name: str
    load: Callable[[], tuple[Mesh, Labels | None]]
    result: Segmentation | None = None  # parts that were found before, of this very mesh
    path: Path | None = None  # of the mesh's file, where it has one


@dataclass(frozen=True)
class Tools:
    """What a scene computes with: how a mesh is segmented and prepared, and the network whose times are shown."""

    segment: Callable[[Mesh], Segmentation] | None = None
    prepare: Callable[[Mesh], MeshGraph] | None = None
    network: Any | None = None
    model: Model | None = None  # whose opinion helps proposals
    colours: Mapping[str, str] = field(default_factory=dict)  # of the parts that the model knows


class Item:
    """A loaded mesh. What needs a model or an eigenbasis is made once, and only if it is looked at."""

    def __init__(self, mesh: Mesh, truth: Labels | None, tools: Tools, result: Segmentation | None = None) -> None:
        if truth is not None:
            truth.check_fits(mesh)
        self.mesh, self.truth, self.tools, self._result = mesh, truth, tools, result

    @cached_property
    def prediction(self) -> Segmentation | None:
        """The parts of this mesh that were given or that the model sees; none without a model."""
        if self._result is not None:  # about this mesh's own elements, whatever it was made from
            own = Origin.identity(len(self.mesh.vertices), len(self.mesh.faces))
            return replace(self._result, origin=own, source=None)
        return None if self.tools.segment is None else self.tools.segment(self.mesh)

    def correct(self, result: Segmentation) -> None:
        """Take another answer in place of the prediction."""
        self.__dict__.pop("agreement", None)
        self.__dict__["prediction"] = result

    @property
    def known_prediction(self) -> Segmentation | None:
        """The prediction, where it has been asked for before: looking for parts takes a while."""
        found: Segmentation | None = self.__dict__.get("prediction")
        return found

    @cached_property
    def agreement(self) -> float | None:
        """The share of the area, where truth and prediction can be compared, in which they agree; None for nothing."""
        from meshtide.viewer.state.layers import difference_layer

        if self.truth is None or self.prediction is None:
            return None
        there = self.prediction.face_labels if self.truth.on == "faces" else self.prediction.labels
        shares = {entry.name: entry.share or 0.0 for entry in difference_layer(self, self.truth, there).legend}
        compared = shares.get("same", 0.0) + shares.get("different", 0.0)
        return shares.get("same", 0.0) / compared if compared > 0 else None

    @cached_property
    def graph(self) -> MeshGraph:
        """The mesh with its eigenbasis."""
        if self.tools.prepare is not None:
            return self.tools.prepare(self.mesh)
        from meshtide.networks.graph import mesh_graph

        return mesh_graph(self.mesh)

    @cached_property
    def support(self) -> Support:
        """How far information travels on this mesh."""
        from meshtide.viewer.state.support import Support

        return Support(self.mesh, self.graph, self.tools.network, self.geodesics)

    @cached_property
    def geodesics(self) -> Geodesics:
        """Distances on this mesh, for the support and for the brush."""
        return Geodesics(self.mesh)

    @cached_property
    def vertex_areas(self) -> FloatArray:
        """A third of the area of each vertex's faces, (V,)."""
        corners = self.mesh.faces.ravel()
        sums = np.bincount(corners, np.repeat(self.mesh.face_areas / 3, 3), len(self.mesh.vertices))
        return sums.astype(np.float64)

    def areas(self, on: str) -> FloatArray:
        """The area of every vertex or every face."""
        return self.mesh.face_areas if on == "faces" else self.vertex_areas


def model_tools(model: Model | str | Path | None = None, **options: Any) -> Tools:
    """Tools that segment with a model (without one, with meshtide's own) and show its network's times.

    `options` are those of `meshtide.segment`.
    """
    from meshtide.inference.model import Model, load_model
    from meshtide.inference.segment import segment
    from meshtide.networks.graph import mesh_graph
    from meshtide.networks.registry import needs

    chosen = model if isinstance(model, Model) else load_model("default" if model is None else model)
    about, cache = chosen.about, options.get("cache")
    return Tools(
        lambda mesh: segment(mesh, chosen, **options),
        lambda mesh: mesh_graph(mesh, about.mesh_recipe, cache, extras=needs(about.network, about.options)),
        chosen.network,
        chosen if about.recipe.operator == "surface" else None,
        dict(zip(about.parts, about.colours, strict=True)),
    )


def entries_of(source: Any, *, split: str = "all", data: str | Path | None = None) -> tuple[Entry, ...]:
    """What can be shown of a Segmentation, what `segment` takes, a pair of Mesh and Labels, a folder, a card, a list.

    `split` are the shapes of a folder or card, and `data` says where a card's files are.
    """
    from meshtide.data.collection import Collection

    if isinstance(source, Entry):
        return (source,)
    if isinstance(source, Collection):
        return collection_entries(source, split)
    if isinstance(source, Segmentation):
        return (Entry(source.mesh.name, lambda: (source.mesh, None), source),)
    if isinstance(source, Mesh):
        return (Entry(source.name, lambda: (source, None)),)
    if isinstance(source, str | Path):
        return _entries_at(source, split, data)
    if isinstance(source, tuple) and len(source) == 2 and isinstance(source[0], Mesh) and _is_truth(source[1]):
        mesh, labels = source
        return (Entry(mesh.name, lambda: (mesh, labels)),)
    if isinstance(source, list | Iterator) or (isinstance(source, tuple) and not _are_arrays(source)):
        return tuple(entry for each in source for entry in entries_of(each, split=split, data=data))
    mesh = take(source).mesh
    return (Entry(mesh.name, lambda: (mesh, None)),)


def collection_entries(collection: Collection, split: str = "all") -> tuple[Entry, ...]:
    """The shapes of a collection's split, each loaded when it is shown."""
    shapes = collection.split(split)
    return tuple(Entry(shape.name, partial(collection.load, shape), path=shape.mesh_path) for shape in shapes)


def _entries_at(place: str | Path, split: str, data: str | Path | None) -> tuple[Entry, ...]:
    """The mesh in a file, or the shapes of a folder or card."""
    from meshtide.data.card import known_cards
    from meshtide.data.collection import open_collection

    path = Path(place)
    if path.is_dir() or path.suffix == ".toml" or str(place).partition(":")[0] in known_cards():
        return collection_entries(open_collection(str(place), data=None if data is None else Path(data)), split)
    return (Entry(path.name, partial(_from_file, path), path=path),)


def _is_truth(labels: Any) -> bool:
    return labels is None or isinstance(labels, Labels)


def _are_arrays(pair: tuple[Any, ...]) -> bool:
    """Whether this is (vertices, faces) and not several meshes."""
    return len(pair) == 2 and all(hasattr(each, "__array__") or isinstance(each, list | tuple) for each in pair)


def _from_file(path: Path) -> tuple[Mesh, None]:
    from meshtide.mesh.files import load_ready

    return load_ready(path)[0], None
