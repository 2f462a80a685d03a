"""Pieces put right: renamed, merged, split along a line, and saved; every change can be taken back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from meshtide.errors import InputError
from meshtide.files import make_folder
from meshtide.inference.instances import Instance
from meshtide.inference.segmentation import Segmentation
from meshtide.viewer.state.dividing import one_side
from meshtide.viewer.state.regrouping import in_pieces, merged, renamed, split
from meshtide.viewer.state.scene import Scene
from meshtide.words import shown

FOLDER, USUAL = "parts", ".glb"  # beside the mesh, where no later run takes it for a mesh of its own
MOST_STEPS = 50


class Editing:
    """Changes to the pieces of the shown meshes."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.waiting = ""  # "merge" or "split": what the next click or line is for
        self.name, self.message = "", ""
        self.line: list[int] = []  # vertices that it went through so far
        self._before: dict[int, list[Segmentation]] = {}  # answers before each change, the oldest first
        self._saved: dict[int, Segmentation] = {}
        self._paths: dict[int, str] = {}
        self._asked: tuple[int, str] | None = None  # what would be replaced when asked again

    # Changes

    def rename(self, name: str) -> None:
        """Give the chosen piece another name."""
        name = name.strip()
        chosen, piece = self._chosen("rename")
        if not name:
            raise InputError(f"'{shown(piece.name)}' needs a name; type one first")
        self._change(lambda before: renamed(before, chosen, name), chosen)
        self.name = ""
        self.message = f"'{shown(piece.name)}' is '{shown(self._now.name)}' now"

    def merge(self, other: int | None) -> None:
        """Join another piece to the chosen one, whose name it takes."""
        chosen, piece = self._chosen("merge")
        self.waiting = ""
        if other is None or other == chosen:
            raise InputError(f"'{shown(piece.name)}' is merged with another piece; choose merge again and click on one")
        joined = self.scene.pieces.all[other].name
        self._change(lambda before: merged(before, chosen, other), chosen)
        self.message = f"'{shown(joined)}' is part of '{shown(self._now.name)}' now; Ctrl+Z takes it back"

    def begin_line(self) -> None:
        """The button went down where a line is to be drawn."""
        self.line = []

    def end_line(self) -> None:
        """Split the chosen piece along the line that was drawn, and choose the new piece."""
        line, self.line, self.waiting = self.line, [], ""
        chosen, piece = self._chosen("split")
        before = in_pieces(self._result(), self.scene.mesh)
        own = before.mesh_face_instances == chosen
        faces = one_side(self.scene.mesh, own, line, piece.name)
        areas = self.scene.mesh.face_areas
        if areas[faces].sum() > areas[own & ~faces].sum():  # the smaller one is new, wherever the line began
            faces = own & ~faces
        self._change(lambda before: split(before, faces), int(np.flatnonzero(faces)[0]), is_face=True)
        told = f"'{shown(piece.name)}' is in two; the new piece is '{shown(self._now.name)}'"
        self.message = f"{told}, which can be given another name"

    def undo(self) -> None:
        """Take the latest change back."""
        steps = self._before.get(self.scene.index, [])
        if not steps:
            raise InputError("there is no change of a piece to undo on this shape")
        self.scene.correct(steps.pop())
        self.scene.pieces.choose(None)
        self.message = f"undone; {len(steps):,} more can be undone"

    def wait_for(self, what: str) -> None:
        """Merge with the piece that is clicked on next, or split along the line that is drawn next; again to stop."""
        _, piece = self._chosen(what)
        self.waiting = "" if self.waiting == what else what
        told = {
            "merge": f"click on the piece to merge with '{shown(piece.name)}'",
            "split": f"draw a line across '{shown(piece.name)}' with the button held; shift turns the shape",
        }
        self.message = told[what] if self.waiting else ""

    @property
    def can_undo(self) -> bool:
        """Whether a piece of the shown mesh was changed."""
        return bool(self._before.get(self.scene.index))

    # Files

    @property
    def path(self) -> str:
        """The file that the shown mesh's pieces are saved to."""
        entry = self.scene.entries[self.scene.index]
        folder = Path(FOLDER) if entry.path is None else entry.path.parent / FOLDER
        return self._paths.get(self.scene.index, str(folder / f"{Path(entry.name).stem}{USUAL}"))

    @path.setter
    def path(self, text: str) -> None:
        self._paths[self.scene.index] = text

    @property
    def is_unsaved(self) -> bool:
        """Whether a piece of the shown mesh was changed since it was saved."""
        return self._is_unsaved(self.scene.index)

    def save(self) -> None:
        """Write parts and pieces in any format of a segmentation; a file that is there is replaced when asked twice."""
        from meshtide.output.saving import write_segmentation

        index, path = self.scene.index, Path(self.path)
        entry, item = self.scene.entries[index], self.scene.item
        if entry.path is not None and path.exists() and path.resolve() == entry.path.resolve():
            raise InputError(f"{path} is the mesh itself; type another name")
        if path.exists() and self._asked != (index, str(path)):
            self._asked = index, str(path)
            raise InputError(f"{path} is there already; save again to replace it")
        result = self._result()
        if path.parent != Path():
            make_folder(path.parent)
        write_segmentation(replace(result, origin=item.mesh.origin), path, source=entry.path)
        self._asked, self._saved[index] = (index, str(path)), result
        self.message = f"wrote {path}"

    def unsaved(self) -> list[str]:
        """A sentence for every mesh whose changed pieces are not saved."""
        names = [self.scene.entries[index].name for index in self._before if self._is_unsaved(index)]
        return [f"{shown(name)}: the pieces that were changed are not saved" for name in names]

    def _is_unsaved(self, index: int) -> bool:
        return bool(self._before.get(index)) and self._saved.get(index) is not self.scene.corrected.get(index)

    def _result(self) -> Segmentation:
        result = self.scene.item.prediction
        if result is None:
            raise InputError("there are no pieces here; open the mesh with a model")
        return result

    def _chosen(self, to: str) -> tuple[int, Instance]:
        pieces = self.scene.pieces
        if pieces.chosen is None:
            raise InputError(f"there is no piece to {to}; click on one first")
        return pieces.chosen, pieces.all[pieces.chosen]

    @property
    def _now(self) -> Instance:
        return self._chosen("name")[1]

    def _change(self, act: Callable[[Segmentation], Segmentation], place: int, *, is_face: bool = False) -> None:
        """Become another division, and choose the piece there: that of a face, or that which an old piece became."""
        old = self._result()
        before = in_pieces(old, self.scene.mesh)
        face = place if is_face else int(np.flatnonzero(before.mesh_face_instances == place)[0])
        after = act(before)
        steps = self._before.setdefault(self.scene.index, [])
        steps.append(old)
        del steps[:-MOST_STEPS]
        self.scene.correct(after)
        self.scene.pieces.choose(int(after.mesh_face_instances[face]))
