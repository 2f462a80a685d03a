"""Borders as lines: where probabilities are equal, shorter than teeth, and in creases where there are creases."""

from __future__ import annotations

import time

import numpy as np
import pytest
from segmented_files import guess
from shapes import FIGURE_PARTS, box, figure, sphere, torus

from meshtide.inference.outline import Outlined, outline, outline_of_vertices
from meshtide.inference.segmentation import Segmentation
from meshtide.inference.smoothing import spread
from meshtide.labels.colours import part_colours
from meshtide.labels.labels import Labels
from meshtide.mesh.measure import triangle_areas
from meshtide.mesh.mesh import Mesh
from meshtide.mesh.topology import edges_with_uses

THREE = ("a", "b", "c")


def waves(mesh: Mesh, parts: int = 3) -> np.ndarray:
    """Smooth probabilities of some parts."""
    x, y, z = mesh.vertices.T
    logits = 3 * np.stack([np.sin(1.3 * z + x), np.cos(0.9 * z - y), np.sin(2.1 * x + 0.4 * z + 1)], axis=1)[:, :parts]
    weights = np.exp(logits - logits.max(axis=1, keepdims=True))
    return (weights / weights.sum(axis=1, keepdims=True)).astype(np.float32)


def most_probable(mesh: Mesh, probabilities: np.ndarray) -> Segmentation:
    names = THREE[: probabilities.shape[1]]
    return Segmentation(mesh, Labels(probabilities.argmax(1), "vertices", names), probabilities, part_colours(names))


def part_of(answer: Segmentation, drawn: Outlined) -> np.ndarray:
    return np.array([*(each.part_index for each in answer.instances), -1])[drawn.face_instances]


def border_length(vertices: np.ndarray, faces: np.ndarray, labels: np.ndarray) -> float:
    """The length of all sides between triangles of different labels."""
    sides = np.sort(faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
    order = np.lexsort(sides.T)
    sides, owners = sides[order], np.repeat(np.arange(len(faces)), 3)[order]
    same = (sides[1:] == sides[:-1]).all(axis=1)
    apart = same & (labels[owners[1:]] != labels[owners[:-1]])
    a, b = vertices[sides[1:][apart]].transpose(1, 0, 2)
    return float(np.linalg.norm(a - b, axis=1).sum())


@pytest.mark.parametrize("mesh", [sphere(3), torus(40, 21), figure(2)[0]], ids=["sphere", "torus", "figure"])
def test_borders_lie_where_two_parts_are_equally_probable(mesh: Mesh) -> None:
    answer = most_probable(mesh, waves(mesh))
    drawn = outline(answer)
    values, labels = drawn.cut.carried(answer.mesh_probabilities.astype(float)), answer.mesh_labels.values
    new = np.arange(len(mesh.vertices), len(drawn.mesh.vertices))
    assert len(new) > 50
    on_side = (drawn.cut.weights[new, 2] == 0) & (drawn.cut.weights[new].max(axis=1) < 0.999)
    ends = labels[drawn.cut.sources[new[on_side], :2]]
    one, other = (np.take_along_axis(values[new[on_side]], ends[:, [k]], 1) for k in (0, 1))
    np.testing.assert_allclose(one, other, atol=1e-6)
    inside = new[drawn.cut.weights[new].min(axis=1) > 0.0201]  # where three parts meet, if within a triangle
    three = [len(set(corners)) == 3 for corners in labels[drawn.cut.sources[inside]].tolist()]
    np.testing.assert_allclose(np.ptp(values[inside][three], axis=1), 0, atol=1e-6)


def test_every_triangle_lies_in_the_part_that_is_most_probable_in_its_middle() -> None:
    mesh = sphere(3)
    answer = most_probable(mesh, waves(mesh, 2))
    drawn = outline(answer)
    values = drawn.cut.carried(answer.mesh_probabilities.astype(float))[drawn.mesh.faces].mean(axis=1)
    np.testing.assert_array_equal(values.argmax(axis=1), part_of(answer, drawn))


def check_surface(answer: Segmentation, drawn: Outlined) -> None:
    """Nothing is lost, nothing is open that was closed, and every piece is there."""
    mesh = answer.mesh
    before, after = edges_with_uses(mesh.faces, len(mesh.vertices))[1], edges_with_uses(drawn.mesh.faces, 10**6)[1]
    assert set(after) <= set(before)
    assert drawn.mesh.area == pytest.approx(mesh.area, rel=1e-9)
    assert set(np.unique(drawn.face_instances)) >= set(range(len(answer.instances)))
    assert len(drawn.confidence) == len(drawn.mesh.vertices)


@pytest.mark.parametrize("seed", range(3))
def test_any_labels_at_all_leave_the_surface_whole(seed: int) -> None:
    ball = sphere(2)
    hole = Mesh(np.concatenate([ball.vertices, [[9.0, 9, 9]]]), ball.faces[20:])  # open, with an unused vertex
    fin = Mesh(np.concatenate([ball.vertices, [[0, 0, 2.0]]]), [*ball.faces, [*ball.faces[0, :2], len(ball.vertices)]])
    for mesh in (ball, hole, fin, box()):
        answer = guess(mesh, seed=seed)
        check_surface(answer, outline(answer))
        faces = np.random.default_rng(seed).integers(-1, 4, len(mesh.faces))
        regions = Segmentation.of_regions(mesh, faces)
        check_surface(regions, outline(regions))


def toothed(level: int) -> tuple[Segmentation, np.ndarray]:
    """Parts of a figure whose vertices have not the most probable part, as refining leaves them; and the labels."""
    mesh, faces = figure(level)
    labels = Labels(faces, "faces", FIGURE_PARTS).to_vertices(mesh)
    even = np.full((len(mesh.vertices), len(FIGURE_PARTS)), 1 / len(FIGURE_PARTS), dtype=np.float32)
    even[:, 0] += 0.1
    return Segmentation(mesh, labels, even / even.sum(axis=1, keepdims=True), part_colours(FIGURE_PARTS)), labels.values


@pytest.mark.parametrize("level", [2, 3, 4])
def test_refined_borders_lose_their_teeth_and_stay_where_they_are(level: int) -> None:
    answer, labels = toothed(level)
    drawn = outline(answer)
    check_surface(answer, drawn)
    parts = part_of(answer, drawn)
    before = border_length(answer.mesh.vertices, answer.mesh.faces, answer.mesh_face_labels.values)
    assert border_length(drawn.mesh.vertices, drawn.mesh.faces, parts) < 0.85 * before
    assert (parts == answer.mesh_face_labels.values[drawn.cut.parent])[drawn.mesh.face_areas > 0].mean() > 0.8
    assert (np.abs(border_area_shares(answer) - drawn_area_shares(answer, drawn)) < 0.01).all()
    owner_keeps = labels[drawn.cut.owner] == parts
    assert drawn.mesh.face_areas[owner_keeps].sum() > 0.99 * drawn.mesh.area


def border_area_shares(answer: Segmentation) -> np.ndarray:
    return np.array([each.share for each in answer.instances])


def drawn_area_shares(answer: Segmentation, drawn: Outlined) -> np.ndarray:
    areas = triangle_areas(drawn.mesh.vertices, drawn.mesh.faces)
    return np.bincount(drawn.face_instances, areas, len(answer.instances)) / areas.sum()


def test_a_toothed_border_around_a_limb_of_long_triangles_becomes_a_ring() -> None:
    around, along = 40, 30
    turn, height = np.meshgrid(np.arange(around) * 2 * np.pi / around, 0.6 * np.arange(along), indexing="ij")
    limb = np.stack([np.cos(turn), np.sin(turn), height], axis=2).reshape(-1, 3)
    corner = np.arange(around * along).reshape(around, along)
    a, b = corner[:, :-1].ravel(), np.roll(corner, -1, axis=0)[:, :-1].ravel()
    mesh = Mesh(limb, np.concatenate([np.stack([a, b, b + 1], 1), np.stack([a, b + 1, a + 1], 1)]))
    teeth = 15 + np.random.default_rng(0).integers(0, 3, around)
    parts = (np.tile(np.arange(along), around) >= np.repeat(teeth, along)).astype(int)
    drawn = outline_of_vertices(mesh, parts, np.ones(len(parts), dtype=np.float32))
    ring = 2 * around * np.sin(np.pi / around)
    assert border_length(drawn.mesh.vertices, drawn.mesh.faces, drawn.face_instances) < 1.08 * ring


def test_borders_in_creases_stay_in_them() -> None:
    cube = box()
    sides = np.abs(np.cross(*(cube.vertices[cube.faces][:, k] - cube.vertices[cube.faces][:, 0] for k in (1, 2))))
    answer = Segmentation.of_regions(cube, sides.argmax(axis=1))  # three pairs of opposite sides
    drawn = outline(answer)
    np.testing.assert_array_equal(drawn.face_instances, answer.mesh_face_instances[drawn.cut.parent])


def test_borders_along_rows_of_uneven_triangles_stay_straight() -> None:
    random = np.random.default_rng(0)
    across, along = np.sort([1.5, *random.uniform(0, 3, 39)]), np.sort(random.uniform(0, 2, 30))
    x, y = np.meshgrid(across, along, indexing="ij")
    corner = np.arange(40 * 30).reshape(40, 30)
    a, b, c, d = corner[:-1, :-1].ravel(), corner[1:, :-1].ravel(), corner[1:, 1:].ravel(), corner[:-1, 1:].ravel()
    turned = random.random(len(a)) < 0.5
    first = np.where(turned[:, None], np.stack([a, b, c], 1), np.stack([a, b, d], 1))
    second = np.where(turned[:, None], np.stack([a, c, d], 1), np.stack([b, c, d], 1))
    plate = Mesh(np.stack([x.ravel(), y.ravel(), 0 * x.ravel()], 1), np.concatenate([first, second]))
    answer = Segmentation.of_regions(plate, (plate.vertices[plate.faces].mean(axis=1)[:, 0] > 1.5).astype(int))
    drawn = outline(answer)
    height = along[-1] - along[0]
    assert border_length(drawn.mesh.vertices, drawn.mesh.faces, drawn.face_instances) == pytest.approx(height)


def test_a_line_is_never_longer_than_the_border_was() -> None:
    for seed in range(5):
        shape = figure(2)[0] if seed % 2 else sphere(3)
        middles = shape.vertices[shape.faces].mean(axis=1)
        centres = np.random.default_rng(seed).choice(middles, 5, replace=False)
        regions = np.linalg.norm(middles[:, None] - centres, axis=2).argmin(axis=1)
        answer = Segmentation.of_regions(shape, regions)
        drawn = outline(answer)
        before = border_length(shape.vertices, shape.faces, answer.mesh_face_instances)
        assert border_length(drawn.mesh.vertices, drawn.mesh.faces, drawn.face_instances) < 1.01 * before


def test_borders_of_regions_lose_their_teeth() -> None:
    mesh = sphere(4)
    middles = mesh.vertices[mesh.faces].mean(axis=1)
    answer = Segmentation.of_regions(mesh, (middles[:, 2] > 0.111).astype(int))
    drawn = outline(answer)
    check_surface(answer, drawn)
    circle = 2 * np.pi * np.sqrt(1 - 0.111**2)
    assert border_length(mesh.vertices, mesh.faces, answer.mesh_face_instances) > 1.2 * circle
    assert border_length(drawn.mesh.vertices, drawn.mesh.faces, drawn.face_instances) == pytest.approx(circle, rel=0.02)
    assert drawn_area_shares(answer, drawn) == pytest.approx(border_area_shares(answer), abs=0.01)


def test_a_region_of_one_triangle_is_still_drawn() -> None:
    mesh = sphere(3)
    regions = (np.arange(len(mesh.faces)) == 100).astype(int)
    answer = Segmentation.of_regions(mesh, regions)
    drawn = outline(answer)
    assert drawn.mesh.face_areas[drawn.face_instances == 1].sum() == pytest.approx(mesh.face_areas[100])


def test_no_border_means_no_cut() -> None:
    mesh = sphere(2)
    drawn = outline(Segmentation.of_regions(mesh, np.zeros(len(mesh.faces), dtype=int)))
    np.testing.assert_array_equal(drawn.mesh.faces, mesh.faces)


def test_permuted_vertices_and_another_unit_give_the_same_lines() -> None:
    answer, labels = toothed(2)
    mesh, rng = answer.mesh, np.random.default_rng(0)
    order = rng.permutation(len(mesh.vertices))
    other = Mesh(mesh.vertices[order] * 1e3, np.argsort(order)[mesh.faces])
    first = outline_of_vertices(mesh, labels, answer.mesh_confidence)
    second = outline_of_vertices(other, labels[order], answer.mesh_confidence[order])
    assert first.mesh.area == pytest.approx(second.mesh.area / 1e6)
    lengths = [border_length(each.mesh.vertices, each.mesh.faces, each.face_instances) for each in (first, second)]
    assert lengths[0] == pytest.approx(lengths[1] / 1e3, rel=1e-6)


@pytest.mark.parametrize("steps", [1, 2, 7, 40])
def test_shares_are_those_of_a_walk(steps: int) -> None:
    rng = np.random.default_rng(steps)
    pairs, labels = rng.integers(0, 30, (60, 2)), rng.integers(0, 4, 30)
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    weights = rng.uniform(0.1, 3, len(pairs))
    found = spread(pairs, labels, np.ones(30, dtype=bool), steps, weights)
    walk = np.zeros((30, 30))
    np.add.at(walk, (pairs[:, 0], pairs[:, 1]), weights)
    walk += walk.T
    degree = walk.sum(axis=1, keepdims=True)
    walk = np.where(degree > 0, 0.5 * walk / np.where(degree > 0, degree, 1) + 0.5 * np.eye(30), np.eye(30))
    wanted = np.linalg.matrix_power(walk, steps) @ np.eye(4)[labels]
    np.testing.assert_allclose(found.table.toarray(), wanted, atol=3e-3)
    np.testing.assert_allclose(found.table.sum(axis=1), 1, atol=1e-12)


def test_the_time_grows_no_faster_than_the_mesh() -> None:
    seconds = []
    for level in (3, 5):  # sixteen times as many
        answer, _ = toothed(level)
        assert len(answer.instances)  # not part of what is measured
        best = float("inf")
        for _ in range(3):  # a busy machine makes single ones longer
            start = time.process_time()
            outline(answer)
            best = min(best, time.process_time() - start)
        seconds.append(best)
    assert seconds[1] < 40 * seconds[0] + 0.2
