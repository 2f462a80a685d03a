"""Training in several processes, on one machine or many: each has its share of every step's shapes.

`torchrun --nproc-per-node 2 -m meshtide train …` starts the processes. All of them load the same shapes and draw the
same numbers; gradients are averaged before every step, so that all have the same weights after it. The first one writes
and speaks.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, TypeVar

import torch
from torch import distributed, nn

from meshtide.errors import InputError

_T = TypeVar("_T")
# The first process may prepare shapes for long while the others wait. Who dies ends the wait: torchrun ends all.
LONGEST_WAIT = timedelta(days=2)


@dataclass(frozen=True)
class Team:
    """The processes that train one network together, as seen by one of them."""

    rank: int = 0
    size: int = 1

    @property
    def leads(self) -> bool:
        """Whether this process is the one that writes and speaks."""
        return self.rank == 0

    def check_batch(self, batch: int) -> None:
        """Refuse a step that has too few shapes to share."""
        if batch < self.size:
            raise InputError(
                f"`batch={batch}`: {self.size} processes share the shapes of a step; `batch={self.size}` or more gives "
                "each of them one"
            )

    def share(self, items: Sequence[_T]) -> Sequence[_T]:
        """Those that are for this process."""
        return items[self.rank :: self.size] if self.size > 1 else items

    def total(self, *values: float) -> list[float]:
        """The sums over all processes."""
        if self.size == 1:
            return list(values)
        sums = torch.tensor(values, dtype=torch.float64)
        distributed.all_reduce(sums)
        return sums.tolist()

    def spread(self, module: nn.Module) -> Any:
        """The module with gradients that are means over all processes."""
        if self.size == 1:
            return module
        # Networks may have numbers without effect, and a process may have no share in a short last step.
        return nn.parallel.DistributedDataParallel(module, broadcast_buffers=False, find_unused_parameters=True)

    def part_random_numbers(self, seed: int, epoch: int) -> None:
        """Let every process but the first have random numbers of its own, for dropout."""
        if not self.leads:
            torch.manual_seed(hash((seed, self.rank, epoch)) % 2**63)

    @contextmanager
    def leader_first(self) -> Iterator[None]:
        """The first process does it alone, then the others, who find what it left."""
        if self.size > 1 and not self.leads:
            distributed.barrier()
        yield
        if self.size > 1 and self.leads:
            distributed.barrier()


ALONE = Team()
_CURRENT: ContextVar[Team] = ContextVar("team", default=ALONE)


def current_team() -> Team:
    """The team that this process is in; a team of one unless `together` says otherwise."""
    return _CURRENT.get()


def launched_rank() -> int:
    """The number that torchrun gave this process; 0 where it was started in another way."""
    return int(os.environ["RANK"]) if _launched() else 0


@contextmanager
def together(device: str) -> Iterator[Team]:
    """Join the processes that torchrun started along with this one; on their own, processes are a team of one."""
    if not _launched():
        yield ALONE
        return
    if device == "cuda":
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    distributed.init_process_group("cuda:nccl,cpu:gloo" if device == "cuda" else "gloo", timeout=LONGEST_WAIT)
    token = _CURRENT.set(Team(distributed.get_rank(), distributed.get_world_size()))
    try:
        yield _CURRENT.get()
    finally:
        _CURRENT.reset(token)
        distributed.destroy_process_group()


def _launched() -> bool:
    return "TORCHELASTIC_RUN_ID" in os.environ and int(os.environ.get("WORLD_SIZE", "1")) > 1
