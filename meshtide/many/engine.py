"""Where the work on many meshes is done: here, in processes of this machine, or on a Dask cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from meshtide.errors import InputError
from meshtide.many.processes import in_processes

Item = TypeVar("Item")
Answer = TypeVar("Answer")


@dataclass(frozen=True)
class Engine:
    """How many processes work side by side, or the address of the scheduler whose workers do.

    `memory` is the most that a process of this machine may take, in GB; workers of a cluster have limits of their own.
    """

    jobs: int = 1
    scheduler: str | None = None
    memory: float | None = None

    def __post_init__(self) -> None:
        if self.jobs < 1:
            raise InputError(f"`jobs` is {self.jobs}; it should be 1 or more")
        if self.memory is not None and not self.memory > 0:
            raise InputError(f"`memory` is {self.memory:g}; it should be more than 0 GB")
        if self.scheduler is not None and self.jobs > 1:
            raise InputError("`jobs` are processes of this machine and a `scheduler` has workers of its own; give one")
        if self.scheduler is not None and self.memory is not None:
            raise InputError(
                "`memory` is for processes of this machine; start the workers of a cluster with dask's memory limit"
            )

    @property
    def is_here(self) -> bool:
        """Whether all is done one after the other in this process."""
        return self.scheduler is None and self.memory is None and self.jobs == 1


HERE = Engine()


def run(
    work: Callable[[Item], Answer], items: Sequence[Item], engine: Engine, lost: Callable[[Item, str], Answer]
) -> Iterator[tuple[int, Answer]]:
    """Do the work on every item and yield (index, answer) as soon as it is known, each index once.

    `work` raises nothing for what one item does, and doing an item twice must be as good as once: whatever a lost
    worker had under way is done again. Where that is in vain, `lost` makes the answer from the item and a sentence.
    """
    if engine.scheduler is not None:
        from meshtide.many.cluster import on_cluster

        yield from on_cluster(work, items, engine.scheduler, lost)
    elif engine.is_here or (engine.memory is None and len(items) < 2):
        yield from ((index, work(item)) for index, item in enumerate(items))
    else:
        yield from in_processes(work, items, min(engine.jobs, len(items)), lost, engine.memory)
