"""Splits and relatives: who is held out, and that every number of an excerpt belongs to its vertex."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from labelled_folders import write_figures
from shapes import FIGURE_PARTS, figure

from meshtide.data.augmentation import Augmentation
from meshtide.data.collection import open_collection
from meshtide.labels.labels import Labels
from meshtide.networks.graph import mesh_graph
from meshtide.spectral.recipe import GraphRecipe
from meshtide.training import examples
from meshtide.training.examples import (
    GraphDataset,
    LabelledShape,
    load_shapes,
    split_shapes,
    split_vertices,
    with_relatives,
)
from meshtide.training.views import Example

RECIPE = GraphRecipe(k=16)
STILL = Augmentation().scaled(0.0)  # relatives that are the shape itself


@pytest.fixture(scope="module")
def shape() -> LabelledShape:
    """A figure in which every vertex has a target of its own, so that none can be mistaken for another."""
    mesh, parts = figure(1)
    graph = mesh_graph(mesh, RECIPE, extras=("gradients",))
    labels = Labels(parts, "faces", FIGURE_PARTS)
    return LabelledShape(mesh, labels, Example("figure", graph, torch.arange(graph.num_vertices)))


@pytest.mark.parametrize(("count", "held_out"), [(1, 0), (2, 0), (3, 1), (4, 1), (9, 1), (10, 2), (11, 2)])
def test_one_labelled_shape_in_five_is_held_out(tmp_path: Path, count: int, held_out: int) -> None:
    collection = open_collection(write_figures(tmp_path / "figures", count, level=0))
    split = split_shapes(collection, seed=1)
    assert (len(split.train), len(split.validation), len(split.test)) == (count - held_out, held_out, 0)
    assert {each.name for each in (*split.train, *split.validation)} == {each.name for each in collection.shapes}


def test_every_number_of_a_relative_belongs_to_its_vertex(
    shape: LabelledShape, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(examples, "RELATIVE_VERTICES", 200)
    (family,) = with_relatives([shape], STILL, 2, seed=4)
    whole = shape.example.graph
    for graph, rows in family.relatives:
        assert graph.num_vertices == 200
        assert len(rows.unique()) == 200
        for name in ("features", "mass"):
            torch.testing.assert_close(getattr(graph, name), getattr(whole, name)[rows], rtol=1e-3, atol=1e-3)
        # Eigenvectors and their gradients may have the other sign; their lengths may not.
        torch.testing.assert_close(graph.vectors.abs(), whole.vectors[rows].abs(), rtol=1e-2, atol=1e-2)
        assert graph.gradients is not None
        assert whole.gradients is not None
        lengths = graph.gradients.square().sum(dim=0), whole.gradients[:, rows].square().sum(dim=0)
        torch.testing.assert_close(*lengths, rtol=0.02, atol=0.02 * float(lengths[1].max()))
        u = torch.randn(16, 2)
        torch.testing.assert_close(graph.project(graph.vectors @ u), u, rtol=1e-2, atol=1e-2)
    assert not torch.equal(family.relatives[0][1], family.relatives[1][1])


def test_whole_relatives_keep_every_vertex_and_edge(shape: LabelledShape) -> None:
    (family,) = with_relatives([shape], STILL, 1, seed=4, whole=True)
    ((graph, targets),) = family.relatives
    assert torch.equal(targets, shape.example.targets)
    assert torch.equal(graph.edges, shape.example.graph.edges)
    assert (graph.num_eigenpairs, graph.projection, graph.gradients) == (1, None, None)


def test_relatives_of_a_large_shape_are_made_of_fewer_vertices(
    shape: LabelledShape, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(examples, "ANCESTOR_VERTICES", 300)
    (family,) = with_relatives([shape], STILL, 1, seed=4)
    ((graph, targets),) = family.relatives
    assert 200 < graph.num_vertices <= 320 < shape.example.graph.num_vertices
    # The targets number the shape's vertices: what is known at a vertex is nearly what the shape has there.
    assert len(targets.unique()) > 0.95 * graph.num_vertices
    there, whole = graph.features, shape.example.graph.features[targets]
    assert (there - whole).abs().mean() < 0.3 * (whole - whole.mean(dim=0)).abs().mean()


def test_relatives_are_made_in_several_ways_by_turns(shape: LabelledShape) -> None:
    still_or_stretched = replace(STILL, other=replace(STILL, stretch=0.5))
    assert len(still_or_stretched.ways) == 2
    families = with_relatives([shape, shape], still_or_stretched, 2, seed=4)
    own = shape.example.graph.values
    same = [
        [torch.allclose(graph.values, own, rtol=1e-3, atol=1e-2) for graph, _ in each.relatives] for each in families
    ]
    assert same == [[True, False], [False, True]]


def spread(relatives: Sequence[tuple[object, ...]]) -> torch.Tensor:
    return torch.stack([graph.values for graph, *_ in relatives])  # type: ignore[attr-defined]  # they are graphs


def test_every_relative_is_another(shape: LabelledShape) -> None:
    one, other = with_relatives([shape, replace(shape)], Augmentation(), 2, seed=4)
    values = spread((*one.relatives, *other.relatives))
    distances = torch.cdist(values, values) + 100 * torch.eye(4)
    assert distances.min() > 1e-2
    again = with_relatives([shape], Augmentation(), 1, seed=5)
    assert not torch.allclose(spread(again[0].relatives)[0], values[0])


def test_the_single_setting_takes_labelled_vertices_alone(shape: LabelledShape) -> None:
    targets = shape.example.targets % 4
    targets[::3] = -1
    parts = split_vertices(replace(shape.example, targets=targets), seed=2)
    labelled = int((targets >= 0).sum())
    chosen = [part.targets >= 0 for part in parts]
    assert [int(each.sum()) for each in chosen] == [
        round(0.2 * labelled),
        round(0.5 * labelled) - round(0.2 * labelled),
        labelled - round(0.5 * labelled),
    ]
    assert torch.equal(torch.stack(chosen).sum(dim=0), (targets >= 0).long())
    for part, each in zip(parts, chosen, strict=True):
        assert torch.equal(part.targets[each], targets[each])
        assert (part.targets[~each] == -1).all()


def test_labels_on_faces_become_targets_on_vertices(tmp_path: Path) -> None:
    collection = open_collection(write_figures(tmp_path / "figures", 1))
    mesh, labels = collection.load(collection.shapes[0])
    assert labels is not None
    assert labels.on == "faces"
    wanted = torch.from_numpy(labels.to_vertices(mesh).values)
    (loaded,) = load_shapes(collection, collection.shapes, RECIPE, None)
    assert torch.equal(loaded.example.targets, wanted)
    graph, targets = GraphDataset(collection, recipe=RECIPE)[0]
    assert torch.equal(targets, wanted)
    assert graph.num_vertices == len(mesh.vertices)
