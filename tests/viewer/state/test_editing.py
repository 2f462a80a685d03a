"""Pieces put right: what a name, a merge and a line do, what is written, and that all of it can be taken back."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import trimesh
from shapes import FIGURE_PARTS, figure, torus

from meshtide.errors import InputError
from meshtide.inference.segmentation import Segmentation
from meshtide.labels.colours import part_colours
from meshtide.labels.labels import Labels
from meshtide.mesh.files import save_mesh
from meshtide.mesh.mesh import Mesh
from meshtide.viewer.state import Scene
from meshtide.viewer.state.dividing import one_side
from meshtide.viewer.state.editing import Editing
from meshtide.viewer.state.item import Entry

MESH, PARTS_ON_FACES = figure(2)


def named() -> Segmentation:
    labels = Labels(PARTS_ON_FACES, "faces", FIGURE_PARTS).to_vertices(MESH)
    rows = np.full((len(labels), len(FIGURE_PARTS)), 0.1, dtype=np.float32)
    rows[np.arange(len(labels)), labels.values] = 0.7
    return Segmentation(MESH, labels, rows, part_colours(FIGURE_PARTS), kind="person")


@pytest.fixture
def editing() -> Editing:
    return Editing(Scene(named()))


def choose(editing: Editing, name: str) -> np.ndarray:
    """Choose a piece by its name, and return its triangles."""
    names = [each.name for each in editing.scene.pieces.all]
    editing.scene.pieces.choose(names.index(name))
    return triangles(editing)


def triangles(editing: Editing) -> np.ndarray:
    result = editing.scene.item.prediction
    assert result is not None
    return np.asarray(result.face_instances == editing.scene.pieces.chosen)


def names(editing: Editing) -> list[str]:
    return [each.name for each in editing.scene.pieces.all]


def test_a_piece_alone_gets_another_name(editing: Editing) -> None:
    own = choose(editing, "leg 1")
    before = named()
    editing.rename(" front leg ")
    assert "front leg" in names(editing)
    assert names(editing).count("leg") == 1  # the other one stands alone now
    np.testing.assert_array_equal(triangles(editing), own)
    result = editing.scene.item.prediction
    assert result is not None
    np.testing.assert_array_equal(result.face_labels.values[~own], before.face_labels.values[~own])
    assert {result.parts[part] for part in result.labels.values[np.unique(MESH.faces[own])]} >= {"front leg"}
    assert editing.scene.pieces.all[editing.scene.pieces.chosen or 0].confidence > 0.95  # somebody said so
    assert len(set(result.colours)) == len(result.colours)
    assert [entry.name for entry in editing.scene.legend()] == [*FIGURE_PARTS, "front leg"]


def test_two_pieces_become_one_of_the_chosen_ones_part(editing: Editing) -> None:
    arm, leg = choose(editing, "arm 1"), choose(editing, "leg 1")
    editing.wait_for("merge")
    editing.merge(names(editing).index("arm 1"))
    assert editing.waiting == ""
    np.testing.assert_array_equal(triangles(editing), arm | leg)
    assert names(editing).count("arm") == 1
    with pytest.raises(InputError, match="is merged with another piece"):
        editing.merge(editing.scene.pieces.chosen)


def test_pieces_of_one_name_that_touch_stay_two() -> None:
    """What is connected would be one piece, were it not that somebody said otherwise."""
    ring = torus(30, 20)
    editing = Editing(Scene(Segmentation.of_regions(ring, np.arange(len(ring.faces)) // 300)))
    for number in (2, 1):
        choose(editing, f"part {number}")
        editing.rename("half")
    assert sorted(each for each in names(editing) if each.startswith("half")) == ["half 1", "half 2"]


def test_every_change_can_be_taken_back(editing: Editing) -> None:
    first = named()
    choose(editing, "leg 1")
    editing.rename("a")
    editing.merge(names(editing).index("head"))
    editing.undo()
    assert "head" in names(editing)
    editing.undo()
    assert names(editing) == [each.name for each in first.instances]
    with pytest.raises(InputError, match="no change of a piece to undo"):
        editing.undo()
    assert not editing.is_unsaved


def cylinder(rows: int = 30, around: int = 24) -> Mesh:
    """An open cylinder along z, 3 high and 1 wide."""
    angle, height = np.meshgrid(np.arange(around) / around * 2 * np.pi, np.linspace(0, 3, rows))
    points = np.stack([np.cos(angle) / 2, np.sin(angle) / 2, height], axis=-1).reshape(-1, 3)
    place = np.arange(rows * around).reshape(rows, around)
    a, b = place[:-1], np.roll(place, -1, axis=1)[:-1]
    c, d = place[1:], np.roll(place, -1, axis=1)[1:]
    return Mesh(points, np.concatenate([np.stack([a, b, d], -1), np.stack([a, d, c], -1)]).reshape(-1, 3), "cylinder")


@pytest.mark.parametrize("row", [8, 15, 22])
def test_a_line_on_the_side_that_is_seen_cuts_all_the_way_around(row: int) -> None:
    limb = cylinder()
    line = [row * 24 + number for number in range(7)]  # a quarter of the way around
    side = one_side(limb, np.ones(len(limb.faces), dtype=bool), line)
    middles = limb.vertices[limb.faces].mean(axis=1)
    height = limb.vertices[line[0], 2]
    below = side if middles[side, 2].mean() < height else ~side
    wrong = limb.face_areas[below != (middles[:, 2] < height)].sum() / limb.area
    assert wrong < 0.02


def test_a_line_that_splits_nothing_is_refused(editing: Editing) -> None:
    torso = choose(editing, "torso")
    vertices = np.unique(MESH.faces[triangles(editing)])
    head = np.unique(MESH.faces[choose(editing, "head")])
    head = head[np.argsort(np.linalg.norm(MESH.vertices[head] - MESH.vertices[vertices].mean(axis=0), axis=1))]
    choose(editing, "torso")
    for line, said in (([], "a line is needed"), ([int(vertices[0])] * 5, "a line is needed"),
                       (head[-2:].tolist(), "does not lead through 'torso'")):  # fmt: skip
        editing.line = line
        with pytest.raises(InputError, match=said):
            editing.end_line()
    np.testing.assert_array_equal(triangles(editing), torso)
    assert not editing.can_undo


def test_a_drawn_line_makes_a_piece_that_can_be_named() -> None:
    limb = cylinder()
    editing = Editing(Scene(Segmentation.of_regions(limb, np.zeros(len(limb.faces), dtype=int), names=["leg"])))
    choose(editing, "leg")
    editing.wait_for("split")
    editing.begin_line()
    editing.line.extend(10 * 24 + number for number in range(7))
    editing.end_line()
    assert editing.waiting == ""
    assert names(editing) == ["leg 1", "leg 2"]
    editing.rename("foot")  # the smaller piece is the new one
    middles = limb.vertices[limb.faces].mean(axis=1)
    assert middles[triangles(editing), 2].max() < 1.3
    assert editing.scene.pieces.all[editing.scene.pieces.chosen or 0].share == pytest.approx(1 / 3, abs=0.05)
    editing.undo()
    editing.undo()
    assert names(editing) == ["leg"]


def test_changes_stay_when_another_mesh_is_shown_and_are_written(tmp_path: Path) -> None:
    save_mesh(MESH, tmp_path / "one.ply")
    entry = Entry("one.ply", lambda: (MESH, None), named(), tmp_path / "one.ply")
    rings = [Entry(f"ring{n}", lambda: (torus(), None)) for n in range(4)]
    scene = Scene([entry, *rings])
    editing = Editing(scene)
    choose(editing, "leg 1")
    editing.rename("front leg")
    for _ in range(5):
        scene.next()
    assert "front leg" in names(editing)
    assert editing.is_unsaved
    assert editing.unsaved() == ["one.ply: the pieces that were changed are not saved"]
    assert editing.path == str(tmp_path / "parts" / "one.glb")
    editing.save()
    assert not editing.is_unsaved
    assert "front leg" in trimesh.load(tmp_path / "parts" / "one.glb").geometry
    editing.path = str(tmp_path / "one.ply")
    with pytest.raises(InputError, match="is the mesh itself"):
        editing.save()
    editing.path = str(tmp_path / "one.npz")
    editing.save()
    written = np.load(tmp_path / "one.npz")
    assert "front leg" in written["instance_names"]
    np.testing.assert_array_equal(written["face_instances"], named_after(editing))


def named_after(editing: Editing) -> np.ndarray:
    result = editing.scene.item.prediction
    assert result is not None
    return result.face_instances


def test_nothing_is_changed_without_a_chosen_piece(editing: Editing) -> None:
    for act in (lambda: editing.rename("x"), lambda: editing.wait_for("split"), lambda: editing.merge(0)):
        with pytest.raises(InputError, match="click on one first"):
            act()
    choose(editing, "head")
    with pytest.raises(InputError, match="needs a name"):
        editing.rename("  ")
