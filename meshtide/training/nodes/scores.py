"""Scores of nodes: how many have the class that the network says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from meshtide.arrays import IntArray, Probabilities
from meshtide.errors import InputError

NODE_METRICS = ("accuracy", "class_accuracy", "macro_f1")


@dataclass(frozen=True)
class ClassScore:
    """How well one class is found; what nothing can be said of is None."""

    accuracy: float | None  # the fraction of the class's nodes that are predicted as such (its recall)
    precision: float | None  # the fraction of the nodes predicted as such that are of the class
    f1: float | None
    count: int  # the scored nodes that truly are of this class

    def to_json(self) -> dict[str, Any]:
        """The four numbers."""
        return {"accuracy": self.accuracy, "precision": self.precision, "f1": self.f1, "count": self.count}


@dataclass(frozen=True, eq=False, repr=False)
class NodeScore:
    """How well the nodes of a graph are classified; nodes without a class are never scored.

    `accuracy` is the fraction of scored nodes that have the true class, `class_accuracy` the mean of that over the
    classes that occur, and `macro_f1` the mean of their F1.
    """

    accuracy: float
    class_accuracy: float
    macro_f1: float
    classes: dict[str, ClassScore]
    confusion: IntArray  # (C, C) nodes: row the true class, column the predicted one
    split: str = ""  # which nodes these were

    def __repr__(self) -> str:
        return f"NodeScore(accuracy {self.accuracy:.2%} of {self.count:,} nodes, {len(self.classes)} classes)"

    @property
    def count(self) -> int:
        """The number of nodes that were scored."""
        return int(self.confusion.sum())

    @property
    def metrics(self) -> dict[str, float]:
        """The metrics by their names, the one that counts most first."""
        return {name: getattr(self, name) for name in NODE_METRICS}

    def to_json(self) -> dict[str, Any]:
        """Everything in what JSON can hold."""
        return {
            **self.metrics,
            "nodes": self.count,
            "classes": {name: score.to_json() for name, score in self.classes.items()},
            "confusion": self.confusion.tolist(),
        }


def score_nodes(truth: IntArray, probabilities: Probabilities, classes: tuple[str, ...], split: str = "") -> NodeScore:
    """The score of probabilities, (V, C), against class numbers, -1 for nodes that are not scored."""
    scored = np.flatnonzero(truth >= 0)
    if not len(scored):
        raise InputError("no node has a class to score against")
    pairs = truth[scored] * len(classes) + probabilities[scored].argmax(axis=1)
    confusion = np.bincount(pairs, minlength=len(classes) ** 2).reshape(len(classes), len(classes))
    found = [_class_score(confusion, number) for number in range(len(classes))]
    there = [score for score in found if score.count]
    return NodeScore(
        float(np.trace(confusion) / len(scored)),
        float(np.mean([score.accuracy for score in there])),
        float(np.mean([score.f1 for score in there])),
        dict(zip(classes, found, strict=True)),
        confusion,
        split,
    )


def _class_score(confusion: IntArray, number: int) -> ClassScore:
    hit, true, predicted = int(confusion[number, number]), int(confusion[number].sum()), int(confusion[:, number].sum())
    return ClassScore(
        hit / true if true else None,
        hit / predicted if predicted else None,
        2 * hit / (true + predicted) if true else None,
        true,
    )
