"""Limbs that have grown together are two instances, and one limb stays one."""

from __future__ import annotations

import numpy as np
import pytest

from meshtide.inference.grown_together import narrow_cut, told_apart
from meshtide.mesh.measure import triangle_areas
from meshtide.mesh.mesh import Mesh


def sheet(rows: int, columns: int, filled) -> Mesh:
    """Unit squares of two triangles each, where `filled(row, column)` says so."""
    corner = np.arange((rows + 1) * (columns + 1)).reshape(rows + 1, columns + 1)
    vertices = np.stack([*np.divmod(corner.ravel(), columns + 1), np.zeros(corner.size)], axis=1).astype(float)
    faces = []
    for row in range(rows):
        for column in range(columns):
            if filled(row, column):
                a, b, c, d = corner[row : row + 2, column : column + 2].ravel()
                faces += [(a, b, d), (a, d, c)]
    return Mesh(vertices, np.array(faces), "sheet")


def legs(bridge: int) -> Mesh:
    """Two strips, 5 wide and 20 long, joined at one end by a bridge of so many squares."""
    return sheet(20, 13, lambda row, column: column < 5 or column >= 8 or row < bridge)


def test_two_legs_that_meet_are_told_apart_where_they_meet() -> None:
    mesh = legs(2)
    side = narrow_cut(mesh, np.arange(len(mesh.faces)), triangle_areas(mesh.vertices, mesh.faces), 1.0)
    assert side is not None
    middles = mesh.vertices[mesh.faces].mean(axis=1)
    left, right = middles[:, 1] < 5, middles[:, 1] > 8
    assert len(set(side[left])) == len(set(side[right])) == 1
    assert side[left][0] != side[right][0]


@pytest.mark.parametrize(
    "mesh",
    [
        sheet(20, 5, lambda row, column: True),  # a leg
        sheet(400, 5, lambda row, column: True),  # a very long one
        legs(14),  # more together than apart
    ],
)
def test_what_is_one_stays_one(mesh: Mesh) -> None:
    areas = triangle_areas(mesh.vertices, mesh.faces)
    assert narrow_cut(mesh, np.arange(len(mesh.faces)), areas, 1.0) is None


def test_no_more_are_made_than_a_body_has() -> None:
    mesh = legs(2)
    areas = triangle_areas(mesh.vertices, mesh.faces)
    parts = np.zeros(len(mesh.faces), dtype=np.int64)
    for wanted, found in ((1, 1), (2, 2), (4, 2)):
        pieces = told_apart(mesh, parts.copy(), parts, areas, 1.0, {0: wanted})
        assert len(np.unique(pieces)) == found


def test_other_parts_and_faces_without_a_part_stay_what_they_are() -> None:
    mesh = legs(2)
    areas = triangle_areas(mesh.vertices, mesh.faces)
    parts = np.where(mesh.vertices[mesh.faces].mean(axis=1)[:, 0] > 18, 1, 0)
    parts[:4] = -1
    pieces = np.where(parts == 1, 1, np.where(parts == 0, 0, -1))
    found = told_apart(mesh, pieces, parts, areas, 1.0, {0: 2})
    assert set(found[parts == 0]) == {0, 2}
    assert set(found[parts == 1]) == {1}
    assert set(found[parts < 0]) == {-1}


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_the_unit_of_length_does_not_matter(scale: float) -> None:
    mesh = legs(2)
    areas = triangle_areas(mesh.vertices, mesh.faces)
    large = Mesh(mesh.vertices * scale, mesh.faces, "large")
    side = narrow_cut(large, np.arange(len(mesh.faces)), areas, scale)
    assert side is not None
    assert 0.4 < side.mean() < 0.6
