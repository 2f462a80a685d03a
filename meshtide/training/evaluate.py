"""Score a trained model on a labelled source, in a vocabulary that both have."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from meshtide.data.collection import open_collection
from meshtide.errors import InputError
from meshtide.inference.kinds import answer, grouped
from meshtide.inference.model import About, Model, default_model, load_model
from meshtide.inference.recognise import recognise
from meshtide.labels.labels import Vocabulary
from meshtide.networks.device import choose_device
from meshtide.networks.registry import needs
from meshtide.spectral.cache import Cache
from meshtide.training.examples import load_shapes
from meshtide.training.scores import Score, combine, score_shape
from meshtide.training.sources import Progress, no_progress


def evaluate(
    model: Model | str | Path,
    source: str | Path,
    *,
    split: str | None = None,
    vocabulary: str | None = None,
    kind: str | None = None,
    device: str = "auto",
    data: str | Path | None = None,
    cache: Cache | None = None,
    progress: Progress = no_progress,
) -> Score:
    """Score a model, or the one in a file, on labelled shapes; "default" is the model that ships.

    Without a `split` the source's test shapes are scored, or all where it has no such; without a `vocabulary` in parts
    that both have. The score says which split and vocabulary these were. A model of several kinds is scored with the
    kind it takes each shape for, or with the `kind` that is given.

    >>> import tempfile
    >>> import meshtide as mt
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     mesh, labels = mt.make_figure("hand", 1)
    ...     mt.save_mesh(mesh, f"{folder}/hand.ply")
    ...     mt.write_labels(labels, f"{folder}/hand.txt", mesh)
    ...     score = mt.evaluate("default", folder)
    >>> score.vertex_accuracy > 0.9, score.split, score.vocabulary
    (True, 'all', 'own')
    """
    if not isinstance(model, Model):
        model = load_model(model)
    place = choose_device(device)
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
            f"({', '.join(about.parts)}); choose one of its vocabularies that has these with `vocabulary`"
        )
    chosen = split or ("test" if "test" in collection.splits else "all")
    shapes = [shape for shape in collection.split(chosen) if shape.label_path is not None]
    if not shapes:
        raise InputError(f"{collection.name}: no shape of the split '{chosen}' has labels to score against")
    extras = needs(about.network, about.options)
    count = progress("evaluating", len(shapes))
    model.network.to(place)
    scores = []
    for shape in shapes:  # one at a time: a collection need not fit into memory
        (loaded,) = load_shapes(collection, [shape], about.recipe, cache, extras)
        # As `segment` does with the model that ships; but shapes that it would leave unnamed are scored all the same.
        prior = recognise(loaded.mesh).shares if model is default_model() and kind is None else None
        found = answer(model, loaded.example.graph.to(place), kind, prior).probabilities
        probabilities, parts = grouped(found, about.parts, joined)
        scores.append(score_shape(shape.name, probabilities, loaded.labels, loaded.mesh, parts=parts))
        count()
    return replace(combine(scores, parts), split=chosen, vocabulary=collection.vocabulary.name)


def _joined(about: About, vocabulary: Vocabulary) -> Vocabulary | None:
    """How a model's parts become those of a vocabulary: as they are, by joining them, or not at all (None)."""
    if set(vocabulary.names) <= set(about.parts):
        return Vocabulary.of(vocabulary.name, about.parts)
    own = about.vocabulary(vocabulary.name)
    return own if own is not None and set(own.names) == set(vocabulary.names) else None
