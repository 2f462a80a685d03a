"""A collection in torch_geometric's form, for networks made of its layers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from meshtide.errors import InputError

if TYPE_CHECKING:
    from meshtide.training.examples import GraphDataset


def geometric_dataset(dataset: GraphDataset) -> Any:
    """The shapes of a dataset as a torch_geometric Dataset of Data, loaded when asked for.

    `y` is the part of every vertex, -1 where it has none; `names` are those of the parts.
    """
    try:
        from torch_geometric.data import Dataset
    except ImportError as error:
        raise InputError("torch_geometric is not installed; pip install -c constraints.txt torch-geometric") from error

    # Made here, as there is nothing to inherit from where torch_geometric is not installed.
    class Shapes(Dataset):  # type: ignore[misc]  # torch_geometric has no types here
        """Graphs of meshes, a Data each."""

        def __init__(self) -> None:
            super().__init__()
            self.names = dataset.collection.parts

        def len(self) -> int:
            return len(dataset)

        def get(self, idx: int) -> Any:
            graph, targets = dataset[idx]
            return graph.to_pyg(targets)

    return Shapes()
