"""Names of generated shapes that nothing was trained on: parts right, kinds right, and what is sent away.

    python tests/benchmarks/names.py [--model FILE] [--bodies 16] [--things 1] [--scan]

Bodies of any build and things of every sort that is no body, all of the variant that the generator keeps back. For each
kind: the area that has its true name with the kind given, the bodies that were taken for it, for another kind, and for
none. Of the things: how many were taken for bodies. `--scan` says the same for other weights of what decides.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np
import torch

from meshtide.data.figures import KINDS
from meshtide.data.figures.creatures import CREATURE_KINDS, make_creature
from meshtide.data.figures.creatures.wide import make_varied_figure
from meshtide.data.figures.objects import OBJECT_KINDS, make_object
from meshtide.inference import kinds
from meshtide.inference.known_kinds import KIND_OF
from meshtide.inference.look import look
from meshtide.inference.model import Model, default_model, load_model
from meshtide.inference.predict import predict
from meshtide.inference.refine import refine
from meshtide.labels.labels import Labels
from meshtide.mesh.decimation import simplify_once
from meshtide.mesh.measure import relative_areas
from meshtide.mesh.mesh import Mesh
from meshtide.networks.graph import mesh_graph
from meshtide.networks.registry import needs
from meshtide.spectral.cache import Cache

FIRST_BODY, FIRST_THING = 5001, 9300
CACHE = Cache()
BODIES = frozenset(default_model().about.kinds)


@dataclass(frozen=True, eq=False)
class Seen:
    """What the networks say of a shape, before anything is decided."""

    true: str  # the kind, or "" of what is no body
    probabilities: np.ndarray
    mass: np.ndarray
    prior: dict[str, float]
    right: float = 0.0  # of the area, with the kind given


def bodies(count: int) -> Iterator[tuple[str, Mesh, Labels]]:
    """Bodies of every kind."""
    for kind, number in product(KINDS, range(FIRST_BODY, FIRST_BODY + count)):
        yield kind, *make_varied_figure(kind, number, "held-out")


def things(count: int) -> Iterator[Mesh]:
    """Things of every sort that is of no body's kind."""
    for sort, seed in product(OBJECT_KINDS, range(FIRST_THING, FIRST_THING + count)):
        yield make_object(sort, seed, "held-out").mesh
    for sort, seed in product(CREATURE_KINDS, range(FIRST_THING, FIRST_THING + count)):
        if KIND_OF.get(f"creatures.{sort}") not in BODIES:
            yield make_creature(sort, seed, "held-out").mesh


def see(model: Model, mesh: Mesh, kind: str = "", labels: Labels | None = None) -> Seen:
    """Ask the networks about a shape."""
    about = model.about
    small, carrier = simplify_once(mesh, 20_000)
    graph = mesh_graph(small, about.mesh_recipe, CACHE, extras=needs(about.network, about.options))
    probabilities = predict(model.network, graph)
    prior = {name: share for name, share in look(mesh, CACHE).shares.items() if name in BODIES}
    right = 0.0
    if labels is not None:
        given = kinds.restricted(probabilities, about.parts, about.kinds[kind])
        found = carrier.to_original(np.eye(len(about.parts), dtype=np.float32)[refine(small, given)]).argmax(axis=1)
        said = Labels(found, "vertices", about.parts).to_faces(mesh).values
        true = np.array([about.parts.index(name) for name in labels.names])[labels.to_faces(mesh).values]
        areas = np.where(labels.to_faces(mesh).values >= 0, relative_areas(mesh), 0.0)
        right = float(areas[said == true].sum() / areas.sum())
    return Seen(kind, probabilities, graph.mass.numpy(), prior, right)


def decided(model: Model, seen: Seen) -> str:
    """The kind that a shape is taken for, "" for none."""
    if 1 - sum(seen.prior.values()) >= kinds.MOST_CERTAIN:
        return ""
    found = kinds.weighed(model, seen.probabilities, seen.mass, None, seen.prior)
    return "" if found.unknown > 0.5 or found.kind is None else found.kind


def told(model: Model, shapes: list[Seen]) -> tuple[int, int, int, int]:
    """Bodies of the right kind, of a wrong one and of none, and things that were taken for bodies."""
    pairs = [(each.true, decided(model, each)) for each in shapes]
    right = sum(bool(true) and true == found for true, found in pairs)
    none = sum(bool(true) and not found for true, found in pairs)
    return right, sum(bool(true) for true, _ in pairs) - right - none, none, sum(not t and bool(f) for t, f in pairs)


def report(model: Model, shapes: list[Seen]) -> None:
    """A line for each kind."""
    print("| kind | area, % | right | another | none |\n|---|---|---|---|---|")
    for kind in KINDS:
        own = [each for each in shapes if each.true == kind]
        right, wrong, none, _ = told(model, own)
        print(f"| {kind} | {100 * np.mean([each.right for each in own]):.1f} | {right} | {wrong} | {none} |")


def main() -> None:
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("--model", type=Path)
    reader.add_argument("--bodies", type=int, default=16, help="of each kind")
    reader.add_argument("--things", type=int, default=1, help="of each sort")
    reader.add_argument("--scan", action="store_true")
    options = reader.parse_args()
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    model = default_model() if options.model is None else load_model(options.model)
    shapes = [see(model, mesh, kind, labels) for kind, mesh, labels in bodies(options.bodies)]
    report(model, shapes)
    shapes += [see(model, mesh) for mesh in things(options.things)]
    print("right, another kind, none; things taken for bodies:", told(model, shapes), f"of {len(shapes)}")
    if options.scan:
        for kinds.MOST_CERTAIN, kinds.STEEPNESS, kinds.SLACK in product(
            (0.99, 0.998, 0.9998, 0.99999), (13.0, 27.0, 50.0), (0.0, 0.05, 0.1, 0.15, 0.2)
        ):
            print(kinds.MOST_CERTAIN, kinds.STEEPNESS, kinds.SLACK, told(model, shapes))


if __name__ == "__main__":
    main()
