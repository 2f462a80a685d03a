"""Scores are what counting one element after the other gives."""

from __future__ import annotations

import json

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from shapes import FIGURE_PARTS, figure, sphere

from meshtide.errors import InputError
from meshtide.inference.predict import face_probabilities, predict, vertex_probabilities
from meshtide.labels.labels import Labels
from meshtide.mesh.mesh import Mesh
from meshtide.networks.graph import mesh_graph
from meshtide.networks.tide import TideNet
from meshtide.spectral.recipe import GraphRecipe
from meshtide.training.scores import METRICS, Score, ShapeScore, combine, score_shape, summarise

PARTS = ("head", "torso", "arm", "leg", "tail")


def certain(values: NDArray[np.int64], parts: int) -> NDArray[np.float32]:
    """Probabilities that leave no doubt."""
    return np.eye(parts, dtype=np.float32)[values]


def random_case(seed: int, on: str = "vertices", unlabelled: float = 0.2) -> tuple[NDArray[np.float32], Labels, Mesh]:
    random = np.random.default_rng(seed)
    mesh = sphere(1)
    mesh = Mesh(mesh.vertices * random.uniform(0.5, 2.0, (len(mesh.vertices), 1)), mesh.faces, f"ball-{seed}")
    count = len(mesh.vertices if on == "vertices" else mesh.faces)
    values = random.integers(0, len(PARTS) - 1, count)  # no tail
    values[random.random(count) < unlabelled] = -1
    probabilities = random.dirichlet(np.ones(len(PARTS)), len(mesh.vertices)).astype(np.float32)
    return probabilities, Labels(values, on, PARTS), mesh  # type: ignore[arg-type]  # one of the two words


def counted(probabilities: NDArray[np.float32], labels: Labels, mesh: Mesh) -> dict[str, float]:
    """The four figures by loops and sets, with nothing taken from the module."""
    vertex_truth, face_truth = labels.to_vertices(mesh).values, labels.to_faces(mesh).values
    prediction = [max(range(len(row)), key=lambda part, row=row: row[part]) for row in probabilities.tolist()]
    vertices = [v for v in range(len(prediction)) if vertex_truth[v] >= 0]
    right = faces = area = right_area = 0.0
    for face, corners in enumerate(mesh.faces):
        if face_truth[face] < 0:
            continue
        sums = sum(probabilities[corner].astype(np.float64) for corner in corners)
        a, b, c = mesh.vertices[corners]
        size, hit = float(np.linalg.norm(np.cross(b - a, c - a)) / 2), int(np.argmax(sums)) == face_truth[face]
        faces, right, area, right_area = faces + 1, right + hit, area + size, right_area + size * hit
    ious = []
    for part in range(len(labels.names)):
        true, found = {v for v in vertices if vertex_truth[v] == part}, {v for v in vertices if prediction[v] == part}
        if true:
            ious.append(len(true & found) / len(true | found))
    accuracy = sum(prediction[v] == vertex_truth[v] for v in vertices) / len(vertices)
    return dict(zip(METRICS, (accuracy, right / faces, right_area / area, sum(ious) / len(ious)), strict=True))


@pytest.mark.parametrize("on", ["vertices", "faces"])
@pytest.mark.parametrize("seed", range(5))
def test_the_figures_of_a_shape_are_those_of_a_plain_count(seed: int, on: str) -> None:
    probabilities, labels, mesh = random_case(seed, on)
    score = score_shape("ball", probabilities, labels, mesh)
    for name, value in counted(probabilities, labels, mesh).items():
        assert getattr(score, name) == pytest.approx(value, abs=1e-12), name
    assert score.confusion.sum() == (labels.to_vertices(mesh).values >= 0).sum()


def test_confusion_and_iou_are_those_of_torchmetrics() -> None:
    metrics = pytest.importorskip("torchmetrics.classification")
    cases = [random_case(seed) for seed in range(4)]
    score = combine([score_shape("ball", *case) for case in cases], PARTS)
    prediction = torch.tensor(np.concatenate([case[0].argmax(axis=1) for case in cases]))
    truth = torch.tensor(np.concatenate([case[1].values for case in cases]))
    confusion = metrics.MulticlassConfusionMatrix(len(PARTS), ignore_index=-1)(prediction, truth)
    ious = metrics.MulticlassJaccardIndex(len(PARTS), ignore_index=-1, average="none")(prediction, truth)
    recalls = metrics.MulticlassRecall(len(PARTS), ignore_index=-1, average="none")(prediction, truth)
    np.testing.assert_array_equal(score.confusion, confusion.numpy())
    for name, iou, recall in zip(PARTS[:4], ious.tolist(), recalls.tolist(), strict=False):
        assert score.parts[name].iou == pytest.approx(iou, abs=1e-6)
        assert score.parts[name].accuracy == pytest.approx(recall, abs=1e-6)
    assert score.mean_iou == pytest.approx(float(ious[:4].mean()), abs=1e-6)


@pytest.mark.parametrize("on", ["vertices", "faces"])
def test_the_truth_itself_scores_one(on: str) -> None:
    mesh, parts = figure(1)
    labels = Labels(parts, "faces", FIGURE_PARTS)
    if on == "vertices":
        labels = labels.to_vertices(mesh)
        truth = certain(labels.values, len(FIGURE_PARTS))
        score = score_shape("figure", truth, labels, mesh)
        assert (score.vertex_accuracy, score.mean_iou) == (1, 1)
        # Where three parts meet in a face, the mean of its corners and the rule of to_faces may differ.
        assert score.face_accuracy > 0.99
    else:
        score = score_shape("figure", certain(parts, len(FIGURE_PARTS)), labels, mesh, on="faces")
        assert (score.face_accuracy, score.area_accuracy) == (1, 1)
        assert score.vertex_accuracy > 0.99


def test_a_part_that_is_named_wrong_everywhere_scores_nothing() -> None:
    mesh = sphere(1)
    values = np.arange(len(mesh.vertices)) % 3
    score = score_shape("ball", certain((values + 1) % 3, 3), Labels(values, "vertices", ("a", "b", "c")), mesh)
    assert (score.vertex_accuracy, score.mean_iou) == (0, 0)
    np.testing.assert_array_equal(score.confusion, np.diag(np.bincount(values))[:, [2, 0, 1]])


def test_renumbering_vertices_or_parts_changes_no_figure() -> None:
    probabilities, labels, mesh = random_case(7)
    random = np.random.default_rng(0)
    order, parts = random.permutation(len(mesh.vertices)), random.permutation(len(PARTS))
    place, number = np.argsort(order), np.append(np.argsort(parts), -1)
    turned = Mesh(mesh.vertices[order], place[mesh.faces])
    names = tuple(PARTS[part] for part in parts)
    renamed = Labels(number[labels.values][order], "vertices", names)
    first = score_shape("ball", probabilities, labels, mesh)
    # The truth in its own order of parts: it is matched with the columns by name.
    for truth in (renamed, Labels(labels.values[order], "vertices", PARTS)):
        second = score_shape("ball", probabilities[order][:, parts], truth, turned, parts=names)
        for name in ("vertex_accuracy", "mean_iou"):
            assert getattr(second, name) == pytest.approx(getattr(first, name), abs=1e-12)
        np.testing.assert_array_equal(second.confusion, first.confusion[np.ix_(parts, parts)])


def two_triangles() -> Mesh:
    """One triangle of area 9/2 and one of 1/2."""
    corners = [[0, 0, 0], [3, 0, 0], [0, 3, 0], [9, 0, 0], [10, 0, 0], [9, 1, 0]]
    return Mesh(np.array(corners, dtype=float), np.array([[0, 1, 2], [3, 4, 5]]))


def test_area_weighs_faces() -> None:
    labels = Labels(np.array([0, 1]), "faces", ("a", "b"))
    always = certain(np.zeros(6, dtype=np.int64), 2)
    score = score_shape("two", always, labels, two_triangles())
    assert (score.vertex_accuracy, score.face_accuracy, score.area_accuracy) == (0.5, 0.5, pytest.approx(0.9))
    assert score.mean_iou == pytest.approx(0.25)  # 3/6 and 0/3
    on_vertices = labels.to_vertices(two_triangles())
    for unit in (1e-180, 1e180):
        mesh = Mesh(two_triangles().vertices * unit, two_triangles().faces)
        assert score_shape("two", always, on_vertices, mesh).area_accuracy == pytest.approx(0.9)


def test_what_is_unlabelled_counts_neither_way() -> None:
    labels = Labels(np.array([0, 0, -1, -1, -1, -1]), "vertices", ("a", "b"))
    wrong_there = certain(np.array([0, 0, 1, 1, 1, 1]), 2)
    score = score_shape("two", wrong_there, labels, two_triangles())
    assert [getattr(score, name) for name in METRICS] == [1, 1, 1, 1]
    np.testing.assert_array_equal(score.confusion, [[2, 0], [0, 0]])


def test_a_face_goes_by_the_mean_of_its_corners() -> None:
    # Two corners lean to b, one is sure of a, and so the face is of a.
    probabilities = np.array([[1, 0], [0.4, 0.6], [0.4, 0.6]] * 2, dtype=np.float32)
    labels = Labels(np.array([0, 0]), "faces", ("a", "b"))
    score = score_shape("two", probabilities, labels, two_triangles())
    assert (score.vertex_accuracy, score.face_accuracy) == (pytest.approx(1 / 3), 1)
    np.testing.assert_allclose(face_probabilities(probabilities, two_triangles()), [[0.6, 0.4]] * 2, atol=1e-7)


def test_probabilities_on_faces_reach_vertices_by_area() -> None:
    mesh = Mesh(np.array([[0, 0, 0], [4, 0, 0], [0, 1, 0], [0, -3, 0], [7, 7, 7]], dtype=float), [[0, 1, 2], [0, 3, 1]])
    expected = np.array([[0.25, 0.75], [0.25, 0.75], [1, 0], [0, 1], [0, 0]])
    np.testing.assert_allclose(vertex_probabilities(np.eye(2), mesh), expected)


def test_the_set_is_the_mean_of_shapes_and_its_iou_is_pooled() -> None:
    cases = [random_case(seed, unlabelled=seed / 8) for seed in range(6)]
    shapes = [score_shape(case[2].name, *case) for case in cases]
    score = combine(shapes, PARTS)
    for name in METRICS[:3]:
        assert getattr(score, name) == pytest.approx(np.mean([getattr(shape, name) for shape in shapes]))
    assert score.shape_mean_iou == pytest.approx(np.mean([shape.mean_iou for shape in shapes]))
    truth = np.concatenate([case[1].values for case in cases])
    found = np.concatenate([case[0].argmax(axis=1) for case in cases])
    ious = []
    for part, name in enumerate(PARTS[:4]):
        both = np.sum((truth == part) & (found == part))
        either = np.sum((truth >= 0) & ((truth == part) | (found == part)))
        ious.append(both / either)
        assert score.parts[name].iou == pytest.approx(ious[-1])
        assert score.parts[name].count == np.sum(truth == part)
    assert score.mean_iou == pytest.approx(np.mean(ious))
    assert (score.parts["tail"].iou, score.parts["tail"].accuracy, score.parts["tail"].count) == (None, None, 0)


def test_a_shape_without_truth_is_left_out_with_a_note() -> None:
    probabilities, labels, mesh = random_case(1)
    bare = Labels(np.full(len(labels), -1), "vertices", PARTS)
    idle, good = score_shape("bare", probabilities, bare, mesh), score_shape("good", probabilities, labels, mesh)
    both, alone = combine([idle, good], PARTS), combine([good], PARTS)
    assert [shape.name for shape in both.shapes] == ["good"]
    assert "'bare'" in both.notes[0]
    assert [getattr(both, name) for name in METRICS] == [getattr(alone, name) for name in METRICS]
    with pytest.raises(InputError, match="none of 1 shapes"):
        combine([idle], PARTS)


def test_the_report_is_json_with_the_agreed_keys() -> None:
    score = combine([score_shape(case[2].name, *case) for case in map(random_case, range(2))], PARTS)
    report = json.loads(json.dumps(score.to_json(), allow_nan=False))
    assert set(METRICS) < set(report)
    assert set(report["parts"]["head"]) == {"iou", "accuracy", "count"}
    assert report["parts"]["tail"] == {"iou": None, "accuracy": None, "count": 0}
    assert [shape["name"] for shape in report["shapes"]] == ["ball-0", "ball-1"]
    assert all(set(shape) == {"name", *METRICS} for shape in report["shapes"])
    np.testing.assert_array_equal(report["confusion"], score.confusion)


def test_seeds_are_summed_up_by_mean_and_deviation() -> None:
    scores = [combine([score_shape("ball", *random_case(seed))], PARTS) for seed in range(3)]
    for name, values in summarise(scores).items():
        figures = [getattr(score, name) for score in scores]
        assert values["mean"] == pytest.approx(sum(figures) / 3)
        variance = sum((figure - values["mean"]) ** 2 for figure in figures) / 2
        assert values["standard_deviation"] == pytest.approx(variance**0.5)
    assert summarise(scores[:1])["mean_iou"] == {"mean": scores[0].mean_iou, "standard_deviation": 0}
    with pytest.raises(InputError, match="at least one"):
        summarise([])


def test_what_does_not_fit_together_is_refused() -> None:
    probabilities, labels, mesh = random_case(1)
    with pytest.raises(InputError, match="another mesh"):
        score_shape("ball", probabilities[1:], labels, mesh)
    with pytest.raises(InputError, match="other parts"):
        score_shape("ball", probabilities[:, :3], labels, mesh)
    with pytest.raises(InputError, match="'leg'"):
        score_shape("ball", probabilities[:, :3], labels, mesh, parts=PARTS[:3])
    with pytest.raises(InputError, match="scored in 5 parts"):
        combine([score_shape("ball", probabilities, labels, mesh)], PARTS[:3])


def test_predicting_leaves_the_network_as_it_was() -> None:
    graph = mesh_graph(sphere(1), GraphRecipe(operator="graph", k=8))
    network = TideNet(16, 3, width=8, blocks=2, operator="graph", dropout=0.5)
    network.blocks[1].eval()  # a part of it that is not being trained
    modes = [module.training for module in network.modules()]
    first, second = predict(network, graph), predict(network, graph)
    assert [module.training for module in network.modules()] == modes
    np.testing.assert_array_equal(first, second)
    assert (first.dtype, first.shape) == (np.float32, (graph.num_vertices, 3))
    np.testing.assert_allclose(first.sum(axis=1), 1, atol=1e-6)
    network(graph).sum().backward()  # what the graph kept from predicting still serves training
    torch.nn.init.constant_(network.last.bias, float("nan"))
    with pytest.raises(InputError, match="diverge"):
        predict(network, graph)
    assert [module.training for module in network.modules()] == modes


def test_scores_are_frozen() -> None:
    score = combine([score_shape("ball", *random_case(0))], PARTS)
    assert isinstance(score, Score)
    assert isinstance(score.shapes[0], ShapeScore)
    with pytest.raises(AttributeError):
        score.mean_iou = 1.0  # type: ignore[misc]  # that is the point
