"""Help for few shapes: a second reader that has seen many before it sees these."""

from __future__ import annotations

from meshtide.inference.regions.model import trained_region_model
from meshtide.networks.network import Network
from meshtide.networks.second_reader import SecondReader


def begin_second_reader(network: Network) -> None:
    """Give a network's second reader, if it has one, the weights of the network for regions that ships."""
    second = getattr(network, "second", None)
    if isinstance(second, SecondReader):
        second.take(trained_region_model().network.state_dict())  # type: ignore[union-attr]  # it is in torch
