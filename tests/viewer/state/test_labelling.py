"""Labelling without a window: keys, the brush, steps back, and the list in which every part stands once."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from shapes import FIGURE_PARTS, figure, sphere

from meshtide.errors import InputError
from meshtide.inference.segmentation import Segmentation
from meshtide.labels.colours import part_colours
from meshtide.labels.labels import Labels
from meshtide.viewer.state import Scene
from meshtide.viewer.state.item import Entry
from meshtide.viewer.state.labelling import LARGEST, SMALLEST, STEP, Labelling
from meshtide.viewer.state.layers import LegendEntry, truth_only
from meshtide.viewer.state.proposal import Proposal
from meshtide.viewer.state.ring import POINTS, Ring
from meshtide.viewer.state.rows import rows
from meshtide.viewer.state.shortcuts import SHORTCUTS, TOLD, asked
from meshtide.viewer.state.telling import heading

MESH, PARTS = figure(2)


@pytest.fixture
def labelling() -> Labelling:
    return Labelling(Scene(MESH))


def named(labelling: Labelling, *names: str) -> Labelling:
    for name in names:
        labelling.name = name
        labelling.new_part()
    return labelling


def pressed(*keys: str, control: bool = False, shift: bool = False, typing: bool = False) -> list[str]:
    return asked(lambda key, repeats: key in keys, control=control, shift=shift, typing=typing)


def test_keys_ask_for_what_the_table_says() -> None:
    assert pressed("Z", control=True) == ["undo"]
    assert pressed("Z", control=True, shift=True) == ["redo"] == pressed("Y", control=True)
    assert pressed("Z") == []  # a letter alone is no undo
    assert pressed("S") == ["save"] == pressed("S", control=True)
    assert [pressed(str(digit)) for digit in range(1, 10)] == [[f"part {digit}"] for digit in range(1, 10)]
    assert pressed("LeftBracket", "N") == ["smaller", "next"]
    assert pressed("N", "S", "3", typing=True) == []  # "neck" is typed, not obeyed
    held = [each.act for each in SHORTCUTS if each.repeats]
    assert set(held) == {"undo", "redo", "smaller", "larger"}  # nobody saves or goes on twenty times a second


def test_the_documentation_tells_every_key() -> None:
    page = (Path(__file__).parents[3] / "docs" / "tutorial" / "label.md").read_text(encoding="utf-8")
    for keys, does in TOLD:
        assert f"| {keys} | {does} |" in page


def test_digits_choose_parts_and_brackets_the_size(labelling: Labelling) -> None:
    with pytest.raises(InputError, match="name one first"):
        labelling.choose_part(0)
    named(labelling, "head", "torso")
    assert labelling.part == 1
    labelling.tool = "erase"
    labelling.choose_part(0)
    assert (labelling.part, labelling.tool) == (0, "brush")
    with pytest.raises(InputError, match="no part 3; there are 'head', 'torso'"):
        labelling.choose_part(2)
    before = labelling.share
    labelling.resize(STEP)
    assert labelling.share == pytest.approx(before * STEP)
    for _ in range(40):
        labelling.resize(STEP)
    assert labelling.share == LARGEST
    for _ in range(80):
        labelling.resize(1 / STEP)
    assert labelling.share == SMALLEST


def test_accepting_is_undone_to_what_was_proposed(labelling: Labelling) -> None:
    scene = named(labelling, "head", "torso").scene
    labelling.share = 0.1
    labelling.paint(0)
    strokes = scene.painting.values.copy()
    sure = np.where(np.arange(len(strokes)) % 2 == 0, 0.9, 0.2).astype(np.float32)
    values = np.zeros(len(strokes), dtype=np.int64)
    scene.proposals[0] = Proposal(Labels(values, "vertices", ("head", "torso")), np.zeros((0, 2)), sure)
    labelling.accept()
    taken = (scene.painting.values == 0) & (strokes < 0)
    np.testing.assert_array_equal(taken, (sure >= 0.5) & (strokes < 0))
    assert scene.mode == "painting"
    labelling.undo()
    np.testing.assert_array_equal(scene.painting.values, strokes)
    assert scene.mode == "proposal"
    labelling.redo()
    assert taken.sum() == ((scene.painting.values == 0) & (strokes < 0)).sum()
    labelling.undo()
    labelling.undo()
    assert scene.mode == "painting"  # a stroke was taken back, and it was no proposal
    assert not scene.painting.painted.any()


def test_undoing_a_part_leaves_one_that_can_be_painted_with(labelling: Labelling) -> None:
    named(labelling, "head", "torso")
    labelling.undo()
    labelling.paint(0)
    assert labelling.scene.painting.values[0] == 0
    for _ in range(2):
        labelling.undo()
    with pytest.raises(InputError, match="nothing to undo"):
        labelling.undo()


def test_what_sure_means_is_said_in_shares_of_the_surface(labelling: Labelling) -> None:
    assert "at least 50% likely" in labelling.told_of_sure()
    scene = labelling.scene
    areas = scene.item.vertex_areas
    sure = (MESH.vertices[:, 2] > np.median(MESH.vertices[:, 2])).astype(np.float32)
    scene.proposals[0] = Proposal(Labels(np.zeros(len(sure), dtype=int), "vertices", ("a",)), np.zeros((0, 1)), sure)
    share = areas[sure > 0].sum() / areas.sum()
    assert f"takes {share:.0%} of the surface" in labelling.told_of_sure()
    assert f"leaves {1 - share:.0%} unpainted" in labelling.told_of_sure()


def test_a_region_gets_its_name_by_one_click() -> None:
    answer = Segmentation.of_regions(MESH, PARTS)
    labelling = named(Labelling(Scene(answer)), "limb", "trunk")
    labelling.tool = "piece"
    scene = labelling.scene
    pieces = {piece: int(np.flatnonzero(answer.face_instances == piece)[0]) for piece in range(len(answer.instances))}
    labelling.choose_part(0)
    for piece, face in pieces.items():
        if piece:
            labelling.paint(int(MESH.faces[face, 0]), face)
            assert scene.mode == "prediction"  # the next one is to be seen
    labelling.choose_part(1)
    labelling.paint(int(MESH.faces[pieces[0], 0]), pieces[0])
    np.testing.assert_array_equal(scene.painting.values, np.where(answer.vertex_instances == 0, 1, 0))
    assert "'trunk' now" in labelling.message
    assert "0% of the area has no name" in labelling.message
    labelling.undo()
    np.testing.assert_array_equal(scene.painting.painted, answer.vertex_instances != 0)


def test_the_heading_tells_kind_score_and_doubts() -> None:
    truth = Labels(PARTS, "faces", FIGURE_PARTS)
    wrong = np.where(PARTS == 0, 1, PARTS)
    labels = Labels(wrong, "faces", FIGURE_PARTS).to_vertices(MESH)
    rows_ = np.eye(len(FIGURE_PARTS), dtype=np.float32)[labels.values]
    said = ("first " + 40 * "long ", "second", "third")
    result = Segmentation(MESH, labels, rows_, part_colours(FIGURE_PARTS), kind="humanoid", warnings=said)
    scene = Scene(Entry("a\x1b[31m", lambda: (MESH, truth), result))
    assert heading(scene).lines == ()  # nobody has looked for parts yet
    assert scene.item.prediction is not None
    told = heading(scene)
    assert told.name == "a\\x1b[31m"
    assert told.lines[0] == "taken for humanoid"
    share = MESH.face_areas[scene.item.prediction.face_labels.values == PARTS].sum() / MESH.face_areas.sum()
    assert told.lines[-1] == f"the truth agrees on {share:.1%} of the compared area"
    assert share < 1
    assert len(told.doubts) == 3
    assert told.doubts[-1] == "and 1 more"
    assert told.more.splitlines() == list(said)


def test_parts_that_only_the_truth_has_stand_in_the_legend() -> None:
    a, b, other = LegendEntry("a", "#111111", 0.5), LegendEntry("b", "#222222", 0.5), LegendEntry("b", "#333333", 0.5)
    assert truth_only((a, b), (a, b)) == ()
    assert truth_only((a,), (a, b)) == (LegendEntry("b (truth)", "#222222"),)
    assert truth_only((a, b), (a, other)) == (LegendEntry("b (truth)", "#333333"),)


def test_every_part_stands_in_one_row() -> None:
    scene = Scene((MESH, Labels(PARTS, "faces", FIGURE_PARTS)), mode="truth")
    labelling = named(Labelling(scene), "torso", "tail")
    listed = rows(scene, scene.legend(), labelling=True)
    names = [row.name for row in listed]
    assert names == [*FIGURE_PARTS, "tail"]
    by_name = {row.name: row for row in listed}
    assert (by_name["torso"].brush, by_name["tail"].brush, by_name["head"].brush) == (0, 1, None)
    assert by_name["tail"].share is None
    assert [row.colour for row in listed[:-1]] == [entry.colour for entry in scene.legend()]
    scene.toggle("head")
    assert not {row.name: row for row in rows(scene, scene.legend(), labelling=False)}["head"].seen
    labelling.paint(0)
    assert [row.name for row in rows(scene, scene.legend(), labelling=False)] == ["tail", "unlabelled"]
    assert [row.name for row in rows(scene, scene.legend(), labelling=True)] == ["tail", "unlabelled", "torso"]


def test_the_ring_lies_on_the_surface_around_the_vertex() -> None:
    ball = sphere(3)
    points = Ring(ball).around(5, 0.3)
    assert points.shape == (POINTS, 3)
    np.testing.assert_allclose(np.linalg.norm(points, axis=1), 1.0, atol=0.03)
    middle = points.mean(axis=0)
    assert np.linalg.norm(middle / np.linalg.norm(middle) - ball.vertices[5]) < 0.02
    np.testing.assert_allclose(np.linalg.norm(points - ball.vertices[5], axis=1), 0.3, atol=0.03)


def test_the_last_message_says_what_the_mouse_does(labelling: Labelling) -> None:
    labelling.take_tool("brush")
    assert "name a part first" in labelling.message
    labelling.name = "leg"
    labelling.new_part()
    labelling.take_tool("piece")
    assert labelling.message.startswith("the mouse names whole pieces 'leg'")
    labelling.take_tool("erase")
    assert "erases" in labelling.message
    labelling.choose_part(0)
    assert labelling.message.startswith("the mouse paints 'leg'")
    labelling.take_tool("brush")
    assert labelling.message == ""
    assert not labelling.active
