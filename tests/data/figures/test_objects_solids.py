"""What objects are made of: distances agree with solids, and joined solids know whose each face is."""

from __future__ import annotations

import numpy as np
import pytest

from meshtide.arrays import FloatArray
from meshtide.data.figures.dice import Dice
from meshtide.data.figures.objects.blending import blended_surface
from meshtide.data.figures.objects.kinds import KINDS
from meshtide.data.figures.objects.model import (
    Model,
    Placed,
    ball,
    block,
    plate,
    ring,
    rod,
    rounded_rectangle,
    tube,
    turned,
    turned_by,
)
from meshtide.data.figures.objects.pieces import connected_pieces, tidy_pieces
from meshtide.data.figures.objects.solids import shell_surface, solid_surface
from meshtide.data.figures.objects.wear import deformed, opened, torn
from meshtide.data.figures.surface import closed_manifold, components, euler_characteristic
from meshtide.mesh.measure import triangle_areas

ASKEW = turned_by(0.4, 0.3, -0.7)
SHAPES = {
    "box": block((0.2, 0, 0.1), (1, 0.6, 0.4), frame=ASKEW),
    "tapered box": block((0, 0, 0), (1, 0.8, 1.2), top=(0.5, 0.7)),
    "ball": ball((0.1, 0, 0), (0.5, 0.3, 0.4), ASKEW),
    "rod": rod((0, 0, 0), (0.3, 0.4, 1.0), 0.2, 0.1),
    "square rod": rod((0, 0, 0), (0.3, 0.4, 1.0), 0.2, sides="square"),
    "vase": turned([(0.3, 0), (0.5, 0.4), (0.2, 0.9), (0.3, 1.1)]),
    "oval vase": turned([(0.3, 0), (0.5, 0.4), (0.2, 0.9)], squash=0.7),
    "torus": ring((0, 0, 0), (1, 1, 0), 0.5, 0.15),
    "bent plate": plate([(0, 0), (1, 0), (1, 0.3), (0.4, 0.3), (0.2, 0.8), (0, 0.8)], 0.2, (0, 0, 0.3), ASKEW),
    "plate": plate(rounded_rectangle(1, 0.7, 0.2), 0.2, (0, 0, 1), ASKEW),
    "tube": tube([(0, 0, 0), (0.3, 0, 0.4), (0.3, 0.3, 0.9)], [0.1, 0.12, 0.1]),
}


def _distances(placed: Placed, points: FloatArray) -> FloatArray:
    x, y, z = points.astype(np.float32).T
    return np.broadcast_to(placed.distance((x, y, z)), len(points)).astype(np.float64)


def _mesh_of(placed: Placed) -> tuple[FloatArray, np.ndarray]:
    model = Model()
    model.add("part", placed)
    (vertices, faces), _ = shell_surface(model, 48, 1500, Dice("test", 0, "blended"))
    return vertices, faces


@pytest.mark.parametrize("name", SHAPES)
def test_the_distance_is_zero_on_the_solid_and_one_per_unit_beside_it(name: str) -> None:
    placed = SHAPES[name]
    vertices, faces = _mesh_of(placed)
    a, b, c = (vertices[faces[:, corner]] for corner in range(3))
    normals = np.cross(b - a, c - a)
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    middles = (a + b + c) / 3
    here = np.abs(_distances(placed, middles))
    assert np.median(here) < 0.012
    assert np.percentile(here, 95) < 0.05
    beside = _distances(placed, middles + 0.06 * normals) - _distances(placed, middles)
    assert np.median(beside) == pytest.approx(0.06, abs=0.012)
    assert closed_manifold(faces)


@pytest.mark.parametrize("name", SHAPES)
def test_a_mirror_image_has_the_mirrored_distance(name: str) -> None:
    points = np.random.default_rng(1).uniform(-1, 1, (200, 3))
    flipped = points * np.array([-1.0, 1.0, 1.0])
    assert np.allclose(_distances(SHAPES[name].mirrored(), flipped), _distances(SHAPES[name], points), atol=8e-3)


def _mug() -> Model:
    model = Model()
    model.add("body", rod((0, 0, 0), (0, 0, 1), 0.5))
    model.add("handle", ring((0.55, 0, 0.5), (0, 1, 0), 0.28, 0.12))
    model.cut(rod((0, 0, 0.15), (0, 0, 1.5), 0.4), "body")
    return model


@pytest.mark.parametrize("way", ["blended", "solid"])
def test_a_mug_is_one_closed_surface_of_a_body_inside_and_out_and_a_handle(way: str) -> None:
    dice = Dice("test", 0, "blended")
    made = blended_surface(_mug(), 0.3, 2500, dice) if way == "blended" else solid_surface(_mug(), 32, 2500, dice)
    (vertices, faces), pieces = made
    assert closed_manifold(faces)
    assert euler_characteristic(faces) == 0  # one handle
    middles = vertices[faces].mean(axis=1)
    radius = np.linalg.norm(middles[:, :2], axis=1)
    inside = (radius < 0.42) & (middles[:, 2] > 0.2) & (middles[:, 2] < 0.9)
    assert inside.sum() > 50, "it is hollow"
    assert (pieces[inside] == 0).all(), "the inside belongs to the body"
    assert (pieces[middles[:, 0] > 0.65] == 1).all()
    areas = np.bincount(pieces, triangle_areas(vertices, faces))
    assert 0.05 < areas[1] / areas.sum() < 0.3


def test_shells_stay_apart_and_keep_their_pieces() -> None:
    (vertices, faces), pieces = shell_surface(_mug(), 24, 2000, Dice("test", 1, "blended"))
    shell = components(faces, len(vertices))[faces[:, 0]]
    assert len(set(shell)) >= 2
    assert all(len(set(pieces[shell == number])) == 1 for number in set(shell))


def test_a_bolt_hole_belongs_to_the_plate_that_it_is_in() -> None:
    model = Model()
    model.add("wall", block((0.9, 0, 0.5), (0.2, 1, 1)))
    model.add("base", block((0, 0, 0), (2, 1, 0.2)))
    model.cut(rod((-0.5, 0, -1), (-0.5, 0, 1), 0.2))
    dice = Dice("test", 2, "blended")
    for (vertices, faces), pieces in (solid_surface(model, 24, 2000, dice), blended_surface(model, 0.1, 2000, dice)):
        assert (pieces[vertices[faces].mean(axis=1)[:, 0] < 0.6] == 1).all()
        assert euler_characteristic(faces) == 0  # the hole goes through


@pytest.mark.parametrize("kind", ["chair", "jug", "airplane", "scissors", "bearing", "housing", "drone"])
def test_blended_and_solid_objects_are_closed(kind: str) -> None:
    dice = Dice(kind, 5, "blended")
    model = KINDS[kind].build(dice)
    for (_, faces), pieces in (solid_surface(model, 16, 2000, dice), blended_surface(model, 0.3, 2000, dice)):
        assert closed_manifold(faces)
        assert set(pieces) <= set(range(len(model.pieces())))


def test_a_shaft_through_a_wheel_shows_as_two_pieces_and_a_crumb_as_none() -> None:
    model = Model()
    model.add("shaft", rod((0, 0, -1), (0, 0, 1), 0.15))
    model.add("wheel", rod((0, 0, -0.1), (0, 0, 0.1), 0.6))
    model.add("crumb", ball((0.6, 0, 0), 0.03))
    (vertices, faces), pieces = solid_surface(model, 32, 3000, Dice("test", 3, "blended"))
    tidy = tidy_pieces(vertices, faces, pieces)
    assert set(tidy) == {0, 1}
    apart, old = connected_pieces(vertices, faces, tidy)
    assert sorted(old[np.unique(apart)]) == [0, 0, 1]
    heights = vertices[faces].mean(axis=1)[:, 2]
    shafts = [number for number in np.unique(apart) if old[number] == 0]
    assert sorted(np.sign(heights[apart == number].mean()) for number in shafts) == [-1, 1]


def test_wear_changes_the_surface_and_keeps_a_piece_for_every_face() -> None:
    dice = Dice("test", 4, "blended")
    (vertices, faces), pieces = solid_surface(_mug(), 24, 1500, dice)
    bent = deformed(vertices, 1.0, dice)
    assert np.isfinite(bent).all()
    assert not np.allclose(bent, vertices)
    for wear in (torn, opened):
        points, corners, numbers = wear((vertices, faces, pieces), dice)
        assert len(numbers) == len(corners) < len(faces)
        assert corners.max() == len(points) - 1
        assert not closed_manifold(corners)
