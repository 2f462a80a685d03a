"""How people differ over the same body: some leave an arm whole, some cut it into three, some see no neck."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from meshtide.arrays import FloatArray
from meshtide.data.figures.creatures.pieces import face_borders
from meshtide.data.figures.figure import Figure

# Which part joins which others when a person leaves out a border; the draws go together for both sides of a body.
_WHOLE = {
    "lowerarm": ("upperarm",), "hand": ("lowerarm", "upperarm"), "lowerleg": ("upperleg",),
    "foot": ("lowerleg", "upperleg", "leg"), "lowerlimb": ("upperlimb",), "claw": ("arm",),
}  # fmt: skip
_ENDS = {"hand": ("lowerarm", "upperarm", "arm", "limb", "lowerlimb"), "foot": ("lowerleg", "upperleg", "leg")}
_FACE = dict.fromkeys(("muzzle", "beak", "snout", "nose", "beard", "jaw", "eye"), ("head",))
_EARS = dict.fromkeys(("ear", "horn"), ("head",))
_HEAD = {"neck": ("head",)}
_CHEST = {"neck": ("torso", "body", "chest")}
_COVER = {"hair": ("head",)}
_HOW_OFTEN = (
    (_WHOLE, 0.3), (_ENDS, 0.3), (_FACE, 0.4), (_EARS, 0.3), (_HEAD, 0.35), (_CHEST, 0.2), (_COVER, 0.3),
)  # fmt: skip


def divided_by_someone(figure: Figure, seed: int) -> Figure:
    """The same figure as one person might divide it: whole limbs or jointed ones, ears marked or not, a neck or none.

    A joined piece has the part of what it joined. How often a border is left out is a guess, the same for all kinds.
    This is for learning regions; for names, the figure itself has the finer parts.
    """
    rng = np.random.default_rng([abs(seed), int(seed < 0), 1409])
    draws = [joins for joins, chance in _HOW_OFTEN if rng.uniform() < chance]
    borders = _borders(figure)
    part = np.zeros(len(borders), dtype=np.int64)
    part[figure.face_instances] = figure.face_parts
    goal = np.arange(len(borders))
    for joins in reversed(draws):  # the first draw wins
        for name, hosts in joins.items():
            known = [figure.parts.index(host) for host in hosts if host in figure.parts]
            for piece in np.flatnonzero(part == figure.parts.index(name)) if name in figure.parts else ():
                border = np.where(np.isin(part, known), borders[piece], 0.0)
                goal[piece] = int(border.argmax()) if border.max() > 0 else goal[piece]
    for _ in range(3):  # a hand joins a forearm that joins an upper arm
        goal = goal[goal]
    kept, instances = np.unique(goal[figure.face_instances], return_inverse=True)
    return replace(figure, face_parts=part[kept][instances], face_instances=instances)


def _borders(figure: Figure) -> FloatArray:
    """The length of the border between every two pieces, (N, N)."""
    pairs, lengths = face_borders(figure.mesh)
    one, two = figure.face_instances[pairs].T
    count = int(figure.face_instances.max()) + 1
    table = np.zeros((count, count))
    apart = one != two
    np.add.at(table, (one[apart], two[apart]), lengths[apart])
    return np.asarray(table + table.T)
