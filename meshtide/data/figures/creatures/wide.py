"""Bodies of the six kinds in all their breadth, in the parts that those kinds have.

The six builders of `make_figure` draw the common build of each kind. Real ones stray further: an octopus is a ball with
arms around its equator, a hand has no wrist, a bird no legs, a person is a plush bear. The creatures are drawn more
widely; here their parts become those of the kind, and what the kind has no part for stays unlabelled.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from meshtide.data.figures.creatures.builds import built_otherwise
from meshtide.data.figures.creatures.catalogue import CREATURES, body_in_one_piece, stretched
from meshtide.data.figures.creatures.shapes import sturdy
from meshtide.data.figures.defects import apply_defect
from meshtide.data.figures.dice import Dice
from meshtide.data.figures.generator import VARIANTS, bones_of, draw_plan, label_points, meshed, parts_of
from meshtide.data.figures.skeleton import Bone
from meshtide.data.figures.surface import tidy_labels
from meshtide.data.figures.volumes import meshed_as_volume
from meshtide.errors import InputError
from meshtide.labels.labels import Labels
from meshtide.mesh.mesh import Mesh
from meshtide.words import listed

# Which creatures are bodies of a kind, and how often each is drawn.
WIDE: Mapping[str, Mapping[str, float]] = {
    "humanoid": {"dressed": 3.0, "seated": 1.0, "critter": 1.5, "cartoon": 1.5, "teddy": 2.0},
    "quadruped": {"beast": 1.0},
    "bird": {"bird": 1.0},
    "hand": {"hand": 1.0},
    "octopus": {"octopus": 1.0},
}
WIDE_KINDS = tuple(WIDE)

# A creature's part in the words of the kind; what stands in neither the kind's parts nor here has no name.
_JOINED: Mapping[str, Mapping[str, str]] = {
    "humanoid": dict.fromkeys(("ear", "horn", "hair", "hat", "beard", "neck", "muzzle", "nose"), "head")
    | dict.fromkeys(("skirt", "cape", "shell", "tail"), "torso"),
    "quadruped": {"horn": "ear", "trunk": "head", "upperleg": "leg", "lowerleg": "leg", "muzzle": "head"},
    "bird": {"neck": "head", "beak": "head"},
    "hand": {"arm": "palm"},
    "octopus": {},
}
_NAMELESS = "nameless"

# The bodies of `make_varied_figure`: the builder of the kind itself, which is "", beside the creatures.
VARIED: Mapping[str, Mapping[str, float]] = {
    "humanoid": {"": 3.0, "dressed": 2.0, "seated": 0.6, "critter": 2.0, "cartoon": 1.5, "teddy": 1.5, "robot": 0.4},
    "quadruped": {"": 4.0, "beast": 1.0},
    "bird": {"": 0.6, "bird": 2.0},
    "hand": {"": 0.6, "hand": 2.0},
    "octopus": {"": 0.4, "octopus": 2.0},
    "ant": {"": 1.0},
}


def make_wide_figure(kind: str, seed: int, variant: str = "blended", defects: bool = True) -> tuple[Mesh, Labels]:
    """A labelled body of a kind, drawn more widely than by `make_figure`; the same for the same arguments."""
    if kind not in WIDE:
        raise InputError(f"there are no wide figures of the kind '{kind}'; known kinds are {listed(WIDE)}")
    if variant not in VARIANTS:
        raise InputError(f"there is no variant '{variant}' of figures; known variants are {listed(VARIANTS)}")
    dice = Dice(f"wide {kind}", seed, variant)
    bones = _bones(kind, dice.pick(dict(WIDE[kind])), dice)
    return _figure(f"wide-{kind}-{variant}-{seed}", kind, bones, variant, defects, False, dice)


def make_varied_figure(kind: str, seed: int, variant: str = "blended", defects: bool = True) -> tuple[Mesh, Labels]:
    """A labelled body of any build, in half of the cases with the surface that a volume leaves."""
    if variant not in VARIANTS:
        raise InputError(f"there is no variant '{variant}' of figures; known variants are {listed(VARIANTS)}")
    parts_of(kind)  # refuses an unknown kind
    dice = Dice(f"varied {kind}", seed, variant)
    as_volume, sort = dice.chance(0.5), dice.pick(dict(VARIED[kind]))
    bones = built_otherwise(_bones(kind, sort, dice) if sort else bones_of(kind, dice), kind, dice)
    return _figure(f"varied-{kind}-{variant}-{seed}", kind, bones, variant, defects, as_volume, dice)


def _bones(kind: str, sort: str, dice: Dice) -> list[Bone]:
    """A creature's bones, in the words of a kind."""
    return [_named(bone, kind) for bone in sturdy(body_in_one_piece(CREATURES[sort], dice))]


def _figure(
    name: str, kind: str, bones: list[Bone], variant: str, defects: bool, as_volume: bool, dice: Dice
) -> tuple[Mesh, Labels]:
    parts = (*parts_of(kind), _NAMELESS)
    plan = draw_plan(bones, parts, variant, defects, dice)
    vertices, faces = meshed_as_volume(plan, dice) if as_volume else meshed(plan, variant, dice)
    values = tidy_labels(label_points(plan, vertices, parts), faces)
    vertices, faces, values = apply_defect(plan.defect, (vertices, faces, values), dice)
    values = np.where(values == parts.index(_NAMELESS), -1, values)
    mesh = Mesh(stretched(vertices, dice), faces, name)
    return mesh, Labels(values, "vertices", parts_of(kind))


def _named(bone: Bone, kind: str) -> Bone:
    return replace(bone, part=_word(bone.finer or bone.part, kind), before=_word(bone.before, kind))


def _word(part: str, kind: str) -> str:
    word = _JOINED[kind].get(part, part)
    return word if word in parts_of(kind) else _NAMELESS
