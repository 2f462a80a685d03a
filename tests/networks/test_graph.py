"""The one step from numpy to torch."""

from __future__ import annotations

import numpy as np
import torch
from shapes import figure, sphere

from meshtide.mesh.mesh import Mesh
from meshtide.networks.graph import MeshGraph, mesh_graph
from meshtide.spectral.cache import Cache
from meshtide.spectral.preparation import prepare
from meshtide.spectral.recipe import GraphRecipe
from meshtide.spectral.spectrum import eigenbasis


def tensors(graph: MeshGraph) -> dict[str, torch.Tensor]:
    return {name: value for name, value in vars(graph).items() if isinstance(value, torch.Tensor)}


def test_a_graph_is_its_preparation_in_single_precision():
    mesh, _ = figure(1)
    graph, preparation = mesh_graph(mesh, GraphRecipe(k=24)), prepare(mesh, GraphRecipe(k=24))
    count = len(mesh.vertices)
    shapes = {name: tuple(value.shape) for name, value in tensors(graph).items()}
    edges = len(mesh.edges())
    assert shapes == {
        "features": (count, 16),
        "values": (24,),
        "frequencies": (24,),
        "vectors": (count, 24),
        "mass": (count,),
        "edges": (2, edges),
        "faces": (len(mesh.faces), 3),
    }
    for name, value in tensors(graph).items():
        assert value.dtype == (torch.int64 if name in ("edges", "faces") else torch.float32)
        assert value.is_contiguous()
    np.testing.assert_array_equal(graph.vectors.numpy(), preparation.vectors)
    np.testing.assert_array_equal(graph.edges.numpy().T, mesh.edges())
    np.testing.assert_array_equal(graph.faces.numpy(), mesh.faces)
    assert (graph.num_vertices, graph.num_faces, graph.num_channels) == (count, len(mesh.faces), 16)
    assert graph.num_eigenpairs == 24
    assert graph.name == "figure-1"
    gram = graph.vectors.T @ (graph.mass[:, None] * graph.vectors)
    torch.testing.assert_close(gram, torch.eye(24), atol=1e-5, rtol=0)


def test_the_cache_changes_no_bit(tmp_path):
    mesh, cache = sphere(2), Cache(tmp_path)
    for operator in ("surface", "graph"):
        recipe = GraphRecipe(operator=operator, k=16, features=("log-hks", "wks"))
        direct, written, read = (mesh_graph(mesh, recipe, through) for through in (None, cache, cache))
        for name, value in tensors(direct).items():
            assert torch.equal(value, tensors(written)[name])
            assert torch.equal(value, tensors(read)[name])
    assert cache.info().entries == 2


def test_graph_frequencies_do_not_cancel():
    mesh = sphere(4)
    basis, graph = eigenbasis(mesh, 16, "graph"), mesh_graph(mesh, GraphRecipe(operator="graph", k=16))
    np.testing.assert_allclose(graph.frequencies.numpy()[1:], basis.frequencies[1:], rtol=1e-6)
    assert np.abs((1 - graph.values.numpy()[1:]) / basis.frequencies[1:] - 1).max() > 1e-6


def test_moving_keeps_everything_else():
    graph = mesh_graph(sphere(1), GraphRecipe(k=4))
    moved = graph.to("meta")
    assert moved.device == torch.device("meta")
    assert {value.device.type for value in tensors(moved).values()} == {"meta"}
    assert (moved.name, moved.recipe) == (graph.name, graph.recipe)
    assert graph.device.type == "cpu"


def test_a_tiny_mesh_has_fewer_eigenpairs():
    mesh = Mesh(np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [9, 9, 9]]), np.array([[0, 1, 2]]))
    graph = mesh_graph(mesh)
    assert graph.num_eigenpairs == 3
    assert graph.features.shape == (4, 16)
    assert not graph.vectors[3].any()
    assert torch.isfinite(graph.features).all()


def test_a_graph_in_one_line() -> None:
    surface, graph = (mesh_graph(sphere(1), GraphRecipe(operator=word, k=4)) for word in ("surface", "graph"))
    assert repr(surface) == (
        "MeshGraph('sphere-1': 42 vertices, 80 faces, 4 eigenpairs of the surface operator, 16 features, on cpu)"
    )
    assert "of the graph operator" in repr(graph)


def test_few_vertices_give_a_projection_that_does_not_run_wild() -> None:
    graph = mesh_graph(figure(0)[0], GraphRecipe(k=40))
    # One vertex fewer than eigenvectors: least squares alone would turn noise of 1 into coefficients of 2,400.
    some = graph.sampled(torch.arange(0, graph.num_vertices, 4))
    assert some.num_vertices == 39
    noise = torch.randn(39, 3, generator=torch.Generator().manual_seed(0))
    assert some.project(noise).abs().max() < 5
    torch.testing.assert_close(some.vectors @ some.project(torch.ones(39, 1)), torch.ones(39, 1), rtol=0.1, atol=0.1)
