"""A mesh's preparation with what some networks read besides, built each time as that takes less than reading it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from meshtide.mesh.mesh import Mesh
from meshtide.mesh.ready import at_usual_scale
from meshtide.spectral.cache import Cache
from meshtide.spectral.gradients import basis_gradients
from meshtide.spectral.preparation import Preparation, prepare
from meshtide.spectral.recipe import GraphRecipe
from meshtide.spectral.spectrum import laplacian


@dataclass(frozen=True, eq=False)
class Prepared:
    """A preparation and its extras, as far as they were asked for."""

    preparation: Preparation
    stiffness: sparse.csc_array[Any] | None = None
    gradients: NDArray[np.float32] | None = None


def prepared_mesh(
    mesh: Mesh,
    recipe: GraphRecipe,
    cache: Cache | None = None,
    extras: Collection[str] = (),
    known: Preparation | None = None,
) -> Prepared:
    """Prepare a mesh, by way of a cache if one is given; a preparation that is `known` is not made again."""
    mesh = at_usual_scale(mesh)
    if known is None:
        known = cache.fetch(mesh, recipe).preparation if cache is not None else prepare(mesh, recipe)
    return Prepared(
        known,
        laplacian(mesh, "surface").matrix if "stiffness" in extras else None,
        basis_gradients(mesh, known.vectors) if "gradients" in extras else None,
    )
