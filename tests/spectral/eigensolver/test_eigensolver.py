"""The eigensolver against mathematics: known spectra, dense LAPACK, and shapes where a pair is easily missed."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse as sparse
from threadpoolctl import threadpool_limits

from meshtide.spectral import eigensolver
from meshtide.spectral.eigensolver import Eigenpairs, components, lanczos, ordering, shiftinvert, smallest_eigenpairs
from meshtide.spectral.eigensolver.factorisation import installed, make_factorisation
from meshtide.spectral.eigensolver.ordering import nested_dissection

robust_laplacian = pytest.importorskip("robust_laplacian")
networkx = pytest.importorskip("networkx")
trimesh = pytest.importorskip("trimesh")

Operator = tuple[sparse.csc_array, np.ndarray]

AVAILABLE = [name for name, package in (("superlu", "scipy"), ("pardiso", "pypardiso")) if installed(package)]


def surface(mesh: trimesh.Trimesh) -> Operator:
    """Stiffness and masses of the surface scaled to area 1."""
    matrix, mass = robust_laplacian.mesh_laplacian(np.array(mesh.vertices), np.array(mesh.faces))
    masses = mass.diagonal()
    return sparse.csc_array(matrix), masses / masses.sum()


def sphere(level: int) -> Operator:
    return surface(trimesh.creation.icosphere(subdivisions=level))


def bumpy(level: int) -> Operator:
    mesh = trimesh.creation.icosphere(subdivisions=level)
    x, y, z = np.array(mesh.vertices).T
    # Without any symmetry, so that the eigenvalues are simple and no vector has two largest entries.
    bumps = 0.2 * np.sin(3 * x + 1) * np.cos(4 * y + 0.3) + 0.1 * np.sin(5 * z * x + 2 * y)
    mesh.vertices = mesh.vertices * (1 + bumps)[:, None]
    return surface(mesh)


def path(size: int) -> Operator:
    """A wire: λ_j = 2 - 2 cos(π j / size), so far from Weyl's law for surfaces as can be."""
    ones = np.ones(size)
    diagonal = np.zeros(size)
    diagonal[1:] += 1
    diagonal[:-1] += 1
    return sparse.csc_array(sparse.diags_array([-ones[1:], diagonal, -ones[1:]], offsets=[-1, 0, 1])), ones


def graph_operator(adjacency: sparse.csr_array) -> Operator:
    """I - D^-½ (A + I) D^-½."""
    looped = sparse.csr_array(adjacency + sparse.eye_array(adjacency.shape[0]))
    scale = sparse.diags_array(1 / np.sqrt(looped.sum(axis=1)))
    return sparse.csc_array(sparse.eye_array(adjacency.shape[0]) - scale @ looped @ scale), np.ones(adjacency.shape[0])


def mesh_graph(level: int) -> sparse.csr_array:
    edges = np.array(trimesh.creation.icosphere(subdivisions=level).edges_unique)
    upper = sparse.coo_array((np.ones(len(edges)), edges.T), shape=(edges.max() + 1,) * 2)
    return sparse.csr_array(upper + upper.T)


def copies(operator: Operator, number: int) -> Operator:
    matrix, mass = operator
    return sparse.csc_array(sparse.block_diag([matrix] * number)), np.tile(mass, number) / number


def dense(operator: Operator) -> tuple[np.ndarray, np.ndarray]:
    matrix, mass = operator
    with threadpool_limits(limits=1):
        return scipy.linalg.eigh(matrix.toarray(), np.diag(mass))


def check(operator: Operator, pairs: Eigenpairs, count: int) -> None:
    """Shapes, order, M-orthonormality and residuals, computed here and not taken from the solver."""
    matrix, mass = operator
    assert pairs.values.shape == (count,)
    assert pairs.vectors.shape == (len(mass), count)
    assert np.all(np.diff(pairs.values) >= 0)
    gram = pairs.vectors.T @ (mass[:, None] * pairs.vectors)
    np.testing.assert_allclose(gram, np.identity(count), atol=1e-9)
    difference = (matrix @ pairs.vectors - mass[:, None] * pairs.vectors * pairs.values) / np.sqrt(mass)[:, None]
    scale = max(pairs.values[-1], 1e-3 * matrix.diagonal().sum() / mass.sum() if pairs.values[-1] < 1e-9 else 0)
    assert np.linalg.norm(difference, axis=0).max() <= 1e-6 * (scale or 1.0)
    assert pairs.residual <= 1e-6


def test_sphere_spectrum() -> None:
    operator = sphere(5)
    pairs = smallest_eigenpairs(*operator, 36)
    check(operator, pairs, 36)
    expected = np.concatenate([np.full(2 * degree + 1, degree * (degree + 1.0)) for degree in range(6)]) * 4 * np.pi
    np.testing.assert_allclose(pairs.values, expected, rtol=0.01, atol=1e-9)


@pytest.mark.parametrize("name", AVAILABLE)
def test_agrees_with_dense_lapack(name: str) -> None:
    operator = bumpy(3)
    pairs = smallest_eigenpairs(*operator, 40, factorisation=name)
    check(operator, pairs, 40)
    assert pairs.factorisation == name
    values, vectors = dense(operator)
    np.testing.assert_allclose(pairs.values, values[:40], rtol=1e-9, atol=1e-9 * values[39])
    # The subspace, not the vectors: the basis of a multiple eigenvalue is free. 40 ends in a gap of this spectrum.
    overlap = vectors[:, :40].T @ (operator[1][:, None] * pairs.vectors)
    np.testing.assert_allclose(np.linalg.svd(overlap, compute_uv=False), 1, atol=1e-9)


@pytest.mark.parametrize("name", AVAILABLE)
def test_repeats_to_the_bit(name: str) -> None:
    operator = bumpy(4)
    first, second = (smallest_eigenpairs(*operator, 30, factorisation=name) for _ in range(2))
    assert np.array_equal(first.values, second.values)
    assert np.array_equal(first.vectors, second.vectors)


@pytest.mark.parametrize("count", [1, 2, 3, 8, 10, 25, 30, 40])
def test_count_may_end_inside_a_multiplet(count: int) -> None:
    operator = sphere(4)
    pairs = smallest_eigenpairs(*operator, count)
    check(operator, pairs, count)
    assert pairs.attempts == 1


@pytest.mark.parametrize("size", [1, 2, 3, 7])
@pytest.mark.parametrize("count", [1, 2, 3, 100])
def test_smallest_inputs(size: int, count: int) -> None:
    operator = path(size)
    pairs = smallest_eigenpairs(*operator, count)
    known = min(size, count)
    check(operator, pairs, known)
    np.testing.assert_allclose(pairs.values, 2 - 2 * np.cos(np.pi * np.arange(known) / size), atol=1e-12)


def test_count_of_all_and_more() -> None:
    operator = bumpy(2)
    pairs = smallest_eigenpairs(*operator, 1000)
    check(operator, pairs, 162)
    np.testing.assert_allclose(pairs.values, dense(operator)[0], rtol=1e-9, atol=1e-8)


def test_wire() -> None:
    operator = path(20_000)
    pairs = smallest_eigenpairs(*operator, 50)
    check(operator, pairs, 50)
    np.testing.assert_allclose(pairs.values, 2 - 2 * np.cos(np.pi * np.arange(50) / 20_000), rtol=1e-6, atol=1e-12)


def test_thin_tube() -> None:
    mesh = trimesh.creation.cylinder(radius=0.01, height=20, sections=8).subdivide_to_size(0.2, max_iter=20)
    operator = surface(mesh)
    pairs = smallest_eigenpairs(*operator, 60)
    check(operator, pairs, 60)


@pytest.mark.parametrize("number", [2, 5])
def test_identical_copies_are_all_found(number: int) -> None:
    single = bumpy(4)
    operator = copies(single, number)
    pairs = smallest_eigenpairs(*operator, 20 * number)
    check(operator, pairs, 20 * number)
    once = smallest_eigenpairs(*single, 20)
    np.testing.assert_allclose(pairs.values, np.repeat(once.values, number) * number, rtol=1e-7, atol=1e-6)


def test_unequal_components() -> None:
    parts = [bumpy(3), path(5), sphere(2), path(1), path(400)]
    operator = (
        sparse.csc_array(sparse.block_diag([matrix for matrix, _ in parts])),
        np.concatenate([mass * weight for (_, mass), weight in zip(parts, (1.0, 0.1, 2.0, 0.3, 1e-3), strict=True)]),
    )
    shuffle = np.random.default_rng(0).permutation(len(operator[1]))
    operator = (operator[0][:, shuffle][shuffle], operator[1][shuffle])
    pairs = smallest_eigenpairs(*operator, 60)
    check(operator, pairs, 60)
    np.testing.assert_allclose(pairs.values, dense(operator)[0][:60], rtol=1e-7, atol=1e-6)


def test_thousands_of_tiny_components() -> None:
    operator = copies(path(3), 1500)
    pairs = smallest_eigenpairs(*operator, 1600)
    check(operator, pairs, 1600)
    assert np.count_nonzero(pairs.values < 1e-9) == 1500
    few = smallest_eigenpairs(*operator, 100)
    check(operator, few, 100)
    assert few.values.max() == 0


def test_null_space_of_the_graph_operator_in_components() -> None:
    operator = graph_operator(sparse.csr_array(sparse.block_diag([mesh_graph(2)] * 12)))
    pairs = smallest_eigenpairs(*operator, 10)
    check(operator, pairs, 10)
    np.testing.assert_allclose(pairs.values, 0, atol=1e-9)


def test_operator_without_null_space_in_components() -> None:
    matrix, mass = copies(path(40), 12)
    operator = (sparse.csc_array(matrix + 0.1 * sparse.diags_array(mass)), mass)
    pairs = smallest_eigenpairs(*operator, 10)
    check(operator, pairs, 10)
    np.testing.assert_allclose(pairs.values, dense(operator)[0][:10], rtol=1e-9)


def test_graph_operator() -> None:
    operator = graph_operator(mesh_graph(3))
    pairs = smallest_eigenpairs(*operator, 64)
    check(operator, pairs, 64)
    np.testing.assert_allclose(pairs.values, dense(operator)[0][:64], atol=1e-9)


def test_star_graph_with_one_huge_multiplet() -> None:
    leaves = 3000
    star = sparse.coo_array((np.ones(leaves), (np.zeros(leaves, int), np.arange(1, leaves + 1))), (leaves + 1,) * 2)
    operator = graph_operator(sparse.csr_array(star + star.T))
    pairs = smallest_eigenpairs(*operator, 40)
    check(operator, pairs, 40)
    np.testing.assert_allclose(pairs.values, [0, *[0.5] * 39], atol=1e-9)


@pytest.mark.parametrize("name", AVAILABLE)
def test_masses_over_eight_orders_of_magnitude(name: str) -> None:
    matrix, mass = bumpy(3)
    wild = mass * 10 ** np.random.default_rng(0).uniform(-8, 0, len(mass))
    operator = (matrix, wild / wild.sum())
    pairs = smallest_eigenpairs(*operator, 50, factorisation=name)
    check(operator, pairs, 50)
    np.testing.assert_allclose(pairs.values, dense(operator)[0][:50], rtol=1e-6, atol=1e-4)


def test_small_and_wild_goes_through_the_inverse() -> None:
    matrix, mass = bumpy(2)
    wild = mass * 10 ** np.random.default_rng(0).uniform(-12, 0, len(mass))
    operator = (matrix, wild / wild.sum())
    pairs = smallest_eigenpairs(*operator, 60)
    check(operator, pairs, 60)


def test_rounding_in_the_matrix_is_forgiven() -> None:
    matrix, mass = bumpy(3)
    noise = sparse.csc_array((np.random.default_rng(0).standard_normal(matrix.nnz), matrix.indices, matrix.indptr))
    noisy = sparse.csc_array(matrix + 1e-13 * noise)
    pairs = smallest_eigenpairs(noisy, mass, 40)
    np.testing.assert_allclose(pairs.values, smallest_eigenpairs(matrix, mass, 40).values, rtol=1e-8, atol=1e-7)
    assert pairs.values[0] >= 0


def test_permuting_vertices_permutes_the_answer() -> None:
    matrix, mass = bumpy(4)
    shuffle = np.random.default_rng(0).permutation(len(mass))
    plain = smallest_eigenpairs(matrix, mass, 30)
    permuted = smallest_eigenpairs(matrix[:, shuffle][shuffle], mass[shuffle], 30)
    np.testing.assert_allclose(permuted.values, plain.values, rtol=1e-8, atol=1e-7)
    np.testing.assert_allclose(permuted.vectors, plain.vectors[shuffle], atol=1e-4)


def test_signs_make_the_largest_entry_positive() -> None:
    pairs = smallest_eigenpairs(*bumpy(4), 30)
    largest = np.abs(pairs.vectors).argmax(axis=0)
    assert np.all(pairs.vectors[largest, np.arange(30)] > 0)


def spectrum_of(values: np.ndarray) -> shiftinvert.Spectrum:
    return shiftinvert.Spectrum(values, np.zeros(len(values)), np.arange(len(values)))


@pytest.mark.parametrize("name", AVAILABLE)
def test_certificate_refuses_when_a_pair_is_missing(name: str) -> None:
    operator = bumpy(3)
    values = dense(operator)[0][:45]
    factor = make_factorisation(name, *operator)
    shiftinvert.certify(factor, spectrum_of(values), 40)
    for missing in (0, 1, 20, 39):
        with pytest.raises(shiftinvert.UncertifiedError):
            shiftinvert.certify(factor, spectrum_of(np.delete(values, missing)), 40)
    with pytest.raises(shiftinvert.UncertifiedError):
        shiftinvert.certify(factor, spectrum_of(np.insert(values, 20, values[20])), 40)


def test_certificate_does_not_trust_a_rough_value_near_the_edge() -> None:
    """A value that has not converged may yet fall below the edge; counting on it could hide a missing one."""
    values = np.array([0.0, 1.0, 2.0, 3.0, 3.01, 5.0])
    sharp = shiftinvert.Spectrum(values, np.zeros(6), np.arange(6))
    rough = shiftinvert.Spectrum(values, np.array([0, 0, 0, 0, 9e-3, 9e-3]), np.arange(6))
    assert shiftinvert.certificate_shift(sharp, 4) == (4.005, 5)
    assert shiftinvert.certificate_shift(rough, 4)[1] < 4


@pytest.mark.parametrize("name", AVAILABLE)
def test_inertia_counts_eigenvalues(name: str) -> None:
    operator = bumpy(3)
    values = dense(operator)[0]
    factor = make_factorisation(name, *operator)
    for below in (1, 2, 50, 300, 641):
        factor.factorise(float(values[below - 1 : below + 1].mean()))
        assert factor.negative == below


def test_retries_until_certified(monkeypatch: pytest.MonkeyPatch) -> None:
    operator = bumpy(3)
    honest = shiftinvert.certify
    calls = []

    def fails_twice(factor: object, spectrum: shiftinvert.Spectrum, count: int) -> None:
        calls.append(count)
        if len(calls) <= 2:
            raise shiftinvert.UncertifiedError("refused by the test")
        honest(factor, spectrum, count)  # type: ignore[arg-type]  # only handed on

    monkeypatch.setattr(shiftinvert, "certify", fails_twice)
    pairs = smallest_eigenpairs(*operator, 40)
    check(operator, pairs, 40)
    assert pairs.attempts == 3
    np.testing.assert_allclose(pairs.values, dense(operator)[0][:40], rtol=1e-8, atol=1e-7)


def test_never_returns_an_uncertified_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuses(*_: object) -> None:
        raise shiftinvert.UncertifiedError("refused by the test")

    monkeypatch.setattr(shiftinvert, "certify", refuses)
    monkeypatch.setattr(eigensolver, "DENSE_LIMIT", 0)
    with pytest.raises(RuntimeError, match="could not be certified: refused by the test"):
        smallest_eigenpairs(*bumpy(3), 40)


def test_plain_recipe_of_last_resort() -> None:
    operator = bumpy(3)
    found = shiftinvert.solve_plainly(*operator, 40)
    np.testing.assert_allclose(found.values, dense(operator)[0][:40], rtol=1e-8, atol=1e-7)


def test_copies_that_hide_from_a_small_block_are_found() -> None:
    """Twenty equal lobes on a weak web: clusters of twenty equal eigenvalues, more than a block holds."""
    lobe, mass = bumpy(3)
    size, number = len(mass), 20
    web = sparse.lil_array((size * number, size * number))
    for i in range(number):
        j = (i + 1) % number
        for a, b, weight in ((i, i, 1), (j, j, 1), (i, j, -1), (j, i, -1)):
            web[a * size, b * size] += weight * 1e-9
    operator = (sparse.csc_array(sparse.block_diag([lobe] * number) + web), np.tile(mass, number) / number)
    pairs = smallest_eigenpairs(*operator, 70)
    check(operator, pairs, 70)
    expected = np.repeat(dense((lobe, mass))[0][:5], number)[:70] * number
    np.testing.assert_allclose(pairs.values, expected, rtol=1e-4, atol=1e-3)


def test_restart_keeps_the_relation() -> None:
    """A Q = Q T + Q_next E must hold after a restart as before it: the identity everything rests on."""
    rng = np.random.default_rng(0)
    diagonal = np.sort(rng.uniform(0, 1, 300))
    space = lanczos.start(lambda block: diagonal[:, None] * block, 300, 80, 4, seed=0)
    for repeat in range(3):
        while space.size < 80:
            lanczos.expand(space, lambda block: diagonal[:, None] * block)
        pairs = lanczos.ritz(space)
        basis = space.basis[:, : space.size]
        right = basis @ space.projected[: space.size, : space.size] + space.following @ space.coupling
        np.testing.assert_allclose(diagonal[:, None] * basis, right, atol=1e-9)
        np.testing.assert_allclose(basis.T @ basis, np.identity(80), atol=1e-9)
        if repeat < 2:
            lanczos.restart(space, pairs, np.arange(60, 80))
    np.testing.assert_allclose(pairs.values[-3:], diagonal[-3:], rtol=1e-10)


def test_exhausted_krylov_space_goes_on_with_random_vectors() -> None:
    diagonal = np.repeat([1.0, 2.0, 3.0], 50)
    space = lanczos.start(lambda block: diagonal[:, None] * block, 150, 96, 8, seed=0)
    while space.size < 96:
        lanczos.expand(space, lambda block: diagonal[:, None] * block)
    np.testing.assert_allclose(space.basis[:, :96].T @ space.basis[:, :96], np.identity(96), atol=1e-9)
    values = lanczos.ritz(space).values
    np.testing.assert_allclose(values, np.round(values), atol=1e-7)


def test_dissection_is_a_permutation_that_saves_fill() -> None:
    matrix, _ = sphere(5)
    order = nested_dissection(matrix)
    assert np.array_equal(np.sort(order), np.arange(matrix.shape[0]))
    shifted = sparse.csc_array(matrix + sparse.eye_array(matrix.shape[0]))

    def fill(rows: np.ndarray) -> int:
        options = {"SymmetricMode": True}
        ordered = sparse.csc_array(shifted[:, rows][rows])
        return int(sparse.linalg.splu(ordered, "NATURAL", 0.0, 1, options=options).nnz)

    assert fill(order) < 0.5 * fill(np.argsort(trimesh.creation.icosphere(subdivisions=5).vertices[:, 2]))


@pytest.mark.parametrize("kind", ["path", "star", "clique", "grid"])
def test_dissection_of_any_graph_is_a_permutation(kind: str) -> None:
    graph = {
        "path": networkx.path_graph(500),
        "star": networkx.star_graph(500),
        "clique": networkx.complete_graph(120),
        "grid": networkx.grid_2d_graph(30, 20),
    }[kind]
    order = nested_dissection(sparse.csc_array(networkx.laplacian_matrix(graph).astype(float)))
    assert np.array_equal(np.sort(order), np.arange(len(graph)))


def test_dissected_solve_gives_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    operator = bumpy(4)
    plain = smallest_eigenpairs(*operator, 30, factorisation="superlu")
    monkeypatch.setattr(ordering, "PAYS_FROM", 1000)
    assert ordering.pays(operator[0])
    assert not ordering.pays(path(1000)[0])
    dissected = smallest_eigenpairs(*operator, 30, factorisation="superlu")
    check(operator, dissected, 30)
    np.testing.assert_allclose(dissected.values, plain.values, rtol=1e-8, atol=1e-7)
    np.testing.assert_allclose(dissected.vectors, plain.vectors, atol=1e-4)


def test_small_components_need_no_factorisation() -> None:
    split = components.split_components(*copies(path(4), 3), np.repeat(np.arange(3, dtype=np.int32), 4))
    values = [pair[0] for pair in components.solve_tiny(split).values()]
    np.testing.assert_allclose(values, [3 * (2 - 2 * np.cos(np.pi * np.arange(4) / 4))] * 3, atol=1e-12)


def test_wrong_words_and_numbers_are_named() -> None:
    matrix, mass = path(10)
    with pytest.raises(ValueError, match="'magic' is unknown; known are auto, superlu, pardiso"):
        smallest_eigenpairs(matrix, mass, 3, factorisation="magic")
    with pytest.raises(ValueError, match="at least 1"):
        smallest_eigenpairs(matrix, mass, 0)
    with pytest.raises(ValueError, match="positive"):
        smallest_eigenpairs(matrix, 0 * mass, 3)
    with pytest.raises(ValueError, match="does not fit"):
        smallest_eigenpairs(matrix, mass[1:], 3)
    with pytest.raises(TypeError, match="sparse"):
        smallest_eigenpairs(matrix.toarray(), mass, 3)  # type: ignore[arg-type]  # that is the point


def test_missing_library_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("meshtide.spectral.eigensolver.factorisation.installed", lambda package: False)
    with pytest.raises(ImportError, match="needs the package pypardiso"):
        smallest_eigenpairs(*path(10), 3, factorisation="pardiso")
    assert smallest_eigenpairs(*bumpy(3), 10).factorisation == "superlu"
