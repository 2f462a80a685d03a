"""Refined borders: never a higher energy, optimal where that can be checked, clean, and drawn in hollows."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy.sparse import coo_array
from scipy.sparse.csgraph import breadth_first_order, connected_components, maximum_flow
from shapes import FIGURE_PARTS, box, figure, sphere, torus

from meshtide.errors import InputError
from meshtide.inference.expansion import Problem, lowered
from meshtide.inference.prices import Scaled
from meshtide.inference.refine import ISLAND, energy, find_band, problem_of, refine
from meshtide.labels.labels import Labels
from meshtide.mesh.mesh import Mesh


def random_probabilities(count: int, parts: int, seed: int = 0, sharpness: float = 1.0) -> np.ndarray:
    logits = sharpness * np.random.default_rng(seed).normal(size=(count, parts))
    return softmax(logits)


def softmax(logits: np.ndarray) -> np.ndarray:
    weights = np.exp(logits - logits.max(axis=1, keepdims=True))
    return (weights / weights.sum(axis=1, keepdims=True)).astype(np.float32)


def labelled_figure(level: int) -> tuple[Mesh, np.ndarray]:
    mesh, parts = figure(level)
    return mesh, Labels(parts, "faces", FIGURE_PARTS).to_vertices(mesh).values


def groove(fold: float, rows: int = 41, columns: int = 12) -> Mesh:
    """A sheet, faces up, folded along y at x = 0 by `fold` (radians a side; positive is a valley)."""
    x, y = np.meshgrid(np.linspace(-1, 1, rows), np.linspace(0, 0.6, columns), indexing="ij")
    vertices = np.stack([np.cos(fold) * x, y, np.sin(fold) * np.abs(x)], axis=-1).reshape(-1, 3)
    number = np.arange(rows * columns).reshape(rows, columns)
    a, b, c, d = (part.ravel() for part in (number[:-1, :-1], number[1:, :-1], number[1:, 1:], number[:-1, 1:]))
    return Mesh(vertices, np.concatenate([np.stack([a, b, c], 1), np.stack([a, c, d], 1)]))


def peanut(level: int = 4) -> Mesh:
    """Two balls in one skin with a neck at z = 0."""
    ball = sphere(level)
    return Mesh(ball.vertices * (0.35 + ball.vertices[:, 2:] ** 2), ball.faces, "peanut")


@pytest.mark.parametrize("strength", [0.0, 1e-6, 0.005, 0.05, 0.5, 100.0])
@pytest.mark.parametrize("parts", [1, 2, 5])
def test_energy_is_never_higher_than_that_of_the_most_probable_parts(strength: float, parts: int) -> None:
    mesh = torus(24, 16)
    probabilities = random_probabilities(len(mesh.vertices), parts, seed=parts, sharpness=2)
    first, refined = probabilities.argmax(axis=1), refine(mesh, probabilities, strength=strength)
    assert energy(mesh, probabilities, refined, strength) <= energy(mesh, probabilities, first, strength)
    if strength == 0.5 and parts > 1:
        assert energy(mesh, probabilities, refined, strength) < 0.8 * energy(mesh, probabilities, first, strength)


def whole_problem(mesh: Mesh, probabilities: np.ndarray, strength: float) -> Problem:
    """The energy's terms on all of a mesh, each of whose vertices has a face."""
    surface, used = Scaled.of(mesh).part(np.arange(len(mesh.faces)))
    assert len(used) == len(mesh.vertices)
    return problem_of(surface, probabilities, strength)


def lowest_energy(mesh: Mesh, probabilities: np.ndarray, strength: float) -> float:
    """Of all labellings there are."""
    problem = whole_problem(mesh, probabilities, strength)
    count, parts = probabilities.shape
    return min(problem.energy(np.array(each)) for each in product(range(parts), repeat=count))


@pytest.mark.parametrize("seed", range(6))
def test_two_parts_are_divided_optimally(seed: int) -> None:
    rng = np.random.default_rng(seed)
    mesh = Mesh(sphere(0).vertices * rng.uniform(0.5, 1.5, (12, 3)), sphere(0).faces)
    probabilities, strength = random_probabilities(12, 2, seed), 0.05 * 1.6**seed
    best = lowest_energy(mesh, probabilities, strength)
    assert energy(mesh, probabilities, refine(mesh, probabilities, strength=strength), strength) == pytest.approx(best)


@pytest.mark.parametrize("seed", range(6))
def test_three_parts_are_within_the_bound_of_two(seed: int) -> None:
    mesh, strength = box((1.0, 0.7, 1.3)), 0.05 * 2.0**seed
    probabilities = random_probabilities(8, 3, seed, sharpness=2)
    best = lowest_energy(mesh, probabilities, strength)
    found = energy(mesh, probabilities, refine(mesh, probabilities, strength=strength), strength)
    assert best * (1 - 1e-9) <= found <= 2 * best


def test_no_single_vertex_and_no_whole_part_could_change_for_the_better() -> None:
    mesh = sphere(2)
    probabilities = random_probabilities(len(mesh.vertices), 3, sharpness=1.5)
    labels = refine(mesh, probabilities, strength=0.03)
    problem = whole_problem(mesh, probabilities, 0.03)
    lowest = energy(mesh, probabilities, labels, 0.03) - 1e-7
    assert len(np.unique(labels)) == 3
    for vertex, part in product(range(len(labels)), range(3)):
        assert problem.energy(np.where(np.arange(len(labels)) == vertex, part, labels)) > lowest
    for old, new in product(range(3), repeat=2):
        assert problem.energy(np.where(labels == old, new, labels)) > lowest


def test_strength_zero_is_the_most_probable_part() -> None:
    mesh = sphere(2)
    probabilities = random_probabilities(len(mesh.vertices), 4, sharpness=5)
    np.testing.assert_array_equal(refine(mesh, probabilities, strength=0), probabilities.argmax(axis=1))


def test_one_part_wins_everything_when_borders_are_dear() -> None:
    mesh = sphere(2)
    probabilities = random_probabilities(len(mesh.vertices), 4)
    assert len(np.unique(refine(mesh, probabilities, strength=1e3))) == 1


def test_vertices_without_faces_keep_their_most_probable_part() -> None:
    mesh = sphere(2)
    far = np.array([[0, 0, 0], [1e300, -1e300, 0], [1, 2, 3]], dtype=np.float64)
    extended = Mesh(np.concatenate([mesh.vertices, far]), mesh.faces)
    probabilities = np.zeros((len(extended.vertices), 3), dtype=np.float32)
    probabilities[:, 0], probabilities[-3:] = 1, [[0.1, 0.2, 0.7], [0.4, 0.6, 0], [0.3, 0.4, 0.3]]
    labels = refine(extended, probabilities, strength=10.0)
    np.testing.assert_array_equal(labels[-3:], [2, 1, 1])
    assert (labels[:-3] == 0).all()


@pytest.mark.parametrize("level", [2, 3])
def test_salt_and_pepper_is_cleaned_up(level: int) -> None:
    mesh, truth = labelled_figure(level)
    rng = np.random.default_rng(level)
    noisy = np.where(rng.random(len(truth)) < 0.15, rng.integers(0, 4, len(truth)), truth)
    refined = refine(mesh, 0.1 / 4 + 0.9 * np.eye(4, dtype=np.float32)[noisy])
    assert (noisy == truth).mean() < 0.9
    assert (refined == truth).mean() > 0.99


def test_a_sound_labelling_is_left_nearly_as_it_is() -> None:
    mesh, truth = labelled_figure(3)
    refined = refine(mesh, 0.05 / 4 + 0.95 * np.eye(4, dtype=np.float32)[truth])
    assert (refined == truth).mean() > 0.995


def border_at(mesh: Mesh, labels: np.ndarray, axis: int) -> float:
    """Where on an axis the two parts meet, on average."""
    tail, head = mesh.edges()[np.diff(labels[mesh.edges()], axis=1)[:, 0] != 0].T
    return float((mesh.vertices[tail, axis] + mesh.vertices[head, axis]).mean() / 2)


@pytest.mark.parametrize("turned", [False, True], ids=["outwards", "inside out"])
def test_a_border_beside_a_neck_moves_into_it(turned: bool) -> None:
    mesh = peanut()
    mesh = Mesh(mesh.vertices, mesh.faces[:, ::-1]) if turned else mesh
    beside = 0.1
    logits = (mesh.vertices[:, 2] - beside) / 0.2
    probabilities = softmax(np.stack([-logits, logits], axis=1) / 2)
    assert border_at(mesh, probabilities.argmax(axis=1), 2) == pytest.approx(beside, abs=0.03)
    assert abs(border_at(mesh, refine(mesh, probabilities), 2)) < 0.4 * beside


def test_a_border_two_rings_beside_a_valley_moves_into_it_and_keeps_off_a_ridge() -> None:
    # The border has the same length wherever it runs across the sheet: only the fold can draw it.
    valley, flat, ridge = groove(0.7), groove(0.0), groove(-0.7)
    sideways = np.linspace(-1, 1, 41).repeat(12) - 0.125
    probabilities = softmax(np.stack([-sideways, sideways], axis=1) / 2)
    places = [border_at(mesh, refine(mesh, probabilities), 0) for mesh in (valley, flat, ridge)]
    assert places[1] == pytest.approx(0.125, abs=1e-6)
    assert abs(places[0]) <= 0.05
    assert places[2] / np.cos(0.7) == pytest.approx(0.125, abs=1e-6)


def test_permuted_vertices_give_the_permuted_answer() -> None:
    mesh, truth = labelled_figure(2)
    rng = np.random.default_rng(3)
    probabilities = softmax(2 * np.eye(4)[truth] + rng.normal(size=(len(truth), 4)))
    order = rng.permutation(len(truth))  # new vertex i is the old vertex order[i]
    faces = np.argsort(order)[mesh.faces][rng.permutation(len(mesh.faces))]
    permuted = refine(Mesh(mesh.vertices[order], faces), probabilities[order])
    np.testing.assert_array_equal(permuted, refine(mesh, probabilities)[order])


@pytest.mark.parametrize("scale", [1e-200, 1e-3, 1e3, 1e200])
def test_the_unit_makes_no_difference(scale: float) -> None:
    mesh, truth = labelled_figure(1)
    probabilities = softmax(2 * np.eye(4)[truth] + np.random.default_rng(0).normal(size=(len(truth), 4)))
    other = Mesh(mesh.vertices * scale, mesh.faces)
    np.testing.assert_array_equal(refine(other, probabilities), refine(mesh, probabilities))
    assert energy(other, probabilities, truth) == pytest.approx(energy(mesh, probabilities, truth))


def test_meshings_of_one_surface_agree() -> None:
    def field(mesh: Mesh) -> np.ndarray:
        x, y, z = mesh.vertices.T
        waves = np.stack([np.sin(1.3 * z + x), np.cos(0.9 * z - y), np.sin(2.1 * x + 0.4 * z + 1)], axis=1)
        return softmax(2 * waves)

    coarse, fine = figure(2)[0], figure(3)[0]
    first, second = refine(coarse, field(coarse)), refine(fine, field(fine))
    assert energy(coarse, field(coarse), first) == pytest.approx(energy(fine, field(fine), second), rel=0.05)
    assert (field(coarse).argmax(axis=1) != first).mean() > 0.02  # there is something to agree on
    assert (first == second[: len(first)]).mean() > 0.97


def plainly_lowered(problem: Problem, labels: np.ndarray, allowed: np.ndarray) -> np.ndarray:
    """α-expansion in its plain form: one part at a time, every vertex in the cut, until no part can gain."""
    best, quiet = problem.energy(labels), 0
    for move in range(100 * allowed.shape[1]):
        moved = plainly_expanded(problem, labels, move % allowed.shape[1], allowed)
        value = problem.energy(moved)
        labels, best, quiet = (moved, value, 0) if value < best - 1e-9 else (labels, best, quiet + 1)
        if quiet == allowed.shape[1]:
            break
    return labels


def plainly_expanded(problem: Problem, labels: np.ndarray, part: int, allowed: np.ndarray) -> np.ndarray:
    """The best labelling in which any allowed vertices have changed to the part: a cut with a helper an edge."""
    count, edges, never = len(labels), problem.edges, 1e3
    (tail, head), helper = edges.T, len(labels) + np.arange(len(edges))
    source, sink = count + len(edges), count + len(edges) + 1  # the source's side keeps its labels
    every = np.arange(count)
    stay = np.where(labels == part, never, problem.unary[every, labels])  # is cut off from the sink: keeps
    change = np.where(allowed[:, part] | (labels == part), problem.unary[:, part], never)
    apart = labels[tail] != labels[head]
    to_part = problem.prices[:, None] * (labels[edges] != part)
    arcs = [
        (np.full(count, source), every, change),
        (every, np.full(count, sink), stay),
        (tail[~apart], head[~apart], to_part[~apart, 0]),
        (head[~apart], tail[~apart], to_part[~apart, 0]),
        (helper[apart], np.full(apart.sum(), sink), problem.prices[apart]),
        (tail[apart], helper[apart], to_part[apart, 0]),
        (helper[apart], tail[apart], to_part[apart, 0]),
        (head[apart], helper[apart], to_part[apart, 1]),
        (helper[apart], head[apart], to_part[apart, 1]),
    ]
    start, end, price = (np.concatenate(column) for column in zip(*arcs, strict=True))
    whole = np.rint(np.minimum(price, 4.0) * 2**28).astype(np.int32)
    graph = coo_array((whole, (start, end)), shape=(sink + 1, sink + 1)).tocsr()
    rest = graph - maximum_flow(graph, source, sink).flow
    rest.eliminate_zeros()
    keeps = np.zeros(sink + 1, dtype=bool)
    keeps[breadth_first_order(rest.tocsr(), source, return_predecessors=False)] = True
    return np.where(keeps[:count], labels, part)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("strength", [0.01, 0.05])
def test_the_fast_form_is_no_worse_than_the_plain_one(seed: int, strength: float) -> None:
    mesh, truth = labelled_figure(2)
    probabilities = softmax(np.eye(4)[truth] + np.random.default_rng(seed).normal(size=(len(truth), 4)))
    problem = whole_problem(mesh, probabilities, strength)
    allowed = np.random.default_rng(seed).random(probabilities.shape) < 0.8  # whatever else the band would leave
    start = probabilities.argmax(axis=1)
    fast, plain = lowered(problem, start, allowed), plainly_lowered(problem, start, allowed)
    assert problem.energy(fast) < problem.energy(start)
    # Parts are taken in another order, so that the two may end in different minima.
    assert problem.energy(fast) <= problem.energy(plain) * 1.001
    assert (allowed[np.arange(len(fast)), fast] | (fast == start)).all()
    assert problem.energy(plainly_lowered(problem, fast, allowed)) == pytest.approx(problem.energy(fast), rel=1e-6)


def test_two_parts_are_divided_optimally_in_the_band() -> None:
    mesh, truth = labelled_figure(3)
    rng = np.random.default_rng(0)
    probabilities = softmax(1.5 * np.eye(2)[(truth > 0).astype(int)] + rng.normal(size=(len(truth), 2)))
    labels = probabilities.argmax(axis=1)
    band = find_band(mesh, labels)
    assert band is not None
    problem = problem_of(band.surface, probabilities[band.vertices], 0.02)
    allowed = np.repeat(band.free[:, None], 2, axis=1)
    fast, plain = (form(problem, labels[band.vertices], allowed) for form in (lowered, plainly_lowered))
    assert problem.energy(fast) == pytest.approx(problem.energy(plain), rel=1e-6)


def test_only_a_band_around_borders_changes() -> None:
    mesh = peanut(5)
    logits = mesh.vertices[:, 2:] / 0.02 * np.array([[-1.0, 1.0]])
    logits[np.abs(mesh.vertices[:, 2]) > 0.6] *= 0.01  # unsure, yet far from any border
    probabilities = softmax(logits)
    first = probabilities.argmax(axis=1)
    band = find_band(mesh, first)
    assert band is not None
    assert len(band.vertices) < 0.6 * len(first)
    outside = np.setdiff1d(np.arange(len(first)), band.vertices[band.free])
    np.testing.assert_array_equal(refine(mesh, probabilities, strength=0.5)[outside], first[outside])


def piece_sizes(mesh: Mesh, labels: np.ndarray) -> list[tuple[int, float]]:
    """Part and share of the area of every connected piece."""
    edges, count = mesh.edges(), len(labels)
    same = edges[labels[edges[:, 0]] == labels[edges[:, 1]]]
    graph = coo_array((np.ones(len(same)), (same[:, 0], same[:, 1])), shape=(count, count))
    number, piece = connected_components(graph, directed=False)
    areas = np.bincount(mesh.faces.ravel(), np.repeat(mesh.face_areas / 3 / mesh.area, 3), count)
    sizes = np.bincount(piece, areas, number)
    return [(int(labels[np.argmax(piece == each)]), float(sizes[each])) for each in range(number)]


@pytest.mark.parametrize("seed", range(3))
def test_no_stray_piece_is_below_the_stated_area(seed: int) -> None:
    mesh, truth = labelled_figure(4)
    rng = np.random.default_rng(seed)
    noisy = truth.copy()
    edges = mesh.edges()
    for spot in rng.choice(len(truth), 60, replace=False):  # specks of a few sure vertices
        noisy[np.append(edges[(edges == spot).any(axis=1)].ravel(), spot)] = rng.integers(0, 4)
    probabilities = 1e-4 / 4 + (1 - 1e-4) * np.eye(4, dtype=np.float32)[noisy]
    assert sum(size < ISLAND for _, size in piece_sizes(mesh, noisy)) > 10
    found = refine(mesh, probabilities, strength=1e-4)  # too cheap for the cut to clean up
    pieces = piece_sizes(mesh, found)
    largest = [max((size for part, size in pieces if part == each), default=0.0) for each in range(4)]
    assert all(size >= ISLAND or size == largest[part] for part, size in pieces)


def test_a_part_that_is_small_altogether_stays() -> None:
    mesh = sphere(4)
    button = np.argsort(mesh.vertices[:, 2])[-4:]
    labels = np.zeros(len(mesh.vertices), dtype=int)
    labels[button] = 1
    found = refine(mesh, 1e-6 / 2 + (1 - 1e-6) * np.eye(2, dtype=np.float32)[labels], strength=1e-4)
    np.testing.assert_array_equal(found, labels)


def test_ragged_surfaces_are_served() -> None:
    """Two components, one inside out; a fin on an edge with three faces; a face without area; a face named twice."""
    ball = sphere(1)
    vertices = np.concatenate([ball.vertices, ball.vertices + [3, 0, 0], [[0, 0, 2]]])
    fin = [*ball.faces[0, :2], len(vertices) - 1]
    extra = [fin, [0, 0, 1], ball.faces[3]]
    mesh = Mesh(vertices, np.concatenate([ball.faces, ball.faces[:, ::-1] + len(ball.vertices), extra]))
    probabilities = random_probabilities(len(vertices), 3, sharpness=2)
    refined = refine(mesh, probabilities, strength=0.05)
    assert energy(mesh, probabilities, refined, 0.05) < energy(mesh, probabilities, probabilities.argmax(1), 0.05)


@pytest.mark.parametrize(
    ("probabilities", "strength", "words"),
    [
        (np.ones((5, 2)), 0.1, "42 vertices"),
        (np.ones((42, 0)), 0.1, "one column for each part"),
        (np.ones(42), 0.1, "one row for each vertex"),
        (np.full((42, 2), np.nan), 0.1, "not finite"),
        (np.ones((42, 2)), -1.0, "strength of -1.0"),
        (np.ones((42, 2)), np.nan, "strength of nan"),
    ],
)
def test_what_cannot_be_refined_is_said(probabilities: np.ndarray, strength: float, words: str) -> None:
    with pytest.raises(InputError, match=words):
        refine(sphere(1), probabilities, strength=strength)
