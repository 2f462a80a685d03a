"""One mesh of a scene with all that can be shown of it, each computed when it is first asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from meshtide.arrays import FloatArray
from meshtide.inference.segmentation import Segmentation
from meshtide.labels.labels import Labels
from meshtide.mesh.mesh import Mesh
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

    def __init__(self, mesh: Mesh, truth: Labels | None, tools: Tools) -> None:
        if truth is not None:
            truth.check_fits(mesh)
        self.mesh, self.truth, self.tools = mesh, truth, tools

    @cached_property
    def prediction(self) -> Segmentation | None:
        """The parts that the model sees; none without a model."""
        return None if self.tools.segment is None else self.tools.segment(self.mesh)

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


def model_tools(model: Model | None = None, **options: Any) -> Tools:
    """Tools that segment with a model (without one, with meshtide's own) and show its network's times.

    `options` are those of `meshtide.segment`.
    """
    from meshtide.inference.segment import segment
    from meshtide.inference.shipped import default_model
    from meshtide.networks.graph import mesh_graph
    from meshtide.networks.registry import needs

    chosen = model or default_model()
    about, cache = chosen.about, options.get("cache")
    return Tools(
        lambda mesh: segment(mesh, chosen, **options),
        lambda mesh: mesh_graph(mesh, about.recipe, cache, extras=needs(about.network, about.options)),
        chosen.network,
        chosen if about.recipe.operator == "surface" else None,
        dict(zip(about.parts, about.colours, strict=True)),
    )


def entries_of(source: Any) -> tuple[Entry, ...]:
    """What can be shown of a mesh, a mesh file, a pair of mesh and labels, a collection, or a list of such."""
    from meshtide.data.collection import Collection

    if isinstance(source, Entry):
        return (source,)
    if isinstance(source, Collection):
        return collection_entries(source)
    if isinstance(source, Mesh):
        return (Entry(source.name, lambda: (source, None)),)
    if isinstance(source, str | Path):
        return (Entry(Path(source).name, partial(_from_file, Path(source))),)
    if isinstance(source, tuple) and len(source) == 2 and isinstance(source[1], Labels | None):
        mesh, labels = source
        return (Entry(mesh.name, lambda: (mesh, labels)),)
    return tuple(entry for each in source for entry in entries_of(each))


def collection_entries(collection: Collection, split: str = "all") -> tuple[Entry, ...]:
    """The shapes of a collection's split, each loaded when it is shown."""
    return tuple(Entry(shape.name, partial(collection.load, shape)) for shape in collection.split(split))


def _from_file(path: Path) -> tuple[Mesh, None]:
    from meshtide.mesh.files import load_ready

    return load_ready(path)[0], None
