"""Polygons cut into triangles: all of their area, once, and every corner used."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from meshtide.errors import InputError
from meshtide.mesh.files import polygons as splitting
from meshtide.mesh.files.ears import cut_ears
from meshtide.mesh.files.polygons import triangulate
from meshtide.mesh.files.reading import read_raw

Ring = np.ndarray


def in_space(flat: Ring, seed: int = 0) -> Ring:
    """A flat polygon (N, 2) in some plane of space."""
    turn, _ = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))
    return np.c_[flat, np.zeros(len(flat))] @ turn.T + 7


def star(size: int, inner: float = 0.3, seed: int | None = None) -> Ring:
    angles = np.arange(size) * 2 * np.pi / size
    radii = np.where(np.arange(size) % 2, 1.0, inner)
    if seed is not None:
        radii = np.random.default_rng(seed).uniform(0.2, 1, size)
    return np.stack([radii * np.cos(angles), radii * np.sin(angles)], axis=1)


def check(flat: Ring, seed: int = 0) -> None:
    """Triangles of the polygon's own turn, which together have its area, and every side of it once."""
    ring = in_space(flat, seed)
    triangles = cut_ears(ring)
    assert triangles.shape == (len(ring) - 2, 3)
    points = ring - ring[0]
    normal = np.cross(points, np.roll(points, -1, axis=0)).sum(axis=0)
    normals = np.cross(
        points[triangles[:, 1]] - points[triangles[:, 0]], points[triangles[:, 2]] - points[triangles[:, 0]]
    )
    along = normals @ normal / np.linalg.norm(normal)
    assert along.min() > -1e-9 * along.max()
    assert along.sum() == pytest.approx(np.linalg.norm(normal))
    sides = {(a, b) for t in triangles.tolist() for a, b in zip(t, [*t[1:], t[0]], strict=True)}
    assert {(i, (i + 1) % len(ring)) for i in range(len(ring))} <= sides


@settings(max_examples=60, deadline=None)
@given(st.integers(5, 90), st.integers(0, 2**31))
def test_random_stars_are_cut_into_their_own_area(size: int, seed: int) -> None:
    check(star(size, seed=seed), seed)


@pytest.mark.parametrize("corners", [3, 4, 5, 8])
@pytest.mark.parametrize("between", [1, 2, 9, 40])
def test_corners_on_straight_sides_are_used_too(corners: int, between: int) -> None:
    ends = star(corners, inner=1.0)
    steps = np.linspace(0, 1, between + 1)[:-1, None]
    check(np.concatenate([a + steps * (b - a) for a, b in zip(ends, np.roll(ends, -1, axis=0), strict=True)]))


def test_what_crosses_itself_still_has_its_number_of_triangles() -> None:
    random = np.random.default_rng(3)
    for ring in (random.normal(size=(50, 3)), np.zeros((40, 3)), np.c_[np.arange(40.0), np.zeros((40, 2))]):
        triangles = cut_ears(ring)
        assert triangles.shape == (len(ring) - 2, 3)
        assert triangles.min() >= 0
        assert triangles.max() < len(ring)


def test_many_corners_take_seconds_at_most() -> None:
    for size, inner in ((30_000, 1.0), (4_000, 0.3)):
        started = time.process_time()
        check(star(size, inner))
        assert time.process_time() - started < 4


def test_polygons_that_would_take_minutes_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(splitting, "MOST_WORK", 100**2)
    for size, inner in ((100, 0.3), (102, 1.0), (102, 0.3)):
        points = star(size, inner).tolist()
        text = "".join(f"v {x} {y} 0\n" for x, y in points) + "f " + " ".join(map(str, range(1, size + 1))) + "\n"
        (tmp_path / "star.obj").write_text(text)
        if size == 102 and inner != 1:
            with pytest.raises(InputError, match=r"star.obj: polygons of 102 corners .* export it as triangles"):
                read_raw(tmp_path / "star.obj")
        else:
            assert len(read_raw(tmp_path / "star.obj").faces) == size - 2


def test_large_polygons_among_small_ones_keep_their_places() -> None:
    ring = in_space(star(40))
    vertices = np.concatenate([ring, ring[:1] + np.eye(3)])
    corners = np.concatenate([[40, 41, 42], np.arange(40), [0, 1, 99], 40 * [999]])
    faces, owners = triangulate(vertices, corners, np.array([3, 40, 3, 40]))
    assert owners.tolist() == [0, *38 * [1], 2, *38 * [3]]
    assert sorted(set(faces[1:39].ravel())) == list(range(40))
