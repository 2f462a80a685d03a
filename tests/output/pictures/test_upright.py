"""Which axis points up: animals stand on their legs whichever way their file has them; y where nothing tells."""

from __future__ import annotations

import numpy as np
import pytest
from shapes import box, sphere

from meshtide.data.figures import make_figure
from meshtide.mesh.measure import unit_box
from meshtide.mesh.mesh import Mesh
from meshtide.output.pictures.upright import upright

SEEDS = (101, 102, 103)


def turned(mesh: Mesh, quarters: int, up: str) -> np.ndarray:
    """A generated body, which has z up, turned around and stood with this axis up."""
    points = mesh.vertices
    for _ in range(quarters):
        points = points[:, [1, 0, 2]] * [-1, 1, 1]
    return unit_box(points if up == "z" else points[:, [0, 2, 1]] * [1, 1, -1], mesh.faces)


@pytest.mark.parametrize("kind", ["quadruped", "humanoid"])
def test_bodies_stand_whichever_way_the_file_has_them(kind: str) -> None:
    found = {"y": [], "z": []}
    for seed in SEEDS:
        mesh = make_figure(kind, seed, "held-out", defects=False)[0]
        for up, said in found.items():
            said += [upright(turned(mesh, quarters, up), mesh.faces).axis == up for quarters in range(4)]
    assert np.mean(found["y"]) >= 0.95
    assert np.mean(found["z"]) >= 0.8


def test_what_looks_alike_from_all_sides_has_y_up() -> None:
    for mesh in (sphere(2), box((1, 1, 1))):
        assert upright(mesh.vertices, mesh.faces).axis == "y"
        assert "does not tell" in upright(mesh.vertices, mesh.faces).why


def test_a_flat_sheet_and_a_line_of_points_are_no_error() -> None:
    sheet = Mesh(np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0.0]]), np.array([[0, 1, 2], [0, 2, 3]]))
    assert upright(sheet.vertices, sheet.faces).axis in ("y", "z")
    line = np.array([[0, 0, 0], [1, 0, 0], [2, 0, 0.0]])
    assert upright(line, np.array([[0, 1, 2]])).axis == "y"
