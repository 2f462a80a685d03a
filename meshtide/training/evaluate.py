"""Score a trained model on a labelled source, in a vocabulary that both have."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from meshtide.data.collection import open_collection
from meshtide.data.finding import left_out, unlabelled_names
from meshtide.data.nodes.opening import is_node_source
from meshtide.data.nodes.task import NodeTask
from meshtide.errors import InputError
from meshtide.inference.evidence import supported
from meshtide.inference.kinds import answer, grouped
from meshtide.inference.model import About, Model, default_model, load_model
from meshtide.inference.predict import vertex_probabilities
from meshtide.inference.recognise import recognise
from meshtide.inference.refine import REFINE, with_refined_borders
from meshtide.labels.labels import Vocabulary
from meshtide.networks.device import choose_device
from meshtide.networks.registry import needs
from meshtide.spectral.cache import Cache
from meshtide.training.examples import load_shapes
from meshtide.training.nodes.evaluation import evaluate_nodes
from meshtide.training.nodes.planning import refuse_meshes_only
from meshtide.training.nodes.scores import NodeScore
from meshtide.training.scores import Score, combine, score_shape
from meshtide.training.sources import Progress, no_progress


def evaluate(
    model: Model | str | Path,
    source: str | Path | NodeTask,
    *,
    split: str | None = None,
    vocabulary: str | None = None,
    kind: str | None = None,
    component: str | None = None,
    refine: bool = REFINE,
    device: str = "auto",
    data: str | Path | None = None,
    cache: Cache | None = None,
    progress: Progress = no_progress,
) -> Score | NodeScore:
    """Score a model, or the one in a file, on labelled shapes; "default" is the model that ships.

    Without a `split` the source's test shapes are scored, or all where it has no such; without a `vocabulary` in parts
    that both have. The score says which split and vocabulary these were. A model of several kinds is scored with the
    kind it takes each shape for, or with the `kind` that is given. Borders are refined as `segment` does it; without
    `refine` the most probable parts are scored.

    On a graph that is no mesh (see `open_node_task`) nodes are scored: those to test on, of the split that the model
    has learned from; all, where it has learned from another graph; or the `split` "train", "validation", "test" or
    "all". `component` is as for `open_node_task`.

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
    if is_node_source(source):
        refuse_meshes_only({"vocabulary": vocabulary, "kind": kind})
        return evaluate_nodes(model, source, split=split, component=component, device=device, data=data)
    if component is not None:
        raise InputError(f"`component` is about graphs that are no meshes, and {source} is none")
    return _evaluate_meshes(model, source, split, vocabulary, kind, refine, device, data, cache, progress)  # type: ignore[arg-type]  # a task is a node source


def _evaluate_meshes(
    model: Model,
    source: str | Path,
    split: str | None,
    vocabulary: str | None,
    kind: str | None,
    refine: bool,
    device: str,
    data: str | Path | None,
    cache: Cache | None,
    progress: Progress,
) -> Score:
    """Score a model on labelled shapes."""
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
        (loaded,) = load_shapes(collection, [shape], about.mesh_recipe, cache, extras)
        # As `segment` does with the model that ships; but shapes that it would leave unnamed are scored all the same.
        seen = recognise(loaded.mesh) if model is default_model() and kind is None else None
        prior = None if seen is None else seen.shares
        said = answer(model, loaded.example.graph.to(place), kind, prior)
        found = vertex_probabilities(said.probabilities, loaded.mesh, about.on)
        if model is default_model():
            found = supported(found.astype(np.float32), loaded.mesh, said.kind, seen)
        if refine:
            found = with_refined_borders(loaded.mesh, found)
        probabilities, parts = grouped(found, about.parts, joined)
        scores.append(score_shape(shape.name, probabilities, loaded.labels, loaded.mesh, parts=parts))
        count()
    score, bare = combine(scores, parts), unlabelled_names(collection.split(chosen))
    notes = (*score.notes, *([left_out(bare, len(shapes))] if bare else []))
    return replace(score, split=chosen, vocabulary=collection.vocabulary.name, notes=notes)


def _joined(about: About, vocabulary: Vocabulary) -> Vocabulary | None:
    """How a model's parts become those of a vocabulary: as they are, by joining them, or not at all (None)."""
    if set(vocabulary.names) <= set(about.parts):
        return Vocabulary.of(vocabulary.name, about.parts)
    own = about.vocabulary(vocabulary.name)
    return own if own is not None and set(own.names) == set(vocabulary.names) else None
