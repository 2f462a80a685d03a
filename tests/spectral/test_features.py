"""Features: each word's columns, and that curvature and diameter see the shape in space and nothing else."""

from __future__ import annotations

import numpy as np
import pytest
from shapes import figure, sphere

from meshtide.errors import InputError
from meshtide.mesh.measure import vertex_normals
from meshtide.mesh.mesh import Mesh
from meshtide.spectral.features import FEATURES, Feature, Measured, features_of, surface_curvature, surface_diameter
from meshtide.spectral.placement import centred, placed
from meshtide.spectral.preparation import prepare
from meshtide.spectral.recipe import GraphRecipe
from meshtide.spectral.signatures import hks, hks_times, log_hks, wks, wks_energies
from meshtide.spectral.spectrum import eigenbasis
from meshtide.spectral.twins import twins

OPERATORS = ("surface", "graph")


def measured(mesh: Mesh, k: int = 48, operator: str = "surface", growth: np.ndarray | None = None) -> Measured:
    return Measured(mesh, eigenbasis(mesh, k, operator), growth)


@pytest.fixture(scope="module")
def body() -> Mesh:
    return figure(2)[0]


def both(mesh: Mesh) -> np.ndarray:
    """Curvature and diameter, (V, 14)."""
    return features_of(measured(mesh), GraphRecipe(features=("curvature", "diameter")))


@pytest.mark.parametrize("operator", OPERATORS)
def test_every_word_gives_its_own_columns(body: Mesh, operator: str) -> None:
    ground = measured(body, operator=operator)
    expected = {
        "hks": hks(ground.unit, hks_times()),
        "log-hks": log_hks(ground.unit, hks_times()),
        "wks": wks(ground.unit, wks_energies(), 0.4),
        "hks5": hks(ground.unit, [0.002, 0.00699927, 0.0244949, 0.0857232, 0.3]),
        "curvature": surface_curvature(ground),
        "diameter": surface_diameter(ground),
        "twins": twins(ground.unit, hks_times()),
        "coordinates": centred(ground.points, ground.faces),
        "normals": vertex_normals(ground.points, ground.faces),
        "arrows": placed(ground.points, ground.faces),
        "upright-y": placed(ground.points, ground.faces),
        "upright-z": placed(ground.points, ground.faces),
    }
    assert list(expected) == list(FEATURES)
    for word, values in expected.items():
        recipe = GraphRecipe(operator=operator, features=(word,))
        assert recipe.channels == values.shape[1]
        np.testing.assert_array_equal(features_of(ground, recipe), values)
    every = GraphRecipe(operator=operator, features=tuple(FEATURES))
    np.testing.assert_array_equal(features_of(ground, every), np.concatenate(list(expected.values()), axis=1))


def test_a_word_without_a_function_computes_nothing(body: Mesh, monkeypatch: pytest.MonkeyPatch) -> None:
    ground, recipe = measured(body, 8), GraphRecipe(features=("hks",))
    object.__setattr__(recipe, "features", ("colour",))
    with pytest.raises(InputError, match="feature 'colour' is not known; there are hks"):
        features_of(ground, recipe)
    # A record that says one number of columns and gives another is a fault of ours.
    monkeypatch.setitem(FEATURES, "colour", Feature("", lambda r: 2, lambda m, r: hks(m.unit, [1.0])))
    with pytest.raises(ValueError, match="'colour' gives"):
        features_of(ground, recipe)


def test_a_sphere_bulges_alike_everywhere_and_is_as_thick_as_its_chords() -> None:
    ground = measured(sphere(3))
    radius = np.sqrt(1 / (4 * np.pi))
    # Coordinates on a sphere are eigenfunctions, λ = 2 / r²: a heat step scales them by 1 / (1 + t λ).
    times = np.array((1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2))
    rate = times * 2 / radius**2
    values = surface_curvature(ground)
    np.testing.assert_allclose(values[:, :6], np.tile(-radius * rate / (1 + rate) / np.sqrt(times), (642, 1)), rtol=0.1)
    assert np.abs(values[:, 6:]).max() < 0.02
    # Rays in a cone of half angle 50° have chords 2 r cos(angle), the median near 36°.
    thickness = np.exp(surface_diameter(ground))
    assert thickness.min() > 2 * radius * np.cos(np.radians(50))
    assert thickness.max() < 2 * radius


def test_hollow_is_positive_and_bulging_negative() -> None:
    x, y = (axis.ravel() for axis in np.meshgrid(np.linspace(-1, 1, 31), np.linspace(-1, 1, 31)))
    number = np.arange(31 * 31).reshape(31, 31)
    a, b, c, d = number[:-1, :-1].ravel(), number[:-1, 1:].ravel(), number[1:, :-1].ravel(), number[1:, 1:].ravel()
    faces = np.concatenate([np.stack([a, b, d], axis=1), np.stack([a, d, c], axis=1)])
    ring = np.sqrt(x**2 + y**2)
    # A hat: a bump in the middle with a hollow around it; its faces are wound upwards.
    hat = Mesh(np.stack([x, y, 0.5 * np.exp(-((ring / 0.3) ** 2))], axis=1), faces)
    values = surface_curvature(measured(hat))[:, 2]
    assert values[ring < 0.1].max() < -0.1
    assert values[(ring > 0.45) & (ring < 0.6)].min() > 0.02


def test_turned_moved_scaled_and_reordered_shapes_have_the_same_features(body: Mesh) -> None:
    axes, _ = np.linalg.qr(np.random.default_rng(1).normal(size=(3, 3)))
    axes[:, 0] *= np.sign(np.linalg.det(axes))
    order = np.random.default_rng(2).permutation(len(body.vertices))
    place = np.argsort(order)
    before = both(body)
    after = both(Mesh(1e3 * body.vertices[order] @ axes + 7.0, place[body.faces]))
    np.testing.assert_allclose(after, before[order], atol=2e-2)


def test_faces_wound_the_other_way_change_nothing(body: Mesh) -> None:
    some = np.random.default_rng(3).random(len(body.faces)) < 0.4
    mixed = Mesh(body.vertices, np.where(some[:, None], body.faces[:, ::-1], body.faces))
    np.testing.assert_allclose(both(mixed)[:, :12], both(body)[:, :12], atol=1e-6)


def test_even_growth_changes_nothing(body: Mesh) -> None:
    # Scaling all of a surface and then bringing it back to area 1 is no change at all.
    plain = measured(body)
    grown = measured(body, growth=np.zeros(len(body.vertices)))
    np.testing.assert_allclose(surface_curvature(grown), surface_curvature(plain), atol=1e-12)
    np.testing.assert_allclose(surface_diameter(grown), surface_diameter(plain), atol=1e-12)


def test_growth_of_one_of_two_spheres_is_a_larger_sphere() -> None:
    small, count = sphere(3), 642
    faces = np.concatenate([small.faces, small.faces + count])
    factor = np.repeat([1.0, 2.0], count)
    apart = np.repeat([[0.0, 0.0, 0.0], [9.0, 0.0, 0.0]], count, axis=0)
    twins = Mesh(np.tile(small.vertices, (2, 1)) + apart, faces)
    truth = Mesh(np.tile(small.vertices, (2, 1)) * factor[:, None] + apart, faces)
    # Lengths of the second grow twice as much; both surfaces are then brought to area 1.
    growth = np.log(factor) - 0.5 * np.log(np.mean(factor**2))
    relative = measured(twins, growth=growth)
    np.testing.assert_allclose(surface_curvature(relative), surface_curvature(measured(truth)), atol=1e-2)
    np.testing.assert_allclose(surface_diameter(relative)[:, 0], surface_diameter(measured(truth))[:, 0], atol=1e-3)


def test_any_surface_has_finite_bounded_features() -> None:
    ball = sphere(2)
    corner = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]]
    fan = np.array([(0, 1, other) for other in (2, 3, 4)])
    hostile = {
        "open": Mesh(ball.vertices, ball.faces[:200]),
        "three faces at an edge": Mesh(corner, fan),
        "faces twice and flat ones": Mesh(corner, [*fan.tolist(), [0, 1, 2], [0, 0, 1], [1, 2, 2]]),
        "both sides of a sheet": Mesh(corner, [[0, 1, 2], [0, 2, 1]]),
        "far and unused": Mesh([*corner, [1e300, 0, 0]], fan),
        "tiny": Mesh(1e-200 * np.array(corner), fan),
        "huge": Mesh(1e200 * np.array(corner), fan),
        "many pieces": Mesh(
            np.concatenate([ball.vertices + [3.0 * number, 0, 0] for number in range(3)]),
            np.concatenate([ball.faces + number * len(ball.vertices) for number in range(3)]),
        ),
    }
    for operator in OPERATORS:
        for name, mesh in hostile.items():
            recipe = GraphRecipe(operator=operator, k=16, features=("curvature", "diameter"))
            values = prepare(mesh, recipe).features
            assert np.isfinite(values).all(), name
            assert np.abs(values[:, :12]).max() <= 3, name
            assert np.abs(values[:, 12:]).max() < 7, name
