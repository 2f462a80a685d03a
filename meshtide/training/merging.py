"""One score out of the manifests of an evaluation's shards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from meshtide.errors import InputError
from meshtide.training.scores import Score, ShapeScore, combine


def merged_score(lines: Sequence[dict[str, Any]]) -> tuple[Score, dict[str, Any]]:
    """The score of all shapes that lines of manifests tell of, and what the evaluation was."""
    done = [line for line in lines if line["outcome"] == "done"]
    if any("score" not in line["entry"] for line in done):
        raise InputError("some of these manifests are of `evaluate` and some are not; merge those of one command")
    if len({line["options"] for line in lines}) > 1:
        raise InputError(
            "these manifests are of evaluations with other models or parts, and there is no common score; merge those "
            "of one evaluation"
        )
    try:
        about = dict(done[0]["entry"]["evaluation"])
        shapes = [ShapeScore.from_entry(line["entry"]["score"]) for line in done]
        return of_evaluation(combine(shapes, about["parts"]), about), about
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise InputError("one of these manifests is damaged: a score in it is not complete; evaluate anew") from error


def of_evaluation(score: Score, about: Mapping[str, Any]) -> Score:
    """A score with what its evaluation was: the split, the vocabulary, and what was left out."""
    notes = (*score.notes, *about["notes"])
    return replace(score, split=about["split"], vocabulary=about["vocabulary"], notes=notes)
