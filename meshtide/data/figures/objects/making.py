"""From (kind, seed, variant) to an object with its parts and pieces."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from meshtide.arrays import IntArray
from meshtide.data.figures.dice import Dice
from meshtide.data.figures.figure import Figure
from meshtide.data.figures.generator import VARIANTS
from meshtide.data.figures.meshing import Surface
from meshtide.data.figures.objects.blending import blended_surface
from meshtide.data.figures.objects.kinds import KINDS
from meshtide.data.figures.objects.model import Model
from meshtide.data.figures.objects.pieces import connected_pieces, tidy_pieces
from meshtide.data.figures.objects.solids import shell_surface, solid_surface
from meshtide.data.figures.objects.wear import FAULTS, deformed, worn
from meshtide.errors import InputError
from meshtide.mesh.mesh import Mesh
from meshtide.words import listed

OBJECT_KINDS = tuple(KINDS)
COARSE = 900  # vertices


@dataclass(frozen=True)
class Plan:
    """All that is drawn about an object besides its solids."""

    way: str  # how solids become a surface: one of the ways
    vertices: int  # wanted
    bent: float  # how strongly the whole is deformed
    fault: str  # one of FAULTS, or ""


def make_object(kind: str, seed: int, variant: str = "blended", defects: bool = True) -> Figure:
    """An object divided into parts, the same for the same arguments.

    `variant` "blended" is for training; "held-out" has other sizes and another mixture of surfaces, so that what is
    learned from one can be checked on the other. Without defects nothing is torn, open, rough or very coarse.
    """
    if kind not in KINDS:
        raise InputError(f"there are no objects of the kind '{kind}'; known kinds are {listed(KINDS)}")
    if variant not in VARIANTS:
        raise InputError(f"there is no variant '{variant}' of objects; known variants are {listed(VARIANTS)}")
    dice = Dice(f"object {kind}", seed, variant)
    model = KINDS[kind].build(dice)
    plan = _drawn(KINDS[kind].ways[variant], dice)
    plan = plan if defects else replace(plan, fault="")
    (vertices, faces), pieces = _surface(plan, model, dice)
    if plan.bent > 0:
        vertices = deformed(vertices, plan.bent, dice)
    pieces = tidy_pieces(vertices, faces, pieces)
    origin = np.arange(len(model.pieces()))
    if plan.way != "shells" and not model.whole:
        pieces, origin = connected_pieces(vertices, faces, pieces)
    vertices, faces, pieces = worn(plan.fault, (vertices, faces, pieces), dice)
    pieces = tidy_pieces(vertices, faces, pieces)
    names = [model.pieces()[number][0] for number in origin]
    return _figure(Mesh(vertices, faces, f"{kind}-{variant}-{seed}"), names, pieces, KINDS[kind].parts)


def _drawn(ways: Mapping[str, float], dice: Dice) -> Plan:
    way = dice.pick(ways)
    vertices = int(dice.between(1600, 5000))
    if way != "blended" and dice.chance(0.3):  # as coarse as CAD programs and web models are
        vertices = int(dice.between(500, 1500))
    bent = dice.between(0.3, 1.0) if dice.chance(0.35) else 0.0
    fault = dice.pick(FAULTS) if dice.chance(0.25) else ""
    return Plan(way, vertices, bent, fault)


def _surface(plan: Plan, model: Model, dice: Dice) -> tuple[Surface, IntArray]:
    target = COARSE if plan.fault == "coarse" else plan.vertices
    segments = int(dice.rng.integers(10, 40))
    softness = dice.pick({0.0: 0.2, 0.15: 0.3, 0.35: 0.3, 0.7: 0.2}) * dice.size(1.0, 0.2)
    if plan.way == "blended":
        return blended_surface(model, softness, target, dice)
    made = solid_surface if plan.way == "solid" else shell_surface
    return made(model, segments, target, dice)


def _figure(mesh: Mesh, names: list[str], pieces: IntArray, parts: tuple[str, ...]) -> Figure:
    """Number the pieces that are there from 0 on; `names` says what part each of the old numbers is."""
    present, instances = np.unique(pieces, return_inverse=True)
    part_of = np.array([parts.index(names[number]) for number in present], dtype=np.int64)
    instances = instances.reshape(-1).astype(np.int64)
    return Figure(mesh, parts, part_of[instances], instances)
