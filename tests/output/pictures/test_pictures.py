"""Pictures: what is seen where, without holes, in the right colours."""

from __future__ import annotations

import doctest
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.spatial import ConvexHull, Delaunay
from shapes import FIGURE_PARTS, box, figure, sphere, torus

from meshtide.errors import InputError
from meshtide.labels.colours import KNOWN, part_colours
from meshtide.mesh.mesh import Mesh
from meshtide.output.pictures import (
    best_view,
    paint,
    raster,
    render,
)
from meshtide.output.pictures.camera import CANDIDATES, rotation
from meshtide.output.pictures.raster import nearest_faces
from meshtide.output.pictures.shading import to_linear
from meshtide.output.pictures.upright import guess_up

RED, GREEN, BLUE = "#d02010", "#20c030", "#2030d0"
FLAT: dict[str, Any] = {"lens": "orthographic", "up": "y"}


def coverage(mesh: Mesh, **how: Any) -> NDArray[np.float64]:
    """How much of each pixel the mesh covers: what a white background adds to a black one, it does not."""
    white, black = (to_linear(render(mesh, RED, background=ground, **how) / 255) for ground in ("#ffffff", "#000000"))
    return np.asarray(1 - (white - black).mean(axis=2))


def hue(image: NDArray[np.uint8]) -> int:
    """Which of red, green and blue is strongest at the middle of a picture."""
    return int(image[image.shape[0] // 2, image.shape[1] // 2].argmax())


def square(depth: float, half: float = 1.0) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """A square across the z axis."""
    corners = [[-half, -half, depth], [half, -half, depth], [half, half, depth], [-half, half, depth]]
    return np.array(corners), np.array([[0, 1, 2], [0, 2, 3]])


@pytest.mark.parametrize("level", [3, 5])  # larger faces than pixels, and smaller ones
def test_a_sphere_is_a_disc_of_the_radius_that_the_margin_leaves(level: int) -> None:
    covered = coverage(sphere(level), size=(100, 140), margin=0.1, **FLAT)
    radius = 0.8 * 100 / 2
    assert covered.sum() == pytest.approx(np.pi * radius**2, rel=0.01)
    y, x = np.mgrid[:140, :100] + 0.5
    distance = np.hypot(x - 50, y - 70)
    assert (covered[distance < radius - 1] > 0.99).all()
    assert (np.abs(covered[distance > radius + 1]) < 0.01).all()


@pytest.mark.parametrize("size", [(60, 200), (200, 60), (700, 700)])  # the last is sampled more coarsely
def test_every_shape_fills_the_picture_up_to_the_margin_in_one_direction(size: tuple[int, int]) -> None:
    covered = coverage(figure(1)[0], size=size, margin=0.1) > 0.01
    rows, columns = np.flatnonzero(covered.any(axis=1)), np.flatnonzero(covered.any(axis=0))
    share = max((rows[-1] - rows[0] + 1) / size[1], (columns[-1] - columns[0] + 1) / size[0])
    assert share == pytest.approx(0.8, abs=0.03)
    assert rows[0] + rows[-1] == pytest.approx(size[1], abs=3)
    assert columns[0] + columns[-1] == pytest.approx(size[0], abs=3)


@pytest.mark.parametrize("seed", range(3))
def test_a_triangulated_plane_has_no_holes_and_shows_the_face_that_contains_the_pixel(seed: int) -> None:
    points = np.random.default_rng(seed).uniform(-0.2, 40.2, (400, 2))
    points = np.concatenate([points, [[0, 0], [40, 0], [0, 40], [40, 40]], np.mgrid[1:39:7, 1:39:7].reshape(2, -1).T])
    faces = Delaunay(points).simplices.astype(np.int64)
    shown = nearest_faces(np.column_stack([points, np.zeros(len(points))]), faces, (40, 40))
    assert (shown >= 0).all()
    # Seen from inside, the corners go around the same way; some middles lie exactly on an edge.
    y, x = np.mgrid[:40, :40] + 0.5
    around = (points[faces[shown]] - np.stack([x, y], axis=-1)[:, :, None]) @ [1, 1j]
    turns = (around.conj() * np.roll(around, -1, axis=-1)).imag
    assert ((turns > -1e-9).all(axis=-1) | (turns < 1e-9).all(axis=-1)).all()


@pytest.mark.parametrize("mesh", [sphere(0), sphere(3), sphere(5), box((1, 2, 3))], ids=["20", "1k", "20k", "box"])
def test_no_row_of_a_convex_shape_is_interrupted(mesh: Mesh) -> None:
    turned = mesh.vertices @ rotation(31.0, 17.0).T
    places = (turned - turned.min(axis=0)) * 30 + 3
    shown = nearest_faces(places, mesh.faces, (130, 130)) >= 0
    for line in (*shown, *shown.T):
        seen = np.flatnonzero(line)
        assert len(seen) == 0 or len(seen) == seen[-1] - seen[0] + 1
    assert shown.sum() > 1000


def test_small_batches_give_the_same_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = render(figure(1)[0], BLUE, size=(80, 80))
    monkeypatch.setattr(raster, "AT_ONCE", 500)
    assert np.array_equal(render(figure(1)[0], BLUE, size=(80, 80)), whole)


@pytest.mark.parametrize("lens", ["orthographic", "perspective"])
@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_the_nearer_surface_hides_the_farther(lens: Any, order: tuple[int, int]) -> None:
    sheets = [(*square(1.0), RED), (*square(-1.0), BLUE)]
    (a, f, one), (b, g, other) = (sheets[i] for i in order)
    mesh = Mesh(np.concatenate([a, b]), np.concatenate([f, g + 4]))
    colours = [one] * 2 + [other] * 2
    front, back = (render(mesh, colours, size=(40, 40), view=view, up="y", lens=lens) for view in ("front", "back"))
    assert (hue(front), hue(back)) == (0, 2)


def test_surfaces_that_cross_change_places_where_they_cross() -> None:
    vertices, faces = square(0.0)
    slanted = vertices + np.stack([0 * vertices[:, 0], 0 * vertices[:, 0], vertices[:, 0]], axis=1)
    mesh = Mesh(np.concatenate([vertices, slanted]), np.concatenate([faces, faces + 4]))
    image = render(mesh, [RED, RED, BLUE, BLUE], size=(60, 60), view="front", margin=0.0, **FLAT)
    assert (image[:, :29].argmax(axis=2) == 0).all()
    assert (image[:, 31:].argmax(axis=2) == 2).all()


@pytest.mark.parametrize(
    ("view", "up", "axis", "side"),
    [
        ("front", "y", 2, 1),
        ("back", "y", 2, 0),
        ("side", "y", 0, 1),
        ("top", "y", 1, 1),
        ((-90, 0), "y", 0, 0),
        ("front", "z", 1, 0),
        ("back", "z", 1, 1),
        ("side", "z", 0, 1),
        ("top", "z", 2, 1),
        ((0, -90), "z", 2, 0),
    ],
)
def test_a_view_shows_the_side_it_names(view: Any, up: Any, axis: int, side: int) -> None:
    mesh = box()
    on_side = (mesh.vertices[mesh.faces][:, :, axis] == side).all(axis=1)
    image = render(mesh, np.where(on_side, RED, BLUE), size=(40, 40), view=view, up=up)
    assert on_side.sum() == 2
    assert hue(image) == 0


def test_two_halves_meet_in_the_middle_column() -> None:
    vertices = np.array([[x, y, 0] for x in (-1, 0, 1) for y in (-1, 1)], dtype=float)
    mesh = Mesh(vertices, np.array([[0, 2, 3], [0, 3, 1], [2, 4, 5], [2, 5, 3]]))
    image = render(mesh, [RED, RED, GREEN, GREEN], size=(64, 64), view="front", margin=0.0, **FLAT)
    assert (image[:, :32].argmax(axis=2) == 0).all()
    assert (image[:, 32:].argmax(axis=2) == 1).all()
    # Colours of vertices blend instead: in the middle there is as much of one as of the other.
    ends = np.array([[1.0, 0, 0]] * 2 + [[0.5, 0.5, 0]] * 2 + [[0, 1.0, 0]] * 2)
    blended = render(mesh, ends, size=(64, 64), view="front", margin=0.0, **FLAT)[32].astype(int)
    assert (np.diff(blended[2:-2, 0]) <= 0).all()
    assert (np.diff(blended[2:-2, 1]) >= 0).all()


def test_right_is_right_and_up_is_up() -> None:
    mesh = Mesh(np.array([[0, 0, 0], [2, 0, 0], [0, 1, 0]], dtype=float), np.array([[0, 1, 2]]))
    covered = coverage(mesh, size=(80, 80), view="front", **FLAT)
    assert covered[:, :40].sum() > 2 * covered[:, 40:].sum()
    assert covered[40:].sum() > 2 * covered[:40].sum()


def test_the_same_mesh_gives_the_same_picture_whatever_the_order() -> None:
    mesh, parts = figure(2)
    colours = np.array(part_colours(FIGURE_PARTS))[parts]
    picture = render(mesh, colours, size=(120, 120))
    assert np.array_equal(render(mesh, colours, size=(120, 120)), picture)
    order = np.random.default_rng(0).permutation(len(mesh.vertices))
    places = np.argsort(order)
    assert np.array_equal(render(Mesh(mesh.vertices[order], places[mesh.faces]), colours, size=(120, 120)), picture)
    # Other orders of faces and corners add the same numbers up in another order.
    shuffled = np.random.default_rng(1).permutation(len(mesh.faces))
    turned = np.roll(mesh.faces, 1, axis=1)[shuffled]
    again = render(Mesh(mesh.vertices, turned), colours[shuffled], size=(120, 120))
    assert (np.abs(again.astype(int) - picture).max(axis=2) > 2).mean() < 0.002


def test_faces_are_lit_from_both_sides() -> None:
    mesh = torus()
    inside_out = Mesh(mesh.vertices, mesh.faces[:, ::-1])
    one, other = (render(m, BLUE, size=(80, 80)).astype(int) for m in (mesh, inside_out))
    assert np.abs(one - other).max() <= 2


def test_position_and_scale_do_not_matter() -> None:
    mesh = torus()
    picture = render(mesh, BLUE, size=(60, 60)).astype(int)
    for scale, shift in ((1e-6, 0.0), (1e6, 3.0), (1e150, 0.0), (1e300, 0.0), (1e-300, 0.0)):
        moved = render(Mesh((mesh.vertices + shift) * scale, mesh.faces), BLUE, size=(60, 60)).astype(int)
        assert (np.abs(moved - picture).max(axis=2) > 2).mean() < 0.005


def test_a_crease_is_sharp_and_a_coarse_sphere_is_round() -> None:
    cube = render(box(), "#808080", size=(90, 90), view="front", **FLAT)[45, 10:80].astype(int)
    assert np.ptp(cube[:, 0]) <= 2  # a flat side is lit evenly up to its edges
    ball = render(sphere(1), "#808080", size=(90, 90), view="front", **FLAT)[45, 10:80, 0].astype(int)
    assert np.abs(np.diff(ball)).max() < 14  # no steps between its faces


def test_folds_are_darker_than_open_surfaces() -> None:
    # Two walls that meet at a right angle, like an open book towards the viewer.
    vertices = np.array([[x, y, abs(x)] for x in np.linspace(-1, 1, 41) for y in (-1.0, 1.0)])
    quads = np.arange(40)[:, None] * 2
    mesh = Mesh(vertices, np.concatenate([quads + [0, 2, 3], quads + [0, 3, 1]]))
    row = render(mesh, "#808080", size=(200, 200), view="front", **FLAT)[100, :, 0].astype(int)
    assert row[97:103].mean() < (row[40:60].mean() + row[140:160].mean()) / 2 - 10


@pytest.mark.parametrize("part", ["head", "torso", "upperarm", "lowerarm", "hand", "upperleg", "lowerleg", "foot"])
def test_a_lit_part_is_still_nearest_to_its_own_colour(part: str) -> None:
    image = render(sphere(3), KNOWN[part], size=(60, 60), view="front", up="y")
    middle = np.median(image[15:45, 15:45].reshape(-1, 3), axis=0)
    body = ["head", "torso", "upperarm", "lowerarm", "hand", "upperleg", "lowerleg", "foot"]
    distances = np.linalg.norm([paint.rgb(KNOWN[name]) - middle for name in body], axis=1)
    assert body[int(distances.argmin())] == part


@pytest.mark.parametrize("size", [(1, 1), (1, 40), (33, 7)])
@pytest.mark.parametrize("view", ["front", "side", "top", "best"])
def test_shapes_with_hardly_anything_to_see_do_no_harm(size: tuple[int, int], view: str) -> None:
    flat = Mesh(*square(0.0))
    one = Mesh(np.array([[0, 0, 0], [1, 0, 0], [0, 1e-9, 0]], dtype=float), np.array([[0, 1, 2]]))
    far = Mesh(np.concatenate([square(0.0)[0], [[1e308, -1e308, 0]]]), square(0.0)[1])
    folded = Mesh(square(0.0)[0], np.array([[0, 1, 2], [0, 0, 1], [2, 2, 2]]))
    for mesh in (flat, one, far, folded):
        assert render(mesh, RED, size=size, view=view).shape == (size[1], size[0], 3)
    # What no face uses has no place in the picture.
    assert np.array_equal(render(far, RED, size=size, view=view), render(flat, RED, size=size, view=view))


def test_colours_can_be_given_in_many_ways() -> None:
    mesh = box()
    pictures = [
        render(mesh, colours, size=(30, 30))
        for colours in (
            "#ff0000",
            (255, 0, 0),
            (1.0, 0.0, 0.0),
            ["#FF0000"] * 12,
            np.array([[255, 0, 0]] * 8, dtype=np.uint8),
            np.array([[1, 0, 0]] * 12, dtype=np.float32),
        )
    ]
    assert all(np.array_equal(picture, pictures[0]) for picture in pictures)


TETRAHEDRON = Mesh(np.eye(4, 3), np.array([[0, 1, 2], [0, 3, 1], [1, 3, 2], [2, 3, 0]]), "tetrahedron")


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"colours": [RED] * 5}, "5 colours for 12 faces and 8 vertices"),
        ({"colours": [RED] * 8, "on": "faces"}, "8 colours for 12 faces"),
        ({"colours": [RED] * 8, "on": "edges"}, "'vertices' or on 'faces'"),
        ({"colours": "red"}, "'red' is not of the form #rrggbb"),
        ({"colours": (256, 0, 0)}, "wanted 0 to 255"),
        ({"colours": (0.5, np.nan, 0.0)}, "wanted 0 to 1"),
        ({"colours": [1.0, 0.5]}, r"wanted one colour or an array \(N, 3\)"),
        ({"view": "left"}, "front, side, three-quarter, back, top"),
        ({"view": (np.nan, 0)}, "azimuth and elevation in degrees"),
        ({"up": "x"}, "y, z, auto"),
        ({"lens": "fisheye"}, "perspective, orthographic"),
        ({"size": (0, 10)}, "sides are 1 to"),
        ({"size": (100_000, 10)}, "sides are 1 to"),
        ({"margin": 0.5}, "leaves no room"),
    ],
)
def test_what_cannot_be_drawn_is_told(how: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        render(box(), **{"colours": RED, **how})


def test_colours_that_fit_faces_and_vertices_need_a_word() -> None:
    colours = [RED, GREEN, BLUE, RED]
    with pytest.raises(InputError, match="on='faces' or on='vertices'"):
        render(TETRAHEDRON, colours)
    on_faces, on_vertices = (render(TETRAHEDRON, colours, size=(40, 40), on=on) for on in ("faces", "vertices"))
    assert not np.array_equal(on_faces, on_vertices)


def test_best_view_looks_at_the_broad_side() -> None:
    assert abs(best_view(box((3, 1, 0.2)), up="y")[0]) == 35
    assert abs(best_view(box((0.2, 1, 3)), up="y")[0]) == 55
    for size in ((3, 1, 0.2), (0.2, 1, 3), (1, 2, 1.1)):
        mesh = box(size)
        # In the plane the hull's "volume" is its area: that of the shadow.
        shadow = {a: ConvexHull((mesh.vertices @ rotation(a, 15.0).T)[:, :2]).volume for a in CANDIDATES}
        assert shadow[best_view(mesh, up="y")[0]] >= 0.95 * max(shadow.values())


def test_up_is_the_direction_in_which_the_shape_stands() -> None:
    mesh, _ = figure(1)
    assert guess_up(mesh.vertices, mesh.faces) == "z"
    assert guess_up(mesh.vertices[:, [0, 2, 1]] * [1, 1, -1], mesh.faces) == "y"
    assert guess_up(sphere(1).vertices, sphere(1).faces) == "y"
    standing = Mesh(mesh.vertices[:, [0, 2, 1]] * [1, 1, -1], mesh.faces)
    assert np.array_equal(render(mesh, RED, size=(50, 50)), render(standing, RED, size=(50, 50)))


def test_real_bodies_stand(data_folder: Path) -> None:
    from meshtide.data.collection import open_collection

    collection = open_collection("faust", data=data_folder)
    for shape in list(collection.shapes)[::20]:
        mesh, _ = collection.load(shape)
        assert guess_up(mesh.vertices, mesh.faces) == "y"


def test_drawing_needs_no_window_and_importing_no_drawing_library() -> None:
    code = (
        "import sys, meshtide.output.pictures as p, shapes as s; p.render(s.box(), '#ff0000', size=(20, 20));"
        "sys.exit(int(any(name in sys.modules for name in ('matplotlib', 'PIL', 'torch', 'polyscope'))))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=600).returncode == 0


def test_examples_in_docstrings_run() -> None:
    import meshtide.output.pictures as package

    assert doctest.testmod(package).failed == 0
    assert doctest.testmod(paint).failed == 0
