"""Left and right of paired parts: right on generated bodies however they are turned, exchanged by a mirror."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from command_line import run

import meshtide as mt
from meshtide.data.figures.creatures.pieces import limb_keys
from meshtide.data.figures.generator import make_plan
from meshtide.errors import InputError
from meshtide.inference.sides import LEFT, RIGHT, find_sides

SEEDS = {"humanoid": 8601, "quadruped": 8604, "bird": 8601, "ant": 8602}


def body(kind: str) -> tuple[mt.Mesh, np.ndarray, np.ndarray]:
    """A generated body, the names of its faces' true parts, and for every vertex its limb's true side or -1."""
    seed = SEEDS[kind]
    mesh, labels = mt.make_figure(kind, seed, "held-out", defects=False)
    keys, values = limb_keys(make_plan(kind, seed, "held-out", False), mesh.vertices)
    # The generator's bodies look along y with z up, so that what it calls -1 is on their left.
    side = np.array([LEFT if limb.endswith("-1") else RIGHT if limb.endswith("+1") else -1 for _, limb in keys])
    return mesh, np.array(labels.names)[labels.to_faces(mesh).values], side[values]


def turned(mesh: mt.Mesh, seed: int, mirrored: bool = False) -> mt.Mesh:
    turn = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))[0]
    turn *= np.sign(np.linalg.det(turn)) * (-1 if mirrored else 1)
    faces = mesh.faces[:, ::-1] if mirrored else mesh.faces
    return mt.Mesh(3 * mesh.vertices @ turn.T + 7, faces)


@pytest.mark.parametrize("kind", SEEDS)
@pytest.mark.parametrize("mirrored", [False, True])
def test_sides_are_right_however_a_body_is_turned_and_exchanged_by_a_mirror(kind: str, mirrored: bool) -> None:
    mesh, parts, truth = body(kind)
    for seed in range(3):
        found = find_sides(turned(mesh, seed, mirrored), parts, kind)
        assert found is not None
        corners = truth[mesh.faces]
        known = (corners == corners[:, :1]).all(axis=1) & (corners[:, 0] >= 0) & (found.side >= 0)
        wanted = 1 - corners[:, 0] if mirrored else corners[:, 0]
        assert known.mean() > 0.1
        assert (found.side == wanted)[known].mean() > 0.97


def test_the_rows_of_legs_are_counted_from_the_head() -> None:
    for kind, rows in (("quadruped", {"front ", "rear "}), ("ant", {"front ", "middle ", "rear "})):
        mesh, parts, _ = body(kind)
        found = find_sides(mesh, parts, kind)
        assert found is not None
        assert set(found.row[(parts == "leg") & (found.side >= 0)]) == rows
        middles = mesh.vertices[mesh.faces].mean(axis=1)[:, 1]  # forwards
        means = [middles[(parts == "leg") & (found.row == row)].mean() for row in sorted(rows)]
        assert means == sorted(means, reverse=True)


def test_segment_names_the_sides_and_changes_nothing_else() -> None:
    mesh = body("humanoid")[0]
    plain, sided = mt.segment(mesh), mt.segment(mesh, sides=True)
    named = {name for name in sided.parts if name.startswith(("left ", "right "))}
    assert named == {f"{side} {part}" for side in ("left", "right") for part in (
        "upperarm", "lowerarm", "hand", "upperleg", "lowerleg", "foot")}  # fmt: skip
    without = [name.removeprefix("left ").removeprefix("right ") for name in sided.parts]
    np.testing.assert_array_equal(np.array(without)[sided.labels.values], np.array(plain.parts)[plain.labels.values])
    np.testing.assert_allclose(sided.probabilities.sum(axis=1), plain.probabilities.sum(axis=1), atol=1e-5)
    assert len(set(sided.colours)) == len(sided.colours)
    assert [each.name for each in sided.instances if each.part == "left hand"] == ["left hand"]


def test_where_sides_cannot_be_told_a_note_says_so() -> None:
    octopus = mt.segment(mt.make_figure("octopus", 7001, "held-out", defects=False)[0], sides=True)
    assert any("no sides" in sentence for sentence in octopus.warnings)
    assert not any(name.startswith("left ") for name in octopus.parts)
    mesh, parts, _ = body("humanoid")
    armless = np.where(np.isin(parts, ("upperleg", "lowerleg", "foot")), "torso", parts)
    assert find_sides(mesh, armless, "humanoid") is None
    with pytest.raises(InputError, match="`sides` are those of parts with names"):
        mt.segment(mesh, sides=True, count=3)


def test_the_command_line_has_sides(tmp_path: Path) -> None:
    mt.save_mesh(body("quadruped")[0], tmp_path / "horse.ply")
    done = run("segment", "horse.ply", "--sides", "-o", "horse.glb", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "front left leg" in " ".join(done.stdout.split())
