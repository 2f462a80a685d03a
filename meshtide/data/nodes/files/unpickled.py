"""The data in a pickle, with nothing run: old collections of graphs keep their arrays so.

A pickle is a program for a small stack machine, and the danger is in the calls that it may ask for. This machine knows
none: names of functions stay names, and a "call" of one of a few known ones puts together an array, a sparse matrix or
a dictionary from the arguments. Anything else raises InputError.
"""

from __future__ import annotations

import codecs
import re
import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from meshtide.errors import InputError

_TYPE = re.compile(r"[<>|=]?([biuf][1248]|S\d{1,4}|U\d{1,4})$")
_ARRAYS = ("numpy.core.multiarray", "numpy._core.multiarray")
_MATRICES = ("csr_matrix", "csr_array")
_LONGEST_WORD = 200  # letters of a type's or function's name
_ROOM, _TIMES = 2**24, 10  # bytes that copies may fill, and more of them for each byte of the pickle


@dataclass(frozen=True)
class _Name:
    """What the pickle would import."""

    module: str
    name: str


@dataclass
class _Type:
    """A numpy dtype that is being put together."""

    code: str
    order: str = "|"

    def made(self) -> np.dtype[Any] | None:
        """The dtype; None for Python objects."""
        if re.fullmatch(r"\|?O\d?", self.code):
            return None
        if not _TYPE.match(self.code):
            raise InputError(f"arrays of type {self.code[:20]!r} are no data of a graph")
        made = np.dtype(self.code)
        return made.newbyteorder(">" if self.order == ">" else "=")


@dataclass
class Made:
    """An array or a matrix as the pickle describes it."""

    kind: str  # "array" or "matrix"
    state: dict[str, Any] = field(default_factory=dict)
    array: Any = None


class _Machine:
    """The stack, the marks and the memory of a pickle."""

    def __init__(self, data: bytes) -> None:
        self.data, self.place = data, 0
        self.stack: list[Any] = []
        self.marks: list[int] = []
        self.memory: dict[int, Any] = {}
        self.room = _ROOM + _TIMES * len(data)

    def run(self) -> Any:
        """The one object that the pickle leaves behind."""
        while (code := self.take(1)) != b".":
            step = _STEPS.get(code)
            if step is None:
                raise InputError(f"asks for {code!r}, which data need not")
            step(self)
        return self.stack.pop()

    def take(self, count: int) -> bytes:
        if count < 0 or self.place + count > len(self.data):
            raise InputError("ends too early")
        self.place += count
        return self.data[self.place - count : self.place]

    def line(self) -> bytes:
        end = self.data.find(b"\n", self.place)
        if end < 0:
            raise InputError("ends too early")
        text = self.take(end - self.place)
        self.place += 1
        return text

    def number(self, form: str) -> Any:
        return struct.unpack(form, self.take(struct.calcsize(form)))[0]

    def spend(self, count: int) -> None:
        """Raise InputError where copies of what is remembered would become far larger than the pickle."""
        self.room -= count
        if self.room < 0:
            raise InputError(f"makes far more of its {len(self.data):,} bytes than they hold")

    def marked(self) -> list[Any]:
        """Everything above the last mark, taken off."""
        start = self.marks.pop()
        values = self.stack[start:]
        del self.stack[start:]
        return values

    def taken(self, count: int) -> tuple[Any, ...]:
        if len(self.stack) < count:
            raise InputError("takes from an empty stack")
        values = self.stack[len(self.stack) - count :]
        del self.stack[len(self.stack) - count :]
        return tuple(values)


def unpickled(data: bytes) -> Any:
    """The lists, dictionaries, numbers, texts, arrays and matrices of a pickle; anything else raises InputError."""
    try:
        return _Machine(data).run()
    except InputError:
        raise
    except (
        IndexError, KeyError, ValueError, TypeError, AttributeError, struct.error, OverflowError, RecursionError,
    ) as error:  # fmt: skip
        raise InputError(f"is no pickle that could be read ({str(error)[:80] or type(error).__name__})") from None


def _pusher(value: Callable[[_Machine], Any]) -> Callable[[_Machine], None]:
    return lambda machine: machine.stack.append(value(machine))


def _text(size: str, encoding: str) -> Callable[[_Machine], None]:
    """Push text whose length stands before it."""
    return _pusher(lambda machine: machine.take(machine.number(size)).decode(encoding))


def _raw(size: str) -> Callable[[_Machine], None]:
    return _pusher(lambda machine: machine.take(machine.number(size)))


def _quoted(machine: _Machine) -> str:
    line = machine.line()
    return codecs.escape_decode(line[1:-1])[0].decode("latin-1")


def _whole(machine: _Machine) -> int | bool:
    line = machine.line().rstrip(b"L")
    return {b"00": False, b"01": True}.get(line, 0) if line in (b"00", b"01") else int(line)


def _short_long(machine: _Machine) -> int:
    return int.from_bytes(machine.take(machine.number("<B")), "little", signed=True)


def _remember(number: Callable[[_Machine], int]) -> Callable[[_Machine], None]:
    def step(machine: _Machine) -> None:
        machine.memory[number(machine)] = machine.stack[-1]

    return step


def _append(machine: _Machine) -> None:
    (value,) = machine.taken(1)
    _list(machine.stack[-1]).append(value)


def _appends(machine: _Machine) -> None:
    values = machine.marked()
    _list(machine.stack[-1]).extend(values)


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise InputError("appends to what is no list")
    return value


def _set(machine: _Machine, values: list[Any] | tuple[Any, ...]) -> None:
    target = machine.stack[-1]
    if not isinstance(target, dict):
        raise InputError("sets an entry of what is no dictionary")
    target.update(_entries(values))


def _entries(values: list[Any] | tuple[Any, ...]) -> dict[Any, Any]:
    """A dictionary of keys and values in turn; of tuples of tuples even the hash could take years."""
    if not all(isinstance(key, str | bytes | int | float | None) for key in values[::2]):
        raise InputError("has a dictionary whose keys are no numbers and no texts")
    return dict(zip(values[::2], values[1::2], strict=True))


def _word(value: Any) -> str:
    """A short text; anything else would be written out, and lists of lists could fill the memory."""
    text = value.decode("latin-1") if isinstance(value, bytes) else value
    if not isinstance(text, str) or len(text) > _LONGEST_WORD:
        raise InputError("has something else where the name of a type or function belongs")
    return text


def _pop(machine: _Machine) -> None:
    machine.taken(1)


def _global(machine: _Machine) -> _Name:
    return _Name(_word(machine.line()), _word(machine.line()))


def _stack_global(machine: _Machine) -> _Name:
    module, name = machine.taken(2)
    return _Name(_word(module), _word(name))


def _call(machine: _Machine) -> Any:
    """Put together what one of a few known functions would give."""
    called, arguments = machine.taken(2)
    if not isinstance(called, _Name) or not isinstance(arguments, tuple):
        raise InputError("calls what is no function")
    match (called.module, called.name):
        case (module, "_reconstruct") if module in _ARRAYS:
            return Made("array")
        case ("numpy", "dtype"):
            return _Type(_word(arguments[0]))
        case ("copy_reg" | "copyreg", "_reconstructor"):
            return _object(arguments[0])
        case ("collections", "defaultdict"):
            return {}
        case ("__builtin__" | "builtins", "bytes") if not arguments:
            return b""
        case ("_codecs", "encode"):
            return _bytes(machine, arguments[0])
    raise InputError(f"asks for {called.module}.{called.name}, which is never called")


def _new(machine: _Machine) -> Any:
    called, _ = machine.taken(2)
    return _object(called)


def _object(called: Any) -> Made:
    if isinstance(called, _Name) and called.module.startswith("scipy.sparse") and called.name in _MATRICES:
        return Made("matrix")
    what = f"{called.module}.{called.name}" if isinstance(called, _Name) else "something"
    raise InputError(f"makes {what}, which is no data of a graph")


def _build(machine: _Machine) -> None:
    (state,) = machine.taken(1)
    target = machine.stack[-1]
    if isinstance(target, _Type):
        target.order = _word(state[1])
    elif isinstance(target, Made) and target.kind == "matrix" and isinstance(state, dict):
        target.state.update(state)
    elif isinstance(target, Made) and isinstance(state, tuple):
        target.array = _array(machine, *state[-4:])
    else:
        raise InputError("changes what is no array and no matrix")


def _array(machine: _Machine, shape: Any, kind: Any, fortran: Any, data: Any) -> Any:
    """An array from its bytes; of Python objects the list of them."""
    dtype = kind.made()
    if dtype is None:
        return _list(data)
    values = np.frombuffer(_bytes(machine, data), dtype)
    return values.reshape(tuple(int(size) for size in shape), order="F" if fortran else "C")


def _bytes(machine: _Machine, data: Any) -> bytes:
    """Bytes, which old pickles have as text."""
    if isinstance(data, bytes):
        return data
    if not isinstance(data, str):
        raise InputError("has something else where the bytes of an array belong")
    machine.spend(len(data))
    return data.encode("latin-1")


def _containers() -> dict[bytes, Callable[[_Machine], None]]:
    return {
        b"(": lambda machine: machine.marks.append(len(machine.stack)),
        b")": _pusher(lambda machine: ()),
        b"t": _pusher(lambda machine: tuple(machine.marked())),
        b"\x85": _pusher(lambda machine: machine.taken(1)),
        b"\x86": _pusher(lambda machine: machine.taken(2)),
        b"\x87": _pusher(lambda machine: machine.taken(3)),
        b"]": _pusher(lambda machine: []),
        b"l": _pusher(lambda machine: machine.marked()),
        b"a": _append,
        b"e": _appends,
        b"}": _pusher(lambda machine: {}),
        b"d": _pusher(lambda machine: _entries(machine.marked())),
        b"s": lambda machine: _set(machine, machine.taken(2)),
        b"u": lambda machine: _set(machine, machine.marked()),
        b"0": _pop,
    }


def _values() -> dict[bytes, Callable[[_Machine], None]]:
    return {
        b"N": _pusher(lambda machine: None),
        b"\x88": _pusher(lambda machine: True),
        b"\x89": _pusher(lambda machine: False),
        b"I": _pusher(_whole),
        b"L": _pusher(_whole),
        b"J": _pusher(lambda machine: machine.number("<i")),
        b"K": _pusher(lambda machine: machine.number("<B")),
        b"M": _pusher(lambda machine: machine.number("<H")),
        b"\x8a": _pusher(_short_long),
        b"F": _pusher(lambda machine: float(machine.line())),
        b"G": _pusher(lambda machine: machine.number(">d")),
        b"S": _pusher(_quoted),
        b"V": _pusher(lambda machine: machine.line().decode("raw-unicode-escape")),
        b"T": _text("<i", "latin-1"),
        b"U": _text("<B", "latin-1"),
        b"X": _text("<I", "utf-8"),
        b"\x8c": _text("<B", "utf-8"),
        b"\x8d": _text("<Q", "utf-8"),
        b"B": _raw("<I"),
        b"C": _raw("<B"),
        b"\x8e": _raw("<Q"),
    }


def _calls() -> dict[bytes, Callable[[_Machine], None]]:
    return {
        b"c": _pusher(_global),
        b"\x93": _pusher(_stack_global),
        b"R": _pusher(_call),
        b"\x81": _pusher(_new),
        b"b": _build,
    }


def _memory() -> dict[bytes, Callable[[_Machine], None]]:
    return {
        b"\x80": lambda machine: _ignored(machine, 1),
        b"\x95": lambda machine: _ignored(machine, 8),
        b"p": _remember(lambda machine: int(machine.line())),
        b"q": _remember(lambda machine: int(machine.number("<B"))),
        b"r": _remember(lambda machine: int(machine.number("<I"))),
        b"\x94": _remember(lambda machine: len(machine.memory)),
        b"g": _pusher(lambda machine: machine.memory[int(machine.line())]),
        b"h": _pusher(lambda machine: machine.memory[machine.number("<B")]),
        b"j": _pusher(lambda machine: machine.memory[machine.number("<I")]),
    }


def _ignored(machine: _Machine, count: int) -> None:
    machine.take(count)


_STEPS = {**_containers(), **_values(), **_calls(), **_memory()}
