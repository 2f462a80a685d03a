"""Prepare many mesh files into a cache, in one process or several."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
import warnings
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from multiprocessing.connection import wait as wait_for_any
from pathlib import Path
from typing import Literal

from threadpoolctl import threadpool_limits

from meshtide.errors import InputError
from meshtide.spectral.cache import Cache
from meshtide.spectral.recipe import GraphRecipe

Status = Literal["computed", "cached", "failed"]


@dataclass(frozen=True)
class Outcome:
    """What became of one file; if it failed, the one remark says why."""

    path: Path
    status: Status
    seconds: float
    vertices: int
    remarks: tuple[str, ...] = ()


def prepare_meshes(
    paths: Sequence[Path], recipe: GraphRecipe, cache_folder: Path | None, *, jobs: int = 1
) -> Iterator[Outcome]:
    """Prepare every file and yield its outcome as soon as it is known; one bad file does not stop the others.

    A cache folder that cannot be written raises InputError at the first step, as filling it is the whole purpose. With
    jobs > 1 the calling script needs the usual `if __name__ == "__main__":`, for workers import it afresh.
    """
    if jobs < 1:
        raise InputError(f"`jobs` is {jobs}; it should be 1 or more")
    Cache(cache_folder).require_writable()
    jobs = min(jobs, len(paths))
    if jobs <= 1:
        yield from (prepare_file(path, recipe, cache_folder) for path in paths)
    else:
        yield from _in_processes(deque(paths), recipe, cache_folder, jobs)


def prepare_file(path: Path, recipe: GraphRecipe, cache_folder: Path | None) -> Outcome:
    """Prepare one file in this process; warnings become remarks, and whatever goes wrong becomes a failed outcome."""
    # Here and not above: workers load it while the parent need not, and the readers of mesh formats take a while.
    from meshtide.mesh.files import load_ready

    start = time.perf_counter()
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", UserWarning)
            mesh, repairs = load_ready(path)
            fetched = Cache(cache_folder).fetch(mesh, recipe)
    except InputError as error:
        return _failed(path, str(error), start)
    except MemoryError:
        return _failed(path, f"{path}: there is not enough memory to prepare it; fewer `jobs` may help", start)
    except Exception as error:  # a fault of ours in one shape should not cost the other shapes
        return _failed(path, f"{path}: could not be prepared ({type(error).__name__}: {error})", start)
    said = [str(warning.message) for warning in caught if issubclass(warning.category, UserWarning)]
    remarks = tuple(dict.fromkeys((*repairs, *said, *fetched.remarks)))
    status: Status = "cached" if fetched.hit else "computed"
    return Outcome(path, status, time.perf_counter() - start, len(mesh.vertices), remarks)


def _failed(path: Path, sentence: str, start: float) -> Outcome:
    return Outcome(path, "failed", time.perf_counter() - start, 0, (" ".join(sentence.split()),))


def _in_processes(waiting: deque[Path], recipe: GraphRecipe, folder: Path | None, jobs: int) -> Iterator[Outcome]:
    """Keep `jobs` workers busy; when one dies, try what was under way again, each shape alone."""
    while waiting:
        suspects: list[Path] = []
        yield from _until_broken(waiting, suspects, recipe, folder, jobs)
        for path in suspects:
            again: list[Path] = []
            yield from _until_broken(deque([path]), again, recipe, folder, 1)
            if again:
                sentence = f"{path}: the process that prepared it was killed; did it need more memory than there is?"
                yield Outcome(path, "failed", 0.0, 0, (sentence,))


def _until_broken(
    waiting: deque[Path], suspects: list[Path], recipe: GraphRecipe, folder: Path | None, jobs: int
) -> Iterator[Outcome]:
    """Work through `waiting` until it is empty or a worker dies; then what was under way goes to `suspects`."""
    pool = ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn"), start_worker)
    running: dict[Future[Outcome], Path] = {}
    try:
        while (waiting or running) and not suspects:
            while waiting and len(running) < 2 * jobs:  # one ahead, so that no worker waits for whoever reads outcomes
                running[pool.submit(prepare_file, waiting[0], recipe, folder)] = waiting[0]
                waiting.popleft()
            done, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                path = running.pop(future)
                if isinstance(future.exception(), BrokenProcessPool):
                    suspects.append(path)
                else:
                    yield future.result()
        suspects.extend(running.values())
    except BrokenProcessPool:  # noticed while submitting
        suspects.extend(running.values())
    except BaseException:  # Ctrl-C, or the caller stopped reading
        _stop(pool)
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _stop(pool: ProcessPoolExecutor) -> None:
    """End the workers now: the cache is safe at any moment, and nobody wants their answers."""
    for process in list((getattr(pool, "_processes", None) or {}).values()):
        process.terminate()


def start_worker() -> None:
    """Set up a worker: one thread for linear algebra, no traceback on Ctrl-C, and an end when the parent has ended."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):  # for libraries not loaded yet
        os.environ[name] = "1"
    threadpool_limits(limits=1)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    # A killed parent closes nothing that its workers wait for, and they would stay for ever.
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait_for_any([parent.sentinel])
        os._exit(1)
