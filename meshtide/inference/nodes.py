"""What a model says of the nodes of a graph that is no mesh."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from meshtide.data.nodes.opening import GraphSource, open_node_task
from meshtide.data.nodes.task import NodeTask
from meshtide.errors import InputError
from meshtide.files import write_atomically
from meshtide.inference.model import Model, load_model
from meshtide.inference.predict import predict
from meshtide.networks.device import choose_device
from meshtide.networks.node_graph import node_graph
from meshtide.spectral.node_recipe import NodeRecipe


@dataclass(frozen=True, eq=False, repr=False)
class NodeClasses:
    """A class for every node of a graph, with how probable each is.

    >>> import meshtide as mt, numpy as np
    >>> task = mt.NodeTask("path", [[0, 1], [1, 2], [2, 3]], np.eye(4), ["a", "a", "b", "b"])
    >>> found = mt.classify_nodes(mt.train(task, epochs=1), task)
    >>> found.save("classes.csv")
    """

    task: NodeTask
    classes: tuple[str, ...]
    probabilities: NDArray[np.float32]  # (V, C)

    def __repr__(self) -> str:
        return f"NodeClasses({self.task.name!r}: {self.task.count:,} nodes, {len(self.classes):,} classes)"

    @property
    def values(self) -> NDArray[np.int64]:
        """The number of the most probable class of every node, (V,)."""
        return np.asarray(self.probabilities.argmax(axis=1), dtype=np.int64)

    @property
    def names(self) -> list[str]:
        """The name of the most probable class of every node."""
        return [self.classes[value] for value in self.values.tolist()]

    def save(self, path: str | Path) -> None:
        """Write a line a node as .csv: what it is called in the graph's files, its class, and how probable that is."""
        text = io.StringIO()
        rows = csv.writer(text, lineterminator="\n")
        rows.writerow(("node", "class", "probability"))
        best = self.probabilities.max(axis=1).tolist()
        for node, (name, share) in enumerate(zip(self.names, best, strict=True)):
            rows.writerow((self.task.name_of(node), name, f"{share:.4f}"))
        write_atomically(Path(path), text.getvalue().encode())


def classify_nodes(
    model: Model | str | Path,
    source: GraphSource,
    *,
    component: str | None = None,
    device: str = "auto",
    data: str | Path | None = None,
) -> NodeClasses:
    """The class that a model gives every node of a graph, which need not be the one that it has learned from.

    `source` is as for `open_node_task`; labels are not needed.

    >>> import meshtide as mt, numpy as np
    >>> ring = [[i, (i + 1) % 20] for i in range(20)]
    >>> task = mt.NodeTask("ring", ring, np.eye(20), ["left"] * 10 + ["right"] * 10)
    >>> mt.classify_nodes(mt.train(task, epochs=20), task)
    NodeClasses('ring': 20 nodes, 2 classes)
    """
    if not isinstance(model, Model):
        model = load_model(model)
    recipe = model.about.recipe
    if not isinstance(recipe, NodeRecipe):
        raise InputError(f"{model!r} was trained on meshes, and {source} is a graph that is none; train one on a graph")
    # Without a word those nodes that the model's own graph was restricted to, so that it meets that graph again.
    task = open_node_task(source, data=data, component=component or model.about.trained_on.get("component"))
    graph = node_graph(task, recipe).to(place := choose_device(device))
    model.network.to(place)
    return NodeClasses(task, model.about.parts, predict(model.network, graph))
