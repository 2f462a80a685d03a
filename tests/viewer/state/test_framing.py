"""The camera sees all that is shown, in the room that the panel leaves; and the views are what they are called."""

from __future__ import annotations

import numpy as np
import pytest

from meshtide.output.pictures.camera import VIEWS, rotation
from meshtide.viewer.state.framing import OPENING, Camera, directions, framed, pixels, turned

POINTS = np.random.default_rng(0).normal(size=(200, 3)) * (3.0, 1.0, 0.5)


@pytest.mark.parametrize("up", ["y", "z"])
@pytest.mark.parametrize(("size", "covered"), [((1280, 720), 360.0), ((900, 700), 0.0), ((400, 800), 360.0)])
def test_all_is_in_view_beside_the_panel(up: str, size: tuple[int, int], covered: float) -> None:
    for azimuth, elevation in [*VIEWS.values(), (30.0, 15.0)]:
        found = pixels(POINTS, framed(POINTS, azimuth, elevation, up, size, covered), size)
        left = min(covered, 0.6 * size[0])
        assert left <= found[:, 0].min() < found[:, 0].max() <= size[0]
        assert 0 <= found[:, 1].min() < found[:, 1].max() <= size[1]
        filled = max(np.ptp(found[:, 0]) / (size[0] - left), np.ptp(found[:, 1]) / size[1])
        assert filled > 0.5  # and not small in a corner


def test_window_and_pictures_mean_the_same_by_a_view() -> None:
    for azimuth, elevation in [*VIEWS.values(), (-50.0, 20.0)]:
        np.testing.assert_allclose(
            np.stack(directions(azimuth, elevation, "y")), rotation(azimuth, elevation), atol=1e-12
        )
        # A shape with z up that stands is (x, z, -y).
        standing = POINTS[:, [0, 2, 1]] * [1, 1, -1]
        np.testing.assert_allclose(
            POINTS @ np.stack(directions(azimuth, elevation, "z")).T,
            standing @ rotation(azimuth, elevation).T,
            atol=1e-12,
        )


def test_from_above_one_looks_straight_down() -> None:
    assert VIEWS["top"][1] == 90
    for up, sky in (("y", (0, 1, 0)), ("z", (0, 0, 1))):
        camera = framed(POINTS, *VIEWS["top"], up, (800, 600))
        ahead = camera.target - camera.eye
        np.testing.assert_allclose(ahead / np.linalg.norm(ahead), -np.array(sky), atol=1e-12)


def test_pixels_are_those_of_a_pinhole_camera() -> None:
    axes = np.eye(3)
    camera = Camera(np.array([0.0, 0.0, 2.0]), np.zeros(3), axes[1], axes[0])
    edge = 2 * np.tan(np.radians(OPENING / 2))  # what is seen at this distance, up from the middle
    found = pixels(np.array([[0, 0, 0], [0, edge, 0], [edge, 0, 0], [0, 0, 3.0]]), camera, (800, 600))
    np.testing.assert_allclose(found[:3], [[400, 300], [400, 0], [700, 300]], atol=1e-9)
    assert np.isnan(found[3]).all()  # behind it


@pytest.mark.parametrize("sky", [np.array([0.0, 1.0, 0.0]), np.array([0.0, 0.0, 1.0])])
def test_a_drag_carries_the_camera_around_and_what_points_up_stays_up(sky: np.ndarray) -> None:
    pivot = np.array([1.0, 2.0, 3.0])
    start = framed(np.eye(3) + pivot, 20, 10, "y" if sky[1] else "z", (800, 600))
    one = turned(start, pivot, sky, 0.3, -0.1)
    assert np.linalg.norm(one.eye - pivot) == pytest.approx(np.linalg.norm(start.eye - pivot))
    assert abs(one.right @ sky) < 1e-9
    assert one.up @ sky > 0
    # A place before the pivot goes with the mouse: to the right with a drag to the right, down with one down.
    before = pivot + 0.2 * (start.eye - pivot)
    for drag in ((0.1, 0.0), (0.0, 0.1)):
        moved = pixels(before[None], turned(start, pivot, sky, *drag), (800, 600))
        moved = moved - pixels(before[None], start, (800, 600))
        assert (moved[0] @ np.array(drag)) > 0
    over = turned(start, pivot, sky, 0.0, 9.0)  # no further than straight above
    assert over.up @ sky > 0
    assert (over.eye - over.target) @ sky > 0.99 * np.linalg.norm(over.eye - over.target)
