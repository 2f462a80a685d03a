"""The networks TIDE is compared with, all called alike: features at vertices in, one score a part out.

GCN, GAT and GRAND read the edges of a mesh and nothing else of its shape, and take graphs prepared with either
operator; DiffusionNet reads the surface.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

from meshtide.errors import InputError
from meshtide.networks.baselines.diffusionnet import DiffusionNet
from meshtide.networks.baselines.edges import GatNet, GcnNet, GrandNet
from meshtide.networks.tide import OPERATORS, TideBlock, TideNet, TimeDerivativeDiffusion
from meshtide.words import known

Network = TideNet | GcnNet | GatNet | GrandNet | DiffusionNet

_TIMES = {"tide-m": "channel", "tide-s": "shared"}
_OTHERS: dict[str, type[GcnNet | GatNet | GrandNet | DiffusionNet]] = {
    "gcn": GcnNet,
    "gat": GatNet,
    "grand": GrandNet,
    "diffusionnet": DiffusionNet,
}
NETWORKS = (*_TIMES, *_OTHERS)


def build_network(name: str, inputs: int, parts: int, *, operator: str = "surface", **options: Any) -> Network:
    """A network by its name, for graphs that were prepared with an operator; `option_names` lists its options.

    >>> parameter_count(build_network("gcn", 16, 8, width=32))
    808
    """
    allowed = option_names(name)
    for option in options:
        if option not in allowed:
            raise InputError(f"{name} has no option {option!r}; it has {', '.join(allowed)}")
    known(operator, OPERATORS, "operator")
    if name in _TIMES:
        return TideNet(inputs, parts, times=_TIMES[name], operator=operator, **options)
    if name == "diffusionnet" and operator != "surface":
        raise InputError(f"diffusionnet has gradients on the surface and no {operator} operator; use surface")
    return _OTHERS[name](inputs, parts, **options)


def option_names(name: str) -> tuple[str, ...]:
    """The options that `build_network` takes for a network."""
    if known(name, NETWORKS, "network") in _OTHERS:
        return _keywords(_OTHERS[name])
    names = _keywords(TideNet) + _keywords(TideBlock) + _keywords(TimeDerivativeDiffusion)
    return tuple(option for option in names if option not in ("times", "operator"))


def needs(name: str, options: Mapping[str, Any] | None = None) -> tuple[str, ...]:
    """The extras a network with these options needs of `mesh_graph(…, extras=…)`."""
    options = options or {}
    gradients = known(name, NETWORKS, "network") == "diffusionnet" or options.get("gradients", False)
    implicit = options.get("method") == "implicit"
    return ("gradients",) * gradients + ("stiffness",) * implicit


def parameter_count(network: Network) -> int:
    """The number of learned numbers."""
    return sum(parameter.numel() for parameter in network.parameters() if parameter.requires_grad)


def _keywords(kind: type) -> tuple[str, ...]:
    parameters = inspect.signature(kind).parameters.values()
    return tuple(parameter.name for parameter in parameters if parameter.kind is inspect.Parameter.KEYWORD_ONLY)
