"""Work that is done ahead of whoever wants its answers, in processes that stay, with the answers in order."""

from __future__ import annotations

import multiprocessing
import sys
import time
import types
import weakref
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import Any, TypeVar

from meshtide.errors import InputError
from meshtide.many.processes import start_worker

Item = TypeVar("Item")
Answer = TypeVar("Answer")
FRONT = 3  # answers that wait beyond those that are worked on


class Ahead:
    """Processes that work ahead; one that dies is replaced once, and what it had under way is done again.

    They are started when they are first wanted, and end with this object. `waited` counts the seconds that somebody
    stood waiting for an answer, and `answered` how many there were.
    """

    def __init__(self, jobs: int = 1) -> None:
        self.jobs, self.waited, self.answered = max(1, jobs), 0.0, 0
        self._pool: ProcessPoolExecutor | None = None

    def __call__(self, work: Callable[[Item], Answer], items: Iterable[Item]) -> Iterator[Answer]:
        """The answers of all items in their order; what `work` raises is raised where its answer would be."""
        left = iter(items)
        running: deque[tuple[Item, Future[Answer]]] = deque()
        lost = 0
        try:
            self._fill(work, left, running)
            while running:
                item, future = running[0]
                try:
                    answer = self._wait(future)
                except BrokenProcessPool:
                    lost += 1
                    if lost > 2:
                        raise InputError(f"{item}: {_LOST}") from None
                    self._begin_again(work, running)
                    continue
                lost = 0
                running.popleft()
                self._fill(work, left, running)
                yield answer
        finally:
            for _, future in running:
                future.cancel()

    def close(self) -> None:
        """End the processes."""
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)
            self._pool = None

    def _wait(self, future: Future[Answer]) -> Answer:
        began = time.perf_counter()
        try:
            return future.result()
        finally:
            self.waited += time.perf_counter() - began
            self.answered += 1

    def _fill(
        self, work: Callable[[Item], Answer], left: Iterator[Item], running: deque[tuple[Item, Future[Answer]]]
    ) -> None:
        while len(running) < self.jobs + FRONT:
            for item in left:
                running.append((item, self._submit(work, item)))
                break
            else:
                return

    def _begin_again(self, work: Callable[[Item], Answer], running: deque[tuple[Item, Future[Answer]]]) -> None:
        """New processes, and what was not answered by the old ones again."""
        self.close()
        for place, (item, future) in enumerate(running):
            if not future.done() or future.cancelled() or future.exception() is not None:
                running[place] = item, self._submit(work, item)

    def _submit(self, work: Callable[[Item], Answer], item: Item) -> Future[Answer]:
        if self._pool is None:
            self._pool = ProcessPoolExecutor(self.jobs, multiprocessing.get_context("spawn"), start_worker)
            weakref.finalize(self, self._pool.shutdown, wait=False, cancel_futures=True)
        try:
            with _main_unseen():
                return self._pool.submit(work, item)
        except BrokenProcessPool as error:
            failed: Future[Answer] = Future()
            failed.set_exception(error)
            return failed


_LOST = "the process that read it was killed again and again; is there enough memory?"


@contextmanager
def _main_unseen() -> Iterator[None]:
    """Let a process be started that does not run the caller's script anew, which may have no guard against that."""
    main: Any = sys.modules["__main__"]
    sys.modules["__main__"] = types.ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main
