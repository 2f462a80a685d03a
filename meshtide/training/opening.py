"""Whether the shapes of a collection are kept in memory or streamed, and what is done before they are."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace

from meshtide.data.finding import Shape
from meshtide.data.loading import Loading
from meshtide.many.ahead import Ahead
from meshtide.mesh.mesh import Mesh
from meshtide.spectral.batch import prepare_meshes
from meshtide.spectral.cache import Cache
from meshtide.training.distributed import current_team
from meshtide.training.examples import LabelledShape, shape_of
from meshtide.training.streaming import Stream

LOOKED_AT = 8  # shapes, for the memory that all of them would take
MOST_SHARE = 0.5  # of the memory that is free


def is_too_much(*loadings: tuple[Loading, Sequence[Shape]]) -> bool:
    """Whether so many shapes would take more memory than they should, as some of them tell."""
    free = free_memory()
    every = [(loading, shape) for loading, shapes in loadings for shape in shapes]
    if free is None or len(every) <= LOOKED_AT:
        return False
    # Evenly from all of them: those of a kind often stand together.
    some = [every[len(every) * number // LOOKED_AT] for number in range(LOOKED_AT)]
    taken = sum(_bytes_of(loading.collection.load(shape)[0], loading) for loading, shape in some)
    return taken / LOOKED_AT * len(every) > MOST_SHARE * free / current_team().size


def _bytes_of(mesh: Mesh, loading: Loading) -> int:
    """The memory that a shape takes, about."""
    pairs = loading.recipe.k * (3 if "gradients" in loading.extras else 1)
    at_vertex = 4 * (pairs + loading.recipe.channels) + 24 + 16  # coordinates, mass and label
    return at_vertex * len(mesh.vertices) + (24 + 24 + 12) * len(mesh.faces)  # faces twice, and edges


def free_memory() -> int | None:
    """The bytes that are free, where the system says so."""
    try:
        with open("/proc/meminfo", encoding="ascii") as file:  # noqa: PTH123  # no file but an answer
            lines = dict(line.split(":", 1) for line in file)
        return int(lines["MemAvailable"].split()[0]) * 1024
    except (OSError, KeyError, ValueError):
        try:
            return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        except (AttributeError, OSError, ValueError):
            return None


def streamed(
    loadings: Sequence[tuple[Loading, Sequence[Shape]]], jobs: int, progress: Callable[[str, int], Callable[[], None]]
) -> list[Stream[LabelledShape]]:
    """Streams of shapes, which all have the same processes, after one look at those that are learned from."""
    ahead = Ahead(jobs)
    found = []
    for loading, shapes in loadings:
        if loading.collection.store is None:
            cache = loading.cache or Cache()
            paths = [shape.mesh_path for shape in shapes]
            count = progress("preparing", len(paths))
            for _ in prepare_meshes(paths, loading.recipe, cache.folder, jobs=jobs):
                count()  # what failed is said by the reading that follows
            loading = replace(loading, cache=cache)
        light = replace(loading, collection=loading.collection.without_shapes())
        found.append(Stream(shapes, light, ahead, shape_of))
    for stream in found[:2]:  # what is learned from, and what is validated on
        stream.examples.glanced(progress("looking through", len(stream)))
    return found
