"""Prepare many mesh files into a cache: here, side by side, on a cluster or in shards, and go on after a stop."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal

from meshtide.errors import InputError
from meshtide.many.engine import Engine
from meshtide.many.entries import PREPARED, fits
from meshtide.many.manifest import Manifest, digest_of, fingerprint
from meshtide.many.remote import local_copy
from meshtide.many.tasks import Entry, Task, do_tasks, failed_entry
from meshtide.spectral.cache import Cache
from meshtide.spectral.recipe import GraphRecipe

Status = Literal["computed", "cached", "failed"]


@dataclass(frozen=True)
class Outcome:
    """What became of one file; if it failed, the one remark says why."""

    path: Path | str
    status: Status
    seconds: float
    vertices: int
    remarks: tuple[str, ...] = ()
    order: int = 0  # among all inputs


def prepare_meshes(
    paths: Sequence[Path | str],
    recipe: GraphRecipe,
    cache_folder: Path | None,
    *,
    jobs: int = 1,
    engine: Engine | None = None,
    manifest: Manifest | None = None,
    orders: Sequence[int] | None = None,
) -> Iterator[Outcome]:
    """Prepare every file and yield its outcome as soon as it is known; one bad file does not stop the others.

    A cache folder that cannot be written raises InputError at the first step, as filling it is the whole purpose. With
    jobs > 1 the calling script needs the usual `if __name__ == "__main__":`, for workers import it afresh. An `engine`
    says in other ways where the work is done, and a path may be an address of storage elsewhere. A `manifest` remembers
    what was done; `orders` are the places of the paths among all inputs, where these are a share of them.
    """
    engine = engine or Engine(jobs)
    Cache(cache_folder).require_writable()
    # With the folder: what another one has is not in this one.
    mark = fingerprint({"prepare": recipe.to_json(), "cache": str(Cache(cache_folder).folder)})
    tasks = [Task(path, order=order) for order, path in zip(orders or range(len(paths)), paths, strict=True)]
    work = partial(prepare_task, recipe=recipe, cache_folder=cache_folder, digests=manifest is not None)
    for task, entry in do_tasks(work, tasks, engine, manifest, mark):
        yield _outcome(task, entry)


def prepare_task(
    task: Task, recipe: GraphRecipe, cache_folder: Path | None, digests: bool = False
) -> tuple[Entry, str]:
    """Prepare one file in this process; warnings become remarks, and whatever goes wrong becomes a failed entry."""
    # Here and not above: workers load it while the parent need not, and the readers of mesh formats take a while.
    from meshtide.mesh.files import load_ready

    start = time.perf_counter()
    digest = ""
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", UserWarning)
            with local_copy(task.source) as local:
                digest = digest_of(local) if digests else ""
                if (before := task.done_before(digest, _is_told)) is not None:
                    return before, digest
                mesh, repairs = load_ready(local)
            fetched = Cache(cache_folder).fetch(mesh, recipe)
        if not fetched.kept:  # to keep it was the whole purpose
            raise InputError(f"{task.source}: was not kept; {fetched.remarks[-1]}")
    except MemoryError:
        sentence = f"{task.source}: there is not enough memory to prepare it; fewer `jobs` may help"
        return failed_entry(task, InputError(sentence)), digest
    except Exception as error:  # a fault of ours in one shape should not cost the other shapes
        return failed_entry(task, error), digest
    said = [str(warning.message) for warning in caught if issubclass(warning.category, UserWarning)]
    return {
        "file": str(task.source),
        "status": "cached" if fetched.hit else "computed",
        "seconds": round(time.perf_counter() - start, 6),
        "vertices": len(mesh.vertices),
        "remarks": list(dict.fromkeys((*repairs, *said, *fetched.remarks))),
        "written": [str(fetched.path)],
    }, digest


def _is_told(entry: Entry) -> bool:
    return fits(entry, PREPARED)


def _outcome(task: Task, entry: Entry) -> Outcome:
    if "error" in entry:
        return Outcome(task.source, "failed", 0.0, 0, (" ".join(entry["error"].split()),), task.order)
    status: Status = "cached" if "resumed" in entry else entry["status"]
    return Outcome(task.source, status, entry["seconds"], entry["vertices"], tuple(entry["remarks"]), task.order)
