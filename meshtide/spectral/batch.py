"""Prepare many mesh files into a cache, in one process or several."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal

from meshtide.errors import InputError
from meshtide.many.engine import Engine, run
from meshtide.many.remote import local_copy
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


def prepare_meshes(
    paths: Sequence[Path | str],
    recipe: GraphRecipe,
    cache_folder: Path | None,
    *,
    jobs: int = 1,
    engine: Engine | None = None,
) -> Iterator[Outcome]:
    """Prepare every file and yield its outcome as soon as it is known; one bad file does not stop the others.

    A cache folder that cannot be written raises InputError at the first step, as filling it is the whole purpose. With
    jobs > 1 the calling script needs the usual `if __name__ == "__main__":`, for workers import it afresh. An `engine`
    says in other ways where the work is done, and a path may be an address of storage elsewhere.
    """
    engine = engine or Engine(jobs)
    Cache(cache_folder).require_writable()
    work = partial(prepare_file, recipe=recipe, cache_folder=cache_folder)
    yield from (outcome for _, outcome in run(work, list(paths), engine, _lost))


def _lost(path: Path | str, sentence: str) -> Outcome:
    return Outcome(path, "failed", 0.0, 0, (f"{path}: {sentence}",))


def prepare_file(path: Path | str, recipe: GraphRecipe, cache_folder: Path | None) -> Outcome:
    """Prepare one file in this process; warnings become remarks, and whatever goes wrong becomes a failed outcome."""
    # Here and not above: workers load it while the parent need not, and the readers of mesh formats take a while.
    from meshtide.mesh.files import load_ready

    start = time.perf_counter()
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", UserWarning)
            with local_copy(path) as local:
                mesh, repairs = load_ready(local)
            fetched = Cache(cache_folder).fetch(mesh, recipe)
    except InputError as error:
        return _failed(path, str(error), start)
    except MemoryError:
        return _failed(path, f"{path}: there is not enough memory to prepare it; fewer `jobs` may help", start)
    except Exception as error:  # a fault of ours in one shape should not cost the other shapes
        return _failed(path, f"{path}: could not be prepared ({type(error).__name__}: {error})", start)
    if not fetched.kept:  # to keep it was the whole purpose
        return _failed(path, f"{path}: was not kept; {fetched.remarks[-1]}", start)
    said = [str(warning.message) for warning in caught if issubclass(warning.category, UserWarning)]
    remarks = tuple(dict.fromkeys((*repairs, *said, *fetched.remarks)))
    status: Status = "cached" if fetched.hit else "computed"
    return Outcome(path, status, time.perf_counter() - start, len(mesh.vertices), remarks)


def _failed(path: Path | str, sentence: str, start: float) -> Outcome:
    return Outcome(path, "failed", time.perf_counter() - start, 0, (" ".join(sentence.split()),))
