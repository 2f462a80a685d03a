"""Painting parts on a mesh: a geodesic brush, a fill that stops at creases, and a way back from every step."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from meshtide.arrays import IntArray
from meshtide.errors import InputError
from meshtide.labels.colours import part_colours
from meshtide.labels.labels import Labels, check_names
from meshtide.mesh.mesh import Mesh
from meshtide.viewer.state.creases import DEFAULT_ANGLE, region_of, smooth_patches
from meshtide.viewer.state.geodesics import Geodesics, check_vertex
from meshtide.viewer.state.history import History, Part, State, Step
from meshtide.words import listed

ERASED = -1


class Painting:
    """Parts on the vertices of one mesh, -1 where nothing was painted; every change is one step of undo.

    A part is given by its name or its number, and -1 takes the label off.
    """

    def __init__(self, mesh: Mesh, names: Iterable[str] = (), geodesics: Geodesics | None = None) -> None:
        names = tuple(names)
        check_names(names)
        self.mesh = mesh
        self.geodesics = geodesics or Geodesics(mesh)
        self.history = History()
        parts = tuple(map(Part, names, part_colours(names)))
        self._state = State(np.full(len(mesh.vertices), ERASED, dtype=np.int64), parts)
        self._stroke_start: State | None = None
        self._patches: tuple[float, IntArray] | None = None

    @property
    def values(self) -> IntArray:
        """The part of every vertex, (V,). Not to be written to."""
        return self._state.values

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the parts, in the order of their numbers."""
        return tuple(part.name for part in self._state.parts)

    @property
    def colours(self) -> tuple[str, ...]:
        """The colour "#rrggbb" of each part; a part keeps it for as long as it exists."""
        return tuple(part.colour for part in self._state.parts)

    @property
    def painted(self) -> NDArray[np.bool_]:
        """Which vertices have a part, (V,)."""
        return np.asarray(self.values >= 0)

    def add_part(self, name: str) -> int:
        """A new part with a colour of its own; returns its number."""
        check_names((*self.names, name))
        self._become(State(self.values, (*self._state.parts, Part(name, _new_colour(self.names, name, self.colours)))))
        return len(self.names) - 1

    def rename_part(self, part: int | str, name: str) -> None:
        """Give a part another name; it keeps its colour and its vertices."""
        number = self.number_of(part)
        names = (*self.names[:number], name, *self.names[number + 1 :])
        check_names(names)
        self._become(State(self.values, tuple(map(Part, names, self.colours))))

    def brush(self, vertex: int, radius: float, part: int | str) -> int:
        """Paint all vertices within a geodesic distance of a vertex; returns how many changed."""
        return self._paint(self.geodesics.ball(vertex, radius), self._paintable(part))

    def paint_vertices(self, vertices: IntArray, part: int | str) -> int:
        """Paint some vertices, given by their numbers; returns how many changed."""
        return self._paint(vertices, self._paintable(part))

    def erase(self, vertex: int, radius: float) -> int:
        """Take the part off all vertices within a geodesic distance of a vertex; returns how many changed."""
        return self.brush(vertex, radius, ERASED)

    def fill(self, vertex: int, part: int | str, *, face: int | None = None, angle: float = DEFAULT_ANGLE) -> int:
        """Paint outwards from a vertex up to creases and to vertices of another part; returns how many changed.

        A crease is an edge where the surface bends by `angle` degrees or more. A vertex on a crease belongs to several
        sides: `face` says which one is meant, else it is the one with the largest area around the vertex.
        """
        number = self._paintable(part)
        check_vertex(self.mesh, vertex)
        faces = self._patch_of(vertex, face, angle)
        alike = np.flatnonzero(self.values == self.values[vertex])
        return self._paint(region_of(self.mesh, faces, alike, vertex), number)

    def fill_unpainted(self, values: IntArray, where: NDArray[np.bool_] | None = None) -> int:
        """Give vertices that have no part those of `values`, (V,), where `where` holds; returns how many changed."""
        values = Labels(values, "vertices", self.names).values
        if len(values) != len(self.values):
            raise InputError(
                f"{self.mesh.name}: {len(values):,} labels for {len(self.values):,} vertices; are they of another mesh?"
            )
        free = (self.values < 0) if where is None else (self.values < 0) & where
        return self._become(State(np.where(free, values, self.values), self._state.parts))

    def undo(self) -> bool:
        """Take the latest step back; False if there is none."""
        self.end_stroke()
        there_is = self.history.undo_count > 0
        self._state = self.history.undo(self._state)
        return there_is

    def redo(self) -> bool:
        """Make the step again that was undone last; False if there is none."""
        self.end_stroke()
        there_is = self.history.redo_count > 0
        self._state = self.history.redo(self._state)
        return there_is

    def begin_stroke(self) -> None:
        """From here to `end_stroke` everything is one step: the mouse button went down."""
        self.end_stroke()
        self._stroke_start = self._state

    def end_stroke(self) -> None:
        """The mouse button went up; does nothing where no stroke was begun."""
        start, self._stroke_start = self._stroke_start, None
        if start is not None:
            self.history.add(Step.between(start, self._state))

    @contextmanager
    def stroke(self) -> Iterator[None]:
        """Everything inside is one step of undo."""
        self.begin_stroke()
        try:
            yield
        finally:
            self.end_stroke()

    def to_labels(self) -> Labels:
        """What is painted, as labels on vertices; what is not stays -1."""
        return Labels(self.values.copy(), "vertices", self.names)

    def load(self, labels: Labels) -> None:
        """Take labels, on vertices or faces, in place of all that is painted; parts that were here keep their colours.

        Their names come first, in their order, and parts of this painting that they lack stay, with nothing painted.
        """
        values = labels.to_vertices(self.mesh).values
        colour_of = dict(zip(self.names, self.colours, strict=True))
        names = (*labels.names, *(name for name in self.names if name not in labels.names))
        parts: tuple[Part, ...] = ()
        for name in names:
            taken = {*colour_of.values(), *(part.colour for part in parts)}
            colour = colour_of.get(name) or _new_colour([part.name for part in parts], name, taken)
            parts = (*parts, Part(name, colour))
        self._become(State(values, parts))

    def save(self, path: str | Path, *, on_faces: bool = False) -> None:
        """Write what is painted in any label format, by the file's name; some formats hold labels of faces only."""
        from meshtide.labels.files import write_labels

        labels = self.to_labels()
        write_labels(labels.to_faces(self.mesh) if on_faces else labels, path, self.mesh)

    def number_of(self, part: int | str) -> int:
        """A part's number, given by name or number."""
        if isinstance(part, str) and part in self.names:
            return self.names.index(part)
        if isinstance(part, str) or not 0 <= part < len(self.names):
            known = f"there are {listed(self.names)}" if self.names else "add a part first"
            raise InputError(f"there is no part {part!r} to paint; {known}")
        return int(part)

    def _paintable(self, part: int | str) -> int:
        return ERASED if part == ERASED else self.number_of(part)

    def _paint(self, vertices: IntArray, part: int) -> int:
        values = self.values.copy()
        values[vertices] = part
        return self._become(State(values, self._state.parts))

    def _become(self, new: State) -> int:
        """Enter a new state, as a step of its own unless a stroke is on; returns how many vertices changed."""
        old, self._state = self._state, new
        if self._stroke_start is None:
            self.history.add(Step.between(old, new))
        return int((old.values != new.values).sum())

    def _patch_of(self, vertex: int, face: int | None, angle: float) -> IntArray:
        """The faces of the smooth patch around a vertex, or of the one that a face lies in."""
        if self._patches is None or self._patches[0] != angle:
            self._patches = (angle, smooth_patches(self.mesh, angle))
        patches = self._patches[1]
        if face is None:
            around = np.flatnonzero((self.mesh.faces == vertex).any(axis=1))
            if len(around) == 0:
                return around
            face = int(around[np.bincount(patches[around], self.mesh.face_areas[around])[patches[around]].argmax()])
        elif not 0 <= face < len(patches):
            raise InputError(f"{self.mesh.name}: has no face {face:,}; they run from 0 to {len(patches) - 1:,}")
        return np.flatnonzero(patches == patches[face])


def _new_colour(names: Iterable[str], name: str, taken: Iterable[str]) -> str:
    """The colour that the name would have among the others, or else the first that no part has."""
    taken = set(taken)
    wanted = part_colours([*names, name])[-1]
    if wanted not in taken:
        return wanted
    longer = (part_colours(map(str, range(length)))[-1] for length in count(1))
    return next(colour for colour in longer if colour not in taken)
