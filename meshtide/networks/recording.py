"""Taking down what a network does while it answers, as a program that numpy can follow."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils._python_dispatch import TorchDispatchMode

from meshtide.networks.program import OPERATIONS, Program

Answer = Callable[[nn.Module, Mapping[str, Tensor]], Tensor]
Case = tuple[nn.Module, Mapping[str, Tensor]]  # a network and inputs for it

NOTHING = ("_linalg_check_errors.default",)  # they give nothing
# Keywords that numpy has no use for: all is float32, and lies as numpy likes.
PLACING = {"dtype", "device", "layout", "pin_memory", "memory_format"}


def record(answer: Answer, one: Case, other: Case) -> Program:
    """The program of a network, from what it does in two cases.

    The cases differ in the sizes of the inputs, in the weights and wherever the program should not care. A number that
    is the same in both is part of the program; one that is not must be a size of an input, or a multiple of it.
    """
    first, second = _taken_down(answer, *one), _taken_down(answer, *other)
    if [row[:2] for row in first] != [row[:2] for row in second]:
        raise ValueError("the network does other things to inputs of other sizes")
    return Program.of([
        [gives, operation, _generalised(reads, others, one[1], other[1])]
        for (gives, operation, reads), (_, _, others) in zip(first, second, strict=True)
    ])  # fmt: skip


def _taken_down(answer: Answer, network: nn.Module, inputs: Mapping[str, Tensor]) -> list[list[Any]]:
    recorder = _Recorder({**dict(network.named_parameters()), **dict(network.named_buffers()), **inputs})
    with torch.no_grad(), recorder:
        result = answer(network.eval(), inputs)
    if recorder.rows[-1][0] != [recorder.name(result)]:
        raise ValueError("the network's last step does not give its answer")
    return recorder.rows


class _Recorder(TorchDispatchMode):  # type: ignore[no-untyped-call]  # torch has no types there
    """Notes every operation with the names of the tensors that it reads and gives."""

    def __init__(self, known: Mapping[str, Tensor]) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.rows: list[list[Any]] = []
        self._named = {id(tensor): name for name, tensor in known.items()}
        self._held: list[Tensor] = list(known.values())  # so that no place is used twice

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        operation = str(func).removeprefix("aten.")
        if operation in NOTHING:
            return func(*args, **(kwargs or {}))
        reads = [self._read(each) for each in args]
        odd = {name for name, value in (kwargs or {}).items() if value is not None} - PLACING
        if odd:
            raise ValueError(f"{func} is given {', '.join(sorted(odd))}, which no program can hold")
        result = func(*args, **(kwargs or {}))
        # A detached tensor is the same one to us, as nobody asks for gradients.
        if operation in ("detach.default", "alias.default"):
            self._named[id(result)] = self.name(args[0])
            self._held.append(result)
            return result
        if operation not in OPERATIONS:
            raise ValueError(f"numpy does not know the operation {operation}; add it to OPERATIONS")
        given = list(result) if isinstance(result, tuple | list) else [result]
        self.rows.append([[self._given(each) for each in given], operation, reads])
        return result

    def name(self, tensor: Tensor) -> str:
        """What a tensor is called."""
        if id(tensor) not in self._named:
            raise ValueError(f"a tensor {tuple(tensor.shape)} comes from nowhere; weights and inputs are all there is")
        return self._named[id(tensor)]

    def _given(self, tensor: Tensor) -> str:
        place = id(tensor)
        if place not in self._named:
            self._named[place] = f"{len(self._held)}"
            self._held.append(tensor)
        return self._named[place]

    def _read(self, argument: Any) -> Any:
        if isinstance(argument, Tensor):
            return f"@{self.name(argument)}"
        if isinstance(argument, list | tuple):
            return [self._read(each) for each in argument]
        if argument is None or isinstance(argument, bool | int | float):
            return argument
        raise ValueError(f"an argument is {type(argument).__name__}, which no program can hold")


def _generalised(one: Any, other: Any, inputs: Mapping[str, Tensor], others: Mapping[str, Tensor]) -> Any:
    """What two recordings have in common: numbers where they agree, sizes of inputs where they do not."""
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        return [_generalised(a, b, inputs, others) for a, b in zip(one, other, strict=True)]
    if type(one) is type(other) and one == other:
        return one
    if type(one) is int and type(other) is int:
        for name, tensor in inputs.items():
            for axis, (size, size_of_other) in enumerate(zip(tensor.shape, others[name].shape, strict=True)):
                if size != size_of_other and one % size == 0 and one // size * size_of_other == other:
                    return {"of": [name, axis], "times": one // size}
    raise ValueError(f"{one!r} and {other!r} are no sizes of the inputs")
