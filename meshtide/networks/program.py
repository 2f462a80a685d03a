"""A network's answer as a list of array operations that numpy can follow, so that asking it need not import torch.

Nobody writes such a list: `meshtide.networks.recording` takes it down while the network itself answers. A step is the
names of what it gives, torch's name of an operation, and its arguments: "@name" stands for an earlier value and
{"of": [input, axis], "times": n} for a size that depends on what is asked about.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float32]


@dataclass(frozen=True)
class Step:
    """One operation."""

    gives: tuple[str, ...]
    operation: str
    reads: tuple[Any, ...]


@dataclass(frozen=True)
class Program:
    """The operations of a network, in order; the last one gives its answer."""

    steps: tuple[Step, ...]

    @staticmethod
    def of(rows: Sequence[Sequence[Any]]) -> Program:
        """The program that `rows` gave."""
        return Program(tuple(Step(tuple(gives), operation, tuple(reads)) for gives, operation, reads in rows))

    def rows(self) -> list[list[Any]]:
        """The steps as JSON can hold them."""
        return [[list(step.gives), step.operation, list(step.reads)] for step in self.steps]

    def run(self, weights: Mapping[str, Array], inputs: Mapping[str, Array]) -> Array:
        """The network's answer with these weights about these inputs, neither of which is changed."""
        values: dict[str, Any] = {**weights, **inputs}
        for step, idle in zip(self.steps, self._idle, strict=True):
            found = OPERATIONS[step.operation](*(_filled(each, values, inputs) for each in step.reads))
            values.update(zip(step.gives, found if len(step.gives) > 1 else (found,), strict=True))
            for name in idle:  # what nobody reads any more need not take memory
                values.pop(name, None)
        return np.ascontiguousarray(values[self.steps[-1].gives[0]])

    @cached_property
    def _idle(self) -> list[list[str]]:
        """For each step the values that are read by it and by none after it."""
        seen: set[str] = {*self.steps[-1].gives}
        idle = []
        for step in reversed(self.steps):
            names = {*step.gives, *(name for each in step.reads for name in _names(each))}
            idle.append(sorted(names - seen))
            seen |= names
        return idle[::-1]


def _names(argument: Any) -> list[str]:
    if isinstance(argument, str):
        return [argument.removeprefix("@")]
    return [name for each in argument for name in _names(each)] if isinstance(argument, list) else []


def _filled(argument: Any, values: Mapping[str, Any], inputs: Mapping[str, Array]) -> Any:
    """An argument with names and sizes replaced by what they stand for."""
    if isinstance(argument, str):
        return values[argument.removeprefix("@")]
    if isinstance(argument, list):
        return [_filled(each, values, inputs) for each in argument]
    if isinstance(argument, dict):
        name, axis = argument["of"]
        return argument["times"] * inputs[name].shape[axis]
    return argument


def _slice(x: Array, axis: int = 0, start: int | None = None, end: int | None = None, step: int = 1) -> Array:
    return x[(slice(None),) * (axis % x.ndim) + (slice(start, end, step),)]


def _split(x: Array, size: int, axis: int = 0) -> list[Array]:
    return np.split(x, range(size, x.shape[axis], size), axis=axis)


def _product_and(total: Array, one: Array, other: Array) -> Array:
    product = one @ other
    product += total
    return np.asarray(product)


def _add_product(total: Array, one: Array, other: Array) -> Array:
    total += one @ other
    return total


def _softmax(x: Array, axis: int, _: bool = False) -> Array:
    powers = np.exp(x - x.max(axis=axis, keepdims=True))
    powers /= powers.sum(axis=axis, keepdims=True)
    return np.asarray(powers)


def _log_softmax(x: Array, axis: int, _: bool = False) -> Array:
    below = x - x.max(axis=axis, keepdims=True)
    return np.asarray(below - np.log(np.exp(below).sum(axis=axis, keepdims=True)))


def _pad(x: Array, widths: list[int], value: float = 0.0) -> Array:
    pairs = list(zip(widths[::2], widths[1::2], strict=True))  # of the last axis first
    return np.pad(x, [(0, 0)] * (x.ndim - len(pairs)) + pairs[::-1], constant_values=value)


def _solve(matrix: Array, right: Array) -> tuple[Array, ...]:
    return np.linalg.solve(matrix, right).astype(np.float32), matrix, matrix, matrix  # it also gives what it factored


# What torch calls an operation -> the same in numpy. In-place ones write over their first argument.
OPERATIONS: Mapping[str, Callable[..., Any]] = {
    "_linalg_solve_ex.default": _solve,
    "_log_softmax.default": _log_softmax,
    "_softmax.default": _softmax,
    "_unsafe_view.default": lambda x, shape: x.reshape(shape),
    "add.Tensor": np.add,
    "addcmul.default": lambda total, one, other: total + one * other,
    "addmm.default": _product_and,
    "addmm_.default": _add_product,
    "cat.default": lambda parts, axis=0: np.concatenate(parts, axis=axis),
    "clamp.default": lambda x, low=None, high=None: np.clip(x, low, high),
    "clone.default": lambda x: x.copy(),
    "constant_pad_nd.default": _pad,
    "diagonal.default": lambda x: np.diagonal(x),
    "div.Tensor": np.divide,
    "exp.default": np.exp,
    "eye.default": lambda size: np.eye(size, dtype=np.float32),
    "mean.default": lambda x: x.mean(dtype=np.float32),
    "mm.default": np.matmul,
    "mul.Tensor": np.multiply,
    "neg.default": np.negative,
    "permute.default": np.transpose,
    "pow.Tensor_Scalar": np.power,
    "relu.default": lambda x: np.maximum(x, np.float32(0)),
    "relu_.default": lambda x: np.maximum(x, np.float32(0), out=x),
    "repeat.default": np.tile,
    "select.int": lambda x, axis, place: np.take(x, place, axis=axis),
    "slice.Tensor": _slice,
    "split.Tensor": _split,
    "sqrt.default": np.sqrt,
    "squeeze.dim": lambda x, axis: np.squeeze(x, axis),
    "squeeze_.dim": lambda x, axis: np.squeeze(x, axis),
    "sub.Tensor": np.subtract,
    "sum.dim_IntList": lambda x, axes, keep=False: x.sum(axis=tuple(axes), keepdims=keep),
    "t.default": np.transpose,
    "tanh.default": np.tanh,
    "transpose.int": np.swapaxes,
    "unsqueeze.default": np.expand_dims,
    "view.default": lambda x, shape: x.reshape(shape),
}
