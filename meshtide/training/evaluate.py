"""Score a trained model on a labelled source, in a vocabulary that both have."""

from __future__ import annotations

from pathlib import Path

from meshtide.data.collection import open_collection
from meshtide.errors import InputError
from meshtide.inference.kinds import answer, grouped
from meshtide.inference.model import About, Model
from meshtide.labels.labels import Vocabulary
from meshtide.networks.registry import needs
from meshtide.spectral.cache import Cache
from meshtide.training.examples import load_shapes
from meshtide.training.experiment import Progress
from meshtide.training.scores import Score, combine, score_shape


def evaluate_model(
    model: Model,
    source: str,
    *,
    split: str | None,
    vocabulary: str | None,
    data: Path | None,
    cache: Cache | None,
    kind: str | None = None,
    device: str = "cpu",
    progress: Progress = lambda *_: lambda: None,
) -> tuple[Score, str, str]:
    """Score a model on a source; returns the score, the split and the vocabulary that were used.

    A model of several kinds is scored with the kind it takes each shape for, or with the `kind` that is given.
    """
    about = model.about
    collection = open_collection(source, data=data, vocabulary=vocabulary)
    if vocabulary is None and _joined(about, collection.vocabulary) is None:
        # The model's own vocabulary by its parts, whatever the source calls it; of several the one with most parts.
        fitting = [known for known in collection.vocabularies.values() if set(known.names) <= set(about.parts)]
        if fitting:
            best = max(fitting, key=lambda known: len(known.names))
            collection = open_collection(source, data=data, vocabulary=best.name)
    joined = _joined(about, collection.vocabulary)
    if joined is None:
        raise InputError(
            f"{collection.name}: its parts ({', '.join(collection.parts)}) are not the model's "
            f"({', '.join(about.parts)}); choose a vocabulary that has these with --parts"
        )
    chosen = split or ("test" if "test" in collection.splits else "all")
    shapes = [shape for shape in collection.split(chosen) if shape.label_path is not None]
    if not shapes:
        raise InputError(f"{collection.name}: no shape of the split '{chosen}' has labels to score against")
    extras = needs(about.network, about.options)
    count = progress("evaluating", len(shapes))
    model.network.to(device)
    scores = []
    for shape in shapes:  # one at a time: a collection need not fit into memory
        (loaded,) = load_shapes(collection, [shape], about.recipe, cache, extras)
        found = answer(model, loaded.example.graph.to(device), kind).probabilities
        probabilities, parts = grouped(found, about.parts, joined)
        scores.append(score_shape(shape.name, probabilities, loaded.labels, loaded.mesh, parts=parts))
        count()
    return combine(scores, parts), chosen, collection.vocabulary.name


def _joined(about: About, vocabulary: Vocabulary) -> Vocabulary | None:
    """How a model's parts become those of a vocabulary: as they are, by joining them, or not at all (None)."""
    if set(vocabulary.names) <= set(about.parts):
        return Vocabulary.of(vocabulary.name, about.parts)
    own = about.vocabulary(vocabulary.name)
    return own if own is not None and set(own.names) == set(vocabulary.names) else None
