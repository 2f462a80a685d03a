"""A graph whose nodes have features and, some of them, a class: what a network for graphs learns from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from meshtide.arrays import IntArray
from meshtide.data.nodes.drawing import Rule, Shares
from meshtide.errors import InputError
from meshtide.spectral.edges import largest_component, undirected
from meshtide.words import listed

Features = NDArray[np.float32] | sparse.csr_array[np.float32]
OWN, RANDOM = "own", "random"
MOST_CLASSES = 10_000
_KINDS = ("train", "validation", "test")


@dataclass(frozen=True, eq=False)
class NodeSplit:
    """Nodes to train, to validate and to test on, as numbers; no node is in two of the three."""

    name: str
    train: IntArray
    validation: IntArray
    test: IntArray

    def among(self, nodes: IntArray) -> NodeSplit:
        """The same split of some of the nodes, numbered as they stand there."""
        return NodeSplit(
            self.name, *(np.flatnonzero(np.isin(nodes, part)) for part in (self.train, self.validation, self.test))
        )


@dataclass(frozen=True, eq=False, repr=False)
class NodeTask:
    """A graph, features and a class for its nodes, and the splits of the nodes by what they are for.

    `edges`, (E, 2), are undirected and counted once, however they are given. `features` has a row a node and may be a
    scipy sparse matrix. `labels` are class numbers, -1 for none, or names. `splits` are triples of masks or of node
    numbers, to train, validate and test on. Splits may also be drawn by `rules`, see `split`.

    >>> import meshtide as mt, numpy as np
    >>> ring = [[i, (i + 1) % 10] for i in range(10)]
    >>> task = mt.NodeTask("ring", ring, np.eye(10), ["left"] * 5 + ["right"] * 5)
    >>> task
    NodeTask('ring': 10 nodes, 10 edges, 10 features, 2 classes, 10 labelled; splits random)
    >>> [len(part) for part in (task.split().train, task.split().validation, task.split().test)]
    [6, 2, 2]
    """

    name: str
    edges: IntArray
    features: Features
    labels: IntArray  # (V,), the number of a node's class, -1 for none
    classes: tuple[str, ...] = ()
    splits: tuple[NodeSplit, ...] = ()  # those that came with the graph
    rules: Mapping[str, Rule] = field(default_factory=lambda: {RANDOM: Shares()})
    usual_split: str = ""  # the one that is taken if none is asked for
    usual_features: str | None = None  # how features are usually prepared, a word of `FEATURES`
    node_names: tuple[str, ...] = ()  # what the nodes are called in the files; empty: their numbers
    numbers: IntArray | None = None  # of the nodes in the files, where some were left out

    def __post_init__(self) -> None:
        features = _features(self.features, self.name)
        labels, classes = _labels(self.labels, tuple(self.classes), int(features.shape[0]), self.name)
        splits = tuple(_split(split, number, len(labels), self.name) for number, split in enumerate(self.splits))
        checked = {
            "features": features,
            "edges": undirected(self.edges, len(labels), self.name),
            "labels": labels,
            "classes": classes,
            "splits": splits,
            "usual_split": self.usual_split or (OWN if splits else RANDOM),
        }
        for key, value in checked.items():
            object.__setattr__(self, key, value)
        if self.node_names and len(self.node_names) != len(labels):
            raise InputError(f"{self.name}: {len(self.node_names):,} names for {len(labels):,} nodes")
        if self.usual_split.partition(":")[0] not in self.split_names():
            raise InputError(f"{self.name}: has no splits '{self.usual_split}'; there are {listed(self.split_names())}")

    def __repr__(self) -> str:
        labelled = int((self.labels >= 0).sum())
        return (
            f"NodeTask({self.name!r}: {len(self.labels):,} nodes, {len(self.edges):,} edges, "
            f"{self.features.shape[1]:,} features, {len(self.classes):,} classes, {labelled:,} labelled; splits "
            f"{', '.join(self.split_names())})"
        )

    @property
    def count(self) -> int:
        """The number of nodes."""
        return len(self.labels)

    def split_names(self) -> tuple[str, ...]:
        """The kinds of splits: "own" for those that came with the graph, then those that a rule draws."""
        return (*((OWN,) if self.splits else ()), *self.rules)

    def split_count(self, name: str = "") -> int:
        """How many splits there are of a kind; one if the name says which of them."""
        kind, number = self._parsed(name)
        return 1 if number is not None else self._members(kind)

    def split(self, name: str = "", run: int = 0) -> NodeSplit:
        """The split of a name such as "own:3"; without a number run 0 has the first of its kind, run 1 the next."""
        kind, number = self._parsed(name)
        index = run % self._members(kind) if number is None else number
        if kind == OWN:
            return self.splits[index]
        rule = self.rules[kind]
        try:
            drawn = rule.draw(self.labels, rule.seeds[index])
        except InputError as error:
            raise InputError(f"{self.name}: {error}") from None
        return NodeSplit(f"{kind}:{index}", *drawn)

    def restricted(self, nodes: IntArray) -> NodeTask:
        """The graph of some of the nodes, ascending, and of the edges between them; all classes keep their numbers."""
        place = np.full(self.count, -1)
        place[nodes] = np.arange(len(nodes))
        edges = place[self.edges]
        features: Any = self.features[nodes]
        numbers = nodes if self.numbers is None else self.numbers[nodes]
        return replace(
            self,
            edges=edges[(edges >= 0).all(axis=1)],
            features=features,
            labels=self.labels[nodes],
            splits=tuple(split.among(nodes) for split in self.splits),
            node_names=tuple(self.node_names[node] for node in nodes.tolist()) if self.node_names else (),
            numbers=numbers,
        )

    def largest_component(self) -> NodeTask:
        """The graph of the largest connected component; the same where there is but one."""
        nodes = largest_component(self.edges, self.count)
        return self if len(nodes) == self.count else self.restricted(nodes)

    def name_of(self, node: int) -> str:
        """What a node is called in the graph's files."""
        if self.node_names:
            return self.node_names[node]
        return str(node if self.numbers is None else int(self.numbers[node]))

    def _parsed(self, name: str) -> tuple[str, int | None]:
        kind, colon, digits = (name or self.usual_split).partition(":")
        if kind not in self.split_names():
            raise InputError(
                f"{self.name}: has no splits '{kind}'; there are {listed(self.split_names())}, and "
                f"'{self.split_names()[0]}:0' is the first of its kind"
            )
        if not colon:
            return kind, None
        if not (digits.isascii() and digits.isdigit() and len(digits) < 10 and int(digits) < self._members(kind)):
            raise InputError(f"{self.name}: has no split '{kind}:{digits}'; the last is {self._members(kind) - 1}")
        return kind, int(digits)

    def _members(self, kind: str) -> int:
        return len(self.splits) if kind == OWN else len(self.rules[kind].seeds)


def _features(features: Any, name: str) -> Features:
    """Features as float32, sparse ones by rows; finite, and at least one for every node."""
    values: Any
    if isinstance(features, sparse.sparray | sparse.spmatrix):
        given: Any = features  # scipy's types know no sparse matrix in general
        with np.errstate(over="ignore"):  # what becomes infinite is refused below
            values = sparse.csr_array(given, dtype=np.float32)
        numbers = values.data
    else:
        values = numbers = np.asarray(features)
        if values.dtype.kind not in "iubf":
            raise InputError(f"{name}: features are {values.dtype}; wanted numbers")
        with np.errstate(over="ignore"):
            values = numbers = values.astype(np.float32)
    if values.ndim != 2 or 0 in values.shape:
        raise InputError(f"{name}: features of shape {values.shape}; wanted a row a node and at least one column")
    if not np.isfinite(numbers).all():
        raise InputError(f"{name}: has features that are missing or not finite; fill or leave out those columns")
    checked: Features = values
    return checked


def _labels(labels: ArrayLike, classes: tuple[str, ...], count: int, name: str) -> tuple[IntArray, tuple[str, ...]]:
    """Class numbers and the names of the classes, which labels that are names bring along."""
    values = np.asarray(labels)
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.shape != (count,):
        raise InputError(f"{name}: labels of shape {values.shape} for {count:,} nodes; wanted one a node")
    if values.dtype.kind in "UO":
        return _named_labels(values, classes, name)
    if values.dtype.kind == "f" and (np.abs(values) < 2**53).all() and (values == np.rint(values)).all():
        values = values.astype(np.int64)
    if values.dtype.kind not in "iu":
        raise InputError(f"{name}: labels are {values.dtype}; wanted whole numbers, -1 for none, or names")
    values = np.maximum(values.astype(np.int64), -1)
    most = int(values.max(initial=-1)) + 1
    if most > MOST_CLASSES:
        raise InputError(f"{name}: a label is {most - 1:,}; wanted the numbers of at most {MOST_CLASSES:,} classes")
    if classes and most > len(classes):
        raise InputError(f"{name}: a label is {most - 1:,} and {len(classes):,} classes are named")
    return values, _checked_classes(classes or tuple(f"class {number}" for number in range(most)), name)


def _named_labels(values: NDArray[Any], classes: tuple[str, ...], name: str) -> tuple[IntArray, tuple[str, ...]]:
    words = [str(word).strip() for word in values.tolist()]
    found = classes or tuple(sorted(set(words) - {""}))
    place = {word: number for number, word in enumerate(found)} | {"": -1}
    unknown = sorted(set(words) - set(place))
    if unknown:
        raise InputError(f"{name}: has the labels {listed(unknown, 5)}; its classes are {listed(found, 10)}")
    return np.array([place[word] for word in words], dtype=np.int64), _checked_classes(found, name)


def _checked_classes(classes: tuple[str, ...], name: str) -> tuple[str, ...]:
    if len(classes) > MOST_CLASSES:
        raise InputError(f"{name}: {len(classes):,} classes; {MOST_CLASSES:,} are the most. Are the labels numbers?")
    if len(set(classes)) < len(classes):
        raise InputError(f"{name}: two classes have the same name")
    return classes


def _split(split: NodeSplit | Sequence[ArrayLike], number: int, count: int, name: str) -> NodeSplit:
    """A split as node numbers, with no node in two of its three parts."""
    called = split.name if isinstance(split, NodeSplit) else f"{OWN}:{number}"
    parts = (split.train, split.validation, split.test) if isinstance(split, NodeSplit) else tuple(split)
    if len(parts) != len(_KINDS):
        raise InputError(f"{name}: the split '{called}' has {len(parts)} parts; wanted three, {', '.join(_KINDS)}")
    nodes = [_nodes(part, kind, called, count, name) for part, kind in zip(parts, _KINDS, strict=True)]
    times = np.bincount(np.concatenate(nodes), minlength=count)
    if times.max(initial=0) > 1:
        raise InputError(
            f"{name}: in the split '{called}' node {int(times.argmax()):,} is for two purposes; a node has one of "
            f"{', '.join(_KINDS)}"
        )
    return NodeSplit(called, *nodes)


def _nodes(part: ArrayLike, kind: str, called: str, count: int, name: str) -> IntArray:
    values = np.asarray(part)
    if values.dtype.kind == "b":
        if values.shape != (count,):
            raise InputError(f"{name}: the {kind} mask of '{called}' has shape {values.shape} for {count:,} nodes")
        return np.flatnonzero(values)
    if values.size and (values.ndim != 1 or values.dtype.kind not in "iu"):
        raise InputError(f"{name}: the {kind} nodes of '{called}' are {values.dtype} of shape {values.shape}")
    if values.size and not (values.min() >= 0 and values.max() < count):
        raise InputError(f"{name}: the split '{called}' names a {kind} node that is not among the {count:,}")
    return np.unique(values.astype(np.int64))
