"""meshtide: surface meshes in, labelled parts out.

The public names are loaded when they are first used, so that importing the package costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

# Which module each public name lives in.
_NAMES = {
    "errors": ("InputError",),
    "mesh.mesh": ("Mesh",),
    "mesh.files": ("load_mesh", "save_mesh"),
    "mesh.doctor": ("diagnose", "repair"),
    "labels.labels": ("Labels",),
    "labels.files": ("read_labels", "write_labels"),
    "spectral.spectrum": ("Eigenbasis", "eigenbasis", "laplacian"),
    "spectral.signatures": ("hks", "wks"),
    "spectral.recipe": ("GraphRecipe",),
    "spectral.cache": ("Cache",),
    "data.collection": ("open_collection",),
    "data.figures": ("make_figure",),
    "data.nodes.task": ("NodeTask",),
    "data.nodes.opening": ("open_node_task",),
    "networks.graph": ("MeshGraph", "mesh_graph"),
    "networks.node_graph": ("graph_from_edges",),
    "inference.model": ("Model", "load_model"),
    "inference.known_kinds": ("known_kinds",),
    "inference.segment": ("segment",),
    "inference.nodes": ("NodeClasses", "classify_nodes"),
    "inference.segmentation": ("Segmentation",),
    "training.examples": ("GraphDataset",),
    "training.train": ("train",),
    "training.evaluate": ("evaluate",),
    "training.evaluate_regions": ("evaluate_regions",),
    "training.comparison": ("Comparison", "compare"),
    "training.run": ("Watch",),
    "training.scores": ("Score",),
    "paper.reproduce": ("reproduce",),
    "inference.instances": ("Instance",),
    "output.objects": ("convert",),
    "output.saving": ("write_segmentation",),
    "output.files.splitting": ("split_parts",),
    "viewer.view": ("view",),
}
_HOMES = {name: module for module, names in _NAMES.items() for name in names}

__all__ = ["__version__", *_HOMES]

if TYPE_CHECKING:
    from meshtide.data.collection import open_collection as open_collection
    from meshtide.data.figures import make_figure as make_figure
    from meshtide.data.nodes.opening import open_node_task as open_node_task
    from meshtide.data.nodes.task import NodeTask as NodeTask
    from meshtide.errors import InputError as InputError
    from meshtide.inference.instances import Instance as Instance
    from meshtide.inference.known_kinds import known_kinds as known_kinds
    from meshtide.inference.model import Model as Model
    from meshtide.inference.model import load_model as load_model
    from meshtide.inference.nodes import NodeClasses as NodeClasses
    from meshtide.inference.nodes import classify_nodes as classify_nodes
    from meshtide.inference.segment import segment as segment
    from meshtide.inference.segmentation import Segmentation as Segmentation
    from meshtide.labels.files import read_labels as read_labels
    from meshtide.labels.files import write_labels as write_labels
    from meshtide.labels.labels import Labels as Labels
    from meshtide.mesh.doctor import diagnose as diagnose
    from meshtide.mesh.doctor import repair as repair
    from meshtide.mesh.files import load_mesh as load_mesh
    from meshtide.mesh.files import save_mesh as save_mesh
    from meshtide.mesh.mesh import Mesh as Mesh
    from meshtide.networks.graph import MeshGraph as MeshGraph
    from meshtide.networks.graph import mesh_graph as mesh_graph
    from meshtide.networks.node_graph import graph_from_edges as graph_from_edges
    from meshtide.output.files.splitting import split_parts as split_parts
    from meshtide.output.objects import convert as convert
    from meshtide.output.saving import write_segmentation as write_segmentation
    from meshtide.paper.reproduce import reproduce as reproduce
    from meshtide.spectral.cache import Cache as Cache
    from meshtide.spectral.recipe import GraphRecipe as GraphRecipe
    from meshtide.spectral.signatures import hks as hks
    from meshtide.spectral.signatures import wks as wks
    from meshtide.spectral.spectrum import Eigenbasis as Eigenbasis
    from meshtide.spectral.spectrum import eigenbasis as eigenbasis
    from meshtide.spectral.spectrum import laplacian as laplacian
    from meshtide.training.comparison import Comparison as Comparison
    from meshtide.training.comparison import compare as compare
    from meshtide.training.evaluate import evaluate as evaluate
    from meshtide.training.evaluate_regions import evaluate_regions as evaluate_regions
    from meshtide.training.examples import GraphDataset as GraphDataset
    from meshtide.training.run import Watch as Watch
    from meshtide.training.scores import Score as Score
    from meshtide.training.train import train as train
    from meshtide.viewer.view import view as view


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"meshtide.{_HOMES[name]}"), name)
    raise AttributeError(f"meshtide has no '{name}'; its public names are {', '.join(sorted(_HOMES))}")


def __dir__() -> list[str]:
    return sorted(__all__)
