"""The surface that regions are found on, and the way back from it."""

from __future__ import annotations

import numpy as np
import pytest
from shapes import box, sphere, torus

from meshtide.inference.regions.links import find_links
from meshtide.inference.regions.subdivision import split_long_edges
from meshtide.inference.regions.surface import FACES, LONGEST, SLACK, working_surface
from meshtide.mesh.measure import triangle_areas
from meshtide.mesh.mesh import Mesh
from meshtide.mesh.topology import edges_with_uses
from meshtide.mesh.winding import neighbours, outward


def joined(*meshes):
    """Several meshes as one, sharing no vertex."""
    starts = np.cumsum([0, *(len(mesh.vertices) for mesh in meshes)])
    faces = [mesh.faces + start for mesh, start in zip(meshes, starts, strict=False)]
    return Mesh(np.concatenate([mesh.vertices for mesh in meshes]), np.concatenate(faces))


def test_splitting_keeps_the_surface_whole():
    ball = sphere(1)
    vertices, faces, parents = split_long_edges(ball.vertices, ball.faces, 0.2, 50_000)
    assert np.linalg.norm(vertices[faces[:, 0]] - vertices[faces[:, 1]], axis=1).max() <= 0.2
    assert (edges_with_uses(faces, len(vertices))[1] == 2).all()
    areas = np.bincount(parents, triangle_areas(vertices, faces), len(ball.faces))
    assert areas == pytest.approx(ball.face_areas)
    # Windings are kept, so that a closed body's volume is, too.
    assert volume(vertices, faces) == pytest.approx(volume(ball.vertices, ball.faces))


def volume(vertices, faces):
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    return float(np.einsum("fx,fx->", np.cross(a, b), c)) / 6


def test_faces_that_were_turned_are_turned_back():
    ball = torus()
    random = np.random.default_rng(0)
    mixed = np.where(random.random(len(ball.faces))[:, None] < 0.4, ball.faces[:, ::-1], ball.faces)
    mended = outward(ball.vertices, mixed)
    assert not neighbours(mended, len(ball.vertices))[2].any()
    assert volume(ball.vertices, mended) > 0


def test_each_shell_is_turned_outwards_for_itself():
    one, other = sphere(2), Mesh(sphere(2).vertices + 5, sphere(2).faces[:, ::-1])
    both = joined(one, other)
    mended = outward(both.vertices, both.faces)
    for part in (mended[: len(one.faces)], mended[len(one.faces) :]):
        assert volume(both.vertices - both.vertices[part[0, 0]], part) > 0


@pytest.mark.parametrize("mesh", [box(), sphere(2), sphere(6), torus()], ids=lambda mesh: mesh.name)
def test_a_working_surface_has_area_one_and_faces_of_a_sane_number_and_size(mesh):
    surface = working_surface(mesh)
    assert triangle_areas(surface.vertices, surface.faces).sum() == pytest.approx(1)
    assert len(surface.faces) <= 1.3 * SLACK * FACES
    sides = surface.vertices[surface.faces] - surface.vertices[surface.faces[:, [1, 2, 0]]]
    assert np.linalg.norm(sides, axis=2).max() < 2 * LONGEST


@pytest.mark.parametrize("mesh", [box(), sphere(3), sphere(6)], ids=lambda mesh: mesh.name)
def test_what_is_found_comes_back_to_every_face(mesh):
    surface = working_surface(mesh)
    upper = (surface.centres[:, 2] > 0).astype(int)
    if surface.kept is not None:  # an original face has one answer: that of its middle
        upper = (mesh.vertices[mesh.faces].mean(axis=1)[surface.kept, 2] > 0).astype(int)[surface.pieces]
    wanted = mesh.vertices[mesh.faces].mean(axis=1)[:, 2]
    clear = np.abs(wanted) > 0.05
    assert np.array_equal(surface.to_mesh(upper)[clear], (wanted > 0)[clear].astype(int))


def test_faces_without_area_get_the_answer_of_their_neighbours():
    ball = sphere(3)
    flat = np.concatenate([ball.faces, [[0, 0, 1], [3, 4, 3]]])
    surface = working_surface(Mesh(ball.vertices, flat))
    assert set(surface.to_mesh(np.full(len(surface.faces), 7))) == {7}


def test_one_shell_needs_no_links_and_shells_are_all_linked():
    assert len(find_links(working_surface(sphere(3))).gaps) == 0
    places = np.random.default_rng(0).uniform(-30, 30, size=(40, 3))
    many = joined(*(Mesh(sphere(1).vertices + place, sphere(1).faces) for place in places))
    surface = working_surface(many)
    links = find_links(surface)
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    ends = surface.shells[links.faces]
    graph = coo_array((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), shape=(40, 40))
    assert connected_components(graph, directed=False)[0] == 1
    assert (ends[:, 0] != ends[:, 1]).all()


def test_shells_that_touch_have_many_bridges_with_small_gaps():
    side = box()
    fine = split_long_edges(side.vertices, side.faces, 0.1, 50_000)
    cube = Mesh(fine[0], fine[1])
    apart = joined(cube, Mesh(cube.vertices + [1.001, 0, 0], cube.faces))
    links = find_links(working_surface(apart))
    assert len(links.gaps) > 20
    assert np.median(links.gaps) < 0.02


def test_seams_are_closed():
    ball = sphere(3)
    cut = Mesh(ball.vertices[ball.faces].reshape(-1, 3), np.arange(3 * len(ball.faces)).reshape(-1, 3))
    surface = working_surface(cut)
    assert surface.shells.max() == 0
    assert len(surface.vertices) == len(ball.vertices)
