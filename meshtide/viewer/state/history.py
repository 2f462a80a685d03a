"""Undo and redo: what changed in each step and nothing else."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from meshtide.arrays import IntArray

MOST_BYTES = 256 * 2**20  # of all steps together; beyond, the oldest can no longer be undone


@dataclass(frozen=True)
class Part:
    """A part that can be painted: its name and its colour "#rrggbb"."""

    name: str
    colour: str


@dataclass(frozen=True, eq=False)
class State:
    """All that painting can change."""

    values: IntArray  # (V,) index into parts, or -1
    parts: tuple[Part, ...]


@dataclass(frozen=True, eq=False)
class Step:
    """The difference between two states."""

    vertices: NDArray[np.int32]  # where labels changed
    before: NDArray[np.int32]
    after: NDArray[np.int32]
    parts_before: tuple[Part, ...]
    parts_after: tuple[Part, ...]

    @staticmethod
    def between(old: State, new: State) -> Step:
        """What leads from one state to another of the same mesh."""
        changed = np.flatnonzero(old.values != new.values)
        return Step(
            changed.astype(np.int32),
            old.values[changed].astype(np.int32),
            new.values[changed].astype(np.int32),
            old.parts,
            new.parts,
        )

    @property
    def is_empty(self) -> bool:
        """Whether nothing changed."""
        return len(self.vertices) == 0 and self.parts_before == self.parts_after

    @property
    def size(self) -> int:
        """About how many bytes it takes."""
        return 12 * len(self.vertices) + 200

    def undone(self, state: State) -> State:
        """The state before the step, from the one after it."""
        return State(_changed(state.values, self.vertices, self.before), self.parts_before)

    def redone(self, state: State) -> State:
        """The state after the step, from the one before it."""
        return State(_changed(state.values, self.vertices, self.after), self.parts_after)


class History:
    """Steps that were made and those that were taken back."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self.most_bytes = most_bytes
        self._done: list[Step] = []
        self._undone: list[Step] = []

    @property
    def undo_count(self) -> int:
        """How many steps can be undone."""
        return len(self._done)

    @property
    def redo_count(self) -> int:
        """How many steps can be redone."""
        return len(self._undone)

    def add(self, step: Step) -> None:
        """Remember a new step; what had been undone before it is gone."""
        if step.is_empty:
            return
        self._undone.clear()
        self._done.append(step)
        excess = sum(each.size for each in self._done) - self.most_bytes
        while excess > 0 and len(self._done) > 1:
            excess -= self._done.pop(0).size

    def undo(self, state: State) -> State:
        """The state before the latest step; the same state where there is none."""
        if not self._done:
            return state
        self._undone.append(self._done.pop())
        return self._undone[-1].undone(state)

    def redo(self, state: State) -> State:
        """The state after the step that was undone last; the same state where there is none."""
        if not self._undone:
            return state
        self._done.append(self._undone.pop())
        return self._done[-1].redone(state)


def _changed(values: IntArray, places: NDArray[np.int32], to: NDArray[np.int32]) -> IntArray:
    result = values.copy()
    result[places] = to
    return result
