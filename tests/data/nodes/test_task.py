"""Node tasks: what is given is checked once, and splits are what their rules say."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from meshtide.data.nodes.drawing import PerClass, Shares
from meshtide.data.nodes.features import prepared_features, usual_features
from meshtide.data.nodes.task import NodeTask
from meshtide.errors import InputError

RING = [[i, (i + 1) % 12] for i in range(12)]
LABELS = [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, -1]


def ring(**more) -> NodeTask:
    return NodeTask(**{"name": "ring", "edges": RING, "features": np.eye(12), "labels": LABELS} | more)


def test_labels_may_be_names_and_classes_are_named() -> None:
    task = ring(labels=["b", "a", ""] * 4)
    assert task.classes == ("a", "b")
    assert task.labels.tolist() == [1, 0, -1] * 4
    assert ring().classes == ("class 0", "class 1", "class 2")
    assert ring(classes=("x", "y", "z")).classes == ("x", "y", "z")


def test_own_splits_are_masks_or_numbers() -> None:
    masks = [np.isin(np.arange(12), part) for part in ([0, 4, 8], [1, 5], [2, 6])]
    task = ring(splits=[masks, ([1], [2, 2], [3])])
    assert task.split_names() == ("own", "random")
    assert task.split_count() == 2
    assert task.split("own:0").train.tolist() == [0, 4, 8]
    assert task.split(run=3).train.tolist() == [1]  # the runs take turns
    assert task.split("own:1").validation.tolist() == [2]
    assert task.split("own:1").name == "own:1"


def test_the_largest_component_keeps_labels_splits_and_what_nodes_are_called() -> None:
    edges = [[0, 1], [2, 3], [3, 4], [4, 5]]
    names = tuple("abcdef")
    task = NodeTask(
        "two", edges, sparse.eye_array(6), [0, 1, 0, 1, 0, 1], splits=[([0, 2], [3], [5])], node_names=names
    )
    large = task.largest_component()
    assert large.edges.tolist() == [[0, 1], [1, 2], [2, 3]]
    assert large.labels.tolist() == [0, 1, 0, 1]
    assert [large.name_of(node) for node in range(4)] == ["c", "d", "e", "f"]
    split = large.split("own:0")
    assert (split.train.tolist(), split.validation.tolist(), split.test.tolist()) == ([0], [1], [3])
    assert large.numbers is not None
    np.testing.assert_array_equal(large.features.toarray(), np.eye(6)[large.numbers])
    assert large.largest_component() is large


@given(
    st.lists(st.integers(-1, 4), min_size=30, max_size=120).filter(lambda values: max(values) > 0),
    st.integers(0, 2**32 - 1),
    st.booleans(),
)
def test_a_drawn_split_shares_no_node_and_covers_all_labelled(labels: list[int], seed: int, replacement: bool) -> None:
    values = np.array(labels)
    labelled = np.flatnonzero(values >= 0)
    rules = [Shares(0.5, 0.25)]
    if len(labelled) > 12:
        rules.append(PerClass(3, 12, replacement))
    for rule in rules:
        parts = rule.draw(values, seed)
        assert sorted(np.concatenate(parts).tolist()) == labelled.tolist()
        again = rule.draw(values, seed)
        assert all((one == other).all() for one, other in zip(parts, again, strict=True))
        assert np.bincount(values[parts[0]]).max() <= (
            3 if isinstance(rule, PerClass) else np.bincount(values[labelled]).max()
        )


def test_the_published_split_is_drawn_as_its_code_draws_it() -> None:
    labels = np.random.default_rng(0).integers(0, 5, 2000)
    train, validation, test = PerClass(20, 1500, replacement=True, seeds=(12345,)).draw(labels, 12345)
    first = np.random.RandomState(12345)
    development = first.choice(2000, 1500, replace=False)
    second = np.random.RandomState(12345)
    wanted = set()
    for number in range(5):
        wanted |= set(second.choice([node for node in development if labels[node] == number], 20).tolist())
    assert set(train.tolist()) == wanted
    assert len(train) + len(validation) == 1500
    assert set(test.tolist()) == set(range(2000)) - set(development.tolist())


def test_rows_are_normalised_alike_in_both_forms() -> None:
    values = np.abs(np.random.default_rng(0).normal(size=(5, 7))).astype(np.float32)
    values[2] = 0
    dense = prepared_features(values, "row-normalised")
    other = prepared_features(sparse.csr_array(values), "row-normalised")
    np.testing.assert_allclose(dense, other.toarray(), rtol=1e-6)
    np.testing.assert_allclose(dense.sum(axis=1), [1, 1, 0, 1, 1], rtol=1e-6)
    with pytest.raises(InputError, match="features below 0"):
        prepared_features(-values, "row-normalised")


def test_counts_are_normalised_by_rows_and_measurements_by_columns() -> None:
    assert usual_features(ring()) == "row-normalised"
    assert usual_features(ring(features=np.ones((12, 3)))) == "standardised"
    assert usual_features(ring(features=-np.eye(12))) == "standardised"
    assert usual_features(ring(usual_features="given")) == "given"


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"labels": [0] * 11}, r"labels of shape \(11,\) for 12 nodes"),
        ({"labels": [0.5] * 12}, "wanted whole numbers"),
        ({"labels": [10**9] * 12}, "at most 10,000 classes"),
        ({"classes": ("a", "b")}, "a label is 2 and 2 classes are named"),
        ({"classes": ("a", "b", "a")}, "same name"),
        ({"labels": ["x"] * 12, "classes": ("a",)}, "'x'; its classes are 'a'"),
        ({"edges": [[0, 12]]}, "an edge names node 12"),
        ({"features": np.full((12, 2), np.inf)}, "not finite"),
        ({"features": np.full((12, 2), "a")}, "wanted numbers"),
        ({"features": np.zeros((12, 0))}, "at least one column"),
        ({"splits": [([0], [0], [1])]}, "node 0 is for two purposes"),
        ({"splits": [([0], [1])]}, "has 2 parts; wanted three"),
        ({"splits": [([0], [1], [12])]}, "not among the 12"),
        ({"splits": [(np.ones(5, bool), [1], [2])]}, r"shape \(5,\) for 12 nodes"),
        ({"node_names": ("a",)}, "1 names for 12 nodes"),
        ({"usual_split": "paper"}, "has no splits 'paper'"),
    ],
)
def test_what_is_no_task_gets_a_sentence(change, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        ring(**change)


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("own", "has no splits 'own'"),
        ("random:10", "the last is 9"),
        ("random:-1", "no split"),
        ("random:x", "no split"),
    ],
)
def test_a_split_that_is_not_there_gets_a_sentence(name: str, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        ring().split(name)


def test_too_few_nodes_to_develop_with() -> None:
    with pytest.raises(InputError, match="ring: 11 labelled nodes are too few"):
        ring(rules={"paper": PerClass()}, usual_split="paper").split()
