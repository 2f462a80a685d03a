"""The score of one shape of many, by a model and in parts that are the same for all."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from meshtide.data.collection import Collection
from meshtide.data.finding import Shape
from meshtide.inference.evidence import supported, supported_own
from meshtide.inference.kinds import answer, grouped
from meshtide.inference.model import Model, default_model
from meshtide.inference.predict import vertex_probabilities
from meshtide.inference.recognise import recognise
from meshtide.inference.refine import with_refined_borders
from meshtide.labels.labels import Vocabulary
from meshtide.many.entries import is_number
from meshtide.many.manifest import digest_of, fingerprint
from meshtide.many.tasks import Entry, Task, failed_entry
from meshtide.networks.registry import needs
from meshtide.spectral.cache import Cache
from meshtide.training.examples import load_shapes
from meshtide.training.scores import METRICS, ShapeScore, score_shape


@dataclass(frozen=True)
class ShapeTask(Task):
    """One shape to score, and what a report says of the evaluation that it is in."""

    shape: Shape = field(kw_only=True)
    about: dict[str, Any] = field(default_factory=dict, kw_only=True)


@dataclass(frozen=True, eq=False)
class Scoring:
    """How every shape is scored; without a model by the one that ships, which every process has."""

    model: Model | None
    collection: Collection  # without its shapes
    joined: Vocabulary  # how the model's parts become those that are scored
    kind: str | None
    refine: bool
    device: str
    cache: Cache | None
    digests: bool = False
    tolerant: bool = False  # what goes wrong with one shape costs that shape alone

    @property
    def parts(self) -> tuple[str, ...]:
        """The parts that are scored, in the order of the model's."""
        model = self.model or default_model()
        return grouped(np.zeros((0, len(model.about.parts)), np.float32), model.about.parts, self.joined)[1]

    def fingerprint(self) -> str:
        """What a manifest knows of it: everything that shapes a score."""
        about = None if self.model is None else self.model.about.to_json()
        vocabulary = self.collection.vocabulary
        known = {"parts": {**vocabulary.parts}, "unscored": vocabulary.unscored, "joined": {**self.joined.parts}}
        return fingerprint({"score": about, **known, "kind": self.kind, "refine": self.refine})


def score_task(task: ShapeTask, how: Scoring) -> tuple[Entry, str]:
    """Score one shape; its entry in a report, and the digest of its files if that is wanted."""
    started = time.perf_counter()
    digest = ""
    try:
        digest = _digest(task.shape) if how.digests else ""
        before = task.done_before(digest, partial(_is_score, parts=len(how.parts))) if digest else None
        return before or _entry(task, how, started), digest
    except Exception as error:  # whatever one shape does costs that shape alone
        if not how.tolerant:
            raise
        return failed_entry(task, error), digest


def _is_score(entry: Entry, parts: int) -> bool:
    try:
        score = ShapeScore.from_entry(entry["score"])
        return score.confusion.shape == (parts, parts) and all(map(is_number, (getattr(score, m) for m in METRICS)))
    except (KeyError, TypeError, ValueError, OverflowError, AttributeError):
        return False


def _entry(task: ShapeTask, how: Scoring, started: float) -> Entry:
    score = scored_shape(task.shape, how)
    about = (how.model or default_model()).about
    more = {"network": about.network, "operator": about.recipe.operator, "seed": about.trained_on.get("seed")}
    return {
        "file": str(task.source),
        "score": score.to_entry(),
        "evaluation": {**task.about, **more, "parts": list(how.parts)},
        "seconds": round(time.perf_counter() - started, 3),
    }


def scored_shape(shape: Shape, how: Scoring) -> ShapeScore:
    """Load a shape, answer as `segment` does, and compare that with its labels."""
    model = how.model or default_model()
    about, kind = model.about, how.kind
    (loaded,) = load_shapes(
        how.collection, [shape], about.mesh_recipe, how.cache, needs(about.network, about.options)
    )  # fmt: skip
    model.network.to(how.device)
    # As `segment` does with the model that ships; but shapes that it would leave unnamed are scored all the same.
    seen = recognise(loaded.mesh) if model is default_model() and kind is None else None
    said = answer(model, loaded.example.graph.to(how.device), kind, None if seen is None else seen.shares)
    found = vertex_probabilities(said.probabilities, loaded.mesh, about.on)
    if model is default_model():
        found = supported(found.astype(np.float32), loaded.mesh, said.kind, seen)
    elif how.refine:
        found = supported_own(found.astype(np.float32), loaded.mesh, about)
    if how.refine:
        found = with_refined_borders(loaded.mesh, found)
    probabilities, parts = grouped(found, about.parts, how.joined)
    return score_shape(shape.name, probabilities, loaded.labels, loaded.mesh, parts=parts)


def _digest(shape: Shape) -> str:
    """That of the mesh and of its labels; none where they are generated and were not yet."""
    if shape.digest is not None:
        return shape.digest
    files = [path for path in (shape.mesh_path, shape.label_path) if path is not None]
    return "-".join(map(digest_of, files)) if all(path.is_file() for path in files) else ""
