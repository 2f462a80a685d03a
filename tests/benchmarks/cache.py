"""How much faster a mesh is read from the cache than computed: `python tests/benchmarks/cache.py [MESH]`.

Without a mesh: a torus of 6,912 vertices, about the size of a FAUST body. A warm read is all of it: the digest of the
geometry, the file, its checksum and the arrays. Cold and warm runs alternate, and medians are compared.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).parents[1] / "helpers"))

from shapes import torus

from meshtide.mesh.files import load_mesh
from meshtide.mesh.mesh import Mesh
from meshtide.spectral.cache import Cache
from meshtide.spectral.preparation import prepare
from meshtide.spectral.recipe import GraphRecipe

ROUNDS, READS = 7, 10


def seconds(cache: Cache, mesh: Mesh, recipe: GraphRecipe, hit: bool) -> float:
    start = time.perf_counter()
    fetched = cache.fetch(mesh, recipe)
    elapsed = time.perf_counter() - start
    assert fetched.hit is hit, fetched.remarks
    return elapsed


def main() -> None:
    mesh = load_mesh(sys.argv[1]) if len(sys.argv) > 1 else torus(96, 72)
    recipe = GraphRecipe(k=128)
    prepare(mesh, recipe)  # imports and first-time set-up are nobody's
    cold, warm = [], []
    with tempfile.TemporaryDirectory() as folder:
        cache = Cache(Path(folder))
        for _ in range(ROUNDS):
            cache.clear()
            cold.append(seconds(cache, mesh, recipe, hit=False))
            warm += [seconds(cache, mesh, recipe, hit=True) for _ in range(READS)]
        size = cache.info().bytes
    print(f"{mesh.name}: {len(mesh.vertices):,} vertices, k = {recipe.k}, {size / 1e6:.1f} MB")
    print(f"computed {1e3 * median(cold):.0f} ms (fastest {1e3 * min(cold):.0f})")
    print(f"read     {1e3 * median(warm):.2f} ms (fastest {1e3 * min(warm):.2f})")
    print(f"ratio    {median(cold) / median(warm):.0f} (fastest to fastest {min(cold) / min(warm):.0f})")


if __name__ == "__main__":
    main()
