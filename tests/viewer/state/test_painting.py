"""Painting: undo is an inverse, a brush is a geodesic ball, a fill stops at creases."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import potpourri3d
import pytest
from shapes import box, figure, sphere, torus

from meshtide.errors import InputError
from meshtide.labels.colours import UNLABELLED
from meshtide.labels.files import read_labels
from meshtide.labels.labels import Labels
from meshtide.mesh.mesh import Mesh
from meshtide.viewer.state import Geodesics, Painting
from meshtide.viewer.state.creases import bends_between, smooth_patches
from meshtide.viewer.state.history import History, Part, State, Step

PARTS = ("head", "torso", "tail")


def divided(mesh: Mesh, times: int) -> Mesh:
    """Every triangle in four, corners where they were."""
    for _ in range(times):
        edges = mesh.edges()
        number = {tuple(edge): len(mesh.vertices) + place for place, edge in enumerate(edges.tolist())}
        faces = []
        for a, b, c in mesh.faces.tolist():
            ab, bc, ca = (number[min(p, q), max(p, q)] for p, q in ((a, b), (b, c), (c, a)))
            faces += [[a, ab, ca], [b, bc, ab], [c, ca, bc], [ab, bc, ca]]
        mesh = Mesh(np.concatenate([mesh.vertices, mesh.vertices[edges].mean(axis=1)]), np.array(faces))
    return mesh


def everything(painting: Painting) -> tuple[list[int], tuple[str, ...], tuple[str, ...]]:
    return painting.values.tolist(), painting.names, painting.colours


def random_operation(painting: Painting, random: np.random.Generator) -> None:
    vertex = int(random.integers(len(painting.values)))
    choice, part = int(random.integers(7)), int(random.integers(len(painting.names)))
    radius = float(random.uniform(0, 1.5))
    if choice == 0:
        painting.add_part(f"part {len(painting.names)} {random.integers(10**6)}")
    elif choice == 1:
        painting.rename_part(part, f"new {random.integers(10**6)}")
    elif choice == 2:
        painting.erase(vertex, radius)
    elif choice == 3:
        painting.fill(vertex, part)
    elif choice == 4:
        values = random.integers(-1, len(painting.names), len(painting.values))
        painting.load(Labels(values, "vertices", painting.names[::-1]))
    elif choice == 5:
        with painting.stroke():
            painting.brush(vertex, radius, part)
            painting.erase(int(random.integers(len(painting.values))), radius)
    else:
        painting.brush(vertex, radius, part)


@pytest.mark.parametrize("seed", range(5))
def test_undo_and_redo_are_inverses_after_any_operations(seed: int) -> None:
    random = np.random.default_rng(seed)
    mesh = figure(0)[0]
    painting = Painting(mesh, PARTS, Geodesics(mesh))
    seen = [everything(painting)]
    for _ in range(25):
        random_operation(painting, random)
        if everything(painting) != seen[-1]:
            seen.append(everything(painting))
    assert painting.history.undo_count == len(seen) - 1
    for wanted in seen[-2::-1]:
        assert painting.undo()
        assert everything(painting) == wanted
    assert not painting.undo()
    for wanted in seen[1:]:
        assert painting.redo()
        assert everything(painting) == wanted
    assert not painting.redo()


def test_a_new_step_after_an_undo_forgets_what_was_undone() -> None:
    painting = Painting(torus(), PARTS)
    painting.brush(0, 0.3, "head")
    painting.brush(500, 0.3, "torso")
    painting.undo()
    painting.brush(900, 0.3, "tail")
    assert not painting.redo()
    painting.undo()
    assert set(painting.values.tolist()) == {-1, 0}


def test_a_step_that_changes_nothing_is_none() -> None:
    painting = Painting(torus(), PARTS)
    assert painting.brush(0, 0.3, "head") > 0
    assert painting.brush(0, 0.3, "head") == 0
    assert painting.history.undo_count == 1


def test_a_stroke_of_many_dabs_is_one_step() -> None:
    painting = Painting(torus(), PARTS)
    painting.begin_stroke()
    for vertex in range(0, 240, 24):
        painting.brush(vertex, 0.2, "head")
    painting.end_stroke()
    assert painting.history.undo_count == 1
    painting.undo()
    assert not painting.painted.any()
    painting.begin_stroke()
    painting.brush(0, 0.2, "tail")
    painting.undo()  # in the middle of a stroke: it ends, and is taken back
    assert not painting.painted.any()


def test_memory_is_bounded_by_forgetting_the_oldest_steps() -> None:
    history = History(most_bytes=5_000)
    states = [State(np.full(100, number, dtype=np.int64), (Part("a", "#000000"),)) for number in range(10)]
    for old, new in pairwise(states):
        history.add(Step.between(old, new))
    assert 0 < history.undo_count < 9
    state = states[-1]
    for _ in range(history.undo_count):
        state = history.undo(state)
    assert state.values[0] == 9 - history.redo_count
    small = Step.between(states[0], State(np.where(np.arange(100) == 3, 5, 0), states[0].parts))
    assert len(small.vertices) == len(small.before) == len(small.after) == 1


@pytest.mark.parametrize("radius", [0.0, 0.2, 0.7, 2.0, 100.0])
def test_a_brush_paints_the_geodesic_ball_and_nothing_else(radius: float) -> None:
    mesh = torus()
    painting = Painting(mesh, PARTS)
    distance = potpourri3d.MeshHeatMethodDistanceSolver(mesh.vertices, mesh.faces).compute_distance(77)
    assert painting.brush(77, radius, "torso") == (distance <= radius).sum()
    np.testing.assert_array_equal(painting.values, np.where(distance <= radius, 1, -1))


def test_a_brush_does_not_jump_through_the_air() -> None:
    """Two plates, one above the other and nearer than the brush is wide, are joined by nothing."""
    plate = divided(Mesh(np.array([[0.0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]), np.array([[0, 1, 2], [0, 2, 3]])), 3)
    count = len(plate.vertices)
    both = Mesh(
        np.concatenate([plate.vertices, plate.vertices + [0, 0, 0.05]]),
        np.concatenate([plate.faces, plate.faces + count]),
    )
    painting = Painting(both, PARTS)
    painting.brush(0, 0.5, "head")
    assert painting.painted[:count].any()
    assert not painting.painted[count:].any()


@pytest.mark.parametrize("flipped", [False, True])
def test_a_fill_of_a_box_is_one_of_its_sides(flipped: bool) -> None:
    mesh = divided(box((1.0, 2.0, 3.0)), 3)
    if flipped:  # a file whose faces are wound at random
        turn = np.random.default_rng(0).random(len(mesh.faces)) < 0.5
        mesh = Mesh(mesh.vertices, np.where(turn[:, None], mesh.faces[:, ::-1], mesh.faces))
    painting = Painting(mesh, PARTS)
    x, y, z = mesh.vertices.T
    on_top = z == 3.0
    middle = int(np.flatnonzero(on_top & (x == 0.5) & (y == 1.0))[0])
    assert painting.fill(middle, "head") == on_top.sum()
    np.testing.assert_array_equal(painting.painted, on_top)
    assert len(np.unique(smooth_patches(mesh))) == 6
    assert len(np.unique(smooth_patches(mesh, 91.0))) == 1


def test_on_a_crease_the_face_says_which_side_is_meant() -> None:
    mesh = divided(box(), 3)
    x, _, z = mesh.vertices.T
    edge = int(np.flatnonzero((x == 0) & (z == 1) & (mesh.vertices[:, 1] == 0.5))[0])
    for axis, level in ((0, 0.0), (2, 1.0)):
        side = mesh.vertices[:, axis] == level
        face = int(np.flatnonzero(side[mesh.faces].all(axis=1))[0])
        painting = Painting(mesh, PARTS)
        painting.fill(edge, "tail", face=face)
        np.testing.assert_array_equal(painting.painted, side)


def test_a_fill_covers_a_sphere_and_stops_at_another_part() -> None:
    mesh = sphere(3)
    painting = Painting(mesh, PARTS)
    assert painting.fill(5, "head") == len(mesh.vertices)
    painting.undo()
    height = mesh.vertices[:, 2]
    band = np.abs(height) < 0.2
    painting.load(Labels(np.where(band, 1, -1), "vertices", PARTS))
    painting.fill(int(height.argmax()), "head")
    np.testing.assert_array_equal(painting.values, np.where(band, 1, np.where(height > 0, 0, -1)))


def test_bends_are_the_angles_between_neighbours() -> None:
    for angle in (0.0, 1e-4, 20.0, 90.0, 179.0):
        turn = np.deg2rad(angle)
        roof = np.array([[0.0, 0, 0], [0, 1, 0], [-1, 0, 0], [np.cos(turn), 0, np.sin(turn)]])
        for faces in ([[0, 1, 2], [1, 0, 3]], [[0, 1, 2], [0, 1, 3]]):
            pairs, bends = bends_between(Mesh(roof, np.array(faces)))
            assert sorted(pairs[0].tolist()) == [0, 1]
            assert np.rad2deg(bends[0]) == pytest.approx(angle, abs=1e-6)


def test_what_is_not_painted_stays_unlabelled(tmp_path: Path) -> None:
    mesh = figure(1)[0]
    painting = Painting(mesh, PARTS)
    painting.brush(3, 1.0, "tail")
    before = painting.to_labels()
    assert before.unlabelled == (~painting.painted).sum() > 0
    painting.save(tmp_path / "painted.npz")
    back = read_labels(tmp_path / "painted.npz", mesh)
    np.testing.assert_array_equal(back.values, before.values)
    assert back.names == PARTS
    painting.save(tmp_path / "painted.seg", on_faces=True)
    np.testing.assert_array_equal(np.loadtxt(tmp_path / "painted.seg"), before.to_faces(mesh).values)
    again = Painting(mesh)
    again.load(back)
    np.testing.assert_array_equal(again.values, painting.values)
    assert again.colours == painting.colours
    painting.brush(3, 99.0, "head")
    assert before.unlabelled > 0  # labels that were handed out are a copy


def test_filling_the_unpainted_never_overwrites() -> None:
    mesh = torus()
    painting = Painting(mesh, PARTS)
    painting.brush(0, 0.5, "head")
    by_hand = painting.painted.copy()
    allowed = np.arange(len(mesh.vertices)) % 2 == 0
    assert painting.fill_unpainted(np.ones(len(mesh.vertices), dtype=np.int64), allowed) == (allowed & ~by_hand).sum()
    np.testing.assert_array_equal(painting.values, np.where(by_hand, 0, np.where(allowed, 1, -1)))
    painting.undo()
    np.testing.assert_array_equal(painting.painted, by_hand)


def test_names_and_colours_stay_unique_and_colours_stay() -> None:
    painting = Painting(torus(), ("handle", "cup"))
    before = painting.colours
    for name in ("torso", "head", "upperarm", *(f"piece {number}" for number in range(40))):
        painting.add_part(name)  # "torso" would like the colour that "handle" has
    assert painting.colours[:2] == before
    assert len(set(painting.colours)) == len(painting.colours)
    assert UNLABELLED not in painting.colours
    painting.rename_part("handle", "ear")
    assert painting.colours[:2] == before
    for bad in ("cup", "", " cup"):
        with pytest.raises(InputError):
            painting.add_part(bad)
        with pytest.raises(InputError):
            painting.rename_part("ear", bad)
    assert painting.names[:2] == ("ear", "cup")


def test_what_cannot_be_painted_is_said() -> None:
    painting = Painting(torus(), PARTS)
    with pytest.raises(InputError, match="no part 'ear' to paint; there are"):
        painting.brush(0, 0.1, "ear")
    with pytest.raises(InputError, match="no part 3"):
        painting.fill(0, 3)
    with pytest.raises(InputError, match="no vertex"):
        painting.brush(10**6, 0.1, 0)
    with pytest.raises(InputError, match="no distance"):
        painting.brush(0, -0.1, 0)
    with pytest.raises(InputError, match="no face"):
        painting.fill(0, 0, face=10**6)
    with pytest.raises(InputError, match="another mesh"):
        painting.fill_unpainted(np.zeros(3, dtype=np.int64))
    with pytest.raises(InputError, match="add a part first"):
        Painting(torus()).brush(0, 0.1, 0)
    assert painting.history.undo_count == 0


def test_a_vertex_of_no_face_can_be_painted_alone() -> None:
    mesh = torus()
    more = Mesh(np.concatenate([mesh.vertices, [[5.0, 5, 5]]]), mesh.faces)
    painting = Painting(more, PARTS)
    assert painting.fill(len(mesh.vertices), 0) == 1
    assert painting.brush(len(mesh.vertices), 99.0, 1) == 1
