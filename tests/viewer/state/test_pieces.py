"""Instances in the viewer: chosen, told, hidden one by one, and brought out; for named parts and for regions."""

from __future__ import annotations

import numpy as np
import pytest
from shapes import FIGURE_PARTS, figure, torus

from meshtide.errors import InputError
from meshtide.inference.segmentation import Segmentation
from meshtide.labels.colours import part_colours
from meshtide.labels.labels import Labels
from meshtide.labels.shades import instance_colours
from meshtide.viewer.state import Scene
from meshtide.viewer.state.layers import rgb
from meshtide.viewer.state.pieces import DULL, FADE

MESH, PARTS_ON_FACES = figure(2)


def named() -> Segmentation:
    """A figure in its true parts, of which arms and legs are two each."""
    labels = Labels(PARTS_ON_FACES, "faces", FIGURE_PARTS).to_vertices(MESH)
    rows = np.full((len(labels), len(FIGURE_PARTS)), 0.1, dtype=np.float32)
    rows[np.arange(len(labels)), labels.values] = 0.7
    return Segmentation(MESH, labels, rows, part_colours(FIGURE_PARTS))


@pytest.fixture
def scene() -> Scene:
    return Scene(named())


def index_of(scene: Scene, name: str) -> int:
    return [each.name for each in scene.pieces.all].index(name)


def test_a_ready_segmentation_is_shown_without_a_model(scene: Scene) -> None:
    assert scene.modes[:2] == ("prediction", "instances")
    assert [entry.name for entry in scene.legend()] == list(FIGURE_PARTS)
    np.testing.assert_allclose(scene.colours()[0], rgb(part_colours(FIGURE_PARTS))[named().mesh_face_labels.values])


def test_regions_are_shown_with_their_own_borders() -> None:
    ring = torus(30, 20)
    regions = np.arange(len(ring.faces)) % 7  # so torn that no vertex could tell
    answer = Segmentation.of_regions(ring, regions)
    scene = Scene(answer)
    assert [entry.name for entry in scene.legend()] == [f"part {number}" for number in range(1, 8)]
    wanted = rgb(answer.colours)[answer.mesh_face_labels.values]
    np.testing.assert_allclose(scene.colours()[0], wanted)
    scene.show("instances")
    np.testing.assert_allclose(scene.colours()[0], wanted)  # each region is one piece
    scene.toggle("part 3")
    np.testing.assert_array_equal(scene.visible_faces(), answer.mesh_face_labels.values != 2)


def test_instances_have_shades_and_shares(scene: Scene) -> None:
    scene.show("instances")
    answer = named()
    shades = instance_colours(answer.colours, [each.part_index for each in answer.instances])
    np.testing.assert_allclose(scene.colours()[0], rgb(shades)[answer.face_instances])
    told = [(entry.name, entry.colour, pytest.approx(entry.share)) for entry in scene.legend()]
    assert told == [(each.name, shade, each.share) for each, shade in zip(answer.instances, shades, strict=True)]
    scene.choices.crisp = False
    colours, on = scene.colours()
    assert on == "vertices"
    np.testing.assert_allclose(colours, rgb(shades)[answer.vertex_instances])


def test_what_is_under_the_pointer_is_chosen_and_told(scene: Scene) -> None:
    answer = named()
    for face in (0, 100, len(MESH.faces) - 1):
        assert scene.pieces.at(int(MESH.faces[face, 0]), face) == answer.face_instances[face]
        vertex = int(MESH.faces[face, 0])
        assert scene.pieces.at(vertex) == answer.vertex_instances[vertex]
    assert scene.pieces.told() == ""
    scene.pieces.choose(index_of(scene, "leg 2"))
    leg = next(each for each in answer.instances if each.name == "leg 2")
    wanted = f"leg 2: {100 * leg.share:.1f} % of the area, {100 * leg.confidence:.0f} % sure"
    assert scene.pieces.told() == wanted
    with pytest.raises(InputError, match=f"no instance 99; they run from 0 to {len(answer.instances) - 1}"):
        scene.pieces.choose(99)
    assert scene.pieces.told() == wanted


@pytest.mark.parametrize("mode", ["prediction", "instances", "confidence"])
def test_the_chosen_instance_keeps_its_colour_and_the_rest_fades(scene: Scene, mode: str) -> None:
    scene.show(mode)
    plain, on = scene.colours()
    scene.pieces.choose(index_of(scene, "arm 1"))
    colours, _ = scene.colours()
    owner = named().face_instances if on == "faces" else named().vertex_instances
    own = owner == scene.pieces.chosen
    assert own.any()
    np.testing.assert_array_equal(colours[own], plain[own])
    np.testing.assert_allclose(colours[~own], plain[~own] + FADE * (DULL - plain[~own]))
    scene.show("eigenfunction")  # which knows no instances
    before = scene.colours()[0]
    scene.pieces.choose(None)
    np.testing.assert_array_equal(scene.colours()[0], before)


def test_one_instance_is_hidden_or_seen_alone(scene: Scene) -> None:
    face_instances, one = named().face_instances, index_of(scene, "leg 1")
    scene.toggle("leg 1")
    np.testing.assert_array_equal(scene.visible_faces(), face_instances != one)
    scene.show("confidence")
    np.testing.assert_array_equal(scene.visible_faces(), face_instances != one)
    scene.show("painting")  # whose parts are others
    assert scene.visible_faces().all()
    scene.show("instances")
    scene.only("leg 1")
    np.testing.assert_array_equal(scene.visible_faces(), face_instances == one)
    scene.only("leg")
    part = named().face_labels.values == FIGURE_PARTS.index("leg")
    np.testing.assert_array_equal(scene.visible_faces(), part)
    scene.only(None)
    assert scene.visible_faces().all()


def test_moving_on_lets_go_of_the_chosen_instance_but_not_of_what_is_hidden() -> None:
    scene = Scene([named(), Segmentation.of_regions(torus(), np.arange(len(torus().faces)) % 2), named()])
    scene.pieces.choose(0)
    scene.toggle("leg 1")
    scene.next()
    assert scene.pieces.chosen is None
    assert [each.name for each in scene.pieces.all] == ["part 1", "part 2"]
    assert scene.visible_faces().all()
    scene.next()
    assert not scene.visible_faces().all()


def test_without_a_segmentation_there_are_no_instances() -> None:
    scene = Scene((MESH, Labels(PARTS_ON_FACES, "faces", FIGURE_PARTS)))
    assert "instances" not in scene.modes
    assert scene.pieces.all == ()
    assert scene.pieces.at(3, 3) is None
    scene.toggle("arm")
    np.testing.assert_array_equal(scene.visible_faces(), FIGURE_PARTS.index("arm") != PARTS_ON_FACES)
