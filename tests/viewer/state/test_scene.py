"""The scene: which mesh, which mode, which parts, and the arrays to draw."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
import pytest
from shapes import FIGURE_PARTS, figure, torus
from small_models import model

from meshtide.data.collection import open_collection
from meshtide.errors import InputError
from meshtide.inference.segmentation import Segmentation
from meshtide.labels.colours import UNLABELLED, part_colours
from meshtide.labels.files import write_labels
from meshtide.labels.labels import Labels
from meshtide.mesh.files import save_mesh
from meshtide.mesh.mesh import Mesh
from meshtide.networks.graph import MeshGraph, mesh_graph
from meshtide.spectral.recipe import GraphRecipe
from meshtide.viewer.state import Scene
from meshtide.viewer.state.item import Entry, Tools, model_tools
from meshtide.viewer.state.layers import DIFFERENT, NOT_COMPARED, SAME, rgb
from meshtide.viewer.state.proposal import Proposal

MESH, PARTS_ON_FACES = figure(1)
TRUTH = Labels(PARTS_ON_FACES, "faces", FIGURE_PARTS)
COLOURS = ("#112233", "#445566", "#778899", "#aabbcc")


def segmented(mesh: Mesh) -> Segmentation:
    """By height: legs below, then arms, torso, head; some parts by an order of names of its own."""
    height = mesh.vertices[:, 2]
    values = np.digitize(height, np.quantile(height, [0.25, 0.5, 0.75]))
    probabilities = np.full((len(values), 4), 0.1, dtype=np.float32)
    probabilities[np.arange(len(values)), values] = 0.7
    return Segmentation(mesh, Labels(values, "vertices", ("leg", "arm", "torso", "head")), probabilities, COLOURS)


def prepared(mesh: Mesh) -> MeshGraph:
    return mesh_graph(mesh, GraphRecipe(k=12))


@pytest.fixture
def scene() -> Scene:
    colours = dict(zip(("leg", "arm", "torso", "head"), COLOURS, strict=True))
    return Scene((MESH, TRUTH), Tools(segmented, prepared, colours=colours))


def test_the_prediction_has_the_colours_of_the_model(scene: Scene) -> None:
    assert scene.mode == "prediction"
    colours, on = scene.colours()
    assert on == "faces"
    expected = segmented(MESH).face_labels.values
    np.testing.assert_allclose(colours, rgb(COLOURS)[expected])
    scene.choices.crisp = False
    colours, on = scene.colours()
    assert on == "vertices"
    np.testing.assert_allclose(colours, rgb(COLOURS)[segmented(MESH).labels.values])


def test_the_legend_names_what_occurs_with_its_share_of_the_area(scene: Scene) -> None:
    for mode in ("prediction", "truth", "difference", "painting"):
        scene.show(mode)
        entries = scene.legend()
        assert sum(entry.share or 0 for entry in entries) == pytest.approx(1)
    scene.show("truth")
    shares = {entry.name: entry.share for entry in scene.legend()}
    for part, name in enumerate(FIGURE_PARTS):
        wanted = MESH.face_areas[part == TRUTH.values].sum() / MESH.area
        assert shares[name] == pytest.approx(wanted)


def test_truth_on_faces_is_shown_on_faces_in_the_same_colour_as_the_prediction(scene: Scene) -> None:
    scene.choices.crisp = False
    scene.show("truth")
    colours, on = scene.colours()
    assert on == "faces"
    colour_of = dict(zip(("leg", "arm", "torso", "head"), rgb(COLOURS), strict=True))
    for part, name in enumerate(FIGURE_PARTS):
        np.testing.assert_allclose(colours[part == TRUTH.values], [colour_of[name]] * (part == TRUTH.values).sum())
    alone = Scene((MESH, TRUTH))
    alone.show("truth")
    assert [entry.colour for entry in alone.legend()] == list(part_colours(FIGURE_PARTS))


@pytest.mark.parametrize("on", ["faces", "vertices"])
def test_the_difference_is_by_name_and_leaves_out_what_has_no_truth(on: str) -> None:
    truth = TRUTH if on == "faces" else TRUTH.to_vertices(MESH)
    values = truth.values.copy()
    values[:10] = -1
    scene = Scene((MESH, Labels(values, truth.on, (*FIGURE_PARTS, "hat"))), Tools(segmented))
    scene.show("difference")
    colours, shown_on = scene.colours()
    assert shown_on == on
    found = segmented(MESH).face_labels if on == "faces" else segmented(MESH).labels
    name_of = np.array([*found.names, "none"])
    same = name_of[found.values] == np.array([*FIGURE_PARTS, "none"])[values]
    wanted = np.where(same[:, None], rgb([SAME]), rgb([DIFFERENT]))
    wanted[values < 0] = rgb([NOT_COMPARED])
    np.testing.assert_allclose(colours, wanted)
    assert [entry.name for entry in scene.legend()] == ["same", "different", "not compared"]


def test_parts_that_the_model_does_not_know_are_not_compared() -> None:
    scene = Scene((MESH, TRUTH.renamed(("hat", "coat", "sleeve", "trousers"))), Tools(segmented))
    scene.show("difference")
    assert [entry.name for entry in scene.legend()] == ["not compared"]


def test_confidence_hks_and_eigenfunctions_are_scales_on_vertices(scene: Scene) -> None:
    for mode in ("confidence", "hks", "eigenfunction"):
        scene.show(mode)
        layer = scene.layer()
        assert (layer.on, len(layer.colours)) == ("vertices", len(MESH.vertices))
        assert layer.colours.min() >= 0
        assert layer.colours.max() <= 1
        assert [entry.share for entry in layer.legend] == [None, None, None]
    scene.choices.eigenfunction = 4
    layer = scene.layer()
    np.testing.assert_array_equal(layer.values, prepared(MESH).vectors[:, 4].numpy())
    assert float(layer.legend[0].name) == -float(layer.legend[-1].name)
    scene.choices.eigenfunction = 10**6
    np.testing.assert_array_equal(scene.layer().values, prepared(MESH).vectors[:, 11].numpy())


def test_the_hks_channel_is_that_of_the_features(scene: Scene) -> None:
    scene.show("hks")
    features = prepared(MESH).features.numpy()
    for channel in (0, 8, 15):
        scene.choices.hks = channel
        np.testing.assert_allclose(scene.layer().values, features[:, channel], atol=1e-4)


def test_the_support_needs_a_vertex_and_follows_it(scene: Scene) -> None:
    assert "support" not in scene.modes
    with pytest.raises(InputError, match="no support to show"):
        scene.show("support")
    scene.select(17)
    assert "support" not in scene.modes  # no network, so no learned time
    scene.choices.time = 0.02
    scene.show("support")
    values = scene.layer().values
    assert values is not None
    np.testing.assert_array_equal(values, scene.item.support.values(17, time=0.02))
    scene.choices.kind = "heat"
    assert not np.array_equal(values, scene.layer().values)
    with pytest.raises(InputError, match="no vertex"):
        scene.select(10**6)
    assert scene.selected == 17


def test_hidden_parts_are_not_drawn(scene: Scene) -> None:
    assert scene.visible_faces().all()
    faces = segmented(MESH).face_labels.values
    scene.toggle("arm")
    np.testing.assert_array_equal(scene.visible_faces(), faces != 1)
    scene.show("confidence")  # parts of the prediction stay hidden
    np.testing.assert_array_equal(scene.visible_faces(), faces != 1)
    scene.show("truth")
    np.testing.assert_array_equal(scene.visible_faces(), TRUTH.values != FIGURE_PARTS.index("arm"))
    scene.toggle("arm")
    assert scene.visible_faces().all()
    scene.only("head")
    np.testing.assert_array_equal(scene.visible_faces(), TRUTH.values == FIGURE_PARTS.index("head"))
    scene.only(None)
    assert scene.visible_faces().all()


def test_unlabelled_is_grey_and_can_be_hidden() -> None:
    values = np.where(TRUTH.values == 1, -1, TRUTH.values)
    scene = Scene((MESH, Labels(values, "faces", FIGURE_PARTS)))
    assert scene.mode == "truth"
    colours, _ = scene.colours()
    np.testing.assert_allclose(colours[values < 0], np.tile(rgb([UNLABELLED]), ((values < 0).sum(), 1)))
    assert scene.legend()[-1].name == "unlabelled"
    scene.toggle("unlabelled")
    np.testing.assert_array_equal(scene.visible_faces(), values >= 0)


def test_meshes_are_loaded_one_at_a_time_and_only_when_shown() -> None:
    loaded: list[str] = []

    def load(name: str) -> tuple[Mesh, None]:
        loaded.append(name)
        return torus(6, 5).renamed(name), None

    scene = Scene([Entry(name, partial(load, name)) for name in "abcde"])
    assert loaded == ["a"]
    scene.next()
    scene.next()
    scene.previous()
    assert (loaded, scene.mesh.name) == (["a", "b", "c"], "b")
    for _ in range(4):
        scene.next()
    assert (scene.mesh.name, loaded) == ("a", ["a", "b", "c", "d", "e", "a"])  # few are kept
    scene.previous()
    assert scene.mesh.name == "e"
    with pytest.raises(InputError, match="no mesh 5"):
        scene.go(5)


def test_nothing_is_segmented_before_it_is_looked_at() -> None:
    seen: list[str] = []

    def segment(mesh: Mesh) -> Segmentation:
        seen.append(mesh.name)
        return segmented(mesh)

    scene = Scene([(MESH, TRUTH), torus()], Tools(segment, prepared), mode="truth")
    scene.colours()
    assert (scene.modes[:4], seen) == (("prediction", "instances", "truth", "difference"), [])
    scene.next()
    assert scene.mode == "prediction"  # there is no truth here
    scene.colours()
    scene.colours()
    assert seen == ["torus"]
    scene.previous()
    assert scene.mode == "truth"  # what was chosen comes back


def test_a_folder_is_walked_through_and_broken_files_are_passed_over(tmp_path: Path) -> None:
    save_mesh(torus(6, 5), tmp_path / "a.ply")
    (tmp_path / "b.ply").write_text("no mesh")
    save_mesh(MESH, tmp_path / "c.ply")
    write_labels(TRUTH, tmp_path / "c.seg", MESH)
    scene = Scene(open_collection(tmp_path))
    assert (scene.mesh.name, scene.modes[0]) == ("a", "hks")
    scene.next()
    assert (scene.mesh.name, list(scene.problems)) == ("c", ["b"])
    assert scene.modes[0] == "truth"
    scene.next()
    assert scene.mesh.name == "a"
    assert "b.ply" in scene.problems["b"]
    with pytest.raises(InputError, match=r"none of the 1 meshes can be shown; .*b\.ply"):
        Scene(tmp_path / "b.ply")
    with pytest.raises(InputError, match="no mesh to show"):
        Scene([])


def test_the_painting_of_every_mesh_stays_and_parts_are_shared() -> None:
    scene = Scene([MESH, torus(), torus(8, 8)])
    scene.painting.add_part("wheel")
    scene.painting.brush(0, 1.0, "wheel")
    first = scene.painting.values.copy()
    scene.next()
    assert scene.painting.names == ("wheel",)
    assert not scene.painting.painted.any()
    scene.next()
    scene.next()
    np.testing.assert_array_equal(scene.painting.values, first)
    scene.show("painting")
    colours, on = scene.colours()
    assert on == "vertices"
    np.testing.assert_allclose(colours, rgb([*scene.painting.colours, UNLABELLED])[first])


def test_a_proposal_is_shown_in_the_colours_of_the_painting() -> None:
    scene = Scene([MESH])
    assert "proposal" not in scene.modes
    scene.painting.load(TRUTH)
    labels = TRUTH.to_vertices(MESH)
    probabilities = np.eye(4, dtype=np.float32)[labels.values]
    scene.proposals[0] = Proposal(labels, probabilities, probabilities.max(axis=1))
    scene.show("proposal")
    np.testing.assert_allclose(scene.colours()[0], rgb(scene.painting.colours)[labels.to_faces(MESH).values])


def test_moving_on_lets_go_of_the_selected_vertex(scene: Scene) -> None:
    two = Scene([MESH, torus()])
    two.select(3)
    two.next()
    assert two.selected is None
    scene.select(3)
    scene.select(None)
    assert scene.selected is None


def test_a_mode_that_is_not_known_is_refused_and_labels_must_fit(scene: Scene) -> None:
    with pytest.raises(InputError, match="'x-ray' is not known"):
        scene.show("x-ray")
    with pytest.raises(InputError, match="made for another mesh"):
        Scene((torus(), TRUTH))


def test_with_a_model_everything_comes_from_it() -> None:
    known = model()
    scene = Scene(MESH, model_tools(known))
    assert scene.legend()[0].name in known.about.parts
    scene.select(5)
    scene.show("support")
    assert scene.item.graph.recipe == known.about.recipe
    np.testing.assert_array_equal(scene.layer().values, scene.item.support.values(5))
