"""Scores: how much of a set of shapes a network labels as the truth does.

Truth that is -1 is never scored, neither as right nor as wrong. Counts are of vertices unless another element is named.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from meshtide.arrays import IntArray, Probabilities
from meshtide.errors import InputError
from meshtide.inference.predict import face_probabilities, vertex_probabilities
from meshtide.labels.labels import Element, Labels, Vocabulary, check_element
from meshtide.mesh.measure import relative_areas
from meshtide.mesh.mesh import Mesh
from meshtide.words import listed

METRICS = ("vertex_accuracy", "face_accuracy", "area_accuracy", "mean_iou")


@dataclass(frozen=True, eq=False)
class ShapeScore:
    """How well one shape is labelled.

    `vertex_accuracy` and `face_accuracy` are the fractions of scored vertices and faces that have the true part,
    `area_accuracy` that of the scored faces' area. `mean_iou` is the mean, over the parts that the shape's truth has,
    of intersection over union, counted in vertices. All are nan where no face with area is scored.
    """

    name: str
    vertex_accuracy: float
    face_accuracy: float
    area_accuracy: float
    mean_iou: float
    confusion: IntArray  # (P, P) vertices: row the true part, column the predicted one

    @property
    def is_scored(self) -> bool:
        """Whether there was anything to score."""
        return not np.isnan(self.area_accuracy)

    def to_json(self) -> dict[str, Any]:
        """The name and the four metrics."""
        return {"name": self.name} | {metric: getattr(self, metric) for metric in METRICS}

    def to_entry(self) -> dict[str, Any]:
        """All of it in what JSON can hold."""
        return self.to_json() | {"confusion": self.confusion.tolist()}

    @staticmethod
    def from_entry(entry: dict[str, Any]) -> ShapeScore:
        """What `to_entry` gave, to the last digit."""
        return ShapeScore(**{**entry, "confusion": np.asarray(entry["confusion"], dtype=np.int64)})


@dataclass(frozen=True)
class PartScore:
    """How well one part is found in all shapes together; without a vertex of it in the truth both are None."""

    iou: float | None  # true and predicted / true or predicted
    accuracy: float | None  # the fraction of the part's vertices that are predicted as such (its recall)
    count: int  # the vertices that truly are of this part

    def to_json(self) -> dict[str, Any]:
        """The three numbers."""
        return {"iou": self.iou, "accuracy": self.accuracy, "count": self.count}


@dataclass(frozen=True, eq=False, repr=False)
class Score:
    """How well a set of shapes is labelled.

    The three accuracies are means over shapes: every shape counts the same, however finely it is meshed. `mean_iou` is
    of the whole set: each part's intersection over union from the confusion of all shapes' vertices together, then the
    mean over the parts that occur in the truth. A part that is only ever predicted is not one of them, though
    predicting it takes from those that are. `shape_mean_iou` is the mean over shapes of each shape's own mean IoU.

    >>> import meshtide as mt
    >>> from pathlib import Path
    >>> Path("hands").mkdir()
    >>> mesh, labels = mt.make_figure("hand", 1)
    >>> mt.save_mesh(mesh, "hands/hand.ply")
    >>> mt.write_labels(labels, "hands/hand.txt", mesh)
    >>> mt.evaluate("default", "hands")  # doctest: +ELLIPSIS
    Score(vertex accuracy 9...%, ... mean iou ...%; 1 shapes, 18 parts)
    """

    vertex_accuracy: float
    face_accuracy: float
    area_accuracy: float
    mean_iou: float
    shape_mean_iou: float
    parts: dict[str, PartScore]
    shapes: tuple[ShapeScore, ...]  # those that were scored
    confusion: IntArray  # (P, P) vertices of all shapes: row the true part, column the predicted one
    notes: tuple[str, ...] = ()  # what was left out, for people to read
    split: str | None = None  # of the collection that was scored, where there is one
    vocabulary: str | None = None  # the name of the one whose parts were scored

    def __repr__(self) -> str:
        metrics = ", ".join(f"{metric.replace('_', ' ')} {getattr(self, metric):.2%}" for metric in METRICS)
        return f"Score({metrics}; {len(self.shapes):,} shapes, {len(self.parts):,} parts)"

    @property
    def metrics(self) -> dict[str, float]:
        """The metrics by their names, the one that counts most first."""
        return {metric: getattr(self, metric) for metric in METRICS}

    def to_json(self) -> dict[str, Any]:
        """All metrics as fractions, in what JSON can hold."""
        metrics: dict[str, Any] = {**self.metrics, "shape_mean_iou": self.shape_mean_iou}
        return metrics | {
            "parts": {name: part.to_json() for name, part in self.parts.items()},
            "shapes": [shape.to_json() for shape in self.shapes],
            "confusion": self.confusion.tolist(),
            "notes": list(self.notes),
        }


def score_shape(
    name: str,
    probabilities: Probabilities,
    labels: Labels,
    mesh: Mesh,
    *,
    parts: Sequence[str] | None = None,
    on: Element = "vertices",
) -> ShapeScore:
    """Compare predicted probabilities, (V, P) or with `on="faces"` (F, P), with a shape's true labels.

    Truth on vertices is carried to the faces by `Labels.to_faces`, truth on faces to the vertices by
    `Labels.to_vertices`. `parts` names the columns; without it they are those of `labels`. The truth may have fewer
    parts, or the same ones in another order.
    """
    parts = tuple(labels.names if parts is None else parts)
    _check_probabilities(probabilities, mesh, parts, on)
    truth = labels.mapped(Vocabulary.of("of the model", parts))
    on_vertices, on_faces = vertex_probabilities(probabilities, mesh, on), face_probabilities(probabilities, mesh, on)
    confusion = _confusion(truth.to_vertices(mesh).values, on_vertices.argmax(axis=1), len(parts))
    face_truth = truth.to_faces(mesh).values
    scored = face_truth >= 0
    right = (on_faces.argmax(axis=1) == face_truth)[scored]
    area = relative_areas(mesh)[scored]
    if not area.sum() > 0:
        return ShapeScore(name, np.nan, np.nan, np.nan, np.nan, np.zeros_like(confusion))
    return ShapeScore(
        name=name,
        vertex_accuracy=float(np.trace(confusion) / confusion.sum()),
        face_accuracy=float(right.mean()),
        area_accuracy=float(area[right].sum() / area.sum()),
        mean_iou=_mean_iou(confusion),
        confusion=confusion,
    )


def combine(shape_scores: Iterable[ShapeScore], parts: Sequence[str]) -> Score:
    """The score of a set of shapes; a shape without any scored element is left out, and a note says so."""
    every = tuple(shape_scores)
    shapes = tuple(shape for shape in every if shape.is_scored)
    idle = [shape.name for shape in every if not shape.is_scored]
    if not shapes:
        raise InputError(f"none of {len(every):,} shapes has a label that is scored; are these the right parts?")
    for shape in shapes:
        if shape.confusion.shape != (len(parts), len(parts)):
            raise InputError(f"{shape.name}: was scored in {len(shape.confusion):,} parts and not in {len(parts):,}")
    confusion = np.sum([shape.confusion for shape in shapes], axis=0)
    means = {metric: float(np.mean([getattr(shape, metric) for shape in shapes])) for metric in METRICS}
    return Score(
        vertex_accuracy=means["vertex_accuracy"],
        face_accuracy=means["face_accuracy"],
        area_accuracy=means["area_accuracy"],
        mean_iou=_mean_iou(confusion),
        shape_mean_iou=means["mean_iou"],
        parts=dict(zip(parts, _part_scores(confusion), strict=True)),
        shapes=shapes,
        confusion=confusion,
        notes=(f"left out, as nothing on them is scored: {listed(idle)}",) if idle else (),
    )


def summarise(scores: Sequence[Any]) -> dict[str, dict[str, float]]:
    """Mean and standard deviation (of a sample, so 0 for one score) of every metric over several seeds.

    A score is whatever has `metrics`: a `Score`, a `NodeScore`, or a `Result` of a comparison.
    """
    if not scores:
        raise InputError("no scores to summarise; give at least one")
    summary = {}
    for metric in scores[0].metrics:
        values = np.array([score.metrics[metric] for score in scores])
        spread = float(values.std(ddof=1)) if len(values) > 1 else 0.0
        summary[metric] = {"mean": float(values.mean()), "standard_deviation": spread}
    return summary


def _check_probabilities(probabilities: Probabilities, mesh: Mesh, parts: tuple[str, ...], on: Element) -> None:
    check_element(on)
    wanted = (len(mesh.vertices) if on == "vertices" else len(mesh.faces), len(parts))
    if probabilities.shape != wanted:
        raise InputError(
            f"{mesh.name}: probabilities {probabilities.shape} for {wanted[0]:,} {on} and {wanted[1]:,} parts; "
            "were they predicted for another mesh, or by a network of other parts?"
        )


def _confusion(truth: IntArray, prediction: IntArray, parts: int) -> IntArray:
    scored = truth >= 0
    pairs = truth[scored] * parts + prediction[scored]
    return np.bincount(pairs, minlength=parts * parts).reshape(parts, parts)


def _mean_iou(confusion: IntArray) -> float:
    """The mean over the parts that occur in the truth."""
    ious = [part.iou for part in _part_scores(confusion) if part.iou is not None]
    return float(np.mean(ious))


def _part_scores(confusion: IntArray) -> list[PartScore]:
    both, true, predicted = np.diagonal(confusion), confusion.sum(axis=1), confusion.sum(axis=0)
    return [
        PartScore(int(hit) / int(t + p - hit), int(hit) / int(t), int(t)) if t else PartScore(None, None, 0)
        for hit, t, p in zip(both, true, predicted, strict=True)
    ]
