"""What every network must have, whoever wrote it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Protocol, Self, runtime_checkable

if TYPE_CHECKING:
    import torch
    from torch import Tensor, nn

    from meshtide.networks.graph import MeshGraph
    from meshtide.networks.layers import Normalise


class Network(Protocol):
    """A torch module that reads a mesh graph and gives one score a part; it holds nothing of any one mesh.

    What is below `part_layer` every `torch.nn.Module` has.
    """

    on: str  # "vertices" or "faces": where its scores are
    parts: int  # how many parts it tells apart

    @property
    def normalise(self) -> Normalise:
        """What the features pass through first; a training measures it on the training shapes."""

    @property
    def part_layer(self) -> nn.Linear | None:
        """The last layer, if it has a row for each part and nothing follows it; None where there is no such layer.

        Another training that begins with this network takes over the rows of the parts that both have.
        """

    def __call__(self, graph: MeshGraph, /) -> Tensor:
        """Logits, (V, parts) or (F, parts)."""

    def parameters(self) -> Iterator[nn.Parameter]: ...
    def modules(self) -> Iterator[nn.Module]: ...
    def named_modules(self) -> Iterator[tuple[str, nn.Module]]: ...
    def state_dict(self) -> dict[str, Any]: ...
    def load_state_dict(self, state_dict: Mapping[str, Any], /) -> Any: ...
    def train(self) -> Self: ...
    def eval(self) -> Self: ...
    def cpu(self) -> Self: ...
    def to(self, device: torch.device | str, /) -> Self: ...


# What a torch module has not got by itself.
NEEDED = ("on", "parts", "normalise", "part_layer")


@runtime_checkable
class Stacking(Protocol):
    """A network that may be handed samples of several shapes at once, see `networks.stack`.

    It multiplies by eigenvectors through `MeshGraph.project`, `expand` and `gradients_of` alone.
    """

    stacks: bool


@runtime_checkable
class Diffusing(Protocol):
    """A network that learns how long to diffuse."""

    def diffusion_times(self) -> list[Tensor]:
        """The learned times of every block, in units of a surface of area 1."""
