"""Work in processes of this machine; one that dies costs at most the item that killed it."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from multiprocessing.connection import wait as wait_for_any
from typing import Any, TypeVar

from threadpoolctl import threadpool_limits

from meshtide.errors import InputError

Item = TypeVar("Item")
Answer = TypeVar("Answer")
KILLED = "the process that worked on it was killed; did it need more memory than there is?"


def in_processes(
    work: Callable[[Item], Answer],
    items: Sequence[Item],
    jobs: int,
    lost: Callable[[Item, str], Answer],
    memory: float | None = None,
) -> Iterator[tuple[int, Answer]]:
    """Keep `jobs` workers busy; when one dies, what was under way is tried again, each item alone."""
    if memory is not None:
        check_memory_can_be_limited()
    pools = _Pools(work, items, memory)
    waiting = deque(range(len(items)))
    while waiting:
        suspects: list[int] = []
        yield from pools.until_broken(waiting, suspects, jobs)
        for index in suspects:
            again: list[int] = []
            yield from pools.until_broken(deque([index]), again, 1)
            if again:
                yield index, lost(items[index], KILLED)


@dataclass(frozen=True)
class _Pools:
    """What every pool of workers is made for."""

    work: Callable[[Any], Any]
    items: Sequence[Any]
    memory: float | None

    def until_broken(self, waiting: deque[int], suspects: list[int], jobs: int) -> Iterator[tuple[int, Any]]:
        """Work through `waiting` until it is empty or a worker dies; then what was under way goes to `suspects`."""
        context = multiprocessing.get_context("spawn")
        pool = ProcessPoolExecutor(jobs, context, start_worker, (self.memory,))
        running: dict[Future[Any], int] = {}
        try:
            while (waiting or running) and not suspects:
                while waiting and len(running) < 2 * jobs:  # one ahead, so that no worker waits for who reads answers
                    running[pool.submit(self.work, self.items[waiting[0]])] = waiting[0]
                    waiting.popleft()
                done, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    index = running.pop(future)
                    if isinstance(future.exception(), BrokenProcessPool):
                        suspects.append(index)
                    else:
                        yield index, future.result()
            suspects.extend(running.values())
        except BrokenProcessPool:  # noticed while submitting
            suspects.extend(running.values())
        except BaseException:  # Ctrl-C, or the caller stopped reading
            _stop(pool)
            raise
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _stop(pool: ProcessPoolExecutor) -> None:
    """End the workers now: what they write appears whole or not at all, and nobody wants their answers."""
    for process in list((getattr(pool, "_processes", None) or {}).values()):
        process.terminate()


def start_worker(memory: float | None = None) -> None:
    """Set up a worker: one thread for linear algebra, no traceback on Ctrl-C, and an end when the parent has ended."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    use_one_thread()
    if memory is not None:
        limit_memory(memory)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def use_one_thread() -> None:
    """Linear algebra of this process has one thread: its neighbours need the other cores."""
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):  # for libraries not loaded yet
        os.environ[name] = "1"
    threadpool_limits(limits=1)


def check_memory_can_be_limited() -> None:
    """Raise InputError where the system has no limit of a process's own memory."""
    if not sys.platform.startswith("linux"):
        raise InputError("`memory` needs Linux, which can limit what a process takes; leave it out here")


def limit_memory(gigabytes: float) -> None:
    """Let this process take so much memory of its own and no more; beyond that it gets a MemoryError."""
    import resource

    # Data and not address space: libraries reserve much of the latter that they never touch.
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    wanted = int(gigabytes * 1e9)
    resource.setrlimit(resource.RLIMIT_DATA, (wanted if hard < 0 else min(wanted, hard), hard))


def _end_with_parent() -> None:
    # A killed parent closes nothing that its workers wait for, and they would stay for ever.
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait_for_any([parent.sentinel])
        os._exit(1)
