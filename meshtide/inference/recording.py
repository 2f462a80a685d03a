"""Recording what the networks that ship do, for `meshtide.inference.recorded`."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from meshtide.files import write_atomically
from meshtide.inference.forms import answer_of
from meshtide.inference.kind_network import KindNet
from meshtide.inference.model import SHIPPED, shipped_model
from meshtide.inference.recognise import default_recogniser, kind_sizes
from meshtide.inference.recorded import places_name, surface_name
from meshtide.inference.regions.cues import CUES
from meshtide.inference.regions.embedding import RegionNet
from meshtide.inference.regions.inputs import ARROWS, NUMBERS
from meshtide.inference.regions.model import default_region_model
from meshtide.inference.regions.pair_network import PairNet
from meshtide.inference.things import default_namer
from meshtide.networks.program import Program
from meshtide.networks.recording import record
from meshtide.networks.registry import build_network

Build = Callable[[int], nn.Module]  # from a number that programs do not depend on, of outputs or cues, to a network
Inputs = dict[str, Tensor]

SIZES = ((89, 7), (101, 11))  # of the two cases: vertices, faces or pairs, and eigenpairs


def write_programs(path: Path) -> None:
    """Record all networks that ship and write their programs as JSON."""
    lines = (
        f"{json.dumps(name)}: {json.dumps(program.rows(), separators=(',', ':'))}"
        for name, program in recorded_programs().items()
    )
    write_atomically(path, ("{\n" + ",\n".join(lines) + "\n}\n").encode())


def recorded_programs() -> dict[str, Program]:
    """The program of every network that ships, by its name."""
    return {name: recorded_program(*how) for name, how in shipped_networks().items()}


def recorded_program(build: Build, inputs: Callable[[int, int], Inputs]) -> Program:
    """The program of one network."""
    with torch.random.fork_rng(devices=[]):
        one, other = ((build(few), inputs(many, few)) for many, few in SIZES)
        return record(answer_of, one, other)


def shipped_networks() -> dict[str, tuple[Build, Callable[[int, int], Inputs]]]:
    """What programs are called -> how to build such a network, and inputs for it."""
    found: dict[str, tuple[Build, Callable[[int, int], Inputs]]] = {}
    for sizes in (kind_sizes(default_recogniser().network), kind_sizes(default_namer().network)):
        found[places_name("kinds", *sizes)] = partial(_kinds, sizes), places
    about = default_region_model().about
    found[places_name("regions", *about.sizes)] = partial(_regions, about.sizes), places
    found["pairs"] = (lambda more: PairNet(CUES + more)), pairs
    for model in map(shipped_model, SHIPPED):
        about_parts = model.about
        options: dict[str, Any] = {"operator": about_parts.recipe.operator} | about_parts.options
        channels = about_parts.recipe.channels
        build = partial(_build, about_parts.network, channels, options)
        found[surface_name(about_parts.network, options)] = build, partial(surface, channels)
    return found


def _build(network: str, channels: int, options: dict[str, Any], outputs: int) -> nn.Module:
    built: Any = build_network(network, channels, outputs, **options)
    result: nn.Module = built
    return result


def _kinds(sizes: tuple[int, int, int], outputs: int) -> nn.Module:
    return KindNet(outputs, *sizes)


def _regions(sizes: tuple[int, int, int, int], _: int) -> nn.Module:
    return RegionNet(*sizes)


def places(faces: int, eigenpairs: int) -> Inputs:
    """What a network reads of a prepared surface, random."""
    return {
        "rates": torch.rand(eigenpairs).mul(50).sort().values,
        "vectors": torch.randn(faces, eigenpairs),
        "weights": torch.rand(faces) / faces,
        "numbers": torch.randn(faces, NUMBERS),
        "arrows": torch.randn(faces, 3, ARROWS),
    }


def pairs(count: int, more: int) -> Inputs:
    """Cues of random pairs, some more of them than the first network reads."""
    return {"cues": torch.randn(count, CUES + more)}


def surface(channels: int, vertices: int, eigenpairs: int) -> Inputs:
    """What a network reads of a graph by the surface operator, random."""
    return {
        "features": torch.randn(vertices, channels),
        "frequencies": torch.rand(eigenpairs).mul(500).sort().values,
        "vectors": torch.randn(vertices, eigenpairs),
        "mass": torch.rand(vertices) / vertices,
        "gradients": torch.randn(2, vertices, eigenpairs),
    }
