"""Cache entries to spoil, and the check that a spoilt one is replaced; for the tests of the cache."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import numpy as np
from shapes import sphere

from meshtide.mesh.mesh import Mesh
from meshtide.spectral.cache import Cache, cache_key
from meshtide.spectral.preparation import Preparation, prepare, seal, to_image
from meshtide.spectral.recipe import GraphRecipe

RECIPE = GraphRecipe(k=8, features=("log-hks", "wks"))
MESH = sphere(1)


def assert_same(one: Preparation, other: Preparation) -> None:
    for field in fields(Preparation):
        left, right = np.asarray(getattr(one, field.name)), np.asarray(getattr(other, field.name))
        assert left.dtype == right.dtype, field.name
        assert left.shape == right.shape, field.name
        assert left.tobytes() == right.tobytes(), field.name


def put(cache: Cache, content: bytes, mesh: Mesh = MESH, recipe: GraphRecipe = RECIPE) -> Path:
    """Write the bytes where the cache looks for a mesh."""
    path = cache.path(cache_key(mesh, recipe))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def good_bytes() -> bytes:
    image = to_image(prepare(MESH, RECIPE), RECIPE)
    return seal(cache_key(MESH, RECIPE), image) + image


def assert_rebuilt(cache: Cache, match: str = "set aside") -> str:
    """The entry is not used but set aside, rebuilt rightly, and good from then on."""
    fetched = cache.fetch(MESH, RECIPE)
    assert not fetched.hit
    assert len(fetched.remarks) == 1
    assert match in fetched.remarks[0]
    assert_same(fetched.preparation, prepare(MESH, RECIPE))
    again = cache.fetch(MESH, RECIPE)
    assert again.hit
    assert again.remarks == ()
    assert_same(again.preparation, fetched.preparation)
    return fetched.remarks[0]
