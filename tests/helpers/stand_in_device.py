"""A stand-in for a graphics card: a device of its own name, on which everything really runs, on the processor.

Tensors on it and on the processor do not mix. What makes a real device wait is counted: reading a value, and whatever
has to know values before it knows the size of its answer.
"""

from __future__ import annotations

import weakref
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import torch
from torch import Tensor
from torch.utils._pytree import tree_map
from torch.utils.backend_registration import _DummyBackendModule, _setup_privateuseone_for_python_backend

NAME = "standin"
WAITS = (
    "aten::_local_scalar_dense",
    "aten::nonzero",
    "aten::masked_select",
    "aten::equal",
    "aten::is_nonzero",
    "aten::_unique2",
    "aten::unique_dim",
    "aten::_linalg_check_errors",
    "aten::item",
    "aten::repeat_interleave",
)
SIZES = (
    "size",
    "sym_size",
    "dim",
    "stride",
    "sym_stride",
    "is_contiguous",
    "numel",
    "sym_numel",
    "storage_offset",
    "sym_storage_offset",
    "is_strides_like_format",
    "is_non_overlapping_and_dense",
    "sym_is_contiguous",
)
PRODUCTS = ("mm", "addmm", "bmm")  # which mixed precision makes faster
MOVES = ("aten::_to_copy", "aten::copy_", "aten::_copy_from", "aten::to")


class Counts:
    """What was asked of the device, and how much it holds."""

    def __init__(self) -> None:
        self.calls: Counter[str] = Counter()
        self.waits: Counter[str] = Counter()
        self.bytes = self.most = 0


COUNTS = Counts()


class StandIn(torch.Tensor):
    """A tensor on the device; `raw` has its numbers."""

    raw: Tensor
    __torch_function__ = torch._C._disabled_torch_function_impl

    @staticmethod
    def __new__(cls, raw: Tensor) -> StandIn:
        strides = raw.stride() if raw.layout is torch.strided else None
        made = torch.Tensor._make_wrapper_subclass(
            cls, raw.size(), dtype=raw.dtype, device=f"{NAME}:0", strides=strides, dispatch_sizes_strides_policy="sizes"
        )
        made.raw = raw
        if raw.layout is torch.strided and raw._base is None:
            count(raw.nbytes)
            weakref.finalize(raw, count, -raw.nbytes)
        return made

    # A wrapper says of itself that it is no sparse one, so that what torch asks of those is answered here.
    @property
    def layout(self) -> torch.layout:
        return self.raw.layout

    def coalesce(self) -> StandIn:
        return StandIn(self.raw.coalesce())

    def to_sparse_csr(self) -> StandIn:
        return StandIn(self.raw.to_sparse_csr())

    def values(self) -> StandIn:
        return StandIn(self.raw.values())

    @classmethod
    def __torch_dispatch__(cls, op: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return run(op, *args, **(kwargs or {}))


class Module(_DummyBackendModule):
    """What torch asks of a device's module."""

    def get_rng_state(self) -> Tensor:
        return torch.get_rng_state()

    def set_rng_state(self, state: Tensor) -> None:
        torch.set_rng_state(state)

    def get_amp_supported_dtype(self) -> list[torch.dtype]:
        return [torch.bfloat16]


def count(size: int) -> None:
    COUNTS.bytes += size
    COUNTS.most = max(COUNTS.most, COUNTS.bytes)


def run(op: Any, *args: Any, **kwargs: Any) -> Any:
    """Run an operation on the numbers of the tensors, and wrap what it gives."""
    name = op._schema.name
    if name.removeprefix("aten::") in SIZES:  # of what was squeezed in place, too
        return op(args[0].raw, *args[1:])
    COUNTS.calls[name] += 1
    there = [each for each in torch.utils._pytree.tree_leaves((args, kwargs)) if isinstance(each, StandIn)]
    to = kwargs.get("device")
    leaves = bool(there) and to is not None and torch.device(to).type == "cpu"
    masked = name.startswith("aten::index") and _has_mask(args)
    reads = name == "aten::copy_" and not isinstance(args[0], StandIn) and isinstance(args[1], StandIn)
    if there and (name in WAITS or leaves or masked or reads):
        COUNTS.waits[name] += 1
    if to is not None:
        kwargs["device"] = torch.device("cpu")
    moves = name in MOVES

    def unwrapped(value: Any) -> Any:
        if isinstance(value, StandIn):
            return value.raw
        if isinstance(value, Tensor) and value.dim() and not moves:
            raise RuntimeError(f"{name}: expected all tensors to be on the same device, found {NAME} and cpu")
        return value

    found = op(*tree_map(unwrapped, args), **tree_map(unwrapped, kwargs))
    if name.endswith("_") and args and isinstance(args[0], Tensor):
        return args[0]
    if leaves:
        return found
    return tree_map(lambda value: StandIn(value) if isinstance(value, Tensor) else value, found)


def _has_mask(args: Any) -> bool:
    places = args[1] if len(args) > 1 and isinstance(args[1], list | tuple) else ()
    return any(isinstance(place, Tensor) and place.dtype in (torch.bool, torch.uint8) for place in places)


def _in_bfloat16(name: str) -> Any:
    def product(*args: Any, **kwargs: Any) -> Any:
        with torch.autocast(NAME, enabled=False):
            full = [each.to(torch.bfloat16) if isinstance(each, Tensor) else each for each in args]
            COUNTS.calls[f"{name} in bfloat16"] += 1
            return getattr(torch.ops.aten, name).default(*full, **kwargs)

    return product


@contextmanager
def counted() -> Iterator[Counts]:
    """Count from nothing."""
    COUNTS.calls.clear()
    COUNTS.waits.clear()
    COUNTS.most = COUNTS.bytes
    yield COUNTS


@cache
def set_up() -> tuple[torch.library.Library, ...]:
    """Make the device known to torch, once and only where it is wanted: from then on autograd has threads of its own.

    The libraries that are returned must live as long as the device.
    """
    _setup_privateuseone_for_python_backend(NAME, backend_module=Module())
    everything = torch.library.Library("_", "IMPL")
    everything.fallback(run, "PrivateUse1")
    everything.fallback(torch.library.fallthrough_kernel, "AutocastPrivateUse1")
    products = torch.library.Library("aten", "IMPL", "AutocastPrivateUse1")
    for name in PRODUCTS:
        products.impl(name, _in_bfloat16(name))
    return everything, products
