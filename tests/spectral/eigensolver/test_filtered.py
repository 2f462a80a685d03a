"""Graphs that are no meshes: eigenpairs by products alone are those of LAPACK, and what is missing is noticed."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sparse
from numpy.typing import NDArray

from meshtide.spectral import eigensolver
from meshtide.spectral.eigensolver import filtered, smallest_eigenpairs
from meshtide.spectral.eigensolver.shiftinvert import UncertifiedError
from meshtide.spectral.spectrum import eigenbasis_of, graph_operator

NODES, COUNT = 700, 40


def edges(kind: str) -> NDArray[np.int64]:
    """A connected graph with hubs, one whose two halves have no edge inside, or one with many twin leaves."""
    random = np.random.default_rng(0)
    ring = np.stack([np.arange(NODES), (np.arange(NODES) + 1) % NODES], axis=1)
    if kind == "hubs":
        more = np.stack([random.integers(0, NODES, 4000), (random.random(4000) ** 3 * NODES).astype(int)], axis=1)
    elif kind == "bipartite":
        more = 2 * random.integers(0, NODES // 2, (3000, 2)) + [0, 1]
    else:  # ten stars, whose leaves are alike: eigenvalues repeated many times
        return np.array([[0, 10 * (i % 10)] for i in range(1, 10)] + [[i % 10, i] for i in range(10, NODES)])
    pairs = np.sort(np.concatenate([ring, more]), axis=1)
    pairs = np.unique(pairs[pairs[:, 0] < pairs[:, 1]], axis=0)
    return np.asarray(pairs)


def laplacian(pairs: NDArray[np.int64], count: int = NODES) -> sparse.csc_array:
    return sparse.csc_array(sparse.eye_array(count) - graph_operator(pairs, count).matrix)


@pytest.mark.parametrize("kind", ["hubs", "bipartite"])
def test_agrees_with_dense_lapack(kind: str) -> None:
    matrix = laplacian(edges(kind))
    found = filtered.solve_filtered(matrix, COUNT)
    expected = np.linalg.eigvalsh(matrix.toarray())[:COUNT]
    np.testing.assert_allclose(found.values, expected, atol=1e-9)
    np.testing.assert_allclose(matrix @ found.vectors, found.vectors * found.values, atol=1e-6)
    np.testing.assert_allclose(found.vectors.T @ found.vectors, np.eye(COUNT), atol=1e-10)


@pytest.mark.parametrize("kind", ["hubs", "bipartite", "stars"])
def test_the_way_by_products_gives_what_factors_give(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(eigensolver, "FACTORISED", 500)
    matrix = laplacian(edges(kind))
    tangled, factorised = (smallest_eigenpairs(matrix, np.ones(NODES), COUNT, tangled=each) for each in (True, False))
    np.testing.assert_allclose(tangled.values, factorised.values, atol=1e-9)
    again = smallest_eigenpairs(matrix, np.ones(NODES), COUNT, tangled=True)
    np.testing.assert_array_equal(again.vectors, tangled.vectors)
    if kind != "stars":  # there the search may ask for factors
        assert (tangled.factorisation, factorised.factorisation) == ("none", factorised.factorisation)


def test_what_was_missed_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    matrix = laplacian(edges("hubs"))
    found = filtered.solve_filtered(matrix, COUNT)
    rows = sparse.csr_array(sparse.eye_array(NODES) - matrix)
    operator = filtered.Filter(rows, filtered._cut(rows, COUNT), filtered.DEGREE)
    filtered._look_for_more(operator, matrix, found.values, found.vectors)
    for missing in (0, 1, 5, 20):
        kept = np.delete(np.arange(COUNT), missing)
        with pytest.raises(UncertifiedError, match="was missed"):
            filtered._look_for_more(operator, matrix, found.values[kept], found.vectors[:, kept])


def test_where_products_do_not_do_factors_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(eigensolver, "FACTORISED", 500)

    def never(*_: object) -> None:
        raise UncertifiedError("never converges")

    monkeypatch.setattr(filtered, "solve_filtered", never)
    pairs = smallest_eigenpairs(laplacian(edges("hubs")), np.ones(NODES), COUNT, tangled=True)
    assert pairs.factorisation in ("superlu", "pardiso")


def test_components_and_lone_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(eigensolver, "FACTORISED", 500)
    one = edges("hubs")
    both = np.concatenate([one, one + NODES])
    basis = eigenbasis_of(graph_operator(both, 2 * NODES + 3), 30, tangled=True)
    single = eigenbasis_of(graph_operator(one, NODES), 15, tangled=True)
    np.testing.assert_allclose(basis.values, np.repeat(single.values, 2), atol=1e-9)
    assert (basis.vectors[-3:] == 0).all()
