"""Work on the workers of a Dask cluster: those that die or fall silent cost time, never an item."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from meshtide.errors import InputError
from meshtide.many.processes import use_one_thread

Item = TypeVar("Item")
Answer = TypeVar("Answer")
CONNECT_SECONDS = 30.0  # until the scheduler must have answered and a worker must be there
SILENT_SECONDS = 10.0  # a worker says that it lives twice a second or so; after this its items are given to others
ALONE_SECONDS = 600.0  # how long a cluster may be without any worker
LOOK_SECONDS = 1.0  # between two looks at the workers
AHEAD = 3  # items that wait at each thread of a worker

_one_at_a_time = threading.Lock()


def on_cluster(
    work: Callable[[Item], Answer], items: Sequence[Item], address: str, lost: Callable[[Item, str], Answer]
) -> Iterator[tuple[int, Answer]]:
    """Do the work on the workers of the scheduler at an address; each index is yielded once."""
    with _connected(address) as client:
        tasks = _Tasks(client, work, items)
        try:
            while tasks.fill():
                for index, future in tasks.finished():
                    try:
                        answer = _answer(future, items[index], lost)
                    except TimeoutError:  # whoever has the answer fell silent before it could be fetched
                        tasks.waiting.appendleft(index)
                    else:
                        yield index, answer
        finally:
            tasks.cancel()


@contextmanager
def _connected(address: str) -> Iterator[Any]:
    """A client of the scheduler at an address, with one worker at least."""
    try:
        from distributed import Client
    except ImportError:
        raise InputError('a `scheduler` needs Dask; install it with pip install "meshtide[cluster]"') from None
    try:
        client = Client(address, timeout=CONNECT_SECONDS)
    except (OSError, ValueError) as error:
        raise InputError(
            f"{address}: no scheduler answers there ({error}); start one with `dask scheduler`, and give "
            "tcp://HOST:PORT as it says"
        ) from error
    with client:
        try:
            client.wait_for_workers(1, timeout=CONNECT_SECONDS)
        except TimeoutError:
            raise InputError(
                f"{address}: the scheduler has no worker; start some with `dask worker {address}`"
            ) from None
        yield client


class _Tasks:
    """What is under way: few items ahead of the workers, so that a million of them need no memory here or there."""

    def __init__(self, client: Any, work: Callable[[Any], Any], items: Sequence[Any]) -> None:
        self.client, self.work, self.items = client, work, items
        self.waiting = deque(range(len(items)))
        self.running: dict[Any, int] = {}
        self.alive: dict[str, int] = {}  # threads of each worker that has spoken lately
        self.looked, self.met = -LOOK_SECONDS, time.monotonic()

    def fill(self) -> bool:
        """Hand out items while workers have room; returns whether anything is left to wait for."""
        self._look()
        room = max(1, AHEAD * sum(self.alive.values()))
        while self.alive and self.waiting and len(self.running) < room:
            self._submit(self.waiting.popleft())
        return bool(self.waiting or self.running)

    def finished(self) -> Iterator[tuple[int, Any]]:
        """What has come to an end in the next moment."""
        from distributed import CancelledError, wait

        if not self.running:
            time.sleep(LOOK_SECONDS)
            return
        try:
            done = wait(list(self.running), timeout=LOOK_SECONDS, return_when="FIRST_COMPLETED").done
        except TimeoutError:
            return
        except CancelledError:
            raise InputError(f"the `scheduler` was lost with what was under way; {_GO_ON}") from None
        for future in done:
            yield self.running.pop(future), future

    def cancel(self) -> None:
        """Nobody wants the answers that are still to come."""
        if self.running:
            self.client.cancel(list(self.running))

    def _submit(self, index: int) -> None:
        # Only those that are alive: the scheduler itself learns late that a worker has fallen silent.
        future = self.client.submit(_done, self.work, self.items[index], workers=list(self.alive), pure=False)
        self.running[future] = index

    def _look(self) -> None:
        """Give what silent workers have under way to the others."""
        now = time.monotonic()
        if now - self.looked < LOOK_SECONDS:
            return
        self.looked = now
        workers = self._workers()
        latest = max((each["last_seen"] for each in workers.values()), default=0.0)
        before = set(self.alive)
        self.alive = {
            name: each["nthreads"] for name, each in workers.items() if latest - each["last_seen"] < SILENT_SECONDS
        }
        if self.alive:
            self.met = now
        elif now - self.met > ALONE_SECONDS:
            raise InputError(f"the `scheduler` has had no worker for {ALONE_SECONDS / 60:.0f} minutes; {_GO_ON}")
        if set(self.alive) != before:
            self._take_back()

    def _workers(self) -> dict[str, Any]:
        from distributed.comm.core import CommClosedError

        try:
            return dict(self.client.sync(self.client.scheduler.identity, n_workers=-1)["workers"])
        except (OSError, CommClosedError) as error:
            raise InputError(f"the `scheduler` does not answer any more ({error}); {_GO_ON}") from error

    def _take_back(self) -> None:
        """Whatever no living worker is at is waiting again, before all that was not begun."""
        at = {key for name, keys in self.client.processing().items() if name in self.alive for key in keys}
        for future in [each for each in self.running if each.status == "pending" and each.key not in at]:
            if future.status == "pending":  # and has not been answered since
                self.waiting.appendleft(self.running.pop(future))
                self.client.cancel([future])


_GO_ON = "what was done is kept, and `resume` goes on with it"


def _done(work: Callable[[Item], Answer], item: Item) -> Answer:
    """One item at a worker, which may have several threads: models and warnings are those of the process."""
    with _one_at_a_time:
        use_one_thread()
        return work(item)


def _answer(future: Any, item: Item, lost: Callable[[Item, str], Answer]) -> Answer:
    """What a worker answered, or why none did."""
    from distributed import KilledWorker

    error = future.exception(timeout=SILENT_SECONDS)
    if error is None:
        return future.result(timeout=SILENT_SECONDS)  # type: ignore[no-any-return]  # what `work` returns
    if isinstance(error, KilledWorker):
        return lost(item, "several workers were lost while they worked on it; did it need more memory than they have?")
    if isinstance(error, ImportError):
        raise InputError(f"the workers of the `scheduler` cannot load meshtide ({error}); install it for them too")
    return lost(item, f"a worker could not do it ({type(error).__name__}: {error})")
