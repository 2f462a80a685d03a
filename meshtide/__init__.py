"""meshtide: surface meshes in, labelled parts out.

The public names are loaded when they are first used, so that importing the package costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_HOMES = {
    "InputError": "errors", "Mesh": "mesh", "load_mesh": "mesh", "save_mesh": "mesh",
    "diagnose": "doctor", "repair": "doctor", "Labels": "labels", "read_labels": "label_files",
    "write_labels": "label_files", "laplacian": "spectrum", "eigenbasis": "spectrum", "Eigenbasis": "spectrum",
    "hks": "features", "wks": "features", "GraphRecipe": "recipe", "Cache": "cache",
    "MeshGraph": "graph", "mesh_graph": "graph", "open_collection": "collection", "load_model": "checkpoint",
    "segment": "segmenting", "Segmentation": "segmentation", "write_segmentation": "segmentation_files",
    "split_parts": "segmentation_files", "make_figure": "figures",
}  # fmt: skip

__all__ = ["__version__", *_HOMES]

if TYPE_CHECKING:
    from meshtide.cache import Cache as Cache
    from meshtide.checkpoint import load_model as load_model
    from meshtide.collection import open_collection as open_collection
    from meshtide.doctor import diagnose as diagnose
    from meshtide.doctor import repair as repair
    from meshtide.errors import InputError as InputError
    from meshtide.features import hks as hks
    from meshtide.features import wks as wks
    from meshtide.figures import make_figure as make_figure
    from meshtide.graph import MeshGraph as MeshGraph
    from meshtide.graph import mesh_graph as mesh_graph
    from meshtide.label_files import read_labels as read_labels
    from meshtide.label_files import write_labels as write_labels
    from meshtide.labels import Labels as Labels
    from meshtide.mesh import Mesh as Mesh
    from meshtide.mesh import load_mesh as load_mesh
    from meshtide.mesh import save_mesh as save_mesh
    from meshtide.recipe import GraphRecipe as GraphRecipe
    from meshtide.segmentation import Segmentation as Segmentation
    from meshtide.segmentation_files import split_parts as split_parts
    from meshtide.segmentation_files import write_segmentation as write_segmentation
    from meshtide.segmenting import segment as segment
    from meshtide.spectrum import Eigenbasis as Eigenbasis
    from meshtide.spectrum import eigenbasis as eigenbasis
    from meshtide.spectrum import laplacian as laplacian


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"meshtide.{_HOMES[name]}"), name)
    raise AttributeError(f"meshtide has no '{name}'; its public names are {', '.join(sorted(_HOMES))}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
