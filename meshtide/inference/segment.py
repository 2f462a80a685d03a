"""From a mesh to its parts: the one call that most people need."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from meshtide.errors import InputError
from meshtide.inference.evidence import supported, supported_own
from meshtide.inference.familiarity import doubts
from meshtide.inference.given import Given, take
from meshtide.inference.kinds import MOST_CERTAIN, Answer, answer
from meshtide.inference.known_kinds import KNOWN_KINDS, THINGS, known_kind
from meshtide.inference.look import look
from meshtide.inference.model import Model, default_model, load_model
from meshtide.inference.naming import SURE, likeliest_thing, name_thing
from meshtide.inference.predict import vertex_probabilities
from meshtide.inference.reading import Reading, read
from meshtide.inference.recognise import Recognition, recognise
from meshtide.inference.refine import REFINE
from meshtide.inference.refine import refine as refined
from meshtide.inference.regions.inputs import prepare_surface
from meshtide.inference.regions.surface import working_surface
from meshtide.inference.segmentation import Segmentation
from meshtide.inference.shells import Stripped, strip
from meshtide.inference.sided import with_sides
from meshtide.inference.unnamed import divide
from meshtide.labels.labels import Labels
from meshtide.many.faults import is_out_of_memory
from meshtide.memory import give_back
from meshtide.mesh.decimation import MAX_VERTICES, Carrier, simplify_once
from meshtide.mesh.mesh import Mesh
from meshtide.mesh.ready import at_usual_scale
from meshtide.mesh.topology import used_vertices
from meshtide.networks.registry import needs
from meshtide.spectral.cache import Cache
from meshtide.words import article

if TYPE_CHECKING:
    from meshtide.networks.graph import MeshGraph

ASKED = "parts without names were asked for"
CLEAR = 0.6  # a thing that is taken for its kind with less than this is named with a doubt
UNLIKE = "like none of the kinds whose parts have names"


def segment(
    mesh: Any,
    model: Model | str | Path | None = None,
    *,
    kind: str | None = None,
    unnamed: bool = False,
    count: int | None = None,
    detail: float | None = None,
    refine: bool = REFINE,
    sides: bool = False,
    max_vertices: int = MAX_VERTICES,
    cache: Cache | None = None,
    device: str = "cpu",
) -> Segmentation:
    """Divide a mesh into parts, named where a name is known.

    `mesh` is a path, a Mesh, a trimesh.Trimesh or Scene, a pair of arrays (vertices, faces), a pyvista.PolyData or an
    open3d TriangleMesh. It is mended where it must be, and the answer is about the elements that were handed in: the
    corners of an STL, the polygons of an OBJ, the points of a PolyData. A scene's elements are counted geometry after
    geometry, in the order of its nodes.

    Where the shape is of a kind whose parts the model knows, they have names; any other shape is divided as a person
    would divide it, into "part 1" to "part n", the largest first, and `reason` says which it was and why. `unnamed`
    asks for the latter whatever the shape is, `count` for exactly so many parts, and `detail` for more (2) or fewer
    (0.5) than usual.

    `model` is a Model, a file that `Model.save` wrote, or "default" for those that ship, of which the kind decides
    which names the parts. `kind` overrides what the shape is taken for (`known_kinds` lists them). Without `refine`
    every vertex has its most probable part; with it, borders are short and lie in hollows (see
    meshtide.inference.refine). A mesh of more than `max_vertices` is simplified on the way and the answer carried back
    to every vertex. `sides` puts "left" and "right" before the names of paired parts ("left upperarm", "front left
    leg"), as whoever is in the body says it, where its up and front can be told.

    >>> import meshtide as mt
    >>> body, _ = mt.make_figure("humanoid", 3, "held-out", defects=False)
    >>> result = mt.segment((body.vertices, body.faces))
    >>> result.kind, len(result.labels) == len(body.vertices)
    ('humanoid', True)
    >>> mt.segment(body, count=4).parts
    ('part 1', 'part 2', 'part 3', 'part 4')
    """
    if max_vertices < 4:
        raise InputError(f"`max_vertices` is {max_vertices}; a surface has at least 4")
    without_names = unnamed or count is not None or detail is not None
    if without_names and (model is not None or kind is not None):
        word = "kind" if kind is not None else "model"
        raise InputError(f"a `{word}` is for parts with names; leave it out, or `unnamed`, `count` and `detail`")
    if without_names and sides:
        raise InputError("`sides` are those of parts with names; leave it out, or `unnamed`, `count` and `detail`")
    given = take(mesh)
    here = replace(given, mesh=at_usual_scale(given.mesh))
    try:
        # One thread: sums in another order would divide a ball in another way, and small products gain nothing by more.
        with threadpool_limits(limits=1):
            if without_names:
                found = divide(here, count=count, detail=1.0 if detail is None else detail, reason=ASKED)
            else:
                found = _segmented(here, model, kind, refine, sides, max_vertices, cache, device)
    except (MemoryError, RuntimeError) as error:
        if not isinstance(error, MemoryError) and not is_out_of_memory(error):
            raise
        place = given.source if isinstance(given.source, Path) else given.mesh.name
        raise InputError(
            f"{place}: there is not enough memory for its {len(given.mesh.vertices):,} vertices and "
            f"{len(given.mesh.faces):,} triangles; give fewer `max_vertices` than {max_vertices:,}, or a smaller mesh"
        ) from error
    finally:
        give_back()
    return found if here.mesh is given.mesh else replace(found, mesh=given.mesh)


def _segmented(
    given: Given,
    model: Model | str | Path | None,
    kind: str | None,
    refine: bool,
    sides: bool,
    max_vertices: int,
    cache: Cache | None,
    device: str,
) -> Segmentation:
    """The parts with names where a model knows the kind, those without elsewhere."""
    chosen = model if isinstance(model, Model) else load_model("default" if model is None else model)
    prior = seen = None
    if chosen is default_model() and kind is not None and known_kind(kind).model == THINGS:
        named = name_thing(given, prepare_surface(working_surface(given.mesh)), kind, f"the kind {kind} was asked for")
        return with_sides(named) if sides else named
    if chosen is default_model() and kind is None:
        seen = look(given.mesh, cache)
        prior = {name: share for name, share in seen.shares.items() if name in chosen.about.kinds}
        no_body = 1 - sum(prior.values())
        if no_body >= MOST_CERTAIN:  # more than the parts could outweigh
            return _thing(given, seen, no_body, sides, cache)
    asked = _ask(given, chosen, kind, prior, max_vertices, cache, device)
    if seen is not None and asked.found.unknown > 0.5:
        return _thing(given, seen, asked.found.unknown, sides, cache)
    named = _named(given, chosen, asked, kind, refine, seen)
    return with_sides(named) if sides else named


def _thing(given: Given, seen: Recognition, no_body: float, sides: bool, cache: Cache | None) -> Segmentation:
    """The parts of what is no body: with names if it surely is a thing that has them, and without otherwise."""
    if len(seen.mesh.faces) != len(given.mesh.faces):  # it was looked at without some shells
        seen = recognise(given.mesh, cache)
    thing, sure = likeliest_thing(seen)
    if sure >= SURE and KNOWN_KINDS[thing].reliable:
        named = name_thing(given, seen.prepared, thing, f"taken for {article(thing)} {thing} ({sure:.0%} sure)")
        if sure < CLEAR:
            doubt = f"it may be something else than {article(thing)} {thing}; take the parts with care"
            named = replace(named, warnings=(*named.warnings, doubt))
        return with_sides(named) if sides else named
    maybe = f"; it may be {article(thing)} {thing}, which `kind={thing}` would name" if sure > SURE / 2 else ""
    found = divide(given, prepared=seen.prepared, reason=f"{UNLIKE} ({no_body:.0%} sure){maybe}")
    return with_sides(found) if sides else found


@dataclass(frozen=True, eq=False)
class _Asked:
    """What a model said of a mesh, and what of the mesh it was asked about."""

    found: Answer
    graph: MeshGraph | Reading
    small: Mesh
    carrier: Carrier
    stripped: Stripped | None


def _ask(
    given: Given,
    model: Model,
    kind: str | None,
    prior: Mapping[str, float] | None,
    max_vertices: int,
    cache: Cache | None,
    device: str,
) -> _Asked:
    about = model.about
    # Only the bodies that ship: to a model of one's own, small shells may be parts that it has learned.
    stripped = strip(given.mesh) if model is default_model() else None
    small, carrier = simplify_once(given.mesh if stripped is None else stripped.mesh, max_vertices)
    graph: MeshGraph | Reading
    if model.recorded is not None and device == "cpu":
        graph = read(small, about.mesh_recipe, cache)
    else:
        from meshtide.networks.graph import mesh_graph

        graph = mesh_graph(small, about.mesh_recipe, cache, extras=needs(about.network, about.options)).to(device)
        model.network.to(device)
    return _Asked(answer(model, graph, kind, prior), graph, small, carrier, stripped)


def _named(
    given: Given, model: Model, asked: _Asked, kind: str | None, refine: bool, seen: Recognition | None
) -> Segmentation:
    """The parts that a model knows, at every vertex."""
    about, found, small, carrier, stripped = model.about, asked.found, asked.small, asked.carrier, asked.stripped
    found_here = vertex_probabilities(found.probabilities, small, about.on).astype(np.float32)
    if model is default_model():
        found_here = supported(found_here, small, found.kind, seen)
    elif refine:
        found_here = supported_own(found_here, small, about)
    probabilities = _at_all(found_here, carrier, stripped)
    labels = probabilities.argmax(axis=1)
    if refine:  # on the small mesh, whose borders are those of the large one
        sharp = np.eye(len(about.parts), dtype=np.float32)[refined(small, found_here)]
        labels = _at_all(sharp, carrier, stripped).argmax(axis=1)
    used = used_vertices(given.mesh.faces, len(given.mesh.vertices))
    return Segmentation(
        given.mesh,
        Labels(np.where(used, labels, -1), "vertices", about.parts),
        probabilities,
        about.colours,
        found.kind,
        (*given.remarks, *doubts(model, asked.graph, found)),
        given.origin,
        given.source,
        reason=_reason(found, kind),
    )


def _at_all(values: NDArray[np.float32], carrier: Carrier, stripped: Stripped | None) -> NDArray[np.float32]:
    """Rows at the vertices that were worked with as rows at all vertices of the mesh."""
    values = carrier.to_original(values)
    return values if stripped is None else stripped.to_whole(values)


def _reason(found: Answer, asked: str | None) -> str:
    """Why the parts are those of a kind; nothing where the model knows one kind only."""
    if found.kind is None:
        return ""
    if asked is not None:
        return f"the kind {asked} was asked for"
    return f"taken for {article(found.kind)} {found.kind} ({found.votes[found.kind]:.0%} sure)"
