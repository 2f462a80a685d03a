"""Score a trained model on a labelled source, in a vocabulary that both have."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from meshtide.data.collection import open_collection
from meshtide.data.finding import left_out, unlabelled_names
from meshtide.data.nodes.opening import is_node_source
from meshtide.data.nodes.task import NodeTask
from meshtide.errors import InputError
from meshtide.inference.model import About, Model, default_model, load_model
from meshtide.inference.refine import REFINE
from meshtide.labels.labels import Vocabulary
from meshtide.many.tasks import PLAIN, EmptyShardError, Entry, Many, do_tasks
from meshtide.networks.device import choose_device
from meshtide.spectral.cache import Cache
from meshtide.training.merging import of_evaluation
from meshtide.training.nodes.evaluation import evaluate_nodes
from meshtide.training.nodes.planning import refuse_meshes_only
from meshtide.training.nodes.scores import NodeScore
from meshtide.training.scores import Score, ShapeScore, combine
from meshtide.training.scoring import Scoring, ShapeTask, score_task
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
    many: Many = PLAIN,
    failed: Callable[[str], None] | None = None,
) -> Score | NodeScore:
    """Score a model, or the one in a file, on labelled shapes; "default" is the model that ships.

    Without a `split` the source's test shapes are scored, or all where it has no such; without a `vocabulary` in parts
    that both have. The score says which split and vocabulary these were. A model of several kinds is scored with the
    kind it takes each shape for, or with the `kind` that is given. Borders are refined as `segment` does it; without
    `refine` the most probable parts are scored.

    `many` says where the shapes of a large collection are scored, which share of them, and what remembers it. A shape
    that cannot be scored raises InputError, or is left out and told to `failed`, if that is given.

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
        if not many.is_plain:
            raise InputError(f"{source}: is one graph, which is scored at once: leave out `jobs`, `shard` and the like")
        return evaluate_nodes(model, source, split=split, component=component, device=device, data=data)
    if component is not None:
        raise InputError(f"`component` is about graphs that are no meshes, and {source} is none")
    return _evaluate_meshes(model, source, split, vocabulary, kind, refine, device, data, cache, progress, many, failed)  # type: ignore[arg-type]  # a task is a node source


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
    many: Many,
    failed: Callable[[str], None] | None,
) -> Score:
    """Score a model on labelled shapes."""
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
    share = [(order, shape) for order, shape in enumerate(shapes) if many.has(shape.name)]
    if not share:
        raise EmptyShardError(f"{collection.name}: none of its {len(shapes):,} shapes is in this shard")
    how = Scoring(
        None if model is default_model() else model, collection.without_shapes(), joined, kind, refine,
        choose_device(device), cache, many.manifest is not None, failed is not None,
    )  # fmt: skip
    bare = unlabelled_names(collection.split(chosen))
    told = {
        "source": str(source),
        "split": chosen,
        "vocabulary": collection.vocabulary.name,
        "notes": [left_out(bare, len(shapes))] if bare else [],
    }
    tasks = [ShapeTask(shape.mesh_path, shape=shape, about=told, order=order) for order, shape in share]
    entries = _entries(tasks, how, many, progress, failed)
    score = combine([ShapeScore.from_entry(entry["score"]) for entry in entries], how.parts)
    return of_evaluation(score, told)


def _entries(
    tasks: Sequence[ShapeTask], how: Scoring, many: Many, progress: Progress, failed: Callable[[str], None] | None
) -> list[Entry]:
    """Those that could be scored, in the order of the collection; the others are told."""
    count = progress("evaluating", len(tasks))
    found: dict[int, Entry] = {}
    for task, entry in do_tasks(partial(score_task, how=how), tasks, many.engine, many.manifest, how.fingerprint()):
        found[task.order] = entry
        count()
    entries = [found[order] for order in sorted(found)]
    bad = [str(entry["error"]) for entry in entries if "error" in entry]
    if bad and (failed is None or len(bad) == len(entries)):
        raise InputError(bad[0])
    for sentence in bad:
        if failed is not None:
            failed(sentence)
    return [entry for entry in entries if "error" not in entry]


def _joined(about: About, vocabulary: Vocabulary) -> Vocabulary | None:
    """How a model's parts become those of a vocabulary: as they are, by joining them, or not at all (None)."""
    if set(vocabulary.names) <= set(about.parts):
        return Vocabulary.of(vocabulary.name, about.parts)
    own = about.vocabulary(vocabulary.name)
    return own if own is not None and set(own.names) == set(vocabulary.names) else None
