"""From (kind, seed, variant) to a labelled mesh."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from meshtide.arrays import FloatArray, IntArray
from meshtide.data.figures import ant, bird, hand, humanoid, octopus, quadruped
from meshtide.data.figures.defects import COARSE, apply_defect, draw_defect
from meshtide.data.figures.dice import Dice
from meshtide.data.figures.field import Field, fraction_along
from meshtide.data.figures.meshing import Noise, Surface, decimate, extract, make_irregular, remesh_evenly, roughen
from meshtide.data.figures.skeleton import Bone, moved, thickened, turned
from meshtide.data.figures.surface import tidy_labels
from meshtide.errors import InputError
from meshtide.labels.labels import Labels
from meshtide.mesh.mesh import Mesh
from meshtide.words import listed

VARIANTS = ("blended", "held-out")
_BUILDERS: dict[str, tuple[Callable[[Dice], list[Bone]], tuple[str, ...]]] = {
    "humanoid": (humanoid.build, humanoid.PARTS),
    "quadruped": (quadruped.build, quadruped.PARTS),
    "bird": (bird.build, bird.PARTS),
    "hand": (hand.build, hand.PARTS),
    "octopus": (octopus.build, octopus.PARTS),
    "ant": (ant.build, ant.PARTS),
}
KINDS = tuple(_BUILDERS)
PARTS = tuple(dict.fromkeys(part for _, parts in _BUILDERS.values() for part in parts))


@dataclass(frozen=True, eq=False)
class Plan:
    """All that is drawn before a surface exists: for tests and for the curious."""

    bones: list[Bone]
    field: Field
    noise: Noise
    vertices: int  # wanted
    defect: str  # one of DEFECTS, or ""


def parts_of(kind: str) -> tuple[str, ...]:
    """The parts that figures of a kind are labelled with."""
    return _known(kind, "blended")[1]


def bones_of(kind: str, dice: Dice) -> list[Bone]:
    """The bones of a common build of a kind."""
    return _known(kind, "blended")[0](dice)


def make_figure(kind: str, seed: int, variant: str = "blended", defects: bool = True) -> tuple[Mesh, Labels]:
    """A labelled body, the same for the same arguments; without defects it is closed, manifold and in one piece.

    `variant` "blended" is for training; "held-out" is another construction of the same anatomy (other field, priors,
    noise and meshing), so that what is learned from one can be checked on the other.

    >>> import meshtide as mt
    >>> mesh, labels = mt.make_figure("quadruped", 2)
    >>> labels.names
    ('head', 'neck', 'torso', 'leg', 'tail', 'ear')
    """
    dice, plan = _prepare(kind, seed, variant, defects)
    vertices, faces = meshed(plan, variant, dice)
    parts = parts_of(kind)
    values = label_points(plan, vertices, parts)
    values = tidy_labels(values, faces)
    vertices, faces, values = apply_defect(plan.defect, (vertices, faces, values), dice)
    return Mesh(vertices, faces, f"{kind}-{variant}-{seed}"), Labels(values, "vertices", parts)


def make_plan(kind: str, seed: int, variant: str = "blended", defects: bool = True) -> Plan:
    """What `make_figure` decides before it makes a surface: bones, field, noise, size and defect."""
    return _prepare(kind, seed, variant, defects)[1]


def label_points(plan: Plan, points: FloatArray, parts: Sequence[str]) -> IntArray:
    """For each point the part of the bone that owns it; the first fraction of a limb may belong to the trunk."""
    owner = plan.field.owners(plan.bones, points)
    values = np.zeros(len(points), dtype=np.int64)
    for number, bone in enumerate(plan.bones):
        mine = owner == number
        values[mine] = parts.index(bone.part)
        if bone.cut > 0:
            values[mine & (fraction_along(bone, points) < bone.cut)] = parts.index(bone.before)
    return values


def _prepare(kind: str, seed: int, variant: str, defects: bool) -> tuple[Dice, Plan]:
    build, parts = _known(kind, variant)
    dice = Dice(kind, seed, variant)
    return dice, draw_plan(build(dice), parts, variant, defects, dice)


def draw_plan(bones: list[Bone], parts: Sequence[str], variant: str, defects: bool, dice: Dice) -> Plan:
    """How bones become a surface: everything that is drawn after them."""
    if variant == "held-out":
        bones = thickened(bones, {part: dice.size(1.0, 0.1) for part in parts})
        field, broad, wood = Field(sharpness=dice.between(2.8, 6.0)), dice.between(0.0, 0.1), 0.3
    else:
        field, broad, wood = Field(softness=dice.size(0.9, 0.3)), abs(dice.normal(0.05)), 0.15
    noise = Noise(broad, dice.between(0.008, 0.028) if dice.chance(wood) else 0.0)
    vertices = int(dice.between(1800, 6000))
    defect = draw_defect(dice)  # drawn even when unwanted, so that the body stays the same
    defect = defect if defects else ""
    return Plan(bones, field, noise, COARSE if defect == "coarse" else vertices, defect)


def meshed(plan: Plan, variant: str, dice: Dice) -> Surface:
    """The surface that a plan describes."""
    if variant == "held-out":
        # The grid lies askew, and triangles are even instead of following curvature.
        askew = turned(np.eye(3), *dice.rng.uniform(-1, 1, 3))
        bones = [moved(bone, np.zeros(3), askew) for bone in plan.bones]
        vertices, faces = remesh_evenly(extract(bones, plan.field), bones, plan.field, plan.vertices, dice)
        vertices = vertices @ askew
        return roughen((vertices, faces), radii_below(plan, vertices), plan.noise, dice)
    surface = extract(plan.bones, plan.field)
    surface = roughen(surface, radii_below(plan, surface[0]), plan.noise, dice)
    return make_irregular(decimate(surface, plan.vertices, dice), dice)


def radii_below(plan: Plan, points: FloatArray) -> FloatArray:
    """The thickness below each point: the radius of the bone that owns it."""
    thickness = np.array([bone.radius * min(1.0, bone.squash) for bone in plan.bones])
    return np.asarray(thickness[plan.field.owners(plan.bones, points)])


def _known(kind: str, variant: str) -> tuple[Callable[[Dice], list[Bone]], tuple[str, ...]]:
    if kind not in _BUILDERS:
        raise InputError(f"there are no figures of the kind '{kind}'; known kinds are {listed(_BUILDERS)}")
    if variant not in VARIANTS:
        raise InputError(f"there is no variant '{variant}' of figures; known variants are {listed(VARIANTS)}")
    return _BUILDERS[kind]
