"""Creatures as modellers often leave them: every limb a closed shell of its own, stuck into the others."""

from __future__ import annotations

import numpy as np

from meshtide.arrays import FloatArray, IntArray
from meshtide.data.figures.creatures.pieces import Key
from meshtide.data.figures.dice import Dice
from meshtide.data.figures.generator import Plan
from meshtide.data.figures.meshing import decimate, extract
from meshtide.data.figures.skeleton import Bone
from meshtide.mesh.measure import triangle_areas

RATE = 0.06  # of creatures with defects
FEWEST = 80  # vertices of a shell


def in_shells(plan: Plan, keys: list[Key], dice: Dice) -> tuple[FloatArray, IntArray, IntArray]:
    """Vertices, faces, and for every vertex the number of its limb in `keys`: a shell for each limb."""
    surfaces = {number: extract(bones, plan.field) for number, bones in _by_limb(plan.bones, keys).items()}
    areas = {number: float(triangle_areas(*surface).sum()) for number, surface in surfaces.items()}
    vertices, faces, values, count = [], [], [], 0
    for number, surface in surfaces.items():
        target = max(FEWEST, int(plan.vertices * areas[number] / sum(areas.values())))
        points, triangles = decimate(surface, target, dice)
        vertices.append(points)
        faces.append(triangles + count)
        values.append(np.full(len(points), number))
        count += len(points)
    return np.concatenate(vertices), np.concatenate(faces), np.concatenate(values)


def _by_limb(bones: list[Bone], keys: list[Key]) -> dict[int, list[Bone]]:
    groups: dict[int, list[Bone]] = {}
    for bone in bones:
        groups.setdefault(keys.index((bone.part, bone.limb)), []).append(bone)
    return groups
