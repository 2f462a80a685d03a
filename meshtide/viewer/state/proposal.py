"""Parts for a whole mesh from a few strokes of paint: small networks, trained within seconds on what was painted.

What was measured and chosen (tests/benchmarks/viewing.py prints the figures): TIDE networks with gradient features
learn from a stroke on the left arm what the right arm is, and gain most from being asked to decide where nothing is
painted (see fitting.py). What a trained model thinks of the mesh helps nearly as much as one more input, whatever parts
the model knows. Heat from the strokes alone is poor, and useful with a small say. Several small networks are better
than one that is trained for longer, and borders drawn anew along creases better than those of the networks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from meshtide.errors import InputError
from meshtide.labels.labels import Labels
from meshtide.viewer.state.painting import Painting
from meshtide.words import listed

if TYPE_CHECKING:
    from meshtide.inference.model import Model
    from meshtide.networks.graph import MeshGraph

# The work is counted and not timed, so that a seed gives one answer on every machine; this many steps of training take
# a second on one core of 2020.
STEPS_A_SECOND = 40
STEPS_A_NETWORK = 50
REFINED_VERTICES = 50_000  # beyond, drawing the borders anew would take longer than all the rest
NEARNESS_TIME = 0.1  # of the heat from strokes, on a surface of area 1
NEARNESS_SAY, NEARNESS_FLOOR = 0.3, 0.1  # its power, and the share that goes to all parts alike


@dataclass(frozen=True, eq=False)
class Proposal:
    """Parts for every vertex of a mesh; where it was painted, that is what they are."""

    labels: Labels  # on vertices, in the parts that were painted anywhere; -1 where no face is
    probabilities: NDArray[np.float32]  # (V, parts)
    confidence: NDArray[np.float32]  # (V,) the probability of the proposed part


@dataclass(frozen=True, eq=False)
class Lesson:
    """A mesh and what is painted on it, in the parts of all lessons."""

    graph: MeshGraph
    targets: NDArray[np.int64]  # (V,)


def propose(
    graph: MeshGraph,
    painting: Painting,
    *,
    others: Sequence[tuple[MeshGraph, Painting]] = (),
    seconds: float = 5.0,
    seed: int = 0,
    start: Model | None = None,
) -> Proposal:
    """Learn from what is painted on a mesh, and on `others`, and propose parts for all of the mesh.

    All graphs are of the surface operator and of one recipe, which is the recipe of `start` if that is given: a model
    of whatever parts, whose opinion becomes an input. The same seed gives the same answer; `seconds` says how much
    work to do. Fewer than two parts that are painted anywhere raise InputError.
    """
    names = tuple(dict.fromkeys(name for each in (painting, *(other for _, other in others)) for name in each.names))
    _check(graph, others, start, seconds)
    pairs = [(graph, painting), *others]
    lessons = [Lesson(_inputs(own, its, start), _numbered(its, names)) for own, its in pairs]
    taught = np.unique(np.concatenate([lesson.targets for lesson in lessons]))
    taught = taught[taught >= 0]
    if len(taught) < 2:
        said = f"only {listed([names[part] for part in taught])} is" if len(taught) else "nothing is"
        raise InputError(f"{graph.name}: {said} painted; paint some of two parts at least, to have them told apart")
    from meshtide.viewer.state.fitting import fitted

    columns = np.full(len(names) + 1, -1)
    columns[taught] = np.arange(len(taught))
    lessons = [replace(lesson, targets=columns[lesson.targets]) for lesson in lessons]
    steps = max(STEPS_A_NETWORK // 5, round(seconds * STEPS_A_SECOND))
    networks = max(1, round(steps / STEPS_A_NETWORK))
    found = fitted(lessons, len(taught), networks, steps // networks, seed)
    found = _with_nearness(found, lessons[0])
    return _proposal(painting, found, lessons[0], taught, names)


def accept(painting: Painting, proposal: Proposal, where: NDArray[np.bool_] | None = None) -> int:
    """Paint what is proposed, for instance where `proposal.confidence >= 0.8`; returns how many vertices changed.

    Vertices that were painted before keep their parts. It is one step of undo.
    """
    names = proposal.labels.names
    with painting.stroke():
        for name in names:
            if name not in painting.names:
                painting.add_part(name)
        numbers = np.array([*map(painting.names.index, names), -1], dtype=np.int64)
        return painting.fill_unpainted(numbers[proposal.labels.values], where)


def _check(graph: MeshGraph, others: Sequence[tuple[MeshGraph, Painting]], start: Model | None, seconds: float) -> None:
    if not (seconds > 0 and np.isfinite(seconds)):
        raise InputError(f"{seconds} seconds are no time to learn in; wanted more than 0")
    if graph.recipe.operator != "surface":
        raise InputError(f"{graph.name}: a proposal needs the surface operator, and it was prepared with the graph one")
    recipes = [own.recipe for own, _ in others] + ([start.about.recipe] if start is not None else [])
    if any(recipe != graph.recipe for recipe in recipes):
        raise InputError(
            f"{graph.name}: was prepared by another recipe than the other meshes or the model to start from; "
            "prepare all of them by one recipe"
        )


def _numbered(painting: Painting, names: tuple[str, ...]) -> NDArray[np.int64]:
    """What is painted, in the numbers of these names."""
    numbers = np.array([*map(names.index, painting.names), -1], dtype=np.int64)
    return np.asarray(numbers[painting.values])


def _inputs(graph: MeshGraph, painting: Painting, start: Model | None) -> MeshGraph:
    """The graph with gradients, and with a model's opinion among its features."""
    import torch

    if graph.num_vertices != len(painting.values):
        raise InputError(
            f"{graph.name}: has {graph.num_vertices:,} vertices and the painting {len(painting.values):,}; "
            "they are of different meshes"
        )
    if graph.gradients is None:
        from meshtide.spectral.gradients import basis_gradients

        vectors = graph.vectors.cpu().numpy()
        graph = replace(graph, gradients=torch.from_numpy(basis_gradients(painting.mesh, vectors)).to(graph.device))
    if start is None:
        return graph
    from meshtide.inference.predict import predict, vertex_probabilities

    opinion = vertex_probabilities(predict(start.network, graph), painting.mesh, start.about.on).astype(np.float32)
    return replace(graph, features=torch.cat([graph.features, torch.from_numpy(opinion).to(graph.device)], dim=1))


def _with_nearness(found: NDArray[np.float32], lesson: Lesson) -> NDArray[np.float32]:
    """Probabilities (V, P), given how much heat comes to each vertex from each part's strokes on the same mesh."""
    import torch

    rows = np.flatnonzero(lesson.targets >= 0)
    if len(rows) == 0:
        return found
    graph, parts = lesson.graph, found.shape[1]
    strokes = torch.zeros(graph.num_vertices, parts)
    strokes[torch.from_numpy(rows), torch.from_numpy(lesson.targets[rows])] = 1
    coefficients = torch.exp(-graph.rates[:, None] * NEARNESS_TIME) * graph.project(strokes.to(graph.device))
    heat = (graph.vectors @ coefficients).clamp(min=1e-6).cpu().numpy()
    # A part that has no stroke here may still be here: others were painted on other meshes.
    share = (1 - NEARNESS_FLOOR) * heat / heat.sum(axis=1, keepdims=True) + NEARNESS_FLOOR / parts
    both = found * share**NEARNESS_SAY
    return np.asarray(both / both.sum(axis=1, keepdims=True), dtype=np.float32)


def _proposal(
    painting: Painting, found: NDArray[np.float32], lesson: Lesson, taught: NDArray[np.int64], names: tuple[str, ...]
) -> Proposal:
    from meshtide.inference.refine import refine

    painted = lesson.targets >= 0
    found[painted] = np.eye(len(taught), dtype=np.float32)[lesson.targets[painted]]
    small = len(found) <= REFINED_VERTICES
    chosen = refine(painting.mesh, found) if small else found.argmax(axis=1)
    chosen = np.where(painted, lesson.targets, chosen)
    used = painted | (lesson.graph.mass.cpu().numpy() > 0)
    probabilities = np.zeros((len(found), len(names)), dtype=np.float32)
    probabilities[:, taught] = found
    confidence = np.where(used, found[np.arange(len(found)), chosen], np.float32(0))
    values = np.where(used, taught[chosen], -1)
    return Proposal(Labels(values, "vertices", names), probabilities, confidence)
