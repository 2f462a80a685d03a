"""All that training and scoring read of a shape, without torch: what worker processes hand over."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from meshtide.arrays import IntArray
from meshtide.data.collection import Collection
from meshtide.data.finding import Shape
from meshtide.errors import InputError
from meshtide.labels.labels import Labels
from meshtide.mesh.mesh import Mesh
from meshtide.spectral.cache import Cache
from meshtide.spectral.preparation import Preparation
from meshtide.spectral.prepared import Prepared, prepared_mesh
from meshtide.spectral.recipe import GraphRecipe


@dataclass(frozen=True, eq=False)
class Loaded:
    """A shape with its labels in the parts of its collection; without `whole` the first two are left out."""

    mesh: Mesh | None
    labels: Labels | None
    targets: IntArray  # (V,) the part of every vertex, or -1
    prepared: Prepared


@dataclass(frozen=True)
class Loading:
    """How shapes are loaded: from which collection, and what is wanted of them."""

    collection: Collection  # without its shapes, where it goes to other processes
    recipe: GraphRecipe
    cache: Cache | None
    extras: tuple[str, ...] = ()
    whole: bool = True  # with mesh and labels
    glance: bool = False  # with features alone, and nothing of the eigenbasis

    def __call__(self, shape: Shape) -> Loaded:
        """Load one shape, by way of the shards that it comes from, or of the cache."""
        mesh, labels, known = self._read(shape)
        if labels is None:
            raise InputError(f"{shape.mesh_path}: has no labels")
        targets = labels.to_vertices(mesh).values
        prepared = prepared_mesh(mesh, self.recipe, self.cache, () if self.glance else self.extras, known)
        if self.glance:
            made = prepared.preparation
            prepared = Prepared(
                replace(made, vectors=np.zeros((len(made.mass), 0), np.float32), values=made.values[:0])
            )
        return Loaded(mesh if self.whole else None, labels if self.whole else None, targets, prepared)

    def _read(self, shape: Shape) -> tuple[Mesh, Labels | None, Preparation | None]:
        """The mesh, its labels, and its preparation if it was packed with it."""
        store = self.collection.store
        if store is None:
            mesh, labels = self.collection.load(shape)
            return mesh, labels, None
        unpacked = store.read(shape)
        known = unpacked.preparation if self.recipe in (store.recipe, store.recipe.kept) else None
        if known is not None and self.recipe != store.recipe:  # the last columns are not wanted
            known = replace(known, features=known.features[:, : self.recipe.channels])
        return unpacked.mesh, self.collection.in_vocabulary(unpacked.labels, shape), known
