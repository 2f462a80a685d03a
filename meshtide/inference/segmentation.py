"""The parts that a mesh was divided into: what `segment` gives, and what files and pictures are made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from meshtide.arrays import IntArray
from meshtide.errors import InputError
from meshtide.inference.grown_together import NUMBERS
from meshtide.inference.instances import (
    Instance,
    Triangles,
    describe,
    find_pieces,
    in_order,
    vertex_pieces,
    weighted_mean,
)
from meshtide.labels.colours import part_colours
from meshtide.labels.labels import Labels
from meshtide.mesh.files.raw import Polygons
from meshtide.mesh.measure import relative_areas
from meshtide.mesh.mesh import Mesh
from meshtide.mesh.origin import Origin
from meshtide.words import shown

if TYPE_CHECKING:
    from meshtide.inference.outline import Outlined


@dataclass(frozen=True)
class Border:
    """Two parts that touch, and how sure it is that they are two, from 0 to 1."""

    one: str
    other: str
    confidence: float


@dataclass(frozen=True, eq=False, repr=False)
class Segmentation:
    """The parts of a mesh and how sure they are, for each vertex and each face that was handed in.

    `labels`, `probabilities`, `confidence` and `vertex_instances` have an entry for each vertex of the file, arrays or
    object that `segment` was given, and `face_labels`, `face_confidence` and `face_instances` one for each of its faces
    or polygons: -1 and 0 where there is no answer. What had to be split, welded or mended on the way is `mesh`;
    `mesh_labels` and whatever else begins with `mesh_` is about its vertices and triangles.

    >>> import meshtide as mt
    >>> horse = mt.segment(mt.make_figure("quadruped", 2, "held-out", defects=False)[0])
    >>> horse  # doctest: +ELLIPSIS
    Segmentation('quadruped-held-out-2': quadruped; ... vertices, ... faces; head ...%, ... leg x4 ...%; confidence ...)
    >>> horse.save("horse.glb")
    """

    mesh: Mesh
    mesh_labels: Labels  # on the mesh's vertices
    mesh_probabilities: NDArray[np.float32]  # (V, parts), in the order of the parts; rows add up to 1
    colours: tuple[str, ...]  # "#rrggbb" for each part
    kind: str | None = None  # what the shape was taken for, where the model knows several kinds
    warnings: tuple[str, ...] = ()  # sentences for people: what to be careful about
    origin: Origin = field(default=None)  # type: ignore[assignment]  # __post_init__ fills it in
    source: Path | Polygons | None = None  # where the points and polygons that were handed in can be had again
    # (F,) the part of each triangle, where that is known better than from vertices; without a kind each is one instance
    mesh_regions: IntArray | None = None
    # (F,) the piece of each triangle, -1 for none, where somebody decided it; else pieces are what is connected
    mesh_pieces: IntArray | None = None
    reason: str = ""  # why the parts are those of this kind, or have no names
    borders: tuple[Border, ...] = ()  # between parts without names, the most doubtful first

    def __post_init__(self) -> None:
        if self.origin is None:
            object.__setattr__(self, "origin", self.mesh.origin)
        self.mesh_labels.check_fits(self.mesh)
        wanted = len(self.mesh.vertices), len(self.parts)
        if self.mesh_labels.on != "vertices" or self.mesh_probabilities.shape != wanted:
            raise InputError(
                f"{self.mesh.name}: labels on {self.mesh_labels.on} and probabilities {self.mesh_probabilities.shape}; "
                f"wanted labels on vertices and {wanted}, a row for each vertex and a column for each part"
            )

    @staticmethod
    def of_regions(
        mesh: Mesh, face_regions: Any, region_confidence: Any = None, *, names: Sequence[str] = (), **more: Any
    ) -> Segmentation:
        """Parts that no one has named: each region of a mesh's triangles is a part, and one instance of it.

        `face_regions` (F,) has a number from 0 for each triangle, -1 for none; `region_confidence` one from 0 to 1 for
        each region. Parts are called "part 1" to "part n", the largest first, unless there are `names` for the regions.
        `more` is what `Segmentation` takes: colours, kind, warnings, origin, source.

        >>> import meshtide as mt, numpy as np
        >>> mesh = mt.make_figure("hand", 1, defects=False)[0]
        >>> halves = mt.Segmentation.of_regions(mesh, np.arange(len(mesh.faces)) % 2)
        >>> [instance.name for instance in halves.instances]
        ['part 1', 'part 2']
        """
        regions = _checked_regions(mesh, face_regions)
        old, dense = np.unique(regions[regions >= 0], return_inverse=True)
        areas = np.bincount(dense, relative_areas(mesh)[regions >= 0], len(old))
        order = np.argsort(-areas, kind="stable")
        rank = np.empty(len(old), dtype=np.int64)
        rank[order] = np.arange(len(old))
        parts = np.full(len(regions), -1, dtype=np.int64)
        parts[regions >= 0] = rank[dense]
        sure = np.ones(len(old)) if region_confidence is None else _checked_sureness(region_confidence, old)
        if names and len(names) <= old.max(initial=-1):
            raise InputError(f"{len(names):,} names for regions 0 to {old.max():,}; give one for each")
        called = tuple(names[old[place]] if names else f"part {number + 1}" for number, place in enumerate(order))
        labels = Labels(parts, "faces", called).to_vertices(mesh)
        rows = _probabilities(labels.values, sure[order])
        colours = more.pop("colours", None) or part_colours(called)
        return Segmentation(mesh, labels, rows, tuple(colours), mesh_regions=parts, **more)

    @property
    def parts(self) -> tuple[str, ...]:
        """The names of all parts that the model knows, present or not."""
        return self.mesh_labels.names

    # About what was handed in

    @cached_property
    def labels(self) -> Labels:
        """The part of each vertex that was handed in."""
        return Labels(self.origin.vertices_to_file(self.mesh_labels.values, -1), "vertices", self.parts)

    @cached_property
    def probabilities(self) -> NDArray[np.float32]:
        """How probable each part is at each vertex that was handed in, (N, parts); 0 where there is no answer."""
        return self.origin.vertices_to_file(self.mesh_probabilities, 0)

    @cached_property
    def confidence(self) -> NDArray[np.float32]:
        """The probability of the part that each vertex was given, (N,); 0 where it was given none."""
        return self.origin.vertices_to_file(self.mesh_confidence, 0)

    @cached_property
    def face_labels(self) -> Labels:
        """The part of each face that was handed in; polygons have one."""
        return Labels(self.origin.faces_to_file(self.mesh_face_labels.values, -1), "faces", self.parts)

    @cached_property
    def face_confidence(self) -> NDArray[np.float32]:
        """How sure the part of each face is, (P,); 0 where it has none."""
        return self.origin.faces_to_file(self.mesh_face_confidence, 0)

    @cached_property
    def instances(self) -> tuple[Instance, ...]:
        """The connected pieces of each part, part by part, the largest first."""
        parts = self.mesh_face_labels.values
        sure = self.mesh_face_confidence
        return describe(self.mesh, self.mesh_face_instances, parts, sure, self.parts, self._triangles)

    @cached_property
    def vertex_instances(self) -> IntArray:
        """The index into `instances` of each vertex that was handed in, (N,); -1 for none."""
        return self.origin.vertices_to_file(self.mesh_vertex_instances, -1)

    @cached_property
    def face_instances(self) -> IntArray:
        """The index into `instances` of each face that was handed in, (P,); -1 for none."""
        return self.origin.faces_to_file(self.mesh_face_instances, -1)

    @cached_property
    def shares(self) -> dict[str, float]:
        """The share of the area that each part has, for those that occur."""
        areas, parts = self._triangles.areas, self.mesh_face_labels.values
        sums = np.bincount(parts + 1, areas, len(self.parts) + 1)[1:] / areas.sum()
        present = np.bincount(parts + 1, minlength=len(self.parts) + 1)[1:] > 0
        return {name: float(sums[part]) for part, name in enumerate(self.parts) if present[part]}

    # About the mesh that was worked with

    @cached_property
    def mesh_confidence(self) -> NDArray[np.float32]:
        """The probability of the part that each of the mesh's vertices was given, (V,); 0 where it was given none."""
        values = self.mesh_labels.values
        chosen = self.mesh_probabilities[np.arange(len(values)), np.maximum(values, 0)]
        return np.where(values >= 0, chosen, np.float32(0)).astype(np.float32)

    @cached_property
    def mesh_face_labels(self) -> Labels:
        """The part of each of the mesh's triangles; all triangles of a polygon have that of its first one."""
        values = self.mesh_labels.to_faces(self.mesh).values if self.mesh_regions is None else self.mesh_regions
        return Labels(self.origin.faces_to_file(values, -1)[self.origin.face_of], "faces", self.parts)

    @cached_property
    def mesh_face_confidence(self) -> NDArray[np.float32]:
        """The mean over a triangle's corners of the probability of its part, (F,); 0 where it has none."""
        parts = self.mesh_face_labels.values
        corners = self.mesh_probabilities[self.mesh.faces, np.maximum(parts, 0)[:, None]]
        return np.where(parts >= 0, corners.mean(axis=1), np.float32(0)).astype(np.float32)

    @cached_property
    def mesh_face_instances(self) -> IntArray:
        """The index into `instances` of each of the mesh's triangles, (F,); -1 for none."""
        parts = self.mesh_face_labels.values
        if self.mesh_pieces is not None:
            pieces = self.origin.faces_to_file(self.mesh_pieces, -1)[self.origin.face_of]
            return in_order(pieces, parts, self._triangles.areas, self._triangles.middles)
        if self.mesh_regions is not None and self.kind is None:  # some part may have no triangle of its own left
            present = np.bincount(parts + 1, minlength=len(self.parts) + 1)[1:] > 0
            return np.where(parts >= 0, (np.cumsum(present) - 1)[parts], -1)
        numbers = {
            self.parts.index(name): count
            for name, count in NUMBERS.get(self.kind or "", {}).items()
            if name in self.parts
        }
        return find_pieces(self.mesh, parts, self.origin.face_of, self._triangles, numbers)

    @cached_property
    def mesh_vertex_instances(self) -> IntArray:
        """The index into `instances` of each of the mesh's vertices, (V,); -1 for none."""
        parts, labels = self.mesh_face_labels.values, self.mesh_labels.values
        return vertex_pieces(self.mesh, self.mesh_face_instances, parts, labels, self._triangles)

    @cached_property
    def outlined(self) -> Outlined:
        """The mesh as it is drawn: its triangles are cut where a border crosses them."""
        from meshtide.inference.outline import outline

        return outline(self)

    @cached_property
    def _triangles(self) -> Triangles:
        return Triangles.of(self.mesh)

    # What can be done with it

    def save(self, path: str | Path) -> None:
        """Write a file by its suffix: .glb, .ply, .obj, .npz, .json, .html, .png, .vtp, .vtk, .3mf,
        .seg or .txt.

        PLY and OBJ have the points and polygons as they were handed in; `meshtide.write_segmentation` says what each
        of the formats holds.
        """
        # The writers stand above this room, so they are asked for by their public name and only now.
        import meshtide

        meshtide.write_segmentation(self, path)

    def show(self) -> None:
        """Open a window to look at the parts."""
        import meshtide

        meshtide.view(self)

    def to_trimesh(self) -> Any:
        """A trimesh.Trimesh with labels as attributes; `meshtide.convert` says what it holds."""
        return self._as("trimesh")

    def to_pyvista(self) -> Any:
        """A pyvista.PolyData with labels on points and cells."""
        return self._as("pyvista")

    def to_open3d(self) -> Any:
        """An open3d.geometry.TriangleMesh in the colours of the parts."""
        return self._as("open3d")

    def _as(self, library: str) -> Any:
        import meshtide

        return meshtide.convert(self, library)

    def _repr_html_(self) -> str:
        """What a notebook shows: the page on which the parts can be turned around."""
        with TemporaryDirectory() as folder:
            page = Path(folder) / "page.html"
            self.save(page)
            return f'<iframe srcdoc="{escape(page.read_text("utf-8"))}" {FRAME}></iframe>'

    @property
    def mean_confidence(self) -> float:
        """The mean over the area that has a part of how sure its part is; 0 if none has."""
        own = self.mesh_face_labels.values >= 0
        return weighted_mean(self.mesh_face_confidence[own], self._triangles.areas[own]) if own.any() else 0.0

    def __repr__(self) -> str:
        counts = f"{self.origin.vertex_count:,} vertices, {self.origin.face_count:,} faces"
        several = [instance.part for instance in self.instances]
        parts = [
            f"{shown(name)}{f' x{several.count(name)}' if several.count(name) > 1 else ''} {share:.0%}"
            for name, share in self.shares.items()
        ]
        told = ", ".join([*parts[:MOST_SHOWN], *(["…"] if len(parts) > MOST_SHOWN else [])]) or "no parts"
        taken = f"{shown(self.kind)}; " if self.kind else ""
        return f"Segmentation({self.mesh.name!r}: {taken}{counts}; {told}; confidence {self.mean_confidence:.0%})"


MOST_SHOWN = 12  # parts in one line
FRAME = 'width="100%" height="480" style="border: 0"'


def _checked_regions(mesh: Mesh, regions: Any) -> IntArray:
    regions = np.asarray(regions)
    if regions.shape != (len(mesh.faces),) or regions.dtype.kind not in "iu" or regions.min() < -1:
        raise InputError(
            f"{mesh.name}: regions are {regions.dtype} {regions.shape} for {len(mesh.faces):,} triangles; "
            "wanted a whole number for each, from 0, or -1 for none"
        )
    return np.asarray(regions, dtype=np.int64)


def _checked_sureness(given: Any, regions: IntArray) -> NDArray[np.float64]:
    sure = np.asarray(given, dtype=np.float64)
    if sure.ndim != 1 or len(sure) <= regions.max(initial=-1) or not ((sure >= 0) & (sure <= 1)).all():
        raise InputError(f"confidence {sure.shape} of {len(regions):,} regions: wanted a number from 0 to 1 for each")
    return sure[regions]


def _probabilities(values: IntArray, sure: NDArray[np.float64]) -> NDArray[np.float32]:
    """Rows (V, parts) where each vertex's part has its region's confidence and the others share the rest evenly."""
    count = len(sure)
    rows = np.zeros((len(values), count), dtype=np.float32)
    for part in range(count):
        mine = values == part
        rows[mine] = (1 - sure[part]) / max(count - 1, 1)
        rows[mine, part] = sure[part] if count > 1 else 1.0
    return rows
