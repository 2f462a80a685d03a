"""The nodes of a glTF scene: which meshes it shows, and where."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from meshtide.mesh.files.gltf_container import Container

Matrix = NDArray[np.float64]  # (4, 4)


@dataclass(frozen=True, eq=False)
class Placed:
    """A mesh at its place."""

    mesh: int
    matrix: Matrix


def placed_meshes(container: Container) -> list[Placed]:
    """The meshes of the scene, in the order in which the file lists their nodes; a library without a scene whole."""
    matrices = _matrices(container)
    placed = []
    for node in sorted(matrices):
        found = container.entry("nodes", node)
        extensions = found.get("extensions")
        if isinstance(extensions, dict) and "EXT_mesh_gpu_instancing" in extensions:
            raise container.refusal("its meshes are repeated by EXT_mesh_gpu_instancing; export it without")
        if found.get("mesh") is not None:
            container.entry("meshes", found["mesh"])
            placed.append(Placed(found["mesh"], matrices[node]))
    return placed or [Placed(mesh, np.eye(4)) for mesh in range(len(container.table("meshes")))]


def _matrices(container: Container) -> dict[int, Matrix]:
    """The place of every node that the scene shows."""
    left = [(root, np.eye(4)) for root in reversed(_roots(container))]
    matrices: dict[int, Matrix] = {}
    while left:
        node, above = left.pop()
        found = container.entry("nodes", node)
        if node in matrices:
            raise container.refusal(f"its node {node} stands in two places of the scene; is it damaged?")
        with np.errstate(over="ignore", invalid="ignore"):
            matrices[node] = above @ _matrix(container, found)
        left.extend((child, matrices[node]) for child in _numbers_of(container, found, "children"))
    return matrices


def _roots(container: Container) -> list[int]:
    if container.table("scenes"):
        scene = container.entry("scenes", container.header.get("scene", 0))
        return _numbers_of(container, scene, "nodes")
    nodes = range(len(container.table("nodes")))
    below = {child for node in nodes for child in _numbers_of(container, container.entry("nodes", node), "children")}
    return [node for node in nodes if node not in below]


def _numbers_of(container: Container, found: dict[str, Any], key: str) -> list[int]:
    numbers = found.get(key, [])
    if not isinstance(numbers, list) or not all(type(number) is int for number in numbers):
        raise container.refusal(f"its '{key}' are no list of numbers; is it damaged?")
    return numbers


def _matrix(container: Container, node: dict[str, Any]) -> Matrix:
    """How a node moves what is below it."""
    if "matrix" in node:
        return _floats(container, node, "matrix", np.eye(4).ravel()).reshape(4, 4).T  # stored by columns
    matrix = np.eye(4)
    x, y, z, w = _floats(container, node, "rotation", np.array([0.0, 0.0, 0.0, 1.0]))
    turn = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )
    matrix[:3, :3] = turn * _floats(container, node, "scale", np.ones(3))
    matrix[:3, 3] = _floats(container, node, "translation", np.zeros(3))
    return matrix


def _floats(container: Container, node: dict[str, Any], key: str, usual: NDArray[np.float64]) -> NDArray[np.float64]:
    """Finite numbers of a node, as many as usual."""
    said = node.get(key)
    if said is None:
        return usual
    try:
        if isinstance(said, list) and len(said) == len(usual) and all(type(each) in (int, float) for each in said):
            numbers = np.array([float(each) for each in said])
            if (np.abs(numbers) < 1e150).all():  # beyond it products are not finite
                return numbers
    except OverflowError:
        pass
    raise container.refusal(f"the {key} of a node is no list of {len(usual)} numbers; is it damaged?")
