"""What a recorded network reads of a mesh: the arrays of a MeshGraph, without torch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from meshtide.errors import InputError
from meshtide.inference.predict import checked_scores
from meshtide.inference.recorded import Recorded, asked
from meshtide.mesh.mesh import Mesh
from meshtide.mesh.ready import at_usual_scale
from meshtide.spectral.cache import Cache
from meshtide.spectral.gradients import basis_gradients
from meshtide.spectral.preparation import prepare
from meshtide.spectral.recipe import GraphRecipe
from meshtide.spectral.spectrum import frequencies_of


@dataclass(frozen=True, eq=False)
class Reading:
    """A mesh as arrays by the names that a program has for them."""

    name: str
    arrays: Mapping[str, NDArray[np.float32]]

    @property
    def features(self) -> NDArray[np.float32]:
        """The input features, (V, C)."""
        return self.arrays["features"]

    @property
    def mass(self) -> NDArray[np.float32]:
        """The vertices' shares of the area, (V,)."""
        return self.arrays["mass"]


def read(mesh: Mesh, recipe: GraphRecipe, cache: Cache | None = None) -> Reading:
    """Prepare a mesh for a recorded network, by way of a cache if one is given; `mesh_graph` is the same in torch."""
    mesh = at_usual_scale(mesh)
    preparation = cache.fetch(mesh, recipe).preparation if cache is not None else prepare(mesh, recipe)
    single = np.float32
    arrays = {
        "features": preparation.features,
        "frequencies": frequencies_of(preparation.values, recipe.operator).astype(single),
        "vectors": preparation.vectors,
        "mass": preparation.mass.astype(single),
        "gradients": basis_gradients(mesh, preparation.vectors),
    }
    return Reading(mesh.name, arrays)


def said_of(network: Recorded | None, reading: Reading) -> NDArray[np.float32]:
    """The probability of each part at each vertex, (V, P)."""
    if network is None:
        raise InputError(f"{reading.name}: was read for a recorded network, and this model's has been changed since")
    return checked_scores(asked(network, **reading.arrays), reading.name)
