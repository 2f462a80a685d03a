"""From (kind, seed, variant) to a creature whose faces know their part and their piece."""

from __future__ import annotations

import numpy as np

from meshtide.arrays import FloatArray
from meshtide.data.figures.creatures import (
    beast,
    biped,
    bird,
    bust,
    centaur,
    crawler,
    dressed,
    fish,
    hand,
    insect,
    mixed,
    monster,
    octopus,
    plant,
    toy,
)
from meshtide.data.figures.creatures.pieces import faces_by_vote, limb_keys, limb_names, pieces
from meshtide.data.figures.creatures.shapes import Creature, connected, sturdy
from meshtide.data.figures.creatures.shells import RATE, in_shells
from meshtide.data.figures.defects import apply_defect
from meshtide.data.figures.dice import Dice
from meshtide.data.figures.figure import Figure
from meshtide.data.figures.generator import VARIANTS, draw_plan, make_figure, make_plan, meshed
from meshtide.data.figures.skeleton import Bone
from meshtide.errors import InputError
from meshtide.mesh.mesh import Mesh
from meshtide.words import listed

CREATURES: dict[str, Creature] = {
    **octopus.CREATURES,
    **hand.CREATURES,
    **bird.CREATURES,
    **fish.CREATURES,
    **insect.CREATURES,
    **crawler.CREATURES,
    **beast.CREATURES,
    **biped.CREATURES,
    **centaur.CREATURES,
    **toy.CREATURES,
    **mixed.CREATURES,
    **monster.CREATURES,
    **bust.CREATURES,
    **dressed.CREATURES,
    **plant.CREATURES,
}
CREATURE_KINDS = tuple(CREATURES)


def make_creature(kind: str, seed: int, variant: str = "blended", defects: bool = True) -> Figure:
    """A labelled creature or plant, the same for the same arguments.

    `variant` "blended" is for training; "held-out" builds its surface in another way (see `make_figure`).
    """
    creature = _known(kind, variant)
    dice = Dice(f"creature {kind}", seed, variant)
    plan = draw_plan(sturdy(body_in_one_piece(creature, dice)), creature.parts, variant, defects, dice)
    apart = dice.chance(RATE) and defects
    if apart:
        keys = limb_names(plan.bones)
        vertices, faces, values = in_shells(plan, keys, dice)
    else:
        vertices, faces = meshed(plan, variant, dice)
        keys, values = limb_keys(plan, vertices)
        vertices, faces, values = apply_defect(plan.defect, (vertices, faces, values), dice)
    mesh = Mesh(stretched(vertices, dice), faces, f"{kind}-{variant}-{seed}")
    piece, groups = pieces(mesh, faces_by_vote(values, faces))
    # A body that its arms cut in two is still one body: what a limb's name joins is one piece.
    limbs, instances = np.unique(groups[piece], return_inverse=True)
    part = np.array([creature.parts.index(keys[limb][0]) for limb in limbs])
    return Figure(mesh, creature.parts, part[instances], instances)


def body_in_one_piece(creature: Creature, dice: Dice) -> list[Bone]:
    """Bones that touch; a body that fell apart is drawn again, a few times."""
    for _ in range(6):
        bones = creature.build(dice)
        if connected(bones):
            break
    return bones


def body_figure(kind: str, seed: int, variant: str = "blended", defects: bool = True) -> Figure:
    """A body of `make_figure` with its pieces: limbs that touch are told apart, crumbs are merged."""
    mesh, labels = make_figure(kind, seed, variant, defects)
    keys, values = limb_keys(make_plan(kind, seed, variant, defects), mesh.vertices)
    limbs = sorted({limb for _, limb in keys})
    limb = np.array([limbs.index(name) for _, name in keys])[values]
    groups = labels.to_faces(mesh).values * len(limbs) + faces_by_vote(limb, mesh.faces)
    instances, group = pieces(mesh, groups)
    return Figure(mesh, labels.names, (group // len(limbs))[instances], instances)


def stretched(vertices: FloatArray, dice: Dice) -> FloatArray:
    """The creature a little longer, wider or flatter than its bones say, and sometimes bent in a long wave."""
    vertices = vertices * np.array([dice.size(1.0, 0.08) for _ in range(3)])
    if not dice.chance(0.3):
        return vertices
    size = float(np.ptp(vertices, axis=0).max())
    along, aside = (vector / np.linalg.norm(vector) for vector in (dice.vector(), dice.vector()))
    wave = np.sin(vertices @ along * dice.between(1.5, 4.0) / size + dice.between(0, 2 * np.pi))
    return np.asarray(vertices + dice.between(0.02, 0.09) * size * wave[:, None] * aside)


def _known(kind: str, variant: str) -> Creature:
    if kind not in CREATURES:
        raise InputError(f"there are no creatures of the kind '{kind}'; known kinds are {listed(CREATURES)}")
    if variant not in VARIANTS:
        raise InputError(f"there is no variant '{variant}' of figures; known variants are {listed(VARIANTS)}")
    return CREATURES[kind]
